import { beforeAll, describe, expect, test } from 'bun:test'
import { untilTrue } from '../chromium.ts'
import {
  call,
  createOwner,
  DESKTOP,
  findFaults,
  own,
  type Person,
  PHONE,
  readSample,
  scrollWidth,
  visitPortal,
} from './world.ts'

/** A failure as the API sends it. */
const refuse = (status: number, error: string, headers: Record<string, string> = {}) => ({
  status,
  headers: { 'content-type': 'application/json', 'x-request-id': 'request-7', ...headers },
  body: JSON.stringify({ error, message: 'A message of the API' }),
})

/** Adds products that are their names. */
async function addProducts(person: Person, names: readonly string[]): Promise<void> {
  const image_url = await readSample()
  for (const name of names)
    await call(person, 'POST', '/v1/products', { product_id: name, image_url, metadata: { name } })
}

export function productTests(): void {
  describe('the products page', () => {
    let shop: Person

    beforeAll(async () => {
      shop = await createOwner('demo')
    }, 60_000)

    test('an empty store offers one step, which fills it', async () => {
      const anna = await createOwner()
      const { result } = await visitPortal(anna, '/products', PHONE, async (page) => {
        await page.getByRole('heading', { name: 'Nothing here yet' }).waitFor()
        const faults = await findFaults(page)
        await page.getByRole('button', { name: 'Load the demo' }).click()
        await page.getByText('40 products').waitFor({ timeout: 30_000 })
        await page.locator('.tile').nth(39).waitFor()
        return { faults, tiles: await page.locator('.tile').count() }
      })
      expect(result).toEqual({ faults: [], tiles: 40 })
    }, 90_000)

    test.each([DESKTOP, PHONE])(
      'full, it shows pictures of this service alone, at %o',
      async (look) => {
        const { result, complaints, strangers } = await visitPortal(shop, '/products', look, async (page) => {
          await page.locator('.tile img').first().waitFor()
          await untilTrue(page, 'document.querySelector(".tile img").naturalWidth > 0')
          return { faults: await findFaults(page), width: await scrollWidth(page) }
        })
        expect(result).toEqual({ faults: [], width: look.width })
        expect([own(complaints), strangers]).toEqual([[], []])
      },
      60_000,
    )

    test('filters narrow it, and stand in the address', async () => {
      const { result } = await visitPortal(shop, '/products', DESKTOP, async (page) => {
        await page.getByText('40 products').waitFor()
        await page.getByLabel('Name, number or brand').fill('umbrella')
        await page.getByText('2 products').waitFor()
        await page.reload()
        await page.getByText('2 products').waitFor()
        const typed = await page.getByLabel('Name, number or brand').inputValue()
        await page.getByLabel('Name, number or brand').fill('no such thing')
        await page.getByRole('button', { name: 'Show all products' }).click()
        await page.getByText('40 products').waitFor()
        return typed
      })
      expect(result).toBe('umbrella')
    }, 60_000)

    test('the drawer shows what looks like a product, and closes by Escape', async () => {
      const { result } = await visitPortal(shop, '/products?q=umbrella', PHONE, async (page) => {
        await page.locator('.tile a').first().click()
        const drawer = page.getByRole('dialog')
        await drawer.locator('.grid.small .tile').first().waitFor()
        const seen = {
          faults: await findFaults(page),
          similar: await drawer.locator('.grid.small .tile').count(),
          width: await scrollWidth(page),
        }
        await page.keyboard.press('Escape')
        await drawer.waitFor({ state: 'detached' })
        return { ...seen, search: new URL(page.url()).search }
      })
      expect(result).toEqual({ faults: [], similar: 6, width: 360, search: '?q=umbrella' })
    }, 60_000)

    test('deleting says what will be gone, and a product that somebody else deleted is gone as well', async () => {
      const anna = await createOwner()
      await call(anna, 'POST', '/v1/products', {
        product_id: 'one',
        image_url: await readSample(),
        metadata: { name: 'One' },
      })
      const { result } = await visitPortal(anna, '/products', DESKTOP, async (page) => {
        await page.locator('.tile a').first().click()
        await page.getByRole('button', { name: 'Delete this product' }).click()
        const told = await page.locator('.confirm p').first().textContent()
        await call(anna, 'DELETE', '/v1/products/one')
        await page.getByRole('button', { name: 'Delete it now' }).click()
        await page.getByRole('heading', { name: 'Nothing here yet' }).waitFor()
        return told
      })
      expect(result).toBe('The product and its pictures will be gone.')
    }, 60_000)

    test('many are deleted after ten seconds, unless somebody undoes it or leaves', async () => {
      const anna = await createOwner()
      await addProducts(anna, ['One', 'Two', 'Three'])
      const countAll = async () => (await call(anna, 'GET', '/v1/products?limit=1'))['total']
      const { result } = await visitPortal(anna, '/products', PHONE, async (page) => {
        const leaving = page.locator('.leaving')
        await page.getByLabel('Choose One').check()
        await page.getByRole('button', { name: 'Choose all on this page' }).click()
        const faults = await findFaults(page)
        const width = await scrollWidth(page)
        await page.clock.install()
        await page.getByRole('button', { name: 'Delete 3 products' }).click()
        await leaving.nth(2).waitFor()
        const isUndoFocused = await page
          .getByRole('button', { name: 'Undo' })
          .evaluate((button) => button.matches(':focus'))
        await page.getByRole('button', { name: 'Undo' }).click()
        await page.clock.fastForward(30_000)
        const undone = await countAll()

        await page.getByLabel('Choose One').check()
        await page.getByRole('button', { name: 'Delete 1 product' }).click()
        await leaving.waitFor()
        await page.getByRole('link', { name: 'Overview', exact: true }).first().click()
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page.clock.fastForward(30_000)
        const left = await countAll()

        await page.getByRole('link', { name: 'Products', exact: true }).first().click()
        await page.getByLabel('Choose One').check()
        await page.getByLabel('Choose Two').check()
        await page.getByRole('button', { name: 'Delete 2 products' }).click()
        await leaving.nth(1).waitFor()
        await page.clock.fastForward(10_000)
        await page.locator('.tile').nth(1).waitFor({ state: 'detached' })
        return { faults, width, isUndoFocused, undone, left, deleted: await countAll() }
      })
      expect(result).toEqual({
        ...{ faults: [], width: 360, isUndoFocused: true },
        ...{ undone: 3, left: 3, deleted: 1 },
      })
    }, 60_000)

    test('the category of many is set at once, and what lacks one can be listed', async () => {
      const anna = await createOwner()
      await addProducts(anna, ['One', 'Two', 'Three'])
      await call(anna, 'PATCH', '/v1/products/Three', { metadata: { category: 'Mugs' } })
      const { result } = await visitPortal(anna, '/products', DESKTOP, async (page) => {
        await page.getByLabel('What needs work').selectOption({ label: 'No category' })
        await page.getByText('2 products').first().waitFor()
        await page.getByLabel('Choose Two').check()
        await page.getByRole('button', { name: 'Set the category' }).click()
        await page.getByRole('dialog').getByLabel('Category').fill('Cups')
        await page.getByRole('button', { name: 'Set it for 1 product' }).click()
        await page.getByText('1 product', { exact: true }).waitFor()
        return page.locator('.tile .name').allTextContents()
      })
      const { metadata } = await call(anna, 'GET', '/v1/products/Two')
      expect(result).toEqual(['One'])
      expect(metadata).toEqual({ name: 'Two', category: 'Cups' })
    }, 60_000)

    test('of two people who edit one product, the second is told, and both changes are kept', async () => {
      const anna = await createOwner()
      await addProducts(anna, ['One'])
      const { result } = await visitPortal(anna, '/products?product=One', PHONE, async (page) => {
        const drawer = page.getByRole('dialog')
        await drawer.getByRole('button', { name: 'Edit the product' }).click()
        await drawer.getByLabel('Price', { exact: true }).fill('12.5')
        await call(anna, 'PATCH', '/v1/products/One', { metadata: { brand: 'Acme' } })
        await drawer.getByRole('button', { name: 'Save the product' }).click()
        await drawer.getByRole('button', { name: 'Show what changed' }).click()
        const changes = await drawer.locator('.conflict dl').textContent()
        const faults = await findFaults(page)
        const seen = { faults, changes, width: await scrollWidth(page) }
        const kept = await drawer.getByLabel('Price', { exact: true }).inputValue()
        await drawer.getByRole('button', { name: 'Save mine anyway' }).click()
        await drawer.getByRole('button', { name: 'Edit the product' }).waitFor()
        return { ...seen, kept }
      })
      const { metadata } = await call(anna, 'GET', '/v1/products/One')
      expect(result).toEqual({ faults: [], changes: 'Brandempty → Acme', width: 360, kept: '12.5' })
      expect(metadata).toEqual({ name: 'One', brand: 'Acme', price: 12.5 })
    }, 60_000)

    test('the settings tell the second person, too', async () => {
      const anna = await createOwner()
      const { result } = await visitPortal(anna, '/settings', DESKTOP, async (page) => {
        await page.getByLabel('Currency').fill('EUR')
        await call(anna, 'PATCH', '/v1/store/settings', { locale: 'de-AT' })
        await page.getByRole('button', { name: 'Save the settings' }).click()
        await page.getByRole('button', { name: 'Show what changed' }).click()
        const changes = await page.locator('.conflict dl').textContent()
        await page.getByRole('button', { name: 'Save mine anyway' }).click()
        await page.getByText('Saved.').waitFor()
        return { changes, locale: await page.getByLabel('Language').inputValue() }
      })
      const { currency, locale } = await call(anna, 'GET', '/v1/store/settings')
      expect(result).toEqual({ changes: 'Languageempty → de-AT', locale: 'de-AT' })
      expect([currency, locale]).toEqual(['EUR', 'de-AT'])
    }, 60_000)

    test('hostile names are text: nothing runs, nothing is linked, nothing scrolls sideways', async () => {
      const anna = await createOwner()
      const name = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
      for (const [n, text] of [name, `\u202E${'x'.repeat(200)}`, 'שלום'].entries())
        await call(anna, 'POST', '/v1/products', {
          product_id: `"><b>${n}`,
          image_url: await readSample(),
          metadata: { name: text, url: 'javascript:document.title=3', category: name },
        })
      const { result } = await visitPortal(anna, '/products', PHONE, async (page) => {
        await page.locator('.tile').nth(2).waitFor()
        const width = await scrollWidth(page)
        const title = await page.title()
        await page.locator('.tile a').last().click()
        await page.getByRole('dialog').locator('.facts').waitFor()
        return {
          width,
          title,
          after: await page.title(),
          links: await page.locator('a[href^="javascript"]').count(),
        }
      })
      expect(result.width).toBe(360)
      expect([result.title, result.after]).toEqual(['Products · Lookalike', 'Products · Lookalike'])
      expect(result.links).toBe(0)
    }, 60_000)

    test('a failure stands in its place with code and request id, and the next try repairs it', async () => {
      const { result } = await visitPortal(shop, '', DESKTOP, async (page) => {
        await page.route('**/v1/products?*', (route) => route.fulfill(refuse(500, 'internal_error')))
        await page.getByRole('link', { name: 'Products', exact: true }).click()
        const failure = page.getByRole('alert')
        await failure.waitFor()
        const text = await failure.textContent()
        const faults = await findFaults(page)
        await page.unroute('**/v1/products?*')
        await failure.getByRole('button', { name: 'Try again' }).click()
        await page.locator('.tile').first().waitFor()
        return { text, faults }
      })
      expect(result.text).toContain('A message of the API')
      expect(result.text).toContain('internal_error')
      expect(result.text).toContain('request-7')
      expect(result.faults).toEqual([])
    }, 60_000)

    test('too many calls say when it goes on; a service that does not answer is told above the page', async () => {
      const { result } = await visitPortal(shop, '', DESKTOP, async (page) => {
        const limited = refuse(429, 'rate_limit_exceeded', { 'retry-after': '12' })
        await page.route('**/v1/products?*', (route) => route.fulfill(limited))
        await page.getByRole('link', { name: 'Products', exact: true }).click()
        const wait = await page.locator('.failure strong').textContent()
        await page.unroute('**/v1/products?*')
        await page.route('**/v1/products?*', (route) => route.abort())
        await page.locator('.failure').getByRole('button').click()
        const banner = await page.locator('.banner').textContent()
        await page.unroute('**/v1/products?*')
        await page.locator('.failure').getByRole('button').click()
        await page.locator('.tile').first().waitFor()
        return { wait, banner, after: await page.locator('.banner').count() }
      })
      expect(result).toEqual({
        wait: 'Too many calls at once. It goes on in 12 s.',
        banner: 'The service does not answer. What you typed stays here.',
        after: 0,
      })
    }, 60_000)

    test('rights that are lost while the page is open are told at the next call', async () => {
      const { result } = await visitPortal(shop, '/products', DESKTOP, async (page) => {
        await page.locator('.tile').first().waitFor()
        await page.route('**/v1/products?*', (route) => route.fulfill(refuse(403, 'permission_denied')))
        await page.route('**/v1/me', async (route) => {
          const response = await route.fetch()
          const me = (await response.json()) as object
          await route.fulfill({ response, json: { ...me, permissions: ['products:read'] } })
        })
        await page.getByLabel('Name, number or brand').fill('umbrella')
        await page.getByRole('status').waitFor()
        return [
          await page.getByRole('status').textContent(),
          await page.getByRole('search').count(),
          await page.locator('.failure').textContent(),
        ]
      })
      expect(result[0]).toContain('Your rights in this store have changed.')
      // The header's search went with the right to search.
      expect(result[1]).toBe(0)
      expect(result[2]).toContain('permission_denied')
    }, 60_000)

    test('work that runs is one line with its numbers; at its end the list loads anew, and nobody asks again', async () => {
      const running = {
        ...{ job_id: 'j', type: 'import', status: 'processing', total: 1_840, processed: 312 },
        ...{ started_at: new Date(Date.now() - 30_000).toISOString(), eta_seconds: 170 },
      }
      let looks = 0
      const { result } = await visitPortal(shop, '', DESKTOP, async (page) => {
        await page.route('**/v1/jobs?*', (route) =>
          route.fulfill({ json: { jobs: ++looks < 3 ? [running] : [], count: 1, next_cursor: null } }),
        )
        let lists = 0
        page.on('request', (request) => {
          if (/\/v1\/products\?.*sort=/.test(request.url())) lists++
        })
        await page.getByRole('link', { name: 'Products', exact: true }).click()
        const line = await page.locator('.job').textContent()
        await page.locator('.job').waitFor({ state: 'detached' })
        await page.locator('.tile').first().waitFor()
        await page.clock.install()
        await page.clock.fastForward(60_000)
        return { line, lists }
      })
      expect(result.line).toMatch(/^A file is being imported312 of 1,840 · \d+ a second · about 3 min left$/)
      expect([result.lists, looks]).toEqual([2, 3])
    }, 60_000)

    test('ten thousand products keep at most 200 cards in the document, and a change keeps the place', async () => {
      const { result } = await visitPortal(shop, '', DESKTOP, async (page) => {
        const read: number[] = []
        await page.route('**/v1/products/p*', (route) => route.fulfill({ json: {} }))
        await page.route('**/v1/products?*', (route) => {
          const from = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0)
          read.push(from)
          const products = Array.from({ length: 48 }, (_, n) => ({
            product_id: `p${from + n}`,
            thumbnail_url: null,
            metadata: { name: `Product ${from + n}` },
          }))
          return route.fulfill({
            json: {
              products,
              count: 48,
              total: 10_000,
              total_is_exact: true,
              next_cursor: String(from + 48),
            },
          })
        })
        await page.getByRole('link', { name: 'Products', exact: true }).click()
        await page.locator('.tile').first().waitFor()
        let most = 0
        for (let n = 0; n < 40; n++) {
          await page.mouse.wheel(0, 1_500)
          await page.evaluate(
            'new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))',
          )
          most = Math.max(most, await page.locator('.tile').count())
        }
        await untilTrue(page, 'document.querySelectorAll(".tile").length <= 200')
        const blocks = await page.locator('.list > div').count()

        await page.locator('.choose input').nth(60).check()
        const place = await page.evaluate('window.scrollY')
        const before = read.length
        await page.getByRole('button', { name: 'Set the category' }).click()
        await page.getByRole('dialog').getByLabel('Category').fill('Cups')
        await page.getByRole('button', { name: 'Set it for 1 product' }).click()
        while (read.length < before + blocks - 1) await page.waitForTimeout(10)
        await page.locator('[role="dialog"]').waitFor({ state: 'detached' })
        return { most, blocks, again: read[before], place, now: await page.evaluate('window.scrollY') }
      })
      expect(result.blocks).toBeGreaterThan(6)
      expect(result.most).toBeLessThanOrEqual(200)
      expect(result).toMatchObject({ again: 0, now: result.place })
    }, 60_000)
  })
}
