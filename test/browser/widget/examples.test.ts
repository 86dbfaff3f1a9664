import { afterAll, beforeAll, expect, test } from 'bun:test'
import { serveShop } from '../../../src/commands/demo/serve-shop.ts'
import { visit } from '../chromium.ts'
import { KEY, startService } from './service.ts'

let shop: ReturnType<typeof serveShop>
const service = startService(() => [shop.origin])

beforeAll(() => {
  shop = serveShop({ service: service.address, key: () => KEY, port: 0 })
})
afterAll(async () => {
  await shop.stop()
  await service.stop()
})

test('the shop of the examples searches, tells of carts and purchases, shows rows, and breaks no rule of its policy', async () => {
  const { result, complaints, strangers } = await visit(
    shop.origin,
    { width: 1280, colorScheme: 'light' },
    async (page) => {
      await page.getByRole('button', { name: 'Search by picture' }).click()
      await page.getByRole('dialog').getByRole('searchbox').fill('mug')
      await page.keyboard.press('Enter')
      await page.locator('[part=status]', { hasText: '12 products found' }).waitFor({ state: 'attached' })
      await page.keyboard.press('Escape')
      const answered = () =>
        page.waitForResponse((one) => one.url().endsWith('/feedback') && one.request().method() === 'POST')
      const added = answered()
      await page.getByRole('button', { name: 'Add to cart' }).first().click()
      await added
      await page.getByRole('link', { name: 'Buy both' }).click()
      await service.arrived('feedback', 3)
      const widgets = await page.locator('[data-service-widget]').count()
      await page.goto(`${shop.origin}/p/demo-mug-red`)
      await page.locator('[part=row]').nth(1).waitFor()
      const rows = await page.locator('[part=row] h2').allTextContents()
      // The field of the shop has no page for results.
      await page.locator('#q').fill('cup')
      await page.keyboard.press('Enter')
      await page.locator('dialog [part=headline]', { hasText: '12 products found' }).waitFor()
      return [widgets, rows, (await fetch(`${shop.origin}/p/%E0`)).status]
    },
  )
  expect(result).toEqual([0, ['Often bought together', 'Similar products'], 404])
  expect(complaints).toEqual([])
  expect(strangers.every((url) => url.startsWith(service.address))).toBe(true)
  expect(
    service
      .callsOf('feedback')
      .map(({ body }) => [body['action'], body['result_product_id'], body['order_value']])
      .toSorted(([, , one = 0], [, , other = 0]) => Number(one) - Number(other)),
  ).toEqual([
    ['add_to_cart', 'demo-mug-red', undefined],
    ['purchase', 'demo-mug-red', 14.5],
    ['purchase', 'demo-mug-black', 18],
  ])
}, 60_000)
