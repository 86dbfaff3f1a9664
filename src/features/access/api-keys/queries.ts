import type { CallerStore, Permission, Role } from '../../../core/actor.ts'
import type { Db } from '../../../platform/db/open.ts'

/** Times are Unix ms. */
export interface ApiKeyRow {
  id: string
  storeId: string
  name: string
  keyHash: Buffer
  prefix: string
  scopes: Permission[]
  createdAt: number
  /** Id of the user; null for a machine grant, or if the user was deleted. */
  createdBy: string | null
  isByMachine: boolean
  /** null: the key never expires. */
  lifetimeDays: number | null
  expiresAt: number | null
  lastUsedAt: number | null
  lastUsedIp: string | null
  rotatedAt: number | null
  /** The key before the last rotation, accepted until {@link previousExpiresAt}. */
  previousKeyHash: Buffer | null
  previousExpiresAt: number | null
}

/** The present rights of the person who created a key; a deleted person has none. */
export interface Maker {
  isSuperAdmin: boolean
  /** In the store of the key; null for someone who is not a member. */
  role: Role | null
  /** The permissions of each group of the store that the person is in. */
  groups: Permission[][]
}

/** A row, with the present rights of its maker. */
export interface ApiKeyWithMaker extends ApiKeyRow {
  maker: Maker
}

/** A key with the store that it opens. */
export interface ApiKeyWithStore extends ApiKeyWithMaker {
  store: CallerStore
}

type WrittenRow = Omit<ApiKeyRow, 'scopes' | 'isByMachine'> & { scopes: string; isByMachine: 0 | 1 }

type StoredRow = WrittenRow & { makerIsSuperAdmin: 0 | 1 | null; makerRole: Role | null; makerGroups: string }

/** Numbers of a store's keys that have not expired. */
export interface ApiKeyCounts {
  active: number
  expiring: number
  unused: number
}

export type ApiKeyQueries = ReturnType<typeof apiKeyQueries>

/**
 * The columns of a key and the present rights of its maker. A key must never do more than its maker may, so the rights
 * are never older than the last change of the database. Joins instead of the inner selects take ten times as long.
 */
const COLUMNS = `id, store_id AS storeId, name, key_hash AS keyHash, prefix, scopes, created_at AS createdAt,
    created_by AS createdBy, made_by_machine AS isByMachine, lifetime_days AS lifetimeDays, expires_at AS expiresAt,
    last_used_at AS lastUsedAt, last_used_ip AS lastUsedIp, rotated_at AS rotatedAt,
    previous_key_hash AS previousKeyHash, previous_expires_at AS previousExpiresAt,
    (SELECT is_super_admin FROM users WHERE users.id = created_by) AS makerIsSuperAdmin,
    (SELECT role FROM memberships WHERE user_id = created_by AND memberships.store_id = keys.store_id) AS makerRole,
    (SELECT json_group_array(json(permission_names))
      FROM user_group_members JOIN user_groups ON user_groups.id = group_id
      WHERE user_id = created_by AND user_groups.store_id = keys.store_id) AS makerGroups`

/** A store that is arriving or going has keys that nobody can use. */
const IS_SEEN = 'EXISTS (SELECT 1 FROM stores WHERE stores.id = keys.store_id AND erasing_at IS NULL)'

const KEYS = `SELECT ${COLUMNS} FROM api_keys AS keys`

