import { beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  call,
  createOwner,
  DESKTOP,
  findFaults,
  type Look,
  own,
  PASSWORD,
  type Person,
  PHONE,
  scrollWidth,
  service,
  visitAs,
} from './world.ts'

const HOSTILE = '<img src=x onerror="document.title=1"> חנות '
const TABS = ['stores', 'people', 'mail', 'billing', 'backups', 'models', 'health', 'settings', 'version']

/** The first account of the service is its operator. @param other gives the client address. */
async function signInOperator({ headers }: Person): Promise<Person> {
  const email = 'owner-1@shop.test'
  const { access_token } = await call({ token: '', headers }, 'POST', '/oauth/login', {
    email,
    password: PASSWORD,
  })
  return { email, headers, slug: 'shop-1', token: String(access_token) }
}

/** Opens a page of the operator. */
const visitAdmin = <Result>(person: Person, tab: string, look: Look, act: (page: Page) => Promise<Result>) =>
  visitAs(person, `/admin${tab}`, look, act)

/** Gives a store a feed that cannot be read, and waits until it has failed. */
async function addFailingFeed(owner: Person): Promise<void> {
  const { id } = await call(owner, 'POST', '/v1/feeds', { url: 'https://feeds.invalid/products.csv' })
  await call(owner, 'POST', `/v1/feeds/${id}/run`)
  for (let tries = 0; tries < 100; tries++) {
    const { consecutive_failures } = await call(owner, 'GET', `/v1/feeds/${id}`)
    if (Number(consecutive_failures) > 0) return
    await Bun.sleep(50)
  }
  throw new Error('The feed did not fail')
}

const findStore = async (root: Person, q: string) => {
  const { stores } = await call(root, 'GET', `/v1/admin/stores?q=${encodeURIComponent(q)}`)
  return (stores as { id: string; slug: string; name: string; plan: string }[])[0]
}

