import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { CallerStore } from '../../../../src/core/actor.ts'
import type { FilterSource } from '../../../../src/features/catalogue/filters/service.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { onlyStoreId } from '../../../support/seed.ts'
import { passes, type Subject } from './evaluator.ts'

let app: TestApp
let store: CallerStore
const PRODUCTS = ['p0', 'P0', 'p-é', 'q"1', "q'2"]
let url: string
let createdAt: number

beforeAll(async () => {
  app = testApp()
  await app.store()
  const id = onlyStoreId(app)
  store = { id: String(id), slug: 'one', name: 'one', plan: 'enterprise', suspendedAt: null }
  url = app.picture('same', 1)
  createdAt = app.clock.now()
})
afterAll(() => app.close())

const word = fc.constantFrom(
  ...['Red', 'red', 'RÉD', 'dark red', 'blue', 'Blüe', 'x', '', ' ', '42', 'true', 'null'],
  ...['2026-01-05', '2026-01-05T10:00:00Z', '2026-02-01', "'; DROP TABLE products; --", '%', '_', '\\', '"'],
)
const number = fc.oneof(
  fc.constantFrom(0, -0, 1, 42, 1e20, 0.1, 1e-7, 5e-324, 9007199254740992),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)
const scalar = fc.oneof(word, number, fc.boolean())
const value = fc.oneof(
  { weight: 5, arbitrary: scalar },
  fc.constant(null),
  fc.array(fc.oneof(scalar, fc.constant(null), fc.array(scalar, { maxLength: 2 })), { maxLength: 4 }),
  fc.dictionary(fc.constantFrom('a', 'b', 'a.b'), fc.oneof(scalar, fc.array(scalar, { maxLength: 2 })), {
    noNullPrototype: true,
  }),
)

/** Names that would hurt SQL, JSON paths or JavaScript where they were not kept apart. */
const HOSTILE = [
  ...[
    'a',
    'b',
    'a.b',
    'a.b.c',
    'b.a',
    'é',
    'e\u0301',
    '日本',
    '\u{1f600}',
    'a"b',
    "a'b",
    'a\\b',
    '\\',
    '"',
    '[0]',
  ],
  ...[
    '$',
    '$.a',
    '#',
    '*',
    'a[0]',
    '__proto__',
    'constructor',
    'toString',
    'metadata',
    'store_id',
    '@v0',
    '?',
  ],
  ...['a b', 'a-b', ' a', '\n', '\\u0041', 'A', "'; DROP TABLE products; --", 'a..b', '.a', 'a.', '.'],
  ...['status', 'origin', 'tags', 'vector_id', '1', '-1', '/', '~', '\u202e', '\u0001', '{', '%s'],
]
const path = fc.array(word, { minLength: 1, maxLength: 3 }).map((names) => names.join(' > '))
const TYPED = {
  ...{ category: word, brand: word, color_name: word, name: word, price: number },
  ...{ sale_price: number, category_path: fc.array(path, { maxLength: 2 }) },
}
const metadata = fc
  .tuple(
    fc.record(TYPED, { requiredKeys: [], noNullPrototype: true }),
    fc.array(fc.tuple(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary' })), value), {
      maxLength: 8,
    }),
  )
  // As it arrives: JSON with own keys only, also one that is called __proto__.
  .map(([typed, free]): Record<string, unknown> => {
    const pairs = [
      ...free.filter(([key]) => !key.includes('\0') && !Object.hasOwn(TYPED, key)),
      ...Object.entries(typed),
    ]
    return JSON.parse(
      `{${[...new Map(pairs)].map(([key, one]) => `${JSON.stringify(key)}:${JSON.stringify(one)}`).join()}}`,
    )
  })

const field = fc
  .oneof(fc.constantFrom(...HOSTILE, ...Object.keys(TYPED)), fc.string({ minLength: 1, maxLength: 5 }))
  .filter((name) => !['product_id', 'is_demo', 'created_at', 'indexed_at', 'updated_at'].includes(name))
  .chain((name) => fc.constantFrom(name, `metadata.${name}`))
const lettered = word.filter((text) => text.trim() !== '')
const part = fc.oneof(lettered, number, fc.boolean())
const moments = fc.constantFrom('2026-01-05', '2026-01-05T10:00:00Z', '2026-02-01', '2025-12-31')
const bound = fc.oneof(number, moments)
const ordered = (list: fc.Arbitrary<number | string>) =>
  fc.tuple(list, list).map(([a, b]) => {
    const at = (one: number | string) => (typeof one === 'number' ? one : Date.parse(one))
    return at(a) <= at(b) ? [a, b] : [b, a]
  })
