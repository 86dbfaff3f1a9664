import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { serveShop } from '../../../src/commands/demo/serve-shop.ts'
import { visit } from '../chromium.ts'
import {
  call,
  createOwner,
  DESKTOP,
  findFaults,
  own,
  type Person,
  PHONE,
  scrollWidth,
  service,
  visitPortal,
} from './world.ts'

const step = (page: Page, name: string) =>
  page.locator('.step').filter({ has: page.getByRole('heading', { name }) })

/** Makes somebody of another role in the store of an owner. */
async function invite(owner: Person, role: 'developer' | 'viewer'): Promise<Person> {
  const other = await createOwner()
  const invited = await call(owner, 'POST', '/v1/team/invite', { email: other.email, role })
  const token = new URLSearchParams(new URL(String(invited['accept_url'])).hash.slice(1)).get('token')
  await call(other, 'POST', '/v1/team/invites/accept', { token })
  return { ...other, slug: owner.slug }
}

export function widgetTests(): void {
  describe('the widget page', () => {
    let key = ''
    let shop: ReturnType<typeof serveShop>
    beforeAll(() => {
      shop = serveShop({ service: service.address, key: () => key, port: 0 })
    })
    afterAll(() => shop.stop())

    test('leads from the shop system to a shop where people search, step by step', async () => {
      const anna = await createOwner('demo')
      const { result, complaints, strangers } = await visitPortal(anna, '/widget', DESKTOP, async (page) => {
        // 1: the system, kept by the store.
        await page.getByText('OpenCart', { exact: true }).click()
        await page.getByText('catalog/view/template/common/footer.twig').waitFor()
        // 2: the address, and the key that works there.
        const address = page.getByLabel('Address of your shop')
        await address.fill('no address')
        await page.getByRole('button', { name: 'Make the key' }).click()
        const refusal = await page.locator('.step .wrong').textContent()
        await address.fill('shop.example')
        const ticked = await page.getByRole('checkbox', { checked: true }).count()
        await address.fill(shop.origin)
        await page.getByRole('button', { name: 'Make the key' }).click()
        key = (await page.locator('.copied code').textContent()) ?? ''
        // 3: the addresses of three products, tried in the shop.
        const products = step(page, 'Where do your products open?')
        const template = products.getByLabel('Address of a product')
        const usual = await template.inputValue()
        await template.fill('/nowhere/{product_id}')
        await products.getByRole('button', { name: 'Try it' }).click()
        await products.locator('.verdicts li[data-good=false]').nth(2).waitFor()
        await template.fill('/p/{product_id}')
        await products.getByRole('button', { name: 'Try it' }).click()
        await products.locator('.verdicts li[data-good=true]').nth(2).waitFor()
        const opens = await products.locator('.verdicts li').first().textContent()
        await products.getByRole('button', { name: 'Save this address' }).click()
        await products.getByText('Saved').waitFor()
        // 4 and 5: the look, and the store's products in the frame, where a search finds some.
        await page.getByLabel('Language').selectOption('de')
        await page.getByLabel('Colour of the buttons').fill('#ffcc00')
        const frame = page.frameLocator('iframe')
        await frame.locator('#products li').first().waitFor()
        await frame.getByRole('button', { name: 'Mit Bild suchen' }).first().click()
        await frame.getByRole('dialog').getByRole('searchbox').fill('mug')
        await frame.getByRole('dialog').getByRole('searchbox').press('Enter')
        await frame.locator('[part=card]').first().waitFor()
        const accent = await frame.locator('html').getAttribute('style')
        // On a desktop's page of 1280 px, made as small as there is room.
        await page.getByRole('button', { name: 'Desktop', exact: true }).click()
        const wide = frame.locator('html')
        while ((await wide.evaluate((html) => html.clientWidth)) !== 1280) await page.waitForTimeout(20)
        await frame.locator('[part=card]').first().waitFor()
        const room = await page.evaluate<boolean>(
          `document.querySelector('iframe').getBoundingClientRect().right <= document.querySelector('.device').getBoundingClientRect().right + 1`,
        )
        // 6: the line.
        const lines = await page.locator('.snippet').allTextContents()
        const mail = await page.getByRole('link', { name: 'Send to my developer' }).getAttribute('href')
        const faults = await findFaults(page)
        // 7: a shop that has it, and what arrives from there.
        await page.getByRole('button', { name: 'Watch' }).click()
        await page.getByText('Not seen on').waitFor()
        await visit(shop.origin, DESKTOP, async (visitor) => {
          await visitor.getByRole('button', { name: 'Search by picture' }).click()
          await visitor.getByRole('dialog').getByRole('searchbox').fill('red mug')
          await visitor.keyboard.press('Enter')
          await visitor.locator('[part=card]').first().waitFor()
        })
        await page.locator('.events').getByText('red mug').waitFor()
        await page.locator('.sightings strong').waitFor()
        const seen = await page.locator('.sightings strong').textContent()
        await page.getByRole('button', { name: 'Stop' }).click()
        await page.getByRole('button', { name: 'Check my shop' }).click()
        await page.locator('.look-at-shop .verdicts li').nth(3).waitFor()
        const checked = await page.locator('.look-at-shop .verdicts li').allTextContents()
        return { refusal, ticked, usual, opens, accent, room, lines, mail, faults, seen, checked }
      })
      expect(result).toMatchObject({
        refusal: 'This is no address of a website. It looks like www.shop.example.',
        ticked: 2,
        usual: '/index.php?route=product/product&product_id={product_id}',
        opens: expect.stringMatching(/^✓opens \/p\/demo-/),
        accent: '--service-accent: #ffcc00; --service-accent-text: #000000;',
        room: true,
        faults: [],
        seen: `Seen on ${new URL(shop.origin).host} now`,
      })
      expect(result.lines.slice(0, 3)).toEqual([
        `<script src="${service.address}/widget.js" data-key="${key}" data-lang="de" async></script>`,
        ':root { --service-accent: #ffcc00; --service-accent-text: #000000 }',
        `script-src ${service.address}; connect-src ${service.address}; img-src ${service.address}`,
      ])
      expect(decodeURIComponent(result.mail ?? '')).toContain(result.lines[0] ?? '-')
      expect(result.checked.map((text) => text[0])).toEqual(['✓', '✓', '✓', '✓'])
      expect(own(complaints)).toEqual([])
      expect(strangers).toEqual([])
      const { shop_system, product_url_template, shop_url } = await call(anna, 'GET', '/v1/store/settings')
      expect({ shop_system, product_url_template, shop_url }).toEqual({
        shop_system: 'opencart',
        product_url_template: '/p/{product_id}',
        shop_url: shop.origin,
      })
      // What the merchant tried in the preview is no number of the shop.
      expect(await call(anna, 'GET', '/v1/search/analytics')).toMatchObject({ searches: { total: 1 } })
    }, 60_000)

    test('on a phone: a key of several is chosen and revoked, and an idle page asks for nothing', async () => {
      const anna = await createOwner()
      for (const name of ['One', '<b>Two</b>'])
        await call(anna, 'POST', '/v1/security/public-keys', { name, origins: ['https://shop.example'] })
      const { result, complaints } = await visitPortal(anna, '/widget', PHONE, async (page) => {
        await page
          .getByLabel('Key', { exact: true })
          .selectOption({ label: '<b>Two</b> · https://shop.example' })
        await page.frameLocator('iframe').getByText('The store has no products yet').waitFor()
        const seen = { faults: await findFaults(page), width: await scrollWidth(page) }
        await page.clock.install()
        const asked: string[] = []
        page.on('request', (request) => asked.push(request.url()))
        await page.clock.fastForward(3_600_000)
        const idle = [...asked]
        await page.getByRole('button', { name: 'Revoke this key' }).click()
        const question = await page.getByRole('dialog').textContent()
        // The service is away for a moment; the question stays, and the second try ends the key.
        await page.route('**/v1/**', (route) => route.abort())
        await page.getByRole('dialog').getByRole('button', { name: 'Revoke this key' }).click()
        const banner = await page.locator('.banner').textContent()
        await page.getByRole('dialog').locator('.failure').waitFor()
        await page.unroute('**/v1/**')
        await page.getByRole('dialog').getByRole('button', { name: 'Revoke this key' }).click()
        await page.getByRole('dialog').waitFor({ state: 'detached' })
        return { ...seen, idle, question, banner }
      })
      expect(result).toMatchObject({ faults: [], width: 360, idle: [] })
      expect(result.question).toStartWith('Revoke the key “<b>Two</b>”?No shop has used this key yet.')
      expect(result.banner).toBe('The service does not answer. What you typed stays here.')
      expect(own(complaints).filter((text) => !text.includes('ERR_FAILED'))).toEqual([])
      expect(await call(anna, 'GET', '/v1/security/public-keys')).toMatchObject({ count: 1 })
    }, 60_000)

    test('a developer sees why the facts of the store are locked, a viewer why there is nothing', async () => {
      const anna = await createOwner()
      const [developer, viewer] = [await invite(anna, 'developer'), await invite(anna, 'viewer')]
      const locked = await visitPortal(developer, '/widget', DESKTOP, async (page) => {
        await page.getByText('Only owners and admins may change this.').nth(1).waitFor()
        return page.getByRole('radio').first().isDisabled()
      })
      const empty = await visitPortal(viewer, '/widget', DESKTOP, async (page) => {
        await page.getByText('Your role may not see the keys').waitFor()
        return page.locator('.step').count()
      })
      expect([locked.result, empty.result]).toEqual([true, 0])
    }, 60_000)
  })
}
