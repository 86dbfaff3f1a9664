import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { KEY } from './service.ts'
import { cardsOf, fence, open, opener, openWidgetPage, run, said, searchWords, tagOf } from './shop.ts'

const shop = openWidgetPage()

const feedback = () => shop.service.callsOf('feedback').map(({ body }) => body)
/** For calls that a page makes at once, which arrive in any order. */
const feedbackByValue = () =>
  feedback().toSorted((a, b) => Number(a['order_value'] ?? 9) - Number(b['order_value'] ?? 9))

/** Waits until the page has sent so many answers' worth of feedback. */
const sent = (page: Page, count: number) =>
  Array.from({ length: count - shop.service.callsOf('feedback').length }).reduce<Promise<unknown>>(
    (before) =>
      before.then(() =>
        page.waitForResponse(
          (answer) => answer.url().endsWith('/feedback') && answer.request().method() === 'POST',
        ),
      ),
    Promise.resolve(),
  )

const track = async (page: Page, code: string, count = 1) => {
  const done = sent(page, shop.service.callsOf('feedback').length + count)
  await run(page, code)
  await done
}

/** Waits until so many events wait in the browser. It asks from here, because the clock of the page may stand still. */
const queued = async (page: Page, count: number) => {
  const read = () => run<number>(page, `JSON.parse(localStorage['service-queue'] ?? '[]').length`)
  while ((await read()) !== count);
}

const keys = (page: Page) => run<string[]>(page, 'Object.keys(localStorage).sort()')
const TRACK = { data: { 'data-mode': 'track' } }