const flag = fc.constantFrom(true, false, undefined)

const condition = fc.oneof(
  ...['eq', 'ne', 'neq'].map((operator) =>
    fc.record({ field, operator: fc.constant(operator), value: scalar }),
  ),
  ...['in', 'nin'].map((operator) =>
    fc.record({
      field,
      operator: fc.constant(operator),
      value: fc.array(scalar, { minLength: 1, maxLength: 4 }),
    }),
  ),
  ...['gt', 'gte', 'lt', 'lte'].map((operator) =>
    fc.record({ field, operator: fc.constant(operator), value: bound }),
  ),
  fc.record({ field, operator: fc.constant('between'), value: fc.oneof(ordered(number), ordered(moments)) }),
  fc.record({ field, operator: fc.constant('contains'), value: part }),
  ...['contains_any', 'contains_all', 'contains_none'].map((operator) =>
    fc.record({
      field,
      operator: fc.constant(operator),
      value: fc.array(part, { minLength: 1, maxLength: 3 }),
    }),
  ),
  fc.record({ field, operator: fc.constant('starts_with'), value: lettered }),
  ...['exists', 'not_exists', 'is_null', 'is_empty'].map((operator) =>
    fc.record({ field, operator: fc.constant(operator), value: flag }),
  ),
  fc.constantFrom(
    { field: 'product_id', operator: 'eq', value: 'p0' },
    { field: 'product_id', operator: 'in', value: ['P0', 'q"1', 'none'] },
    { field: 'product_id', operator: 'ne', value: 'p0' },
    { field: 'product_id', operator: 'starts_with', value: 'p' },
    { field: 'product_id', operator: 'contains', value: '"' },
    { field: 'product_id', operator: 'contains_all', value: ['p', '0'] },
    { field: 'product_id', operator: 'is_empty', value: true },
    { field: 'is_demo', operator: 'eq', value: false },
    { field: 'is_demo', operator: 'in', value: [true] },
    { field: 'created_at', operator: 'gte', value: '2030-01-01' },
    { field: 'created_at', operator: 'lt', value: '2030-01-01' },
    { field: 'created_at', operator: 'between', value: ['2029-01-01', '2031-01-01T00:00:00+02:00'] },
    { field: 'created_at', operator: 'exists' },
  ),
)

const { group } = fc.letrec<{ node: unknown; group: object }>((tie) => ({
  node: fc.oneof({ depthSize: 'small', withCrossShrink: true, maxDepth: 3 }, condition, tie('group')),
  group: fc
    .record(
      {
        must: fc.array(tie('node'), { minLength: 1, maxLength: 2 }),
        should: fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
        must_not: fc.array(tie('node'), { minLength: 1, maxLength: 2 }),
        min_should: fc.integer({ min: 1, max: 3 }),
      },
      { requiredKeys: [], noNullPrototype: true },
    )
    .filter(({ must, should, must_not }) => Boolean(must ?? should ?? must_not))
    .map(({ min_should, ...lists }) => {
      const alternatives = lists.should?.length ?? 0
      return min_should !== undefined && alternatives > 0
        ? { ...lists, min_should: Math.min(min_should, alternatives) }
        : lists
    }),
}))
const filter = fc
  .oneof(fc.array(condition, { minLength: 1, maxLength: 3 }), group)
  .filter((input) => (JSON.stringify(input).match(/"operator"/g)?.length ?? 0) <= 30)

async function putAll(all: readonly Record<string, unknown>[]): Promise<Subject[]> {
  await Promise.all(
    all.map((one, n) =>
      app.products.writer.put(store, {
        productId: PRODUCTS[n] as string,
        sources: [{ url }],
        metadata: one,
      }),
    ),
  )
  return all.map((one, n) => ({ productId: PRODUCTS[n] as string, metadata: one, isDemo: false, createdAt }))
}

/** The ids of the products that pass, by the service: the same from the columns of the index as from the database. */
async function resolve(input: unknown): Promise<string[]> {
  const [found, read] = [await resolveFrom('memory', input), await resolveFrom('database', input)]
  expect({ input, found }).toEqual({ input, found: read })
  return found
}

