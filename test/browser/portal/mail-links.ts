import { beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
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
} from './world.ts'

const NEW = 'seven green bottles'

const title = (page: Page) => page.getByRole('heading', { level: 1 })
const waitForTitle = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()

interface Mailed {
  recipient: string
  subject: string
  text: string
}

/** The first link of the newest mail to an address. */
async function linkTo(email: string, subject: string): Promise<string> {
  const mails = JSON.parse(await service.run('outbox', '--json')) as Mailed[]
  const mail = mails.findLast((one) => one.recipient === email && one.subject === subject)
  return mail?.text.match(/^http\S+$/m)?.[0] ?? 'no link was mailed'
}

/** Name of somebody's store. */
const nameOf = ({ slug }: Person): string => slug.replace('shop-', 'Shop ')

async function invite(owner: Person, email: string) {
  const invited = await call(owner, 'POST', '/v1/team/invite', { email, role: 'developer' })
  return { id: String(invited['invite_id']), url: String(invited['accept_url']) }
}

export function mailLinkTests(): void {
  describe('the link of an invitation', () => {
    let anna: Person

    beforeAll(async () => {
      anna = await createOwner()
    }, 60_000)

    test.each([DESKTOP, PHONE])(
      'shows a new person the store, the role and who invites, and makes an account that is signed in, at %o',
      async (look) => {
        const email = `nora-${look.width}@shop.test`
        const { url } = await invite(anna, email)
        const token = new URL(url).hash.replace('#token=', '')
        const sent: string[] = []
        const visited = await visit(
          `${service.address}/docs`,
          { ...look, headers: anna.headers },
          async (page) => {
            page.on('request', (request) =>
              sent.push(`${request.url()} ${JSON.stringify(request.headers())}`),
            )
            await page.goto(url)
            await page.getByLabel('Your name').waitFor()
            const seen = {
              facts: await page.locator('dd strong').allTextContents(),
              faults: await findFaults(page),
              width: await scrollWidth(page),
            }
            await page.getByLabel('Your name').fill('Nora New')
            await page.getByLabel('Password', { exact: true }).fill('password123')
            await page.keyboard.press('Enter')
            const told = await page.getByRole('alert').textContent()
            await page.getByLabel('Password', { exact: true }).fill(NEW)
            await page.keyboard.press('Enter')
            await page.waitForURL(`**/${anna.slug}/portal`)
            await title(page).waitFor()
            await page.goto(url)
            await waitForTitle(page, 'This invitation was already used')
            return { ...seen, told, faultsAfter: await findFaults(page), kept: await readStorage(page) }
          },
        )
        expect(visited.result).toEqual({
          facts: [nameOf(anna), 'Developer', anna.email, email],
          faults: [],
          width: look.width,
          told: 'This is one of the most used passwords. Choose another.',
          faultsAfter: [],
          kept: ['', 0, 0],
        })
        expect([own(visited.complaints), visited.strangers]).toEqual([[], []])
        expect(sent.length).toBeGreaterThan(4)
        for (const request of sent) expect(request).not.toContain(token)
      },
      60_000,
    )

    test('asks a person with an account to sign in, and nobody joins by the sign-in of somebody else', async () => {
      const [ben, eve] = [await createOwner(), await createOwner()]
      const { url } = await invite(anna, ben.email)
      const { result } = await visit(url, { ...PHONE, headers: ben.headers }, async (page) => {
        page.setDefaultTimeout(10_000)
        await page.getByText('Sign in to join the store').waitFor()
        await submitSignIn(page, eve.email)
        await page.getByText(`You are signed in as ${eve.email}`).waitFor()
        const faults = await findFaults(page)
        await submitSignIn(page, ben.email)
        await page.waitForURL(`**/${anna.slug}/portal`)
        await page.goto(`${service.address}/portal/select-store`)
        await page.getByRole('link', { name: nameOf(ben) }).waitFor()
        return { faults, stores: await page.getByRole('link', { name: nameOf(anna) }).count() }
      })
      expect(result).toEqual({ faults: [], stores: 1 })
      const { memberships } = await call(eve, 'GET', '/v1/me')
      expect(memberships).toHaveLength(1)
    }, 60_000)

    test('says what became of it, and how to go on', async () => {
      const owner = await createOwner()
      const { id, url } = await invite(owner, 'bert@shop.test')
      const { result } = await visit(url, { ...DESKTOP, headers: owner.headers }, async (page) => {
        await page.getByLabel('Your name').fill('Bert')
        await page.getByLabel('Password', { exact: true }).fill(NEW)
        await call(owner, 'DELETE', `/v1/team/invites/${id}`)
        await page.keyboard.press('Enter')
        await waitForTitle(page, 'This invitation was cancelled')
        const focused = await page.evaluate<string>('document.activeElement.textContent')
        await page.goto(`${service.address}/invite#token=x`)
        await waitForTitle(page, 'This link does not work')
        await page.goto(`${service.address}/invite`)
        await waitForTitle(page, 'This link is incomplete')
        await page.getByRole('link', { name: 'Sign in' }).click()
        await page.waitForURL('**/login')
        return focused
      })
      expect(result).toBe('This invitation was cancelled')
    }, 60_000)
  })

  test('a registration: the link, the password that was chosen, the account; and a stranger’s request is deleted', async () => {
    const { headers } = await createOwner()
    const email = 'new-shop@shop.test'
    const register = () =>
      call({ token: '', headers }, 'POST', '/register', {
        client_name: 'New shop',
        email,
        password: PASSWORD,
      })
    await register()
    const first = await linkTo(email, 'Confirm your e-mail address')
    const visited = await visit(first, { ...PHONE, headers }, async (page) => {
      page.setDefaultTimeout(10_000)
      await page.getByRole('link', { name: 'Delete the requests' }).click()
      await waitForTitle(page, 'Was this not you?')
      await page.getByRole('button', { name: 'Delete the requests' }).click()
      await waitForTitle(page, 'The requests are deleted')
      await register()
      await page.goto(await linkTo(email, 'Confirm your e-mail address'))
      const field = page.getByLabel('Password chosen at registration')
      await field.fill('a wrong password')
      await page.keyboard.press('Enter')
      const told = await page.getByRole('alert').textContent()
      const seen = { told, faults: await findFaults(page), width: await scrollWidth(page) }
      await field.fill(PASSWORD)
      await page.keyboard.press('Enter')
      await waitForTitle(page, 'Your account is open')
      return { ...seen, url: page.url() }
    })
    expect(visited.result).toEqual({
      told: expect.stringContaining('A link ends after five wrong passwords'),
      faults: [],
      width: PHONE.width,
      url: `${service.address}/verify`,
    })
    expect([own(visited.complaints), visited.strangers]).toEqual([[], []])
  }, 60_000)

  test('a new password: an old link has its token moved behind the #; one that is used leads to a new one', async () => {
    const ben = await createOwner()
    await call({ ...ben, token: '' }, 'POST', '/oauth/password/forgot', { email: ben.email })
    const link = await linkTo(ben.email, 'Choose a new password')
    const visited = await visit(link.replace('#', '?'), { ...PHONE, headers: ben.headers }, async (page) => {
      const field = page.getByLabel('New password')
      await field.fill(NEW)
      const seen = { url: page.url(), faults: await findFaults(page), width: await scrollWidth(page) }
      await page.keyboard.press('Enter')
      await waitForTitle(page, 'Your new password is set')
      await page.goto(link)
      await field.fill(NEW)
      await page.keyboard.press('Enter')
      await waitForTitle(page, 'This link no longer works')
      await page.getByRole('link', { name: 'Ask for a new link' }).click()
      await waitForTitle(page, 'Forgot your password?')
      return seen
    })
    expect(visited.result).toEqual({ url: link, faults: [], width: PHONE.width })
    expect([own(visited.complaints), visited.strangers]).toEqual([[], []])
  }, 60_000)

  describe('the link that ends the weekly mail', () => {
    test.each([DESKTOP, PHONE])(
      'ends nothing by itself, ends the mail by a button and takes it back, at %o',
      async (look) => {
        const bodies: unknown[] = []
        const url = `${service.address}/unsubscribe?token=made-elsewhere`
        const { result, complaints } = await visit(url, look, async (page) => {
          await waitForTitle(page, 'Stop the weekly mail')
          const before = {
            faults: await findFaults(page),
            width: await scrollWidth(page),
            bodies: bodies.length,
          }
          await page.getByRole('button', { name: 'Stop the mail' }).click()
          await waitForTitle(page, 'This link no longer works')
          await page.route('**/unsubscribe', async (route) => {
            if (route.request().method() !== 'POST') return route.fallback()
            bodies.push(route.request().postDataJSON())
            const status = bodies.length === 1 ? 'unsubscribed' : 'subscribed'
            return route.fulfill({ json: { status } })
          })
          await page.goto(`${service.address}/unsubscribe?token=good`)
          await page.getByRole('button', { name: 'Stop the mail' }).click()
          await waitForTitle(page, 'You get no weekly mail any more')
          await page.getByRole('button', { name: 'Send it to me again' }).click()
          await waitForTitle(page, 'The weekly mail comes again')
          return { before, faults: await findFaults(page) }
        })
        expect(result).toEqual({ before: { faults: [], width: look.width, bodies: 0 }, faults: [] })
        expect(bodies).toEqual([
          { token: 'good', wants_mail: false },
          { token: 'good', wants_mail: true },
        ])
        expect(own(complaints)).toEqual([])
      },
      60_000,
    )
  })
}
