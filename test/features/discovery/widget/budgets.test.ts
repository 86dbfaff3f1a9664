import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Answer } from '../../../support/app.ts'
import { makeKey, ORIGIN, openWidgetShop, refusalOf, type WidgetShop, widgetHeaders } from './widget-shop.ts'

let shop: WidgetShop

beforeEach(async () => {
  shop = await openWidgetShop()
})
afterEach(() => shop.app.close())

const MUGS = { query: 'mugs' }
const ask = (headers: Record<string, string>) => shop.call('text', MUGS, headers)
const at = (address: string, key = shop.key) => ({ ...widgetHeaders(key), 'x-forwarded-for': address })

/** Calls until one is refused. @returns the number of those that were let in, and the refusal. */
async function spend(headers: () => Record<string, string>): Promise<[number, Answer]> {
  for (let n = 0; n < 2_000; n++) {
    const answer = await ask(headers())
    if (answer.status !== 200) return [n, answer]
  }
  throw new Error('nothing was refused')
}

describe('a widget key (contract 10.3)', () => {
  test.each([
    ['free', 10],
    ['basic', 60],
    ['premium', 200],
    ['enterprise', 1_200],
  ] as const)(
    'on the plan %s makes %p searches a minute, from visitors everywhere',
    async (plan, limit) => {
      shop.app.setPlan('shop', plan)
      const [count, refused] = await spend(() => widgetHeaders(shop.key))
      expect([count, ...refusalOf(refused), refused.body['message']]).toEqual([
        limit,
        429,
        'rate_limit_exceeded',
        `The widget key allows ${limit} such requests a minute`,
      ])
      expect(refused.headers.get('retry-after')).toBe('60')
      expect(refused.headers.get('access-control-allow-origin')).toBe(ORIGIN)
      shop.app.clock.advance(59_999)
      expect((await ask(widgetHeaders(shop.key))).status).toBe(429)
      shop.app.clock.advance(1)
      expect((await ask(widgetHeaders(shop.key))).status).toBe(200)
    },
    60_000,
  )

  test('has its own rate before that of the plan; a new rate counts at once', async () => {
    const { id, key } = await makeKey(shop.app, shop.token, { rate_per_minute: 2 })
    expect((await spend(() => widgetHeaders(key)))[0]).toBe(2)
    const body = { rate_per_minute: 5 }
    await shop.app.call('PATCH', `/v1/security/public-keys/${id}`, { token: shop.token, body })
    expect((await spend(() => widgetHeaders(key)))[0]).toBe(3)
  })

  test('spends neither the plan’s budget nor that of other keys, and the plan does not spend the key’s', async () => {
    const { app, token } = shop
    app.setPlan('shop', 'free')
    const other = await makeKey(app, token)
    await spend(() => widgetHeaders(shop.key))
    expect((await ask(widgetHeaders(other.key))).status).toBe(200)
    app.clock.advance(60_000)
    for (let n = 0; n < 10; n++) expect((await app.call('GET', '/v1/products', { token })).status).toBe(200)
    expect((await app.call('GET', '/v1/products', { token })).status).toBe(429)
    expect((await spend(() => widgetHeaders(shop.key)))[0]).toBe(10)
  })

  test('states in every answer what is left of the key’s budget and of the visitor’s', async () => {
    const { headers } = await ask(widgetHeaders(shop.key))
    expect(headers.get('ratelimit-policy')).toBe('"widget";q=1200;w=60, "visitor";q=30;w=60')
    expect(headers.get('ratelimit')).toBe('"widget";r=1199;t=60, "visitor";r=9;t=2')
    expect(headers.get('x-ratelimit-limit')).toBe('1200')
    expect(headers.get('x-ratelimit-remaining')).toBe('1199')
  })

  test('has a full budget again after the store is forgotten', async () => {
    const { key } = await makeKey(shop.app, shop.token, { rate_per_minute: 1 })
    await spend(() => widgetHeaders(key))
    shop.app.forgetStore(shop.app.stores.requireBySlug('shop').id)
    expect((await ask(widgetHeaders(key))).status).toBe(200)
  })
})

