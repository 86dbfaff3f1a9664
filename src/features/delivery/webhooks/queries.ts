import type { Db } from '../../../platform/db/open.ts'
import type { DisabledReason, WebhookEvent } from './schema.ts'

export interface WebhookRow {
  id: string
  storeId: string
  url: string
  events: WebhookEvent[]
  description: string | null
  enabled: boolean
  /** null while enabled. */
  disabledReason: DisabledReason | null
  /** Failed attempts since the last success. */
  consecutiveFailures: number
  /** Unix ms of the first of them. */
  failingSince: number | null
  lastDeliveryAt: number | null
  lastStatus: number | null
  createdAt: number
  updatedAt: number
}

/** The columns that change with every attempt. */
export type WebhookHealth = Pick<
  WebhookRow,
  'enabled' | 'disabledReason' | 'consecutiveFailures' | 'failingSince' | 'lastDeliveryAt' | 'lastStatus'
>

type StoredRow = Omit<WebhookRow, 'events' | 'enabled'> & { events: string; enabled: number }

export type WebhookQueries = ReturnType<typeof webhookQueries>

const COLUMNS = `id, store_id AS storeId, url, events, description, enabled, disabled_reason AS disabledReason,
  consecutive_failures AS consecutiveFailures, failing_since AS failingSince, last_delivery_at AS lastDeliveryAt,
  last_status AS lastStatus, created_at AS createdAt, updated_at AS updatedAt`

/** All SQL about webhooks. No query finds a deleted one, though its row stays until its deliveries are gone. */
export function webhookQueries(db: Db) {
  const byStore = db.prepare<[storeId: string], StoredRow>(
    `SELECT ${COLUMNS} FROM webhooks WHERE store_id = ? AND deleted_at IS NULL ORDER BY id`,
  )
  const byId = db.prepare<[storeId: string, id: string], StoredRow>(
    `SELECT ${COLUMNS} FROM webhooks WHERE store_id = ? AND id = ? AND deleted_at IS NULL`,
  )
  const enabled = db.prepare<[storeId: string], { id: string; events: string }>(
    'SELECT id, events FROM webhooks WHERE store_id = ? AND enabled = 1 AND deleted_at IS NULL',
  )
  const insert = db.prepare(`
    INSERT INTO webhooks (id, store_id, url, events, description, enabled, disabled_reason, created_at, updated_at)
    VALUES (@id, @storeId, @url, @events, @description, @enabled, @disabledReason, @createdAt, @updatedAt)`)
  const update = db.prepare(`
    UPDATE webhooks SET url = @url, events = @events, description = @description, enabled = @enabled,
      disabled_reason = @disabledReason, consecutive_failures = @consecutiveFailures, failing_since = @failingSince,
      updated_at = @updatedAt
    WHERE store_id = @storeId AND id = @id`)
  const updateHealth = db.prepare(`
    UPDATE webhooks SET enabled = @enabled, disabled_reason = @disabledReason,
      consecutive_failures = @consecutiveFailures, failing_since = @failingSince, last_delivery_at = @lastDeliveryAt,
      last_status = @lastStatus
    WHERE store_id = @storeId AND id = @id`)
  const markDeleted = db.prepare(
    "UPDATE webhooks SET deleted_at = ?, enabled = 0, url = '', description = NULL WHERE store_id = ? AND id = ?",
  )
  const deleted = db.prepare<[limit: bigint], { id: string; storeId: string }>(`
    SELECT id, store_id AS storeId FROM webhooks INDEXED BY webhooks_deleted WHERE deleted_at IS NOT NULL LIMIT ?`)
  const remove = db.prepare('DELETE FROM webhooks WHERE store_id = ? AND id = ? AND deleted_at IS NOT NULL')

  return {
    /** Oldest first. */
    listByStore: (storeId: string): WebhookRow[] => byStore.all(storeId).map(read),
    find(storeId: string, id: string): WebhookRow | undefined {
      const row = byId.get(storeId, id)
      return row && read(row)
    },
    /** Lists the enabled webhooks of a store, each with its events. */
    listEnabled: (storeId: string): Pick<WebhookRow, 'id' | 'events'>[] =>
      enabled.all(storeId).map(({ id, events }) => ({ id, events: JSON.parse(events) as WebhookEvent[] })),
    add: (row: WebhookRow): void => void insert.run(written(row)),
    update: (row: WebhookRow): void => void update.run(written(row)),
    updateHealth: (storeId: string, id: string, health: WebhookHealth): void =>
      void updateHealth.run({ ...health, storeId, id, enabled: health.enabled ? 1 : 0 }),
    markDeleted: (storeId: string, id: string, now: number): void =>
      void markDeleted.run(BigInt(now), storeId, id),
    /** Lists deleted webhooks of all stores whose deliveries have to go. */
    listDeleted: (limit: number) => deleted.all(BigInt(limit)),
    removeDeleted: (storeId: string, id: string): void => void remove.run(storeId, id),
  }
}

const read = (row: StoredRow): WebhookRow => ({
  ...row,
  events: JSON.parse(row.events) as WebhookEvent[],
  enabled: row.enabled === 1,
})

const written = (row: WebhookRow): StoredRow => ({
  ...row,
  events: JSON.stringify(row.events),
  enabled: row.enabled ? 1 : 0,
})
