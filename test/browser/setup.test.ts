import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { visit } from './chromium.ts'
import { openService } from './service.ts'

const LOOK = { width: 360, colorScheme: 'dark' } as const
const service = openService()

const headingOf = (page: Page) => page.getByRole('heading', { level: 1 }).textContent()

/** Asks for a token with the cookie of the browser, as a page of the portal does. */
const refresh = (page: Page) =>
  page.evaluate<number>(
    `fetch('/portal/session/refresh', { method: 'POST', headers: { 'x-requested-with': 'lookalike' } }).then(({ status }) => status)`,
  )

/** Chromium reports refusals itself, and advises a field that already is as it advises. */
const own = (complaints: string[]) =>
  complaints.filter((text) => !/status of (422|401|409)|suggested: "username"/.test(text))

async function fill(page: Page, password: string): Promise<void> {
  await page.getByLabel('E-mail address').fill('me@shop.test')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Name of your store').fill('My shop')
  await page.getByRole('button', { name: 'Make my store' }).click()
}

test('the link that the command prints makes the owner, who is signed in; then it is used up', async () => {
  const link = (await service.run('setup-link')).trim()
  expect(link).toStartWith(`${service.address}/setup#`)
  const { result, complaints, strangers } = await visit(link, LOOK, async (page) => {
    const before = await refresh(page)
    await fill(page, 'password123')
    await page.getByRole('alert').waitFor()
    const refused = await page.getByRole('alert').textContent()
    await page.getByLabel('Password', { exact: true }).fill('kettle drum violin')
    await page.getByRole('button', { name: 'Make my store' }).click()
    await page.getByRole('heading', { name: 'Your store is ready' }).waitFor()
    const shown = await page.locator('[data-outcome="done"] pre').textContent()
    return {
      ...{ before, refused, shown, after: await refresh(page), address: page.url() },
      width: await page.evaluate<number>('document.documentElement.scrollWidth'),
      readable: await page.evaluate<string>('document.cookie'),
    }
  })
  expect(result).toMatchObject({
    before: 401,
    refused: 'Password is one of the most used passwords; choose another.',
    after: 200,
    // The code has left the history.
    address: `${service.address}/setup`,
    width: 360,
    readable: '',
  })
  expect(result.shown).toMatch(/^CLIENT_ID=[\w-]{36}\nCLIENT_SECRET=[\w-]{43}$/)
  expect(strangers).toEqual([])
  expect(own(complaints)).toEqual([])

  const again = await visit(link, LOOK, async (page) => {
    await fill(page, 'kettle drum violin')
    await page.getByRole('alert').waitFor()
    return page.getByRole('alert').textContent()
  })
  expect(again.result).toContain('This installation has an owner already')
}, 60_000)

test('without a code the page says how to get one', async () => {
  const { result } = await visit(`${service.address}/setup`, LOOK, headingOf)
  expect(result).toBe('This link is incomplete')
}, 60_000)
