import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { fold } from '../../../../src/core/text.ts'
import {
  type ListedProduct,
  type ProductPosition,
  productListQueries,
} from '../../../../src/features/catalogue/products/list-queries.ts'
import { type Bounds, productLists } from '../../../../src/features/catalogue/products/lists.ts'
import { PRODUCT_SORTS, type ProductSort } from '../../../../src/features/catalogue/products/schema.ts'
import { toWords } from '../../../../src/features/catalogue/products/words.ts'
import type { Db } from '../../../../src/platform/db/open.ts'
import { readRepetitions } from '../../../robustness/random.ts'
import { memoryDatabase } from '../../../support/database.ts'
import { addProducts, addStore, type StoredProduct } from '../../../support/products.ts'
import { statementLog } from '../../../support/statements.ts'

const RUNS = readRepetitions('PRODUCT_LISTS', 400)

let db: Db
let log: ReturnType<typeof statementLog>

beforeEach(() => {
  db = memoryDatabase()
  log = statementLog(db)
  for (const store of ['one', 'two']) addStore(db, store)
})
afterEach(() => db.close())

const listsOf = (bounds?: Bounds) =>
  productLists({
    queries: productListQueries(db),
    countProducts: (storeId) =>
      db.prepare<[string], number>('SELECT product_count FROM stores WHERE id = ?').pluck().get(storeId) ?? 0,
    ...(bounds && { bounds }),
  })

interface Wanted {
  category?: string | undefined
  brand?: string | undefined
  q?: string | undefined
  updatedSince?: number | undefined
}

const filterOf = ({ q, ...rest }: Wanted) => ({
  storeId: 'one',
  ...rest,
  words: q === undefined ? undefined : toWords(q),
})

