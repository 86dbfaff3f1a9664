import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { serveShop } from '../../src/commands/demo/serve-shop.ts'
import { visit } from './chromium.ts'
import { findFaults, own, PASSWORD, readStorage, scrollWidth } from './portal/looks.ts'
import { asFile, FILE, makeExport } from './portal/shop-file.ts'
import { openService } from './service.ts'

const LOOK = { width: 360, colorScheme: 'dark', locale: 'en-GB' } as const
const service = openService({ FETCH_ALLOW_CIDRS: '127.0.0.0/8' })

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

/** What stands on the screen that a merchant should never have to read. */
async function findJargon(page: Page): Promise<string[]> {
  // biome-ignore lint/performance/useDomNodeTextContent: what is folded up is not on the screen
  const text = await page.getByRole('main').innerText()
  return text.match(/\{"|[0-9a-f]{8}-[0-9a-f]{4}-|\b(role|viewer|developer|null|undefined)\b/gi) ?? []
}

/** A shop's server: its pictures, of which one is missing for now. */
function servePictures(picture: Blob) {
  const state = { hasLast: false }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) =>
      url.endsWith('/last.webp') && !state.hasLast
        ? new Response('', { status: 404 })
        : new Response(picture),
  })
  return {
    state,
    at: (name: string) => `http://127.0.0.1:${server.port}/${name}`,
    stop: () => server.stop(true),
  }
}

