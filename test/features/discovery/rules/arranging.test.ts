import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { LIMITS } from '../../../../src/core/limits.ts'
import { listWords } from '../../../../src/features/catalogue/product-index/words/tokens.ts'
import { createArranger } from '../../../../src/features/discovery/rules/arranging.ts'
import { ruleQueries } from '../../../../src/features/discovery/rules/queries.ts'
import type { Arrangement } from '../../../../src/features/discovery/search/arrangement.ts'
import type { Query } from '../../../../src/features/discovery/search/query.ts'
import { type TestApp, testApp } from '../../../support/app.ts'

let app: TestApp
let token: string
let storeId: string
let resolved = 0
/** Look-ups that fail. */
let failing = 0
const logged: object[] = []

/** Of an app, with its own filters. */
function arranger() {
  const { parse, resolve, readState } = app.filters
  return createArranger({
    queries: ruleQueries(app.db),
    filters: {
      parse,
      readState,
      resolve(...asked) {
        resolved++
        if (failing-- > 0) return Promise.reject(new Error('the disk could not be read'))
        return resolve(...asked)
      },
    },
    ...{ listWords, clock: app.clock },
    log: { warn: (fields) => void logged.push(fields) },
  })
}

beforeAll(async () => {
  app = testApp()
  token = await app.signIn('one')
  storeId = app.stores.requireBySlug('one').id
  for (const [id, category] of [
    ['mug', 'Mugs'],
    ['cup', 'Mugs'],
    ['lamp', 'Lamps'],
  ] as const)
    await add(id, category)
})
afterAll(() => app.close())
afterEach(() => {
  app.db.exec('DELETE FROM search_rules')
  resolved = 0
  failing = 0
  logged.length = 0
})

const add = (product_id: string, category: string) =>
  app.call('POST', '/v1/products', {
    token,
    body: { product_id, image_url: app.picture(product_id, 1), metadata: { category } },
  })
const of = (category: string) => [{ field: 'category', operator: 'eq', value: category }]
const MUGS = of('Mugs')
async function rule(name: string, actions: object[], when: object = {}): Promise<string> {
  const body = { name, when, then: actions }
  const answer = await app.call('POST', '/v1/store/rules', { token, body })
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  return String(answer.body['id'])
}
const query = (words: string | undefined, fields: object = {}): Query =>
  ({
    ...{ searcher: { storeId }, kind: 'text', startedAt: 0, wanted: {}, warnings: [] },
    filters: { fields: {}, own: [], forced: undefined },
    rankBy: words === undefined ? { kind: 'nothing' } : { kind: 'sides', words: { text: words } },
    ...fields,
  }) as unknown as Query
const describeShape = (found: Arrangement | undefined) => ({
  hidings: found?.hidings.map(({ rule, rows }) => [rule.name, rows.size]),
  pins: found?.pins.map(({ rule, productId, position }) => [rule.name, productId, position]),
  shifts: found?.shifts.map(({ rule, rows, by }) => [rule.name, rows.size, by]),
})

test('the rules that a search meets arrange it, older ones first', async () => {
  await rule('old', [
    { action: 'pin', product_id: 'lamp', position: 3 },
    { action: 'boost', filters: MUGS },
  ])
  await rule(
    'mugs',
    [
      { action: 'pin', product_id: 'mug', position: 3 },
      { action: 'hide', filters: MUGS },
    ],
    {
      words: ['mug'],
    },
  )
  await rule('key', [{ action: 'bury', filters: of('Lamps'), strength: 3 }], { category: 'Lamps' })
  await rule('vain', [{ action: 'hide', filters: of('Boats') }])
  const { arrange } = arranger()
  expect(describeShape(await arrange(query('red mugs')))).toEqual({
    hidings: [['mugs', 2]],
    pins: [
      ['old', 'lamp', 3],
      ['mugs', 'mug', 3],
    ],
    shifts: [['old', 2, 1.5]],
  })
  const inCategory = query(undefined, { filters: { fields: { category: 'lamps' } } })
  expect(describeShape(await arrange(inCategory)).shifts).toEqual([
    ['old', 2, 1.5],
    ['key', 1, -3],
  ])
})

