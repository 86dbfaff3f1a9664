import type { Permission } from '../../core/actor.ts'
import type { Db } from '../../platform/db/open.ts'

/** Times are Unix ms. */
export interface ApiKeyRow {
  id: string
  storeId: string
  name: string
  keyHash: Buffer
  prefix: string
  scopes: Permission[]
  createdAt: number
  /** Id of the user; null for a machine grant. */
  createdBy: string | null
  /** null for ever. */
  lifetimeDays: number | null
  expiresAt: number | null
  lastUsedAt: number | null
  lastUsedIp: string | null
  rotatedAt: number | null
  /** The key before the last rotation, accepted until {@link previousExpiresAt}. */
  previousKeyHash: Buffer | null
  previousExpiresAt: number | null
}

type StoredRow = Omit<ApiKeyRow, 'scopes'> & { scopes: string }

/** Keys of a store that still work, by how they fare. */
export interface ApiKeyCounts {
  active: number
  expiring: number
  unused: number
}

export type ApiKeyQueries = ReturnType<typeof apiKeyQueries>

const COLUMNS = `
  id, store_id AS storeId, name, key_hash AS keyHash, prefix, scopes, created_at AS createdAt, created_by AS createdBy,
  lifetime_days AS lifetimeDays, expires_at AS expiresAt, last_used_at AS lastUsedAt, last_used_ip AS lastUsedIp,
  rotated_at AS rotatedAt, previous_key_hash AS previousKeyHash, previous_expires_at AS previousExpiresAt`

/** All SQL about API keys. */
export function apiKeyQueries(db: Db) {
  const ofStore = db.prepare<[storeId: string], StoredRow>(
    `SELECT ${COLUMNS} FROM api_keys WHERE store_id = ? ORDER BY id`,
  )
  const byId = db.prepare<[storeId: string, id: string], StoredRow>(
    `SELECT ${COLUMNS} FROM api_keys WHERE store_id = ? AND id = ?`,
  )
  const byHash = db.prepare<{ hash: Buffer }, StoredRow>(
    `SELECT ${COLUMNS} FROM api_keys WHERE key_hash = @hash OR previous_key_hash = @hash`,
  )
  const count = db.prepare<[storeId: string], { keys: number }>(
    'SELECT count(*) AS keys FROM api_keys WHERE store_id = ?',
  )
  const counts = db.prepare<
    { storeId: string; now: number; expiresBefore: number; usedBefore: number },
    ApiKeyCounts
  >(`
    SELECT count(*) AS active,
      count(*) FILTER (WHERE expires_at <= @expiresBefore) AS expiring,
      count(*) FILTER (WHERE coalesce(last_used_at, created_at) <= @usedBefore) AS unused
    FROM api_keys WHERE store_id = @storeId AND (expires_at IS NULL OR expires_at > @now)`)
  const insert = db.prepare(`
    INSERT INTO api_keys
      (id, store_id, name, key_hash, prefix, scopes, created_at, created_by, lifetime_days, expires_at)
    VALUES (@id, @storeId, @name, @keyHash, @prefix, @scopes, @createdAt, @createdBy, @lifetimeDays, @expiresAt)`)
  const update = db.prepare(`
    UPDATE api_keys SET name = @name, scopes = @scopes, lifetime_days = @lifetimeDays, expires_at = @expiresAt
    WHERE id = @id`)
  const replace = db.prepare(`
    UPDATE api_keys SET key_hash = @keyHash, prefix = @prefix, expires_at = @expiresAt, rotated_at = @rotatedAt,
      previous_key_hash = @previousKeyHash, previous_expires_at = @previousExpiresAt
    WHERE id = @id`)
  const remove = db.prepare('DELETE FROM api_keys WHERE id = ?')
  const lastUse = db.prepare<[id: string], { at: number | null }>(
    'SELECT last_used_at AS at FROM api_keys WHERE id = ?',
  )
  const touch = db.prepare('UPDATE api_keys SET last_used_at = @at, last_used_ip = @address WHERE id = @id')

  return {
    /** Oldest first. */
    ofStore: (storeId: string): ApiKeyRow[] => ofStore.all(storeId).map(read),
    byId: (storeId: string, id: string) => optional(byId.get(storeId, id)),
    /** @param hash of the key's present value or of the one before. */
    byHash: (hash: Buffer) => optional(byHash.get({ hash })),
    count: (storeId: string): number => count.get(storeId)?.keys ?? 0,
    /** Of the keys that have not expired at `now`. */
    counts: (of: { storeId: string; now: number; expiresBefore: number; usedBefore: number }) =>
      counts.get(of) as ApiKeyCounts,
    add: (row: ApiKeyRow): void => void insert.run(written(row)),
    /** Writes name, scopes and lifetime. */
    update: (row: ApiKeyRow): void => void update.run(written(row)),
    /** Writes the new value and what becomes of the one before. */
    replace: (row: ApiKeyRow): void => void replace.run(written(row)),
    remove: (id: string): void => void remove.run(id),
    lastUsedAt: (id: string): number | null | undefined => lastUse.get(id)?.at,
    touch: (id: string, address: string, at: number): void => void touch.run({ id, address, at }),
  }
}

const read = (row: StoredRow): ApiKeyRow => ({ ...row, scopes: JSON.parse(row.scopes) as Permission[] })

const optional = (row: StoredRow | undefined) => row && read(row)

const written = (row: ApiKeyRow): StoredRow => ({ ...row, scopes: JSON.stringify(row.scopes) })
