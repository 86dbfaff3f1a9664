import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { makeKey, ORIGIN, openWidgetShop, refusalOf, type WidgetShop, widgetHeaders } from './widget-shop.ts'

let shop: WidgetShop

beforeEach(async () => {
  shop = await openWidgetShop()
  await add('sofa', { name: 'Rotes Sofa Möve', category: 'Möbel', brand: 'Contoso', supplier: 'Mövenbach' })
  await add('sofa-blue', { name: 'Blaues Sofa', category: 'Möbel', brand: 'Zed', sku: 'mxq-7' })
})
afterEach(() => shop.app.close())

const add = (product_id: string, metadata: object) =>
  shop.app.call('POST', '/v1/products', {
    token: shop.token,
    body: { product_id, image_url: shop.app.picture(product_id, 6), metadata },
  })

interface Suggestion {
  query: string
  count: number
  results_count: number
  source: string
  image_url?: string
}

async function suggest(query: string, key = shop.key): Promise<Suggestion[]> {
  const answer = await shop.call('suggestions', { query }, widgetHeaders(key))
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  return answer.body['suggestions'] as Suggestion[]
}

const queriesOf = (found: Suggestion[]) => found.map(({ query }) => query)

/** Shoppers type a query, and what they typed is read. */
async function type(query: string, sessions: number, by = shop.key): Promise<void> {
  for (let n = 0; n < sessions; n++) await shop.find('text', { query, session_id: `${query} ${n}` }, by)
  shop.app.history.flush()
  shop.app.clock.advance(11 * 60_000)
  await suggest(query)
  await shop.app.settle()
}

describe('POST /v1/widget/search/suggestions', () => {
  test('completes words, and says categories and names that have them, with a picture', async () => {
    const found = await suggest('mö')
    expect(found[0]).toEqual({
      ...{ query: 'möbel', count: 0, results_count: 2, source: 'catalog' },
      image_url: expect.stringContaining('sofa'),
    })
    expect(queriesOf(found)).toEqual(['möbel', 'möve', 'Rotes Sofa Möve'])
    expect(queriesOf(await suggest('mobel'))).toEqual(['möbel'])
  })

  test('completes the last of several words by what stands beside the others', async () => {
    expect(queriesOf(await suggest('rotes so'))).toEqual(['rotes sofa', 'Rotes Sofa Möve'])
    expect(await suggest('rotes blau')).toEqual([])
    expect(await suggest('unheard so')).toEqual([])
  })

  test.each(['', ' ', 's', '?', '%', "'", 'ö'])('has nothing for %j', async (query) => {
    expect(await suggest(query)).toEqual([])
  })

  test('says what several shoppers searched for, never what one or two did, nor words of no product', async () => {
    await type('sofa rotes', 2)
    await type('sofa hans', 4)
    expect(queriesOf(await suggest('sofa '))).not.toContain('sofa rotes')
    await type('sofa rotes', 3)
    const [first] = await suggest('sofa r')
    expect(first).toMatchObject({ query: 'sofa rotes', count: 5, source: 'history' })
    expect(queriesOf(await suggest('sofa h'))).toEqual([])
  })

  test('tells nothing of private fields, and where words are private nothing that shoppers typed', async () => {
    await type('sofa zed', 4)
    expect(queriesOf(await suggest('sofa ze'))).toContain('sofa zed')
    expect(await suggest('mövenb')).toEqual([])
    expect(await suggest('mxq')).toEqual([])
    await shop.app.call('PATCH', '/v1/store/settings', {
      token: shop.token,
      body: { private_metadata: ['brand', 'category'] },
    })
    expect([await suggest('sofa ze'), await suggest('cont'), await suggest('möb')]).toEqual([[], [], []])
    expect(queriesOf(await suggest('mö'))).toEqual(['möve', 'Rotes Sofa Möve'])
  })

  test('are of products that the key finds, and of its own store', async () => {
    const forced_filters = [{ field: 'brand', operator: 'eq', value: 'Zed' }]
    const { key } = await makeKey(shop.app, shop.token, { forced_filters })
    await type('sofa rotes', 4)
    expect(queriesOf(await suggest('so', key))).toEqual(['sofa', 'Blaues Sofa'])
    expect([await suggest('rot', key), await suggest('sofa r', key)]).toEqual([[], []])
    const other = await shop.app.signIn('other', 'enterprise')
    const foreign = await makeKey(shop.app, other)
    expect(await suggest('so', foreign.key)).toEqual([])
  })

  test('spend neither searches nor feedback of the key, but an own budget, and write nothing', async () => {
    const { key } = await makeKey(shop.app, shop.token, { rate_per_minute: 1 })
    for (let n = 0; n < 10; n++) await suggest('so', key)
    expect(refusalOf(await shop.call('suggestions', { query: 'so' }, widgetHeaders(key)))).toEqual([
      429,
      'rate_limit_exceeded',
    ])
    await shop.find('text', { query: 'mugs' }, key)
    shop.app.history.flush()
    expect(shop.app.db.prepare('SELECT count(*) FROM searches').pluck().get()).toBe(1)
  })

  test('refuse other pages, keys without searches by words, and broken bodies', async () => {
    const ask = (headers: Record<string, string>, body: unknown = { query: 'so' }) =>
      shop.call('suggestions', body, headers)
    expect(refusalOf(await ask(widgetHeaders(shop.key, 'https://other.example')))).toEqual([
      403,
      'origin_not_allowed',
    ])
    const { key } = await makeKey(shop.app, shop.token, { allowed: ['upload'], origins: [ORIGIN] })
    expect(refusalOf(await ask(widgetHeaders(key)))).toEqual([403, 'permission_denied'])
    for (const body of [{}, { query: 7 }, { query: 'x'.repeat(501) }, { query: 'so', limit: 11 }])
      expect(refusalOf(await ask(widgetHeaders(shop.key), body))).toEqual([422, 'validation_error'])
  })
})
