import { describe, expect, test } from 'bun:test'
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

/** Searches as a shop does, so that there are numbers. */
async function searchAsShop(shop: Person): Promise<void> {
  for (const query of ['red dress', 'mug']) {
    const { search_id, results } = await call(shop, 'POST', '/v1/search/text', { query })
    const [first] = results as { product_id: string }[]
    await call(shop, 'POST', '/v1/search/feedback', {
      search_id: String(search_id),
      result_product_id: first?.product_id,
      action: 'click',
    })
  }
}

export function overviewTests(): void {
  describe('the overview', () => {
    test('a new store is told what comes next', async () => {
      const anna = await createOwner()
      const { result } = await visitPortal(anna, '', PHONE, async (page) => {
        await page.getByRole('heading', { name: 'Your store is ready' }).waitFor()
        await page.getByText('Add products').waitFor()
        return { faults: await findFaults(page), width: await scrollWidth(page) }
      })
      expect(result).toEqual({ faults: [], width: 360 })
    }, 60_000)

    test.each([DESKTOP, PHONE])(
      'it shows figures, a plot, notices and the latest searches, at %o',
      async (look) => {
        const shop = await createOwner('demo')
        await searchAsShop(shop)
        const { result, complaints, strangers } = await visitPortal(shop, '', look, async (page) => {
          await page.getByRole('heading', { name: '2 searches in 7 days, 2 clicks' }).waitFor()
          await page.locator('.searches li').nth(1).waitFor()
          return {
            faults: await findFaults(page),
            width: await scrollWidth(page),
            plot: await page.getByRole('img', { name: '2 searches in the last 7 days' }).count(),
            searches: await page.locator('.searches strong').allTextContents(),
            notices: await page.locator('.notices li').count(),
          }
        })
        expect(result).toMatchObject({
          faults: [],
          width: look.width,
          plot: 1,
          searches: ['mug', 'red dress'],
        })
        expect(result.notices).toBeGreaterThan(0)
        expect([own(complaints), strangers]).toEqual([[], []])
      },
      60_000,
    )

    test('it costs two requests, and an idle page asks for nothing', async () => {
      const shop = await createOwner()
      const { result } = await visitPortal(shop, '/products', DESKTOP, async (page) => {
        await page.getByRole('heading', { name: 'Nothing here yet' }).waitFor()
        await page.clock.install()
        const asked: string[] = []
        page.on('request', (request) => {
          const { pathname } = new URL(request.url())
          if (!pathname.startsWith('/assets/')) asked.push(pathname)
        })
        await page.getByRole('link', { name: 'Overview' }).click()
        await page.getByText('Add products').waitFor()
        // An hour passes for the page.
        await page.clock.fastForward(3_600_000)
        return asked.sort()
      })
      expect(result).toEqual(['/v1/search/analytics', '/v1/store/overview'])
    }, 60_000)

    test('a panel that fails leaves the others', async () => {
      const shop = await createOwner()
      const { result } = await visitPortal(shop, '/products', DESKTOP, async (page) => {
        await page.route('**/v1/search/analytics*', (route) =>
          route.fulfill({ status: 500, json: { error: 'internal_error', message: 'broken' } }),
        )
        await page.getByRole('link', { name: 'Overview' }).click()
        await page.getByText('Add products').waitFor()
        await page.locator('.numbers .failure').waitFor()
        return page.locator('.failure').count()
      })
      expect(result).toBe(1)
    }, 60_000)
  })
}
