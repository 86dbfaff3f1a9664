import { describe, expect, test } from 'bun:test'
import { plain } from './pictures.ts'
import { hits, type Reply } from './service.ts'
import {
  cardsOf,
  choose,
  dialogOf,
  headlineOf,
  open,
  opener,
  openWidgetPage,
  said,
  searchWords,
  statusOf,
} from './shop.ts'

const shop = openWidgetPage()

/** Searches by words for one reply, and tells what the shopper reads and hears. */
const stateAfter = async (reply: Reply) => {
  const { result } = await shop.visit({}, {}, async (page) => {
    shop.service.reply = () => reply
    await open(page)
    await searchWords(page, 'mug')
    await statusOf(page).filter({ hasText: /\S/ }).waitFor({ state: 'attached' })
    return {
      headline: await headlineOf(page).textContent(),
      status: await statusOf(page).textContent(),
      cards: await cardsOf(page).count(),
      again: await page.getByRole('button', { name: 'Try again' }).count(),
    }
  })
  return result
}

describe('the state', () => {
  test('looking: grey shapes, and busy for machines', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await shop.visit({}, {}, async (page) => {
      shop.service.reply = () => held.then(() => undefined)
      await open(page)
      await searchWords(page, 'mug')
      await page.locator('.skeleton').waitFor()
      expect(await headlineOf(page).textContent()).toBe('Looking …')
      expect(await page.locator('[aria-busy=true]').count()).toBe(1)
      release()
      await said(page, '12 products found')
      expect(await page.locator('.skeleton, [aria-busy=true]').count()).toBe(0)
    })
  }, 60_000)

  test('found: says the number, once', async () => {
    expect(await stateAfter({ body: { results: hits(4) } })).toEqual({
      ...{ headline: '4 products found', status: '4 products found', cards: 4, again: 0 },
    })
  }, 60_000)

  test('one: says so', async () => {
    const text = '1 product found'
    expect(await stateAfter({ body: { results: hits(1) } })).toEqual({
      ...{ headline: text, status: text, cards: 1, again: 0 },
    })
  }, 60_000)

  test('weak: says that nothing looks quite like it, and nothing that contradicts it', async () => {
    const text = 'Nothing looks quite like this. These come closest:'
    const { result } = await shop.visit({}, {}, async (page) => {
      shop.service.reply = () => ({ body: { results: hits(30, 0.4) } })
      await open(page)
      await searchWords(page, 'mug')
      await said(page, text)
      return {
        headings: await dialogOf(page).getByRole('heading').allTextContents(),
        texts: await page.locator('[part=headline], [part=status], summary').allTextContents(),
      }
    })
    expect(result.headings).toEqual(['Find it by picture'])
    expect(result.texts.filter((one) => /best|found|match/i.test(one))).toEqual([])
    expect(result.texts).toContain(text)
  }, 60_000)

  test('none: shows popular products', async () => {
    expect(await stateAfter({ body: { results: [], popular: hits(5) } })).toEqual({
      ...{ headline: 'Nothing in this shop looks quite like that.', cards: 5, again: 0 },
      status: 'Nothing in this shop looks quite like that.',
    })
    expect(await stateAfter({ body: { results: [] } })).toMatchObject({ cards: 0 })
  }, 60_000)

  test('too many requests: counts down, is announced once, then offers another try', async () => {
    await shop.visit({}, {}, async (page) => {
      shop.service.reply = () => ({
        status: 429,
        body: { error: 'rate_limit_exceeded' },
        headers: { 'retry-after': '3' },
      })
      await open(page)
      await page.evaluate(`window.announced = []
        new MutationObserver(() => announced.push(document.querySelector('[data-service-widget]').shadowRoot.querySelector('[role=status]').textContent))
          .observe(document.querySelector('[data-service-widget]').shadowRoot.querySelector('[role=status]'), { childList: true })`)
      await searchWords(page, 'mug')
      await headlineOf(page).filter({ hasText: 'Try again in 3 s' }).waitFor()
      await headlineOf(page).filter({ hasText: 'Try again in 1 s' }).waitFor()
      const again = page.getByRole('button', { name: 'Try again' })
      await again.waitFor()
      expect(await page.evaluate('announced.filter(Boolean)')).toEqual([
        'Many people are searching. Try again in 3 s.',
      ])
      shop.service.reply = () => undefined
      await again.click()
      await said(page, '12 products found')
    })
  }, 60_000)

  test('too many requests: closing and opening again leaves no count that stands still', async () => {
    await shop.visit({}, {}, async (page) => {
      shop.service.reply = () => ({ status: 429, body: {}, headers: { 'retry-after': '60' } })
      await open(page)
      await searchWords(page, 'mug')
      await said(page, 'Try again in 60 s.')
      await page.keyboard.press('Escape')
      await open(page)
      expect(await headlineOf(page).textContent()).toBe('')
      shop.service.reply = () => undefined
      await page.keyboard.press('Enter')
      await said(page, '12 products found')
    })
  }, 60_000)

  test('offline: waits, and goes on by itself', async () => {
    await shop.visit({}, {}, async (page, context) => {
      await open(page)
      await context.setOffline(true)
      await searchWords(page, 'mug')
      await said(page, 'You are offline. The search goes on when you are connected again.')
      await context.setOffline(false)
      await said(page, '12 products found')
    })
  }, 60_000)

  test('slow: offers another try after eight seconds, which ends the first', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await shop.visit({}, {}, async (page) => {
      await page.clock.install()
      shop.service.reply = () => held.then(() => ({ body: { results: hits(2) } }))
      await open(page)
      await searchWords(page, 'mug')
      await page.clock.fastForward(8_100)
      await said(page, 'This takes longer than usual.')
      shop.service.reply = () => undefined
      await page.getByRole('button', { name: 'Try again' }).click()
      await said(page, '12 products found')
      release()
    })
    expect(shop.service.calls).toHaveLength(2)
  }, 60_000)

  test('unreadable: a button chooses another picture', async () => {
    await shop.visit({}, {}, async (page) => {
      await open(page)
      await choose(page, Buffer.from('hello'))
      await said(page, 'This picture cannot be read. Try another one.')
      const chooser = page.waitForEvent('filechooser')
      await page.getByRole('button', { name: 'Choose a picture' }).click()
      await (await chooser).setFiles({
        ...{ name: 'a.jpg', mimeType: 'image/jpeg', buffer: await plain(400, 300) },
      })
      await said(page, '30 products found')
    })
  }, 60_000)

  test.each([
    ['image_unreadable', 422, 'This picture cannot be read. Try another one.', 0],
    ['image_too_small', 422, 'This picture is too small. Choose a larger one.', 0],
    ['crop_too_small', 422, 'The frame is too small. Make it larger.', 0],
    ['payload_too_large', 413, 'This picture is too large. Choose one with less than 30 megapixels.', 0],
    ['image_download_failed', 422, 'The picture at this address could not be loaded.', 1],
    ['internal_error', 500, 'The search did not work.', 1],
  ] as const)(
    '%s: has a sentence of its own',
    async (error, status, sentence, again) => {
      expect(await stateAfter({ status, body: { error, message: error } })).toEqual({
        ...{ headline: sentence, status: sentence, cards: 0, again },
      })
    },
    60_000,
  )
})

