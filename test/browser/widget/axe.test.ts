import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { plain } from './pictures.ts'
import { hits } from './service.ts'
import { choose, open, openWidgetPage, said, searchWords } from './shop.ts'

const shop = openWidgetPage()

const axe = await Bun.file(Bun.fileURLToPath(import.meta.resolve('axe-core/axe.min.js'))).text()

/** Lists the findings of axe-core in the widget, as `rule: element`. The shop around it is not ours. */
async function look(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return page.evaluate<string[]>(`axe.run(document.querySelector('[data-service-widget]'))
    .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 120))))`)
}

const scrollsSideways = (page: Page) =>
  page.evaluate<boolean>(`(() => { const dialog = document.querySelector('[data-service-widget]').shadowRoot.querySelector('dialog')
    return dialog.scrollWidth > dialog.clientWidth })()`)

const photo = await plain(800, 600)

describe.each([
  [360, 'light'],
  [360, 'dark'],
  [1280, 'light'],
  [1280, 'dark'],
] as const)('at %d px, %s', (width, colorScheme) => {
  test('axe-core finds nothing in any state, and nothing scrolls sideways', async () => {
    const { result } = await shop.visit({}, { width, colorScheme, hasTouch: width === 360 }, async (page) => {
      const found: Record<string, unknown[]> = {}
      const note = async (state: string) => {
        found[state] = [...(await look(page)), await scrollsSideways(page)]
      }
      await open(page)
      await note('empty')
      await choose(page, photo)
      await said(page, '30 products found')
      await note('found')
      await page.getByRole('button', { name: 'New photo' }).click()
      await note('another')
      if (width === 360) await page.getByRole('button', { name: 'Crop' }).click()
      await note('crop')
      await page.getByRole('button', { name: 'Region 1' }).click()
      await said(page, '9 products found')
      await page.getByRole('button', { name: 'bowls' }).click()
      await page.locator('[part=chip][aria-pressed=true]', { hasText: 'bowls' }).waitFor()
      await note('narrowed')
      const brand = ['Acme', 'Zed'].map((value) => ({ value, count: 2 }))
      shop.service.reply = () => ({ body: { results: hits(4), facets: { brand } } })
      await searchWords(page, 'in green')
      await said(page, '4 products found')
      await page.locator('dialog summary.tool').click()
      await page.getByRole('button', { name: 'Zed' }).waitFor()
      await note('unfolded')
      shop.service.reply = () => ({ body: { results: [], popular: hits(4) } })
      await searchWords(page, 'in red')
      await said(page, 'Nothing in this shop')
      await note('none')
      shop.service.reply = () => ({ status: 500, body: { error: 'internal_error' } })
      await searchWords(page, 'in blue')
      await said(page, 'The search did not work.')
      await note('failed')
      return found
    })
    expect(result).toEqual({
      empty: [false],
      found: [false],
      another: [false],
      crop: [false],
      narrowed: [false],
      unfolded: [false],
      none: [false],
      failed: [false],
    })
  }, 60_000)
})

describe('nothing is lost', () => {
  test.each([
    ['at 320 px', { width: 320, height: 560 }, ''],
    ['with a text of twice the size', { width: 1280 }, ':root{--service-font-size:32px}'],
    ['with twice the size on a phone', { width: 360 }, ':root{--service-font-size:32px}'],
    ['from right to left', { width: 360 }, ':root{direction:rtl}'],
  ] as const)(
    '%s',
    async (_, size, style) => {
      const { result } = await shop.visit({}, size, async (page) => {
        await page.evaluate(
          `(() => { const sheet = new CSSStyleSheet(); sheet.replaceSync(${JSON.stringify(style)}); document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet] })()`,
        )
        await open(page)
        await choose(page, photo)
        await said(page, '30 products found')
        const findCut = () =>
          page.evaluate<string[]>(`(() => {
        const root = document.querySelector('[data-service-widget]').shadowRoot
        const { left, right } = root.querySelector('dialog').getBoundingClientRect()
        return [...root.querySelectorAll('dialog button,dialog input:not([hidden]),.card')].filter((one) => one.checkVisibility()).filter((one) => {
          const box = one.getBoundingClientRect()
          return box.left < left - 1 || box.right > right + 1
        }).map((one) => one.textContent || one.ariaLabel)
      })()`)
        const found = [await findCut(), await scrollsSideways(page)]
        for (const name of ['New photo', 'Crop']) {
          const button = page.getByRole('button', { name })
          if (await button.isVisible()) await button.click()
          found.push(await findCut(), await scrollsSideways(page))
        }
        return found
      })
      expect(result).toEqual([[], false, [], false, [], false])
    },
    60_000,
  )

  test('in forced colours and with reduced motion', async () => {
    const { result } = await shop.visit({}, {}, async (page) => {
      await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
      const { promise: held, resolve: release } = Promise.withResolvers<void>()
      shop.service.reply = () => held.then(() => undefined)
      await open(page)
      await searchWords(page, 'mug')
      await page.locator('.skeleton').waitFor()
      const animations = await page.evaluate<number>(
        `document.querySelector('[data-service-widget]').shadowRoot.getAnimations().length`,
      )
      release()
      await said(page, '12 products found')
      const border = await page.evaluate<string>(
        `getComputedStyle(document.querySelector('[data-service-widget]').shadowRoot.querySelector('[part=submit]')).borderTopStyle`,
      )
      return { animations, border }
    })
    expect(result).toEqual({ animations: 0, border: 'solid' })
  }, 60_000)
})
