import { Elysia } from 'elysia'
import { FOR_STORE, failures, READING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { SecurityOverview } from './schema.ts'
import type { OverviewService } from './service.ts'

/** The route of the security overview (contract 5.8). */
export function overviewRoutes(
  { forStoreSecurity }: Pick<Guards, 'forStoreSecurity'>,
  overview: OverviewService,
) {
  return new Elysia({ name: 'security.routes', prefix: '/v1/security', tags: ['Security'] })
    .use(forStoreSecurity)
    .get('/overview', ({ actor }) => overview.summarize(actor), {
      can: 'security:read',
      response: { 200: SecurityOverview, ...failures(...FOR_STORE, ...READING) },
      detail: {
        operationId: 'getSecurityOverview',
        summary: 'Review the security of the store and the next improvements',
        description:
          'Counts of keys, sign-ins, members and webhooks, and a list of what to do next, most important first.',
      },
    })
}
