import { beforeAll, describe, expect, test } from 'bun:test'
import { shownCode } from '../../support/authenticator.ts'
import { visit } from '../chromium.ts'
import {
  call,
  createOwner,
  DESKTOP,
  findFaults,
  own,
  PASSWORD,
  type Person,
  PHONE,
  readStorage,
  scrollWidth,
  service,
  submitSignIn,
  visitPortal,
} from './world.ts'

export function signingInTests(): void {
  describe('signing in', () => {
    let anna: Person

    beforeAll(async () => {
      anna = await createOwner()
    }, 60_000)

    test.each([DESKTOP, PHONE])(
      'the page has no faults at %o',
      async (look) => {
        const { result, complaints, strangers } = await visit(
          `${service.address}/login`,
          { ...look, headers: anna.headers },
          async (page) => {
            await page.getByRole('heading', { name: 'Sign in' }).waitFor()
            return {
              faults: await findFaults(page),
              width: await scrollWidth(page),
              focused: await page.evaluate<string>('document.activeElement.type'),
            }
          },
        )
        expect(result).toEqual({ faults: [], width: look.width, focused: 'email' })
        expect([own(complaints), strangers]).toEqual([[], []])
      },
      60_000,
    )

    test('a wrong password is told in a sentence; the right one leads to where one was, and nothing is kept', async () => {
      const way = `/${anna.slug}/portal/products?sort=name`
      const { result } = await visit(
        `${service.address}/login#${way}`,
        { ...DESKTOP, headers: anna.headers },
        async (page) => {
          await submitSignIn(page, anna.email, 'another password')
          const told = await page.getByRole('alert').textContent()
          await submitSignIn(page, anna.email)
          await page.getByRole('heading', { name: 'Products', level: 1 }).waitFor()
          return { told, url: page.url(), kept: await readStorage(page) }
        },
      )
      expect(result).toEqual({
        told: 'E-mail or password is wrong.',
        url: service.address + way,
        kept: ['', 0, 0],
      })
    }, 60_000)

    test.each(['//evil.test/portal', '/\\evil.test/portal', '/.//portal', 'https://evil.test/a/portal'])(
      'a way back to another site is not taken: %s',
      async (way) => {
        const { result } = await visit(
          `${service.address}/login#${way}`,
          { ...DESKTOP, headers: anna.headers },
          async (page) => {
            page.setDefaultTimeout(10_000)
            await submitSignIn(page, anna.email)
            await page.waitForURL((url) => url.pathname !== '/login')
            return page.url()
          },
        )
        expect([`${service.address}/${anna.slug}/portal`, `${service.address}/admin`]).toContain(result)
      },
      60_000,
    )

    test('the start page leads on: to the form, and once signed in to the store', async () => {
      const { result } = await visit(service.address, { ...DESKTOP, headers: anna.headers }, async (page) => {
        await page.getByRole('heading', { name: 'Sign in' }).waitFor()
        const before = page.url()
        await submitSignIn(page, anna.email)
        await page.waitForURL((url) => url.pathname !== '/login')
        await page.goto(service.address)
        await page.waitForURL((url) => url.pathname !== '/login' && url.pathname !== '/')
        return before
      })
      expect(result).toBe(`${service.address}/login`)
    }, 60_000)

    test('the second factor is asked for after the password; a recovery code works, and the rest are counted', async () => {
      const ben = await createOwner()
      const { secret } = await call(ben, 'POST', '/v1/security/2fa/setup')
      const { recovery_codes } = await call(ben, 'POST', '/v1/security/2fa/enable', {
        totp_code: shownCode(String(secret), Date.now(), 0),
      })
      const [code] = recovery_codes as string[]
      const { result } = await visit(
        `${service.address}/login`,
        { ...DESKTOP, headers: ben.headers },
        async (page) => {
          await submitSignIn(page, ben.email)
          const box = page.getByLabel('Code from your authenticator')
          await box.waitFor()
          const focused = await page.evaluate<string>('document.activeElement.autocomplete')
          await box.fill('000000')
          await page.getByRole('button', { name: 'Sign in' }).click()
          const told = await page.getByRole('alert').textContent()
          await page.getByRole('button', { name: 'Use a recovery code' }).click()
          await page.getByLabel('Recovery code').fill(code ?? '')
          await page.getByRole('button', { name: 'Sign in' }).click()
          const left = await page.getByRole('status').textContent()
          await page.getByRole('link', { name: 'Go on' }).click()
          await page.waitForURL((url) => url.pathname !== '/login')
          return { focused, told, left }
        },
      )
      expect(result).toEqual({
        focused: 'one-time-code',
        told: 'This code is wrong. Codes change every 30 seconds.',
        left: 'Recovery codes left: 9. Make new ones before they run out.',
      })
    }, 60_000)

    test('a forgotten password: the same answer for every address', async () => {
      const { result } = await visit(
        `${service.address}/login`,
        { ...PHONE, headers: anna.headers },
        async (page) => {
          await page.getByRole('link', { name: 'Forgot your password?' }).click()
          await page.getByLabel('E-mail address').fill('nobody@shop.test')
          await page.getByRole('button', { name: 'Send the link' }).click()
          await page.getByRole('heading', { name: 'Look into your mail' }).waitFor()
          return findFaults(page)
        },
      )
      expect(result).toEqual([])
    }, 60_000)

    test('without JavaScript the page says what is missing', async () => {
      const { result } = await visit(
        `${service.address}/login`,
        { ...DESKTOP, javaScriptEnabled: false },
        (page) => page.locator('noscript').textContent(),
      )
      expect(result).toContain('These pages need JavaScript')
    }, 60_000)
  })

  describe('a sign-in', () => {
    test('that ends while a page is open becomes a dialog; what was typed stays, and the call is repeated', async () => {
      const eve = await createOwner('demo')
      const { result } = await visitPortal(eve, '/products', DESKTOP, async (page) => {
        await page.locator('.tile').first().waitFor()
        // The sign-in of the browser ends, and the token of the page with it.
        await call(eve, 'DELETE', '/v1/me/sessions')
        await page.getByLabel('Name, number or brand').fill('umbrella')
        await page.getByRole('dialog').waitFor()
        const faults = await findFaults(page)
        await page.getByRole('dialog').getByLabel('Password').fill(PASSWORD)
        await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click()
        await page.getByText('2 products').waitFor()
        return {
          faults,
          typed: await page.getByLabel('Name, number or brand').inputValue(),
          dialogs: await page.getByRole('dialog').count(),
          url: new URL(page.url()).search,
        }
      })
      expect(result).toMatchObject({ faults: [], typed: 'umbrella', dialogs: 0 })
      expect(result.url).toContain('q=umbrella')
    }, 60_000)

    test('of somebody else in the dialog leads to their own store, and repeats nothing', async () => {
      const [eve, mallory] = [await createOwner('demo'), await createOwner()]
      const { result } = await visitPortal(eve, '/products', DESKTOP, async (page) => {
        await page.locator('.tile a').first().click()
        await page.getByRole('button', { name: 'Delete this product' }).click()
        await call(eve, 'DELETE', '/v1/me/sessions')
        const deletions: string[] = []
        page.on('request', (request) => {
          if (request.method() === 'DELETE') deletions.push(request.headers()['authorization'] ?? '')
        })
        await page.getByRole('button', { name: 'Delete it now' }).click()
        const dialog = page.getByRole('dialog', { name: 'Your sign-in has ended' })
        await dialog.getByLabel('E-mail address').fill(mallory.email)
        await dialog.getByLabel('Password').fill(PASSWORD)
        await dialog.getByRole('button', { name: 'Sign in' }).click()
        await page.waitForURL((url) => url.pathname.startsWith(`/${mallory.slug}/portal`))
        return deletions.length
      })
      // The one that was refused.
      expect(result).toBe(1)
      expect(await call(eve, 'GET', '/v1/products?limit=1')).toMatchObject({ total: 40 })
    }, 60_000)

    test('that ends in one tab ends in all, and a second tab needs no password', async () => {
      const tom = await createOwner()
      const { result } = await visitPortal(tom, '', DESKTOP, async (page) => {
        const other = await page.context().newPage()
        await other.goto(`${service.address}/${tom.slug}/portal/products`)
        await other.getByRole('heading', { name: 'Products', level: 1 }).waitFor()
        await page.getByLabel('Your account').click()
        await page.getByRole('button', { name: 'Sign out' }).click()
        await Promise.all([page, other].map((one) => one.waitForURL((url) => url.pathname === '/login')))
        return other.getByRole('heading', { level: 1 }).textContent()
      })
      expect(result).toBe('Sign in')
    }, 60_000)
  })
}
