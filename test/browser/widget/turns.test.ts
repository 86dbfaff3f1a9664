import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { plain } from './pictures.ts'
import { hits } from './service.ts'
import {
  cardsOf,
  choose,
  dialogOf,
  fence,
  headlineOf,
  heardResults,
  open,
  opener,
  openWidgetPage,
  run,
  said,
  searchWords,
  statusOf,
} from './shop.ts'

const shop = openWidgetPage()

const photo = await plain(800, 600)
const paths = () => shop.service.calls.map(({ path }) => path.split('/').at(-1))
const queries = () => shop.service.callsOf('text').map(({ body }) => body['query'])
const results = (page: Page) => run(page, `heard.filter(([name]) => name === 'results').length`)

describe('a second search', () => {
  test('ends the first, whose answer is not shown when it comes', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const { result } = await shop.visit({}, {}, async (page) => {
      shop.service.reply = ({ body }) =>
        body['query'] === 'mug' ? held.then(() => ({ body: { results: hits(2) } })) : undefined
      await open(page)
      const failed = page.waitForEvent('requestfailed')
      await searchWords(page, 'mug')
      await shop.service.arrived('text', 1)
      await searchWords(page, 'cup')
      await failed
      await said(page, '12 products found')
      release()
      await fence(page, shop.service.address)
      return [await headlineOf(page).textContent(), await results(page)]
    })
    expect(result).toEqual(['12 products found', 1])
    expect(queries()).toEqual(['mug', 'cup'])
  }, 60_000)

  test('ends the count of a busy service', async () => {
    await shop.visit({}, {}, async (page) => {
      await page.clock.install()
      shop.service.reply = ({ body }) => (body['query'] === 'mug' ? { status: 429, body: {} } : undefined)
      await open(page)
      await searchWords(page, 'mug')
      // The service named no time.
      await said(page, 'Try again in 20 s.')
      await searchWords(page, 'cup')
      await said(page, '12 products found')
      await page.clock.fastForward(25_000)
      expect(await headlineOf(page).textContent()).toBe('12 products found')
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    })
  }, 60_000)

  test('takes the place of one that waits for the network', async () => {
    await shop.visit({}, {}, async (page, context) => {
      await open(page)
      await context.setOffline(true)
      await searchWords(page, 'mug')
      await said(page, 'You are offline.')
      await searchWords(page, 'cup')
      await said(page, 'You are offline.')
      await context.setOffline(false)
      await said(page, '12 products found')
      await run(page, `dispatchEvent(new Event('online'))`)
      await fence(page, shop.service.address)
    })
    expect(queries()).toEqual(['cup'])
  }, 60_000)
})

describe('a slow answer', () => {
  test('that comes after all takes the button for another try away', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await shop.visit({}, {}, async (page) => {
      await page.clock.install()
      shop.service.reply = () => held.then(() => undefined)
      await open(page)
      await searchWords(page, 'mug')
      await page.clock.fastForward(8_100)
      await page.getByRole('button', { name: 'Try again' }).waitFor()
      release()
      await said(page, '12 products found')
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
      await page.clock.fastForward(8_100)
      expect(await statusOf(page).textContent()).toBe('12 products found')
    })
    expect(queries()).toEqual(['mug'])
  }, 60_000)
})

