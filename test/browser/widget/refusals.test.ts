import { describe, expect, test } from 'bun:test'
import { dialogOf, fence, open, opener, openWidgetPage, run, said, searchWords } from './shop.ts'

const shop = openWidgetPage()

const UNAVAILABLE = 'Search by picture is not available here.'

describe('the service refuses', () => {
  test('a suspended store: the button disappears, and the console says why, once', async () => {
    shop.service.reset()
    const { result, console } = await shop.visit({}, {}, async (page) => {
      shop.service.reply = () => ({
        status: 403,
        body: { error: 'store_suspended', message: 'Off at the moment' },
      })
      await open(page)
      await searchWords(page, 'mug')
      await said(page, UNAVAILABLE)
      await searchWords(page, 'cup')
      await said(page, UNAVAILABLE)
      await page.keyboard.press('Escape')
      return [await opener(page).count(), await page.getByRole('button', { name: 'Try again' }).count()]
    })
    expect(result).toEqual([0, 0])
    expect(console.filter((text) => text.startsWith('Lookalike'))).toEqual([
      `Lookalike: Off at the moment (store_suspended, ${shop.origin})`,
    ])
  }, 60_000)

  test('a use that the key does not allow: the other uses stay, and the console names it', async () => {
    const { result, console } = await shop.visit({}, {}, async (page) => {
      shop.service.reply = () => ({
        status: 403,
        body: { error: 'permission_denied', message: 'Missing required permission: widget:text' },
      })
      await open(page)
      await searchWords(page, 'mug')
      await said(page, UNAVAILABLE)
      const again = await page.getByRole('button', { name: 'Try again' }).count()
      await page.keyboard.press('Escape')
      return [again, await opener(page).isVisible()]
    })
    expect(result).toEqual([0, true])
    expect(console).toContain(
      `Lookalike: Missing required permission: widget:text (permission_denied, ${shop.origin})`,
    )
  }, 60_000)

  test('an inline widget: closing it does not bring the button back', async () => {
    const { result } = await shop.visit({ data: { 'data-mode': 'inline' } }, {}, async (page) => {
      shop.service.reply = () => ({ status: 401, body: { error: 'unauthorized' } })
      await opener(page).click()
      await searchWords(page, 'mug')
      await said(page, UNAVAILABLE)
      await run(page, 'ServiceWidget.close()')
      return [await page.getByRole('region').count(), await opener(page).count()]
    })
    expect(result).toEqual([0, 0])
  }, 60_000)
})

describe('an upgrade of the service while a page is open', () => {
  test('lets the new script take over, with the listeners and the consent of the page', async () => {
    const { result } = await shop.visit({ data: { 'data-consent': 'required' } }, {}, async (page) => {
      await opener(page).waitFor()
      const { address } = shop.service
      const old = await (await fetch(`${address}/widget.js`)).text()
      const name = /main-[0-9a-f]{16}\.js/.exec(old)?.[0] ?? ''
      const headers = { 'access-control-allow-origin': '*' }
      const next = old.replace(name, 'main-next.js')
      await page.route(`**/widget/${name}*`, (route) => route.fulfill({ status: 404, headers }))
      await page.route('**/widget.js?*', (route) =>
        route.fulfill({ contentType: 'text/javascript', headers, body: next }),
      )
      await page.route('**/widget/main-next.js', (route) =>
        route.continue({ url: `${address}/widget/${name}` }),
      )
      await run(
        page,
        `window.counts = []; ServiceWidget.on('results', ({ detail }) => counts.push(detail.products.length))
        ServiceWidget.consent(true)`,
      )
      await open(page)
      await searchWords(page, 'mug')
      await said(page, '12 products found')
      return {
        hosts: await page.locator('[data-service-widget]').count(),
        counts: await run(page, 'counts'),
        errors: await run(page, `heard.filter(([name]) => name === 'error')`),
      }
    })
    expect(result).toEqual({ hosts: 1, counts: [12], errors: [] })
    expect(shop.service.callsOf('text')[0]?.body['session_id']).toMatch(/^[0-9a-f]{32}$/)
  }, 60_000)

  test('opens nothing that was closed meanwhile', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const { result } = await shop.visit({}, {}, async (page) => {
      await opener(page).waitFor()
      const { address } = shop.service
      const headers = { 'access-control-allow-origin': '*' }
      const gone = (times: number) =>
        page.route('**/widget/main-*.js*', (route) => route.fulfill({ status: 404, headers }), { times })
      // The link and the import ask for it.
      await gone(2)
      const asked = page.waitForRequest('**/widget.js?*')
      await page.route('**/widget.js?*', async (route) => {
        await held
        await route.continue()
      })
      await run(page, `window.before = ServiceWidget; ServiceWidget.open({ query: 'mug' })`)
      await asked
      await run(page, 'ServiceWidget.close()')
      release()
      await run(
        page,
        `new Promise((done) => { const look = () => ServiceWidget === before ? setTimeout(look) : done(); look() })`,
      )
      await fence(page, address)
      return [await dialogOf(page).count(), await run(page, 'heard'), await opener(page).count()]
    })
    expect(result).toEqual([0, [], 1])
    expect(shop.service.calls).toEqual([])
  }, 60_000)

  test('that has no file either asks for it once, and tells the shopper', async () => {
    const { result } = await shop.visit({}, {}, async (page) => {
      await opener(page).waitFor()
      await page.route('**/widget/main-*.js*', (route) =>
        route.fulfill({ status: 404, headers: { 'access-control-allow-origin': '*' } }),
      )
      await opener(page).click()
      await page.getByRole('alert').filter({ hasText: 'The search did not work.' }).waitFor()
      return run(page, 'heard')
    })
    expect(result).toEqual([['error', { code: 'load_failed' }]])
    expect(shop.service.requests.filter((line) => line === 'GET /widget.js')).toHaveLength(2)
  }, 60_000)
})
