import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Db } from '../../src/platform/db/open.ts'

const FAULTS = {
  'product without picture':
    'SELECT product_id AS what FROM products WHERE id NOT IN (SELECT product FROM pictures)',
  'picture without vector': 'SELECT id AS what FROM pictures WHERE id NOT IN (SELECT rowid FROM vectors_1)',
  'vector without picture':
    'SELECT rowid AS what FROM vectors_1 WHERE rowid NOT IN (SELECT id FROM pictures)',
  'vector of another store': `SELECT pictures.id AS what FROM pictures JOIN vectors_1 ON vectors_1.rowid = pictures.id
     WHERE vectors_1.store_id <> pictures.store_id`,
  'uploaded picture that is not kept': `SELECT image_url AS what FROM pictures WHERE image_url LIKE '/pictures/%'
     AND NOT EXISTS (SELECT 1 FROM kept_pictures WHERE '/pictures/' || address = image_url
       AND kept_pictures.store_id = pictures.store_id AND kept_pictures.content_hash = pictures.content_hash)`,
  'first picture that is not the picture of the product': `SELECT product_id AS what FROM products JOIN pictures
     ON pictures.product = products.id AND position = 0 WHERE pictures.image_url <> products.image_url`,
  'pictures with gaps in their order': `SELECT product AS what FROM pictures GROUP BY product
     HAVING min(position) <> 0 OR max(position) <> count(*) - 1`,
  'store with a wrong count of thumbnail bytes': `SELECT id AS what FROM stores WHERE thumbnail_bytes <>
    (SELECT coalesce(sum(length(webp)), 0) FROM thumbnails WHERE store_id = stores.id) +
    (SELECT coalesce(sum(length(thumbnail)), 0) FROM unmet_searches WHERE store_id = stores.id)`,
  'thumbnail that no picture has': `SELECT hex(hash) AS what FROM thumbnails WHERE NOT EXISTS (
    SELECT 1 FROM pictures WHERE pictures.store_id = thumbnails.store_id
      AND pictures.content_hash = thumbnails.content_hash AND pictures.thumbnail = 1)`,
  'store with a wrong count of kept bytes': `SELECT id AS what FROM stores WHERE kept_bytes <>
     (SELECT coalesce(sum(bytes), 0) FROM kept_pictures WHERE store_id = stores.id)`,
  'store whose products are counted wrongly': `SELECT id AS what FROM stores WHERE product_count <>
     (SELECT count(*) FROM products WHERE store_id = stores.id)`,
  'kept picture that no product uses and no sweep will delete': `SELECT address AS what FROM kept_pictures
     WHERE '/pictures/' || address NOT IN (SELECT image_url FROM pictures)
       AND address NOT IN (SELECT address FROM released_pictures)`,
} as const

/**
 * Finds the inconsistencies of an install, which no crash or fault may cause; an empty list for a sound install.
 *
 * @param picturesDir the folder of kept picture files.
 */
export function findFaults(db: Db, picturesDir: string): string[] {
  const integrity = db.pragma('integrity_check', { simple: true })
  const broken = db.pragma('foreign_key_check') as unknown[]
  return [
    ...(integrity === 'ok' ? [] : [`integrity_check: ${integrity}`]),
    ...broken.map((row) => `foreign_key_check: ${JSON.stringify(row)}`),
    ...Object.entries(FAULTS).flatMap(([fault, sql]) =>
      db
        .prepare<[], { what: unknown }>(sql)
        .all()
        .map(({ what }) => `${fault}: ${what}`),
    ),
    ...missingFiles(db, picturesDir),
  ]
}

/** Kept files that a product needs and that are missing, or whose bytes do not match their name. */
function missingFiles(db: Db, picturesDir: string): string[] {
  const needed = db
    .prepare<[], { hash: string }>(
      `SELECT DISTINCT lower(hex(content_hash)) AS hash FROM pictures WHERE image_url LIKE '/pictures/%'`,
    )
    .all()
  return needed.flatMap(({ hash }) => {
    const path = join(picturesDir, hash.slice(0, 2), hash)
    if (!existsSync(path)) return [`kept file is missing: ${hash}`]
    const digest = createHash('sha256').update(readFileSync(path)).digest('hex')
    return digest === hash ? [] : [`kept file is damaged: ${hash}`]
  })
}
