import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { KEY } from './service.ts'
import { dialogOf, fence, open, opener, openWidgetPage, run, said, searchWords, tagOf } from './shop.ts'

const shop = openWidgetPage()

const mainFiles = () => shop.service.requests.filter((line) => line.includes('/widget/main-'))
/** Clicks the button, and waits until the page has heard of an error. */
const fail = async (page: Page) => {
  const heard = page.evaluate(
    `new Promise((done) => document.addEventListener('service:error', ({ detail }) => done(detail.code), { once: true }))`,
  )
  await opener(page).click()
  return heard
}
const headers = { 'access-control-allow-origin': '*' }

describe('a main file that does not load', () => {
  test('is asked for under another address with the next click, and told for eight seconds', async () => {
    const asked: string[] = []
    await shop.visit({}, {}, async (page) => {
      await opener(page).waitFor()
      await page.clock.install()
      await page.route('**/widget/main-*.js*', (route) => {
        asked.push(new URL(route.request().url()).search)
        return route.fulfill({ status: 404, headers })
      })
      await page.route('**/widget.js?*', (route) => route.fulfill({ status: 404, headers }))
      expect([await fail(page), await fail(page)]).toEqual(['load_failed', 'load_failed'])
      await page.unroute('**/widget/main-*.js*')
      const alerts = [await page.getByRole('alert').count()]
      await page.clock.fastForward(8_100)
      alerts.push(await page.getByRole('alert').count())
      expect(alerts).toEqual([2, 0])
      await open(page)
      await searchWords(page, 'mug')
      await said(page, '12 products found')
    })
    expect([...new Set(asked)]).toEqual(['', '?1'])
    expect(mainFiles().length).toBeGreaterThan(0)
  }, 60_000)

  test('of a pinned script makes no other script take over', async () => {
    const { address } = shop.service
    const { pinned } = (await (await fetch(`${address}/widget.json`)).json()) as {
      pinned: { src: string; integrity: string }
    }
    const tag = `<script src="${pinned.src}" integrity="${pinned.integrity}" crossorigin="anonymous" data-key="${KEY}" async></script>`
    await shop.visit({ tag }, {}, async (page) => {
      await opener(page).waitFor()
      await page.route('**/widget/main-*.js*', (route) => route.fulfill({ status: 404, headers }))
      await run(page, 'window.before = ServiceWidget')
      expect(await fail(page)).toBe('load_failed')
      await page.unroute('**/widget/main-*.js*')
      await open(page)
      expect(await run<boolean>(page, 'ServiceWidget === before')).toBe(true)
    })
    expect(shop.service.requests.filter((line) => line.endsWith('/widget.js'))).toEqual([])
  }, 60_000)
})

describe('the stub of the page', () => {
  const stub = (calls: string) =>
    `<script>window.ServiceWidget = { q: [] }
    for (const name of ['open', 'close', 'consent', 'trackAddToCart', 'trackPurchase', 'on'])
      ServiceWidget[name] = (...given) => { ServiceWidget.q.push([name, ...given]) }
    ${calls}</script>`
  const policy = "script-src * 'unsafe-inline'"

  test('opens what was asked for before, and passes listeners on', async () => {
    const { result } = await shop.visit(
      {
        policy,
        body: stub(`ServiceWidget.on('results', ({ detail }) => { window.found = detail.products.length })
        ServiceWidget.open({ query: 'mug' })`),
      },
      {},
      async (page) => {
        await dialogOf(page).waitFor()
        await said(page, '12 products found')
        return [await run(page, 'found'), await run(page, 'typeof ServiceWidget.version')]
      },
    )
    expect(result).toEqual([12, 'string'])
  }, 60_000)

  test('does not open what was closed again', async () => {
    const { result } = await shop.visit(
      { policy, body: stub(`ServiceWidget.open({ query: 'mug' }); ServiceWidget.close()`) },
      {},
      async (page) => {
        await opener(page).and(page.locator(':not([aria-busy])')).waitFor()
        await fence(page, shop.service.address)
        return [await dialogOf(page).count(), await run(page, 'heard')]
      },
    )
    expect(result).toEqual([0, []])
    expect(shop.service.calls).toEqual([])
  }, 60_000)

  test('stays what it is under a key that is none', async () => {
    const { result } = await shop.visit(
      {
        policy,
        body: stub(`ServiceWidget.open()`),
        data: { 'data-key': 'sk_live_0' },
      },
      {},
      async (page) => {
        await page.waitForLoadState('load')
        return run(page, 'ServiceWidget.q.length')
      },
    )
    expect(result).toBe(1)
  }, 60_000)
})

describe('another tag', () => {
  /** Adds a tag of the same script at the end of the body. */
  const add = (page: Page) =>
    run(
      page,
      `new Promise((done) => { const tag = document.createElement('script'); tag.src = '${shop.service.address}/widget.js'
      tag.dataset.key = '${KEY}'; tag.onload = done; document.body.append(tag) })`,
    )
  const parentOfHost = (page: Page) =>
    run(page, `document.querySelector('[data-service-widget]')?.parentElement.localName`)

  test('starts the widget anew after destroy', async () => {
    // Trusted types would need a policy of the shop's own for an address.
    const { result } = await shop.visit({ policy: '' }, {}, async (page) => {
      await opener(page).waitFor()
      await run(page, `window.before = ServiceWidget; ServiceWidget.destroy(); ServiceWidget.open()`)
      const gone = await parentOfHost(page)
      await add(page)
      await open(page)
      await searchWords(page, 'mug')
      await said(page, '12 products found')
      return [gone, await parentOfHost(page), await run(page, 'ServiceWidget === before')]
    })
    expect(result).toEqual([undefined, 'body', false])
  }, 60_000)

  test('takes the button where the first has gone, and leaves it where it has not', async () => {
    const { result } = await shop.visit({ policy: '' }, {}, async (page) => {
      await opener(page).waitFor()
      await run(page, 'window.before = ServiceWidget')
      await add(page)
      const first = await parentOfHost(page)
      await run(page, `document.querySelector('main').remove()`)
      await add(page)
      await opener(page).waitFor()
      return [first, await parentOfHost(page), await run(page, 'ServiceWidget === before')]
    })
    expect(result).toEqual(['main', 'body', true])
  }, 60_000)
})

describe('tracking alone', () => {
  test('has no interface: open does nothing, and no file is fetched', async () => {
    const { result } = await shop.visit(
      { tag: tagOf(shop.service.address, { 'data-key': KEY, 'data-mode': 'track' }) },
      {},
      async (page) => {
        await page.waitForLoadState('load')
        await run(page, `ServiceWidget.open({ query: 'mug' })`)
        await fence(page, shop.service.address)
        return [await page.locator('[data-service-widget]').count(), await run(page, 'heard')]
      },
    )
    expect(result).toEqual([0, []])
    expect(mainFiles()).toEqual([])
  }, 60_000)
})

test('listeners end with the function that on returned, and with destroy', async () => {
  const { result } = await shop.visit({}, {}, async (page) => {
    await opener(page).waitFor()
    await run(
      page,
      `window.names = []; window.off = ServiceWidget.on('service:open', () => names.push('one'))
      ServiceWidget.on('open', () => names.push('two')); off()`,
    )
    await open(page)
    const first = await run(page, 'names')
    await run(page, `ServiceWidget.destroy(); document.dispatchEvent(new CustomEvent('service:open'))`)
    return [first, await run(page, 'names')]
  })
  expect(result).toEqual([['two'], ['two']])
}, 60_000)
