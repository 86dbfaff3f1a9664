import { describe, expect, test } from 'bun:test'
import { plain } from './pictures.ts'
import { hits } from './service.ts'
import { cardsOf, choose, heardResults, open, openWidgetPage, said, searchWords } from './shop.ts'

const shop = openWidgetPage()
const photo = await plain(800, 600)

const words = ['Mugs', 'Stoneware', 'Ember', 'Lamp', 'Glazed', 'Harbour'].map((word) => ({ word, weight: 1 }))
const seen = {
  query_categories: [{ name: 'mugs', score: 0.8 }],
  query_words: words,
}

describe('words of the first hits', () => {
  test('stand beside the categories; a tap adds one to the search, another tap takes it away', async () => {
    const { result, console } = await shop.visit({}, {}, async (page) => {
      shop.service.reply = () => ({ body: { results: hits(5), image_id: 'image-1', ...seen } })
      const chips = page.locator('.bar [part=chip]')
      await open(page)
      await choose(page, photo)
      await said(page, '5 products found')
      const first = await chips.allTextContents()
      await page.getByRole('button', { name: 'Stoneware', exact: true }).click()
      await heardResults(page, 2)
      const narrowed = [
        await chips.allTextContents(),
        await page.locator('[part=chip][aria-pressed=true]').allTextContents(),
        await page.getByRole('searchbox').inputValue(),
        // The keyboard goes on where it was.
        await page.evaluate(
          `document.querySelector('[data-service-widget]').shadowRoot.activeElement.textContent`,
        ),
      ]
      await searchWords(page, 'Stoneware with a handle')
      await heardResults(page, 3)
      await page.getByRole('button', { name: 'Stoneware', exact: true }).click()
      await heardResults(page, 4)
      return [first, ...narrowed, await page.getByRole('searchbox').inputValue()]
    })
    expect(result).toEqual([
      ['mugs', 'Stoneware', 'Ember', 'Lamp'],
      ['mugs', 'Stoneware', 'Ember', 'Lamp'],
      ['Stoneware'],
      'Stoneware',
      'Stoneware',
      'with a handle',
    ])
    expect(console).toEqual([])
    expect(shop.service.callsOf('url').map(({ body }) => [body['image_id'], body['query']])).toEqual([
      ['image-1', 'Stoneware'],
      ['image-1', 'Stoneware with a handle'],
      ['image-1', 'with a handle'],
    ])
  }, 60_000)

  test('are none of a search without a picture', async () => {
    const { result } = await shop.visit({}, {}, async (page) => {
      shop.service.reply = () => ({ body: { results: hits(5), ...seen } })
      await open(page)
      await searchWords(page, 'mug')
      await said(page, '5 products found')
      return page.locator('.bar [part=chip]').count()
    })
    expect(result).toBe(0)
  }, 60_000)

  test.each([
    [360, 'light'],
    [360, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const)(
    'fit %i px, %s, beside what a query meant',
    async (width, colorScheme) => {
      const { result } = await shop.visit({}, { width, height: 780, colorScheme }, async (page) => {
        const body = { results: hits(8, 0.93, shop.service.address), image_id: 'image-1', ...seen }
        shop.service.reply = () => ({ body: { ...body, did_you_mean: 'stoneware teapot' } })
        await open(page)
        await choose(page, photo)
        await said(page, '8 products found')
        await page.getByRole('button', { name: 'Stoneware', exact: true }).click()
        await heardResults(page, 2)
        await cardsOf(page).first().waitFor()
        const folder = process.env['SCREENSHOTS']
        if (folder) await page.screenshot({ path: `${folder}/words-${width}-${colorScheme}.png` })
        const heights = await page
          .locator('.bar [part=chip], .notice [part=again]')
          .evaluateAll((buttons) =>
            buttons.map((button) => Math.round(button.getBoundingClientRect().height)),
          )
        const overflow = await page.evaluate<boolean>(
          `(() => { const panel = document.querySelector('[data-service-widget]').shadowRoot.querySelector('[part=dialog]'); return panel.scrollWidth > panel.clientWidth })()`,
        )
        return [heights.every((height) => height >= 44), overflow]
      })
      expect(result).toEqual([true, false])
    },
    60_000,
  )
})

describe('a query with typos', () => {
  test('is offered without them, and a tap searches with that', async () => {
    const { result } = await shop.visit({}, {}, async (page) => {
      shop.service.reply = ({ body }) =>
        body['query'] === 'red teakane'
          ? { body: { results: hits(2), did_you_mean: 'red teekanne $& <b>' } }
          : undefined
      await open(page)
      await searchWords(page, 'red teakane')
      await said(page, '2 products found')
      const offers = page.locator('[part=again]')
      const offered = await offers.textContent()
      await offers.click()
      await said(page, '12 products found')
      return [offered, await offers.count(), await page.getByRole('searchbox').inputValue()]
    })
    expect(result).toEqual(['Did you mean “red teekanne $& <b>”?', 0, 'red teekanne $& <b>'])
    expect(shop.service.callsOf('text').map(({ body }) => body['query'])).toEqual([
      'red teakane',
      'red teekanne $& <b>',
    ])
  }, 60_000)
})
