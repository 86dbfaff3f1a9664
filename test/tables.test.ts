import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { openDatabase } from '../src/platform/db/open.ts'
import { COPIED_TABLES, findCopied, STORE_FILE } from '../src/platform/db/store-copy/plan.ts'
import { listColumns } from '../src/platform/db/store-copy/reading.ts'
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

/** What writes the rows of a store that arrives from another node, each its own tables. */
const ARRIVING: Readonly<Record<string, readonly string[]>> = {
  'platform/db/store-move/row-writing.ts': ['{table}', 'stores'],
  'platform/db/store-move/account-writing.ts': ['users', 'two_factor'],
  'platform/db/store-move/product-writing.ts': ['pictures'],
}

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
  // They delete and copy rows of a whole store, in every table.
  .filter(({ path, target }) => !(path === 'platform/db/store-rows.ts' && target === '{table}'))
  .filter(({ path }) => path !== 'platform/db/store-copy/writing.ts')
  .filter(({ path, target }) => !(ARRIVING[path] ?? []).includes(target))
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

test('every table with a store’s id belongs to stores, but for the registrations that stores came of, the names of stores elsewhere and moves', () => {
  const ofNode = tables.filter((name) => TABLES[declaredName(name)]?.rows === 'node')
  expect(ofNode.filter((name) => columnsOf(name).includes('store_id')).sort()).toEqual([
    'arriving_moves',
    'moved_names',
    'registrations',
    'store_moves',
  ])
})

test('the file of a store has a line for every table, and names only columns that are there', () => {
  expect(Object.keys(STORE_FILE).sort()).toEqual(Object.keys(TABLES).sort())
  for (const table of COPIED_TABLES) {
    expect([table, TABLES[table]?.rows]).toEqual([table, { column: 'store_id' }])
    const {
      without = [],
      out = {},
      in: into = {},
      refs = {},
      json = {},
      extra = [],
      named,
    } = findCopied(table)
    expect([table, columnsOf(table)]).toEqual([table, expect.arrayContaining([...without])])
    const travelling = [...listColumns(db, table), ...extra]
    const told = [...Object.keys(out), ...Object.keys(into), ...Object.keys(refs), ...Object.keys(json)]
    expect([table, travelling]).toEqual([table, expect.arrayContaining([...told, ...(named ? ['id'] : [])])])
    for (const other of Object.values(refs))
      expect([
        table,
        COPIED_TABLES.indexOf(other) < COPIED_TABLES.indexOf(table),
        findCopied(other).named,
      ]).toEqual([table, true, expect.any(String)])
  }
})

test('no column of a store’s rows names a person or another row of this install without a word about it', () => {
  for (const table of COPIED_TABLES) {
    const { refs = {}, out = {}, extra = [] } = findCopied(table)
    const foreign = db
      .prepare<[string], { from: string; table: string }>(
        'SELECT "from", "table" FROM pragma_foreign_key_list(?)',
      )
      .all(table)
      .filter(({ from, table: to }) => to !== 'stores' && listColumns(db, table).includes(from))
    for (const { from } of foreign)
      expect<unknown>([table, from]).toEqual([
        table,
        [...Object.keys({ ...refs, ...out }), ...extra].find((one) => one === from),
      ])
  }
})
