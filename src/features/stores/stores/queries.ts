import type { CallerStore } from '../../../core/actor.ts'
import type { PlanName } from '../../../core/plans.ts'
import type { Db } from '../../../platform/db/open.ts'
import { storeMoveQueries } from './move-queries.ts'

export interface StoreRow extends CallerStore {
  /** SHA-256. */
  clientSecretHash: Buffer
  /** Increases by one with each new secret. */
  secretGeneration: number
  /** The one token of an older secret that stays valid: the one that requested the new secret. */
  keptJti: string | null
}

export interface NewStore extends Omit<CallerStore, 'suspendedAt'> {
  clientSecretHash: Buffer
  /** Unix ms. */
  createdAt: number
}

/** A store with its suspension and its planned deletion. Times are Unix ms. */
export interface StoreState extends CallerStore {
  suspendedReason: string | null
  /** When it is deleted for good; null if that is not planned. */
  deleteAt: number | null
  /** The person who planned the deletion; null for the operator at the command line. */
  deleteAskedBy: string | null
}

/** A store whose rows are being deleted. No other query finds it. */
export interface ErasedStore {
  id: string
  name: string
  deleteAskedBy: string | null
}

export type StoreQueries = ReturnType<typeof storeQueries>

const STORES = `SELECT id, slug, name, plan, suspended_at AS suspendedAt, client_secret_hash AS clientSecretHash,
  secret_generation AS secretGeneration, kept_jti AS keptJti FROM stores WHERE erasing_at IS NULL`

const STATES = `SELECT id, slug, name, plan, suspended_at AS suspendedAt, suspended_reason AS suspendedReason,
  delete_at AS deleteAt, delete_asked_by AS deleteAskedBy FROM stores WHERE erasing_at IS NULL`

