import { afterEach, beforeEach, expect, test } from 'bun:test'
import { hintQueries } from '../../../../src/features/catalogue/filters/hint-queries.ts'
import { createHints } from '../../../../src/features/catalogue/filters/hints.ts'
import { parseFilters } from '../../../../src/features/catalogue/filters/parse.ts'
import { filterQueries } from '../../../../src/features/catalogue/filters/queries.ts'
import { createWalks } from '../../../../src/features/catalogue/filters/walk.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { onlyStoreId } from '../../../support/seed.ts'

let app: TestApp
let token: string

const put = (id: string, metadata: object) =>
  app.call('POST', '/v1/products', {
    token,
    body: { product_id: id, image_url: app.picture('same', 1), metadata },
  })
const warn = async (filters: unknown): Promise<unknown> =>
  (await app.call('DELETE', '/v1/products', { token, body: { filters, dry_run: true } })).body['warnings']
const is = (field: string, value: unknown) => [{ field, operator: 'eq', value }]

beforeEach(async () => {
  app = testApp()
  token = await app.signIn()
})
afterEach(() => app.close())

test('proposes the nearest value of at most 100 characters, and none that is longer', async () => {
  const long = `hoodies ${'and much more '.repeat(8)}`.trim()
  await put('a', { category: long, brand: long, material: long })
  for (const field of ['category', 'brand', 'material'])
    expect(await warn(is(field, 'hoodie'))).toEqual([`${field} 'hoodie' occurs in 0 products`])
  await put('b', { category: 'Hoodies', brand: 'Hoodies', material: 'Hoodies' })
  for (const field of ['category', 'brand', 'material'])
    expect(await warn(is(field, 'hoodie'))).toEqual([
      `${field} 'hoodie' occurs in 0 products; did you mean 'Hoodies'?`,
    ])
})

test('compares with nothing what nobody could have meant', async () => {
  await put('a', { category: 'Hoodies' })
  const [warning] = (await warn(is('category', 'hoodies'.repeat(60)))) as string[]
  expect(warning).toEndWith('occurs in 0 products')
})

test('others are served after each hundred values that are compared', async () => {
  for (let n = 0; n < 250; n++) await put(`p${n}`, { category: `kind ${n}`, material: `stuff ${n}` })
  const storeId = onlyStoreId(app)
  const queries = filterQueries(app.db)
  let turns = 0
  const turn = async () => void turns++
  const walks = createWalks({ queries, clock: app.clock, turn })
  const count = async (filters: unknown, matched: number) => {
    // Fields that were seen are remembered, so each count begins anew.
    const hints = createHints({ queries: hintQueries(app.db), walks })
    turns = 0
    expect(await hints.list(storeId, parseFilters(filters, ''), matched)).toHaveLength(1)
    return turns
  }
  // Once 250 values are read and once compared, in 3 turns each.
  expect(await count(is('category', 'kinds'), 0)).toBeGreaterThanOrEqual(6)
  expect(await count(is('material', 'stuffs'), 0)).toBeGreaterThanOrEqual(6)
  expect(await count(is('materiel', 'stuff 1'), 0)).toBeGreaterThanOrEqual(4)
})
