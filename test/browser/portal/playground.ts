import { beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { untilTrue } from '../chromium.ts'
import { makeLargeFile } from './looks.ts'
import {
  call,
  createOwner,
  DESKTOP,
  findFaults,
  own,
  type Person,
  PHONE,
  scrollWidth,
  visitPortal,
} from './world.ts'

const tiles = (page: Page) => page.locator('.answer .tile')

/** Puts a sample picture of the service into the clipboard of an event. */
const pasteSample = (selector: string) => `(async () => {
  const [{ url }] = await (await fetch('/samples')).json()
  const blob = await (await fetch(new URL(url, location.origin).pathname)).blob()
  const data = new DataTransfer()
  data.items.add(new File([blob], 'photo.jpg', { type: blob.type }))
  document.querySelector('${selector}').dispatchEvent(
    new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
})()`

export function playgroundTests(): void {
  describe('the playground', () => {
    let shop: Person
    /** Searches of a person are limited a minute: those of the tests that send many are somebody else's. */
    let other: Person

    beforeAll(async () => {
      shop = await createOwner('demo')
      other = await createOwner('demo')
    }, 60_000)

    test.each([DESKTOP, PHONE])(
      'a sample photo finds products; the first is in sight at %o',
      async (look) => {
        const { result, complaints, strangers } = await visitPortal(
          shop,
          '/playground',
          look,
          async (page) => {
            const answered = page.waitForResponse((response) => response.url().endsWith('/v1/search'))
            await page.locator('.samples button').first().click()
            await answered
            await page.locator('.answer [aria-busy="false"] .tile').first().waitFor()
            await untilTrue(page, 'document.querySelector(".answer .tile img").naturalWidth > 0')
            const box = await tiles(page).first().boundingBox()
            return {
              faults: await findFaults(page),
              width: await scrollWidth(page),
              isInSight: (box?.y ?? 10_000) + (box?.width ?? 0) < 844,
            }
          },
        )
        expect(result).toEqual({ faults: [], width: look.width, isInSight: true })
        expect([own(complaints), strangers]).toEqual([[], []])
      },
      60_000,
    )

    test('words find products, with reasons; the slider counts without a call; none of it is a number', async () => {
      const { result } = await visitPortal(shop, '/playground?view=everything', DESKTOP, async (page) => {
        await page.getByLabel('Words', { exact: true }).fill('red dress')
        // A product of the store was searched before anybody asked.
        await page.locator('.suggested').waitFor({ state: 'detached' })
        await page.locator('.ask .hint[aria-live]').waitFor()
        // Tiles come in steps.
        await tiles(page).nth(39).waitFor()
        const all = await tiles(page).count()
        await page.locator('.why summary').first().click()
        const why = await page.locator('.why[open] li').allTextContents()
        const asked: string[] = []
        page.on('request', (request) => asked.push(request.url()))
        await page.getByLabel('Lowest score').fill('0.5')
        await untilTrue(page, `document.querySelectorAll('.answer .tile').length < ${all}`)
        const shown = await tiles(page).count()
        const told = await page.locator('.ask .hint[aria-live]').textContent()
        return {
          all,
          shown,
          told,
          why,
          asked,
          faults: await findFaults(page),
          url: new URL(page.url()).search,
        }
      })
      expect(result.all).toBeGreaterThan(result.shown)
      expect(result.told).toBe(`${result.shown} of ${result.all} reach it`)
      expect(result.why.join('\n')).toContain('the word “dress” is in “name”')
      expect(result).toMatchObject({ asked: [], faults: [], url: '?q=red+dress&view=everything&min=0.5' })
      const { searches } = await call(shop, 'GET', '/v1/search/analytics')
      expect(searches).toMatchObject({ total: 0 })
    }, 60_000)

    test('one form reaches every search of the API, and none of them counts', async () => {
      const { result } = await visitPortal(other, '/playground', DESKTOP, async (page) => {
        const sent: string[] = []
        page.on('request', (request) => {
          const { pathname, searchParams } = new URL(request.url())
          if (!/^\/v1\/(search|products\/.*similar)/.test(pathname)) return
          const body = request.postData() ?? ''
          const isUncounted = body.includes('"analytics":false') || searchParams.get('analytics') === 'false'
          // The browser does not tell what a form with a photo holds: the numbers below do.
          // Which product of the demo came last is chance.
          const path = pathname.replace(/demo-[\w-]+/, 'demo')
          sent.push(`${path} ${isUncounted || pathname === '/v1/search' ? 'uncounted' : body}`)
        })
        await tiles(page).first().waitFor()
        for (const query of [
          'q=mug',
          'product=demo-mug-red&q=blue',
          'product=demo-mug-red&q=blue&join=one',
          'product=demo-mug-red&product=demo-mug-blue&together=best',
          'product=demo-mug-red&part=0,0,0.5,0.5',
          'color=%23c62828',
          'image=https%3A%2F%2Fshop.invalid%2Fphoto.jpg',
          'category=mugs&price_max=15',
        ]) {
          const before = sent.length
          await page.evaluate(
            `history.pushState(null, '', '?${query}'); dispatchEvent(new PopStateEvent('popstate'))`,
          )
          while (sent.length === before) await page.waitForTimeout(10)
        }
        await page.locator('.samples button').first().click()
        await page.locator('.photo-drop img').waitFor()
        while (!sent.some((call) => call.startsWith('/v1/search '))) await page.waitForTimeout(10)
        return [...new Set(sent)].sort()
      })
      expect(result).toEqual(
        [
          '/v1/products/demo/similar',
          '/v1/search',
          '/v1/search/crop',
          '/v1/search/filtered',
          '/v1/search/fusion',
          '/v1/search/hybrid',
          '/v1/search/multi-image',
          '/v1/search/text',
          '/v1/search/url',
        ].map((path) => `${path} uncounted`),
      )
      const { searches } = await call(other, 'GET', '/v1/search/analytics')
      expect(searches).toMatchObject({ total: 0 })
    }, 60_000)

    test('a part is drawn with the pointer and moved with the arrow keys, on a photo and on a product', async () => {
      const { products } = await call(shop, 'GET', '/v1/products?limit=1')
      const [{ product_id } = { product_id: '' }] = products as { product_id: string }[]
      const { result } = await visitPortal(shop, '/playground', DESKTOP, async (page) => {
        await page.locator('.samples button').first().click()
        const box = page.locator('.part-box')
        await box.waitFor()
        await tiles(page).first().waitFor()
        const parts: { x: number; width: number }[] = []
        const named: unknown[] = []
        page.on('request', (request) => {
          if (!request.url().endsWith('/v1/search/crop')) return
          const body = request.postDataJSON() as { crop: { x: number; width: number }; product_id?: string }
          parts.push(body.crop)
          named.push(body.product_id)
        })
        const { x, y, width, height } = (await box.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
        await page.mouse.move(x + width / 4, y + height / 4)
        await page.mouse.down()
        await page.mouse.move(x + width / 2, y + height / 2, { steps: 3 })
        await page.mouse.up()
        while (parts.length < 1) await page.waitForTimeout(10)
        await page.getByRole('button', { name: 'Move the part with the arrow keys' }).press('ArrowRight')
        while (parts.length < 2) await page.waitForTimeout(10)
        await page.locator('.answer [aria-busy="false"]').waitFor()
        const faults = await findFaults(page)
        await page.getByRole('button', { name: 'Use the whole photo' }).click()
        await box.locator('rect').waitFor({ state: 'detached' })
        await page.getByRole('button', { name: 'Remove the photo' }).click()
        await page.getByLabel('Or an address or product id').fill(product_id)
        await page.getByRole('button', { name: 'Take it' }).click()
        await box.locator('img').waitFor()
        await page.getByRole('button', { name: 'Resize the part with the arrow keys' }).press('ArrowLeft')
        while (parts.length < 3) await page.waitForTimeout(10)
        return { named, parts: parts.map(({ x, width }) => [x.toFixed(2), width.toFixed(2)]), faults }
      })
      expect(result).toEqual({
        parts: [
          ['0.25', '0.25'],
          ['0.27', '0.25'],
          ['0.00', '0.98'],
        ],
        named: [undefined, undefined, product_id],
        faults: [],
      })
    }, 60_000)

    test('two settings stand side by side, the address holds both, and tiles glide unless motion is reduced', async () => {
      const { result } = await visitPortal(other, '/playground?q=red+mug', DESKTOP, async (page) => {
        await tiles(page).first().waitFor()
        await page.locator('#content').getByText('Settings', { exact: true }).click()
        await page.getByRole('button', { name: 'Show everything beside' }).click()
        const sides = page.locator('.compared section')
        await sides.nth(1).locator('.tile').first().waitFor()
        const url = page.url()
        await page.reload()
        await sides.nth(0).locator('.tile').nth(39).waitFor()
        await sides.nth(1).locator('.tile').first().waitFor()
        const counts = [
          await sides.nth(0).locator('.tile').count(),
          await sides.nth(1).locator('.tile').count(),
        ]
        const told = await page.locator('.answer .told').last().textContent()
        const faults = await findFaults(page)
        return { url: new URL(url).search, counts, told, faults }
      })
      const [kept = 0, now = 0] = result.counts
      expect(result.url).toBe('?q=red+mug&beside=view%3Deverything')
      expect(kept).toBeGreaterThan(now)
      expect(result.told).toBe(`0 at another place · 0 new · ${kept - now} gone`)
      expect(result.faults).toEqual([])
      const countMoves = async (reducedMotion: 'reduce' | 'no-preference') => {
        const { result } = await visitPortal(
          other,
          '/playground?q=mug&view=everything',
          DESKTOP,
          async (page) => {
            await page.emulateMedia({ reducedMotion })
            await tiles(page).nth(20).waitFor()
            await page.evaluate(
              'globalThis.moves = 0; const animate = Element.prototype.animate; Element.prototype.animate = function (...how) { globalThis.moves++; return animate.apply(this, how) }',
            )
            await page.getByLabel('Words', { exact: true }).fill('umbrella')
            await tiles(page).first().getByText('umbrella').waitFor()
            return page.evaluate<number>('globalThis.moves')
          },
        )
        return result
      }
      expect(await countMoves('no-preference')).toBeGreaterThan(0)
      expect(await countMoves('reduce')).toBe(0)
    }, 90_000)

    test('a search is kept as a check, run as a job, and deleted by name', async () => {
      const { result } = await visitPortal(shop, '/playground?q=red+mug', DESKTOP, async (page) => {
        await tiles(page).first().waitFor()
        await page.getByText('Saved checks').click()
        await page.locator('.expected button').first().click()
        await page.getByRole('button', { name: 'Save the check' }).click()
        await page.getByRole('button', { name: 'Run the check' }).click()
        await page.locator('.check-verdict').waitFor()
        const text = await page.locator('.saved-checks > ul > li').textContent()
        const faults = await findFaults(page)
        await page.getByRole('button', { name: 'Delete the check' }).click()
        const asked = await page.getByRole('dialog').getByRole('heading').textContent()
        await page.getByRole('dialog').getByRole('button', { name: 'Delete the check' }).click()
        await page.getByText('There are none yet.').waitFor()
        return { text, faults, asked }
      })
      expect(result.text).toContain('✓ found')
      expect(result.text).toContain('demo-mug-red at place 1')
      expect(result).toMatchObject({ asked: 'Delete the check “red mug”?', faults: [] })
    }, 60_000)

    test('without a hit that is good enough it names the best guess', async () => {
      const { result } = await visitPortal(shop, '/playground?q=red+dress', DESKTOP, async (page) => {
        await tiles(page).first().waitFor()
        await page.getByLabel('Lowest score').fill('1')
        await page.getByRole('heading', { name: 'No product comes close' }).waitFor()
        const guess = await page.locator('.answer .empty p').first().textContent()
        await page.getByRole('button', { name: 'Lower the score' }).click()
        await tiles(page).first().waitFor()
        return guess
      })
      expect(result).toStartWith('No product reaches 1.00. Best guess:')
    }, 60_000)

    test('the same search stands there as code for three languages', async () => {
      const { result } = await visitPortal(shop, "/playground?q=o'clock", DESKTOP, async (page) => {
        await page.getByText('The same search by the API').click()
        const codes: string[] = []
        for (const name of ['curl', 'JavaScript', 'PHP']) {
          await page.getByRole('button', { name, exact: true }).click()
          codes.push((await page.locator('.code pre').textContent()) ?? '')
        }
        return codes
      })
      const [curl = '', script, php] = result
      expect(curl).toContain(`"query":"o'\\''clock"`)
      expect(script).toContain(`"query":"o'clock"`)
      expect(php).toContain(`"query":"o\\'clock"`)
    }, 60_000)

    test('a file that is no picture is refused in words, and a huge one before it is sent', async () => {
      const { result } = await visitPortal(shop, '/playground', PHONE, async (page) => {
        const pick = page.locator('.photo-drop input[type="file"]').first()
        const file = makeLargeFile('x.png', 11)
        await pick.setInputFiles(file.path)
        const large = await page.locator('.wrong').textContent()
        file.remove()
        await pick.setInputFiles({ name: 'x.png', mimeType: 'image/png', buffer: Buffer.from('no picture') })
        await page.locator('.answer .failure').waitFor()
        return { large, code: await page.locator('.answer .failure code').first().textContent() }
      })
      expect(result.large).toBe('This picture is larger than 10 MiB. Take a smaller one.')
      expect(result.code).toMatch(/image|picture/)
    }, 60_000)
  })

  test('the search of every page takes words and a pasted picture, and leads on to the playground', async () => {
    const shop = await createOwner('demo')
    const { result } = await visitPortal(shop, '/products', DESKTOP, async (page) => {
      await page.locator('.tile').first().waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type('mug')
      const thumbs = page.locator('.dropped .thumbs li')
      await thumbs.first().waitFor()
      const names = await page.locator('.dropped .name').allTextContents()
      const faults = await findFaults(page)
      await page.getByRole('searchbox', { name: 'Search by words or picture' }).fill('')
      await page.evaluate(pasteSample('header input[type=search]'))
      await thumbs.first().waitFor()
      await page.getByRole('button', { name: 'Open in the playground' }).click()
      await page.locator('.photo-drop img').waitFor()
      await tiles(page).first().waitFor()
      return { names, faults }
    })
    expect(result.names[0]).toMatch(/mug/i)
    expect(result.faults).toEqual([])
  }, 60_000)
}
