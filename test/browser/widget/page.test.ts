import { describe, expect, test } from 'bun:test'
import { plain } from './pictures.ts'
import { KEY } from './service.ts'
import {
  cardsOf,
  choose,
  dialogOf,
  open,
  opener,
  openWidgetPage,
  run,
  type ShopPage,
  said,
  searchWords,
  strictPolicy,
  tagOf,
  transfer,
} from './shop.ts'

const shop = openWidgetPage()

const photo = await plain(400, 300)

describe('loading', () => {
  test('asks for the script alone, moves nothing, and needs no more than the policy of the guide', async () => {
    const body = '<header><input name="q"></header><p>Text</p>'
    const { result, console, violations } = await shop.visit(
      { body, data: { 'data-attach': 'input[name=q]' } },
      {},
      async (page) => {
        await opener(page).waitFor()
        const before = [...shop.service.requests]
        const shifts = await run(
          page,
          `new Promise((done) => {
        let sum = 0
        new PerformanceObserver((list) => { for (const { value } of list.getEntries()) sum += value })
          .observe({ type: 'layout-shift', buffered: true })
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(sum))))
      })`,
        )
        const button = await opener(page).boundingBox()
        const field = await page.locator('input[name=q]').boundingBox()
        await open(page)
        await choose(page, photo)
        await said(page, 'found')
        const styled = await page.locator('[style]').count()
        return {
          before,
          shifts,
          styled,
          stored: await run(page, 'Object.keys(localStorage)'),
          gap: (field?.x ?? 0) + (field?.width ?? 0) - (button?.x ?? 0),
          height: (button?.y ?? 0) + 22 - (field?.y ?? 0) - (field?.height ?? 0) / 2,
        }
      },
    )
    expect(result).toEqual({
      before: ['GET /widget.js'],
      shifts: 0,
      styled: 0,
      stored: ['service-sid'],
      gap: 44,
      height: expect.closeTo(0, 0),
    })
    expect([console, violations]).toEqual([[], []])
  }, 60_000)

  test('runs once, even if included twice', async () => {
    const { result } = await shop.visit(
      { body: `${tagOf(shop.service.address)}${tagOf(shop.service.address)}` },
      {},
      async (page) => {
        await opener(page).first().waitFor()
        await open(page)
        return page.locator('[data-service-widget]').count()
      },
    )
    expect(result).toBe(1)
  }, 60_000)

  test('survives frameworks that take its node away and bring it, or another tag, back', async () => {
    const { result, console } = await shop.visit(
      { body: '<div id="app"></div>', data: { 'data-target': '#app' } },
      {},
      async (page) => {
        await opener(page).waitFor()
        await run(page, `window.app = document.querySelector('#app'); app.remove()`)
        await opener(page).waitFor({ state: 'detached' })
        // The same node again, then a new one in its place, as a router makes it, with the script in it.
        await run(page, 'document.body.append(app)')
        await opener(page).waitFor()
        await run(
          page,
          `app.remove(); const next = document.createElement('div'); next.id = 'app'; document.body.prepend(next)`,
        )
        await opener(page).waitFor()
        await open(page)
        await searchWords(page, 'mug')
        await said(page, '12 products found')
        return page.locator('[data-service-widget]').count()
      },
    )
    expect([result, console]).toEqual([1, []])
  }, 60_000)

  test('leaves the shop unharmed when a file is missing, and tries again with the next click', async () => {
    const { result } = await shop.visit({}, {}, async (page) => {
      await opener(page).waitFor()
      shop.service.isDown = true
      await opener(page).click()
      await page.evaluate(
        `new Promise((done) => heard.length ? done() : document.addEventListener('service:error', done, { once: true }))`,
      )
      const heard = await run(page, 'heard')
      const told = await page.getByRole('alert').textContent()
      shop.service.isDown = false
      await open(page)
      return { heard, told }
    })
    expect(result).toEqual({
      heard: [['error', { code: 'load_failed' }]],
      told: 'The search did not work.',
    })
  }, 60_000)

  test('a pinned script works, and loads no main file but its own', async () => {
    const { address } = shop.service
    const { pinned } = (await (await fetch(`${address}/widget.json`)).json()) as {
      pinned: { src: string; integrity: string }
    }
    const tag = `<script src="${pinned.src}" integrity="${pinned.integrity}" crossorigin="anonymous" data-key="${KEY}" async></script>`
    const { result } = await shop.visit({ tag }, {}, async (page) => {
      await opener(page).waitFor()
      await page.route('**/widget/main-*.js', (route) =>
        route.fulfill({
          contentType: 'text/javascript',
          headers: { 'access-control-allow-origin': '*' },
          body: 'document.title = "taken over"; export const start = () => {}',
        }),
      )
      const failed = page.evaluate(
        `new Promise((done) => document.addEventListener('service:error', () => done(document.title), { once: true }))`,
      )
      await opener(page).click()
      const title = await failed
      await page.unroute('**/widget/main-*.js')
      await open(page)
      return title
    })
    expect(result).toBe('Shop')
  }, 60_000)

  test('destroy takes everything away, and another tag starts anew', async () => {
    const { result } = await shop.visit({}, {}, async (page) => {
      await open(page)
      await run(page, 'ServiceWidget.destroy()')
      return [await page.locator('[data-service-widget]').count(), await run(page, 'ServiceWidget.open()')]
    })
    expect(result[0]).toBe(0)
  }, 60_000)
})

