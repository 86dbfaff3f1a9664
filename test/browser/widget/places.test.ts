import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { plain } from './pictures.ts'
import { dialogOf, open, opener, openWidgetPage, run, said, searchWords, tagOf, transfer } from './shop.ts'

const shop = openWidgetPage()

const photo = await plain(400, 300)
const NOWHERE = { data: { 'data-target': '#nowhere' } }

const parentOfHost = (page: Page) =>
  run<string>(page, `document.querySelector('[data-service-widget]').parentElement.localName`)
const frames = (page: Page) =>
  run(
    page,
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))',
  )

describe('a page that has no place for the button', () => {
  test.each([
    ['a call', `ServiceWidget.open({ query: 'mug' })`, '12 products found'],
    ['a drop', transfer('drop', photo), '30 products found'],
    ['a paste', transfer('paste', photo), '30 products found'],
  ])(
    'opens the dialog by %s, and shows no button',
    async (_, code, found) => {
      const { result, console } = await shop.visit(NOWHERE, {}, async (page) => {
        await page.waitForLoadState('load')
        await run(page, code)
        await dialogOf(page).waitFor()
        await said(page, found)
        await page.keyboard.press('Escape')
        await dialogOf(page).waitFor({ state: 'hidden' })
        return [await opener(page).count(), await run(page, `heard.filter(([name]) => name === 'error')`)]
      })
      expect([result, console]).toEqual([[0, []], []])
    },
    60_000,
  )

  test('opens it by a button on a picture, with the tag in the head', async () => {
    const { address } = shop.service
    const { console } = await shop.visit(
      {
        head: tagOf(address).replace('data-key', 'data-similar="img.product" data-key'),
        tag: '',
        body: `<img class="product" data-product-id="sku-1" alt="Mug" width="150" height="150" src="${address}/product/1.svg">`,
      },
      {},
      async (page) => {
        await page.getByRole('button', { name: 'Find similar: Mug' }).click()
        await dialogOf(page).waitFor()
        await said(page, '8 products found')
      },
    )
    expect(console).toEqual([])
  }, 60_000)

  test('gets the button as soon as there is a place, but not under an open dialog', async () => {
    const { result } = await shop.visit(NOWHERE, {}, async (page) => {
      await page.waitForLoadState('load')
      await run(page, 'ServiceWidget.open()')
      await dialogOf(page).waitFor()
      await run(
        page,
        `(() => { const place = document.createElement('div'); place.id = 'nowhere'; document.querySelector('main').append(place) })()`,
      )
      await frames(page)
      const before = [await parentOfHost(page), await page.locator('dialog:modal').count()]
      await page.keyboard.press('Escape')
      await opener(page).waitFor()
      return [...before, await parentOfHost(page)]
    })
    expect(result).toEqual(['body', 1, 'div'])
  }, 60_000)
})

describe('a search field that the page hides', () => {
  const page = {
    body: '<section><input name="q"></section>',
    data: { 'data-attach': 'input[name=q]' },
  }

  test.each(['input', 'section'])(
    '%s: the dialog can be seen, and the camera comes back',
    async (hidden) => {
      const { result } = await shop.visit(page, {}, async (page) => {
        await opener(page).waitFor()
        await run(page, `document.querySelector('${hidden}').hidden = true`)
        await opener(page).waitFor({ state: 'hidden' })
        await run(
          page,
          `window.drag = (name) => { const data = new DataTransfer(); data.items.add(new File([], 'a.jpg', { type: 'image/jpeg' }))
          document.body.dispatchEvent(new DragEvent(name, { dataTransfer: data, bubbles: true, cancelable: true })) }
        drag('dragenter')`,
        )
        await page.locator('[part=drop]').waitFor()
        await run(page, `drag('dragleave')`)
        await page.locator('[part=drop]').waitFor({ state: 'detached' })
        await run(page, 'ServiceWidget.open()')
        await dialogOf(page).waitFor()
        const [x, y] = [640, 5]
        await searchWords(page, 'mug')
        await said(page, '12 products found')
        await page.mouse.click(x, y)
        await dialogOf(page).waitFor({ state: 'hidden' })
        await run(page, `document.querySelector('${hidden}').hidden = false`)
        await opener(page).waitFor()
        return parentOfHost(page)
      })
      expect(result).toBe('section')
    },
    60_000,
  )
})

