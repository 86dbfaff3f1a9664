import type { Db } from '../../platform/db/open.ts'

export interface PublicKeyRow {
  id: string
  storeId: string
  name: string
  keyHash: Buffer
  prefix: string
  origins: string[]
  createdAt: number
}

export type SecurityQueries = ReturnType<typeof securityQueries>

/** All SQL about widget keys. */
export function securityQueries(db: Db) {
  const insert = db.prepare(`
    INSERT INTO public_keys (id, store_id, name, key_hash, prefix, origins, created_at)
    VALUES (@id, @storeId, @name, @keyHash, @prefix, @origins, @createdAt)`)
  return {
    addPublicKey: (row: PublicKeyRow): void =>
      void insert.run({ ...row, origins: JSON.stringify(row.origins) }),
  }
}
