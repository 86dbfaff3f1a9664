import { Elysia } from 'elysia'
import { FOR_STORE, failures, READING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { AuditLog, AuditQuery } from './schema.ts'
import type { AuditService } from './service.ts'

/** The route that lists the store's audit log. */
export function auditRoutes({ forStoreSecurity }: Pick<Guards, 'forStoreSecurity'>, audit: AuditService) {
  return new Elysia({ name: 'audit.routes', prefix: '/v1/security/audit', tags: ['Security'] })
    .use(forStoreSecurity)
    .get('', ({ actor, query }) => audit.list(actor.storeId, query), {
      can: 'security:manage',
      query: AuditQuery,
      response: {
        200: AuditLog,
        ...failures(...FOR_STORE, ...READING, 'validation_error', 'invalid_cursor'),
      },
      detail: {
        operationId: 'listAuditEvents',
        summary: 'List the events about sign-in and access',
        description:
          'Events of this store, and those of its current members that concern no store, such as sign-ins. Events cannot be changed and are kept for a year.',
      },
    })
}
