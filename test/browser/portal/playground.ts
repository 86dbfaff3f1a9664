import { beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
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

    beforeAll(async () => {
      shop = await createOwner('demo')
    }, 60_000)

    test.each([DESKTOP, PHONE])(
      'a sample photo finds products; the first is in sight at %o',
      async (look) => {
        const { result, complaints, strangers } = await visitPortal(
          shop,
          '/playground',
          look,
          async (page) => {
            await page.locator('.samples button').first().click()
            await tiles(page).first().waitFor()
            await page.waitForFunction('document.querySelector(".answer .tile img").naturalWidth > 0')
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
        await tiles(page).first().waitFor()
        const all = await tiles(page).count()
        await page.locator('.why summary').first().click()
        const why = await page.locator('.why[open] li').allTextContents()
        const asked: string[] = []
        page.on('request', (request) => asked.push(request.url()))
        await page.getByLabel('Lowest score').fill('0.5')
        await page.waitForFunction(`document.querySelectorAll('.answer .tile').length < ${all}`)
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
      expect(result).toMatchObject({ asked: [], faults: [], url: '?q=red+dress&view=everything' })
      const { searches } = await call(shop, 'GET', '/v1/search/analytics')
      expect(searches).toMatchObject({ total: 0 })
    }, 60_000)

    test('without a hit that is good enough it names the best guess', async () => {
      const { result } = await visitPortal(shop, '/playground?q=red+dress', DESKTOP, async (page) => {
        await tiles(page).first().waitFor()
        await page.getByLabel('Lowest score').fill('1')
        await page.getByRole('heading', { name: 'No product comes close' }).waitFor()
        const guess = await page.locator('.answer .empty p').textContent()
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
        const pick = page.locator('.drop input[type="file"]')
        await pick.setInputFiles({
          name: 'x.png',
          mimeType: 'image/png',
          buffer: Buffer.alloc(11 * 1024 * 1024),
        })
        const large = await page.locator('.wrong').textContent()
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
      await page.locator('.drop img').waitFor()
      await tiles(page).first().waitFor()
      return { names, faults }
    })
    expect(result.names[0]).toMatch(/mug/i)
    expect(result.faults).toEqual([])
  }, 60_000)
}