test('no rule acts where the store has none, where all are off, and in another store', async () => {
  const { arrange } = arranger()
  expect(await arrange(query('mug'))).toBeUndefined()
  await rule('mugs', [{ action: 'hide', filters: MUGS }], { until: '2020-01-01T00:00:00Z' })
  const second = arranger()
  expect(await second.arrange(query('mug'))).toBeUndefined()
  await rule('all', [{ action: 'hide', filters: MUGS }])
  const third = arranger()
  expect(await third.arrange(query('mug', { searcher: { storeId: 'another' } }))).toBeUndefined()
  expect(await third.arrange(query('mug'))).toBeDefined()
})

test('a search of a widget, and of its preview, comes with its key', async () => {
  const body = { name: 'shop', origins: ['https://shop.test'] }
  const { id: key_id } = (await app.call('POST', '/v1/security/public-keys', { token, body })).body
  await rule('shop', [{ action: 'hide', filters: MUGS }], { key_id })
  const { arrange } = arranger()
  const by = (owner: string) => arrange(query('mug', { searcher: { storeId, owner } }))
  expect(await by(String(key_id))).toBeDefined()
  expect(await by(`${key_id} somebody`)).toBeDefined()
  expect(await by('another')).toBeUndefined()
})

test('what filters let pass is found once, and again when a product has changed', async () => {
  for (let n = 0; n < 20; n++) await rule(`${n}`, [{ action: 'boost', filters: MUGS }])
  const { arrange } = arranger()
  const first = await arrange(query('mug'))
  resolved = 0
  expect(await arrange(query('lamp'))).toBe(first)
  expect(resolved).toBe(0)
  await add('beaker', 'Mugs')
  expect((await arrange(query('mug')))?.shifts[0]?.rows.size).toBe(3)
  expect(resolved).toBe(1)
  await app.call('DELETE', '/v1/products/beaker', { token })
  expect((await arrange(query('mug')))?.shifts[0]?.rows.size).toBe(2)
})

test('a filter that cannot be read any more is left out, and the log says so once', async () => {
  const id = await rule('broken', [{ action: 'hide', filters: MUGS }])
  const actions = [
    { action: 'pin', product_id: 'mug', position: 1 },
    { action: 'hide', filters: [{ field: 'category', operator: 'sounds_like', value: 'x' }] },
  ]
  app.db.prepare('UPDATE search_rules SET actions = ?').run(JSON.stringify(actions))
  const { arrange } = arranger()
  for (let n = 0; n < 3; n++) {
    expect(describeShape(await arrange(query('mug')))).toMatchObject({
      hidings: [],
      pins: [['broken', 'mug', 1]],
    })
    await add('mug', n % 2 === 0 ? 'Cups' : 'Mugs')
  }
  await add('mug', 'Mugs')
  expect(logged).toEqual([{ err: expect.anything(), rule_id: id }])
})

test('a filter that could not be looked up once is looked up again by the next search', async () => {
  await rule('hide', [{ action: 'hide', filters: MUGS }])
  const { arrange } = arranger()
  failing = 1
  expect(await arrange(query('mug'))).toBeUndefined()
  expect(describeShape(await arrange(query('mug'))).hidings).toEqual([['hide', 2]])
  expect(logged).toHaveLength(1)
})

test('rules that cannot be read at all fail no search', async () => {
  await rule('one', [{ action: 'hide', filters: MUGS }])
  app.db.prepare(`UPDATE search_rules SET actions = '{"a":1}'`).run()
  const { arrange } = arranger()
  for (let n = 0; n < 3; n++) expect(await arrange(query('mug'))).toBeUndefined()
  expect(logged).toHaveLength(1)
})

test('of 500 rules with many filters, those of older rules act', async () => {
  const conditions = (n: number) =>
    Array.from({ length: 10 }, (_, m) => ({ field: 'price', operator: 'ne', value: `${n}.${m}` }))
  await rule('first', [{ action: 'pin', product_id: 'mug', position: 1 }])
  const actions = (n: number) =>
    JSON.stringify([
      { action: 'boost', filters: conditions(n) },
      { action: 'pin', product_id: 'cup', position: 2 },
    ])
  const insert = app.db.prepare(`
    INSERT INTO search_rules SELECT printf('x%03d', ?), store_id, name, active, conditions, key_id, starts_at, ends_at, ?, created_at + 1, updated_at
    FROM search_rules WHERE name = 'first' LIMIT 1`)
  for (let n = 0; n < 499; n++) insert.run(n, actions(n))
  const { arrange } = arranger()
  const found = await arrange(query('mug'))
  expect([found?.pins.length, found?.shifts.length]).toEqual([500, LIMITS.ruleConditionsAtOnce / 10])
  expect(found?.shifts.at(-1)?.rule.id).toBe('x199')
})
