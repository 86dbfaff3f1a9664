import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { recordBar } from '../../../robustness/bars.ts'
import { foreverKey } from '../../../support/keys.ts'
import { countRows } from '../../../support/seed.ts'
import { makeKey, openWidgetShop, widgetHeaders } from '../widget/widget-shop.ts'

const DAY = 86_400_000

type Shop = Awaited<ReturnType<typeof openShop>>

let shop: Shop

/** A shop whose token outlives the days of a test. */
async function openShop() {
  const opened = await openWidgetShop()
  return { ...opened, owner: opened.token, token: await foreverKey(opened.app, opened.token) }
}

beforeEach(async () => {
  shop = await openShop()
})
afterEach(() => shop.app.close())

const line = (order_id: string, order_value: number, more: object = {}) => ({
  ...{ action: 'purchase', result_product_id: 'mug', currency: 'EUR', order_id, order_value },
  ...more,
})

const tell = async (body: object, of = shop) => {
  const answer = await of.app.call('POST', '/v1/search/feedback', { token: of.token, body })
  expect(answer.status).toBe(201)
  return answer.body
}
const claim = async (body: object, of = shop, key = of.key) => {
  const answer = await of.call('feedback', body, widgetHeaders(key))
  expect(answer.status).toBe(201)
  return answer.body
}

interface Report {
  revenue: { currency: string; total: number; attributed: number; orders: number }[]
  by_source: { source: string; clicks: number; add_to_cart: number; purchases: number }[]
  tracking: { message: string }
}
interface Popular {
  products: { product_id: string; score: number; clicks: number; purchases: number; revenue: object[] }[]
}

const read = async <Body>(path: string, of = shop) =>
  (await of.app.call('GET', path, { token: of.token })).body as unknown as Body
const report = (of = shop) => read<Report>('/v1/search/analytics?days=30', of)
const revenue = async (of = shop) =>
  (await report(of)).revenue.map(({ currency, total, attributed, orders }) => ({
    ...{ currency, total, attributed, orders },
  }))
const purchases = async () => (await report()).by_source.map(({ source, purchases: told }) => [source, told])
const popular = async (of = shop) =>
  (await read<Popular>('/v1/search/feedback/popular', of)).products.map(
    ({ product_id, score, purchases: bought, revenue: amounts }) => [product_id, score, bought, amounts],
  )

