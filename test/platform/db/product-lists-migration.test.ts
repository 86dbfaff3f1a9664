import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { runDatabaseCheck } from '../../../src/platform/db/damage.ts'
import { migrations } from '../../../src/platform/db/migrations/list.ts'
import { DATABASE_FILE, type Db, migrate } from '../../../src/platform/db/open.ts'
import { readRepetitions } from '../../robustness/random.ts'
import { memoryDatabase } from '../../support/database.ts'
import { addProducts, addStore } from '../../support/products.ts'

const NEW = migrations.findIndex((sql) => sql.includes('product_words'))
const RUNS = readRepetitions('PRODUCT_COUNTS', 100)

const counts = (db: Db) =>
  db.prepare('SELECT id, product_count AS n FROM stores ORDER BY id').all() as { id: string; n: number }[]
const counted = (db: Db) =>
  db
    .prepare(
      'SELECT id, (SELECT count(*) FROM products WHERE store_id = stores.id) AS n FROM stores ORDER BY id',
    )
    .all()
const withWord = (db: Db, trigram: string): number[] =>
  db
    .prepare<[string], number>('SELECT rowid FROM product_words WHERE product_words MATCH ? ORDER BY rowid')
    .pluck()
    .all(`"${trigram}"`)

describe('an install of before', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lookalike-lists-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  test('is counted, sorted and searched by its words; nothing else changes, and the file is sound', () => {
    const db = new Database(join(folder, DATABASE_FILE))
    migrate(db, NEW)
    for (const store of ['one', 'two', 'three']) addStore(db, store)
    addProducts(db, 'one', [
      { id: 'SKU-1', name: 'Äpfel', price: 3, category: 'fruit', brand: 'acme' },
      { id: 'b', name: 'a "quoted" 50% \0 thing' },
    ])
    addProducts(db, 'two', [{ id: 'SKU-1' }])
    const columns = db
      .prepare<[], string>("SELECT name FROM pragma_table_info('products')")
      .pluck()
      .all()
      .join()
    const rows = () => db.prepare(`SELECT ${columns} FROM products ORDER BY id`).raw().all()
    const before = rows()
    migrate(db)
    expect(rows()).toEqual(before)
    expect(counts(db)).toEqual([
      { id: 'one', n: 2 },
      { id: 'three', n: 0 },
      { id: 'two', n: 1 },
    ])
    expect([withWord(db, 'sku'), withWord(db, 'pfe'), withWord(db, '50%')]).toEqual([[1, 3], [1], [2]])
    expect(withWord(db, 'Äpf')).toEqual([])
    expect(
      db.prepare('SELECT sort_name, price_up, price_down FROM products WHERE id = 3').raw().get(),
    ).toEqual(['', Number.MAX_VALUE, -Number.MAX_VALUE])
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
    db.close()
  })

  test('the check of a file that must not be written knows the words, too', () => {
    const db = new Database(join(folder, DATABASE_FILE))
    migrate(db)
    addStore(db, 'one')
    addProducts(
      db,
      'one',
      Array.from({ length: 100 }, (_, n) => ({ id: `p${n}`, name: `mug ${n}` })),
    )
    db.close()
    const lines: unknown[] = []
    const print = console.log
    console.log = (line) => lines.push(line)
    try {
      runDatabaseCheck([folder])
    } finally {
      console.log = print
    }
    expect(lines).toEqual(['[]'])
  })
})

/** The words that FTS5 holds, as text: a token and a row each. */
function words(db: Db): unknown[] {
  db.exec('CREATE VIRTUAL TABLE IF NOT EXISTS temp.word_list USING fts5vocab(main, product_words, instance)')
  return db.prepare('SELECT DISTINCT term, doc FROM temp.word_list ORDER BY term, doc').raw().all()
}

