import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  call,
  createOwner,
  DESKTOP,
  findFaults,
  own,
  PASSWORD,
  type Person,
  PHONE,
  scrollWidth,
  service,
  visitPortal,
} from './world.ts'

/** The pages about the store itself, with the heading of each. */
const PAGES = {
  keys: 'Keys & API',
  webhooks: 'Webhooks',
  team: 'Team & security',
  plan: 'Plan & usage',
  settings: 'Settings',
} as const

/** Makes somebody join a store by the link of an invitation. */
async function invite(owner: Person, role: string): Promise<Person> {
  const email = `${role}-of-${owner.slug}@shop.test`
  const { accept_url } = await call(owner, 'POST', '/v1/team/invite', { email, role })
  const token =
    new URL(String(accept_url)).hash.slice(1) || new URL(String(accept_url)).searchParams.get('token')
  await call({ ...owner, token: '' }, 'POST', '/v1/team/invites/accept', {
    token: String(token).replace(/^token=/, ''),
    full_name: `Vera ${role}`,
    password: PASSWORD,
  })
  const { access_token } = await call({ ...owner, token: '' }, 'POST', '/oauth/login', {
    email,
    password: PASSWORD,
  })
  return { ...owner, email, token: String(access_token) }
}

const open = async (page: Page, { slug }: Person, name: keyof typeof PAGES) => {
  await page.goto(`${service.address}/${slug}/portal/${name}`)
  await page.getByRole('heading', { name: PAGES[name], level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
}

export function storePageTests(): void {
  describe('the pages about the store', () => {
    test.each([DESKTOP, PHONE])(
      'are without faults for an owner and for a viewer, and have help, at %o',
      async (look) => {
        const owner = await createOwner()
        const viewer = await invite(owner, 'viewer')
        for (const person of [owner, viewer]) {
          const { result, complaints, strangers } = await visitPortal(person, '', look, async (page) => {
            const refused: string[] = []
            page.on('response', (answer) => {
              if (answer.status() === 403) refused.push(answer.url())
            })
            const seen: unknown[] = []
            for (const name of Object.keys(PAGES) as (keyof typeof PAGES)[]) {
              await open(page, person, name)
              const faults = await findFaults(page)
              const width = await scrollWidth(page)
              await page.keyboard.press('?')
              const help = page.getByRole('dialog', { name: 'Help' })
              await help.locator('.guide h2').waitFor()
              const title = await help.locator('.guide h2').textContent()
              await page.keyboard.press('Escape')
              seen.push([name, faults, width, title?.trim().toLowerCase()])
            }
            return { seen, refused }
          })
          expect(result).toEqual({
            seen: Object.keys(PAGES).map((name) => [name, [], look.width, name]),
            refused: [],
          })
          expect([own(complaints), strangers]).toEqual([[], []])
        }
      },
      60_000,
    )

    test('a key is made, its calls are seen, and it is revoked', async () => {
      const owner = await createOwner()
      const { result } = await visitPortal(owner, '/keys', DESKTOP, async (page) => {
        await page.getByRole('button', { name: 'New API key' }).click()
        await page.getByLabel('Name').fill('Sync')
        await page.getByLabel('Read products').check()
        await page.getByRole('button', { name: 'Make the key' }).click()
        const key = String(await page.locator('.copied code').textContent())
        await page.getByRole('button', { name: 'I have kept it' }).click()
        const use = () =>
          fetch(`${service.address}/v1/products`, { headers: { 'x-api-key': key, ...owner.headers } })
        const before = (await use()).status
        await page.getByRole('button', { name: 'Open Sync' }).click()
        await page.getByText('GET /v1/products').waitFor()
        await page.getByRole('button', { name: 'Revoke the key' }).click()
        await page.locator('.asked').getByRole('button', { name: 'Revoke the key' }).click()
        await page.getByRole('button', { name: 'Open Sync' }).waitFor({ state: 'detached' })
        const after = (await use()).status
        await page.getByLabel('Address or block').fill('203.0.113.7')
        await page.getByRole('button', { name: 'Add the address' }).click()
        await page.getByText('That would lock you out').waitFor()
        return [before, after]
      })
      expect(result).toEqual([200, 401])
    }, 60_000)

    test('somebody who is removed while a page is open is told so in words', async () => {
      const owner = await createOwner()
      const admin = await invite(owner, 'developer')
      const { members } = (await call(owner, 'GET', '/v1/team/members')) as unknown as {
        members: { id: string; email: string }[]
      }
      const id = members.find(({ email }) => email === admin.email)?.id
      const { result } = await visitPortal(admin, '/keys', DESKTOP, async (page) => {
        await page.getByRole('button', { name: 'New API key' }).click()
        await page.getByLabel('Name').fill('Kept')
        await call(owner, 'DELETE', `/v1/team/members/${id}`)
        await page.getByRole('button', { name: 'Make the key' }).click()
        await page.locator('.asked .failure').waitFor()
        return page.getByLabel('Name').inputValue()
      })
      expect(result).toBe('Kept')
    }, 60_000)

    test('a plan is asked for, and the address holds the request', async () => {
      const owner = await createOwner()
      const { result } = await visitPortal(owner, '/plan', DESKTOP, async (page) => {
        await page.getByRole('button', { name: 'Ask for Premium' }).click()
        await page.locator('.asked').getByRole('button', { name: 'Ask for Premium' }).click()
        await page.locator('.request .copied').waitFor()
        await page.reload()
        return page.locator('.request strong').textContent()
      })
      expect(result).toStartWith('Asked for Premium')
    }, 60_000)

    test('the inbox and the checker agree, and a broken body is refused', async () => {
      const owner = await createOwner()
      const { result } = await visitPortal(owner, '/webhooks', DESKTOP, async (page) => {
        const verdicts: (string | null)[] = []
        const secret = 'a secret of thirty-two characters'
        const body = '{"event": "product.indexed"}'
        const hmac = new Bun.CryptoHasher('sha256', secret).update(body).digest('hex')
        await page.getByLabel('Headers').fill(`X-Webhook-Signature: sha256=${hmac}`)
        await page.getByLabel('Signing secret').fill(secret)
        for (const text of [body, `${body}\n`, body.replace('indexed', 'deleted')]) {
          await page.getByLabel('Body').fill(text)
          await page.getByRole('button', { name: 'Check the signature' }).click()
          await page.locator('.genuine:not(:empty)').waitFor()
          verdicts.push(await page.locator('.genuine').getAttribute('data-valid'))
        }
        return verdicts
      })
      expect(result).toEqual(['true', 'false', 'false'])
    }, 60_000)
  })
}
