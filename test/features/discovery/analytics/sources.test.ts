import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { foreverKey } from '../../../support/keys.ts'
import { makeKey, openWidgetShop, type WidgetShop, widgetHeaders } from '../widget/widget-shop.ts'

const DAY = 86_400_000
const WWW = 'https://www.shop.example'
const APP = 'https://app.shop.example'

let shop: WidgetShop
let reader: string
let key: { id: string; key: string }

beforeEach(async () => {
  shop = await openWidgetShop()
  reader = await foreverKey(shop.app, shop.token)
  key = await makeKey(shop.app, shop.token, { name: 'the shop', origins: [WWW, APP] })
})
afterEach(() => shop.app.close())

interface Source {
  source: string
  key_id: string | null
  key_name: string | null
  origin: string | null
  searches: number
  ctr: number | null
  clicks: number
  purchases: number
  last_search_at: string | null
  last_event_at: string | null
  tracking: { status: string; message: string }
}

async function read(days = 7) {
  const { body } = await shop.app.call('GET', `/v1/search/analytics?days=${days}`, { token: reader })
  return body as { by_source: Source[]; tracking: { status: string; message: string } }
}

const ask = async (use: string, body: object, origin: string) =>
  (await shop.call(use, body, widgetHeaders(key.key, origin))).body as { search_id: string }
const search = (origin: string) => ask('text', { query: 'mugs' }, origin)
const click = (origin: string, search_id?: string) =>
  ask('feedback', { action: 'click', result_product_id: 'mug', ...(search_id && { search_id }) }, origin)
const searchOften = async (origin: string, times: number) => {
  for (let n = 0; n < times; n++) await search(origin)
}

