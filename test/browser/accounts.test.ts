import { beforeEach, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { LOOKS, visit as visitWith } from './chromium.ts'
import { BEHIND_PROXY, clientAddress, openService } from './service.ts'

const service = openService(BEHIND_PROXY)
/** Number of the test: each has a person, a store and a client address of its own. */
let n = 0
let email = ''

beforeEach(() => {
  n++
  email = `anna-${n}@shop.test`
})

const visit: typeof visitWith = (url, look, act) =>
  visitWith(url, { ...look, headers: clientAddress(n) }, act)

const post = (path: string, body: object) =>
  fetch(service.address + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...clientAddress(n) },
    body: JSON.stringify(body),
  })

/** The links in the newest mail to the test's person about something. */
async function linksTo(subject: string): Promise<[string, string]> {
  const mails = JSON.parse(await service.run('outbox', '--json')) as {
    recipient: string
    subject: string
    text: string
  }[]
  const mail = mails.findLast((one) => one.recipient === email && one.subject === subject)
  const [first = 'no link was mailed', second = 'no second link was mailed'] =
    mail?.text.match(/^http\S+$/gm) ?? []
  return [first, second]
}

/** Asks for an account for the test's person. @returns the links that activate and refuse it. */
async function registered(): Promise<[string, string]> {
  const body = { client_name: `Shop ${n}`, email, password: PASSWORD }
  expect((await post('/register', body)).status).toBe(202)
  return linksTo('Confirm your e-mail address')
}

const login = async (password: string) => (await post('/oauth/login', { email, password })).status

const PASSWORD = 'a long password'
const NEW = 'a brand new password'
const LOOK = { width: 1280, colorScheme: 'light' } as const
const fieldOf = (page: Page) => page.getByLabel('Password chosen at registration')
const headingOf = (page: Page) => page.getByRole('heading', { level: 1 })
const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent.trim()')
const scrollWidth = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth')

/** Chromium reports refusals itself, and would like a field for the address, which these pages do not know. */
const own = (complaints: string[]) =>
  complaints.filter((text) => !/status of (422|401)|^\[DOM\] Password forms should have/.test(text))

/** Whether a colour like `rgb(179, 38, 30)` is a red. */
function isRed(colour: string): boolean {
  const [red = 0, green = 0, blue = 0] = (colour.match(/\d+/g) ?? []).map(Number)
  return red > 1.4 * green && red > 1.4 * blue
}