describe('feedback', () => {
  test('a click is sent before the page is left, and a purchase later carries its search', async () => {
    await shop.visit({}, {}, async (page) => {
      await open(page)
      await searchWords(page, 'mug')
      await said(page, '12 products found')
      await cardsOf(page).nth(2).click()
      await page.waitForURL('**/p/sku-3')
      await opener(page).waitFor()
      await track(
        page,
        `ServiceWidget.trackPurchase('sku-3', { order_value: '19.90', currency: 'EUR', quantity: 2 })`,
      )
    })
    const [click, purchase] = feedback()
    expect(click).toEqual({
      ...{ result_product_id: 'sku-3', action: 'click' },
      ...{ search_id: expect.any(String), session_id: expect.any(String) },
    })
    expect(purchase).toEqual({
      ...{ result_product_id: 'sku-3', action: 'purchase', order_value: 19.9, currency: 'EUR', quantity: 2 },
      ...{ search_id: click?.['search_id'], session_id: click?.['session_id'] },
    })
  }, 60_000)

  test('calls before loading are kept by the stub; a product without a search is sent without one', async () => {
    const stub = `<script src="${shop.service.address}/stub.js"></script>`
    await shop.visit({ ...TRACK, body: stub }, {}, async (page) => {
      await opener(page).waitFor({ state: 'detached' })
    })
    const { console } = await shop.visit(
      {
        ...TRACK,
        policy: "script-src * 'unsafe-inline'",
        tag: `<script>window.ServiceWidget=window.ServiceWidget||{q:[],trackPurchase(){this.q.push(arguments)}};
       ServiceWidget.trackPurchase('sku-7',{order_value:5,currency:'USD',quantity:1,order_id:'o-1'});
       ServiceWidget.trackPurchase('sku-8',{order_value:6,currency:'USD'})</script>
       <script src="${shop.service.address}/widget.js" data-key="${KEY}" data-mode="track" async></script>`,
      },
      {},
      async (page) => {
        await shop.service.arrived('feedback', 2)
        // No interface on the thank-you page, and no other file.
        expect(await page.locator('[data-service-widget]').count()).toBe(0)
        expect(shop.service.requests.filter((line) => line.startsWith('GET'))).toEqual(['GET /widget.js'])
      },
    )
    expect(feedbackByValue()).toEqual([
      {
        result_product_id: 'sku-7',
        action: 'purchase',
        order_value: 5,
        currency: 'USD',
        quantity: 1,
        order_id: 'o-1',
        session_id: expect.any(String),
      },
      {
        result_product_id: 'sku-8',
        action: 'purchase',
        order_value: 6,
        currency: 'USD',
        session_id: expect.any(String),
      },
    ])
    expect(console).toEqual([])
  }, 60_000)

  test('one line of an order counts once, also when the page is loaded again', async () => {
    await shop.visit(TRACK, {}, async (page) => {
      const buy = (id: string) =>
        `ServiceWidget.trackPurchase('${id}', { order_value: 1, currency: 'EUR', order_id: 'o-9' })`
      await track(page, `${buy('a')};${buy('a')}`)
      await page.reload()
      await track(page, `${buy('a')};${buy('b')}`)
    })
    expect(feedback().map((body) => body['result_product_id'])).toEqual(['a', 'b'])
  }, 60_000)

  test('waits in a queue of fifty while the network is gone, and says when it happened', async () => {
    await shop.visit({}, {}, async (page, context) => {
      await opener(page).waitFor()
      await context.setOffline(true)
      await run(page, `for (let n = 0; n < 55; n++) ServiceWidget.trackAddToCart('sku-' + n)`)
      await run(page, `new Promise((done) => setTimeout(done))`)
      expect(await run<number>(page, `JSON.parse(localStorage.getItem('service-queue')).length`)).toBe(50)
      await run(
        page,
        `localStorage.setItem('service-queue', JSON.stringify(JSON.parse(localStorage.getItem('service-queue')).map(([since, event], n) => [n ? since : since - 3600000, event])))`,
      )
      const done = sent(page, 1)
      await context.setOffline(false)
      await done
      expect(await run(page, `localStorage.getItem('service-queue')`)).toBe('[]')
    })
    const events = feedback()[0]?.['events'] as Record<string, unknown>[]
    expect(events.map((event) => event['result_product_id'])).toEqual(
      Array.from({ length: 50 }, (_, n) => `sku-${n + 5}`),
    )
    expect(Date.now() - Date.parse(String(events[0]?.['occurred_at']))).toBeGreaterThan(3_500_000)
    expect(events[1]?.['occurred_at']).toBeUndefined()
  }, 60_000)

  test('a refusal for now is repeated, a refusal for good is told to the developer', async () => {
    const { console } = await shop.visit({}, {}, async (page) => {
      await opener(page).waitFor()
      shop.service.reply = () => ({
        status: 503,
        body: { error: 'overloaded' },
        headers: { 'retry-after': '600' },
      })
      await track(page, `ServiceWidget.trackAddToCart('sku-1')`)
      const refused = {
        status: 422,
        body: { error: 'validation_error', message: 'currency must be ISO 4217' },
      }
      shop.service.reply = ({ body }) => (body['action'] === 'purchase' ? refused : undefined)
      await track(page, `ServiceWidget.trackPurchase('sku-2', { order_value: 1, currency: 'Euro' })`, 2)
    })
    expect(feedback()[2]?.['events']).toEqual([expect.objectContaining({ result_product_id: 'sku-1' })])
    expect(console.join('\n')).toContain('purchase of sku-2 was refused: currency must be ISO 4217')
  }, 60_000)

  test('a purchase whose answer was lost counts once, by its key', async () => {
    await shop.visit({}, {}, async (page) => {
      await opener(page).waitFor()
      const lost = page.waitForEvent('requestfailed')
      await page.route(
        '**/feedback',
        async (route) => {
          await route.fetch()
          await route.abort()
        },
        { times: 1 },
      )
      await run(page, `ServiceWidget.trackPurchase('sku-1', { order_value: 1, currency: 'EUR' })`)
      await lost
      await track(page, `dispatchEvent(new Event('online'))`)
    })
    const [first, second] = shop.service.callsOf('feedback')
    expect(first?.body).toMatchObject({ result_product_id: 'sku-1' })
    expect(second?.body['events']).toEqual([expect.objectContaining({ result_product_id: 'sku-1' })])
    expect(first?.headers.get('idempotency-key')).toMatch(/^[0-9a-f]{32}$/)
    expect(second?.headers.get('idempotency-key')).toBe(first?.headers.get('idempotency-key') ?? '')
  }, 60_000)

  test('a list whose answer was lost goes out again under its key', async () => {
    await shop.visit({}, {}, async (page, context) => {
      await opener(page).waitFor()
      await context.setOffline(true)
      await run(page, `ServiceWidget.trackAddToCart('sku-1'); ServiceWidget.trackAddToCart('sku-2')`)
      const lost = page.waitForEvent('requestfailed')
      await page.route(
        '**/feedback',
        async (route) => {
          await route.fetch()
          await route.abort()
        },
        { times: 1 },
      )
      await context.setOffline(false)
      await lost
      await track(page, `ServiceWidget.trackAddToCart('sku-3')`, 2)
    })
    const keys = shop.service.callsOf('feedback').map(({ headers }) => headers.get('idempotency-key'))
    expect(feedback().map(({ events }) => Array.isArray(events) && events.length)).toEqual([2, false, 2])
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
    expect(keys[2]).toBe(keys[0] ?? '')
    expect(keys[1]).not.toBe(keys[0] ?? '')
  }, 60_000)

  test('a line of an order that was refused is sent again when the page is loaded again', async () => {
    const buy = (currency: string) =>
      `ServiceWidget.trackPurchase('sku-1', { order_value: 1, currency: '${currency}', order_id: 'o-7' })`
    await shop.visit(TRACK, {}, async (page) => {
      shop.service.reply = ({ body }) =>
        body['currency'] === 'Euro' ? { status: 422, body: { error: 'validation_error' } } : undefined
      await track(page, buy('Euro'))
      await run(
        page,
        `new Promise((done) => { const look = () => localStorage['service-orders'] === '[]' ? done() : setTimeout(look); look() })`,
      )
      await page.reload()
      await track(page, buy('EUR'))
    })
    expect(feedback().map(({ currency }) => currency)).toEqual(['Euro', 'EUR'])
  }, 60_000)

  test('a list that finds nobody keeps those behind it, each under its key', async () => {
    const { result } = await shop.visit({}, {}, async (page, context) => {
      await opener(page).waitFor()
      await context.setOffline(true)
      await run(
        page,
        `localStorage['service-queue'] = JSON.stringify([
          [Date.now(), { result_product_id: 'sku-1', action: 'click' }, 'one'],
          [Date.now(), { result_product_id: 'sku-2', action: 'click' }],
          [Date.now(), { result_product_id: 'sku-3', action: 'click' }, 'one'],
        ])`,
      )
      shop.service.reply = () => ({ status: 500, body: { error: 'internal_error' } })
      await context.setOffline(false)
      await shop.service.arrived('feedback', 1)
      await queued(page, 3)
      return run(
        page,
        `JSON.parse(localStorage['service-queue']).map(([, event, key]) => [event.result_product_id, key])`,
      )
    })
    expect(feedback().map(({ events }) => events)).toEqual([
      [
        expect.objectContaining({ result_product_id: 'sku-1' }),
        expect.objectContaining({ result_product_id: 'sku-3' }),
      ],
    ])
    expect(result).toEqual([
      ['sku-1', 'one'],
      ['sku-3', 'one'],
      ['sku-2', undefined],
    ])
  }, 60_000)

  test('waits as long as the service asks for, or else thirty seconds', async () => {
    await shop.visit({}, {}, async (page) => {
      await opener(page).waitFor()
      await page.clock.install()
      shop.service.reply = () => ({ status: 429, body: {}, headers: { 'retry-after': '5' } })
      await track(page, `ServiceWidget.trackAddToCart('sku-1')`)
      await queued(page, 1)
      await page.clock.runFor(4_900)
      await fence(page, shop.service.address)
      expect(feedback()).toHaveLength(1)
      shop.service.reply = () => ({ status: 500, body: {} })
      await page.clock.runFor(200)
      await shop.service.arrived('feedback', 2)
      await queued(page, 1)
      shop.service.reply = () => undefined
      await page.clock.runFor(31_000)
      await shop.service.arrived('feedback', 3)
    })
    expect(feedback()).toHaveLength(3)
  }, 60_000)

  test('of a click older than seven days has no search; what somebody else has stored there does no harm', async () => {
    await shop.visit(TRACK, {}, async (page) => {
      await page.waitForLoadState('load')
      await run(
        page,
        `localStorage['service-clicks'] = JSON.stringify([['sku-1', 'old', Date.now() - 604801000], ['sku-2', 'new', Date.now() - 604700000]])
        localStorage['service-queue'] = '[1]'; localStorage['service-orders'] = '{}'; localStorage['service-sid'] = 'not a session'`,
      )
      await track(page, `ServiceWidget.trackAddToCart('sku-1')`)
      await track(
        page,
        `ServiceWidget.trackPurchase('sku-2', { order_value: 1, currency: 'EUR', order_id: 7 })`,
      )
    })
    expect(feedback()).toEqual([
      {
        result_product_id: 'sku-1',
        action: 'add_to_cart',
        session_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      },
      expect.objectContaining({ result_product_id: 'sku-2', search_id: 'new', order_id: '7' }),
    ])
  }, 60_000)
})

