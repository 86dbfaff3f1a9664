import { Elysia } from 'elysia'
import { FOR_STORE, failures, READING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { ChangeList, ChangesQuery } from './schema.ts'
import type { ChangeLogService } from './service.ts'

/** The route of the change log (contract 9.1). */
export function changeRoutes(
  { forStore }: Pick<Guards, 'forStore'>,
  changes: Pick<ChangeLogService, 'list'>,
) {
  return new Elysia({ name: 'changes.routes', prefix: '/v1/changes', tags: ['Changes and webhooks'] })
    .use(forStore)
    .get('', ({ actor, query }) => changes.list(actor.storeId, query), {
      can: 'products:read',
      query: ChangesQuery,
      response: {
        200: ChangeList,
        ...failures(...FOR_STORE, ...READING, 'validation_error', 'changes_expired'),
      },
      detail: {
        operationId: 'listChanges',
        summary: 'Read every change of the products, in order',
        description:
          'Keeps a copy elsewhere in step: send the number of the last change that you have as `after`, apply the changes, and ask again until `has_more` is false. Changes are kept for 30 days, fewer where they are more than the plan keeps.',
      },
    })
}
