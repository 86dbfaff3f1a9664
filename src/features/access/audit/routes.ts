import { Elysia } from 'elysia'
import type { Actor } from '../../../core/actor.ts'
import { csvResponse, streamCsv } from '../../../http/csv.ts'
import { FOR_STORE, failures, READING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { AuditLog, AuditQuery } from './schema.ts'
import { AUDIT_HEADINGS, type AuditService } from './service.ts'

/** The route that lists the store's audit log. */
export function auditRoutes({ forStoreSecurity }: Pick<Guards, 'forStoreSecurity'>, audit: AuditService) {
  /** The right to read may end while the file is read. */
  function* readRows(actor: Actor, query: AuditQuery) {
    for (const rows of audit.readRows(actor.storeId, query)) {
      actor.demandStill()
      yield rows
    }
  }

  function answerCsv(actor: Actor, query: AuditQuery): AuditLog {
    const rows = readRows(actor, query)
    // The first rows are read before the answer begins, so that a bad query is refused with its code.
    const first = rows.next()
    const all = (function* () {
      if (!first.done) yield first.value
      yield* rows
    })()
    return csvResponse('audit', streamCsv(AUDIT_HEADINGS, all))
  }

  return new Elysia({ name: 'audit.routes', prefix: '/v1/security/audit', tags: ['Security'] })
    .use(forStoreSecurity)
    .get(
      '',
      ({ actor, query }) =>
        query.format === 'csv' ? answerCsv(actor, query) : audit.list(actor.storeId, query),
      {
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
            'Events of this store, and those of its current members that concern no store, such as sign-ins. Events cannot be changed and are kept for a year. With `format=csv` all events that fit come as one file; a connection that breaks off means that it is not whole.',
        },
      },
    )
}
