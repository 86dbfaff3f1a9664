import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { MINUTE_MS } from '../../../../src/core/clock.ts'
import { countRows, readRows, storeId } from '../../../support/seed.ts'
import { makeKey, widgetHeaders } from '../widget/widget-shop.ts'
import { idsOf, openTogetherShop } from './together-shop.ts'

type Shop = Awaited<ReturnType<typeof openTogetherShop>>
let shop: Shop

beforeEach(async () => {
  shop = await openTogetherShop()
})
afterEach(() => shop.app.close())

describe('GET /v1/products/{product_id}/together (contract 3.18)', () => {
  test('what was bought in one order stands in both lists', async () => {
    await shop.order(4, 'mug', 'saucer')
    await shop.order(3, 'lamp', 'bulb')
    await shop.count()
    const ofMug = await shop.together('mug')
    expect([ofMug.basis, idsOf(ofMug), ofMug.results[0]?.similarity_score]).toEqual([
      'purchases',
      ['saucer'],
      1,
    ])
    expect(idsOf(await shop.together('saucer'))).toEqual(['mug'])
    expect(idsOf(await shop.together('lamp'))).toEqual(['bulb'])
  })

  test('the score is the cosine of the baskets, and best comes first', async () => {
    await shop.order(8, 'mug', 'saucer')
    await shop.order(4, 'mug', 'spoon')
    await shop.count()
    const { results } = await shop.together('mug')
    expect(results.map(({ product_id, similarity_score }) => [product_id, similarity_score])).toEqual([
      ['saucer', 0.8165],
      ['spoon', 0.5774],
    ])
    expect(idsOf(await shop.together('mug', '?threshold=0.6'))).toEqual(['saucer'])
  })

  test('a product that is in most orders stands only where it belongs', async () => {
    await shop.order(12, 'mug', 'saucer', 'bag')
    await shop.order(6, 'lamp', 'bulb', 'bag')
    await shop.order(6, 'lamp', 'bulb')
    await shop.order(60, 'bag', 'spoon')
    await shop.order(300, 'bag')
    await shop.count()
    expect(idsOf(await shop.together('lamp'))).toEqual(['bulb'])
    expect(idsOf(await shop.together('mug'))[0]).toBe('saucer')
  })

  test('too little says nothing: similar products come instead, as that search gives them', async () => {
    await shop.order(2, 'mug', 'saucer')
    await shop.visit(4, 'mug', 'spoon')
    await shop.count()
    const [row, similar] = [
      await shop.together('mug', '?limit=3'),
      await shop.read('/v1/products/mug/similar?limit=3'),
    ]
    expect(row.basis).toBe('similar')
    expect(row.results).toEqual(similar.results)
  })

  test('clicks of one visit count where purchases are too few, and never beside them', async () => {
    await shop.visit(6, 'mug', 'spoon')
    await shop.visit(6, 'lamp', 'spoon')
    await shop.order(3, 'lamp', 'bulb')
    await shop.count()
    const [ofMug, ofLamp] = [await shop.together('mug'), await shop.together('lamp')]
    expect([ofMug.basis, idsOf(ofMug)]).toEqual(['clicks', ['spoon']])
    expect([ofLamp.basis, idsOf(ofLamp)]).toEqual(['purchases', ['bulb']])
  })

  test('a visitor is one voice, and a robot none', async () => {
    const again = Array.from({ length: 40 }, () => ['mug', 'saucer']).flat()
    await shop.visit(1, ...again)
    await shop.visit(5, ...Array.from({ length: 200 }, () => ['lamp', 'bulb', 'bag']).flat())
    await shop.count()
    expect((await shop.together('mug')).basis).toBe('similar')
    expect((await shop.together('lamp')).basis).toBe('similar')
  })

  test('products of two visits of one session do not belong together', async () => {
    const at = (minutes: number) => new Date(shop.app.clock.now() - minutes * MINUTE_MS).toISOString()
    const click = (session_id: string, result_product_id: string, minutes: number) => ({
      ...{ session_id, result_product_id, action: 'click', occurred_at: at(minutes) },
    })
    const sessions = Array.from({ length: 6 }, (_, n) => `s${n}`)
    await shop.tell(
      sessions.flatMap((id) => [click(id, 'mug', 90), click(id, 'saucer', 5), click(id, 'spoon', 1)]),
    )
    await shop.count()
    expect((await shop.together('mug')).basis).toBe('similar')
    expect(idsOf(await shop.together('saucer'))).toEqual(['spoon'])
  })

  test('purchases without an order number belong together by their visit', async () => {
    const buy = (session_id: string, result_product_id: string) => ({
      ...{ session_id, result_product_id, action: 'purchase', order_value: 1, currency: 'EUR' },
    })
    await shop.tell(['a', 'b', 'c'].flatMap((id) => [buy(id, 'mug'), buy(id, 'bag')]))
    await shop.count()
    const row = await shop.together('mug')
    expect([row.basis, idsOf(row)]).toEqual(['purchases', ['bag']])
  })

  test('filters, paging and groups are those of similar products', async () => {
    await shop.order(5, 'mug', 'saucer')
    await shop.order(4, 'mug', 'spoon')
    await shop.count()
    const cheap = await shop.together('mug', '?price_max=25')
    expect([cheap.basis, idsOf(cheap), cheap.total_candidates]).toEqual(['purchases', ['saucer'], 1])
    expect(idsOf(await shop.together('mug', '?limit=1&offset=1'))).toEqual(['spoon'])
    expect(idsOf(await shop.together('mug', '?offset=2'))).toEqual([])
    // None of the list passes: similar products that pass are better than an empty row.
    const dear = await shop.together('mug', '?price_min=35')
    expect([dear.basis, idsOf(dear).length]).toEqual(['similar', 3])
    expect((await shop.together('mug', '?prize_max=25')).warnings).toEqual([
      "the unknown field 'prize_max' was ignored; did you mean 'price_max'?",
    ])
  })

  test('a deleted product appears nowhere, and another size of the same product never', async () => {
    for (const product_id of ['mug', 'spoon'])
      await shop.app.call('PATCH', `/v1/products/${product_id}`, {
        token: shop.token,
        body: { metadata: { variant_group: 'set' } },
      })
    await shop.order(5, 'mug', 'saucer', 'spoon', 'bag')
    await shop.count()
    expect(idsOf(await shop.together('mug')).sort()).toEqual(['bag', 'saucer'])
    await shop.app.call('DELETE', '/v1/products/saucer', { token: shop.token })
    expect(idsOf(await shop.together('mug'))).toEqual(['bag'])
    expect((await shop.get('/v1/products/saucer/together')).status).toBe(404)
    // The next count forgets its list, too.
    shop.app.clock.advance(15 * MINUTE_MS)
    await shop.order(1, 'lamp')
    await shop.count()
    expect(readRows(shop.app, 'together_lists', { product_id: 'saucer' })).toEqual([])
  })

  test("another store's product is 404, and its events never mix", async () => {
    const other = await openTogetherShop(shop.app, 'other', ['mug', 'plate'])
    await shop.order(4, 'mug', 'saucer')
    await other.order(4, 'mug', 'plate')
    await shop.count()
    expect(idsOf(await shop.together('mug'))).toEqual(['saucer'])
    expect(idsOf(await other.together('mug'))).toEqual(['plate'])
    expect((await shop.get('/v1/products/plate/together')).status).toBe(404)
  })

  test('searches that must not be counted, and reports of pages that the backend replaces, say nothing', async () => {
    const { search_id } = await shop.together('mug', '?analytics=false')
    const untracked = Array.from({ length: 6 }, (_, n) => `quiet-${n}`).flatMap((session_id) =>
      ['mug', 'saucer'].map((result_product_id) => ({
        result_product_id,
        session_id,
        search_id,
        action: 'click',
      })),
    )
    await shop.tell(untracked)
    const { key } = await makeKey(shop.app, shop.token)
    const say = (order_id: string, result_product_id: string) =>
      shop.app.call('POST', '/v1/widget/search/feedback', {
        body: { order_id, result_product_id, action: 'purchase', order_value: 1, currency: 'EUR' },
        headers: widgetHeaders(key),
      })
    for (const order_id of ['o1', 'o2', 'o3']) {
      for (const product of ['lamp', 'bag']) await say(order_id, product)
      // The backend knows what was in the order.
      await shop.tell([
        { order_id, result_product_id: 'lamp', action: 'purchase', order_value: 1, currency: 'EUR' },
        { order_id, result_product_id: 'bulb', action: 'purchase', order_value: 1, currency: 'EUR' },
      ])
    }
    await shop.count()
    expect((await shop.together('mug')).basis).toBe('similar')
    expect(idsOf(await shop.together('lamp'))).toEqual(['bulb'])
  })

  test('it is logged as a search of its own type, and feedback names it', async () => {
    await shop.order(4, 'mug', 'saucer')
    await shop.count()
    const { search_id } = await shop.together('mug')
    const { body } = await shop.app.call('POST', '/v1/search/feedback', {
      token: shop.token,
      body: { search_id, result_product_id: 'saucer', action: 'click' },
    })
    expect([body['attributed'], body['position']]).toEqual([true, 1])
    const log = await shop.get('/v1/search/history?type=together')
    expect(log.body['searches']).toMatchObject([{ search_id, type: 'together', clicks: 1 }])
  })

  test('the next count no longer finds an erased session, and no table names it', async () => {
    await shop.visit(5, 'mug', 'saucer')
    await shop.count()
    expect((await shop.together('mug')).basis).toBe('clicks')
    const [session] = readRows<{ session_id: string }>(shop.app, 'feedback_events')
    await shop.app.call('DELETE', `/v1/search/sessions/${session?.session_id}`, { token: shop.token })
    shop.app.clock.advance(15 * MINUTE_MS)
    await shop.count()
    expect((await shop.together('mug')).basis).toBe('similar')
    const rest = ['together_runs', 'together_products', 'together_pairs', 'together_lists'].flatMap((table) =>
      readRows(shop.app, table),
    )
    expect(JSON.stringify(rest)).not.toContain('visitor-')
    expect(countRows(shop.app, 'together_pairs', { store_id: storeId(shop.app, 'shop') })).toBe(0)
  })

  test('by day only a young store is counted again; a larger one waits for its night', async () => {
    await shop.order(4, 'mug', 'saucer')
    await shop.count()
    await shop.order(4, 'lamp', 'bulb')
    await shop.count()
    expect((await shop.together('lamp')).basis).toBe('similar')
    shop.app.clock.advance(15 * MINUTE_MS)
    await shop.count()
    expect((await shop.together('lamp')).basis).toBe('purchases')
  })
})

