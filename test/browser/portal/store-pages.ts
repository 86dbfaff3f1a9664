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
export async function invite(owner: Person, role: string): Promise<Person> {
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

    test('a key is made, its calls are seen, it is changed by two people, and it is revoked', async () => {
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
        await page.getByRole('button', { name: 'Change name and rights' }).click()
        const form = page.locator('.asked')
        await form.getByLabel('Name').fill('Nightly sync')
        const { api_keys } = await call(owner, 'GET', '/v1/security/api-keys')
        const [made] = api_keys as { id: string }[]
        const path = `/v1/security/api-keys/${made?.id}`
        await call(owner, 'PATCH', path, { scopes: { products: 'read' } })
        await form.getByRole('button', { name: 'Save', exact: true }).click()
        await form.getByRole('button', { name: 'Show what changed' }).click()
        const changed = await form.locator('dd').textContent()
        const faults = await findFaults(page)
        await form.getByRole('button', { name: 'Save mine anyway' }).click()
        await page.getByRole('button', { name: 'Open Nightly sync' }).click()
        const { scopes } = await call(owner, 'GET', path)
        await page.getByRole('button', { name: 'Revoke the key' }).click()
        await page.locator('.asked').getByRole('button', { name: 'Revoke the key' }).click()
        await page.getByRole('button', { name: 'Open Nightly sync' }).waitFor({ state: 'detached' })
        const after = (await use()).status
        await page.getByLabel('Address or block').fill('203.0.113.7')
        await page.getByRole('button', { name: 'Add the address' }).click()
        await page.getByText('That would lock you out').waitFor()
        return { before, after, changed, faults, scopes }
      })
      expect(result).toEqual({
        ...{ before: 200, after: 401, faults: [], scopes: { products: ['read'] } },
        changed: 'Read products, Search → Read products',
      })
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

    test('a receiver that failed gets the message again, a new secret signs the next one, and the checker agrees', async () => {
      const owner = await createOwner()
      const got: { headers: string; body: string }[] = []
      let status = 500
      const receiver = Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        async fetch(request) {
          const headers = [...request.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
          got.push({ headers, body: await request.text() })
          return new Response('', { status })
        },
      })
      try {
        const { result } = await visitPortal(owner, '/webhooks', DESKTOP, async (page) => {
          await page.getByRole('button', { name: 'New endpoint' }).click()
          await page.getByLabel('Address', { exact: true }).fill('http://10.1.2.3/hook')
          await page.getByRole('button', { name: 'Create the endpoint' }).click()
          const cure = await page.locator('.asked .copied code').textContent()
          await page.getByLabel('Address', { exact: true }).fill(`http://127.0.0.1:${receiver.port}/hook`)
          await page.getByRole('button', { name: 'Create the endpoint' }).click()
          const takeSecret = async () => {
            const dialog = page.getByRole('dialog', { name: 'The signing secret' })
            const secret = await dialog.locator('.copied code').first().textContent()
            await dialog.getByRole('button', { name: 'I have kept it' }).click()
            return String(secret)
          }
          const old = await takeSecret()
          const drawer = page.getByRole('dialog', { name: /^Deliveries to/ })
          const lookUntil = async (text: string) => {
            while (!(await drawer.getByText(text).first().isVisible())) {
              await drawer.getByRole('button', { name: 'Look again' }).click()
              await page.waitForTimeout(50)
            }
          }
          await page.getByRole('button', { name: 'Deliveries', exact: true }).click()
          await drawer.getByRole('button', { name: 'Send a test' }).click()
          await lookUntil('answered 500')
          status = 204
          await drawer.getByRole('button', { name: 'Resend' }).click()
          await lookUntil('answered 204')
          const faults = await findFaults(page)
          await drawer.getByRole('button', { name: 'Close' }).click()

          await page.getByRole('table').getByRole('button', { name: 'New secret' }).click()
          await page.getByLabel('The old secret ends').selectOption('0')
          await page.locator('.asked').getByRole('button', { name: 'New secret' }).click()
          const secret = await takeSecret()
          await page.getByRole('button', { name: 'Deliveries', exact: true }).click()
          await drawer.getByRole('button', { name: 'Send a test' }).click()
          await lookUntil('answered 204')
          await drawer.getByRole('button', { name: 'Close' }).click()

          const { headers = '', body = '' } = got.at(-1) ?? {}
          await page.getByLabel('Headers').fill(headers)
          const verdicts: (string | null)[] = []
          for (const [text, by] of [
            [body, secret],
            [body, old],
            [`${body}\n`, secret],
            [body.replace('product', 'Product'), secret],
          ] as const) {
            await page.getByLabel('Body').fill(text)
            await page.getByLabel('Signing secret').fill(by)
            await page.getByRole('button', { name: 'Check the signature' }).click()
            await page.locator('.genuine:not(:empty)').waitFor()
            verdicts.push(await page.locator('.genuine').getAttribute('data-valid'))
          }
          await page.getByRole('button', { name: 'New secret' }).last().click()
          await page.locator('.asked').getByRole('button', { name: 'New secret' }).click()
          const forCallbacks = await takeSecret()
          await page.getByText(`The present secret ends in …${forCallbacks.slice(-4)}`).waitFor()
          return { cure, faults, verdicts }
        })
        expect(result).toEqual({
          cure: 'WEBHOOK_ALLOW_CIDRS=10.0.0.0/8',
          faults: [],
          verdicts: ['true', 'false', 'false', 'false'],
        })
        expect(got).toHaveLength(3)
        // The same message came twice, byte by byte.
        expect(got[1]?.body).toBe(String(got[0]?.body))
      } finally {
        await receiver.stop(true)
      }
    }, 60_000)

    test('another role, groups of one’s own, and the end of the store', async () => {
      const owner = await createOwner()
      const viewer = await invite(owner, 'viewer')
      const rights = async () => {
        const { permissions } = await call(viewer, 'GET', '/v1/me')
        return ['products:write', 'search:read', 'search:execute'].map((one) =>
          (permissions as string[]).includes(one),
        )
      }
      const { result } = await visitPortal(owner, '/team', DESKTOP, async (page) => {
        const dialog = page.getByRole('dialog', { name: 'Change what Vera viewer may do' })
        const change = async (choose: () => Promise<void>) => {
          await page.getByRole('button', { name: 'Change what Vera viewer may do' }).click()
          await choose()
          await dialog.getByRole('button', { name: 'Save what this person may do' }).click()
          await dialog.waitFor({ state: 'detached' })
          return rights()
        }
        const before = await rights()
        const asDeveloper = await change(() => dialog.getByRole('radio', { name: /^Developer/ }).check())
        await page.getByText('Own groups', { exact: true }).first().click()
        await page.getByLabel('Name of a new group').fill('<b>Photos</b>')
        await page.getByRole('button', { name: 'Make the group' }).click()
        await page.getByLabel('<b>Photos</b>: change products').check()
        // The second box is ticked while the first is on its way or just saved, and keeps it.
        await page.getByLabel('<b>Photos</b>: see numbers').check()
        await page.getByLabel('<b>Photos</b>: see numbers').and(page.locator(':enabled')).waitFor()
        const inGroup = await change(() => dialog.getByLabel('<b>Photos</b>').check())
        const faults = await findFaults(page)
        // A group is deleted once nobody is in it.
        await page.getByText('Its members must leave it first.').waitFor()
        await change(() => dialog.getByLabel('<b>Photos</b>').uncheck())
        await page.getByRole('button', { name: 'Delete the group <b>Photos</b>' }).click()
        await page.locator('.asked').getByRole('button', { name: 'Delete', exact: true }).click()
        await page.locator('.asked').waitFor({ state: 'detached' })

        await open(page, owner, 'settings')
        await page.getByRole('button', { name: 'Delete this store' }).click()
        const now = page.locator('.asked').getByRole('button', { name: 'Delete the store' })
        const isBlocked = await now.isDisabled()
        await page.getByLabel(`Type “${owner.slug}” to confirm`).fill(owner.slug)
        await page.getByLabel('Your password').fill('not my password')
        await now.click()
        const wrong = await page.locator('.asked [role=alert]').textContent()
        await page.getByLabel('Your password').fill(PASSWORD)
        await now.click()
        await page.getByRole('heading', { name: 'The store is switched off' }).waitFor()
        const ended = await findFaults(page)
        await page.getByRole('link', { name: 'Choose another store' }).click()
        await page.waitForURL('**/portal/select-store')
        return { before, asDeveloper, inGroup, faults, isBlocked, wrong, ended }
      })
      expect(result).toEqual({
        ...{ before: [false, true, true], asDeveloper: [true, true, true], inGroup: [true, true, false] },
        ...{ isBlocked: true, faults: [], ended: [] },
        wrong: 'The password or the code is wrong.',
      })
      await expect(call(owner, 'GET', '/v1/products')).rejects.toThrow('store_suspended')
    }, 60_000)
  })
}
