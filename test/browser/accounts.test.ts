import { afterAll, beforeAll, expect, test } from 'bun:test'
import { visit } from './chromium.ts'
import { startExecutable } from './service.ts'

let service: Awaited<ReturnType<typeof startExecutable>>

beforeAll(async () => {
  service = await startExecutable()
}, 60_000)
afterAll(() => service.stop(), 30_000)

const post = (path: string, body: object) =>
  fetch(service.address + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** The link in the newest mail to an address. */
async function linkTo(email: string): Promise<string> {
  const mails = JSON.parse(await service.run('outbox', '--json')) as { recipient: string; text: string }[]
  const text = mails.findLast(({ recipient }) => recipient === email)?.text ?? ''
  return /^http\S+$/m.exec(text)?.[0] ?? 'no link was mailed'
}

const NEW = 'a brand new password'

test.each([
  [360, 'light'],
  [360, 'dark'],
  [1280, 'light'],
  [1280, 'dark'],
] as const)(
  'at %d px, %s: a person opens the links of the mails and chooses a password',
  async (width, colorScheme) => {
    const email = `${colorScheme}-${width}@shop.test`
    const look = { width, colorScheme }
    const body = { client_name: 'My shop', email, password: 'a long password' }
    expect((await post('/register', body)).status).toBe(202)
    const activated = await visit(await linkTo(email), look, async (page) => {
      const heading = page.getByRole('heading', { level: 1 })
      const headings = [await heading.textContent()]
      await page.reload()
      headings.push(await heading.textContent())
      return { headings, scrollWidth: await page.evaluate<number>('document.documentElement.scrollWidth') }
    })
    expect(activated).toEqual({
      result: {
        headings: ['Your account is ready', 'Your address is confirmed already'],
        scrollWidth: width,
      },
      complaints: [],
      strangers: [],
    })

    expect((await post('/oauth/password/forgot', { email })).status).toBe(202)
    const chosen = await visit(await linkTo(email), look, async (page) => {
      const field = page.getByLabel('New password')
      await field.fill('password123')
      await page.getByRole('button', { name: 'Set the password' }).click()
      const problem = await page.getByRole('alert').textContent()
      const scrollWidth = await page.evaluate<number>('document.documentElement.scrollWidth')
      await field.fill(NEW)
      await field.press('Enter')
      await page.getByRole('heading', { name: 'Your new password is set' }).waitFor()
      await page.goto(`${service.address}/oauth/password/reset?token=x`)
      return { problem, scrollWidth, last: await page.getByRole('heading', { level: 1 }).textContent() }
    })
    expect(chosen.result).toEqual({
      problem: 'Password is one of the most used passwords; choose another.',
      scrollWidth: width,
      last: 'This link does not work',
    })
    expect(chosen.strangers).toEqual([])
    // Chromium reports the 422 and the 401 itself; nothing else may stand there, such as a blocked style.
    expect(chosen.complaints.filter((text) => !/status of (422|401)/.test(text))).toEqual([])
    expect((await post('/oauth/login', { email, password: NEW })).status).toBe(200)
  },
  60_000,
)
