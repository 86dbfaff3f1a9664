import type { Db } from '../../../platform/db/open.ts'

/** A picture that arrived as bytes, and whose file the service keeps. */
export interface KeptPicture {
  address: string
  storeId: string
  contentHash: Buffer
  contentType: string
  bytes: number
}

export type KeptPictureQueries = ReturnType<typeof keptPictureQueries>

/** All SQL that registers and finds kept pictures. Every call is one statement. */
export function keptPictureQueries(db: Db) {
  const add = db.prepare<Record<string, unknown>, { address: string }>(`
    INSERT INTO kept_pictures (address, store_id, content_hash, content_type, bytes, created_at)
    VALUES (@address, @storeId, @contentHash, @contentType, @bytes, @now)
    ON CONFLICT (store_id, content_hash) DO UPDATE SET created_at = excluded.created_at, bytes = excluded.bytes
    RETURNING address`)
  const at = db.prepare<[string], KeptPicture>(`
    SELECT address, store_id AS storeId, content_hash AS contentHash, content_type AS contentType, bytes
    FROM kept_pictures WHERE address = ?`)
  const retain = db.prepare('UPDATE kept_pictures SET created_at = ? WHERE address = ?')
  const ofContent = db.prepare<[Buffer], { found: 1 }>(
    'SELECT 1 AS found FROM kept_pictures WHERE content_hash = ? LIMIT 1',
  )

  return {
    /** Registers a picture that arrived as bytes, or finds it. @returns its address. */
    add(picture: KeptPicture & { now: number }): string {
      // Not `get`, which hides a commit that fails.
      const [row] = add.all({ ...picture })
      if (!row) throw new Error('an upsert always returns its row')
      return row.address
    },
    find: (address: string): KeptPicture | undefined => at.get(address),
    /** Starts the time again after which an unused picture is deleted; false when the picture is gone. */
    retain: (address: string, now: number): boolean => retain.run(BigInt(now), address).changes > 0,
    /** Whether any store keeps a picture of this content. */
    isKept: (contentHash: Buffer): boolean => ofContent.get(contentHash) !== undefined,
  }
}