describe('a visitor', () => {
  test('makes ten searches at once, then one every two seconds, whatever the key', async () => {
    const other = await makeKey(shop.app, shop.token)
    let n = 0
    const [count, refused] = await spend(() => at('203.0.113.7', n++ % 2 ? other.key : shop.key))
    expect([count, ...refusalOf(refused), refused.body['message']]).toEqual([
      10,
      429,
      'rate_limit_exceeded',
      'A visitor may make 30 such requests a minute',
    ])
    expect([refused.headers.get('retry-after'), refused.headers.get('ratelimit')]).toEqual([
      '2',
      '"visitor";r=0;t=2',
    ])
    expect((await ask(at('203.0.113.8'))).status).toBe(200)
    shop.app.clock.advance(1_999)
    expect((await ask(at('203.0.113.7'))).status).toBe(429)
    shop.app.clock.advance(1)
    expect((await ask(at('203.0.113.7'))).status).toBe(200)
    expect((await ask(at('203.0.113.7'))).status).toBe(429)
    shop.app.clock.advance(60_000)
    expect((await spend(() => at('203.0.113.7')))[0]).toBe(10)
  })

  test('shares a budget with all addresses of the same IPv6 /64', async () => {
    let n = 0
    expect((await spend(() => at(`2001:db8:77::${(++n).toString(16)}`)))[0]).toBe(10)
  })

  test('with a forged Origin spends a small budget of the visitor’s own, and neither the key’s nor the plan’s', async () => {
    const { app, token } = shop
    app.setPlan('shop', 'basic')
    for (let n = 0; n < 500; n++) await ask(at('198.51.100.1'))
    const { headers } = await ask(at('203.0.113.9'))
    expect(headers.get('x-ratelimit-remaining')).toBe(String(60 - 10 - 1))
    const plan = await app.call('GET', '/v1/products', { token })
    expect(plan.headers.get('x-ratelimit-remaining')).toBe('59')
  })

  test('is refused before the body is read', async () => {
    await spend(() => at('203.0.113.7'))
    const headers = { ...at('203.0.113.7'), 'content-type': 'application/json' }
    expect(refusalOf(await shop.call('text', '{', headers))).toEqual([429, 'rate_limit_exceeded'])
  })
})

describe('a list of events', () => {
  const list = (events: number) => ({
    events: Array.from({ length: events }, () => ({ action: 'click', result_product_id: 'mug' })),
  })
  const send = (events: number, headers: Record<string, string>) =>
    shop.call('feedback', list(events), headers)
  const countRows = () => {
    shop.app.history.flush()
    return shop.app.db.prepare('SELECT count(*) AS n FROM feedback_events').get()
  }

  test('costs the key one unit for every ten events, all or nothing', async () => {
    const { key } = await makeKey(shop.app, shop.token, { rate_per_minute: 1 })
    const spendOn = async (events: number) => {
      const answer = await send(events, widgetHeaders(key))
      return [answer.status, answer.headers.get('x-ratelimit-remaining')]
    }
    expect(await spendOn(10)).toEqual([201, '9'])
    expect(await spendOn(11)).toEqual([201, '7'])
    expect(await spendOn(80)).toEqual([429, '6'])
    expect(await spendOn(60)).toEqual([201, '0'])
    expect(countRows()).toEqual({ n: 81 })
  })

  test('of 1,000 needs all that a visitor has; one that is refused for its length costs a request', async () => {
    expect((await send(1_000, at('203.0.113.7', shop.key))).status).toBe(201)
    const spent = await send(1, at('203.0.113.7', shop.key))
    expect([...refusalOf(spent), spent.headers.get('retry-after')]).toEqual([429, 'rate_limit_exceeded', '1'])
    shop.app.clock.advance(19_800)
    expect((await send(1_000, at('203.0.113.7', shop.key))).status).toBe(429)
    expect(countRows()).toEqual({ n: 1_000 })
    const long = await send(1_001, at('203.0.113.8', shop.key))
    expect([long.status, long.headers.get('ratelimit')]).toEqual([
      422,
      expect.stringContaining('"visitor";r=99'),
    ])
  })
})