async function resolveFrom(source: FilterSource, input: unknown): Promise<string[]> {
  const { rows } = await app.filters.resolve(store.id, app.filters.parse(input, ''), source)
  const ids = new Map(
    app.db
      .prepare<[], { id: number; product_id: string }>('SELECT id, product_id FROM products')
      .all()
      .map((row) => [row.id, row.product_id]),
  )
  const listed = [...rows]
  if (rows.size !== listed.length) throw new Error('the size of the row set is wrong')
  for (const id of ids.keys()) if (rows.has(id) !== listed.includes(id)) throw new Error(`row ${id}`)
  return listed.map((row) => ids.get(row) as string)
}

const expected = (input: unknown, subjects: readonly Subject[]) =>
  subjects.flatMap((subject) =>
    passes(input as Parameters<typeof passes>[0], subject) ? [subject.productId] : [],
  )

const RUNS = Number(Bun.env['FILTER_RUNS'] ?? 60)

test('every filter lets the same products pass as the words of the contract', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(metadata, { minLength: PRODUCTS.length, maxLength: PRODUCTS.length }),
      fc.array(filter, { minLength: 1, maxLength: 12 }),
      async (all, filters) => {
        const subjects = await putAll(all)
        for (const input of filters) {
          const found = (await resolve(input)).sort()
          expect({ input, found }).toEqual({ input, found: expected(input, subjects).sort() })
        }
      },
    ),
    { numRuns: RUNS, endOnFailure: true },
  )
})

test('every key of every product can be asked for, however it is written', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(metadata, { minLength: PRODUCTS.length, maxLength: PRODUCTS.length }),
      async (all) => {
        const subjects = await putAll(all)
        const keys = new Set(all.flatMap((one) => Object.keys(one)).filter((key) => key !== ''))
        for (const key of keys) {
          const input = [{ field: `metadata.${key}`, operator: 'exists' }]
          expect((await resolve(input)).sort()).toEqual(expected(input, subjects).sort())
        }
      },
    ),
    { numRuns: RUNS / 3 },
  )
})

/** Conditions on fields that the index has in columns. */
const inColumns = fc.oneof(
  fc.record({
    field: fc.constantFrom('category', 'metadata.brand', 'color_name', 'name', 'price'),
    operator: fc.constantFrom('eq', 'ne'),
    value: fc.oneof(lettered, number),
  }),
  fc.record({
    field: fc.constantFrom('category', 'brand', 'color_name', 'name', 'price', 'metadata.product_id'),
    operator: fc.constantFrom('in', 'nin'),
    value: fc.array(fc.oneof(lettered, number), { minLength: 1, maxLength: 4 }),
  }),
  fc.record({
    field: fc.constant('price'),
    operator: fc.constantFrom('gt', 'gte', 'lt', 'lte'),
    value: bound,
  }),
  fc.record({
    field: fc.constant('product_id'),
    operator: fc.constantFrom('in', 'nin'),
    value: fc.array(fc.constantFrom(...PRODUCTS, 'none'), { minLength: 1, maxLength: 3 }),
  }),
)
const columnFilter = fc
  .record(
    {
      must: fc.array(inColumns, { minLength: 1, maxLength: 2 }),
      should: fc.array(inColumns, { minLength: 2, maxLength: 3 }),
      must_not: fc.array(inColumns, { minLength: 1, maxLength: 2 }),
    },
    { requiredKeys: [], noNullPrototype: true },
  )
  .filter(({ must, should, must_not }) => Boolean(must ?? should ?? must_not))

test('what is kept of a filter follows every change of a product', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(metadata, { minLength: PRODUCTS.length, maxLength: PRODUCTS.length }),
      fc.array(columnFilter, { minLength: 1, maxLength: 6 }),
      fc.array(fc.tuple(fc.nat(PRODUCTS.length - 1), fc.option(metadata)), { minLength: 1, maxLength: 4 }),
      async (all, filters, changes) => {
        const subjects = await putAll(all)
        for (const input of filters) await resolve(input)
        for (const [n, changed] of changes) {
          const productId = PRODUCTS[n] as string
          if (!changed) await app.products.writer.remove(store.id, productId)
          else {
            const input = { productId, sources: [{ url }], metadata: changed }
            await app.products.writer.put(store, input)
            subjects[n] = { ...(subjects[n] as Subject), metadata: changed }
          }
          const present = app.db.prepare<[], string>('SELECT product_id FROM products').pluck().all()
          const left = subjects.filter((subject) => present.includes(subject.productId))
          for (const input of filters) {
            const found = (await resolve(input)).sort()
            expect({ input, found }).toEqual({ input, found: expected(input, left).sort() })
          }
        }
      },
    ),
    { numRuns: RUNS, endOnFailure: true },
  )
})
