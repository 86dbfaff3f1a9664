import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { idsOf, makeKey, openWidgetShop, type WidgetShop } from '../../widget/widget-shop.ts'

let shop: WidgetShop

/** A shop of shirts and mugs that writes English and counts in euros. */
beforeEach(async () => {
  shop = await openWidgetShop()
  await set({ currency: 'EUR' })
  for (const [product_id, name, price, color_name] of [
    ['cheap', 'Blouse long', 15, 'red'],
    ['dear', 'Blouse wide', 150, 'blue'],
    ['sleeves', 'Blouse with sleeves', 40, 'red'],
    ['none', 'Blouse without sleeves', 40, 'red'],
    ['named', 'Blouse under 20', 90, 'red'],
  ] as const)
    await shop.app.call('POST', '/v1/products', {
      token: shop.token,
      body: {
        product_id,
        image_url: shop.app.picture(product_id, 7),
        metadata: { name, price, color_name, category: 'Blouses' },
      },
    })
})
afterEach(() => shop.app.close())

async function set(body: object): Promise<void> {
  expect((await shop.app.call('PATCH', '/v1/store/settings', { token: shop.token, body })).status).toBe(200)
}

async function search(body: object, verb = 'text') {
  const answer = await shop.app.call('POST', `/v1/search/${verb}`, { token: shop.token, body })
  expect(answer.status).toBe(200)
  return answer.body as {
    results: { product_id: string; similarity_score: number }[]
    interpreted?: {
      price_min?: number
      price_max?: number
      words: { word: string; known: string; as?: string }[]
    }
    search_id: string
  }
}

const category = 'Blouses'

describe('what the words of a query mean (contract 3.5)', () => {
  test('a price filters as price_max does, and of two bounds the narrower one counts', async () => {
    const { results, interpreted } = await search({ query: 'blouse up to 50 €', category })
    expect(idsOf(results).toSorted()).toEqual(['cheap', 'none', 'sleeves'])
    expect(interpreted).toEqual({ price_max: 50, words: [{ word: 'blouse', known: 'name' }] })
    expect(idsOf((await search({ query: 'blouse up to 50 €', category, price_max: 20 })).results)).toEqual([
      'cheap',
    ])
    expect((await search({ query: 'blouse up to 50 €', category, price_min: 60 })).results).toEqual([])
    const wide = await search({ query: 'blouse up to 50 €', category, price_max: 1_000 })
    expect(wide.results).toHaveLength(3)
  })

  test('a query of a price alone lists what costs so much, and its own words go to the log', async () => {
    const { results, interpreted } = await search({ query: 'under 20 €' })
    expect(interpreted).toEqual({ price_max: 20, words: [] })
    expect(idsOf(results)).toContain('cheap')
    expect(idsOf(results)).not.toContain('dear')
    await shop.app.settle()
    const log = await shop.app.call('GET', '/v1/search/history?limit=5', { token: shop.token })
    if (log.status === 200) expect(JSON.stringify(log.body)).toContain('under 20 €')
  })

  test('interpret: false, another currency and the whole name of a product are only words', async () => {
    for (const body of [
      { query: 'blouse up to 50 €', interpret: false },
      { query: 'blouse up to 50 $' },
      { query: 'Blouse under 20' },
    ]) {
      const { results, interpreted } = await search({ ...body, category })
      expect(results).toHaveLength(5)
      expect(interpreted?.price_max).toBeUndefined()
      if ('interpret' in body) expect(interpreted).toBeUndefined()
    }
    expect((await search({ query: 'Blouse under 20', category })).results[0]?.product_id).toBe('named')
  })

  test('a product loses that says what is unwanted, unless it says that it is without; none is left out', async () => {
    const { results, interpreted } = await search({ query: 'blouse without sleeves', category })
    expect(interpreted).toMatchObject({ without: ['sleeves'], words: [{ word: 'blouse', known: 'name' }] })
    expect(results).toHaveLength(5)
    expect(results.at(-1)?.product_id).toBe('sleeves')
    const plain = await search({ query: 'blouse', category })
    const scoreOf = (id: string, all: typeof results) =>
      all.find(({ product_id }) => product_id === id)?.similarity_score
    expect(scoreOf('none', results)).toBeCloseTo(scoreOf('none', plain.results) ?? -1)
  })

  test('words of another language find what the shop calls otherwise', async () => {
    const { results, interpreted } = await search({ query: 'rote Blusen', category, threshold: 0 })
    expect(interpreted).toEqual({
      colors: ['red'],
      words: [
        { word: 'rote', known: 'colour', as: 'red' },
        { word: 'blusen', known: 'name', as: 'blouse' },
      ],
    } as never)
    expect(results.at(-1)?.product_id).toBe('dear')
  })

  test('counts in all searches with words', async () => {
    const image_url = shop.url(7)
    for (const [verb, body] of [
      ['filtered', { query: 'blouse up to 50 €', category }],
      ['hybrid', { query: 'blouse up to 50 €', category, image_url }],
      ['fusion', { query: 'blouse up to 50 €', category, image_url }],
      ['hybrid', { query: 'up to 50 €', category, image_url }],
      ['fusion', { query: 'up to 50 €', category, image_url }],
    ] as const) {
      const { results, interpreted } = await search(body, verb)
      expect(interpreted?.price_max).toBe(50)
      expect(idsOf(results).toSorted()).toEqual(['cheap', 'none', 'sleeves'])
    }
    const queries = [{ type: 'text', query: 'blouse up to 50 €', category }]
    const on = await shop.app.call('POST', '/v1/search/batch', { token: shop.token, body: { queries } })
    expect(on.body).toMatchObject({ results: [{ count: 3, interpreted: { price_max: 50 } }] })
    const off = await shop.app.call('POST', '/v1/search/batch', {
      token: shop.token,
      body: { queries, interpret: false },
    })
    expect(off.body).toMatchObject({ results: [{ count: 5 }] })
  })
})

