import { createBackoff } from '../../../core/backoff.ts'
import { HOUR_MS } from '../../../core/clock.ts'
import type { Db } from '../../../platform/db/open.ts'

/** What a thumbnail is known by: the same content has one thumbnail in a store. */
export interface PictureContent {
  contentHash: Buffer
  /** The content hash is a client's word, so its thumbnail is never that of a picture that the service has read. */
  isPrecomputed?: boolean | undefined
}

/** A picture without a thumbnail, for which there are tries left. */
export interface WaitingPicture {
  id: number
  imageUrl: string
  contentHash: Buffer
  isPrecomputed: boolean
}

/** Tries to make the thumbnail of a picture; the column holds how many are left, below zero. */
const TRIES = 3
/** Days of tries after these, where it was the network that failed. */
const OUTAGE_DAYS = 30
/** Hours before each of them. */
const outageBackoff = createBackoff({ first: 2, factor: 2, longest: 24 })
/** The waits that are shorter than the longest one. */
const GROWING = 4
/** The state of the first of these tries, and that of the last. */
const OUTAGE = -TRIES - 1
const OUTAGE_END = OUTAGE - GROWING - OUTAGE_DAYS

/** Whether a picture is tried in this hour. Its row decides which hours are its own, so pictures that failed together do not come back together. */
const IS_DUE = `(thumbnail > ${OUTAGE} OR (@hour + id) % CASE thumbnail
  ${Array.from({ length: GROWING }, (_, n) => `WHEN ${OUTAGE - n} THEN ${outageBackoff(n)}`).join(' ')}
  ELSE ${outageBackoff(GROWING)} END = 0)`

/** Sorts after every id of a store. */
const LAST = '\u{10ffff}'

export type ThumbnailQueries = ReturnType<typeof thumbnailQueries>

