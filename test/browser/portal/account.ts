import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { shownCode } from '../../support/authenticator.ts'
import { visit } from '../chromium.ts'
import {
  call,
  createOwner,
  DESKTOP,
  findFaults,
  own,
  PASSWORD,
  PHONE,
  readStorage,
  scrollWidth,
  service,
  submitSignIn,
  visitPortal,
} from './world.ts'

export function accountTests(): void {
  describe('my account', () => {
    test('the menu leads there: a name, another password, and the end of another sign-in', async () => {
      const anna = await createOwner()
      const { result, complaints, strangers } = await visitPortal(anna, '/products', PHONE, async (page) => {
        await page.getByLabel('Your account').click()
        await page.getByRole('link', { name: 'My account' }).click()
        await page.getByLabel('Your name').fill('Anna <b>O’Neill</b>')
        await page.getByRole('button', { name: 'Save the name' }).click()
        await page.getByText('Saved.').waitFor()
        const page1 = { faults: await findFaults(page), width: await scrollWidth(page) }

        const list = page.locator('.sign-ins li')
        await list.nth(1).waitFor()
        const own = await list.filter({ hasText: 'this one' }).textContent()
        await list.filter({ hasNotText: 'this one' }).getByRole('button', { name: 'End' }).click()
        await list.nth(1).waitFor({ state: 'detached' })

        await page.getByLabel('Present password').fill('not my password')
        await page.getByLabel('New password').fill('seven green bottles')
        await page.getByRole('button', { name: 'Change the password' }).click()
        const wrong = await page.getByRole('alert').textContent()
        await page.getByLabel('Present password').fill(PASSWORD)
        await page.getByRole('button', { name: 'Change the password' }).click()
        await page.getByText('Your other sign-ins have ended.').waitFor()
        await page.getByRole('link', { name: 'Back to the store' }).click()
        await page.getByLabel('Your account').click()
        const menu = await page.locator('.person .menu strong').textContent()
        return { ...page1, own, wrong, menu, url: new URL(page.url()).pathname }
      })
      expect(result).toEqual({
        ...{ faults: [], width: 360 },
        own: expect.stringMatching(/^Chrome on Linux · this one192\.0\.2\./),
        wrong: 'This is not your password.',
        menu: 'Anna <b>O’Neill</b>',
        url: `/${anna.slug}/portal`,
      })
      expect([own(complaints), strangers]).toEqual([[], []])
      // Its token came from the sign-in that was ended.
      expect(call(anna, 'GET', '/v1/me')).rejects.toThrow('unauthorized')
    }, 60_000)

    test('a second factor: the key, a first code, codes to print; then it is asked for, and can be turned off', async () => {
      const ben = await createOwner()
      const { result } = await visitPortal(ben, '', DESKTOP, async (page) => {
        await page.goto(`${service.address}/portal/account`)
        await page.getByRole('button', { name: 'Set up a second factor' }).click()
        const secret = ((await page.locator('.copied code').textContent()) ?? '').replaceAll(' ', '')
        await page.getByRole('img', { name: 'QR code' }).waitFor()
        const qr = await page.evaluate<boolean>(
          `document.querySelector('.qr').decode().then(() => document.querySelector('.qr').naturalWidth > 0)`,
        )
        await page.getByLabel('Code from your authenticator').fill('000000')
        await page.getByRole('button', { name: 'Turn it on' }).click()
        const wrong = await page.getByRole('alert').textContent()
        const setup = await findFaults(page)
        await page.getByLabel('Code from your authenticator').fill(shownCode(secret, Date.now()))
        await page.getByRole('button', { name: 'Turn it on' }).click()
        await page.getByRole('heading', { name: 'Recovery codes' }).waitFor()
        const codes = await page.locator('.code-sheet li').allTextContents()
        await page.emulateMedia({ media: 'print' })
        const printed = await page.evaluate<string[]>(
          `[...document.querySelectorAll('h1, h3, button')].filter((one) => getComputedStyle(one).visibility === 'visible').map((one) => one.textContent)`,
        )
        await page.emulateMedia({ media: 'screen' })
        const shown = await findFaults(page)
        await page.getByRole('button', { name: 'I have kept them' }).click()
        await page.getByText('Recovery codes left: 10').waitFor()

        // Signed out, the password alone is not enough.
        await page.getByRole('link', { name: 'Back to the store' }).click()
        await page.getByLabel('Your account').click()
        await page.getByRole('button', { name: 'Sign out' }).click()
        await page.waitForURL((url) => url.pathname === '/login')
        await page.goto(`${service.address}/login#/portal/account`)
        await submitSignIn(page, ben.email)
        await page.getByLabel('Code from your authenticator').fill(shownCode(secret, Date.now(), 1))
        await page.getByRole('button', { name: 'Sign in' }).click()
        await page.getByRole('button', { name: 'Turn off the second factor' }).click()
        const question = page.getByRole('dialog')
        await question.getByRole('button', { name: 'Turn off the second factor' }).click()
        await page.getByRole('button', { name: 'Set up a second factor' }).waitFor()
        return { qr, wrong, count: codes.length, printed, faults: [setup, shown] }
      })
      expect(result).toEqual({
        qr: true,
        wrong: 'This code is wrong. Codes change every 30 seconds.',
        count: 10,
        printed: ['Recovery codes'],
        faults: [[], []],
      })
      expect(await call(ben, 'GET', '/v1/me').catch(({ message }) => message)).toContain('unauthorized')
    }, 60_000)

    test('language and colours can be chosen against the browser, and stay', async () => {
      const tom = await createOwner()
      const { result } = await visitPortal(tom, '', DESKTOP, async (page) => {
        const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
        await page.goto(`${service.address}/portal/account`)
        await page.getByLabel('Colours').selectOption('dark')
        const dark = await background()
        await page.getByLabel('Language').selectOption('de')
        await page.getByRole('heading', { name: 'Mein Konto' }).waitFor()
        const seen = { dark, after: await background(), faults: await findFaults(page) }
        const kept = await readStorage(page)
        await page.getByLabel('Farben').selectOption('')
        await page.getByLabel('Sprache').selectOption('')
        await page.getByRole('heading', { name: 'My account' }).waitFor()
        return { ...seen, kept, light: await background(), rest: await readStorage(page) }
      })
      expect(result).toEqual({
        ...{ dark: 'rgb(28, 32, 34)', after: 'rgb(28, 32, 34)', faults: [], kept: ['', 1, 0] },
        ...{ light: 'rgb(255, 255, 255)', rest: ['', 0, 0] },
      })
    }, 60_000)
  })

  test('the code of an invitation comes out of the link as it stands there', async () => {
    const { headers } = await createOwner()
    const read = async (page: Page, code: string) => {
      await page.goto('about:blank')
      await page.goto(`${service.address}/register#${code}`)
      return page.getByLabel('Code of your invitation').inputValue()
    }
    const { result } = await visit(`${service.address}/docs`, { ...PHONE, headers }, async (page) => {
      page.setDefaultTimeout(10_000)
      return [await read(page, 'aB-_9'), await read(page, '100%')]
    })
    expect(result).toEqual(['aB-_9', '100%'])
  }, 60_000)

  test('somebody registers a store, confirms the address by the mail, and signs in', async () => {
    const { headers } = await createOwner()
    const email = 'rosa@shop.test'
    const { result } = await visit(`${service.address}/login`, { ...PHONE, headers }, async (page) => {
      await page.getByRole('link', { name: 'Register a store' }).click()
      await page.getByLabel('E-mail address').fill(email)
      await page.getByLabel('Password', { exact: true }).fill('rosa@shop.test')
      await page.getByLabel('Name of your store').fill('Rosa')
      await page.getByRole('button', { name: 'Register the store' }).click()
      const refused = await page.getByRole('alert').textContent()
      const faults = [await findFaults(page), await scrollWidth(page)]
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
      await page.getByRole('button', { name: 'Register the store' }).click()
      await page.getByRole('heading', { name: 'Your registration waits' }).waitFor()

      const mails = JSON.parse(await service.run('outbox', '--json')) as { recipient: string; text: string }[]
      const mail = mails.findLast(({ recipient }) => recipient === email)
      await page.goto(mail?.text.match(/^http\S+\/verify\S+$/m)?.[0] ?? 'about:blank')
      await page.getByLabel('Password chosen at registration').fill(PASSWORD)
      await page.getByRole('button', { name: 'Open the account' }).click()
      await page.getByRole('heading', { name: 'Your account is open' }).waitFor()
      await page.getByRole('link', { name: 'Sign in' }).click()
      await submitSignIn(page, email)
      await page.waitForURL((url) => url.pathname === '/rosa/portal')
      return { refused, faults }
    })
    expect(result).toEqual({
      refused: 'It must not be the e-mail address or the name of the store.',
      faults: [[], 360],
    })
  }, 60_000)
}
