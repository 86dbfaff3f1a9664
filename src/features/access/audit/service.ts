import type { AuditAction, AuditEvent } from '../../../core/audit.ts'
import { AUDIT_ACTIONS } from '../../../core/audit.ts'
import { isoTime } from '../../../core/clock.ts'
import type { Cell } from '../../../http/csv.ts'
import { CursorId, createCursors, readMoment } from '../../../http/paging.ts'
import type { Base } from '../../module.ts'
import type { AuditQueries, NamedAuditRow } from './queries.ts'
import {
  AUDIT_PAGE_DEFAULT,
  type AuditActorView,
  type AuditEventView,
  type AuditLog,
  type AuditQuery,
} from './schema.ts'

export interface AuditDeps extends Pick<Base, 'clock' | 'ids'> {
  queries: AuditQueries
}

const cursors = createCursors({ list: 'audit' }, { id: CursorId })
const nodeCursors = createCursors({ list: 'node_audit' }, { id: CursorId })

/** The query of a super-admin. */
export interface OperatorAuditQuery {
  limit?: number
  cursor?: string
  action?: AuditAction
  user_id?: string
  store_id?: string
}

export type AuditService = ReturnType<typeof auditService>

/** The audit log of stores, people and credentials. Events cannot be changed and are kept for a year. */
export function auditService({ queries, clock, ids }: AuditDeps) {
  return {
    /** Records one event. Call it inside the transaction that makes the change. */
    record({ clientInfo, ...event }: AuditEvent): void {
      queries.record({
        ...event,
        id: ids.uuid(),
        address: clientInfo?.address ?? null,
        requestId: clientInfo?.requestId ?? null,
        createdAt: clock.now(),
      })
    },

    /**
     * Lists the events of a store, and those of its present members that concern no store, such as sign-ins; newest first.
     *
     * @throws ApiError `invalid_cursor`, `validation_error` for a day or an hour that does not exist.
     */
    list(storeId: string, query: AuditQuery): AuditLog {
      const limit = query.limit ?? AUDIT_PAGE_DEFAULT
      const filter = { ...readFilter(storeId, query), beforeId: cursors.read(query.cursor)?.id ?? null }
      const { rows, nextCursor } = cursors.page(queries.listPage(filter, limit + 1), limit, ({ id }) => ({
        id,
      }))
      return { events: rows.map(view), next_cursor: nextCursor, count: rows.length }
    },

    /** Reads all events that {@link list} would list, some at a time, as rows of a table with {@link AUDIT_HEADINGS}. */
    *readRows(storeId: string, query: AuditQuery): Generator<Cell[][], void> {
      const filter = readFilter(storeId, query)
      for (let beforeId: string | null = null; ; ) {
        const rows = queries.listPage({ ...filter, beforeId }, ROWS_AT_ONCE)
        if (rows.length === 0) return
        yield rows.map(toRow)
        beforeId = rows.at(-1)?.id ?? null
      }
    },

    /**
     * Lists the events that concern no store, or those of one store, for a super-admin; newest first.
     *
     * @throws ApiError `invalid_cursor`.
     */
    listForOperator({ limit = AUDIT_PAGE_DEFAULT, cursor, ...wanted }: OperatorAuditQuery): AuditLog {
      const filter = {
        storeId: wanted.store_id ?? null,
        userId: wanted.user_id ?? null,
        action: wanted.action ?? null,
        beforeId: nodeCursors.read(cursor)?.id ?? null,
      }
      const found = queries.listNodePage(filter, limit + 1)
      const { rows, nextCursor } = nodeCursors.page(found, limit, ({ id }) => ({ id }))
      return { events: rows.map(view), next_cursor: nextCursor, count: rows.length }
    },

    /**
     * Puts the id of a person in the place of their e-mail address in every event, as `email_of`. It is the one change that
     * the log allows. Call it in the transaction in which the person gives the address up.
     *
     * @param email normalised.
     */
    forgetEmail: queries.forgetEmail,

    /** Deletes events older than a year. */
    prune: (): void => void queries.prune(clock.now()),
  }
}

/** Events of a file that are read at a time. */
const ROWS_AT_ONCE = 100

/** The columns of the file. */
export const AUDIT_HEADINGS = [
  ...['created_at', 'action', 'meaning', 'actor_kind', 'actor_id', 'actor_name'],
  ...['ip_address', 'request_id', 'details', 'id'],
]

/** @throws ApiError `validation_error` for a day or an hour that does not exist. */
const readFilter = (storeId: string, { action, since, until }: AuditQuery) => ({
  storeId,
  action: action ?? null,
  since: since === undefined ? null : readMoment('since', since),
  until: until === undefined ? null : readMoment('until', until),
})

function toRow(row: NamedAuditRow): Cell[] {
  const { created_at, action, meaning = null, actor, ip_address, request_id, details, id } = view(row)
  return [
    ...[created_at, action, meaning, actor.kind, actor.id, actor.name],
    ...[ip_address, request_id, JSON.stringify(details), id],
  ]
}

function view(row: NamedAuditRow): AuditEventView {
  return {
    id: row.id,
    action: row.action,
    // A newer version may have recorded actions that this one does not know.
    ...(Object.hasOwn(AUDIT_ACTIONS, row.action) && { meaning: AUDIT_ACTIONS[row.action] }),
    created_at: isoTime(row.createdAt),
    actor: describeActor(row),
    ip_address: row.address,
    request_id: row.requestId,
    details: { ...row.details },
  }
}

function describeActor({ actorKind: kind, ...row }: NamedAuditRow): AuditActorView {
  if (kind === 'machine') return { kind, id: row.storeId, name: row.storeName }
  if (kind === 'key') return { kind, id: row.keyId, name: row.keyName }
  return { kind, id: row.userId, name: row.userName }
}