describe.each(LOOKS)('at %d px, %s', (width, colorScheme) => {
  const look = { width, colorScheme }

  test('a person opens the link, types the password chosen at registration, and signs in', async () => {
    const [link] = await registered()
    expect(await login(PASSWORD)).toBe(403)
    const visited = await visit(link, look, async (page) => {
      const form = { heading: await headingOf(page).textContent(), width: await scrollWidth(page) }
      // By keyboard alone: the focus is in the field.
      await page.keyboard.type('a wrong password')
      await page.keyboard.press('Enter')
      const problem = page.getByRole('alert')
      await problem.waitFor()
      const refused = {
        text: await problem.textContent(),
        focused: await focused(page),
        isRed: isRed(
          await page.evaluate<string>('getComputedStyle(document.getElementById("problem")).color'),
        ),
        width: await scrollWidth(page),
      }
      const field = fieldOf(page)
      await field.fill(PASSWORD)
      await page.getByLabel('Show the password').check()
      const shown = await field.getAttribute('type')
      await page.getByRole('button', { name: 'Open the account' }).press('Enter')
      await page.getByRole('heading', { name: 'Your account is open' }).waitFor()
      const done = {
        focused: await focused(page),
        title: await page.title(),
        width: await scrollWidth(page),
        slug: await page.locator('[data-outcome="verified"] code').first().textContent(),
        hidden: await field.getAttribute('type'),
        url: page.url(),
      }
      return { form, refused, shown, done }
    })
    expect(visited.result).toEqual({
      form: { heading: 'Confirm your e-mail address', width },
      refused: {
        text: expect.stringContaining('register again'),
        focused: expect.stringContaining('register again'),
        isRed: true,
        width,
      },
      shown: 'text',
      done: {
        focused: 'Your account is open',
        title: 'Your account is open · Lookalike',
        width,
        slug: `shop-${n}`,
        hidden: 'password',
        url: `${service.address}/verify`,
      },
    })
    expect(visited.strangers).toEqual([])
    expect(own(visited.complaints)).toEqual([])
    expect(await login(PASSWORD)).toBe(200)
  }, 60_000)

  test('a person who never registered deletes the requests with their address', async () => {
    const [link, notMe] = await registered()
    const visited = await visit(notMe, look, async (page) => {
      const heading = await headingOf(page).textContent()
      const widths = [await scrollWidth(page)]
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'The registrations are deleted' }).waitFor()
      widths.push(await scrollWidth(page))
      return { heading, widths, focused: await focused(page) }
    })
    expect(visited).toEqual({
      result: {
        heading: 'Was this not you?',
        widths: [width, width],
        focused: 'The registrations are deleted',
      },
      complaints: [],
      strangers: [],
    })
    const token = new URL(link).hash.replace('#token=', '')
    expect((await post('/verify', { token, password: PASSWORD })).status).toBe(401)
    expect(await login(PASSWORD)).toBe(401)
  }, 60_000)

  test('a person chooses a new password by the link of a mail', async () => {
    const [link] = await registered()
    const token = new URL(link).hash.replace('#token=', '')
    expect((await post('/verify', { token, password: PASSWORD })).status).toBe(200)
    expect((await post('/oauth/password/forgot', { email })).status).toBe(202)
    const [reset] = await linksTo('Choose a new password')
    const visited = await visit(reset, look, async (page) => {
      const field = page.getByLabel('New password')
      await field.fill('password123')
      await page.getByRole('button', { name: 'Set the password' }).click()
      await page.getByRole('alert').waitFor()
      const problem = await page.getByRole('alert').textContent()
      const widths = [await scrollWidth(page)]
      await field.fill(NEW)
      await field.press('Enter')
      await page.getByRole('heading', { name: 'Your new password is set' }).waitFor()
      widths.push(await scrollWidth(page))
      // A link of an older mail has the token in its query; it does not stay there.
      await page.goto(`${service.address}/oauth/password/reset?token=x`)
      const url = page.url()
      await field.fill(NEW)
      await field.press('Enter')
      await page.getByRole('heading', { name: 'This link does not work' }).waitFor()
      return { problem, widths, url }
    })
    expect(visited.result).toEqual({
      problem: 'Password is one of the most used passwords; choose another.',
      widths: [width, width],
      url: `${service.address}/oauth/password/reset#token=x`,
    })
    expect(visited.strangers).toEqual([])
    expect(own(visited.complaints)).toEqual([])
    expect([await login(PASSWORD), await login(NEW)]).toEqual([401, 200])
  }, 60_000)
})