describe('a report of the backend replaces that of a page (contract 3.11)', () => {
  test.each(['before', 'after'])('a page that tells %s the backend changes nothing of it', async (when) => {
    const lie = () => claim({ events: [line('7', 0.01), line('7', 5, { result_product_id: 'lamp' })] })
    if (when === 'before') await lie()
    const answer = await tell(line('7', 59.9))
    if (when === 'after') await lie()
    expect(answer).toMatchObject({ status: 'recorded', attributed: false })
    expect(await revenue()).toEqual([{ currency: 'EUR', total: 59.9, attributed: 0, orders: 1 }])
    expect(await purchases()).toEqual([
      ['api', 1],
      ['widget', 2],
    ])
    expect(await popular()).toEqual([['mug', 5, 1, [{ currency: 'EUR', amount: 59.9 }]]])
    expect((await report()).tracking.message).toContain('no search was counted yet')
  })

  test('900 order numbers in one request of a page cost the shop nothing', async () => {
    const orders = Array.from({ length: 900 }, (_, n) => `order-${n}`)
    await claim({ events: orders.map((order) => line(order, 0.01)) })
    const first = orders.slice(0, 300).map((order) => line(order, 59.9))
    await tell({ events: first })
    await tell({ events: orders.slice(300).map((order) => line(order, 59.9)) })
    // Again, as a shop does after an error.
    await tell({ events: first })
    expect(await revenue()).toEqual([{ currency: 'EUR', total: 53_910, attributed: 0, orders: 900 }])
    expect(await purchases()).toEqual([
      ['api', 900],
      ['widget', 900],
    ])
  })

  test('a page alone counts, and once', async () => {
    await claim(line('7', 20))
    await claim(line('7', 30))
    expect(await revenue()).toEqual([{ currency: 'EUR', total: 20, attributed: 0, orders: 1 }])
    expect(await purchases()).toEqual([
      ['api', 0],
      ['widget', 1],
    ])
  })

  test('in another currency and days later, when the counts are packed', async () => {
    await claim(line('7', 20, { currency: 'USD' }))
    await claim(line('8', 30, { currency: 'USD' }))
    shop.app.clock.advance(4 * DAY)
    await shop.app.tidy()
    await tell(line('7', 59.9))
    expect(await revenue()).toEqual([
      { currency: 'EUR', total: 59.9, attributed: 0, orders: 1 },
      { currency: 'USD', total: 30, attributed: 0, orders: 1 },
    ])
    const expected = [
      ['mug', 2],
      ['USD', 30],
    ]
    const counts = async () => {
      const [[product, , bought, amounts] = []] = await popular()
      const usd = (amounts as { currency: string; amount: number }[]).find(
        ({ currency }) => currency === 'USD',
      )
      return [
        [product, bought],
        ['USD', usd?.amount],
      ]
    }
    expect(await counts()).toEqual(expected)
    shop.app.clock.advance(4 * DAY)
    await shop.app.tidy()
    expect(await counts()).toEqual(expected)
  })

  test('a click that both report counts once, and both are seen', async () => {
    const { body } = await shop.call('text', { query: 'mug' })
    const search_id = body['search_id']
    const click = { action: 'click', result_product_id: 'mug', search_id }
    await claim(click)
    await tell(click)
    await claim(click)
    const { by_source } = await report()
    expect(by_source.map(({ source, clicks }) => [source, clicks])).toEqual([
      ['api', 1],
      ['widget', 1],
    ])
    expect((await report()).tracking.message).toStartWith('1 search, 1 click in')
    const { products } = await read<Popular>('/v1/search/feedback/popular')
    expect(products.map(({ product_id, clicks }) => [product_id, clicks])).toEqual([['mug', 1]])
  })

  test('a page learns nothing about the reports of the backend', async () => {
    const known = await tell(line('7', 59.9))
    const unknown = await claim(line('8', 1))
    const answer = await claim(line('7', 1))
    expect(Object.keys(answer)).toEqual(Object.keys(unknown))
    expect(answer['feedback_id']).not.toBe(known['feedback_id'])
  })

  test('at most 200 products of one order count if pages report them', async () => {
    const events = Array.from({ length: 250 }, (_, n) => line('7', 1, { result_product_id: `p-${n}` }))
    const { results } = (await claim({ events })) as unknown as { results: { warnings: string[] }[] }
    const warning = expect.stringContaining('of one order 200 products count')
    expect(results.map(({ warnings }) => warnings).lastIndexOf(['the store has no such product'])).toBe(-1)
    expect(results[249]?.warnings).toContainEqual(warning)
    expect(results[199]?.warnings).not.toContainEqual(warning)
    expect(await revenue()).toEqual([{ currency: 'EUR', total: 200, attributed: 0, orders: 1 }])
    await claim({ events })
    expect(countRows(shop.app, 'feedback_events')).toBe(250)
    await tell(line('7', 5))
    expect(await revenue()).toEqual([{ currency: 'EUR', total: 5, attributed: 0, orders: 1 }])
  })
})

describe('an implausible purchase of a page', () => {
  const warnings = async (order_value: number, more: object = {}, key = shop.key) =>
    (await claim(line(`${order_value}`, order_value, more), shop, key))['warnings']
  const dearest = () =>
    shop.app.db.prepare<[], number>('SELECT max(price) FROM products').pluck().get() as number

  test('above 1,000 times the dearest price, or above 10⁹, is recorded with a warning and counts nowhere', async () => {
    const bound = 1_000 * dearest()
    expect(await warnings(bound)).toBeUndefined()
    expect(await warnings(bound + 0.01)).toEqual([expect.stringContaining('1,000 times the dearest price')])
    expect(await warnings(1e12, { currency: 'JPY' })).toEqual([expect.stringContaining('1,000,000,000')])
    expect(countRows(shop.app, 'feedback_events')).toBe(3)
    expect(await revenue()).toEqual([{ currency: 'EUR', total: bound, attributed: 0, orders: 1 }])
    expect(await purchases()).toEqual([
      ['api', 0],
      ['widget', 1],
    ])
    // The backend may sell what it likes.
    expect(await tell(line('9', 1e12))).not.toHaveProperty('warnings')
    expect(await revenue()).toMatchObject([{ total: bound + 1e12, orders: 2 }])
  })

  test('does not block a true one', async () => {
    await claim(line('7', 1e12))
    await claim(line('7', 1e12))
    await claim(line('7', 20))
    expect(await revenue()).toEqual([{ currency: 'EUR', total: 20, attributed: 0, orders: 1 }])
    expect(countRows(shop.app, 'feedback_events')).toBe(2)
  })

  test('reveals no prices that the page may not see', async () => {
    const { key } = await makeKey(shop.app, shop.owner, {
      forced_filters: [{ field: 'category', operator: 'eq', value: 'Mugs' }],
    })
    const much = 1_000 * dearest() + 1
    expect(await warnings(much, {}, key)).toBeUndefined()
    for (const [n, name] of ['price', 'metadata.price', 'sale_price'].entries()) {
      const settings = { private_metadata: [name] }
      await shop.app.call('PATCH', '/v1/store/settings', { token: shop.owner, body: settings })
      expect(await warnings(much + 1 + n)).toBeUndefined()
    }
    expect(await revenue()).toEqual([])
  })
})

