import type { AuditEvent } from '../../../core/audit.ts'
import { AUDIT_ACTIONS } from '../../../core/audit.ts'
import { type Clock, isoTime } from '../../../core/clock.ts'
import { ApiError } from '../../../core/errors.ts'
import type { Ids } from '../../../core/ids.ts'
import { validationError } from '../../../http/validation.ts'
import type { AuditQueries, NamedAuditRow } from './queries.ts'
import {
  AUDIT_PAGE_DEFAULT,
  type AuditActorView,
  type AuditEventView,
  type AuditLog,
  type AuditQuery,
} from './schema.ts'

export interface AuditDeps {
  queries: AuditQueries
  clock: Clock
  ids: Ids
}

export type AuditService = ReturnType<typeof auditService>

/** What happened to stores, people and credentials. Events are only ever added, and kept for a year. */
export function auditService({ queries, clock, ids }: AuditDeps) {
  return {
    /** Writes one act down; meant to be called inside the transaction that does it. */
    record({ trace, ...event }: AuditEvent): void {
      queries.record({
        ...event,
        id: ids.uuid(),
        address: trace?.address ?? null,
        requestId: trace?.requestId ?? null,
        createdAt: clock.now(),
      })
    },

    /**
     * The acts in a store, and those of its present members that concern no store, such as sign-ins; newest first.
     *
     * @throws ApiError `invalid_cursor`, `validation_error` for a day or an hour that does not exist.
     */
    list(storeId: string, query: AuditQuery): AuditLog {
      const limit = query.limit ?? AUDIT_PAGE_DEFAULT
      const filter = {
        storeId,
        action: query.action ?? null,
        since: momentOf('since', query.since),
        until: momentOf('until', query.until),
        beforeId: query.cursor === undefined ? null : readCursor(query.cursor),
      }
      // One more than the page holds tells whether there is a next one.
      const rows = queries.page(filter, limit + 1)
      const last = rows.length > limit ? rows[limit - 1] : undefined
      const events = rows.slice(0, limit).map(view)
      return { events, next_cursor: last ? cursorOf(last.id) : null, count: events.length }
    },

    /** Forgets events that are older than a year. */
    prune: (): void => void queries.prune(clock.now()),
  }
}

function view(row: NamedAuditRow): AuditEventView {
  return {
    id: row.id,
    action: row.action,
    // A newer version may have written acts that this one does not know.
    ...(Object.hasOwn(AUDIT_ACTIONS, row.action) && { meaning: AUDIT_ACTIONS[row.action] }),
    created_at: isoTime(row.createdAt),
    actor: actorOf(row),
    ip_address: row.address,
    request_id: row.requestId,
    details: { ...row.details },
  }
}

function actorOf({ actorKind: kind, ...row }: NamedAuditRow): AuditActorView {
  if (kind === 'machine') return { kind, id: row.storeId, name: row.storeName }
  if (kind === 'key') return { kind, id: row.keyId, name: row.keyName }
  return { kind, id: row.userId, name: row.userName }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const cursorOf = (id: string): string => Buffer.from(id).toString('base64url')

/** @throws ApiError `invalid_cursor`. */
function readCursor(text: string): string {
  const id = Buffer.from(text, 'base64url').toString('latin1')
  if (UUID.test(id) && cursorOf(id) === text) return id
  throw new ApiError('invalid_cursor', 'The cursor does not belong to this list')
}

/** Unix ms. @throws ApiError `validation_error`. */
function momentOf(name: 'since' | 'until', text: string | undefined): number | null {
  if (text === undefined) return null
  const moment = Date.parse(text.replace(' ', '+'))
  if (!Number.isNaN(moment)) return moment
  const fault = { code: 'format', message: 'must be a moment that exists' }
  throw validationError([{ in: 'query', pointer: `/${name}`, ...fault }])
}