describe('the page of a link', () => {
  test('sends the token nowhere but in the body of its own request', async () => {
    const [link] = await registered()
    const token = new URL(link).hash.replace('#token=', '')
    const sent: string[] = []
    await visit(link, LOOK, async (page) => {
      page.on('request', (request) => sent.push(`${request.url()} ${JSON.stringify(request.headers())}`))
      await page.reload()
      await fieldOf(page).fill(PASSWORD)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Your account is open' }).waitFor()
      await page.getByRole('link', { name: 'Sign in' }).click()
      await page.waitForURL('**/login')
    })
    expect(sent.length).toBeGreaterThan(4)
    for (const request of sent) {
      expect(request).not.toContain(token)
      expect(request).not.toMatch(/"referer":"[^"]/)
    }
  }, 60_000)

  test('forgets the token once it has worked: neither loading again nor going back brings the form', async () => {
    const [link] = await registered()
    const { result } = await visit(link, LOOK, async (page) => {
      await fieldOf(page).fill(PASSWORD)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Your account is open' }).waitFor()
      await page.goto(`${service.address}/docs`)
      await page.goBack()
      const back = [page.url(), await fieldOf(page).isVisible()]
      await page.reload()
      return { back, again: await headingOf(page).textContent() }
    })
    expect(result).toEqual({
      back: [`${service.address}/verify`, false],
      again: 'This link is incomplete',
    })
  }, 60_000)

  test('says that a link was already used, and takes another link in the same tab', async () => {
    const [link] = await registered()
    const { result } = await visit(`${service.address}/verify#token=x`, LOOK, async (page) => {
      const confirm = async () => {
        await fieldOf(page).fill(PASSWORD)
        await page.keyboard.press('Enter')
      }
      await confirm()
      await page.getByRole('alert').waitFor()
      const token = new URL(link).hash.replace('#token=', '')
      expect((await fetch(`${service.address}/verify?token=${token}`)).status).toBe(200)
      await page.goto(link)
      await page.getByRole('alert').waitFor({ state: 'hidden' })
      await confirm()
      await page.getByRole('heading', { name: 'Your address is already confirmed' }).waitFor()
      return page.locator('[data-outcome="already_verified"] code').first().textContent()
    })
    expect(result).toBe(`shop-${n}`)
  }, 60_000)

  test('sends once while it waits, and says when nobody answers', async () => {
    const [link] = await registered()
    const { result } = await visit(link, LOOK, async (page) => {
      let requests = 0
      const { promise: held, resolve: release } = Promise.withResolvers<void>()
      await page.route('**/verify', async (route) => {
        if (route.request().method() !== 'POST') return route.continue()
        requests += 1
        await held
        await route.abort('connectionrefused')
      })
      const button = page.locator('#send')
      await fieldOf(page).fill(PASSWORD)
      await page.keyboard.press('Enter')
      await page.getByText('Opening the account …').waitFor()
      const isDisabled = await button.isDisabled()
      await page.keyboard.press('Enter')
      release()
      await page.getByRole('alert').waitFor()
      const problem = await page.getByRole('alert').textContent()
      return { requests, isDisabled, problem, button: await button.textContent() }
    })
    expect(result).toEqual({
      requests: 1,
      isDisabled: true,
      problem: 'The service did not answer. Check your connection, then try again.',
      button: 'Open the account',
    })
  }, 60_000)

  test('says how long to wait after too many tries', async () => {
    for (let tries = 0; tries < 10; tries++) await post('/verify', { token: 'x', password: 'x' })
    const { result } = await visit(`${service.address}/verify#token=x`, LOOK, async (page) => {
      await fieldOf(page).fill(PASSWORD)
      await page.keyboard.press('Enter')
      await page.getByRole('alert').waitFor()
      return page.getByRole('alert').textContent()
    })
    expect(result).toMatch(/^Too many attempts\. Wait \d+ seconds?, then try again\.$/)
  }, 60_000)

  test('without JavaScript asks for it and shows no form', async () => {
    const look = { ...LOOK, javaScriptEnabled: false }
    const { result } = await visit(`${service.address}/verify#token=x`, look, async (page) => [
      await page.locator('noscript .problem').isVisible(),
      await page.locator('form').isVisible(),
    ])
    expect(result).toEqual([true, false])
  }, 60_000)

  test('cannot be framed by another page', async () => {
    const { result } = await visit(`${service.address}/docs`, LOOK, async (page) => {
      await page.setContent(`<iframe src="${service.address}/verify#token=x"></iframe>`)
      // Chromium's own page about what it refused to load.
      await page.frameLocator('iframe').locator('body.neterror').waitFor({ state: 'attached' })
      return page.frameLocator('iframe').getByText('Confirm your e-mail address').count()
    })
    expect(result).toBe(0)
  }, 60_000)
})
