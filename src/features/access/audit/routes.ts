import { Elysia } from 'elysia'
import type { AuthPlugin } from '../../../http/auth.ts'
import { failure, signedInErrors } from '../../../http/schema.ts'
import { AuditLog, AuditQuery } from './schema.ts'
import type { AuditService } from './service.ts'

/** The store's audit log. */
export function auditRoutes(auth: AuthPlugin, audit: AuditService) {
  return new Elysia({ name: 'audit.routes', prefix: '/v1/security/audit', tags: ['Security'] })
    .use(auth)
    .get('', ({ actor, query }) => audit.list(actor.storeId, query), {
      can: 'security:manage',
      query: AuditQuery,
      response: {
        200: AuditLog,
        ...signedInErrors,
        400: failure('`invalid_cursor`, `credential_ambiguous`'),
        422: failure('`validation_error`'),
      },
      detail: {
        operationId: 'listAuditEvents',
        summary: 'List what was done about sign-in and access',
        description:
          'Acts in this store, and those of its present members that concern no store, such as logins. Events are only ever added, and kept for a year.',
      },
    })
}
