import type { CallerStore } from '../../../core/actor.ts'
import type { PlanName } from '../../../core/plans.ts'
import type { Db } from '../../../platform/db/open.ts'

export interface StoreRow extends CallerStore {
  /** SHA-256. */
  clientSecretHash: Buffer
  /** Increases by one with each new secret. */
  secretGeneration: number
  /** The one token of an older secret that stays valid: the one that requested the new secret. */
  keptJti: string | null
}

export interface NewStore extends CallerStore {
  clientSecretHash: Buffer
  /** Unix ms. */
  createdAt: number
}

export type StoreQueries = ReturnType<typeof storeQueries>

const STORES = `SELECT id, slug, name, plan, client_secret_hash AS clientSecretHash,
  secret_generation AS secretGeneration, kept_jti AS keptJti FROM stores`

/** All SQL that writes stores. */
export function storeQueries(db: Db) {
  const byId = db.prepare<[id: string], StoreRow>(`${STORES} WHERE id = ?`)
  const bySlug = db.prepare<[slug: string], StoreRow>(`${STORES} WHERE slug = ?`)
  const all = db.prepare<[], StoreRow>(`${STORES} ORDER BY slug`)
  const any = db.prepare<[], { id: string }>('SELECT id FROM stores LIMIT 1')
  const keptBytes = db.prepare<[id: string], { bytes: number }>(
    'SELECT kept_bytes AS bytes FROM stores WHERE id = ?',
  )
  const productCount = db.prepare<[id: string], { products: number }>(
    'SELECT product_count AS products FROM stores WHERE id = ?',
  )
  const insert = db.prepare(`
    INSERT INTO stores (id, slug, name, plan, client_secret_hash, created_at)
    VALUES (@id, @slug, @name, @plan, @clientSecretHash, @createdAt)`)
  const setPlan = db.prepare('UPDATE stores SET plan = ? WHERE id = ?')
  const replaceSecret = db.prepare(`
    UPDATE stores SET client_secret_hash = @hash, secret_generation = secret_generation + 1, kept_jti = @keptJti
    WHERE id = @storeId`)

  return {
    findStore: (id: string): StoreRow | undefined => byId.get(id),
    findStoreBySlug: (slug: string): StoreRow | undefined => bySlug.get(slug),
    hasStore: (): boolean => any.get() !== undefined,
    /** Lists all stores, sorted by slug. */
    listStores: (): StoreRow[] => all.all(),
    /**
     * Reads the size of all pictures that a store keeps, in constant time, because triggers count them. The number changes
     * while pictures are being saved, so it is not part of the row.
     */
    readKeptBytes: (storeId: string): number => keptBytes.get(storeId)?.bytes ?? 0,
    /** The number of a store's products, in constant time: triggers count them, within the write that changes it. */
    countProducts: (storeId: string): number => productCount.get(storeId)?.products ?? 0,

    addStore: (store: NewStore): void => void insert.run(store),
    setPlan: (storeId: string, plan: PlanName): void => void setPlan.run(plan, storeId),
    /**
     * Replaces the client secret, which ends the tokens created with the old one.
     *
     * @param keptJti the one token of an older secret that stays valid; null for none.
     */
    replaceClientSecret: (storeId: string, hash: Buffer, keptJti: string | null): void =>
      void replaceSecret.run({ storeId, hash, keptJti }),
  }
}
