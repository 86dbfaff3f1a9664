import { describe, expect, test } from 'bun:test'
import sharp from 'sharp'
import { giantByHeader, heicHeader, phonePhoto, plain } from './pictures.ts'
import { choose, headlineOf, heardResults, open, openWidgetPage, said, searchWords } from './shop.ts'

const shop = openWidgetPage()

const photo = await plain(800, 600)

/** Suggestions come for words that stand a moment, as they do on a slow machine. */
const searchesOf = <Call extends { path: string }>(calls: readonly Call[]): Call[] =>
  calls.filter(({ path }) => !path.endsWith('/suggestions'))

describe('a picture', () => {
  test('arrives small, upright, as JPEG, under a name of ours, and without place and owner', async () => {
    const original = await phonePhoto()
    expect(original.includes('SECRET-OWNER')).toBe(true)
    expect((await sharp(original).metadata()).orientation).toBe(6)
    const { violations } = await shop.visit({}, {}, async (page) => {
      await open(page)
      await choose(page, original, 'my-home.jpg')
      await said(page, '30 products found')
    })
    const [call] = shop.service.callsOf('upload')
    const sent = Buffer.from(call?.image?.bytes ?? [])
    const { format, width, height, exif, orientation, icc, xmp } = await sharp(sent).metadata()
    expect({ format, width, height, exif, orientation, xmp }).toEqual({
      ...{ format: 'jpeg', width: 576, height: 768 },
      ...{ exif: undefined, orientation: undefined, xmp: undefined },
    })
    expect(icc?.length ?? 0).toBeLessThan(4096)
    expect(sent.includes('Exif')).toBe(false)
    expect(sent.includes('SECRET-OWNER')).toBe(false)
    expect(call?.image).toMatchObject({ name: 'picture.jpg', type: 'image/jpeg' })
    expect(call?.body).toEqual({
      limit: '50',
      facets: expect.any(String),
      session_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    })
    expect(violations).toEqual([])
  }, 60_000)

  test('is laid on white where it is transparent', async () => {
    const clear = await sharp({ create: { width: 100, height: 100, channels: 4, background: '#0000' } })
      .png()
      .toBuffer()
    await shop.visit({}, {}, async (page) => {
      await open(page)
      await choose(page, clear, 'logo.png', 'image/png')
      await said(page, 'found')
    })
    const { dominant } = await sharp(shop.service.callsOf('upload')[0]?.image?.bytes).stats()
    expect(dominant.r + dominant.g + dominant.b).toBeGreaterThan(3 * 240)
  }, 60_000)

  test.each([
    [
      'not a picture',
      async () => Buffer.from('hello'),
      'This picture cannot be read. Try another one.',
      'unreadable',
    ],
    [
      'broken after its header',
      async () => (await plain(300, 300)).subarray(0, 620),
      'This picture cannot be read. Try another one.',
      'unreadable',
    ],
    ['tiny', () => plain(200, 31), 'This picture is too small. Choose a larger one.', 'small'],
    [
      'of 40 megapixels by its header',
      giantByHeader,
      'This picture is too large. Choose one with less than 30 megapixels.',
      'big',
    ],
    [
      'HEIC',
      async () => heicHeader(),
      'This picture is in a format the browser cannot open. Save it as JPEG and try again.',
      'heic',
    ],
  ] as const)(
    'that is %s is refused with a sentence, and nothing is sent',
    async (_, make, sentence, code) => {
      const bytes = await make()
      const { result } = await shop.visit({}, {}, async (page) => {
        await open(page)
        await choose(page, bytes, 'picture.heic', 'image/heic')
        await said(page, sentence)
        return { headline: await headlineOf(page).textContent(), heard: await page.evaluate('heard.at(-1)') }
      })
      expect(result).toEqual({ headline: sentence, heard: ['error', { code }] })
      expect(shop.service.calls).toEqual([])
    },
    60_000,
  )

  test('that is a narrow strip keeps a short side that the service takes', async () => {
    await shop.visit({}, {}, async (page) => {
      await open(page)
      await choose(page, await plain(4000, 100))
      await said(page, 'found')
    })
    const { width, height } = await sharp(shop.service.callsOf('upload')[0]?.image?.bytes).metadata()
    expect([width, height]).toEqual([1280, 32])
  }, 60_000)

  test('that the service has forgotten is sent again by itself', async () => {
    await shop.visit({}, {}, async (page) => {
      await open(page)
      await choose(page, photo)
      await said(page, '30 products found')
      shop.service.forgotten.add('image-1')
      await page.getByRole('button', { name: 'Region 2' }).click()
      await heardResults(page, 2)
    })
    expect(shop.service.calls.map(({ path }) => path.split('/').at(-1))).toEqual(['upload', 'url', 'upload'])
    expect(JSON.parse(String(shop.service.callsOf('upload')[1]?.body['crop']))).toEqual({
      x: 0.5,
      y: 0.4,
      width: 0.4,
      height: 0.5,
    })
  }, 60_000)
})

