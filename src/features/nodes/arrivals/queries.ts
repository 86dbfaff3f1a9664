import type { Db } from '../../../platform/db/open.ts'

export type ArrivalState = 'arriving' | 'open' | 'abandoned'

export interface ArrivingMoveRow {
  id: string
  storeId: string
  tokenHash: Buffer
  slug: string
  fromUrl: string | null
  state: ArrivalState
  reembeds: 0 | 1
  lastBatch: number
  pictures: number
  /** Unix ms. */
  calledAt: number
}

/** A picture of a product, as the index takes it. */
export interface ArrivedPicture {
  product: number
  productId: string
  /** JSON. */
  metadata: string
  pictureId: number
  position: number
  /** JSON. */
  palette: string
}

export type ArrivalQueries = ReturnType<typeof arrivalQueries>

const COLUMNS = `id, store_id AS storeId, token_hash AS tokenHash, slug, from_url AS fromUrl, state, reembeds,
  last_batch AS lastBatch, pictures, called_at AS calledAt`

/** All SQL about stores that other nodes send. No call opens a transaction. */
export function arrivalQueries(db: Db) {
  const add = db.prepare(`
    INSERT INTO arriving_moves (id, store_id, token_hash, slug, from_url, state, reembeds, begun_at, called_at)
    VALUES (@id, @storeId, @tokenHash, @slug, @fromUrl, 'arriving', @reembeds, @now, @now)`)
  const find = db.prepare<[string], ArrivingMoveRow>(`SELECT ${COLUMNS} FROM arriving_moves WHERE id = ?`)
  const ofStore = db.prepare<[string], ArrivingMoveRow>(
    `SELECT ${COLUMNS} FROM arriving_moves WHERE store_id = ? AND state = 'arriving'`,
  )
  const ofSlug = db.prepare<[string], ArrivingMoveRow>(
    `SELECT ${COLUMNS} FROM arriving_moves WHERE slug = ? AND state = 'arriving'`,
  )
  const arriving = db.prepare<[], ArrivingMoveRow>(
    `SELECT ${COLUMNS} FROM arriving_moves WHERE state = 'arriving' ORDER BY begun_at`,
  )
  const advance = db.prepare(
    `UPDATE arriving_moves SET last_batch = @batch WHERE id = @id AND state = 'arriving' AND last_batch < @batch`,
  )
  const touch = db.prepare('UPDATE arriving_moves SET called_at = @now WHERE id = @id')
  const countPicture = db.prepare('UPDATE arriving_moves SET pictures = pictures + 1 WHERE id = ?')
  const end = db.prepare(
    `UPDATE arriving_moves SET state = @state, ended_at = @now WHERE id = @id AND state = 'arriving'`,
  )
  const uncleared = db.prepare<[], { id: string; storeId: string }>(
    "SELECT id, store_id AS storeId FROM arriving_moves WHERE state = 'abandoned' AND is_cleared = 0",
  )
  const setCleared = db.prepare('UPDATE arriving_moves SET is_cleared = 1 WHERE id = ?')
  const prune = db.prepare("DELETE FROM arriving_moves WHERE state <> 'arriving' AND ended_at < ?")
  const isKnown = db.prepare<[string], number>('SELECT 1 FROM stores WHERE id = ?').pluck()
  const isAwaited = db.prepare<[string], number>('SELECT 1 FROM store_arrivals WHERE slug = ?').pluck()
  const pictures = db.prepare<[string, string], ArrivedPicture>(`
    SELECT products.id AS product, products.product_id AS productId, metadata, pictures.id AS pictureId, position, palette
    FROM products JOIN pictures ON pictures.product = products.id
    WHERE products.store_id = ? AND products.product_id = ? ORDER BY position`)

  return {
    add: (
      row: Pick<ArrivingMoveRow, 'id' | 'storeId' | 'tokenHash' | 'slug' | 'fromUrl' | 'reembeds'>,
      now: number,
    ): void => void add.run({ ...row, reembeds: BigInt(row.reembeds), now: BigInt(now) }),
    find: (id: string): ArrivingMoveRow | undefined => find.get(id),
    findArriving: (storeId: string): ArrivingMoveRow | undefined => ofStore.get(storeId),
    findArrivingBySlug: (slug: string): ArrivingMoveRow | undefined => ofSlug.get(slug),
    listArriving: (): ArrivingMoveRow[] => arriving.all(),
    /** @returns false for one that is over. */
    advance: (id: string, batch: number): boolean => advance.run({ id, batch: BigInt(batch) }).changes > 0,
    touch: (id: string, now: number): void => void touch.run({ id, now: BigInt(now) }),
    countPicture: (id: string): void => void countPicture.run(id),
    /** @returns false for one that is over. */
    end: (id: string, state: 'open' | 'abandoned', now: number): boolean =>
      end.run({ id, state, now: BigInt(now) }).changes > 0,
    /** Those that were given up, and that something may be left of. */
    listUncleared: () => uncleared.all(),
    setCleared: (id: string): void => void setCleared.run(id),
    /** Forgets those that ended before a moment. */
    prune: (before: number): void => void prune.run(BigInt(before)),

    // What is here already.
    isKnownStore: (id: string): boolean => isKnown.get(id) !== undefined,
    isAwaitedSlug: (slug: string): boolean => isAwaited.get(slug) !== undefined,
    listPictures: (storeId: string, productId: string): ArrivedPicture[] => pictures.all(storeId, productId),
  }
}