function wordsMadeAnew(db: Db): unknown[] {
  const anew = memoryDatabase()
  try {
    addStore(anew, 'all')
    const copy = anew.prepare(
      "INSERT INTO products (id, store_id, product_id, vector_id, image_url, metadata, name, created_at, indexed_at, updated_at) VALUES (?, 'all', ?, ?, '', '{}', ?, 0, 0, 0)",
    )
    const products = db.prepare<[], { id: number; productId: string; name: string | null }>(
      'SELECT id, product_id AS productId, name FROM products',
    )
    for (const { id, productId, name } of products.all()) copy.run(BigInt(id), productId, `${id}`, name)
    return words(anew)
  } finally {
    anew.close()
  }
}

test('whatever is written, undone or deleted: the numbers are those of the rows, and the words as if written anew', () => {
  const write = fc.record({
    what: fc.constantFrom('add', 'add', 'add', 'upsert', 'delete', 'rename', 'deleteAll', 'ignore', 'fail'),
    store: fc.constantFrom('one', 'two'),
    id: fc.integer({ min: 0, max: 6 }),
    name: fc.option(fc.constantFrom('mug', 'red mug', 'übergröße', ''), { nil: null }),
  })
  const step = fc.record({
    writes: fc.array(write, { minLength: 1, maxLength: 5 }),
    end: fc.constantFrom('commit', 'commit', 'rollback', 'inner rollback'),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), fc.boolean(), (steps, isStoreDeleted) => {
      const db = memoryDatabase()
      try {
        for (const store of ['one', 'two']) addStore(db, store)
        // Product ids of both stores differ, so that their words may be compared in one store.
        const idOf = ({ store, id }: { store: string; id: number }) => `${store}-P${id}`
        let vectors = 0
        const insert = (or: string, conflict: string) =>
          db.prepare(`INSERT ${or} INTO products (store_id, product_id, vector_id, image_url, metadata, name,
              created_at, indexed_at, updated_at) VALUES (?, ?, ?, '', '{}', ?, 0, 0, 0) ${conflict} RETURNING id`)
        const apply = (given: (typeof steps)[number]['writes'][number]) => {
          const { what, store, name } = given
          const id = idOf(given)
          const row = [store, id, `v${vectors++}`, name]
          const upsert = 'ON CONFLICT (store_id, product_id) DO UPDATE SET name = excluded.name'
          if (what === 'add' || what === 'upsert') insert('', upsert).all(...row)
          if (what === 'ignore') insert('OR IGNORE', '').all(...row)
          if (what === 'fail') {
            // Each statement undoes itself.
            expect(() => insert('', upsert).all(store, id, null, name)).toThrow()
            expect(() => insert('', upsert).all('nobody', id, `v${vectors++}`, name)).toThrow()
          }
          if (what === 'delete')
            db.prepare('DELETE FROM products WHERE store_id = ? AND product_id = ?').run(store, id)
          if (what === 'rename')
            db.prepare('UPDATE products SET name = ? WHERE store_id = ?').run(name, store)
          if (what === 'deleteAll') db.prepare('DELETE FROM products WHERE store_id = ?').run(store)
        }
        for (const { writes, end } of steps) {
          db.exec('BEGIN')
          if (end === 'inner rollback') db.exec('SAVEPOINT inner')
          for (const given of writes) apply(given)
          if (end === 'inner rollback') db.exec('ROLLBACK TO inner; RELEASE inner')
          db.exec(end === 'rollback' ? 'ROLLBACK' : 'COMMIT')
        }
        db.pragma('foreign_keys = ON')
        if (isStoreDeleted) db.exec("DELETE FROM stores WHERE id = 'one'")
        expect(counts(db)).toEqual(counted(db) as ReturnType<typeof counts>)
        expect(words(db)).toEqual(wordsMadeAnew(db))
        expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
      } finally {
        db.close()
      }
    }),
    { numRuns: RUNS },
  )
}, 60_000)

test('a product cannot move to another store or take another id, which its words would not follow', () => {
  const db = memoryDatabase()
  for (const store of ['one', 'two']) addStore(db, store)
  addProducts(db, 'one', [{ id: 'p' }])
  for (const change of ["store_id = 'two'", "product_id = 'q'", 'id = 7']) {
    expect(() => db.exec(`UPDATE products SET ${change}`)).toThrow('keeps its store and its id')
  }
  db.exec("UPDATE products SET store_id = 'one', product_id = 'p', price = 4")
  db.close()
})
