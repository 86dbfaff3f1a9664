import { Elysia } from 'elysia'
import type { Doors } from '../../../http/doors.ts'
import { FOR_STORE, failures, READING } from '../../../http/failures.ts'
import { SecurityOverview } from './schema.ts'
import type { SecurityService } from './service.ts'

/** Spec §4.7: the security overview. */
export function overviewRoutes(
  { forStoreSecurity }: Pick<Doors, 'forStoreSecurity'>,
  security: SecurityService,
) {
  return new Elysia({ name: 'security.routes', prefix: '/v1/security', tags: ['Security'] })
    .use(forStoreSecurity)
    .get('/overview', ({ actor }) => security.overview(actor), {
      can: 'security:read',
      response: { 200: SecurityOverview, ...failures(...FOR_STORE, ...READING) },
      detail: {
        operationId: 'getSecurityOverview',
        summary: 'Review how secure the store is, and what to improve',
      },
    })
}