describe('results', () => {
  test('are links with name, price, sale price and stock, 24 at a time', async () => {
    const { result } = await shop.visit({}, {}, async (page) => {
      shop.service.reply = () => ({ body: { results: hits(30) } })
      await open(page)
      await searchWords(page, 'mug')
      await said(page, '30 products found')
      const card = (n: number) => cardsOf(page).nth(n).textContent()
      const visible = () => page.locator('[part=card]:visible').count()
      const counts = [await visible()]
      await page.getByRole('button', { name: 'Show more' }).click()
      counts.push(await visible())
      const focused = await page.evaluate<string>(
        'document.querySelector("[data-service-widget]").shadowRoot.activeElement.textContent',
      )
      return {
        ...{ counts, focused, first: await card(0), reduced: await card(1), gone: await card(3) },
        href: await cardsOf(page).first().getAttribute('href'),
      }
    })
    expect(result).toMatchObject({ counts: [24, 30], href: `${shop.origin}/p/sku-1` })
    expect(result.focused).toContain('Ember stoneware mug')
    expect(result.first).toBe('Ember stoneware mug€14.50')
    expect(result.reduced).toContain('€10.90')
    expect(result.reduced).toContain('€15.50')
    expect(result.gone).toContain('sold out')
  }, 60_000)

  test('never link to a script, and take the template of the shop where a product has no address', async () => {
    const { result } = await shop.visit({ data: { 'data-url': '/shop/{product_id}' } }, {}, async (page) => {
      shop.service.reply = () => ({
        body: {
          results: [
            { product_id: 'a/b', metadata: { url: 'javascript:alert(1)', name: '<b>bold</b>' } },
            {
              product_id: 'c',
              metadata: { price: 'free', currency: 'nonsense' },
              image_url: 'data:text/html,x',
            },
          ],
        },
      })
      await open(page)
      await searchWords(page, 'mug')
      await cardsOf(page).first().waitFor()
      return {
        hrefs: await cardsOf(page).evaluateAll((cards) => cards.map((card) => card.getAttribute('href'))),
        name: await cardsOf(page).first().textContent(),
        images: await page.locator('[part=picture] img').count(),
      }
    })
    expect(result).toEqual({
      ...{ hrefs: [`${shop.origin}/shop/a%2Fb`, `${shop.origin}/shop/c`], name: '<b>bold</b>', images: 0 },
    })
  }, 60_000)

  test('two columns at 360 px and at least three above', async () => {
    const columns = async (width: number) =>
      (
        await shop.visit({}, { width }, async (page) => {
          await opener(page).click()
          await searchWords(page, 'mug')
          await cardsOf(page).first().waitFor()
          const tops = await cardsOf(page).evaluateAll((cards) =>
            cards.map((card) => card.getBoundingClientRect().top),
          )
          return tops.filter((top) => top === tops[0]).length
        })
      ).result
    expect([await columns(360), await columns(720), await columns(1280)]).toEqual([2, 3, 4])
  }, 60_000)
})