describe('the frame', () => {
  test('moves with the pointer, and searches by image_id without another upload', async () => {
    await shop.visit({}, {}, async (page) => {
      await open(page)
      await choose(page, photo)
      await said(page, '30 products found')
      const { x, y, width, height } = (await page.locator('.frame').boundingBox()) ?? {
        x: 0,
        y: 0,
        width: 0,
        height: 0,
      }
      await page.mouse.move(x, y)
      await page.mouse.down()
      await page.mouse.move(x + width / 4, y + height / 2, { steps: 5 })
      await page.mouse.up()
      await said(page, '9 products found')
    })
    expect(shop.service.callsOf('upload')).toHaveLength(1)
    const body = shop.service.callsOf('url')[0]?.body ?? {}
    const crop = body['crop'] as Record<string, number>
    expect(body).toMatchObject({ image_id: 'image-1', limit: 50 })
    expect(crop['x']).toBeCloseTo(0.25, 1)
    expect(crop['y']).toBeCloseTo(0.5, 1)
    expect((crop['x'] ?? 0) + (crop['width'] ?? 0)).toBeCloseTo(1, 5)
    expect((crop['y'] ?? 0) + (crop['height'] ?? 0)).toBeCloseTo(1, 5)
  }, 60_000)

  test('moves by 1 % with arrows and changes its size with Shift, and one search follows', async () => {
    await shop.visit({}, {}, async (page) => {
      await page.clock.install()
      await open(page)
      await choose(page, photo)
      await said(page, '30 products found')
      await page.locator('.frame').focus()
      // However slow the keys come here, the frame does not settle between them.
      await page.clock.pauseAt(Date.now() + 60_000)
      for (let n = 0; n < 20; n++) await page.keyboard.press('Shift+ArrowLeft')
      for (let n = 0; n < 10; n++) await page.keyboard.press('Shift+ArrowUp')
      for (let n = 0; n < 5; n++) await page.keyboard.press('ArrowRight')
      await page.keyboard.press('ArrowDown')
      await page.clock.runFor(400)
      await said(page, '9 products found')
    })
    expect(shop.service.callsOf('url')).toHaveLength(1)
    const crop = shop.service.callsOf('url')[0]?.body['crop'] as Record<string, number>
    const rounded = Object.fromEntries(
      Object.entries(crop).map(([name, value]) => [name, Math.round(value * 1000) / 1000]),
    )
    expect(rounded).toEqual({ x: 0.05, y: 0.01, width: 0.8, height: 0.9 })
  }, 60_000)

  test('takes a proposed region, and the whole picture again', async () => {
    const { result } = await shop.visit({}, {}, async (page) => {
      await open(page)
      await choose(page, photo)
      await said(page, '30 products found')
      const pressed = () => page.locator('.side [aria-pressed=true]').allTextContents()
      const states = [await pressed()]
      await page.getByRole('button', { name: 'Region 1' }).click()
      await said(page, '9 products found')
      states.push(await pressed())
      await page.getByRole('button', { name: 'Whole picture' }).click()
      await heardResults(page, 3)
      states.push(await pressed())
      // The dots on the picture are for fingers and mice.
      const dot = page.locator('.dot', { hasText: '2' })
      const [at, picture] = [await dot.boundingBox(), await page.locator('.picture').boundingBox()]
      const middle = at && picture ? [(at.x + 22 - picture.x) / picture.width, at.width] : []
      await dot.click()
      await heardResults(page, 4)
      states.push(await pressed())
      return { states, middle: middle.map((share) => Math.round(share * 100) / 100) }
    })
    expect(result).toEqual({
      states: [['Whole picture'], ['Region 1'], ['Whole picture'], ['Region 2']],
      middle: [0.7, 44],
    })
    expect(shop.service.callsOf('url').map(({ body }) => body['crop'])).toEqual([
      { x: 0.1, y: 0.1, width: 0.4, height: 0.5 },
      undefined,
      { x: 0.5, y: 0.4, width: 0.4, height: 0.5 },
    ])
  }, 60_000)
})

describe('words', () => {
  test('search alone, refine a picture, and a category narrows and lets go', async () => {
    await shop.visit({}, {}, async (page) => {
      await open(page)
      await searchWords(page, 'red mug')
      await said(page, '12 products found')
      await choose(page, photo)
      await said(page, '30 products found')
      await searchWords(page, 'in red')
      await said(page, '9 products found')
      const mugs = page.getByRole('button', { name: 'mugs' })
      await mugs.click()
      await heardResults(page, 4)
      expect(await mugs.getAttribute('aria-pressed')).toBe('true')
      await mugs.click()
      await heardResults(page, 5)
    })
    const bodies = searchesOf(shop.service.calls).map(
      ({ path, body: { session_id: _, facets: __, ...body } }) => [path.split('/').at(-1), body],
    )
    expect(bodies).toEqual([
      ['text', { query: 'red mug', limit: 50 }],
      ['upload', { limit: '50' }],
      ['url', { image_id: 'image-1', query: 'in red', limit: 50 }],
      ['url', { image_id: 'image-1', query: 'in red', category: 'mugs', limit: 50 }],
      ['url', { image_id: 'image-1', query: 'in red', limit: 50 }],
    ])
  }, 60_000)

  test('that are an address search by the picture there', async () => {
    await shop.visit({}, {}, async (page) => {
      await open(page)
      await searchWords(page, 'https://pictures.example/mug.jpg')
      await said(page, '9 products found')
    })
    expect(shop.service.calls[0]?.body).toMatchObject({ image_url: 'https://pictures.example/mug.jpg' })
  }, 60_000)
})