describe('the rows of a product page (contract 10.1)', () => {
  const get = (path: string, key: string, headers = {}) =>
    shop.app.call('GET', path, { headers: { ...widgetHeaders(key), ...headers } })

  test('together and similar, as widgets see them', async () => {
    await shop.order(4, 'mug', 'saucer')
    await shop.count()
    const { key } = await makeKey(shop.app, shop.token)
    const row = await get('/v1/widget/together?product_id=mug&limit=5', key)
    expect([row.status, row.body['basis'], idsOf(row.body as never)]).toEqual([200, 'purchases', ['saucer']])
    expect(JSON.stringify(row.body)).not.toContain('thumbnail')
    const similar = await get('/v1/widget/similar?product_id=mug&limit=3', key)
    expect([similar.status, similar.body['count'], similar.body['basis']]).toEqual([200, 3, undefined])
    expect((await get('/v1/widget/similar?product_id=mug&limit=51', key)).status).toBe(422)
    expect((await get('/v1/widget/similar', key)).status).toBe(422)
  })

  test('a key shows and finds only what its forced filters let pass', async () => {
    await shop.order(4, 'mug', 'saucer', 'bag')
    await shop.count()
    const { key } = await makeKey(shop.app, shop.token, {
      forced_filters: [{ field: 'price', operator: 'lte', value: 20 }],
    })
    expect(idsOf((await get('/v1/widget/together?product_id=mug', key)).body as never)).toEqual(['saucer'])
    for (const row of ['together', 'similar'])
      expect((await get(`/v1/widget/${row}?product_id=bag`, key)).status).toBe(404)
  })

  test('a page that a key does not list is refused; one of the own origin needs no Origin header', async () => {
    const { key } = await makeKey(shop.app, shop.token)
    const ask = async (headers: Record<string, string>) =>
      (
        await shop.app.call('GET', '/v1/widget/similar?product_id=mug', {
          headers: { 'x-service-key': key, ...headers },
        })
      ).status
    expect(await ask({ origin: 'https://other.example' })).toBe(403)
    expect(await ask({})).toBe(403)
    expect(await ask({ referer: 'https://shop.example/mug' })).toBe(403)
    const same = { 'sec-fetch-site': 'same-origin' }
    expect(await ask({ ...same, referer: 'https://shop.example/mug' })).toBe(200)
    expect(await ask({ ...same, referer: 'https://other.example/' })).toBe(403)
    const preflight = await shop.app.call('OPTIONS', '/v1/widget/together')
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, POST')
  })
})

