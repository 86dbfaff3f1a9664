import { beforeEach, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { LOOKS, visit as visitWith } from './chromium.ts'
import { BEHIND_PROXY, clientAddress, openService } from './service.ts'

const PASSWORD = 'a long password'
const NEW = 'seven green bottles'
const LOOK = { width: 1280, colorScheme: 'light' } as const
const service = openService(BEHIND_PROXY)
/** Number of the test: each has people, stores and a client address of its own. */
let n = 0
let owner: string

const mailbox = (name: string) => `${name}-${n}@shop.test`
const setUp = (name: string, store: string) =>
  service.run('setup', '--email', mailbox(name), '--password', PASSWORD, '--store', `${store} ${n}`)

beforeEach(async () => {
  n++
  await setUp('root', 'My shop')
  owner = await signIn(mailbox('root'), PASSWORD)
}, 60_000)

const visit: typeof visitWith = (url, look, act) =>
  visitWith(url, { ...look, headers: clientAddress(n) }, act)

async function call(method: string, path: string, body?: object, token?: string) {
  const response = await fetch(service.address + path, {
    method,
    headers: {
      'content-type': 'application/json',
      ...clientAddress(n),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const signIn = async (email: string, password: string) =>
  String((await call('POST', '/oauth/login', { email, password })).body['access_token'])

/** Invites an address. The install has no mail server, so the answer has the link. */
async function invited(email: string, token = owner): Promise<{ id: string; url: string }> {
  const { body } = await call('POST', '/v1/team/invite', { email, role: 'developer' }, token)
  return { id: String(body['invite_id']), url: String(body['accept_url']) }
}

const tokenOf = (url: string) => new URL(url).hash.replace('#token=', '')
const headingOf = (page: Page) => page.getByRole('heading', { level: 1 })
const joinButton = (page: Page) => page.getByRole('button', { name: 'Join the store' })
const scrollWidth = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth')
const isSignedIn = (page: Page) =>
  page.evaluate<boolean>(
    `fetch('/portal/session/refresh', { method: 'POST', headers: { 'x-requested-with': 'lookalike' } }).then(({ ok }) => ok)`,
  )
const focused = (page: Page) => page.evaluate<string>('document.activeElement.id')

/** Chromium reports refusals itself, and would like a field for the address, which the page shows as text. */
const own = (complaints: string[]) =>
  complaints.filter((text) => !/status of (422|401|409|403)|^\[DOM\] Password forms should have/.test(text))

/** Opens a link that has ended, and gives what the page says. */
async function said(url: string) {
  const { result } = await visit(url, LOOK, async (page) => {
    await page.locator('section[data-outcome]:visible').waitFor()
    return { heading: await headingOf(page).textContent(), url: page.url() }
  })
  expect(result.url).toBe(`${service.address}/invite`)
  return result.heading
}

describe.each(LOOKS)('at %d px, %s', (width, colorScheme) => {
  const look = { width, colorScheme }

  test('a new person chooses name and password, joins and signs in', async () => {
    const { url } = await invited(mailbox('nora'))
    const visited = await visit(url, look, async (page) => {
      await joinButton(page).waitFor()
      const form = {
        heading: await headingOf(page).textContent(),
        text: (await page.locator('#form p').first().textContent())?.trim(),
        focused: await focused(page),
        width: await scrollWidth(page),
      }
      await page.keyboard.type('Nora New')
      await page.getByLabel('Password', { exact: true }).fill('password123')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').waitFor()
      const refused = {
        text: await page.getByRole('alert').textContent(),
        invalid: await page.locator('[aria-invalid="true"]').getAttribute('id'),
        width: await scrollWidth(page),
      }
      await page.getByLabel('Password', { exact: true }).fill(NEW)
      await page.getByLabel('Your name').fill('x\u200e\u202e')
      await joinButton(page).click()
      await page.getByText('Your name has').waitFor()
      await page.getByLabel('Your name').fill('Nora New')
      await joinButton(page).click()
      await page.getByRole('heading', { name: 'You have joined the store' }).waitFor()
      const section = page.locator('[data-outcome="accepted"]')
      const done = {
        codes: [
          await section.locator('code').nth(0).textContent(),
          await section.locator('code').nth(1).textContent(),
        ],
        url: page.url(),
        width: await scrollWidth(page),
        isSignedIn: await isSignedIn(page),
      }
      return { form, refused, done }
    })
    expect(visited.result).toEqual({
      form: {
        heading: 'You are invited to a store',
        text: `You are invited to the store My shop ${n}. You join it with the e-mail address ${mailbox('nora')}.`,
        focused: 'name',
        width,
      },
      refused: {
        text: 'Password is one of the most used passwords; choose another.',
        invalid: 'password',
        width,
      },
      done: {
        codes: [`my-shop-${n}`, 'developer'],
        url: `${service.address}/invite`,
        width,
        isSignedIn: true,
      },
    })
    expect(visited.strangers).toEqual([])
    expect(own(visited.complaints)).toEqual([])
    expect((await call('POST', '/oauth/login', { email: mailbox('nora'), password: NEW })).status).toBe(200)
  }, 60_000)

  test('a person with an account presses one button', async () => {
    await setUp('anna', 'Other')
    const { url } = await invited(mailbox('anna'))
    const visited = await visit(url, look, async (page) => {
      await joinButton(page).waitFor()
      const fields = await page.locator('#form input:visible').count()
      await joinButton(page).click()
      await page.getByRole('heading', { name: 'You have joined the store' }).waitFor()
      return { fields, width: await scrollWidth(page) }
    })
    expect(visited.result).toEqual({ fields: 0, width })
    expect(visited.strangers).toEqual([])
    expect(visited.complaints.filter((text) => !text.startsWith('[DOM]'))).toEqual([])
  }, 60_000)
})

describe('the page of an invitation', () => {
  test('says what became of the link: used, cancelled, cut or unknown', async () => {
    const used = await invited(mailbox('nora'))
    await call('POST', '/v1/team/invites/accept', {
      ...{ token: tokenOf(used.url), full_name: 'Nora', password: NEW },
    })
    expect(await said(used.url)).toBe('This invitation was already used')
    const cancelled = await invited(mailbox('bert'))
    await call('DELETE', `/v1/team/invites/${cancelled.id}`, undefined, owner)
    expect(await said(cancelled.url)).toBe('This invitation was cancelled')
    expect(await said(`${service.address}/invite`)).toBe('This link is incomplete')
    expect(await said(`${service.address}/invite#token=x`)).toBe('This link does not work')
  }, 60_000)

  test('says so when the invitation ends while the form is open', async () => {
    const { id, url } = await invited(mailbox('nora'))
    const { result } = await visit(url, LOOK, async (page) => {
      await joinButton(page).waitFor()
      await call('DELETE', `/v1/team/invites/${id}`, undefined, owner)
      await page.getByLabel('Your name').fill('Nora')
      await page.getByLabel('Password', { exact: true }).fill(NEW)
      await joinButton(page).click()
      await page.getByRole('heading', { name: 'This invitation was cancelled' }).waitFor()
      return page.url()
    })
    expect(result).toBe(`${service.address}/invite`)
  }, 60_000)

  test('asks an account that nobody has proven for a new password, and then lets it join', async () => {
    await setUp('anna', 'Other')
    const anna = await signIn(mailbox('anna'), PASSWORD)
    const user = { email: mailbox('ute'), password: PASSWORD, full_name: 'Ute' }
    expect((await call('POST', '/v1/users', user, anna)).status).toBe(201)
    const { url } = await invited(mailbox('ute'))
    const { result } = await visit(url, LOOK, async (page) => {
      await joinButton(page).click()
      await page.getByRole('heading', { name: 'Set a new password first' }).waitFor()
      return page.url()
    })
    expect(result).toBe(`${service.address}/invite`)
    const mails = JSON.parse(await service.run('outbox', '--json')) as { subject: string; text: string }[]
    const mail = mails.findLast(({ subject }) => subject === 'Choose a new password')
    const token = /#token=(\S+)/.exec(mail?.text ?? '')?.[1]
    expect((await call('POST', '/oauth/password/reset', { token, password: NEW })).status).toBe(200)
    const again = await visit(url, LOOK, async (page) => {
      await joinButton(page).click()
      await page.getByRole('heading', { name: 'You have joined the store' }).waitFor()
    })
    expect(again.strangers).toEqual([])
  }, 60_000)

  test('sends the token nowhere but in the bodies of its own two requests', async () => {
    const { url } = await invited(mailbox('nora'))
    const sent: string[] = []
    await visit(`${service.address}/docs`, LOOK, async (page) => {
      page.on('request', (request) => sent.push(`${request.url()} ${JSON.stringify(request.headers())}`))
      await page.goto(url)
      await joinButton(page).waitFor()
    })
    expect(sent.some((line) => line.includes('/v1/team/invites/look'))).toBe(true)
    for (const line of sent) expect(line).not.toContain(tokenOf(url))
  }, 60_000)

  test('offers another try when the service does not answer, and shows no form before it does', async () => {
    const { url } = await invited(mailbox('nora'))
    const { result } = await visit(`${service.address}/docs`, LOOK, async (page) => {
      let isDown = true
      await page.route('**/look', (route) => (isDown ? route.abort('connectionrefused') : route.continue()))
      await page.goto(url)
      await page.getByRole('alert').waitFor()
      const seen = {
        problem: await page.getByRole('alert').textContent(),
        fields: await page.locator('#form input:visible').count(),
        button: await page.locator('#send').textContent(),
      }
      isDown = false
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByLabel('Your name').waitFor()
      return { ...seen, later: await page.locator('#send').textContent() }
    })
    expect(result).toEqual({
      problem: 'The service did not answer. Check your connection, then try again.',
      fields: 0,
      button: 'Try again',
      later: 'Join the store',
    })
  }, 60_000)
})
