import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { hits } from './service.ts'
import { cardsOf, fence, heardResults, open, openWidgetPage, run, said, searchWords } from './shop.ts'

const shop = openWidgetPage()

const FACETS = {
  category: [
    { value: 'Mugs', count: 9 },
    { value: 'Bowls', count: 3 },
  ],
  brand: [
    { value: 'Acme', count: 7 },
    { value: 'Zed', count: 5 },
  ],
  color_name: [{ value: 'red', count: 12 }],
  price: { min: 1, max: 9 },
}

const shoot = async (page: Page, name: string) => {
  const folder = process.env['SHOTS']
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` })
}

/** A field of a shop that allows no good to anybody. */
const FIELD = `<form id="own" action="/found"><input name="q" id="q" type="search" aria-label="Find"><button>Go</button></form>`

describe('facets and the order', () => {
  test('narrow by several values of a field, sort, keep the focus, and go with new words', async () => {
    const { result, violations, console } = await shop.visit({}, {}, async (page) => {
      shop.service.reply = ({ path }) =>
        path.endsWith('/text') ? { body: { results: hits(6), facets: FACETS } } : undefined
      await open(page)
      await searchWords(page, 'mug')
      await said(page, '6 products found')
      await page.getByText('Filter', { exact: true }).click()
      const shown = await page.locator('.groups').getByRole('group').allTextContents()
      await page.getByRole('button', { name: 'Acme 7' }).click()
      await heardResults(page, 2)
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await heardResults(page, 3)
      await page.getByLabel('Sort by').selectOption('price_asc')
      await heardResults(page, 4)
      await shoot(page, 'facets-1280')
      await page.setViewportSize({ width: 360, height: 740 })
      await shoot(page, 'facets-360')
      const pressed = await page.locator('.groups [aria-pressed=true]').allTextContents()
      await searchWords(page, 'bowl')
      await heardResults(page, 5)
      return [shown, pressed, await page.getByText('Filter', { exact: true }).count()]
    })
    expect(result).toEqual([['CategoryMugs 9Bowls 3', 'BrandAcme 7Zed 5'], ['Acme 7', 'Zed 5'], 1])
    expect([violations, console]).toEqual([[], []])
    const asked = shop.service
      .callsOf('text')
      .map(({ body }) => [body['query'], body['facet_values'], body['sort']])
    expect(asked).toEqual([
      ['mug', undefined, undefined],
      ['mug', { brand: ['Acme'] }, undefined],
      ['mug', { brand: ['Acme', 'Zed'] }, undefined],
      ['mug', { brand: ['Acme', 'Zed'] }, 'price_asc'],
      ['bowl', undefined, 'price_asc'],
    ])
    expect(shop.service.callsOf('text')[0]?.body['facets']).toEqual(['category', 'brand', 'color_name'])
  }, 60_000)

  test('stay where nothing is left, so that the shopper can go back; a shop names its own fields', async () => {
    const { result } = await shop.visit({ data: { 'data-facets': 'material' } }, {}, async (page) => {
      shop.service.reply = ({ body }) => ({
        body: body['facet_values']
          ? { results: [], facets: { material: [] } }
          : {
              results: hits(3),
              facets: {
                material: [
                  { value: 'oak', count: 2 },
                  { value: true, count: 1 },
                ],
              },
            },
      })
      await open(page)
      await searchWords(page, 'table')
      await said(page, '3 products found')
      await page.getByText('Filter', { exact: true }).click()
      await page.getByRole('button', { name: 'oak 2' }).click()
      await said(page, 'Nothing in this shop')
      await page.getByRole('button', { name: 'oak' }).click()
      await said(page, '3 products found')
      return page.locator('.groups .hint').allTextContents()
    })
    expect(result).toEqual(['material'])
  }, 60_000)

  test('words that lead somewhere else in the shop go there, and never to a script', async () => {
    const { result } = await shop.visit({}, {}, async (page) => {
      shop.service.reply = () => ({ body: { results: hits(3), redirect_url: 'javascript:window.bad=1' } })
      await open(page)
      await searchWords(page, 'returns')
      await said(page, '3 products found')
      const isBad = await run(page, 'window.bad')
      shop.service.reply = () => ({ body: { results: hits(3), redirect_url: '/returns?x=1' } })
      await searchWords(page, 'returns please')
      await page.waitForURL('**/returns?x=1')
      return isBad
    })
    expect(result).toBeUndefined()
  }, 60_000)
})

describe('rows of a product page', () => {
  const rowsOf = (page: Page) => page.locator('[data-service-row]')
  const PLACE = `<div id="far"></div><div id="row" data-similar-to="SKU 1" data-together="SKU 1"></div>`

  test('come when they are near, count clicks with their search, follow the product, and are none without products', async () => {
    const head = '<style>*{all:unset}#far{display:block;height:4000px}div{display:block}</style>'
    const policy = `default-src 'none'; script-src ${shop.service.address}; connect-src ${shop.service.address}; img-src ${shop.service.address}; style-src 'self' 'unsafe-inline'; require-trusted-types-for 'script'; trusted-types 'none'`
    const { result, violations, console } = await shop.visit(
      { body: PLACE, head, policy },
      {},
      async (page) => {
        await page.waitForTimeout(300)
        const early = shop.service.requests.filter((one) => one.includes('/v1/') || one.includes('main'))
        await run(page, `document.querySelector('#row').scrollIntoView()`)
        await rowsOf(page).nth(1).waitFor()
        await shoot(page, 'rows-1280')
        const names = await page
          .locator('[part=row]')
          .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))
        await run(page, `document.addEventListener('service:select', (event) => event.preventDefault())`)
        await cardsOf(page).first().click()
        shop.service.reply = ({ path }) =>
          path.includes('/v1/widget/together') ? { body: { results: [] } } : undefined
        await run(
          page,
          `document.querySelector('#row').dataset.similarTo = document.querySelector('#row').dataset.together = 'SKU 2'`,
        )
        await shop.service.arrived('feedback', 1)
        await page.locator('[data-service-row=together]').waitFor({ state: 'detached' })
        await page.locator('[data-service-row=similar]').waitFor()
        await run(page, `document.querySelector('#row').replaceChildren()`)
        await page.locator('[data-service-row=similar]').waitFor()
        // What is similar does not stand there twice.
        shop.service.reply = () => ({ body: { results: hits(3), basis: 'similar' } })
        const again = page.waitForResponse((answer) => answer.url().includes('/together?product_id=SKU+3'))
        await run(page, `document.querySelector('#row').dataset.together = 'SKU 3'`)
        await again
        await fence(page, shop.service.address)
        return [early, names, await rowsOf(page).count()]
      },
    )
    expect(result).toEqual([[], ['Similar products', 'Often bought together'], 1])
    expect([violations, console]).toEqual([[], []])
    const asked = shop.service.calls.filter(({ method }) => method === 'GET')
    // The two of a product are sent together, and arrive in any order.
    const named = asked.slice(0, 4).map(({ path, body }) => `${body['product_id']} ${path}`)
    expect([named.slice(0, 2).sort(), named.slice(2).sort()]).toEqual([
      ['SKU 1 /v1/widget/similar', 'SKU 1 /v1/widget/together'],
      ['SKU 2 /v1/widget/similar', 'SKU 2 /v1/widget/together'],
    ])
    expect(shop.service.callsOf('feedback')[0]?.body).toMatchObject({
      ...{ action: 'click', result_product_id: 'sku-1', search_id: expect.any(String) },
      session_id: asked[0]?.body['session_id'],
    })
  }, 60_000)

  test('stand in their order, whichever answer comes first', async () => {
    const body = '<div id="row" data-similar-to="SKU 1" data-together="SKU 1"></div>'
    const { result } = await shop.visit({ body }, {}, async (page) => {
      const { promise: isTold, resolve: tell } = Promise.withResolvers<void>()
      shop.service.reply = async ({ path }) => {
        if (path.endsWith('/similar')) await isTold
        return undefined
      }
      const told = page.waitForResponse((answer) => answer.url().includes('/together'))
      await run(page, `document.querySelector('#row').scrollIntoView()`)
      await told
      tell()
      await rowsOf(page).nth(1).waitFor()
      return page.locator('[part=row]').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))
    })
    expect(result).toEqual(['Similar products', 'Often bought together'])
  }, 60_000)

  test.each([
    ['dark', 360],
    ['light', 1280],
  ] as const)(
    'stand beside the tag, in %s at %d pixels',
    async (colorScheme, width) => {
      const data = { 'data-similar-to': 'x', 'data-target': '#none' }
      const { result } = await shop.visit({ data }, { colorScheme, width, height: 700 }, async (page) => {
        await rowsOf(page).waitFor()
        await shoot(page, `row-${colorScheme}-${width}`)
        return page.evaluate('document.documentElement.scrollWidth <= innerWidth')
      })
      expect(result).toBe(true)
    },
    60_000,
  )

  test('a refusal leaves the page as it is', async () => {
    const { result } = await shop.visit({ body: '<div data-similar-to="gone"></div>' }, {}, async (page) => {
      shop.service.reply = () => ({ status: 404, body: { error: 'not_found', message: 'no', details: {} } })
      await run(page, `new Promise((done) => setTimeout(done, 400))`)
      return [shop.service.calls.length, await rowsOf(page).count()]
    })
    expect(result).toEqual([1, 0])
  }, 60_000)
})

describe('suggestions in the shop’s own field', () => {
  const data = { 'data-search': '#q' }
  const list = (page: Page) => page.getByRole('listbox')

  test('come after two letters and a rest, are chosen by keys, and leave the form its Enter', async () => {
    const { result, violations, console } = await shop.visit(
      { data, body: FIELD },
      {},
      async (page, context) => {
        await run(
          page,
          `window.sent = []; own.addEventListener('submit', (event) => { event.preventDefault(); sent.push(q.value) })`,
        )
        const field = page.locator('#q')
        const cdp = await context.newCDPSession(page)
        await field.pressSequentially('m')
        await page.waitForTimeout(400)
        const one = shop.service.callsOf('suggestions').length
        await field.pressSequentially('ug', { delay: 20 })
        await list(page).waitFor()
        await shoot(page, 'suggest-1280')
        await page.keyboard.press('ArrowDown')
        await page.keyboard.press('ArrowDown')
        const { nodes } = (await cdp.send('Accessibility.getFullAXTree')) as {
          nodes: { role?: { value: string } }[]
        }
        const active = await run(
          page,
          `document.getElementById(q.getAttribute('aria-activedescendant')).textContent`,
        )
        await page.keyboard.press('Escape')
        const afterEscape = [
          await list(page).count(),
          await field.getAttribute('aria-expanded'),
          await field.inputValue(),
        ]
        await page.keyboard.press('Enter')
        await field.pressSequentially('s')
        await list(page).waitFor()
        await page.keyboard.press('ArrowUp')
        await page.keyboard.press('Enter')
        await field.pressSequentially('x')
        await list(page).waitFor()
        await page.getByRole('option', { name: 'mug with a lid' }).click()
        return [
          one,
          nodes.some(({ role }) => role?.value === 'combobox'),
          active,
          afterEscape,
          await run(page, 'sent'),
        ]
      },
    )
    expect(result).toEqual([
      0,
      true,
      'mug with a lid',
      [0, 'false', 'mug'],
      ['mug', 'Harbour striped mug', 'mug with a lid'],
    ])
    expect(shop.service.callsOf('suggestions').map(({ body }) => body['query'])).toEqual([
      'mug',
      'mugs',
      'Harbour striped mugx',
    ])
    expect([violations, console]).toEqual([[], []])
  }, 60_000)

  test('the last answer wins, and a page that unsets everything shows them', async () => {
    const head = '<style>*{all:unset}</style>'
    const policy = `default-src 'none'; script-src ${shop.service.address}; connect-src ${shop.service.address}; img-src ${shop.service.address}; style-src 'self' 'unsafe-inline'`
    const look = { width: 360, height: 640, colorScheme: 'dark' } as const
    const { result } = await shop.visit({ data, body: FIELD, head, policy }, look, async (page) => {
      const held = Promise.withResolvers<undefined>()
      shop.service.reply = async ({ path, body }) => {
        if (!path.endsWith('suggestions')) return undefined
        if (body['query'] === 'mu') await held.promise
        return { body: { suggestions: [{ query: `of ${body['query']}` }] } }
      }
      const field = page.locator('#q')
      await field.pressSequentially('mu')
      await shop.service.arrived('suggestions', 1)
      await field.pressSequentially('g')
      await page.getByRole('option', { name: 'of mug' }).waitFor()
      held.resolve(undefined)
      await shoot(page, 'suggest-360-dark')
      await page.waitForTimeout(200)
      const shown = await page.getByRole('option').allTextContents()
      await field.fill('')
      await list(page).waitFor({ state: 'detached' })
      return shown
    })
    expect(result).toEqual(['of mug'])
  }, 60_000)

  test('stand in the dialog, too, whose Escape closes them first', async () => {
    const { result } = await shop.visit({}, {}, async (page) => {
      await open(page)
      await page.getByRole('searchbox').pressSequentially('mu')
      await list(page).waitFor()
      await shoot(page, 'suggest-dialog')
      await page.keyboard.press('Escape')
      const still = [await list(page).count(), await page.getByRole('dialog').count()]
      await page.getByRole('searchbox').pressSequentially('g')
      await page.getByRole('option', { name: 'mug with a lid' }).click()
      await said(page, '12 products found')
      return still
    })
    expect(result).toEqual([0, 1])
    expect(shop.service.callsOf('text')[0]?.body['query']).toBe('mug with a lid')
  }, 60_000)
})
