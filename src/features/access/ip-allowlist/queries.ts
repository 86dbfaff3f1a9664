import type { Db } from '../../../platform/db/open.ts'

export interface IpEntryRow {
  id: string
  storeId: string
  /** Canonical block of addresses, such as `10.1.0.0/16`. */
  network: string
  description: string
  /** Unix ms. */
  createdAt: number
  /** Id of the user; null for a machine grant. */
  createdBy: string | null
}

export type IpAllowlistQueries = ReturnType<typeof ipAllowlistQueries>

/** All SQL about the IP lists of stores. */
export function ipAllowlistQueries(db: Db) {
  const byStore = db.prepare<[storeId: string], IpEntryRow>(`
    SELECT id, store_id AS storeId, cidr AS network, description, created_at AS createdAt, created_by AS createdBy
    FROM ip_entries WHERE store_id = ? ORDER BY id`)
  const count = db.prepare<[storeId: string], { entries: number }>(
    'SELECT count(*) AS entries FROM ip_entries WHERE store_id = ?',
  )
  const signIns = db
    .prepare<[storeId: string, since: bigint], string>(`
      SELECT DISTINCT sign_in_addresses.address FROM memberships
      JOIN sign_in_addresses ON sign_in_addresses.user_id = memberships.user_id
      WHERE memberships.store_id = ? AND memberships.role IN ('owner', 'admin') AND sign_in_addresses.last_at > ?
      LIMIT 5000`)
    .pluck()
  const insert = db.prepare(`
    INSERT INTO ip_entries (id, store_id, cidr, description, created_at, created_by)
    VALUES (@id, @storeId, @network, @description, @createdAt, @createdBy)`)
  const remove = db.prepare('DELETE FROM ip_entries WHERE id = ?')
  const clear = db.prepare('DELETE FROM ip_entries WHERE store_id = ?')

  return {
    /** Oldest first. */
    listByStore: (storeId: string): IpEntryRow[] => byStore.all(storeId),
    /** Addresses that owners and admins of a store have signed in from since a moment. */
    listSignInAddresses: (storeId: string, since: number): string[] => signIns.all(storeId, BigInt(since)),
    count: (storeId: string): number => count.get(storeId)?.entries ?? 0,
    add: (row: IpEntryRow): void => void insert.run(row),
    remove: (id: string): void => void remove.run(id),
    /** @returns the number of deleted entries. */
    clear: (storeId: string): number => clear.run(storeId).changes,
  }
}
