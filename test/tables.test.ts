import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { openDatabase } from '../src/platform/db/open.ts'
import { TABLES } from '../src/platform/db/tables.ts'
import { createVectorTable } from '../src/platform/vectors/vec0.ts'

const SRC = join(import.meta.dir, '../src')

/** A statement that writes, and its target: a table's name, or a variable in a template. */
const TARGET =
  /\b(?:(?:INSERT|REPLACE)(?:\s+OR\s+[A-Z]+)?\s+INTO|DELETE\s+FROM|UPDATE(?:\s+OR\s+[A-Z]+)?(?=\s+\S+\s+SET\b))\s+(?:\$(\{\w+\})|(\w+))/g

const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')

/** The targets of all statements in a text; that of `DELETE FROM ${table}` is `{table}`. */
const targetsIn = (text: string): string[] =>
  [...withoutComments(text).matchAll(TARGET)].map(([, variable, table]) => variable ?? table ?? '')

/** The feature or the part of the platform that a file belongs to. */
function ownerOf(path: string): string {
  const [room, wing, noun] = path.split('/')
  return room === 'features' ? `${wing}/${noun}` : `${room}/${wing}`
}

/**
 * A name in the schema as it is declared: each model has a table of vectors, which vec0 divides into several, as FTS5 does
 * with the words of products.
 */
const declaredName = (name: string): string =>
  name.replace(/^vectors_\d+(_\w+)?$/, 'vectors').replace(/^product_words_\w+$/, 'product_words')

const files = [...new Bun.Glob('**/*.ts').scanSync(SRC)].filter(
  (path) => path.endsWith('queries.ts') || path.startsWith('platform/'),
)
const written = (
  await Promise.all(
    files.map(async (path) => {
      const targets = targetsIn(await Bun.file(join(SRC, path)).text())
      return targets.map((target) => ({ path, writer: ownerOf(path), target }))
    }),
  )
)
  .flat()
  // It deletes rows of a whole store from every table.
  .filter(({ path, target }) => !(path === 'platform/db/store-rows.ts' && target === '{table}'))
  .map((write) => {
    const isVectorTable = write.path === 'platform/vectors/vec0.ts' && write.target === '{table}'
    return isVectorTable ? { ...write, target: 'vectors' } : write
  })

const db = openDatabase(':memory:')
createVectorTable(db, 'vectors_1', 8).create()
afterAll(() => db.close())

const tables = db
  .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
  .pluck()
  .all()
const columnsOf = (table: string): string[] =>
  db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table)

test('the search for targets finds every way to write', () => {
  const statements = `
    db.prepare('INSERT INTO a (x) VALUES (1)')
    db.prepare('INSERT OR IGNORE INTO b VALUES (1) ON CONFLICT (x) DO UPDATE SET x = 2')
    db.prepare('REPLACE INTO c VALUES (1)')
    db.prepare(\`
      UPDATE d SET x = 1\`)
    db.prepare('UPDATE OR REPLACE e SET x = 1')
    db.prepare('WITH f AS (SELECT 1) DELETE FROM g WHERE x IN f')
    db.prepare(\`DELETE FROM \${table}\`)
    // UPDATE h SET x = 1`
  expect(targetsIn(statements)).toEqual(['a', 'b', 'c', 'd', 'e', 'g', '{table}'])
})

test('every table of the schema is declared, and nothing else', () => {
  expect([...new Set(tables.map(declaredName))].sort()).toEqual(Object.keys(TABLES).sort())
})

test('every table is written by the one feature that it is declared to', () => {
  expect(written.filter(({ writer, target }) => TABLES[target]?.writer !== writer)).toEqual([])
})

test('triggers alone write what is derived', () => {
  const derived = Object.keys(TABLES).filter((name) => TABLES[name]?.rows === 'derived')
  expect(derived).toEqual(['product_words', 'product_levels'])
  expect(written.filter(({ target }) => derived.includes(target))).toEqual([])
})

test('every table is written by somebody', () => {
  const targets = new Set(written.map(({ target }) => target))
  expect(
    Object.keys(TABLES)
      .filter((name) => !targets.has(name) && TABLES[name]?.rows !== 'derived')
      .sort(),
  ).toEqual([])
})

test('every row of a store leads to it by a column that is there', () => {
  for (const name of tables.filter((table) => !/^vectors_\d+_/.test(table))) {
    const rows = TABLES[declaredName(name)]?.rows
    if (rows === undefined || rows === 'node' || rows === 'derived') continue
    expect([name, columnsOf(name)]).toEqual([name, expect.arrayContaining([rows.column])])
    if (rows.through !== undefined) {
      expect([name, TABLES[rows.through]?.rows]).toEqual([name, { column: 'store_id' }])
    }
  }
})

test('every table with a store’s id belongs to stores, but for the registrations that stores came of', () => {
  const ofNode = tables.filter((name) => TABLES[declaredName(name)]?.rows === 'node')
  expect(ofNode.filter((name) => columnsOf(name).includes('store_id'))).toEqual(['registrations'])
})
