import type { AuditAction, AuditActor } from '../../../core/audit.ts'
import type { Db } from '../../../platform/db/open.ts'

export interface AuditRow {
  id: string
  storeId: string | null
  action: AuditAction
  actorKind: AuditActor
  userId: string | null
  keyId: string | null
  details: Readonly<Record<string, unknown>>
  address: string | null
  requestId: string | null
  /** Unix ms. */
  createdAt: number
}

/** A row, with the present names of its actor; null for an actor that no longer exists. */
export interface NamedAuditRow extends AuditRow {
  userName: string | null
  keyName: string | null
  storeName: string | null
}

export interface AuditFilter {
  storeId: string
  action: AuditAction | null
  /** Unix ms; events of that moment count. */
  since: number | null
  /** Unix ms; events of that moment do not count. */
  until: number | null
  /** Only events older than this one. */
  beforeId: string | null
}

/** An operator's filter of the events that concern no store, or of those of one store. */
export interface NodeAuditFilter {
  storeId: string | null
  userId: string | null
  action: AuditAction | null
  beforeId: string | null
}

type StoredRow = Omit<NamedAuditRow, 'details'> & { details: string }

/** How long events are kept; triggers of the database refuse to delete younger ones. */
const KEPT_MS = 31_536_000_000

/** Greater than every id. */
const END = '~'

/** The most events that one call deletes, so that no request waits long. */
const PRUNED_MAX = 10_000

const FILTER = `
  id < @beforeId AND (@action IS NULL OR action = @action)
  AND (@since IS NULL OR created_at >= @since) AND (@until IS NULL OR created_at < @until)`

/** The events that were found, with the present names of their actors. */
const NAMED = `
  SELECT events.id, events.store_id AS storeId, action, actor_kind AS actorKind, events.user_id AS userId,
    key_id AS keyId, details, address, request_id AS requestId, events.created_at AS createdAt,
    users.name AS userName, api_keys.name AS keyName, stores.name AS storeName
  FROM found JOIN audit_events AS events USING (id)
    LEFT JOIN users ON users.id = events.user_id
    LEFT JOIN api_keys ON api_keys.id = events.key_id
    LEFT JOIN stores ON stores.id = events.store_id`

export type AuditQueries = ReturnType<typeof auditQueries>

/** All SQL about the audit log. */
export function auditQueries(db: Db) {
  const insert = db.prepare(`
    INSERT INTO audit_events
      (id, store_id, action, actor_kind, user_id, key_id, details, address, request_id, created_at)
    VALUES (@id, @storeId, @action, @actorKind, @userId, @keyId, @details, @address, @requestId, @createdAt)`)
  // Each part reads at most one page along its index: one part for the store, one for each member.
  const page = db.prepare<Record<string, unknown>, StoredRow>(`
    WITH found AS (
      SELECT id FROM (SELECT id FROM audit_events WHERE store_id = @storeId AND ${FILTER} ORDER BY id DESC LIMIT @limit)
      UNION ALL
      SELECT events.id FROM memberships JOIN audit_events AS events ON events.id IN (
        SELECT id FROM audit_events
        WHERE user_id = memberships.user_id AND store_id IS NULL AND ${FILTER} ORDER BY id DESC LIMIT @limit)
      WHERE memberships.store_id = @storeId
    )
    ${NAMED} ORDER BY events.id DESC LIMIT @limit`)
  const nodePage = (condition: string) =>
    db.prepare<Record<string, unknown>, StoredRow>(`
      WITH found AS (
        SELECT id FROM audit_events WHERE ${condition} AND id < @beforeId
          AND (@action IS NULL OR action = @action) AND (@userId IS NULL OR user_id = @userId)
        ORDER BY id DESC LIMIT @limit)
      ${NAMED} ORDER BY events.id DESC`)
  // Each reads along the index that fits best, so that no page looks through the whole log.
  const ofStore = nodePage('store_id = @storeId')
  const ofNode = nodePage('store_id IS NULL')
  const ofPerson = nodePage('store_id IS NULL AND user_id = @userId')
  const ofAction = nodePage('store_id IS NULL AND action = @action')

  function chooseStatement({ storeId, userId, action }: NodeAuditFilter) {
    if (storeId !== null) return ofStore
    if (userId !== null) return ofPerson
    return action === null ? ofNode : ofAction
  }

  // The triggers measure ages from the newest event. This must do the same: a single refusal would stop all deletions.
  const prune = db.prepare(`
    DELETE FROM audit_events WHERE id IN (
      SELECT id FROM audit_events
      WHERE created_at <= min(?, (SELECT max(created_at) FROM audit_events)) - ${KEPT_MS}
      ORDER BY created_at LIMIT ${PRUNED_MAX})`)

  const forgetEmail = db.prepare(`
    UPDATE audit_events SET details = json_set(json_remove(details, '$.email'), '$.email_of', @userId)
    WHERE json_extract(details, '$.email') = @email AND json_extract(details, '$.email') IS NOT NULL`)

  return {
    record: (row: AuditRow): void => void insert.run({ ...row, details: JSON.stringify(row.details) }),

    /**
     * Lists events of the store, and those of its present members that concern no store; newest first.
     *
     * @param limit the maximum number of rows.
     */
    listPage: (filter: AuditFilter, limit: number): NamedAuditRow[] =>
      page.all({ ...filter, beforeId: filter.beforeId ?? END, limit: BigInt(limit) }).map(parse),

    /** Lists events of the node, or of any store; newest first. */
    listNodePage: (filter: NodeAuditFilter, limit: number): NamedAuditRow[] =>
      chooseStatement(filter)
        .all({ ...filter, beforeId: filter.beforeId ?? END, limit: BigInt(limit) })
        .map(parse),

    /** Puts the id of a person in the place of their e-mail address, in every event. */
    forgetEmail: (userId: string, email: string): void => void forgetEmail.run({ userId, email }),

    /** Deletes events older than a year, some thousands at a time. @returns the number of deleted events. */
    prune: (now: number): number => prune.run(now).changes,
  }
}

const parse = (row: StoredRow): NamedAuditRow => ({ ...row, details: JSON.parse(row.details) })