describe('who searches and who tells (contract 3.12)', () => {
  test('the backend first, then each page of a key, most searches first', async () => {
    const backend = await shop.app.call('POST', '/v1/search/text', {
      token: shop.token,
      body: { query: 'mugs' },
    })
    await search(WWW)
    const at = new Date(shop.app.clock.now()).toISOString()
    shop.app.clock.advance(60_000)
    const { search_id } = await search(APP)
    await search(APP)
    await click(APP, search_id)
    await shop.app.call('POST', '/v1/search/feedback', {
      token: shop.token,
      body: { action: 'purchase', result_product_id: 'mug', order_value: 5, currency: 'EUR', search_id },
    })
    const later = new Date(shop.app.clock.now()).toISOString()
    const zeros = { zero_results: 0, add_to_cart_rate: 0, add_to_cart: 0 }
    const { by_source } = await read()
    expect(backend.status).toBe(200)
    expect(by_source as object[]).toEqual([
      {
        ...{ source: 'api', key_id: null, key_name: null, origin: null, ...zeros },
        ...{ searches: 1, searches_with_click: 0, ctr: 0, conversion_rate: 0, clicks: 0, purchases: 1 },
        ...{ last_search_at: null, last_event_at: null },
        tracking: {
          status: 'no_clicks',
          message: '1 search, 0 clicks in 7 days: the backend sends no clicks',
        },
      },
      {
        ...{ source: 'widget', key_id: key.id, key_name: 'the shop', origin: APP, ...zeros },
        ...{ searches: 2, searches_with_click: 1, ctr: 0.5, conversion_rate: 0.5, clicks: 1, purchases: 0 },
        ...{ last_search_at: later, last_event_at: later },
        tracking: { status: 'ok', message: '2 searches, 1 click in 7 days' },
      },
      {
        ...{ source: 'widget', key_id: key.id, key_name: 'the shop', origin: WWW, ...zeros },
        ...{ searches: 1, searches_with_click: 0, ctr: 0, conversion_rate: 0, clicks: 0, purchases: 0 },
        ...{ last_search_at: at, last_event_at: null },
        tracking: {
          status: 'no_clicks',
          message: `1 search, 0 clicks in 7 days: the widget on ${WWW} sends no clicks`,
        },
      },
    ])
  })

  test('every search of a widget is marked: by words, a picture and an address', async () => {
    await ask('upload', shop.upload(), WWW)
    await ask('url', { image_url: shop.url(1) }, WWW)
    await search(WWW)
    await shop.app.call('POST', '/v1/search/batch', {
      token: shop.token,
      body: { queries: [{ type: 'text', query: 'mugs' }] },
    })
    shop.app.history.flush()
    const marks = shop.app.db
      .prepare('SELECT type, widget_key_id AS key, page_origin AS origin FROM searches ORDER BY rowid')
      .all()
    const mark = { key: key.id, origin: WWW }
    const none = { key: null, origin: null }
    expect(marks).toEqual([
      { type: 'upload', ...mark },
      { type: 'url', ...mark },
      { type: 'text', ...mark },
      { type: 'text', ...none },
      { type: 'batch', ...none },
    ])
    await click(APP)
    await read()
    expect(
      shop.app.db
        .prepare('SELECT origin, widget_key_id AS key, page_origin AS page FROM feedback_events')
        .all(),
    ).toEqual([{ origin: 'widget', key: key.id, page: APP }])
  })

  test('a page that only reports events is listed; one without a count in the period is not', async () => {
    await click(APP)
    expect((await read()).by_source[1]).toMatchObject({
      ...{ origin: APP, searches: 0, ctr: null, clicks: 1, last_search_at: null },
      tracking: { status: 'ok', message: '0 searches, 1 click in 7 days' },
    })
    shop.app.clock.advance(7 * DAY)
    expect((await read()).by_source).toHaveLength(1)
    expect((await read(8)).by_source).toHaveLength(2)
  })

  test('a keystroke that one of the backend replaces no longer counts for its page', async () => {
    const text = { query: 'mu', session_id: 's' }
    await ask('text', text, WWW)
    await shop.app.call('POST', '/v1/search/text', { token: shop.token, body: { ...text, query: 'mug' } })
    expect((await read()).by_source).toMatchObject([{ source: 'api', searches: 1 }])
  })

  test('a click on a keystroke counts for the page whose keystroke replaced it', async () => {
    const { search_id } = await ask('text', { query: 'mug', session_id: 's' }, WWW)
    await ask('text', { query: 'mugs', session_id: 's' }, APP)
    await click(WWW, search_id)
    expect((await read()).by_source).toMatchObject([
      { source: 'api', searches: 0 },
      { origin: APP, searches: 1, searches_with_click: 1, clicks: 0 },
      { origin: WWW, searches: 0, searches_with_click: 0, clicks: 1 },
    ])
  })

  test('a revoked key has no name; its counts stay until they are 400 days old', async () => {
    await search(WWW)
    const { app, token } = shop
    expect((await app.call('DELETE', `/v1/security/public-keys/${key.id}`, { token })).status).toBe(200)
    expect((await read()).by_source[1]).toMatchObject({ key_id: key.id, key_name: null, searches: 1 })
    const pages = () => app.db.prepare('SELECT count(*) AS n FROM widget_pages').get()
    app.clock.advance(400 * DAY)
    await app.tidy()
    expect(pages()).toEqual({ n: 1 })
    app.clock.advance(DAY)
    await app.tidy()
    expect(pages()).toEqual({ n: 0 })
  })

  test('no store sees the pages of another', async () => {
    await search(WWW)
    const other = await shop.app.signIn('other')
    const { body } = await shop.app.call('GET', '/v1/search/analytics', { token: other })
    expect(body['by_source']).toMatchObject([{ source: 'api', searches: 0 }])
  })
})

describe('the health of tracking names the widget that tells nothing', () => {
  test('where nobody clicks and only widgets search', async () => {
    await search(WWW)
    expect((await read()).tracking).toEqual({
      status: 'no_clicks',
      message: `1 search, 0 clicks in 7 days: the widget on ${WWW} sends no clicks`,
    })
    await search(APP)
    expect((await read()).tracking.message).toBe(
      `2 searches, 0 clicks in 7 days: the widgets on ${APP}, ${WWW} send no clicks`,
    )
  })

  test('where others do, after 50 searches', async () => {
    const { search_id } = await search(APP)
    await click(APP, search_id)
    await searchOften(WWW, 49)
    expect((await read()).tracking.status).toBe('no_purchases')
    await search(WWW)
    expect((await read()).tracking).toEqual({
      status: 'partial',
      message: `51 searches, 1 click in 7 days: the widget on ${WWW} sends no clicks after 50 searches`,
    })
  })

  test('a widget whose clicks name no search of its own', async () => {
    const { search_id } = await search(APP)
    await search(WWW)
    await click(WWW, search_id)
    expect((await read()).by_source[1]?.tracking).toEqual({
      status: 'unattributed',
      message: `1 search, 1 click in 7 days: no click of the widget on ${WWW} names a search of its own`,
    })
  })
})