/** All SQL that writes stores. A store that is being deleted for good is found by the statements about that alone. */
export function storeQueries(db: Db) {
  const byId = db.prepare<[id: string], StoreRow>(`${STORES} AND id = ?`)
  const bySlug = db.prepare<[slug: string], StoreRow>(`${STORES} AND slug = ?`)
  const all = db.prepare<[], StoreRow>(`${STORES} ORDER BY slug`)
  const any = db.prepare<[], { id: string }>('SELECT id FROM stores LIMIT 1')
  const keptBytes = db.prepare<[id: string], { bytes: number }>(
    'SELECT kept_bytes + thumbnail_bytes AS bytes FROM stores WHERE id = ?',
  )
  const productCount = db.prepare<[id: string], { products: number }>(
    'SELECT product_count AS products FROM stores WHERE id = ?',
  )
  const insert = db.prepare(`
    INSERT INTO stores (id, slug, name, plan, client_secret_hash, created_at, secret_made_at)
    VALUES (@id, @slug, @name, @plan, @clientSecretHash, @createdAt, @createdAt)`)
  const setPlan = db.prepare('UPDATE stores SET plan = ? WHERE id = ?')
  const rename = db.prepare('UPDATE stores SET name = ? WHERE id = ? AND erasing_at IS NULL')
  const replaceSecret = db.prepare(`
    UPDATE stores SET client_secret_hash = @hash, secret_generation = secret_generation + 1, kept_jti = @keptJti,
      secret_made_at = @now, secret_used_at = NULL
    WHERE id = @storeId`)
  const secretTimes = db.prepare<[id: string], { madeAt: number | null; usedAt: number | null }>(
    'SELECT secret_made_at AS madeAt, secret_used_at AS usedAt FROM stores WHERE id = ?',
  )
  const touchSecret = db.prepare<{ storeId: string; at: number }>(
    'UPDATE stores SET secret_used_at = @at WHERE id = @storeId AND coalesce(secret_made_at, 0) <= @at',
  )

  const state = db.prepare<[id: string], StoreState>(`${STATES} AND id = ?`)
  const states = db.prepare<[], StoreState>(`${STATES} ORDER BY slug`)
  const suspended = db
    .prepare<[], string>('SELECT id FROM stores WHERE suspended_at IS NOT NULL AND erasing_at IS NULL')
    .pluck()
  const dueForDeletion = db.prepare<[now: bigint], StoreState>(
    `${STATES} AND suspended_at IS NOT NULL AND delete_at <= ? ORDER BY delete_at`,
  )
  const setState = db.prepare(`
    UPDATE stores SET suspended_at = @suspendedAt, suspended_reason = @suspendedReason, delete_at = @deleteAt,
      delete_asked_by = @deleteAskedBy
    WHERE id = @id AND erasing_at IS NULL`)
  // Its slug becomes free for another store; no slug looks like an id.
  const beginErasing = db.prepare(
    'UPDATE stores SET erasing_at = ?, slug = id WHERE id = ? AND erasing_at IS NULL',
  )
  // One that is arriving is hidden in the same way, and is deleted only if its import has died.
  const erasing = db.prepare<[now: bigint], ErasedStore>(
    `SELECT id, name, delete_asked_by AS deleteAskedBy FROM stores
    WHERE suspended_at IS NOT NULL AND erasing_at IS NOT NULL AND move_state IS NOT 'moved' AND NOT EXISTS (
      SELECT 1 FROM store_arrivals WHERE store_id = stores.id AND (is_whole = 1 OR leased_until > ?))
    ORDER BY erasing_at`,
  )
  const hide = db.prepare(
    'UPDATE stores SET suspended_at = @now, erasing_at = @now, slug = id WHERE id = @id',
  )
  // Its slug and its address stay as they are until it is open.
  const arriveAgain = db.prepare(`
    UPDATE stores SET name = @name, plan = @plan, client_secret_hash = @clientSecretHash, created_at = @createdAt
    WHERE id = @id AND move_state = 'moved'`)
  const unhide = db.prepare(`
    UPDATE stores SET suspended_at = NULL, erasing_at = NULL, slug = @slug
    WHERE id = @id AND move_state IS NOT 'moved' AND erasing_at IS NOT NULL
      AND EXISTS (SELECT 1 FROM store_arrivals WHERE store_id = stores.id AND is_whole = 1)`)
  const remove = db.prepare('DELETE FROM stores WHERE id = ? AND erasing_at IS NOT NULL')

  return {
    ...storeMoveQueries(db),
    /** Finds a store with its suspension and its planned deletion. */
    findState: (id: string): StoreState | undefined => state.get(id),
    /** Lists all stores, sorted by slug. */
    listStates: (): StoreState[] => states.all(),
    listSuspendedIds: (): string[] => suspended.all(),
    setState: ({
      id,
      suspendedAt,
      suspendedReason,
      deleteAt,
      deleteAskedBy,
    }: Pick<StoreState, 'id' | 'suspendedAt' | 'suspendedReason' | 'deleteAt' | 'deleteAskedBy'>): void =>
      void setState.run({ id, suspendedAt, suspendedReason, deleteAt, deleteAskedBy }),
    /** Lists the stores whose time is over. */
    listDueForDeletion: (now: number): StoreState[] => dueForDeletion.all(BigInt(now)),
    /** Hides the store from every query. */
    beginErasing: (id: string, now: number): void => void beginErasing.run(BigInt(now), id),
    /** Lists the stores whose rows are being deleted. */
    listErasing: (now: number): ErasedStore[] => erasing.all(BigInt(now)),
    /**
     * Adds a store that no query finds until {@link StoreQueries.openArrived}: its other rows are still to come. One that has
     * moved away from here takes its old row, which says where it is until it is open.
     */
    addArriving(store: NewStore): void {
      if (arriveAgain.run(store).changes > 0) return
      insert.run(store)
      hide.run({ id: store.id, now: BigInt(store.createdAt) })
    },
    /** Shows a store whose rows are all there. @returns false if it has no arrival that is whole. */
    openArrived: (id: string, slug: string): boolean => unhide.run({ id, slug }).changes > 0,
    /** Deletes the row of a store whose other rows are gone. */
    removeErased: (id: string): void => void remove.run(id),

    findStore: (id: string): StoreRow | undefined => byId.get(id),
    findStoreBySlug: (slug: string): StoreRow | undefined => bySlug.get(slug),
    hasStore: (): boolean => any.get() !== undefined,
    /** Lists all stores, sorted by slug. */
    listStores: (): StoreRow[] => all.all(),
    /**
     * Reads the size of all pictures that a store keeps, in constant time, because triggers count them. The number changes
     * while pictures are being saved, so it is not part of the row.
     */
    readStoredBytes: (storeId: string): number => keptBytes.get(storeId)?.bytes ?? 0,
    /** Counts a store's products in constant time: triggers keep the number within each write. */
    countProducts: (storeId: string): number => productCount.get(storeId)?.products ?? 0,

    addStore: (store: NewStore): void => void insert.run(store),
    rename: (storeId: string, name: string): void => void rename.run(name, storeId),
    setPlan: (storeId: string, plan: PlanName): void => void setPlan.run(plan, storeId),
    /**
     * Replaces the client secret, which ends the tokens created with the old one.
     *
     * @param keptJti the one token of an older secret that stays valid; null for none.
     */
    replaceClientSecret: (storeId: string, hash: Buffer, keptJti: string | null, now: number): void =>
      void replaceSecret.run({ storeId, hash, keptJti, now }),
    /** When the present secret was made and last used, in Unix ms; null for what no version has noted. */
    findSecretTimes: (storeId: string) => secretTimes.get(storeId),
    touchClientSecret: (storeId: string, at: number): void => void touchSecret.run({ storeId, at }),
  }
}