describe('the key', () => {
  const refusal = async (shown: ShopPage, host?: string) =>
    shop.visit(
      shown,
      {},
      async (page) => {
        await open(page)
        await searchWords(page, 'mug')
        await said(page, 'Search by picture is not available here.')
        await page.keyboard.press('Escape')
        await dialogOf(page).waitFor({ state: 'hidden' })
        return opener(page).isVisible()
      },
      host ? { host } : {},
    )

  test('on a foreign origin: the button disappears, and the console says what the service says, once', async () => {
    const { result, console } = await refusal({}, 'localhost')
    const origin = shop.origin.replace('127.0.0.1', 'localhost')
    expect(result).toBe(false)
    expect(console.filter((text) => text.startsWith('Lookalike'))).toEqual([
      `Lookalike: refused (origin_not_allowed, ${origin})`,
    ])
  }, 60_000)

  test('that nobody knows: likewise', async () => {
    const { result, console } = await refusal({ data: { 'data-key': `${KEY.slice(0, -1)}x` } })
    expect(result).toBe(false)
    expect(console.join()).toContain('refused (unauthorized, http')
  }, 60_000)

  test.each(['sk_live_00000000000000000000000000000000abcdef', 'cs_6f1c5b0e9a', 'a'])(
    'that is a secret (%s) starts nothing and is to be rotated',
    async (key) => {
      const { result, console } = await shop.visit({ data: { 'data-key': key } }, {}, async (page) => {
        await page.locator('script').first().waitFor({ state: 'attached' })
        await page.waitForLoadState('load')
        return [await page.locator('[data-service-widget]').count(), await run(page, 'typeof ServiceWidget')]
      })
      expect(result).toEqual([0, 'undefined'])
      expect(console).toEqual([expect.stringContaining('Rotate it now')])
      expect(console.join()).not.toContain(key.length > 1 ? key : 'never')
    },
    60_000,
  )

  test('a policy without the service: the console prints what to add', async () => {
    const { address } = shop.service
    const policy = strictPolicy(address).replace(`connect-src ${address};`, '')
    const { console } = await shop.visit({ policy }, {}, async (page) => {
      // The browser reports a broken policy in its own time.
      const told = page.waitForEvent('console', (message) => message.text().startsWith('Lookalike: '))
      await open(page)
      await searchWords(page, 'mug')
      await said(page, 'The search did not work.')
      await told
    })
    expect(console).toContainEqual(
      `Lookalike: the Content-Security-Policy of this page forbids connect-src ${address}. ` +
        `Add: script-src ${address}; connect-src ${address}; img-src ${address}`,
    )
  }, 60_000)
})

describe('by keyboard', () => {
  test('a shopper opens, searches, chooses and closes, and the focus goes back to where it was', async () => {
    const { result } = await shop.visit({ body: '<p><a href="#x">link</a></p>' }, {}, async (page) => {
      await opener(page).waitFor()
      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await dialogOf(page).waitFor()
      const focused = () =>
        run<string>(
          page,
          `(() => { const inner = document.querySelector('[data-service-widget]').shadowRoot.activeElement
          return inner?.ariaLabel ?? inner?.textContent.trim() ?? document.activeElement.tagName })()`,
        )
      const steps = [await focused()]
      for (let n = 0; n < 4; n++) {
        await page.keyboard.press('Tab')
        steps.push(await focused())
      }
      await page.getByRole('searchbox').focus()
      await page.keyboard.type('mug')
      await page.keyboard.press('Enter')
      await said(page, '12 products found')
      await page.keyboard.press('Escape')
      await dialogOf(page).waitFor({ state: 'hidden' })
      return { steps, after: await focused() }
    })
    expect(result.steps).toEqual([
      ...['Words, or the address of a picture', 'Search', 'Choose a picture', 'Paste'],
      'What happens to my photo?',
    ])
    expect(result.after).toBe('Search by picture')
  }, 60_000)
})