describe('bar 47', () => {
  const ORDERS = ['o1', 'o2', 'o3']
  const told = fc.record({
    order: fc.constantFrom(...ORDERS),
    product: fc.constantFrom('mug', 'lamp', 'ghost'),
    cents: fc.integer({ min: 0, max: 99_999 }),
    currency: fc.constantFrom('EUR', 'usd'),
    action: fc.constantFrom('purchase' as const, 'purchase' as const, 'click' as const),
    wait: fc.constantFrom(0, 0, 3_000, DAY),
  })
  type Told = typeof told extends fc.Arbitrary<infer Value> ? Value : never
  const toEvent = ({ order, product, cents, currency, action }: Told) => ({
    ...{ action, result_product_id: product, order_id: order },
    ...(action === 'purchase' && { order_value: cents / 100, currency }),
  })

  test('whatever comes with a widget key, the backend gets the same answers and figures', async () => {
    const quiet = await openShop()
    let [n, lies] = [0, 0]
    try {
      const steps = fc.array(fc.record({ isLie: fc.boolean(), event: told }), {
        minLength: 10,
        maxLength: 60,
      })
      for (const [round, all] of fc.sample(steps, { numRuns: 25, seed: 47 }).entries()) {
        const named = all.map(({ isLie, event }) => ({
          isLie,
          event: { ...event, order: `${round} ${event.order}` },
        }))
        const honest = new Set(
          named.flatMap(({ isLie, event }) => (isLie || event.action !== 'purchase' ? [] : [event.order])),
        )
        for (const { isLie, event } of named) {
          for (const of of [shop, quiet]) {
            of.app.clock.advance(event.wait)
            if (event.wait === DAY) await of.app.tidy()
          }
          if (isLie) {
            // Of an order that the backend tells of itself, sooner or later.
            if (!honest.has(event.order) || event.action !== 'purchase') continue
            await claim(toEvent(event))
            lies++
            continue
          }
          const [one, other] = [await tell(toEvent(event)), await tell(toEvent(event), quiet)]
          expect({ ...one, feedback_id: 0 }).toEqual({ ...other, feedback_id: 0 })
          n++
        }
      }
      const figures = async (of: Shop) => {
        const { by_source } = await report(of)
        return {
          revenue: await revenue(of),
          popular: await popular(of),
          backend: by_source.find(({ source }) => source === 'api'),
        }
      }
      const [attacked, expected] = [await figures(shop), await figures(quiet)]
      const isMet = Bun.deepEquals(attacked, expected)
      const measured = `${lies} purchases told by a page of the orders of ${n} events of the backend; figures ${isMet ? 'equal' : 'differ'}`
      recordBar({ bar: 47, part: 'orders', on: 'process', n, measured, isMet })
      expect(attacked).toEqual(expected)
      expect(lies).toBeGreaterThan(100)
    } finally {
      await quiet.app.close()
    }
  })

  test('a page changes what is popular only within its budget', async () => {
    const { key } = await makeKey(shop.app, shop.owner, { rate_per_minute: 1 })
    const before = (await popular()).length
    let recorded = 0
    for (let n = 0; n < 40; n++) {
      const events = Array.from({ length: 10 }, () => ({ action: 'click', result_product_id: 'lamp' }))
      const { status } = await shop.call('feedback', { events }, widgetHeaders(key))
      if (status === 201) recorded += events.length
    }
    const { products } = await read<Popular>('/v1/search/feedback/popular')
    const clicks = products.find(({ product_id }) => product_id === 'lamp')?.clicks
    const measured = `400 clicks in a minute with a key of 1 request a minute: ${clicks} count`
    recordBar({ bar: 47, part: 'popularity', on: 'process', n: 400, measured, isMet: clicks === 100 })
    expect([before, recorded, clicks]).toEqual([0, 100, 100])
  })
})