test('a merchant with a phone: from the link to an account, drawn products, a photo, a file of the shop, a failed picture, and the shop that opens a product', async () => {
  const link = await openLink()
  expect(link).toStartWith(`${service.address}/setup#`)
  const samples = (await (await fetch(`${service.address}/samples`)).json()) as { url: string }[]
  const [cup, bag] = await Promise.all(
    [samples[0], samples[1]].map(async (sample) =>
      (await fetch(service.address + new URL(sample?.url ?? '', service.address).pathname)).blob(),
    ),
  )
  if (!cup || !bag) throw new Error('The service has no samples')
  const photo = { name: 'cup.webp', mimeType: cup.type, buffer: Buffer.from(await cup.arrayBuffer()) }
  const pictures = servePictures(bag)
  let key = ''
  const shop = serveShop({ service: service.address, key: () => key, port: 0 })
  try {
    const { result, complaints, strangers } = await visit(link, LOOK, async (page) => {
      page.setDefaultTimeout(15_000)
      const faults: unknown[] = []
      const look = async () =>
        faults.push(...(await findFaults(page)), ...(await findJargon(page)), await scrollWidth(page))
      await page.getByLabel('E-mail address').fill('me@shop.test')
      const password = page.getByLabel('Password', { exact: true })
      await password.fill('me@shop.test')
      const personal = await page.getByText('It must not be the e-mail address').count()
      await password.fill('password123')
      await page.getByLabel('Name of your store').fill('Tée & Töpfe')
      await page.getByText(`${service.address}/tee-topfe/portal`).waitFor()
      await look()
      await page.getByRole('button', { name: 'Make my store' }).click()
      const refused = await page.getByRole('alert').textContent()
      await password.fill(PASSWORD)
      await page.getByRole('button', { name: 'Make my store' }).click()

      // The drawn products, a photo of the service and one of her own.
      await page.getByRole('heading', { name: 'What should be found?' }).waitFor()
      await look()
      await page.getByText('Show the first call').click()
      const secret = await page.locator('.card .copied code').first().textContent()
      await page.getByRole('button', { name: 'Load the drawn products' }).click()
      await page.getByRole('heading', { name: 'Look for something' }).waitFor()
      const first = page.locator('.looking .tile').first()
      await first.waitFor()
      const box = await first.boundingBox()
      await look()
      const names = await page.locator('.looking .tile .name').allTextContents()
      await page.locator('.yours input[type=file]').setInputFiles(photo)
      await page.getByText('Your photo', { exact: true }).waitFor()
      await page.getByText('These products look most like it.').waitFor()
      // The store knows where somebody is: the secret is gone with the page, the step is not.
      await page.reload()
      await first.waitFor()

      // Her own products take their place.
      await page.getByRole('button', { name: 'Back', exact: true }).click()
      await page.getByRole('button', { name: 'Remove the 40 drawn products' }).click()
      await page.getByRole('button', { name: 'Load the drawn products' }).waitFor()
      await page.getByRole('link', { name: 'Choose a file' }).click()
      const file = makeExport('German', 22, (row) => pictures.at(row === 21 ? 'last.webp' : `${row}.webp`))
      await page.locator(FILE).setInputFiles(asFile('wc-export.csv', file))
      await page.locator('.findings .tile img').nth(19).waitFor()
      const sentence = await page
        .locator('.rows li', { hasText: 'Bilder' })
        .first()
        .locator('p')
        .textContent()
      await look()
      await page.getByRole('button', { name: 'Import 22 products' }).click()
      await page.getByRole('heading', { level: 1, name: 'wc-export.csv' }).waitFor()
      // She leaves, and comes back for what came of it.
      await page.goto(`${service.address}/tee-topfe/portal/jobs`)
      await page.getByRole('link', { name: 'wc-export.csv' }).click()
      await page.getByText('Done 22 of 22').waitFor({ timeout: 40_000 })
      const failed = await page.locator('.failed li p').allTextContents()
      await look()
      pictures.state.hasLast = true
      await page.getByRole('button', { name: 'Try all of them again' }).click()
      await page.locator('.failed').waitFor({ state: 'detached', timeout: 20_000 })

      // The way into the shop.
      await page.goto(`${service.address}/tee-topfe/portal/start?step=4`)
      await page.getByLabel('Address of your shop').fill(shop.origin)
      await page.getByRole('button', { name: 'Save the shop' }).click()
      await page.getByText('Saved.').waitFor()
      const seen = {
        address: await page.getByLabel('Address of your shop').inputValue(),
        currency: await page.getByLabel('Currency').inputValue(),
        storage: await readStorage(page),
        url: page.url(),
      }
      await page.getByRole('link', { name: 'Get the line for my shop' }).click()
      await page.getByText('WooCommerce', { exact: true }).click()
      await page.getByRole('button', { name: 'Make the key' }).click()
      key = (await page.locator('.copied code').textContent()) ?? ''
      // The shop of this test names its pages in its own way.
      await page.getByLabel('Address of a product').fill('/p/{product_id}')
      await page.getByRole('button', { name: 'Try it on three products' }).click()
      await page.locator('.verdicts li[data-good=true]').nth(2).waitFor()
      await page.getByRole('button', { name: 'Save this address' }).click()
      await page.locator('.step', { hasText: 'Where do your products open?' }).getByText('Saved').waitFor()
      const [php] = await Promise.all([
        page.waitForEvent('download'),
        page.getByText('Download lookalike.php').click(),
      ])
      const code = await Bun.file(await php.path()).text()
      await page.goto(`${service.address}/tee-topfe/portal`)
      await page.locator('.checklist').waitFor()
      const done = await page.locator('.checklist [data-done="true"]').allTextContents()
      return { personal, refused, secret, faults, sentence, failed, seen, names, box, code, done }
    })
    expect(result).toMatchObject({
      personal: 1,
      refused: 'This is one of the most used passwords. Choose another.',
      faults: Array(5).fill(360),
      failed: ['W-22', 'The picture could not be loaded: the server answered 404.', pictures.at('last.webp')],
      seen: { address: shop.origin, currency: 'GBP', storage: ['', 0, 0] },
      done: expect.arrayContaining(['Add products', 'Make a first search', 'Say where your shop is']),
    })
    expect(result.sentence).toContain('Bilder looks like the picture')
    expect(result.secret).toMatch(/^export CLIENT_ID=[\w-]{36}\nexport CLIENT_SECRET=[\w-]{43}$/)
    expect(result.seen.url).not.toContain(link.split('#')[1] ?? '')
    // The sample shows a green mug: mugs come first, and the first one is on the first screen.
    expect(result.names[0]).toContain('mug')
    expect((result.box?.y ?? 900) + (result.box?.height ?? 0)).toBeLessThan(900)
    expect(result.code).toContain(`'${key}'`)
    // The preview shows products as the shop does, with the shop's pictures.
    const others = strangers.filter((url) => !url.startsWith(pictures.at('')))
    expect([own(complaints), others]).toEqual([[], []])

    const opened = await visit(shop.origin, LOOK, async (page) => {
      await page.getByRole('button', { name: 'Search by picture' }).click()
      await page.getByRole('dialog').locator('input[type=file]').first().setInputFiles(photo)
      await page.locator('[part=card]').first().waitFor()
      await page.locator('a[part=card]').first().click()
      await page.waitForURL('**/p/**')
      return new URL(page.url()).pathname
    })
    expect(opened.result).toMatch(/^\/p\/W-\d+$/)
  } finally {
    await Promise.all([shop.stop(), pictures.stop()])
  }

  const again = await visit(link, LOOK, async (page) => {
    await page.getByRole('heading', { name: 'This installation has an owner already' }).waitFor()
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.goto(service.address)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    return page.url()
  })
  expect(again.result).toBe(`${service.address}/login`)
}, 150_000)