describe('other ways in', () => {
  test('a dropped picture, with one drop area while it is dragged', async () => {
    const { result, violations } = await shop.visit({}, {}, async (page) => {
      await opener(page).waitFor()
      const dropped = await run(page, transfer('drop', photo))
      await said(page, '30 products found')
      return [dropped, await page.locator('[part=drop]').count()]
    })
    // The page's own handling of the drop, which would leave the shop, was prevented.
    expect(result).toEqual([[true, false], 0])
    expect(violations).toEqual([])
  }, 60_000)

  test('a pasted picture, but never from a field of the shop', async () => {
    await shop.visit({ body: '<input id="own">' }, {}, async (page) => {
      await opener(page).waitFor()
      await page.locator('#own').focus()
      expect(await run(page, transfer('paste', photo))).toBe(true)
      await page.locator('#own').blur()
      expect(await run(page, transfer('paste', photo))).toBe(false)
      await said(page, '30 products found')
    })
    expect(shop.service.callsOf('upload')).toHaveLength(1)
  }, 60_000)

  test('a camera on touch devices only', async () => {
    const count = async (hasTouch: boolean) =>
      (
        await shop.visit({}, { hasTouch, width: 360 }, async (page) => {
          await open(page)
          return [
            await page.getByRole('button', { name: 'Take a photo' }).count(),
            await page.locator('input[capture=environment]').count(),
          ]
        })
      ).result
    expect([await count(true), await count(false)]).toEqual([
      [1, 1],
      [0, 1],
    ])
  }, 60_000)

  test('a button on each picture of the shop, also on those that come later, with the product left out', async () => {
    const picture = (id: string) =>
      `<a href="/p/${id}"><img class="product" data-product-id="${id}" alt="Mug ${id}" width="150" height="150" src="${shop.service.address}/product/1.svg"></a>`
    const { result, console } = await shop.visit(
      { body: `<div class="list">${picture('sku-1')}</div>`, data: { 'data-similar': 'img.product' } },
      {},
      async (page) => {
        const first = page.getByRole('button', { name: 'Find similar: Mug sku-1' })
        await first.waitFor()
        await run(
          page,
          `(() => { const copy = document.querySelector('.list a').cloneNode(true)
          copy.firstChild.dataset.productId = 'sku-2'; copy.firstChild.alt = 'Mug sku-2'; document.querySelector('.list').append(copy) })()`,
        )
        await page.getByRole('button', { name: 'Find similar: Mug sku-2' }).waitFor()
        const image = await page.locator('img.product').first().boundingBox()
        const box = await first.boundingBox()
        await first.click()
        await said(page, '8 products found')
        return [(box?.x ?? 0) - (image?.x ?? 0) - (image?.width ?? 0), page.url() === `${shop.origin}/`]
      },
    )
    expect(result).toEqual([expect.closeTo(-50, 1), true])
    expect(shop.service.callsOf('url')[0]?.body).toMatchObject({ product_id: 'sku-1' })
    expect(console).toEqual([])
  }, 60_000)

  test('inline: opens in its place, and closes', async () => {
    const { result } = await shop.visit({ data: { 'data-mode': 'inline' } }, {}, async (page) => {
      await opener(page).click()
      await page.getByRole('region', { name: 'Find it by picture' }).waitFor()
      await searchWords(page, 'mug')
      await said(page, '12 products found')
      const button = await opener(page).isVisible()
      await run(page, 'ServiceWidget.close()')
      return [button, await opener(page).isVisible(), await page.getByRole('region').count()]
    })
    expect(result).toEqual([false, true, 0])
  }, 60_000)

  test('the API: open with words, with a file, with an address; events; a shop that navigates itself', async () => {
    const { result } = await shop.visit({}, {}, async (page) => {
      await opener(page).waitFor()
      await run(
        page,
        `window.names = []; window.off = ServiceWidget.on('results', ({ detail }) => names.push(detail.products.length))
        ServiceWidget.on('select', (event) => { event.preventDefault(); window.selected = event.detail })
        ServiceWidget.open({ query: 'mug' })`,
      )
      await said(page, '12 products found')
      await cardsOf(page).first().click()
      const selected = await run<Record<string, unknown>>(page, 'selected')
      await run(page, `off(); ServiceWidget.open({ url: '${shop.service.address}/product/1.svg' })`)
      await said(page, '9 products found')
      return {
        names: await run(page, 'names'),
        selected,
        url: page.url(),
        heard: await run(page, 'heard.map(([name]) => name)'),
      }
    })
    expect(result).toEqual({
      names: [12],
      selected: expect.objectContaining({
        product_id: 'sku-1',
        url: `${shop.origin}/p/sku-1`,
        search_id: expect.any(String),
      }),
      url: `${shop.origin}/`,
      heard: ['open', 'results', 'select', 'open', 'results'],
    })
  }, 60_000)
})
