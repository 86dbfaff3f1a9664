import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { visit } from './chromium.ts'
import { findFaults, own, PASSWORD, readStorage, scrollWidth } from './portal/looks.ts'
import { openService } from './service.ts'

const LOOK = { width: 360, colorScheme: 'dark', locale: 'en-GB' } as const
const service = openService()

const headingOf = (page: Page) => page.getByRole('heading', { level: 1 }).textContent()

const openLink = async () => (await service.run('setup-link')).trim()

test('a link without a code, or with a wrong one, says how to get another and leads on', async () => {
  const { result } = await visit(`${service.address}/setup`, LOOK, async (page) => {
    await page.getByRole('heading', { name: 'This link is incomplete' }).waitFor()
    const incomplete = await findFaults(page)
    // Another link in the same tab.
    await page.goto(`${service.address}/setup#3f7k-q2mx-9tbw-x4hd`)
    await page.getByRole('heading', { name: 'This link does not work any more' }).waitFor()
    const told = await page.getByRole('main').textContent()
    await page.goto(await openLink())
    await page.getByRole('heading', { name: 'Who are you?' }).waitFor()
    return { incomplete, told }
  })
  expect(result.incomplete).toEqual([])
  expect(result.told).toContain('This link was used or is older than 30 minutes.')
  expect(result.told).toContain('lookalike setup-link')
}, 60_000)

test('on a phone, the link leads from an account to a picture search that finds drawn products, and to the shop', async () => {
  const link = await openLink()
  expect(link).toStartWith(`${service.address}/setup#`)
  const { result, complaints, strangers } = await visit(link, LOOK, async (page) => {
    page.setDefaultTimeout(15_000)
    await page.getByLabel('E-mail address').fill('me@shop.test')
    const password = page.getByLabel('Password', { exact: true })
    await password.fill('me@shop.test')
    const personal = await page.getByText('It must not be the e-mail address').count()
    await password.fill('password123')
    await page.getByLabel('Name of your store').fill('Tée & Töpfe')
    const address = page.getByText(`${service.address}/tee-topfe/portal`)
    await address.waitFor()
    const account = [await findFaults(page), await scrollWidth(page)]
    await page.getByRole('button', { name: 'Make my store' }).click()
    const refused = await page.getByRole('alert').textContent()
    await password.fill(PASSWORD)
    await page.getByRole('button', { name: 'Make my store' }).click()

    await page.getByRole('heading', { name: 'What should be found?' }).waitFor()
    await page.getByText('Show the first call').click()
    const secret = await page.locator('.card .copied code').first().textContent()
    const what = [await findFaults(page), await scrollWidth(page)]
    await page.getByRole('button', { name: 'Load the drawn products' }).click()

    await page.getByRole('heading', { name: 'Look for something' }).waitFor()
    const first = page.locator('.looking .tile').first()
    await first.waitFor()
    const box = await first.boundingBox()
    const look = [await findFaults(page), await scrollWidth(page)]
    const names = await page.locator('.looking .tile .name').allTextContents()
    // The store knows where somebody is: the secret is gone with the page, the step is not.
    await page.reload()
    await page.locator('.looking .tile').first().waitFor()
    await page.getByRole('button', { name: 'Put it into your shop' }).click()

    await page.getByLabel('Address of your shop').fill('www.shop.example')
    await page.getByRole('button', { name: 'Save the shop' }).click()
    await page.getByText('Saved.').waitFor()
    const shop = [await findFaults(page), await scrollWidth(page)]
    const seen = {
      widget: await page.getByRole('link', { name: 'Get the line for my shop' }).getAttribute('href'),
      address: await page.getByLabel('Address of your shop').inputValue(),
      currency: await page.getByLabel('Currency').inputValue(),
      storage: await readStorage(page),
      url: page.url(),
    }
    await page.getByRole('link', { name: 'To the overview' }).click()
    await page.locator('.checklist').waitFor()
    const done = await page.locator('.checklist [data-done="true"]').allTextContents()
    return { personal, refused, secret, account, what, look, shop, seen, names, firstEnds: box, done }
  })
  expect(result).toMatchObject({
    personal: 1,
    refused: 'This is one of the most used passwords. Choose another.',
    account: [[], 360],
    what: [[], 360],
    look: [[], 360],
    shop: [[], 360],
    seen: {
      widget: '/tee-topfe/portal/widget',
      address: 'https://www.shop.example',
      currency: 'GBP',
      storage: ['', 0, 0],
    },
    done: ['Add products', 'Make a first search', 'Say where your shop is'],
  })
  expect(result.secret).toMatch(/^export CLIENT_ID=[\w-]{36}\nexport CLIENT_SECRET=[\w-]{43}$/)
  expect(result.seen.url).not.toContain(link.split('#')[1] ?? '')
  // The sample shows a green mug: mugs come first, and the first one is on the first screen.
  expect(result.names[0]).toContain('mug')
  expect((result.firstEnds?.y ?? 900) + (result.firstEnds?.height ?? 0)).toBeLessThan(900)
  expect([own(complaints), strangers]).toEqual([[], []])

  const again = await visit(link, LOOK, async (page) => {
    await page.getByRole('heading', { name: 'This installation has an owner already' }).waitFor()
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.goto(service.address)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    return page.url()
  })
  expect(again.result).toBe(`${service.address}/login`)
}, 90_000)

test('one click removes the drawn products, and the first step comes back', async () => {
  const { result } = await visit(
    `${service.address}/login#/tee-topfe/portal/start?step=2`,
    LOOK,
    async (page) => {
      await page.getByLabel('E-mail address').fill('me@shop.test')
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('button', { name: 'Remove the 40 drawn products' }).click()
      await page.getByRole('button', { name: 'Load the drawn products' }).waitFor()
      await page.goto(`${service.address}/tee-topfe/portal/start`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      return headingOf(page)
    },
  )
  expect(result).toBe('What should be found?')
}, 60_000)
