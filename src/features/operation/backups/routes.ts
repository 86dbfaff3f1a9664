import { Elysia, t } from 'elysia'
import { noBody } from '../../../http/body.ts'
import { FOR_SUPER_ADMIN, failures, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { IDEMPOTENCY_KEY, REPEATABLE } from '../../../http/idempotency.ts'
import { Backup, BackupList, BackupQuery } from './schema.ts'
import type { BackupsService } from './service.ts'

const READ = [...FOR_SUPER_ADMIN, ...READING] as const

/** Contract 8.14: backups, for super-admins. A file is neither sent nor restored here, because it holds the secrets. */
export const backupRoutes = (
  { forSuperAdmin, idempotency }: Pick<Guards, 'forSuperAdmin' | 'idempotency'>,
  backups: BackupsService,
) =>
  new Elysia({ name: 'backups', prefix: '/v1/admin', tags: ['Operator'] })
    .use(forSuperAdmin)
    .get('/backups', ({ query }) => backups.list(query), {
      superAdmin: true,
      query: BackupQuery,
      response: { 200: BackupList, ...failures(...READ, 'validation_error', 'invalid_cursor') },
      detail: {
        operationId: 'listBackups',
        summary: 'List the backups of this install',
        description:
          'Those of the schedule, of super-admins and of `lookalike backup`, with those that failed, the newest first.',
      },
    })
    .post(
      '/backups',
      ({ request, path, caller, set }) => {
        const start = async () => ({ status: 202 as const, body: await backups.start(caller) })
        return idempotency.answerPerson({ request, path, actor: caller, body: undefined, set }, start)
      },
      {
        superAdmin: true,
        parse: noBody,
        response: {
          202: Backup,
          ...failures(...FOR_SUPER_ADMIN, ...WRITING, ...REPEATABLE, [
            'conflict',
            'Another backup or a restore is under way.',
          ]),
        },
        detail: {
          operationId: 'startBackup',
          summary: 'Make a backup now',
          description:
            'Answers at once; read it by its id for the progress. It counts when its state is `completed`: then the file was opened, its database checked, and three searches answered as they did at the moment of the copy.',
          parameters: [IDEMPOTENCY_KEY],
        },
      },
    )
    .get('/backups/:id', ({ params }) => backups.read(params.id), {
      superAdmin: true,
      params: t.Object({ id: t.String() }),
      response: {
        200: Backup,
        ...failures(...READ, 'validation_error', ['not_found', 'There is no backup with this id.']),
      },
      detail: {
        operationId: 'getBackup',
        summary: 'Read a backup and how far it is',
        description: 'The progress is written down once a second.',
      },
    })