/** All SQL about thumbnails. A trigger counts their bytes. No call opens a transaction. */
export function thumbnailQueries(db: Db) {
  const add = db.prepare(`
    INSERT OR IGNORE INTO thumbnails (store_id, content_hash, hash, webp) VALUES (@storeId, @contentHash, @hash, @webp)`)
  const has = db.prepare<[Buffer], { found: 1 }>('SELECT 1 AS found FROM thumbnails WHERE hash = ?')
  const drop = db.prepare('DELETE FROM thumbnails WHERE hash = ?')
  const content = db.prepare<[Buffer], { storeId: string; webp: Buffer }>(
    'SELECT store_id AS storeId, webp FROM thumbnails WHERE hash = ?',
  )
  const user = db.prepare<[string, Buffer, bigint], { found: 1 }>(`
    SELECT 1 AS found FROM pictures INDEXED BY pictures_content
    WHERE store_id = ? AND content_hash = ? AND is_given = ? AND thumbnail = 1 LIMIT 1`)
  const mark = db.prepare('UPDATE pictures SET thumbnail = ? WHERE id = ? AND thumbnail < 0')
  const failed = db.prepare(`
    UPDATE pictures SET thumbnail = CASE WHEN thumbnail > ${OUTAGE} THEN thumbnail + 1 ELSE 0 END
    WHERE id = ? AND thumbnail < 0`)
  const cutOff = db.prepare(`
    UPDATE pictures SET thumbnail = CASE WHEN thumbnail = -1 THEN ${OUTAGE} WHEN thumbnail > ${OUTAGE} THEN thumbnail + 1
      WHEN thumbnail > ${OUTAGE_END} THEN thumbnail - 1 ELSE 0 END
    WHERE id = ? AND thumbnail < 0`)
  const nextStore = db
    .prepare<[string], string | null>(
      'SELECT min(store_id) FROM pictures INDEXED BY pictures_without_thumbnail WHERE thumbnail < 0 AND store_id > ?',
    )
    .pluck()
  const waiting = db.prepare<
    { storeId: string; after: bigint; hour: bigint; limit: bigint },
    Omit<WaitingPicture, 'isPrecomputed'> & { given: number }
  >(`
    SELECT id, image_url AS imageUrl, content_hash AS contentHash, is_given AS given
    FROM pictures INDEXED BY pictures_without_thumbnail
    WHERE store_id = @storeId AND thumbnail < 0 AND id > @after AND ${IS_DUE} ORDER BY id LIMIT @limit`)
  const unwanted = db
    .prepare<[], string>(`
    SELECT store_id FROM store_settings INDEXED BY store_settings_without_thumbnails CROSS JOIN stores ON stores.id = store_id
    WHERE json_extract(settings, '$.thumbnails') = 0 AND thumbnail_bytes > 0`)
    .pluck()
  const some = db.prepare<[string, bigint], { id: number; contentHash: Buffer }>(
    'SELECT id, content_hash AS contentHash FROM thumbnails INDEXED BY thumbnails_store WHERE store_id = ? LIMIT ?',
  )
  const dropRow = db.prepare('DELETE FROM thumbnails WHERE id = ?')
  const unmark = db.prepare(`
    UPDATE pictures INDEXED BY pictures_content SET thumbnail = -${TRIES}
    WHERE store_id = ? AND content_hash = ? AND thumbnail = 1`)
  const first = db.prepare<
    { storeId: string; ids: string },
    { productId: string; id: number; contentHash: Buffer; given: number }
  >(`
    SELECT product_id AS productId, pictures.id, content_hash AS contentHash, is_given AS given
    FROM json_each(@ids) AS wanted CROSS JOIN products ON products.store_id = @storeId AND product_id = wanted.value
      JOIN pictures ON pictures.product = products.id AND position = 0 AND thumbnail = 1`)
  const ofPicture = db.prepare<[bigint], { contentHash: Buffer; given: number }>(
    'SELECT content_hash AS contentHash, is_given AS given FROM pictures WHERE id = ?',
  )

  return {
    /** The state of a new picture without a thumbnail. */
    waitingState: -TRIES,

    /** Keeps a thumbnail, unless it is there. */
    add: (storeId: string, contentHash: Buffer, hash: Buffer, webp: Uint8Array): void =>
      void add.run({ storeId, contentHash, hash, webp }),
    has: (hash: Buffer): boolean => has.get(hash) !== undefined,
    drop: (hash: Buffer): void => void drop.run(hash),
    find: (hash: Buffer): { storeId: string; webp: Buffer } | undefined => content.get(hash),
    /** Whether a picture of the store has the thumbnail of this content. */
    isUsed: (storeId: string, { contentHash, isPrecomputed }: PictureContent): boolean =>
      user.get(storeId, contentHash, isPrecomputed ? 1n : 0n) !== undefined,

    /** The first pictures of some products, by product id, without those that have no thumbnail. */
    findFirst: (
      storeId: string,
      productIds: readonly string[],
    ): Map<string, PictureContent & { id: number }> =>
      new Map(
        first
          .all({ storeId, ids: JSON.stringify(productIds) })
          .map(({ productId, id, contentHash, given }) => [
            productId,
            { id, contentHash, isPrecomputed: given === 1 },
          ]),
      ),
    findContent(pictureId: number): PictureContent | undefined {
      const row = ofPicture.get(BigInt(pictureId))
      return row && { contentHash: row.contentHash, isPrecomputed: row.given === 1 }
    },

    /** Some stores after one with pictures that wait for a thumbnail, each by one seek. */
    listStores(after: string, limit: number): string[] {
      const stores: string[] = []
      for (let id = nextStore.get(after); typeof id === 'string' && id < LAST; id = nextStore.get(id)) {
        stores.push(id)
        if (stores.length === limit) break
      }
      return stores
    },
    /** Pictures of a store that wait for a thumbnail, and whose turn it is. @param after goes on behind this row. */
    listWaiting: (storeId: string, after: number, limit: number, now: number): WaitingPicture[] =>
      waiting
        .all({
          ...{ storeId, after: BigInt(after), limit: BigInt(limit) },
          hour: BigInt(Math.floor(now / HOUR_MS)),
        })
        .map(({ given, ...picture }) => ({ ...picture, isPrecomputed: given === 1 })),
    /** Notes that a picture which waited has its thumbnail. @returns false if it is gone or waits no longer. */
    noteMade: (pictureId: number): boolean => mark.run(1n, BigInt(pictureId)).changes > 0,
    /** Takes one of the tries of a picture. */
    noteFailed: (pictureId: number): void => void failed.run(BigInt(pictureId)),
    /** The same where the network has failed: further tries follow the last one, each later, for a month. */
    noteCutOff: (pictureId: number): void => void cutOff.run(BigInt(pictureId)),

    /** Stores that want no thumbnails and still have some. */
    listUnwanting: (): string[] => unwanted.all(),
    /** Deletes some thumbnails of a store; their pictures wait again. Several statements. @returns the number of them. */
    removeSome(storeId: string, limit: number): number {
      const rows = some.all(storeId, BigInt(limit))
      for (const { id, contentHash } of rows) {
        dropRow.run(BigInt(id))
        unmark.run(storeId, contentHash)
      }
      return rows.length
    },
  }
}
