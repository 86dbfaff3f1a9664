import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { LOOKS, visit } from './chromium.ts'
import { openService } from './service.ts'

const axe = await Bun.file(Bun.fileURLToPath(import.meta.resolve('axe-core/axe.min.js'))).text()

const service = openService()

/** Pages by their addresses, with their headings. */
const PAGES = {
  '/': 'Lookalike is running, and nobody owns it yet',
  '/nowhere': 'There is nothing at this address',
  '/errrs': 'There is nothing at this address',
  '/v1/products': 'The credentials are missing or invalid',
  '/docs/guide': 'Guide',
  '/docs/guide/access': 'Access',
  '/errors': 'Errors',
  '/errors/url_not_allowed': 'url_not_allowed',
  '/errors/image_download_failed': 'image_download_failed',
  '/licences': 'Licences and notices',
}

/** Lists the findings of axe-core on a page, as `rule: element`. */
async function findFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return page.evaluate<string[]>(`axe.run(document)
    .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target.join(' '))))`)
}

/** Chromium tells of the status of a page that is an error itself, and advises fields that already are as it advises. */
const own = (complaints: string[]) =>
  complaints.filter(
    (text) => !/status of (401|404)|^\[DOM\] Password forms should have|suggested: "username"/.test(text),
  )

test.each(Object.entries(PAGES))(
  '%s: in every look axe-core finds nothing and nothing scrolls sideways; nothing comes from elsewhere, and there is a way on',
  async (path, heading) => {
    const { result, complaints, strangers } = await visit(
      service.address + path,
      { width: LOOKS[0]?.[0] ?? 360, colorScheme: LOOKS[0]?.[1] ?? 'dark' },
      async (page) => {
        const looks: unknown[] = []
        for (const [width, colorScheme] of LOOKS) {
          await page.setViewportSize({ width, height: 900 })
          await page.emulateMedia({ colorScheme })
          const scrolled = await page.evaluate<number>('document.documentElement.scrollWidth')
          looks.push({ width, colorScheme, faults: await findFaults(page), excess: scrolled - width })
        }
        return {
          looks,
          heading: await page.getByRole('heading', { level: 1 }).textContent(),
          brand: await page.getByRole('link', { name: 'Lookalike' }).getAttribute('href'),
          links: await page
            .getByRole('navigation', { name: 'Lookalike' })
            .getByRole('link')
            .allTextContents(),
        }
      },
    )
    expect(result).toEqual({
      looks: LOOKS.map(([width, colorScheme]) => ({ width, colorScheme, faults: [], excess: 0 })),
      ...{ heading, brand: '/', links: ['API', 'Guide', 'Errors'] },
    })
    expect(own(complaints)).toEqual([])
    expect(strangers).toEqual([])
  },
  60_000,
)

test('by keyboard the first stop of a page leads past its head', async () => {
  const { result } = await visit(
    `${service.address}/errors`,
    { width: 360, colorScheme: 'light' },
    async (page) => {
      await page.keyboard.press('Tab')
      const skip = await page.evaluate<string>('document.activeElement.textContent')
      await page.keyboard.press('Enter')
      await page.keyboard.press('Tab')
      return [skip, await page.evaluate<string>('document.activeElement.getAttribute("href")')]
    },
  )
  expect(result).toEqual(['Skip to the content', '#400'])
}, 60_000)

test('an error looks like one: it has the colours that nothing else has', async () => {
  const { result } = await visit(
    `${service.address}/v1/products`,
    { width: 360, colorScheme: 'light' },
    (page) =>
      page.evaluate<string[]>(`(() => {
      const { color, borderLeftColor, backgroundColor } = getComputedStyle(document.querySelector('.problem'))
      return [color, borderLeftColor, backgroundColor]
    })()`),
  )
  expect(result).toEqual(['rgb(179, 38, 30)', 'rgb(179, 38, 30)', 'rgb(253, 236, 234)'])
}, 60_000)

test('somebody who mistyped an address comes back to a page that is there', async () => {
  const { result } = await visit(
    `${service.address}/errrs`,
    { width: 360, colorScheme: 'light' },
    async (page) => {
      await page.getByRole('main').getByRole('link', { name: '/errors', exact: true }).click()
      await page.getByRole('link', { name: 'url_not_allowed' }).click()
      await page.getByRole('link', { name: 'POST /v1/search/url' }).click()
      await page.locator('#operations-Search-searchByUrl').waitFor()
      return page.locator('#operations-Search-searchByUrl').isVisible()
    },
  )
  expect(result).toBe(true)
}, 60_000)
