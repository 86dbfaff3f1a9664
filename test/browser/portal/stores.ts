import { describe, expect, test } from 'bun:test'
import { visit } from '../chromium.ts'
import {
  createOwner,
  DESKTOP,
  findFaults,
  own,
  PHONE,
  scrollWidth,
  service,
  submitSignIn,
  visitPortal,
} from './world.ts'

export function storeTests(): void {
  describe('choosing a store', () => {
    test.each([DESKTOP, PHONE])(
      'a card for each store leads into it, at %o',
      async (look) => {
        const anna = await createOwner()
        const { result, complaints, strangers } = await visit(
          `${service.address}/login#/portal/select-store`,
          { ...look, headers: anna.headers },
          async (page) => {
            await submitSignIn(page, anna.email)
            const card = page.locator(`.stores a[href="/${anna.slug}/portal"]`)
            await card.waitFor()
            const seen = { faults: await findFaults(page), width: await scrollWidth(page) }
            await card.click()
            await page.getByRole('navigation', { name: 'Pages of the store' }).waitFor()
            return { ...seen, path: new URL(page.url()).pathname }
          },
        )
        expect(result).toEqual({ faults: [], width: look.width, path: `/${anna.slug}/portal` })
        expect([own(complaints), strangers]).toEqual([[], []])
      },
      60_000,
    )

    test('a store that one does not belong to looks like one that does not exist', async () => {
      const [, stranger] = [await createOwner(), await createOwner()]
      const { result } = await visitPortal(stranger, '', DESKTOP, async (page) => {
        const headings: (string | null)[] = []
        for (const slug of ['shop-1', 'no-such-shop']) {
          await page.goto(`${service.address}/${slug}/portal/products`)
          headings.push(await page.getByRole('heading', { level: 1 }).textContent())
        }
        return headings
      })
      expect(result).toEqual(['You have no access to this store', 'You have no access to this store'])
    }, 60_000)
  })

  test('the browser decides the language', async () => {
    const anna = await createOwner()
    const { result } = await visitPortal(anna, '/products', { ...DESKTOP, locale: 'de-AT' }, async (page) => {
      await page.getByRole('heading', { name: 'Hier ist noch nichts' }).waitFor()
      return [
        await page.evaluate<string>('document.documentElement.lang'),
        await page.getByRole('heading', { level: 1 }).textContent(),
      ]
    })
    expect(result).toEqual(['de', 'Produkte'])
  }, 60_000)
}