describe('a picture', () => {
  test('that is still read when another is chosen is not sent', async () => {
    const [small, large] = [await plain(100, 100), await plain(200, 100)]
    await shop.visit({}, {}, async (page) => {
      await open(page)
      await run(
        page,
        `(() => { const real = createImageBitmap; let first = true
        window.createImageBitmap = (...given) => {
          if (!first) return real(...given)
          first = false
          return new Promise((done) => { window.release = async () => done(await real(...given)) })
        } })()`,
      )
      await choose(page, small)
      await run(
        page,
        `new Promise((done) => { const look = () => window.release ? done() : setTimeout(look); look() })`,
      )
      await choose(page, large)
      await said(page, '30 products found')
      await run(page, 'release()')
      await fence(page, shop.service.address)
      expect(await page.locator('.canvas canvas').getAttribute('width')).toBe('200')
    })
    expect(paths()).toEqual(['upload'])
  }, 60_000)

  test('that cannot be read ends the search before it, and words then search alone', async () => {
    const { result } = await shop.visit({}, {}, async (page) => {
      await open(page)
      await choose(page, photo)
      await said(page, '30 products found')
      await page.getByRole('searchbox').fill('in red')
      await choose(page, Buffer.from('hello'))
      await said(page, 'This picture cannot be read.')
      const left = [
        await page.getByRole('searchbox').inputValue(),
        await page.getByRole('searchbox').getAttribute('placeholder'),
        await page.locator('[part=chip]').count(),
        await cardsOf(page).count(),
        await page.getByRole('button', { name: 'Remove the picture' }).isVisible(),
      ]
      await searchWords(page, 'mug')
      await said(page, '12 products found')
      return left
    })
    expect(result).toEqual(['', 'Words, or the address of a picture', 0, 0, false])
    // Suggestions come for words that stand long enough, as they do on a slow machine.
    expect(paths().filter((path) => path !== 'suggestions')).toEqual(['upload', 'text'])
  }, 60_000)

  test('that is chosen forgets words and category of the one before', async () => {
    await shop.visit({}, {}, async (page) => {
      await open(page)
      await choose(page, photo)
      await said(page, '30 products found')
      await searchWords(page, 'in red')
      await heardResults(page, 2)
      await page.getByRole('button', { name: 'mugs' }).click()
      await heardResults(page, 3)
      await choose(page, photo)
      await heardResults(page, 4)
      expect(await page.getByRole('searchbox').inputValue()).toBe('')
    })
    const { session_id: _, ...body } = shop.service.callsOf('upload')[1]?.body ?? {}
    expect(body).toEqual({ limit: '50', facets: expect.any(String) })
  }, 60_000)

  test('that is removed leaves the empty dialog, in which words search alone', async () => {
    const { result } = await shop.visit({}, {}, async (page) => {
      await open(page)
      await choose(page, photo)
      await said(page, '30 products found')
      await searchWords(page, 'in red')
      await heardResults(page, 2)
      await page.getByRole('button', { name: 'New photo' }).click()
      await page.getByRole('button', { name: 'Remove the picture' }).click()
      const left = [
        await page.getByRole('searchbox').inputValue(),
        await page.getByRole('searchbox').getAttribute('placeholder'),
        await headlineOf(page).textContent(),
        await page.locator('[part=chip], [part=card], .canvas canvas').count(),
        await run(
          page,
          `document.querySelector('[data-service-widget]').shadowRoot.activeElement?.ariaLabel`,
        ),
      ]
      await searchWords(page, 'mug')
      await said(page, '12 products found')
      return left
    })
    const field = 'Words, or the address of a picture'
    expect(result).toEqual(['', field, '', 0, field])
    expect(paths().filter((path) => path !== 'suggestions')).toEqual(['upload', 'url', 'text'])
  }, 60_000)

  test('whose removal comes before its answer is not shown', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const { result } = await shop.visit({}, {}, async (page) => {
      shop.service.reply = () => held.then(() => undefined)
      await open(page)
      await choose(page, photo)
      await shop.service.arrived('upload', 1)
      const failed = page.waitForEvent('requestfailed')
      await page.getByRole('button', { name: 'New photo' }).click()
      await page.getByRole('button', { name: 'Remove the picture' }).click()
      await failed
      release()
      await fence(page, shop.service.address)
      return [
        await page.locator('.empty').count(),
        await page.locator('.skeleton, [aria-busy=true]').count(),
        await results(page),
      ]
    })
    expect(result).toEqual([1, 0, 0])
  }, 60_000)
})

describe('words', () => {
  test('that are none search nothing, and let go of a refinement', async () => {
    const { result } = await shop.visit({}, {}, async (page) => {
      await open(page)
      await page.getByRole('button', { name: 'Search', exact: true }).click()
      const focused = await run(
        page,
        `document.querySelector('[data-service-widget]').shadowRoot.activeElement?.ariaLabel`,
      )
      await fence(page, shop.service.address)
      const before = paths()
      await choose(page, photo)
      await said(page, '30 products found')
      await searchWords(page, ' in red ')
      await heardResults(page, 2)
      await searchWords(page, '')
      await heardResults(page, 3)
      return [before, focused]
    })
    expect(result).toEqual([[], 'Words, or the address of a picture'])
    expect(shop.service.callsOf('url').map(({ body }) => body['query'])).toEqual(['in red', undefined])
  }, 60_000)
})

