import { beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  call,
  createOwner,
  DESKTOP,
  findFaults,
  own,
  type Person,
  PHONE,
  scrollWidth,
  visitPortal,
} from './world.ts'

/** A query as somebody with bad intentions types it: markup, a formula, and text that runs from right to left. */
const HOSTILE = '=1+1 <img src=x onerror=alert(1)> ‮فستان'

/** Searches, clicks and buys as a shop's visitors do. */
async function useShop(shop: Person): Promise<void> {
  for (const query of ['red dress', 'red dress', HOSTILE]) {
    const { search_id, results } = await call(shop, 'POST', '/v1/search/text', { query })
    const [first] = results as { product_id: string }[]
    const event = { search_id: String(search_id), result_product_id: first?.product_id }
    await call(shop, 'POST', '/v1/search/feedback', { ...event, action: 'click' })
    if (query !== HOSTILE) continue
    const order = { order_value: 39.8, currency: 'EUR', order_id: '1001' }
    await call(shop, 'POST', '/v1/search/feedback', { ...event, action: 'purchase', ...order })
  }
  await call(shop, 'POST', '/v1/search/text', { query: 'zeppelin', threshold: 1 })
}

const figure = (page: Page, name: string) =>
  page.locator('.figures > div').filter({ hasText: name }).locator('dd').first()

async function readDownload(page: Page, press: () => Promise<void>): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent('download'), press()])
  return Bun.file(await file.path()).text()
}

export function analyticsTests(): void {
  describe('the analytics', () => {
    let shop: Person
    beforeAll(async () => {
      shop = await createOwner('demo')
      await useShop(shop)
    }, 60_000)

    test.each([DESKTOP, PHONE])(
      'show what came of the searches, at %o',
      async (look) => {
        const { result, complaints, strangers } = await visitPortal(
          shop,
          '/analytics',
          look,
          async (page) => {
            await page.locator('.plot-place canvas').waitFor()
            await figure(page, 'Revenue in EUR').waitFor()
            return {
              searches: await figure(page, 'Searches').textContent(),
              revenue: await figure(page, 'Revenue in EUR').textContent(),
              plot: await page.getByRole('img', { name: 'Searches by day: 4 in this period' }).count(),
              top: await page
                .getByRole('table', { name: 'What people look for' })
                .locator('.words')
                .allTextContents(),
              nothing: await page
                .getByRole('table', { name: 'Without a result' })
                .locator('.words')
                .allTextContents(),
              faults: await findFaults(page),
              width: await scrollWidth(page),
            }
          },
        )
        expect(result).toEqual({
          searches: '4',
          revenue: '€39.80',
          plot: 1,
          top: expect.arrayContaining(['red dress', HOSTILE]),
          nothing: ['zeppelin'],
          faults: [],
          width: look.width,
        })
        expect([own(complaints), strangers]).toEqual([[], []])
      },
      60_000,
    )

    test('compare with the period before, take dates, and save tables that no spreadsheet runs', async () => {
      const { result } = await visitPortal(shop, '/analytics?days=7', DESKTOP, async (page) => {
        await page.getByText('0 before').first().waitFor()
        const csv = await readDownload(page, () =>
          page.getByRole('button', { name: 'Download as CSV' }).nth(1).click(),
        )
        await page.getByLabel('Compare with the period before').uncheck()
        await page.getByText('0 before').first().waitFor({ state: 'detached' })
        // A period before the store was there.
        await page.getByLabel('From', { exact: true }).fill('2026-01-01')
        await page.getByLabel('To', { exact: true }).fill('2026-01-31')
        await page.getByRole('heading', { name: 'No searches in this period' }).waitFor()
        const { search } = new URL(page.url())
        await page.getByRole('link', { name: 'Check the tracking' }).click()
        await page.getByRole('heading', { name: 'Search on your shop' }).waitFor()
        return { csv, search }
      })
      expect(result.csv).toContain(`'${HOSTILE}`)
      expect(result.csv).not.toMatch(/^=/m)
      expect(result.search).toBe('?compare=no&from=2026-01-01&to=2026-01-31')
    }, 60_000)

    test('photos without a close match are kept only after somebody has read what that means', async () => {
      const { result } = await visitPortal(shop, '/analytics', PHONE, async (page) => {
        await page.getByText('say so in your privacy notice').waitFor()
        await page.getByRole('button', { name: 'Keep small pictures' }).click()
        await page.getByText('are kept for 30 days').waitFor()
        return page.getByRole('button', { name: 'Stop, and delete the pictures' }).count()
      })
      expect(result).toBe(1)
      expect(await call(shop, 'GET', '/v1/store/settings')).toMatchObject({ unmatched_thumbnails: true })
    }, 60_000)

    test.each([DESKTOP, PHONE])(
      'the log lists every search, and opens one with what it found, at %o',
      async (look) => {
        const { result, complaints } = await visitPortal(shop, '/analytics', look, async (page) => {
          await page.getByRole('link', { name: 'All searches' }).click()
          const rows = page.locator('.logged')
          await rows.nth(3).waitFor()
          const faults = await findFaults(page)
          const width = await scrollWidth(page)
          await page.getByLabel('Outcome').selectOption('true')
          await rows.nth(1).waitFor({ state: 'detached' })
          // The list is empty while it loads.
          await rows.first().waitFor()
          const missed = await rows.locator('strong').allTextContents()
          await page.getByLabel('Outcome').selectOption('')
          await rows.nth(3).waitFor()
          await page.getByLabel('Words', { exact: true }).fill('onerror')
          await rows.nth(1).waitFor({ state: 'detached' })
          await rows.first().click()
          const drawer = page.getByRole('dialog')
          await drawer.locator('.feedback li').nth(1).waitFor()
          return {
            faults: [...faults, ...(await findFaults(page))],
            width,
            missed,
            heading: await drawer.getByRole('heading', { level: 2 }).textContent(),
            feedback: await drawer.locator('.feedback li').allTextContents(),
            found: await drawer.locator('.found img').count(),
          }
        })
        expect(result).toMatchObject({
          faults: [],
          width: look.width,
          missed: ['zeppelin'],
          heading: HOSTILE,
        })
        expect(result.feedback.join('\n')).toMatch(/clicked · place 1[\s\S]*bought · place 1 · €39.80/)
        expect(result.found).toBeGreaterThan(3)
        expect(own(complaints)).toEqual([])
      },
      60_000,
    )
  })
}