describe('consent', () => {
  test('without it nothing is stored and no session is sent; with it both; withdrawn, everything goes', async () => {
    const { result } = await shop.visit({ data: { 'data-consent': 'required' } }, {}, async (page) => {
      await open(page)
      await searchWords(page, 'mug')
      await said(page, '12 products found')
      await run(page, `ServiceWidget.on('select', (event) => event.preventDefault())`)
      await cardsOf(page).first().click()
      const before = await keys(page)
      await run(page, 'ServiceWidget.consent(true)')
      await searchWords(page, 'red mug')
      await said(page, '12 products found')
      await cardsOf(page).first().click()
      const given = await keys(page)
      await run(page, 'ServiceWidget.consent(false)')
      return { before, given, after: await keys(page) }
    })
    expect(result).toEqual({ before: [], given: ['service-clicks', 'service-sid'], after: [] })
    expect(shop.service.callsOf('text').map(({ body }) => typeof body['session_id'])).toEqual([
      'undefined',
      'string',
    ])
  }, 60_000)

  test('that the page gives before the script is there counts for what it has told before, too', async () => {
    const guide = await Bun.file(join(import.meta.dir, '../../../src/guide/widget.md')).text()
    const stub = /```js\n(window\.ServiceWidget = [^`]+)```/.exec(guide)?.[1]
    await shop.visit(
      {
        policy: "script-src * 'unsafe-inline'",
        tag: `<script>localStorage['service-sid'] = 'known'
          localStorage['service-clicks'] = JSON.stringify([['sku-7', 'search-of-sku-7', Date.now()]])
          ${stub}
          ServiceWidget.trackPurchase('sku-7', { order_value: 5, currency: 'EUR' })
          ServiceWidget.trackAddToCart('sku-7')
          ServiceWidget.consent(true)</script>${tagOf(shop.service.address, {
            ...{ 'data-key': KEY, 'data-mode': 'track', 'data-consent': 'required' },
          })}`,
      },
      {},
      () => shop.service.arrived('feedback', 2),
    )
    const attribution = { session_id: 'known', search_id: 'search-of-sku-7' }
    expect(feedbackByValue()).toEqual([
      { result_product_id: 'sku-7', action: 'purchase', order_value: 5, currency: 'EUR', ...attribution },
      { result_product_id: 'sku-7', action: 'add_to_cart', ...attribution },
    ])
  }, 60_000)

  test('joins what waits in the browser with what the page has kept until then', async () => {
    const { result } = await shop.visit(
      { data: { 'data-consent': 'required' } },
      {},
      async (page, context) => {
        await opener(page).waitFor()
        await run(
          page,
          `localStorage['service-orders'] = JSON.stringify(['o-1\\nsku-1'])
        localStorage['service-queue'] = JSON.stringify([[Date.now(), { result_product_id: 'sku-1', action: 'click' }]])`,
        )
        await context.setOffline(true)
        await run(
          page,
          `ServiceWidget.trackPurchase('sku-2', { order_value: 1, currency: 'EUR', order_id: 'o-2' })
        ServiceWidget.consent(true); ServiceWidget.consent(true)`,
        )
        return run(
          page,
          `[JSON.parse(localStorage['service-orders']), JSON.parse(localStorage['service-queue']).map(([, event]) => event.result_product_id)]`,
        )
      },
    )
    expect(result).toEqual([
      ['o-1\nsku-1', 'o-2\nsku-2'],
      ['sku-1', 'sku-2'],
    ])
  }, 60_000)

  test('without any storage the search and the session of the page work', async () => {
    await shop.visit({}, {}, async (page) => {
      await page.addInitScript(
        `Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('denied', 'SecurityError') } })`,
      )
      await page.reload()
      await open(page)
      await searchWords(page, 'mug')
      await said(page, '12 products found')
      await searchWords(page, 'cup')
      await shop.service.arrived('text', 2)
    })
    const sessions = shop.service.callsOf('text').map(({ body }) => body['session_id'])
    expect(sessions[0]).toEqual(expect.any(String))
    expect(new Set(sessions).size).toBe(1)
  }, 60_000)
})
