import { expect, test } from 'bun:test'
import Database from 'better-sqlite3'
import { migrations } from '../../../src/platform/db/migrations/list.ts'
import { migrate, openDatabase } from '../../../src/platform/db/open.ts'

const NEW = migrations.findIndex((sql) => sql.includes('CREATE TABLE released_pictures'))

test('an install of before is counted: pictures in use by their bytes, those that nobody uses are swept', () => {
  const db = new Database(':memory:')
  migrate(db, NEW)
  db.exec(`
    INSERT INTO stores (id, slug, name, plan, client_secret_hash, created_at)
      VALUES ('one', 'one', 'One', 'free', x'00', 0), ('two', 'two', 'Two', 'free', x'00', 0), ('three', 'three', 'Three', 'free', x'00', 0);
    INSERT INTO models (id, name, hash, dimension, created_at) VALUES (1, 'm', 'h', 8, 0);
    INSERT INTO products (id, store_id, product_id, vector_id, image_url, metadata, created_at, indexed_at, updated_at)
      VALUES (1, 'one', 'p', 'v1', '/pictures/a', '{}', 0, 0, 0), (2, 'two', 'p', 'v2', '/pictures/b', '{}', 0, 0, 0);
    INSERT INTO pictures (product, store_id, position, image_url, model, content_hash, content_type, bytes, width, height, phash, palette)
      VALUES (1, 'one', 0, '/pictures/a', 1, x'0a', 'image/png', 100, 1, 1, '', '[]'),
        (1, 'one', 1, '/pictures/c', 1, x'0c', 'image/png', 10, 1, 1, '', '[]'),
        (1, 'one', 2, 'https://img.test/x', 1, x'0f', 'image/png', 7, 1, 1, '', '[]'),
        (2, 'two', 0, '/pictures/b', 1, x'0a', 'image/png', 100, 1, 1, '', '[]');
    INSERT INTO kept_pictures (address, store_id, content_hash, content_type, created_at)
      VALUES ('a', 'one', x'0a', 'image/png', 0), ('c', 'one', x'0c', 'image/png', 0), ('b', 'two', x'0a', 'image/png', 0),
        ('unused', 'two', x'0e', 'image/png', 0);`)
  migrate(db, NEW + 1)
  expect(db.prepare('SELECT id, kept_bytes FROM stores ORDER BY id').all()).toEqual([
    { id: 'one', kept_bytes: 110 },
    { id: 'three', kept_bytes: 0 },
    { id: 'two', kept_bytes: 100 },
  ])
  expect(db.prepare('SELECT address, seen_at FROM released_pictures').all()).toEqual([
    { address: 'unused', seen_at: null },
  ])
  db.close()
})

test('a product that goes with its store or by its own row lets its pictures go, too', () => {
  const db = openDatabase(':memory:')
  db.exec(`
    INSERT INTO stores (id, slug, name, plan, client_secret_hash, created_at) VALUES ('one', 'one', 'One', 'free', x'00', 0);
    INSERT INTO models (id, name, hash, dimension, created_at) VALUES (1, 'm', 'h', 8, 0);
    INSERT INTO kept_pictures (address, store_id, content_hash, content_type, bytes, created_at) VALUES ('a', 'one', x'0a', 'image/png', 100, 0);
    INSERT INTO products (id, store_id, product_id, vector_id, image_url, metadata, created_at, indexed_at, updated_at)
      VALUES (1, 'one', 'p', 'v1', '/pictures/a', '{}', 0, 0, 0);
    INSERT INTO pictures (product, store_id, position, image_url, model, content_hash, content_type, bytes, width, height, phash, palette)
      VALUES (1, 'one', 0, '/pictures/a', 1, x'0a', 'image/png', 100, 1, 1, '', '[]');
    DELETE FROM released_pictures;
    DELETE FROM products;`)
  expect(db.prepare('SELECT address FROM released_pictures').all()).toEqual([{ address: 'a' }])
  db.exec('DELETE FROM stores')
  expect(db.prepare('SELECT count(*) AS n FROM kept_pictures').get()).toEqual({ n: 0 })
  db.close()
})