test('rules of the store hide and pin here as in searches, and a request may leave them out', async () => {
  await shop.order(6, 'mug', 'saucer')
  await shop.order(4, 'mug', 'spoon')
  await shop.count()
  const price = { field: 'price', operator: 'eq', value: 20 }
  const { status } = await shop.app.call('POST', '/v1/store/rules', {
    token: shop.token,
    body: {
      name: 'no saucers, and a bag for everybody',
      then: [
        { action: 'hide', filters: [price] },
        { action: 'pin', product_id: 'bag', position: 1 },
      ],
    },
  })
  expect(status).toBe(201)
  const row = await shop.together('mug')
  expect([row.basis, idsOf(row)]).toEqual(['purchases', ['bag', 'spoon']])
  expect(row.results[0]?.similarity_score).toBe(0)
  expect(idsOf(await shop.together('mug', '?rules=false'))).toEqual(['saucer', 'spoon'])
})

describe('sold-out products (contract 3.18)', () => {
  beforeEach(async () => {
    await shop.order(6, 'mug', 'saucer')
    await shop.order(4, 'mug', 'spoon')
    await shop.app.call('PATCH', '/v1/products/saucer', {
      token: shop.token,
      body: { metadata: { in_stock: false } },
    })
    await shop.count()
  })

  test('they stand where they stand, last or nowhere, as the request says', async () => {
    expect(idsOf(await shop.together('mug'))).toEqual(['saucer', 'spoon'])
    expect(idsOf(await shop.together('mug', '?sold_out=last'))).toEqual(['spoon', 'saucer'])
    expect(idsOf(await shop.together('mug', '?sold_out=hide'))).toEqual(['spoon'])
    const ofSaucer = await shop.together('saucer', '?sold_out=hide')
    expect([ofSaucer.basis, idsOf(ofSaucer)]).toEqual(['purchases', ['mug']])
  })

  test('where all of them are sold out and hidden, similar products come', async () => {
    await shop.app.call('PATCH', '/v1/products/mug', {
      token: shop.token,
      body: { metadata: { in_stock: false } },
    })
    expect((await shop.together('spoon', '?sold_out=hide')).basis).toBe('similar')
  })
})