describe('a framework', () => {
  test('that moves the open dialog leaves it modal', async () => {
    const { result } = await shop.visit(
      { body: '<div id="app"></div>', data: { 'data-target': '#app' } },
      {},
      async (page) => {
        await open(page)
        await run(
          page,
          `window.app = document.querySelector('#app'); app.remove(); document.body.append(app)`,
        )
        await page.locator('dialog:modal').waitFor()
        await searchWords(page, 'mug')
        await said(page, '12 products found')
        // The dialog leaves the page with its place, and opens anew as a modal one.
        await run(page, 'app.remove()')
        await frames(page)
        await run(page, 'document.body.append(app)')
        await open(page)
        return page.locator('dialog:modal').count()
      },
    )
    expect(result).toBe(1)
  }, 60_000)

  const picture = (id: string) =>
    `<img class="product" data-product-id="${id}" alt="Mug ${id}" width="150" height="150" src="${shop.service.address}/product/1.svg">`
  const list = () => ({
    body: `<div class="list">${picture('sku-1')}</div>`,
    data: { 'data-similar': 'img.product' },
  })

  test('that shows another product in the same picture gets a button for that one', async () => {
    await shop.visit(list(), {}, async (page) => {
      await page.getByRole('button', { name: 'Find similar: Mug sku-1' }).waitFor()
      await run(
        page,
        `(() => { const image = document.querySelector('.product'); image.alt = 'Cup $&'; image.dataset.productId = 'sku-2' })()`,
      )
      await page.getByRole('button', { name: 'Find similar: Cup $&' }).click()
      await said(page, 'products found')
    })
    expect(shop.service.callsOf('url')[0]?.body).toMatchObject({ product_id: 'sku-2' })
  }, 60_000)

  test('that fills its lists again and again leaves one style sheet, written when something moves', async () => {
    const { result } = await shop.visit(list(), {}, async (page) => {
      const similar = page.getByRole('button', { name: 'Find similar' })
      await similar.waitFor()
      const count = () => run<number>(page, 'document.adoptedStyleSheets.length')
      const before = await count()
      for (let n = 0; n < 3; n++) {
        await run(
          page,
          `window.kept = document.querySelector('.list img'); document.querySelector('.list').replaceChildren()`,
        )
        await similar.waitFor({ state: 'detached' })
        await run(page, `document.querySelector('.list').append(kept)`)
        await similar.waitFor()
      }
      await frames(page)
      await run(
        page,
        `window.writes = 0; const real = CSSStyleSheet.prototype.replaceSync
        CSSStyleSheet.prototype.replaceSync = function (text) { writes += 1; return real.call(this, text) }`,
      )
      for (let n = 0; n < 3; n++) {
        await run(page, `document.body.append(document.createElement('i'))`)
        await frames(page)
      }
      return [(await count()) - before, await run(page, 'writes')]
    })
    expect(result).toEqual([0, 0])
  }, 60_000)
})

describe('the tag', () => {
  test('a selector that is none counts as absent, and the console says so', async () => {
    const { result, console } = await shop.visit(
      { data: { 'data-target': '##', 'data-attach': 'input[', 'data-similar': ':::' } },
      {},
      async (page) => {
        await open(page)
        return run(page, 'typeof ServiceWidget.trackPurchase')
      },
    )
    expect(result).toBe('function')
    expect(console.toSorted()).toEqual([
      'Lookalike: data-attach is no selector and was ignored.',
      'Lookalike: data-similar is no selector and was ignored.',
      'Lookalike: data-target is no selector and was ignored.',
    ])
  }, 60_000)

  test('of a service below /widget calls that service', async () => {
    const { address } = shop.service
    const tag = tagOf(`${address}/widget`)
    const { result } = await shop.visit({ tag }, {}, async (page) => {
      const asked: string[] = []
      await page.route(`${address}/**`, (route) => {
        const url = route.request().url()
        asked.push(url.replace(address, ''))
        return route.continue({ url: url.replace(`${address}/widget/`, `${address}/`) })
      })
      await page.reload()
      await open(page)
      await searchWords(page, 'mug')
      await said(page, '12 products found')
      return asked.filter((path) => !path.includes('/product/'))
    })
    expect(result.every((path) => path.startsWith('/widget/'))).toBe(true)
    expect(result).toContain('/widget/v1/widget/search/text')
  }, 60_000)

  test.each(['pk_live_…', 'pk_live_ 1'])(
    'with the key %s of a manual says that it is none',
    async (key) => {
      const { result, console } = await shop.visit({ data: { 'data-key': key } }, {}, async (page) => {
        await page.waitForLoadState('load')
        return page.locator('[data-service-widget]').count()
      })
      expect([result, console]).toEqual([
        0,
        ['Lookalike: data-key is no widget key. Find it with: lookalike key list.'],
      ])
    },
    60_000,
  )
})

describe('a click beside the dialog', () => {
  test('closes it; the empty space of a phone does not, and neither does a text that is marked', async () => {
    await shop.visit({}, { width: 360, height: 800 }, async (page) => {
      await open(page)
      await page.mouse.click(180, 790)
      expect(await dialogOf(page).isVisible()).toBe(true)
    })
    await shop.visit({}, {}, async (page) => {
      await open(page)
      const title = await page.getByRole('heading', { name: 'Find it by picture' }).boundingBox()
      await page.mouse.move((title?.x ?? 0) + 5, (title?.y ?? 0) + 5)
      await page.mouse.down()
      await page.mouse.move(5, 5)
      await page.mouse.up()
      expect(await dialogOf(page).isVisible()).toBe(true)
      await page.mouse.click(5, 5)
      await dialogOf(page).waitFor({ state: 'hidden' })
    })
  }, 60_000)
})
