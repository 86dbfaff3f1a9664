import { Elysia } from 'elysia'
import { jsonBody } from '../../../http/body.ts'
import { FOR_STORE, failures, JSON_BODY, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { IDEMPOTENCY_KEY, REPEATABLE } from '../../../http/idempotency.ts'
import { JobStarted } from '../../catalogue/jobs/schema.ts'
import { Replay, ReplayBody, ReplayList, ReplayParams } from './schema.ts'
import type { ReplayService } from './service.ts'

/** Contract 3.20: the searches of the log with other settings. */
export const replayRoutes = (
  { forStore, idempotency }: Pick<Guards, 'forStore' | 'idempotency'>,
  replays: ReplayService,
) =>
  new Elysia({ name: 'replay.routes', prefix: '/v1/search/replay', tags: ['Search'] })
    .use(forStore)
    .post(
      '',
      ({ request, path, actor, body, set }) =>
        idempotency.answer({ request, path, actor, body, set }, () => ({
          status: 202 as const,
          body: replays.start(actor, body as ReplayBody),
        })),
      {
        can: 'search:read',
        parse: jsonBody(),
        body: ReplayBody,
        response: {
          202: JobStarted,
          ...failures(...FOR_STORE, ...WRITING, ...JSON_BODY, ...REPEATABLE, [
            'conflict',
            'A replay of the store is running already (`details.job_id`).',
          ]),
        },
        detail: {
          operationId: 'startReplay',
          summary: 'Make the last searches again with other settings',
          description:
            'As a job, behind all other work: searches by words, and by a product of the store, with the settings as they are and with those of the request. Nothing is changed or counted. `GET /v1/search/replay/{job_id}` has what it finds.',
          parameters: [IDEMPOTENCY_KEY],
        },
      },
    )
    .get('', ({ actor }) => replays.list(actor.storeId), {
      can: 'search:read',
      response: { 200: ReplayList, ...failures(...FOR_STORE, ...READING) },
      detail: {
        operationId: 'listReplays',
        summary: 'List the last replays',
        description: 'With what they found, or have found so far.',
      },
    })
    .get('/:job_id', ({ actor, params }) => replays.show(actor.storeId, params.job_id), {
      can: 'search:read',
      params: ReplayParams,
      response: { 200: Replay, ...failures(...FOR_STORE, ...READING, 'validation_error', 'not_found') },
      detail: {
        operationId: 'getReplay',
        summary: 'Read what a replay found',
        description: 'While it runs, what it has found so far.',
      },
    })