/** All SQL about API keys. */
export function apiKeyQueries(db: Db) {
  const byStore = db.prepare<[storeId: string], StoredRow>(`${KEYS} WHERE store_id = ? ORDER BY id`)
  const byId = db.prepare<[storeId: string, id: string], StoredRow>(`${KEYS} WHERE store_id = ? AND id = ?`)
  const byHash = db.prepare<{ hash: Buffer }, StoredRow & { store: string }>(`
    SELECT ${COLUMNS}, (SELECT json_object('id', id, 'slug', slug, 'name', name, 'plan', plan, 'suspendedAt', suspended_at)
      FROM stores WHERE stores.id = keys.store_id) AS store
    FROM api_keys AS keys WHERE (key_hash = @hash OR previous_key_hash = @hash) AND ${IS_SEEN}`)
  const count = db.prepare<[storeId: string], { keys: number }>(
    'SELECT count(*) AS keys FROM api_keys WHERE store_id = ?',
  )
  const countsByState = db.prepare<
    { storeId: string; now: number; expiresBefore: number; usedBefore: number },
    ApiKeyCounts
  >(`
    SELECT count(*) AS active,
      count(*) FILTER (WHERE expires_at <= @expiresBefore) AS expiring,
      count(*) FILTER (WHERE coalesce(last_used_at, created_at) <= @usedBefore) AS unused
    FROM api_keys WHERE store_id = @storeId AND (expires_at IS NULL OR expires_at > @now)`)
  const formerMembers = db.prepare<[storeId: string, now: number], { keys: number }>(`
    SELECT count(*) AS keys FROM api_keys
    WHERE store_id = ? AND (expires_at IS NULL OR expires_at > ?) AND made_by_machine = 0
      AND NOT EXISTS (SELECT 1 FROM users WHERE id = created_by AND (is_super_admin = 1 OR EXISTS (
        SELECT 1 FROM memberships WHERE user_id = users.id AND memberships.store_id = api_keys.store_id)))`)
  const insert = db.prepare(`
    INSERT INTO api_keys
      (id, store_id, name, key_hash, prefix, scopes, created_at, created_by, made_by_machine, lifetime_days, expires_at)
    VALUES (@id, @storeId, @name, @keyHash, @prefix, @scopes, @createdAt, @createdBy, @isByMachine, @lifetimeDays,
      @expiresAt)`)
  const update = db.prepare(`
    UPDATE api_keys SET name = @name, scopes = @scopes, lifetime_days = @lifetimeDays, expires_at = @expiresAt
    WHERE id = @id`)
  const replace = db.prepare(`
    UPDATE api_keys SET key_hash = @keyHash, prefix = @prefix, expires_at = @expiresAt, rotated_at = @rotatedAt,
      previous_key_hash = @previousKeyHash, previous_expires_at = @previousExpiresAt
    WHERE id = @id`)
  const remove = db.prepare('DELETE FROM api_keys WHERE id = ?')
  const removeAll = db.prepare('DELETE FROM api_keys WHERE store_id = ?')
  const touch = db.prepare('UPDATE api_keys SET last_used_at = @at, last_used_ip = @address WHERE id = @id')

  return {
    /** Oldest first. */
    listByStore: (storeId: string): ApiKeyWithMaker[] => byStore.all(storeId).map(read),
    findById: (storeId: string, id: string) => optional(byId.get(storeId, id)),
    /** @param hash of the key's present or previous value. */
    findByHash(hash: Buffer): ApiKeyWithStore | undefined {
      const row = byHash.get({ hash })
      if (!row) return undefined
      const { store, ...key } = row
      return { ...read(key), store: JSON.parse(store) as CallerStore }
    },
    count: (storeId: string): number => count.get(storeId)?.keys ?? 0,
    /** Counts the keys that have not expired at `now`. */
    countByState: (of: { storeId: string; now: number; expiresBefore: number; usedBefore: number }) =>
      countsByState.get(of) as ApiKeyCounts,
    /** Counts the keys that have not expired at `now` and whose makers have left the store. */
    countByFormerMembers: (storeId: string, now: number): number =>
      formerMembers.get(storeId, now)?.keys ?? 0,
    add: (row: ApiKeyRow): void => void insert.run(written(row)),
    /** Writes name, scopes and lifetime. */
    update: (row: ApiKeyRow): void => void update.run(written(row)),
    /** Writes the new value, and the previous one with its expiry. */
    replace: (row: ApiKeyRow): void => void replace.run(written(row)),
    remove: (id: string): void => void remove.run(id),
    removeByStore: (storeId: string): void => void removeAll.run(storeId),
    touch: (id: string, address: string, at: number): void => void touch.run({ id, address, at }),
  }
}

const read = ({ makerIsSuperAdmin, makerRole, makerGroups, ...row }: StoredRow): ApiKeyWithMaker => ({
  ...row,
  scopes: JSON.parse(row.scopes) as Permission[],
  isByMachine: row.isByMachine === 1,
  maker: {
    isSuperAdmin: makerIsSuperAdmin === 1,
    role: makerRole,
    groups: JSON.parse(makerGroups) as Permission[][],
  },
})

const optional = (row: StoredRow | undefined) => row && read(row)

const written = (row: ApiKeyRow): WrittenRow => ({
  ...row,
  scopes: JSON.stringify(row.scopes),
  isByMachine: row.isByMachine ? 1 : 0,
})
