import { readdirSync } from 'node:fs'
import type { TestApp } from './app.ts'

/** Reads everything that a write may change, for comparison of two moments. */
export async function readState(app: TestApp, token: string) {
  const rows = (sql: string) => app.db.prepare(sql).all()
  const { body } = await app.call('POST', '/v1/search/text', {
    token,
    body: { query: 'anything', limit: 100, category_boost: 0, analytics: false },
  })
  return {
    products: rows(
      'SELECT store_id, product_id, image_url, metadata, is_demo, updated_at FROM products ORDER BY id',
    ),
    pictures: rows('SELECT id, product, position, image_url FROM pictures ORDER BY id'),
    vectors: rows('SELECT rowid, store_id, vec_to_json(embedding) AS numbers FROM vectors_1 ORDER BY rowid'),
    kept: rows('SELECT address, store_id FROM kept_pictures ORDER BY address'),
    files: listFiles(app),
    searchable: body['results'],
  }
}

/** Lists the kept picture files. */
export const listFiles = (app: TestApp): string[] =>
  readdirSync(app.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort()
