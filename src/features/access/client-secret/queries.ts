import type { Db } from '../../../platform/db/open.ts'

export type ClientSecretQueries = ReturnType<typeof clientSecretQueries>

/** All SQL about a store's own secret. */
export function clientSecretQueries(db: Db) {
  const rotate = db.prepare(`
    UPDATE stores SET client_secret_hash = @hash, secret_generation = secret_generation + 1, kept_jti = @keptJti
    WHERE id = @storeId`)
  const hash = db.prepare<[storeId: string], { hash: Buffer }>(
    'SELECT client_secret_hash AS hash FROM stores WHERE id = ?',
  )
  return {
    hashOf: (storeId: string): Buffer | undefined => hash.get(storeId)?.hash,
    /** @param keptJti the one token of an older secret that stays; null for none. */
    rotate: (storeId: string, hash: Buffer, keptJti: string | null): void =>
      void rotate.run({ storeId, hash, keptJti }),
  }
}
