import { Elysia } from 'elysia'
import type { AuthPlugin } from '../../../http/auth.ts'
import { signedInErrors } from '../../../http/schema.ts'
import { SecurityOverview } from './schema.ts'
import type { SecurityService } from './service.ts'

/** Spec §4.7: the security overview. */
export function overviewRoutes(auth: AuthPlugin, security: SecurityService) {
  return new Elysia({ name: 'security.routes', prefix: '/v1/security', tags: ['Security'] })
    .use(auth)
    .get('/overview', ({ actor }) => security.overview(actor), {
      can: 'security:read',
      response: { 200: SecurityOverview, ...signedInErrors },
      detail: {
        operationId: 'getSecurityOverview',
        summary: 'How well the store is locked, and what to do next',
      },
    })
}