describe('a category that was chosen', () => {
  test('stays when the next answer no longer names it', async () => {
    const { result } = await shop.visit({}, {}, async (page) => {
      await open(page)
      await choose(page, photo)
      await said(page, '30 products found')
      await page.getByRole('button', { name: 'bowls' }).click()
      await heardResults(page, 2)
      shop.service.reply = () => ({ body: { results: [], query_categories: [{ name: 'cups', score: 1 }] } })
      await searchWords(page, 'in red')
      await said(page, 'Nothing in this shop')
      return page.locator('.bar [part=chip]').allTextContents()
    })
    expect(result).toEqual(['bowls', 'cups'])
  }, 60_000)
})

describe('closing', () => {
  test('ends the search that runs, and the dialog opens without a trace of it', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const { result } = await shop.visit({}, {}, async (page) => {
      shop.service.reply = () => held.then(() => undefined)
      await open(page)
      await searchWords(page, 'mug')
      await page.locator('.skeleton').waitFor()
      const failed = page.waitForEvent('requestfailed')
      await page.keyboard.press('Escape')
      await failed
      release()
      await fence(page, shop.service.address)
      await open(page)
      return [
        await page.locator('.skeleton, [aria-busy=true], [part=card]').count(),
        await headlineOf(page).textContent(),
        await page.getByRole('searchbox').inputValue(),
        await results(page),
      ]
    })
    expect(result).toEqual([0, '', 'mug', 0])
  }, 60_000)

  test('keeps what was found', async () => {
    const { result } = await shop.visit({}, {}, async (page) => {
      await open(page)
      await choose(page, photo)
      await said(page, '30 products found')
      await page.keyboard.press('Escape')
      await dialogOf(page).waitFor({ state: 'hidden' })
      await open(page)
      const kept = [await headlineOf(page).textContent(), await cardsOf(page).count()]
      // The service still has the picture.
      await searchWords(page, 'in red')
      await heardResults(page, 2)
      return kept
    })
    expect(result).toEqual(['30 products found', 24])
    expect(paths()).toEqual(['upload', 'url'])
  }, 60_000)

  test('and opening at once leaves the search running', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await shop.visit({}, {}, async (page) => {
      shop.service.reply = () => held.then(() => undefined)
      await open(page)
      await searchWords(page, 'mug')
      await page.locator('.skeleton').waitFor()
      await run(page, 'ServiceWidget.close(); ServiceWidget.open()')
      await fence(page, shop.service.address)
      release()
      await said(page, '12 products found')
      expect(await dialogOf(page).isVisible()).toBe(true)
    })
    expect(queries()).toEqual(['mug'])
  }, 60_000)

  test('an inline widget forgets the search, and opens empty in its place', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const { result } = await shop.visit({ data: { 'data-mode': 'inline' } }, {}, async (page) => {
      await opener(page).click()
      await searchWords(page, 'mug')
      await said(page, '12 products found')
      shop.service.reply = () => held.then(() => undefined)
      await searchWords(page, 'cup')
      await shop.service.arrived('text', 2)
      const failed = page.waitForEvent('requestfailed')
      await run(page, 'ServiceWidget.close()')
      await failed
      release()
      await opener(page).click()
      await page.getByRole('region', { name: 'Find it by picture' }).waitFor()
      return [
        await page.locator('.empty').count(),
        await cardsOf(page).count(),
        await page.getByRole('searchbox').inputValue(),
        await page.getByRole('region').count(),
      ]
    })
    expect(result).toEqual([1, 0, '', 1])
  }, 60_000)
})

describe('while the main file is under way', () => {
  test('only the last opening counts', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const { result } = await shop.visit({}, {}, async (page) => {
      await opener(page).waitFor()
      await page.route('**/widget/main-*.js', async (route) => {
        await held
        await route.continue()
      })
      await run(page, `ServiceWidget.open({ query: 'mug' }); ServiceWidget.open({ query: 'cup' })`)
      await page.locator('[part=button][aria-busy=true]').waitFor()
      release()
      await said(page, '12 products found')
      await opener(page).and(page.locator(':not([aria-busy])')).waitFor({ state: 'attached' })
      return run(page, 'heard.map(([name]) => name)')
    })
    expect(result).toEqual(['open', 'results'])
    expect(queries()).toEqual(['cup'])
    expect(shop.service.requests.filter((line) => line.includes('/widget/main-'))).toHaveLength(1)
  }, 60_000)
})