export function adminTests(): void {
  describe('the operator’s pages', () => {
    let root: Person
    let shop: Person

    beforeAll(async () => {
      const first = await createOwner()
      shop = await createOwner()
      root = await signInOperator(first)
      await addFailingFeed(shop)
      // With them there are more than fifty stores; one has a name that means harm.
      for (let n = 1; n <= 50; n++)
        await call(root, 'POST', '/v1/admin/stores', {
          name: n === 50 ? (HOSTILE + 'x'.repeat(100)).slice(0, 100) : `Filler ${n}`,
          slug: `filler-${n}`,
          owner_email: `filler-${n}@shop.test`,
        })
    }, 120_000)

    test('a person without that right gets a sentence, and nothing is asked for', async () => {
      const { result } = await visitAdmin(shop, '/stores', DESKTOP, async (page) => {
        const asked: string[] = []
        page.on('request', (request) => asked.push(new URL(request.url()).pathname))
        await page.getByRole('heading', { name: 'These pages are for the operator' }).waitFor()
        return [await page.getByRole('table').count(), asked.filter((path) => path.startsWith('/v1/admin'))]
      })
      expect(result).toEqual([0, []])
    }, 60_000)

    test('Monday: a failing feed → open as → leave; a plan is confirmed, a customer gets a store within 60 seconds, and the doctor is asked', async () => {
      await call(shop, 'POST', '/v1/billing/checkout', { plan_name: 'premium' })
      const { result, complaints, strangers } = await visitAdmin(root, '', DESKTOP, async (page) => {
        const line = page.locator('.troubles li').filter({ hasText: 'could not be read' })
        await line.waitFor()
        const faults = await findFaults(page)
        await line.getByRole('button', { name: 'Write to the owner' }).click()
        const letter = await line.getByRole('link', { name: shop.email }).getAttribute('href')
        await line.getByRole('button', { name: 'Open as operator' }).click()
        const banner = page.getByRole('complementary', { name: 'Operator of this installation' })
        await banner.getByText('ends in 30 min').waitFor()
        const inStore = new URL(page.url()).pathname
        await page.locator('.rail').getByRole('link', { name: 'Products', exact: true }).click()
        await page.getByRole('heading', { name: 'Products', level: 1 }).waitFor()
        faults.push(...(await findFaults(page)))
        await banner.getByRole('button', { name: 'Leave this store' }).click()
        await page.getByRole('heading', { name: 'Stores', level: 1 }).waitFor()
        // It has ended: the pages of the store are offered, not shown.
        await page.goBack()
        await page.getByRole('button', { name: 'Open this store' }).waitFor()
        faults.push(...(await findFaults(page)))

        // Another store may have asked before: the newest request stands first.
        await page.goto(`${service.address}/admin`)
        await page.getByRole('link', { name: 'Answer them' }).click()
        await page.getByRole('button', { name: 'Confirm, invoice open' }).first().click()
        await page.getByText(`${shop.slug} is on premium`).waitFor()
        faults.push(...(await findFaults(page)))
        await page.getByRole('button', { name: 'Mark as paid' }).click()
        await page.getByRole('table', { name: 'Invoices' }).getByText('Paid', { exact: true }).waitFor()

        await page.getByRole('link', { name: 'Stores', exact: true }).click()
        const began = performance.now()
        await page.getByRole('button', { name: 'New store' }).click()
        const dialog = page.getByRole('dialog', { name: 'New store' })
        await dialog.getByLabel('Name', { exact: true }).fill('Käthe’s lamps')
        await dialog.getByLabel('E-mail address of the owner').fill('kaethe@shop.test')
        await dialog.getByLabel('Short name').fill('filler-1')
        await dialog.getByRole('button', { name: 'Make the store' }).click()
        await dialog.getByText('Another store has this short name').waitFor()
        await dialog.getByLabel('Short name').fill('lamps')
        await dialog.getByRole('button', { name: 'Make the store' }).click()
        await dialog.getByRole('button', { name: 'Copy the link' }).waitFor()
        const link = await dialog.locator('.copied code').first().textContent()
        faults.push(...(await findFaults(page)))
        await dialog.getByRole('button', { name: 'Close' }).click()
        await page.getByLabel('Name, short name or owner').fill('lamps')
        await page.locator('tbody tr').nth(0).getByText('lamps', { exact: true }).waitFor()
        await page.locator('tbody tr:only-child').waitFor()
        const seconds = (performance.now() - began) / 1000

        await page.getByRole('link', { name: 'Health', exact: true }).click()
        await page.getByRole('button', { name: 'Run the doctor' }).click()
        const checks = page.getByRole('list', { name: 'Doctor' }).getByRole('listitem')
        await checks.first().waitFor()
        faults.push(...(await findFaults(page)))
        return { faults, letter, inStore, link, seconds, checks: await checks.count() }
      })
      expect(result.faults).toEqual([])
      expect(result.letter).toStartWith(`mailto:${encodeURIComponent(shop.email)}?subject=`)
      expect(result.inStore).toStartWith(`/${shop.slug}/portal`)
      expect(result.link).toContain('/invite')
      expect(result.seconds).toBeLessThan(60)
      expect(result.checks).toBeGreaterThan(3)
      expect([own(complaints), strangers]).toEqual([[], []])
      const store = await findStore(root, shop.slug)
      expect(store).toMatchObject({ plan: 'premium' })
      expect((await call(root, 'GET', '/v1/admin/billing/invoices?status=paid'))['count']).toBe(1)
      const opened = '/v1/admin/audit?action=store.opened_as_operator'
      for (const path of [opened, `${opened}&store_id=${store?.id}`])
        expect((await call(root, 'GET', path))['events']).toHaveLength(1)
    }, 90_000)

    test('an opened store ends by itself after 30 minutes', async () => {
      const { result } = await visitAdmin(root, `/stores`, PHONE, async (page) => {
        await page.clock.install()
        await page.goto(`${service.address}/${shop.slug}/portal/products`)
        await page.getByText('You do not belong to this store').waitFor()
        await page.getByRole('button', { name: 'Open this store' }).click()
        await page.getByRole('heading', { name: 'Products', level: 1 }).waitFor()
        const width = await scrollWidth(page)
        await page.clock.runFor(31 * 60_000)
        await page.getByText('Your 30 minutes in this store are over').waitFor()
        return [width, await page.getByRole('heading', { name: 'Products', level: 1 }).count()]
      })
      expect(result).toEqual([360, 0])
    }, 60_000)

    test('a store is moved, renamed, suspended with a reason, resumed and deleted; a name that means harm stays text', async () => {
      const { result, complaints } = await visitAdmin(root, '/stores', PHONE, async (page) => {
        await page.getByLabel('Name, short name or owner').fill('filler-50')
        await page.locator('tbody tr:only-child').waitFor()
        const width = await scrollWidth(page)
        await page.locator('tbody th a').click()
        const drawer = page.getByRole('dialog').first()
        await drawer.getByRole('button', { name: 'Suspend the store' }).waitFor()
        const faults = await findFaults(page)
        const named = await drawer.getByRole('heading').first().textContent()
        await drawer.getByLabel('Plan').selectOption('premium')
        await drawer.getByRole('button', { name: 'Change the plan' }).click()
        await drawer.getByText('The plan counts from').waitFor()
        await drawer.getByLabel('Reason').fill('It isn’t paid')
        const command = await drawer
          .locator('.act:has(button:text-is("Suspend the store")) code')
          .textContent()
        await drawer.getByRole('button', { name: 'Suspend the store' }).click()
        await drawer.getByRole('button', { name: 'Resume the store' }).click()
        await drawer.getByRole('button', { name: 'Suspend the store' }).waitFor()
        await drawer.getByLabel('Name', { exact: true }).fill('Plain')
        await drawer.getByRole('button', { name: 'Rename the store' }).click()
        await drawer.getByText('The store has its new name').waitFor()
        await drawer.getByRole('button', { name: 'Delete the store' }).click()
        const asked = page.getByRole('dialog', { name: 'Delete Plain?' })
        const isBlocked = await asked.getByRole('button', { name: 'Delete the store' }).isDisabled()
        await asked.getByRole('textbox').fill('filler-50')
        await asked.getByRole('button', { name: 'Delete the store' }).click()
        await drawer.getByText('Everything in it is deleted on').waitFor()
        return { width, faults, named, command, isBlocked, title: await page.title() }
      })
      expect(result).toMatchObject({ width: 360, faults: [], isBlocked: true })
      expect(result.named).toContain('<img src=x onerror=')
      expect(result.command).toBe(`lookalike store suspend filler-50 --reason 'It isn’t paid'`)
      expect(result.title).toStartWith('Stores')
      expect(own(complaints)).toEqual([])
      expect(await findStore(root, 'filler-50')).toMatchObject({
        ...{ name: 'Plain', plan: 'premium', status: 'deletion_planned' },
      })
    }, 60_000)

    test('a person gets a link for a new password; the right of a super-admin asks for one’s own', async () => {
      const { result } = await visitAdmin(root, '/people', DESKTOP, async (page) => {
        await page.getByLabel('Name or e-mail address').fill(shop.email)
        await page.locator('table[aria-label=People] tbody tr:only-child').waitFor()
        await page.locator('table[aria-label=People] tbody th a').click()
        const drawer = page.getByRole('dialog')
        await drawer.getByRole('button', { name: 'Send a link for a new password' }).click()
        const link = await drawer.locator('.copied:has-text("/oauth/password/reset") code').textContent()
        await drawer.getByLabel('Your own password').fill('not my password')
        await drawer.getByRole('button', { name: 'Make super-admin' }).click()
        await drawer.getByRole('alert').waitFor()
        const faults = await findFaults(page)
        return { link, faults, refused: await drawer.getByRole('alert').textContent() }
      })
      expect(result.link).toContain('/oauth/password/reset')
      expect(result.faults).toEqual([])
      expect(result.refused).toContain('validation_error')
    }, 60_000)

    test('a move is asked for once, refused because somebody was faster, followed, and not asked about by a hidden page', async () => {
      const { result, complaints } = await visitAdmin(root, '/models', PHONE, async (page) => {
        await page.clock.install()
        const other = { name: 'second', state: 'here', is_bundled: false, family: 'siglip', dimension: 768 }
        const facts = {
          bytes: 2e8,
          memory_bytes: 5e8,
          picture_ms: 90,
          text_ms: 9,
          license: HOSTILE,
          suits: HOSTILE,
        }
        const rest = { languages: ['de', 'not a language'], status: null, problem: null }
        const all = { in_use: 'first', former: null, fetch: null, model_dir_set: false, is_offline: false }
        const move = {
          id: 'm',
          kind: 'use',
          from: 'first',
          to: 'second',
          state: 'running',
          stores: 3,
          stores_done: 1,
        }
        const counts = { products: 90, products_done: 30, failed: 22, eta_seconds: 600, is_returning: false }
        const failures = [{ store: shop.slug, product_id: HOSTILE, code: 'image_unreadable' }]
        const began = { failures, problem: null, started_at: new Date().toISOString(), finished_at: null }
        let isMoving = false
        let looks = 0
        await page.route('**/v1/admin/models', (route) => {
          looks++
          const models = [{ ...other, ...facts, ...rest }]
          const json = {
            ...all,
            models,
            pictures: 4_000,
            move: isMoving ? { ...move, ...counts, ...began } : null,
          }
          return route.fulfill({ json })
        })
        await page.route('**/v1/admin/models/use', (route) => {
          isMoving = true
          const json = { error: 'conflict', message: 'Another move is under way', details: {} }
          return route.fulfill({ status: 409, json })
        })
        await page.reload()
        await page.getByRole('button', { name: 'Move to it: second' }).click()
        const asked = page.getByRole('dialog', { name: 'Move all stores to second?' })
        await asked.getByText('about 6 minutes for 4,000 pictures').waitFor()
        const faults = await findFaults(page)
        await asked.getByRole('button', { name: 'Move to second' }).click()
        await asked.getByText('Somebody was faster').waitFor()
        await page.keyboard.press('Escape')
        await page.getByText('Stores: 1 of 3 · Products: 30 of 90 · about 10 minutes left').waitFor()
        await page.getByText('could not be had again: 22').click()
        const link = await page.getByRole('link', { name: '<img src=x' }).getAttribute('href')
        await page.getByRole('button', { name: 'Cancel the move' }).click()
        await page.getByRole('button', { name: 'Let it go on' }).click()
        faults.push(...(await findFaults(page)))
        const width = await scrollWidth(page)
        const setHidden = (isHidden: boolean) =>
          page.evaluate(`
            Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} })
            document.dispatchEvent(new Event('visibilitychange'))`)
        await setHidden(true)
        const before = looks
        await page.clock.runFor(60_000)
        const whileHidden = looks - before
        const shown = page.waitForRequest('**/v1/admin/models')
        await setHidden(false)
        await shown
        const followed = page.waitForRequest('**/v1/admin/models')
        await page.clock.runFor(2_000)
        await followed
        return { faults, link, width, whileHidden }
      })
      expect(result).toMatchObject({ faults: [], width: 360, whileHidden: 0 })
      expect(result.link).toBe(`/${shop.slug}/portal/products?product=${encodeURIComponent(HOSTILE)}`)
      // The refusal is one of the browser's lines.
      expect(own(complaints).filter((line) => !line.includes('409'))).toEqual([])
    }, 60_000)

    test.each([PHONE, DESKTOP])(
      'no tab has faults, and none is wider than the window, at %o',
      async (look) => {
        const { result, complaints, strangers } = await visitAdmin(root, '', look, async (page) => {
          const found: unknown[] = []
          for (const tab of TABS) {
            await page.locator(`.tabs a[href="/admin/${tab}"]`).click()
            await page.locator(`.tabs a[href="/admin/${tab}"][aria-current]`).waitFor()
            await page.getByRole('heading', { level: 1 }).waitFor()
            await page.locator('body:not(:has(.waiting)):not(:has([aria-busy=true]))').waitFor()
            const faults = await findFaults(page)
            const width = await scrollWidth(page)
            if (faults.length > 0 || width !== look.width) found.push([tab, width, faults])
          }
          return found
        })
        expect(result).toEqual([])
        expect([own(complaints), strangers]).toEqual([[], []])
      },
      60_000,
    )
  })
}
