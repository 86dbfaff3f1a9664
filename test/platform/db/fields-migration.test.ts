import { afterEach, expect, test } from 'bun:test'
import Database from 'better-sqlite3'
import { migrations } from '../../../src/platform/db/migrations/list.ts'
import { migrate } from '../../../src/platform/db/open.ts'
import { addProducts, addStore } from '../../support/products.ts'

const NEW = migrations.findIndex((sql) => sql.includes('product_levels'))
const db = new Database(':memory:')
afterEach(() => db.close())

test('an install of before marks what the next start must look at, and changes nothing else', () => {
  migrate(db, NEW)
  addStore(db, 'one')
  addProducts(db, 'one', [{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' }])
  const write = db.prepare('UPDATE products SET metadata = ?, price = 9 WHERE product_id = ?')
  write.run('{"price":9,"sale_price":5}', 'a')
  write.run('{"price":9,"sale_price":"5"}', 'b')
  write.run('{"price":9,"category_path":["A"],"variant_group":"g"}', 'c')
  write.run('{"price":9,"variant_group":7}', 'd')
  migrate(db)
  const rows = db.prepare(
    'SELECT product_id, price, sale, levels, is_unfolded, variant_group FROM products ORDER BY id',
  )
  expect(rows.raw().all()).toEqual([
    ['a', 9, null, null, 1, null],
    ['b', 9, null, null, 0, null],
    ['c', 9, null, null, 1, 'g'],
    ['d', 9, null, null, 0, null],
  ])
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
})
