import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { LIMITS } from '../../../../src/core/limits.ts'
import { FILTER_OPERATORS } from '../../../../src/features/catalogue/filters/schema.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { addProducts } from '../../../support/products.ts'
import { storeId } from '../../../support/seed.ts'

let app: TestApp
let token: string
let slug: string

const put = (id: string, metadata: object, as = token) =>
  app.call('POST', '/v1/products', {
    token: as,
    body: { product_id: id, image_url: app.picture('same', 1), metadata },
  })
const remove = (body: unknown, as = token) => app.call('DELETE', '/v1/products', { token: as, body })
const list = async (as = token) => {
  const { body } = await app.call('GET', '/v1/products?sort=oldest', { token: as })
  return (body['products'] as { product_id: string }[]).map(({ product_id }) => product_id)
}

beforeAll(() => {
  app = testApp()
})
beforeEach(async () => {
  slug = app.newSlug()
  token = await app.signIn(slug)
  await put('red-shoe', { category: 'Shoes', color_name: 'Red', price: 20, tags: ['Sale', 'new'] })
  await put('blue-shoe', { category: 'shoes', color_name: 'Blue', price: 40 })
  await put('bag', { category: 'Bags', price: 60, in_stock: false })
})
afterAll(() => app.close())

describe('DELETE /v1/products', () => {
  const shoes = [{ field: 'category', operator: 'eq', value: 'SHOES' }]

  test('deletes what passes, and tells the feed of each', async () => {
    const { status, body } = await remove({ filters: shoes })
    expect(status).toBe(200)
    expect(body).toEqual({
      ...{ status: 'deleted', matched: 2, deleted: 2, remaining: 0 },
      product_ids: ['red-shoe', 'blue-shoe'],
    })
    expect(await list()).toEqual(['bag'])
    const feed = await app.call('GET', '/v1/changes', { token })
    const changes = feed.body['changes'] as { event: string; data: { product_id: string } }[]
    expect(changes.slice(-2).map((change) => [change.event, change.data.product_id])).toEqual([
      ['product.deleted', 'red-shoe'],
      ['product.deleted', 'blue-shoe'],
    ])
    const search = await app.call('POST', '/v1/search/text', { token, body: { query: '1' } })
    expect((search.body['results'] as { product_id: string }[]).map((hit) => hit.product_id)).toEqual(['bag'])
  })

  test('a dry run deletes nothing', async () => {
    const { body } = await remove({ filters: { must_not: shoes }, dry_run: true })
    expect(body).toEqual({ status: 'dry_run', matched: 1, deleted: 0, remaining: 1, product_ids: ['bag'] })
    expect(await list()).toHaveLength(3)
  })

  test('reaches no other store', async () => {
    const other = await app.signIn('two')
    await put('red-shoe', { category: 'Shoes' }, other)
    expect((await remove({ filters: shoes }, other)).body['deleted']).toBe(1)
    expect(await list()).toHaveLength(3)
    expect(
      (await remove({ filters: [{ field: 'product_id', operator: 'eq', value: 'bag' }] }, other)).body,
    ).toMatchObject({ matched: 0, deleted: 0 })
  })

  test('what a product has become decides, also for a filter that was just answered', async () => {
    await remove({ filters: shoes, dry_run: true })
    await put('bag', { category: 'Shoes' })
    await put('red-shoe', { category: 'Boots' })
    expect((await remove({ filters: shoes })).body['product_ids']).toEqual(['blue-shoe', 'bag'])
    expect(await list()).toEqual(['red-shoe'])
  })

  test('warns of a field and of a value that no product has', async () => {
    const dry = async (field: string, value: unknown) =>
      (await remove({ filters: [{ field, operator: 'eq', value }], dry_run: true })).body['warnings']
    expect(await dry('colour', 'Red')).toEqual([
      "field 'colour' occurs in 0 products; did you mean 'color_name'?",
    ])
    expect(await dry('category', 'shoe')).toEqual([
      "category 'shoe' occurs in 0 products; did you mean 'Shoes'?",
    ])
    expect(await dry('color_name', 'blve')).toEqual([
      "color_name 'blve' occurs in 0 products; did you mean 'Blue'?",
    ])
    expect(await dry('price', '20')).toEqual(["price '20' occurs in 0 products; did you mean the number 20?"])
    expect(await dry('tags', 'sale')).toBeUndefined()
  })

  test('the colours of the picture can be asked for', async () => {
    const near = async (hex: string) =>
      (await remove({ filters: [{ operator: 'color_near', value: { hex, delta_e: 10 } }], dry_run: true }))
        .body['matched']
    // All test pictures are #cc0000.
    expect(await near('#c00000')).toBe(3)
    expect(await near('#0000cc')).toBe(0)
  })

  const deep = (levels: number): object => (levels === 1 ? { must: shoes } : { must: [deep(levels - 1)] })
  const eq = { field: 'a', operator: 'eq', value: 1 }
  const invalid: [name: string, filters: unknown, pointer: string, code: string][] = [
    ['none', undefined, '/filters', 'required'],
    ['an empty list', [], '/filters', 'min_items'],
    ['an empty group', {}, '/filters', 'min_items'],
    ['an empty group inside', [{}], '/filters/0', 'min_items'],
    ['a text', 'all', '/filters', 'type'],
    ['a misspelt key', { mustnot: [eq] }, '/filters/mustnot', 'unknown'],
    ['a key too many', [{ ...eq, boost: 2 }], '/filters/0/boost', 'unknown'],
    ['six levels', deep(6), '/filters/must/0/must/0/must/0/must/0/must/0', 'too_deep'],
    ['101 conditions', Array(101).fill(eq), '/filters', 'max_items'],
    [
      '101 values',
      [eq, { ...eq, operator: 'contains_any', value: Array(100).fill('x') }],
      '/filters/1/value',
      'max_items',
    ],
    [
      'eleven colours',
      Array(11).fill({ operator: 'color_near', value: { hex: '#cc0000' } }),
      '/filters/10',
      'max_items',
    ],
    [
      '1,001 values',
      [{ ...eq, operator: 'in', value: Array(1001).fill(1) }],
      '/filters/0/value',
      'max_items',
    ],
    ['no values', [{ ...eq, operator: 'nin', value: [] }], '/filters/0/value', 'min_items'],
    ['513 characters', [{ ...eq, value: 'x'.repeat(513) }], '/filters/0/value', 'max_length'],
    ['513 characters in a name', [{ ...eq, field: 'x'.repeat(513) }], '/filters/0/field', 'max_length'],
    ['U+0000', [{ ...eq, value: 'a\0' }], '/filters/0/value', 'pattern'],
    ['no field', [{ operator: 'eq', value: 1 }], '/filters/0/field', 'required'],
    ['spaces', [{ ...eq, operator: 'contains', value: ' ' }], '/filters/0/value', 'min_length'],
    ['a range backwards', [{ ...eq, operator: 'between', value: [2, 1] }], '/filters/0/value', 'range'],
    ['min_should beyond should', { should: [eq], min_should: 2 }, '/filters/min_should', 'range'],
    ['min_should without should', { must: [eq], min_should: 1 }, '/filters/min_should', 'range'],
    [
      'a colour that is none',
      [{ operator: 'color_near', value: { hex: 'red' } }],
      '/filters/0/value/hex',
      'format',
    ],
    [
      'a distance of 0',
      [{ operator: 'color_near', value: { hex: '#ff0000', delta_e: 0 } }],
      '/filters/0/value/delta_e',
      'range',
    ],
  ]
  test.each(invalid)('refuses %s', async (_, filters, pointer, code) => {
    const { status, body } = await remove({ filters })
    expect([status, body['error']]).toEqual([422, 'validation_error'])
    const [problem] = (body['details'] as { errors: { pointer: string; code: string }[] }).errors
    expect(problem).toMatchObject({ in: 'body', pointer, code })
    expect(await list()).toHaveLength(3)
  })

  test('takes 100 conditions and five levels', async () => {
    expect((await remove({ filters: Array(100).fill(eq), dry_run: true })).status).toBe(200)
    expect((await remove({ filters: deep(5), dry_run: true })).body['matched']).toBe(2)
    const values = Array(1000).fill('shoes')
    const many = [{ field: 'category', operator: 'in', value: values }]
    expect((await remove({ filters: many, dry_run: true })).body['matched']).toBe(2)
  })

  test('names the operators where one is unknown', async () => {
    for (const operator of ['equals', undefined, 'toString', 1]) {
      const { status, body } = await remove({ filters: [{ field: 'a', operator, value: 1 }] })
      expect([status, body['error']]).toEqual([422, 'filter_operator_unknown'])
      expect(body['details']).toMatchObject({
        pointer: '/filters/0/operator',
        allowed: [...FILTER_OPERATORS],
      })
    }
  })

  test.each([
    [{ field: 'price', operator: 'gt', value: 'cheap' }, '/filters/0/value', ['number', 'date']],
    [{ field: 'price', operator: 'gt', value: '2026-02-31' }, '/filters/0/value', ['number', 'date']],
    [{ field: 'created_at', operator: 'gt', value: 5 }, '/filters/0/value', ['date']],
    [
      { field: 'created_at', operator: 'eq', value: 5 },
      '/filters/0/operator',
      ['gt', 'gte', 'lt', 'lte', 'between', 'exists', 'not_exists', 'is_null', 'is_empty'],
    ],
    [
      { field: 'price', operator: 'between', value: 5 },
      '/filters/0/value',
      ['[number, number]', '[date, date]'],
    ],
    [
      { field: 'price', operator: 'between', value: [5, '2026-01-01'] },
      '/filters/0/value',
      ['[number, number]', '[date, date]'],
    ],
    [{ field: 'a', operator: 'in', value: 'x' }, '/filters/0/value', ['array']],
    [{ field: 'a', operator: 'in', value: ['x', {}] }, '/filters/0/value/1', ['string', 'number', 'boolean']],
    [{ field: 'a', operator: 'eq', value: null }, '/filters/0/value', ['string', 'number', 'boolean']],
    [{ field: 'a', operator: 'starts_with', value: 1 }, '/filters/0/value', ['string']],
    [{ field: 'a', operator: 'exists', value: 'yes' }, '/filters/0/value', ['boolean']],
    [{ field: 'is_demo', operator: 'eq', value: 'true' }, '/filters/0/value', ['boolean']],
    [{ field: 'a', operator: 'color_near', value: '#ff0000' }, '/filters/0/field', undefined],
    [{ operator: 'color_near', value: '#ff0000' }, '/filters/0/value', ['object']],
  ])('%j does not fit', async (condition, pointer, allowed) => {
    const { status, body } = await remove({ filters: [condition] })
    expect(status).toBe(422)
    expect(body['error']).toBe(allowed ? 'filter_type_mismatch' : 'validation_error')
    expect(body['details']).toMatchObject({ pointer, ...(allowed && { allowed }) })
  })

  test('a misspelt dry_run deletes nothing', async () => {
    const { status, body } = await remove({ filters: shoes, dryRun: true })
    expect([status, body['error']]).toEqual([422, 'validation_error'])
    expect(body['details']).toMatchObject({ allowed: ['filters', 'dry_run'] })
    expect((await remove({ filters: shoes, dry_run: 'yes' })).status).toBe(422)
    expect(
      (
        await app.call('DELETE', '/v1/products', {
          token,
          body: '',
          headers: { 'content-type': 'application/json' },
        })
      ).status,
    ).toBe(400)
    expect(await list()).toHaveLength(3)
  })

  test('a hostile field name is only a name', async () => {
    const names = [
      "') OR 1=1 --",
      '$',
      '$.category',
      '"',
      '\\',
      "a' || (SELECT 1) || '",
      '@v0',
      '?',
      '__proto__.x',
      'a..b',
    ]
    for (const field of names) {
      const { status, body } = await remove({ filters: [{ field, operator: 'exists' }], dry_run: true })
      expect([field, status, body['matched']]).toEqual([field, 200, 0])
    }
  })
})

test(`one request deletes at most ${LIMITS.deletedByFilterMax}, the oldest first`, async () => {
  const extra = 10
  addProducts(
    app.db,
    storeId(app, slug),
    Array.from({ length: LIMITS.deletedByFilterMax + extra }, (_, n) => ({
      id: `b${n}`,
      metadata: { bulk: true },
    })),
  )
  const filters = [{ field: 'bulk', operator: 'eq', value: true }]
  const { body } = await remove({ filters })
  expect(body).toMatchObject({
    matched: LIMITS.deletedByFilterMax + extra,
    deleted: LIMITS.deletedByFilterMax,
    remaining: extra,
  })
  expect((body['product_ids'] as string[]).length).toBe(LIMITS.deletedIdsShown)
  expect((await remove({ filters })).body).toMatchObject({ deleted: extra, remaining: 0 })
  expect(await list()).toHaveLength(3)
})
