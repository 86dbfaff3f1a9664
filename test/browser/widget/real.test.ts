import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { serveShop } from '../../../src/commands/demo/serve-shop.ts'
import { visit } from '../chromium.ts'
import { installDemo, startExecutable } from '../service.ts'
import { cardsOf, choose, dialogOf, open, opener, said } from './shop.ts'

const PASSWORD = 'a long password'
const LOOK = { width: 1280, colorScheme: 'light' } as const

let service: Awaited<ReturnType<typeof startExecutable>>
let shop: ReturnType<typeof serveShop>
/** The same pages on an origin that the key does not list. */
let stranger: ReturnType<typeof serveShop>

beforeAll(async () => {
  service = await startExecutable()
  await service.run('setup', '--email', 'root@shop.test', '--password', PASSWORD, '--store', 'My shop')
  let headers: Record<string, string> = { 'content-type': 'application/json' }
  const call = async (method: string, path: string, body: object) => {
    const answer = await fetch(service.address + path, { method, headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Record<string, unknown>
  }
  const { access_token } = await call('POST', '/oauth/login', { email: 'root@shop.test', password: PASSWORD })
  headers = { ...headers, authorization: `Bearer ${access_token}` }
  await installDemo(service.address, String(access_token))
  const keys = '/v1/security/public-keys'
  const { id, key } = await call('POST', keys, { name: 'Shop', origins: ['https://shop.example'] })
  shop = serveShop({ service: service.address, key: () => String(key), port: 0 })
  stranger = serveShop({ service: service.address, key: () => String(key), port: 0 })
  // Its origin is known when it listens.
  await call('PATCH', `${keys}/${id}`, { origins: [shop.origin] })
}, 120_000)
afterAll(async () => {
  await shop.stop()
  await stranger.stop()
  await service.stop()
}, 30_000)

describe('with the service itself', () => {
  test('a page of the key finds products by picture, and tells of the click', async () => {
    const picture = await Bun.file(
      join(import.meta.dir, '../../../src/features/catalogue/demo/pictures/mug-red.webp'),
    ).bytes()
    const { result, complaints } = await visit(shop.origin, LOOK, async (page) => {
      await open(page)
      await choose(page, picture, 'mug.webp', 'image/webp')
      await said(page, 'found')
      const first = await cardsOf(page).first().textContent()
      // The page stays, to see what the service answers.
      await page.evaluate(`ServiceWidget.on('select', (event) => event.preventDefault())`)
      const recorded = page.waitForResponse(
        (answer) => answer.url().endsWith('/feedback') && answer.request().method() === 'POST',
      )
      await cardsOf(page).first().click()
      return [first, (await recorded).status()]
    })
    expect(result).toEqual([expect.stringContaining('Ember stoneware mug'), 201])
    expect(complaints).toEqual([])
  }, 60_000)

  test('a page that the key does not list loses its button, and the console says why', async () => {
    const { result, complaints } = await visit(stranger.origin, LOOK, async (page) => {
      await open(page)
      await dialogOf(page).getByRole('searchbox').fill('mug')
      await page.keyboard.press('Enter')
      await said(page, 'Search by picture is not available here.')
      await page.keyboard.press('Escape')
      await dialogOf(page).waitFor({ state: 'hidden' })
      return opener(page).count()
    })
    expect(result).toBe(0)
    expect(complaints.filter((text) => text.startsWith('Lookalike'))).toEqual([
      expect.stringMatching(
        /The widget key does not list this origin\. Add it with .* \(origin_not_allowed, http/,
      ),
    ])
  }, 60_000)
})