/** How SQLite would run the statements that read products, one line for each table. */
async function plansOf(work: () => unknown): Promise<string[]> {
  const statements = await log.during(async () => work())
  return statements
    .filter((sql) => /\bproduct(s|_words)\b/.test(sql))
    .flatMap((sql) => {
      const explained = db.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql.replace(/@\w+/g, '1')}`)
      return explained.all().map(({ detail }) => detail)
    })
}

describe('a page is a range of an index, with nothing counted or sorted', () => {
  const list = (sort: ProductSort, wanted: Wanted, after?: ProductPosition) => () =>
    listsOf().list({ filter: filterOf(wanted), sort, limit: 21, after })
  const after = { value: 1, id: 'x' }

  beforeEach(() => addProducts(db, 'one', [{ id: 'a', category: 'mugs', brand: 'acme', updatedAt: 5 }]))

  test.each(PRODUCT_SORTS)('sort=%s', async (sort) => {
    const column = {
      ...{ newest: 'created', oldest: 'created', updated: 'updated', name: 'name' },
      ...{ price_asc: 'price_up', price_desc: 'price_down' },
    }[sort]
    const isRange = expect.stringMatching(
      new RegExp(`^SEARCH products USING (COVERING )?INDEX products_${column} \\(store_id=\\?\\)$`),
    )
    expect(await plansOf(list(sort, {}))).toEqual([isRange])
    const isSeek = expect.stringMatching(
      new RegExp(
        `^SEARCH products USING (COVERING )?INDEX products_${column} \\(store_id=\\? AND \\(\\w+,vector_id\\)[<>]\\(\\?,\\?\\)\\)$`,
      ),
    )
    expect(await plansOf(list(sort, {}, after))).toEqual([isSeek])
  })

  test.each([
    ['newest', { category: 'mugs' }, 'products_category (store_id=? AND category=?'],
    ['oldest', { category: 'mugs' }, 'products_category (store_id=? AND category=?'],
    ['name', { category: 'mugs' }, 'products_category_name (store_id=? AND category=?'],
    ['price_asc', { category: 'mugs' }, 'products_category_price_up (store_id=? AND category=?'],
    ['price_desc', { category: 'mugs' }, 'products_category_price_down (store_id=? AND category=?'],
    ['newest', { brand: 'acme' }, 'products_brand (store_id=? AND brand=?'],
    ['updated', { updatedSince: 1 }, 'products_updated (store_id=? AND updated_at>?'],
  ] as const)('sort=%s with %j: the count as well', async (sort, wanted, range) => {
    const plans = await plansOf(list(sort, wanted, after))
    expect(plans.join('\n')).not.toContain('TEMP B-TREE')
    const [count, page, ...others] = plans.filter((line) => line.startsWith('SEARCH products'))
    expect([page, others]).toEqual([expect.stringContaining(range), []])
    expect(page).toContain('vector_id)')
    expect(count).toMatch(/^SEARCH products USING COVERING INDEX products_(category|brand|updated) /)
  })

  test('category and brand together are counted in one index', async () => {
    const [count] = await plansOf(list('newest', { category: 'mugs', brand: 'acme' }))
    expect(count).toBe('CO-ROUTINE (subquery-1)')
    const plans = await plansOf(list('newest', { category: 'mugs', brand: 'acme' }))
    expect(plans[1]).toBe(
      'SEARCH products USING COVERING INDEX products_category (store_id=? AND category=?)',
    )
  })

  test('without a filter the number of products is read, not counted', async () => {
    const statements = await log.during(async () => list('newest', {})())
    expect(statements).toHaveLength(2)
    expect(statements.join()).not.toContain('count(*)')
  })

  test('words of three characters are looked up in a large store; shorter ones are looked for in each product', async () => {
    addProducts(
      db,
      'one',
      Array.from({ length: 2_001 }, (_, n) => ({ id: `n${n}`, name: n === 1_000 ? 'the needle' : 'hay' })),
    )
    const words = await plansOf(list('newest', { q: 'needle' }))
    expect(words.filter((line) => line.startsWith('SCAN product_words VIRTUAL TABLE INDEX'))).toHaveLength(3)
    expect(words.filter((line) => line.startsWith('SEARCH products USING INDEX products'))).toEqual([])
    expect((await plansOf(list('newest', { q: 'ne' }))).join()).not.toContain('product_words')
  })
})

describe('what is listed and counted', () => {
  const everything = { total: 10_000, smallStore: 0, candidates: 20_000, walk: 5_000 }
  /** So small that every way to a page is taken by a dozen products. */
  const tight = { total: 4, smallStore: 3, candidates: 6, walk: 3 }

  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'abcABC%_"\'*() -\\Äßéﬃ\0İ😀'), maxLength: 9 }),
    fc.constantFrom(
      'Mug',
      'MÜG red',
      'mug "x"',
      'a  b',
      '\u0301',
      'ﬃx',
      '100% cotton',
      'AND OR NOT',
      '\uffff\ufffe!',
    ),
  )
  const product = fc.record({
    name: fc.option(text, { nil: null }),
    price: fc.option(fc.constantFrom(0, 1, 2.5, -3, Number.MAX_VALUE, -Number.MAX_VALUE), { nil: null }),
    category: fc.option(fc.constantFrom('mugs', 'lamps'), { nil: null }),
    brand: fc.option(fc.constantFrom('acme', 'zed'), { nil: null }),
    updatedAt: fc.integer({ min: 0, max: 4 }),
    createdAt: fc.integer({ min: 0, max: 4 }),
    ending: fc.string({ unit: fc.constantFrom(...'abAB%"Äß- '), maxLength: 9 }),
  })
  /** A part of some product's id or name, which random text would hardly hit. */
  const part = fc.record({
    of: fc.nat(13),
    isId: fc.boolean(),
    start: fc.nat(6),
    length: fc.integer({ min: 2, max: 6 }),
  })
  const wanted = fc.record({
    category: fc.option(fc.constantFrom('mugs', 'lamps', 'none'), { nil: undefined }),
    brand: fc.option(fc.constantFrom('acme', 'zed'), { nil: undefined }),
    q: fc.option(text, { nil: undefined }),
    updatedSince: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
  })

  /** What a list means, by one statement that looks at all products of the store. */
  function reference({ q, category, brand, updatedSince }: Wanted, sort: ProductSort): ListedProduct[] {
    const [column, direction] = {
      newest: ['created_at', 'DESC'],
      oldest: ['created_at', 'ASC'],
      updated: ['updated_at', 'DESC'],
      name: ["coalesce(name, '')", 'ASC'],
      price_asc: ['coalesce(price, 1.7976931348623157e+308)', 'ASC'],
      price_desc: ['coalesce(price, -1.7976931348623157e+308)', 'DESC'],
    }[sort] as [string, string]
    return db
      .prepare(`
        SELECT id AS product, ${column} AS value, vector_id AS id FROM products NOT INDEXED
        WHERE store_id = 'one' AND (@category IS NULL OR category = @category)
          AND (@brand IS NULL OR brand = @brand) AND (@since IS NULL OR updated_at >= @since)
          AND (@q IS NULL OR instr(coalesce(name, ''), @folded) > 0 OR instr(lower(product_id), lower(@q)) > 0)
        ORDER BY ${column} ${direction}, vector_id ${direction}`)
      .all({
        category: category ?? null,
        brand: brand ?? null,
        since: updatedSince ?? null,
        q: q?.trim() ?? null,
        folded: q === undefined ? null : fold(q),
      }) as ListedProduct[]
  }

  /** All pages of a list, which must agree on the total. */
  function read(wanted: Wanted, sort: ProductSort, bounds: Bounds, limit: number) {
    const lists = listsOf(bounds)
    const rows: ListedProduct[] = []
    const totals = new Set<string>()
    for (let after: ProductPosition | undefined; ; ) {
      const { found, ...total } = lists.list({ filter: filterOf(wanted), sort, limit, after })
      totals.add(JSON.stringify(total))
      rows.push(...found)
      if (found.length < limit) return { rows, totals: [...totals] }
      after = found.at(-1)
    }
  }

  test('is the same by every way: words, walks and sorting; under any filter and order', () => {
    fc.assert(
      fc.property(
        fc.array(product, { maxLength: 14 }),
        fc.array(product, { maxLength: 8 }),
        wanted,
        fc.option(part, { nil: undefined }),
        fc.constantFrom(...PRODUCT_SORTS),
        fc.integer({ min: 1, max: 6 }),
        fc.array(fc.record({ at: fc.nat(13), name: fc.option(text, { nil: null }) }), { maxLength: 4 }),
        (mine, others, asked, cut, sort, limit, renamed) => {
          db.exec('DELETE FROM products')
          const stored = (products: typeof mine): StoredProduct[] =>
            products.map(({ ending, ...rest }, n) => ({ id: `P${n}${ending}`, ...rest }))
          addProducts(db, 'one', stored(mine))
          addProducts(db, 'two', stored(others))
          const source = cut && mine[cut.of]
          const text = source && (cut.isId ? `P${cut.of}${source.ending}` : source.name)
          const query = text ? { ...asked, q: text.slice(cut.start, cut.start + cut.length) } : asked
          const ids = db.prepare<[], number>("SELECT id FROM products WHERE store_id = 'one'").pluck().all()
          for (const { at, name } of renamed) {
            const id = ids[at]
            if (id === undefined) continue
            if (name === null) db.prepare('DELETE FROM products WHERE id = ?').run(BigInt(id))
            else db.prepare('UPDATE products SET name = ? WHERE id = ?').run(fold(name), BigInt(id))
          }
          const all = reference(query, sort)
          for (const bounds of [everything, tight]) {
            const { rows, totals } = read(query, sort, bounds, limit)
            expect(rows).toEqual(all)
            const isAll = Object.values(filterOf(query)).filter((value) => value !== undefined).length === 1
            const isExact = isAll || all.length <= bounds.total
            expect(totals).toEqual([JSON.stringify({ total: isExact ? all.length : bounds.total, isExact })])
          }
        },
      ),
      { numRuns: RUNS },
    )
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
  }, 60_000)

  test('is exact at 10,000 and a lower bound from 10,001 on; every match is on a page', () => {
    const names = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) => ({ id: `p${from + n}`, name: 'mug', category: 'mugs' }))
    addProducts(db, 'one', names(0, 10_000))
    addProducts(db, 'two', names(0, 12_000))
    for (const wanted of [{ category: 'mugs' }, { q: 'mug' }, { q: 'mu' }, { updatedSince: 0 }]) {
      const first = { filter: filterOf(wanted), sort: 'price_asc', limit: 5 } as const
      expect(listsOf().list(first)).toMatchObject({ total: 10_000, isExact: true })
    }
    addProducts(db, 'one', [{ id: 'one more', name: 'mug', category: 'mugs', price: -1 }])
    for (const wanted of [{ category: 'mugs' }, { q: 'mug' }, { q: 'mu' }, { updatedSince: 0 }]) {
      for (const sort of PRODUCT_SORTS) {
        expect(read(wanted, sort, everything, 3_000)).toMatchObject({
          rows: { length: 10_001 },
          totals: ['{"total":10000,"isExact":false}'],
        })
      }
    }
    expect(listsOf().list({ filter: filterOf({}), sort: 'newest', limit: 1 })).toMatchObject({
      ...{ total: 10_001, isExact: true },
    })
  }, 60_000)

  test('words that many products of another store have find those of this one', () => {
    addProducts(
      db,
      'two',
      Array.from({ length: 21_000 }, (_, n) => ({ id: `p${n}`, name: 'striped mug' })),
    )
    addProducts(
      db,
      'one',
      Array.from({ length: 2_100 }, (_, n) => ({ id: `p${n}`, name: n % 700 ? 'lamp' : 'striped mug' })),
    )
    const { found, ...total } = listsOf().list({ filter: filterOf({ q: 'Striped' }), sort: 'name', limit: 9 })
    expect([found.length, total]).toEqual([3, { total: 3, isExact: true }])
  }, 30_000)
})
