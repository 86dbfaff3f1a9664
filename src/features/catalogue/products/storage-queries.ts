import type { Db } from '../../../platform/db/open.ts'

/** A kept picture that no product uses any more. Its row is gone, and its file may go. */
export interface DoomedPicture {
  address: string
  contentHash: Buffer
}

interface Dropped {
  doomed: DoomedPicture[]
  isMore: boolean
}

interface Released extends DoomedPicture {
  /** Unix ms; null when the row is gone. */
  keptAt: number | null
  isUsed: number
}

export type StorageQueries = ReturnType<typeof storageQueries>

/**
 * All SQL about the space that kept pictures take. Triggers keep the counts, and note the pictures that products release.
 * No call opens a transaction.
 */
export function storageQueries(db: Db) {
  const isKeptBy = db.prepare<[string, Buffer], { found: 1 }>(
    'SELECT 1 AS found FROM kept_pictures WHERE store_id = ? AND content_hash = ?',
  )
  const freed = db.prepare<Record<string, unknown>, { bytes: number }>(`
    WITH leaving AS (SELECT value AS id FROM json_each(@pictureIds))
    SELECT coalesce(sum(bytes), 0) AS bytes FROM kept_pictures AS kept
    WHERE kept.address IN (SELECT substr(image_url, 11) FROM pictures WHERE id IN leaving AND store_id = @storeId)
      AND NOT EXISTS (SELECT 1 FROM pictures AS other WHERE other.store_id = kept.store_id
        AND other.content_hash = kept.content_hash AND other.image_url = '/pictures/' || kept.address
        AND other.id NOT IN leaving)`)
  const note = db.prepare(`
    UPDATE released_pictures SET seen_at = @now WHERE address IN (
      SELECT address FROM released_pictures WHERE seen_at IS NULL OR seen_at > @now LIMIT @limit)`)
  const released = db.prepare<[bigint, bigint], Released>(`
    SELECT released.address, released.content_hash AS contentHash, kept.created_at AS keptAt, EXISTS (
      SELECT 1 FROM pictures WHERE pictures.store_id = kept.store_id
        AND pictures.content_hash = kept.content_hash
        AND pictures.image_url = '/pictures/' || kept.address) AS isUsed
    FROM released_pictures AS released LEFT JOIN kept_pictures AS kept USING (address)
    WHERE seen_at <= ? ORDER BY seen_at LIMIT ?`)
  const forget = db.prepare('DELETE FROM released_pictures WHERE address = ?')
  const postpone = db.prepare('UPDATE released_pictures SET seen_at = ? WHERE address = ?')
  // A clock that was set back must not keep a picture forever.
  const notLater = db.prepare('UPDATE kept_pictures SET created_at = min(created_at, ?) WHERE address = ?')
  const drop = db.prepare('DELETE FROM kept_pictures WHERE address = ?')

  return {
    isKeptBy: (storeId: string, contentHash: Buffer): boolean =>
      isKeptBy.get(storeId, contentHash) !== undefined,
    /** Bytes of the kept pictures that no product uses once these pictures of products are gone. */
    countFreedBytes: (storeId: string, pictureIds: readonly number[]): number =>
      freed.get({ storeId, pictureIds: JSON.stringify(pictureIds) })?.bytes ?? 0,

    /** Starts the grace period of pictures released since the last call. @returns their number. */
    noteReleased: (now: number, limit: number): number =>
      note.run({ now: BigInt(now), limit: BigInt(limit) }).changes,
    /**
     * Checks some pictures that were released before a moment, and drops the rows of those that neither a product nor a
     * request has used since. Several statements: to be called inside a transaction.
     *
     * @returns the pictures whose files may go, and whether there may be more.
     */
    dropReleased(before: number, now: number, limit: number): Dropped {
      const rows = released.all(BigInt(before), BigInt(limit))
      const doomed: DoomedPicture[] = []
      for (const { address, contentHash, keptAt, isUsed } of rows) {
        if (isUsed) {
          forget.run(address)
        } else if (keptAt !== null && keptAt > before) {
          notLater.run(BigInt(now), address)
          postpone.run(BigInt(now), address)
        } else {
          drop.run(address)
          doomed.push({ address, contentHash })
        }
      }
      return { doomed, isMore: rows.length === limit }
    },
    /** Forgets a picture whose file is gone. */
    forgetReleased: (address: string): void => void forget.run(address),
    /** Starts the time again of a picture whose file could not be deleted. */
    postponeReleased: (address: string, now: number): void => void postpone.run(BigInt(now), address),
  }
}
