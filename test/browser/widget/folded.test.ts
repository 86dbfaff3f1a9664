import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { LANGUAGES } from '../../../src/browser/widget/main/texts.ts'
import { plain } from './pictures.ts'
import { hits, type Reply } from './service.ts'
import { cardsOf, choose, heardResults, open, openWidgetPage, run, said, searchWords } from './shop.ts'

const shop = openWidgetPage()

const photo = await plain(800, 600)
const PHONE = { width: 360, height: 740, hasTouch: true } as const
/** More and longer names than fit beside each other. */
const query_categories = ['Storage and organisation', 'Mugs, cups and saucers', 'Teapots', 'Bowls'].map(
  (name) => ({ name, score: 0.4 }),
)
const weak: Reply = { body: { results: hits(30, 0.4), image_id: 'image-1', query_categories } }
const strong: Reply = { body: { results: hits(30), image_id: 'image-1', query_categories } }

const topOf = async (page: Page) => (await cardsOf(page).first().boundingBox())?.y ?? Number.NaN
const openFirst = async (page: Page) => {
  await page.locator('[part=button]').click()
  await page.locator('dialog[open]').waitFor()
}
const focused = (page: Page) =>
  run<string>(
    page,
    `(() => { const inner = document.querySelector('[data-service-widget]').shadowRoot.activeElement
    return inner?.ariaLabel || inner?.title || (inner?.matches('.results') ? 'results' : inner?.textContent.trim()) })()`,
  )

describe.each(Object.keys(LANGUAGES))('on a phone, in %s', (lang) => {
  test('the first product begins above 200 px after a photo, good or weak, and after words', async () => {
    const { result } = await shop.visit({ lang }, PHONE, async (page) => {
      const tops: number[] = []
      await openFirst(page)
      for (const reply of [strong, weak]) {
        shop.service.reply = () => reply
        await choose(page, photo)
        await heardResults(page, tops.length + 1)
        tops.push(await topOf(page))
      }
      const row = await page.locator('.head').boundingBox()
      for (const reply of [strong, weak]) {
        shop.service.reply = () => reply
        await run(page, `ServiceWidget.open({ query: 'mug' })`)
        await heardResults(page, tops.length + 1)
        tops.push(await topOf(page))
      }
      return { tops, row: row?.height }
    })
    expect(result.tops.filter((top) => !(top < 200))).toEqual([])
    expect(result.tops).toHaveLength(4)
    expect(result.row).toBeCloseTo(72, 0)
  }, 60_000)
})

describe('the row', () => {
  test('holds the photo, the frame, another photo and words; a tap opens and closes the frame', async () => {
    const { result } = await shop.visit({}, PHONE, async (page) => {
      await open(page)
      await choose(page, photo)
      await said(page, '30 products found')
      const crop = page.getByRole('button', { name: 'Crop' })
      const frame = page.locator('.frame')
      const states: unknown[] = []
      const note = async () =>
        states.push([await crop.getAttribute('aria-expanded'), await frame.isVisible()])
      await note()
      await crop.tap()
      await note()
      await page.locator('.dot', { hasText: '2' }).tap()
      await said(page, '9 products found')
      await crop.tap()
      await note()
      const sizes = await page.locator('.head button:visible, .head input:visible').evaluateAll((all) =>
        all.map((one) => {
          const { width, height } = one.getBoundingClientRect()
          return Math.min(width, height)
        }),
      )
      return { states, small: sizes.filter((size) => size < 44), count: sizes.length }
    })
    expect(result.states).toEqual([
      ['false', false],
      ['true', true],
      ['false', false],
    ])
    expect(result.small).toEqual([])
    expect(result.count).toBeGreaterThanOrEqual(4)
  }, 60_000)

  test('opens the ways to another photo, and the answer about the photo; what is chosen folds them', async () => {
    await shop.visit({}, PHONE, async (page) => {
      await open(page)
      await choose(page, photo)
      await said(page, '30 products found')
      const another = page.getByRole('button', { name: 'New photo' })
      await another.tap()
      for (const name of ['Take a photo', 'Choose a picture', 'Paste', 'Remove the picture'])
        expect([name, await page.getByRole('button', { name }).isVisible()]).toEqual([name, true])
      expect(await page.getByText('What happens to my photo?').isVisible()).toBe(true)
      await choose(page, photo)
      await heardResults(page, 2)
      expect(await another.getAttribute('aria-expanded')).toBe('false')
      expect(await page.getByRole('button', { name: 'Paste' }).isVisible()).toBe(false)
      await another.tap()
      await page.getByRole('button', { name: 'Remove the picture' }).tap()
      expect(await page.getByRole('button', { name: 'Take a photo' }).isVisible()).toBe(true)
      expect(await another.isVisible()).toBe(false)
    })
  }, 60_000)

  test('scrolls back to what a button opens', async () => {
    const { result } = await shop.visit({}, PHONE, async (page) => {
      await open(page)
      await choose(page, photo)
      await said(page, '30 products found')
      await cardsOf(page).nth(20).scrollIntoViewIfNeeded()
      await page.getByRole('button', { name: 'Crop' }).tap()
      return (await page.locator('.frame').boundingBox())?.y ?? -1
    })
    expect(result).toBeGreaterThan(70)
    expect(result).toBeLessThan(200)
  }, 60_000)

  test('goes by keyboard, from the photo to the words to the products', async () => {
    const { result } = await shop.visit({}, { width: 360, height: 740 }, async (page) => {
      await open(page)
      const steps = [await focused(page)]
      await page.getByRole('button', { name: 'Choose a picture' }).focus()
      await choose(page, photo)
      await said(page, '30 products found')
      // The button that had the focus is folded now.
      steps.push(await focused(page))
      await page.getByRole('button', { name: 'Close' }).focus()
      for (let n = 0; n < 5; n++) {
        await page.keyboard.press('Tab')
        steps.push(await focused(page))
      }
      await page.getByRole('button', { name: 'Crop' }).focus()
      await page.keyboard.press('Enter')
      await page.locator('.frame').waitFor()
      steps.push(await focused(page))
      // A shopper who comes back can type at once.
      await page.keyboard.press('Escape')
      await open(page)
      steps.push(await focused(page))
      return steps
    })
    expect(result).toEqual([
      ...['Words, or the address of a picture', 'results'],
      ...['Crop', 'New photo', 'Add words, for example “in red”', 'Search', 'mugs'],
      ...['Crop', 'Add words, for example “in red”'],
    ])
  }, 60_000)

  test('has neither photo nor frame for words alone', async () => {
    await shop.visit({}, PHONE, async (page) => {
      await open(page)
      await searchWords(page, 'mug')
      await said(page, '12 products found')
      expect(await page.getByRole('button', { name: 'Crop' }).isVisible()).toBe(false)
      expect(await page.getByRole('button', { name: 'Search', exact: true }).isVisible()).toBe(true)
      // The keyboard of the phone is gone.
      expect(await focused(page)).toBe('results')
    })
  }, 60_000)

  test('on a desk, products begin above 220 px of 800, beside the frame', async () => {
    const { result } = await shop.visit({}, { width: 1280, height: 800 }, async (page) => {
      await open(page)
      await choose(page, photo)
      await said(page, '30 products found')
      return [await topOf(page), (await page.locator('.frame').boundingBox())?.y]
    })
    expect(result.filter((top) => !(Number(top) < 220))).toEqual([])
  }, 60_000)
})
