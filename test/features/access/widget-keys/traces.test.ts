import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  makeKey,
  ORIGIN,
  openWidgetShop,
  type WidgetShop,
  widgetHeaders,
} from '../../discovery/widget/widget-shop.ts'
import { machineToken } from '../api-keys/keys.ts'

const SECOND_MS = 1_000
const DAY_MS = 86_400_000

let shop: WidgetShop
/** Outlives every test. */
let token: string

beforeEach(async () => {
  shop = await openWidgetShop()
  token = await machineToken(shop.app, shop.app.stores.requireBySlug('shop').id)
})
afterEach(() => shop.app.close())

const now = () => new Date(shop.app.clock.now()).toISOString()
const read = async (id = shop.keyId) =>
  (await shop.app.call('GET', `/v1/security/public-keys/${id}`, { token })).body
const list = async () =>
  (await shop.app.call('GET', '/v1/security/public-keys', { token })).body['public_keys'] as object[]
const tell = (body: object, headers = widgetHeaders(shop.key)) => shop.call('feedback', body, headers)
const event = (action: string, more: object = {}) => ({ result_product_id: 'mug', action, ...more })
const BOUGHT = { order_value: 10, currency: 'EUR' }
const countWrites = () =>
  shop.app.db.prepare('SELECT last_search_at FROM widget_traces').pluck().all() as number[]

describe('seen', () => {
  test('says when an origin last searched, clicked, filled a cart and bought', async () => {
    const times: string[] = []
    for (const act of [
      () => shop.find('text', { query: 'mugs' }),
      () => tell(event('click')),
      () => tell(event('add_to_cart')),
      () => tell(event('purchase', BOUGHT)),
    ]) {
      shop.app.clock.advance(SECOND_MS)
      times.push(now())
      await act()
    }
    const [last_search_at, last_click_at, last_cart_at, last_purchase_at] = times
    const seen = [{ origin: ORIGIN, last_search_at, last_click_at, last_cart_at, last_purchase_at }]
    expect((await read())['seen'] as object).toEqual(seen)
    expect((await list())[0]).toMatchObject({ seen })
  })

  test('is null for what was never seen, and leaves out a list’s event that was refused', async () => {
    await tell({ events: [event('click'), event('purchase')] })
    expect((await read())['seen'] as object).toEqual([
      {
        origin: ORIGIN,
        last_search_at: null,
        last_click_at: now(),
        last_cart_at: null,
        last_purchase_at: null,
      },
    ])
  })

  test('a search that was refused is not seen', async () => {
    await shop.call('text', { query: '' })
    await shop.call('text', { query: 'mugs' }, widgetHeaders(shop.key, 'https://evil.example'))
    expect((await read())['seen'] as object).toEqual([])
  })

  test('one write a minute for each page and sight, and the exact time from memory', async () => {
    await shop.find('text', { query: 'mugs' })
    const first = shop.app.clock.now()
    await shop.app.settle()
    expect(countWrites()).toEqual([first])
    shop.app.clock.advance(59 * SECOND_MS)
    await shop.find('text', { query: 'lamps' })
    await shop.app.settle()
    expect(countWrites()).toEqual([first])
    expect((await read())['seen'] as object[]).toMatchObject([{ last_search_at: now() }])
    shop.app.clock.advance(SECOND_MS)
    await shop.find('text', { query: 'tables' })
    await shop.app.settle()
    expect(countWrites()).toEqual([shop.app.clock.now()])
  })

  test('each key has its own, and another store sees none', async () => {
    await shop.find('text', { query: 'mugs' })
    const { id } = await makeKey(shop.app, shop.token)
    expect((await read(id))['seen'] as object).toEqual([])
    const other = await shop.app.signIn('two')
    const { id: foreign } = await makeKey(shop.app, other)
    const path = `/v1/security/public-keys/${foreign}`
    const { body } = await shop.app.call('GET', path, { token: other })
    expect(body['seen'] as object).toEqual([])
  })

  test('an origin that leaves the list is forgotten, so the rows of a key are bounded', async () => {
    await shop.find('text', { query: 'mugs' })
    await shop.app.settle()
    const change = (origins: string[]) =>
      shop.app.call('PATCH', `/v1/security/public-keys/${shop.keyId}`, { token, body: { origins } })
    await change(['https://other.example'])
    expect(countWrites()).toEqual([])
    await change([ORIGIN])
    expect((await read())['seen'] as object).toEqual([])
  })

  test('a key that is deleted before the write leaves nothing', async () => {
    await shop.find('text', { query: 'mugs' })
    await shop.app.call('DELETE', `/v1/security/public-keys/${shop.keyId}`, { token })
    await shop.app.settle()
    expect(countWrites()).toEqual([])
  })
})

describe('refused_today', () => {
  test('counts a foreign origin, a use that is not allowed and a budget; not a wrong key', async () => {
    await shop.app.call('PATCH', `/v1/security/public-keys/${shop.keyId}`, {
      token,
      body: { allowed: ['text'], rate_per_minute: 1 },
    })
    const statuses = [
      await shop.call('text', { query: 'mugs' }, widgetHeaders(shop.key, 'https://evil.example')),
      await shop.call('feedback', event('click')),
      await shop.call('text', { query: 'mugs' }),
      await shop.call('text', { query: 'mugs' }),
      await shop.call('text', { query: 'mugs' }, widgetHeaders('pk_live_wrong')),
    ].map(({ status }) => status)
    expect(statuses).toEqual([403, 403, 200, 429, 401])
    expect((await read())['refused_today']).toBe(3)
  })

  test('is written together after a minute or at a stop, and begins anew at midnight UTC', async () => {
    const refuse = () => shop.call('text', { query: 'mugs' }, widgetHeaders(shop.key, 'https://evil.example'))
    const stored = () => shop.app.db.prepare('SELECT refused FROM public_keys').pluck().get()
    /** What a stop does: it runs what was put off, and what that puts off. */
    const settleAll = async () => {
      for (let round = 0; round < 2; round++) await shop.app.settle()
    }
    await refuse()
    await refuse()
    expect([stored(), (await read())['refused_today']]).toEqual([0, 2])
    await settleAll()
    expect([stored(), (await read())['refused_today']]).toEqual([2, 2])
    await refuse()
    expect([stored(), (await read())['refused_today']]).toEqual([2, 3])
    await settleAll()
    expect([stored(), (await read())['refused_today']]).toEqual([3, 3])
    await refuse()
    shop.app.clock.advance(DAY_MS)
    expect((await read())['refused_today']).toBe(0)
    await refuse()
    expect((await read())['refused_today']).toBe(1)
    await settleAll()
    expect([stored(), (await read())['refused_today']]).toEqual([1, 1])
  })
})
