import { Elysia } from 'elysia'
import { FOR_STORE, failures, READING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { RecentRequests, RequestsQuery } from './schema.ts'
import type { RequestsService } from './service.ts'

/** The route that lists the last calls of a credential. */
export const requestsRoutes = (
  { forStoreSecurity }: Pick<Guards, 'forStoreSecurity'>,
  requests: RequestsService,
) =>
  new Elysia({ name: 'requests.routes', prefix: '/v1/security/requests', tags: ['Security'] })
    .use(forStoreSecurity)
    .get('', ({ actor, query }) => requests.list(actor.storeId, query.key_id), {
      can: 'security:read',
      query: RequestsQuery,
      response: {
        200: RecentRequests,
        ...failures(...FOR_STORE, ...READING, 'validation_error', 'not_found'),
      },
      detail: {
        operationId: 'listRecentRequests',
        summary: 'List the last calls of a credential',
        description:
          'The last 200 calls of an API key, a widget key or the machine grant, with refused ones whose credential was valid, and with the id that finds a call in the log of the service. They stand in memory: a start of the service forgets them. Beyond 4,000 calls of a store the calls of its credential that has been silent for longest are dropped, and the same holds beyond 100,000 calls and 20,000 credentials over all stores.',
      },
    })