test('ignored words are not named, and what the store says of a word is what it means', async () => {
  const words = { synonyms: [{ words: ['Handtasche', 'blouse'] }], ignore: ['billig'] }
  expect((await shop.app.call('PUT', '/v1/store/words', { token: shop.token, body: words })).status).toBe(200)
  const { interpreted } = await search({ query: 'billig rote Handtasche' })
  expect(interpreted?.words).toEqual([
    { word: 'rote', known: 'colour', as: 'red' },
    { word: 'handtasche', known: expect.any(String) },
  ])
})

describe('in a widget (contract 10.4)', () => {
  const query = 'rote Blusen up to 50 €'
  const ask = async (by?: string) =>
    (await shop.find('text', { query, category, cutoff: 'none' }, by)) as Awaited<
      ReturnType<WidgetShop['find']>
    > & {
      interpreted?: object
    }

  test('a shopper sees what was understood', async () => {
    const answer = await ask()
    expect(answer.interpreted).toMatchObject({ price_max: 50, colors: ['red'] })
    expect(idsOf(answer.results).toSorted()).toEqual(['cheap', 'none', 'sleeves'])
  })

  test('private prices cannot be found out by words', async () => {
    for (const key of ['price', 'sale_price']) {
      await set({ private_metadata: [key] })
      const { results, interpreted } = await ask()
      expect(results).toHaveLength(5)
      expect(interpreted).not.toHaveProperty('price_max')
    }
  })

  test('what private words and forced filters hide is told to nobody', async () => {
    await set({ private_metadata: ['brand'] })
    expect((await ask()).interpreted).toBeUndefined()
    await set({ private_metadata: [] })
    const forced = await makeKey(shop.app, shop.token, {
      forced_filters: [{ field: 'price', operator: 'lte', value: 50 }],
    })
    expect((await ask(forced.key)).interpreted).toBeUndefined()
  })
})
