import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { idsOf, makeKey, openWidgetShop, type WidgetShop } from '../widget/widget-shop.ts'

interface Found {
  search_id: string
  results: { product_id: string; similarity_score: number; explain?: { rules: object[] } }[]
}

let shop: WidgetShop

beforeAll(async () => {
  shop = await openWidgetShop()
})
afterAll(() => shop.app.close())
beforeEach(async () => {
  for (const { id } of await list()) await rules('DELETE', `/${id}`)
})

const rules = (method: string, path = '', body?: object) =>
  shop.app.call(method, `/v1/store/rules${path}`, { token: shop.token, ...(body && { body }) })
const list = async () => (await rules('GET')).body['rules'] as { id: string; uses: number; clicks: number }[]
async function add(then: object[], when: object = {}): Promise<string> {
  const answer = await rules('POST', '', { name: 'Campaign', when, then })
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  return String(answer.body['id'])
}
async function search(body: object = {}): Promise<Found> {
  const asked = { body: { query: 'mugs', explain: true, ...body }, token: shop.token }
  return (await shop.app.call('POST', '/v1/search/text', asked)).body as unknown as Found
}
const order = async (body: object = {}) => idsOf((await search(body)).results)
const brand = (value: string) => [{ field: 'brand', operator: 'eq', value }]

test('a rule acts from the next search on until it is changed or deleted, and no score moves', async () => {
  const before = await search()
  const scores = (found: Found) => new Map(found.results.map((hit) => [hit.product_id, hit.similarity_score]))
  const id = await add(
    [
      { action: 'pin', product_id: 'table', position: 2 },
      { action: 'hide', filters: brand('Zed') },
    ],
    { words: ['mug'] },
  )
  const after = await search()
  expect(idsOf(after.results)[1]).toBe('table')
  expect(idsOf(after.results).toSorted()).toEqual(['cup', 'mug', 'table'])
  expect(after.results[1]?.explain?.rules).toEqual([{ id, name: 'Campaign', action: 'pin' }])
  for (const [productId, score] of scores(after)) expect(scores(before).get(productId)).toBe(score)
  expect(await order({ query: 'lamps' })).toContain('lamp')
  expect(await order({ rules: false })).toEqual(idsOf(before.results))
  await rules('PUT', `/${id}`, {
    name: 'Campaign',
    active: false,
    then: [{ action: 'hide', filters: brand('Zed') }],
  })
  expect(await order()).toEqual(idsOf(before.results))
  await rules('DELETE', `/${id}`)
  expect(await order()).toEqual(idsOf(before.results))
})

test('it begins and ends by the clock', async () => {
  const before = await order()
  const at = (ms: number) => new Date(shop.app.clock.now() + ms).toISOString()
  await add([{ action: 'pin', product_id: 'table', position: 1 }], { from: at(1_000), until: at(2_000) })
  const first: (string | undefined)[] = []
  for (let n = 0; n < 3; n++) {
    first.push((await order())[0])
    shop.app.clock.advance(1_000)
  }
  expect(first).toEqual([before[0], 'table', before[0]])
})

test('in a widget it acts for its key alone, also by a private field, and shows nothing but the order', async () => {
  const { key: other } = await makeKey(shop.app, shop.token)
  const settings = (body: object) => shop.app.call('PATCH', '/v1/store/settings', { token: shop.token, body })
  await settings({ private_metadata: ['brand'] })
  const before = idsOf((await shop.find('text', { query: 'mugs', cutoff: 'none' })).results)
  await add(
    [
      { action: 'pin', product_id: 'lamp', position: 1 },
      { action: 'bury', filters: brand('Acme'), strength: 3 },
    ],
    {
      key_id: shop.keyId,
    },
  )
  const found = await shop.find('text', { query: 'mugs', cutoff: 'none' })
  const after = idsOf(found.results)
  expect([before[0], after[0]]).toEqual(['mug', 'lamp'])
  const isBehind = (ids: string[]) => ids.indexOf('cup') > ids.indexOf('both')
  expect([isBehind(before), isBehind(after)]).toEqual([false, true])
  expect(JSON.stringify(found)).not.toMatch(/Campaign|explain|rule|brand/i)
  expect(idsOf((await shop.find('text', { query: 'mugs' }, other)).results)[0]).toBe('mug')
  expect((await order())[0]).toBe('mug')
  await settings({ private_metadata: [] })
})

test('its uses and clicks are those of tracked searches and of what it moved', async () => {
  const id = await add([{ action: 'boost', filters: brand('Zed'), strength: 1 }], { source: 'text' })
  const { search_id } = await search()
  const click = (result_product_id: string, more: object = {}) =>
    shop.app.call('POST', '/v1/search/feedback', {
      token: shop.token,
      body: { search_id, result_product_id, action: 'click', ...more },
    })
  await click('lamp')
  await click('lamp')
  await click('mug')
  await click('lamp', { action: 'add_to_cart' })
  await search({ analytics: false })
  await search({ rules: false })
  expect(await list()).toMatchObject([{ id, uses: 1, clicks: 1 }])
  const { body } = await shop.app.call('GET', `/v1/search/history/${search_id}`, { token: shop.token })
  expect(body['parameters']).toMatchObject({ acted_rules: { [id]: expect.any(Array) } })
})

test('rules that are damaged or name what is gone fail no search', async () => {
  const before = await order()
  await add([{ action: 'pin', product_id: 'gone', position: 1 }])
  const id = await add([{ action: 'hide', filters: brand('Zed') }])
  shop.app.db
    .prepare(`UPDATE search_rules SET actions = '[{"action":"hide","filters":5}]' WHERE id = ?`)
    .run(id)
  expect(await order()).toEqual(before)
})
