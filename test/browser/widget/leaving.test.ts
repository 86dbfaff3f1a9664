import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { plain } from './pictures.ts'
import {
  choose,
  dialogOf,
  fence,
  heardResults,
  open,
  opener,
  openWidgetPage,
  run,
  said,
  searchWords,
} from './shop.ts'

const shop = openWidgetPage()

const photo = await plain(800, 600)
const close = async (page: Page) => {
  await page.keyboard.press('Escape')
  await dialogOf(page).waitFor({ state: 'hidden' })
}
const paths = () => shop.service.calls.map(({ path }) => path.split('/').at(-1))

/** Packs pictures for longer than the widget needs to read and send one. */
const pack = (page: Page) =>
  run(
    page,
    `(async () => { for (let n = 0; n < 20; n++) await new Promise((done) => document.createElement('canvas').toBlob(done, 'image/jpeg')) })()`,
  )

/** Lets the page wait for a function of the browser until it calls `release()`. */
const hold = (name: string, place = 'window') => `(() => {
  const real = ${place}.${name}.bind(${place})
  window.held = new Promise((isHeld) => {
    ${place}.${name} = (...given) => new Promise((done) => {
      window.release = async () => { const value = await real(...given); done(value) }
      isHeld()
    })
  })
})()`

describe.each([
  ['closed', close],
  ['destroyed', (page: Page) => run(page, 'ServiceWidget.destroy()')],
] as const)('after the dialog was %s', (state, leave) => {
  test('a picture that was still read is not sent', async () => {
    await shop.visit({}, {}, async (page) => {
      await open(page)
      await run(page, hold('createImageBitmap'))
      await choose(page, photo)
      await run(page, 'held')
      await leave(page)
      await run(page, 'release()')
      await pack(page)
      await fence(page, shop.service.address)
    })
    expect(paths()).toEqual([])
  }, 60_000)

  test('a picture that the clipboard still holds is not sent', async () => {
    await shop.visit({}, {}, async (page) => {
      await open(page)
      await run(
        page,
        `navigator.clipboard.read = async () => [{ types: ['image/png'], getType: () => new Promise((done) =>
          document.createElement('canvas').toBlob(done)) }]`,
      )
      await run(page, hold('read', 'navigator.clipboard'))
      await page.getByRole('button', { name: 'Paste' }).click()
      await run(page, 'held')
      await leave(page)
      await run(page, 'release()')
      await pack(page)
      await fence(page, shop.service.address)
    })
    expect(paths()).toEqual([])
  }, 60_000)

  test('a frame that was just moved is not searched with', async () => {
    await shop.visit({}, {}, async (page) => {
      await page.clock.install()
      await open(page)
      await choose(page, photo)
      await said(page, '30 products found')
      await page.locator('.frame').focus()
      // On a loaded machine the widget would otherwise search before it is left.
      await page.clock.pauseAt(await run<number>(page, 'Date.now() + 60_000'))
      await page.keyboard.press('Shift+ArrowLeft')
      await leave(page)
      await page.clock.fastForward(1_000)
      await fence(page, shop.service.address)
      await page.clock.resume()
      if (state === 'closed') {
        await open(page)
        await page.locator('.picture.whole').waitFor()
      }
    })
    expect(paths()).toEqual(['upload'])
  }, 60_000)

  test('a search that waited for the network does not go on', async () => {
    await shop.visit({}, {}, async (page, context) => {
      await open(page)
      await context.setOffline(true)
      await searchWords(page, 'mug')
      await said(page, 'You are offline.')
      await leave(page)
      await context.setOffline(false)
      await fence(page, shop.service.address)
    })
    expect(paths()).toEqual([])
  }, 60_000)
})

describe('while the main file is under way', () => {
  const holdMain = async (page: Page) => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/widget/main-*.js', async (route) => {
      await held
      await route.continue()
    })
    return async () => {
      release()
      // The loader takes its link away when the file has run.
      await page.locator('link[rel=modulepreload]').waitFor({ state: 'detached' })
    }
  }

  test('close keeps the dialog from opening', async () => {
    const { result } = await shop.visit({}, {}, async (page) => {
      await opener(page).waitFor()
      const release = await holdMain(page)
      await run(page, 'ServiceWidget.open(); ServiceWidget.close()')
      await release()
      await opener(page).and(page.locator(':not([aria-busy])')).waitFor()
      return [await dialogOf(page).count(), await run(page, 'heard')]
    })
    expect(result).toEqual([0, []])
  }, 60_000)

  test('destroy ends it without a trace', async () => {
    const { result, console } = await shop.visit({}, {}, async (page) => {
      await opener(page).waitFor()
      const release = await holdMain(page)
      await run(
        page,
        `window.listened = []
        const real = window.addEventListener
        window.addEventListener = function (name, ...more) { listened.push(name); return real.call(this, name, ...more) }
        ServiceWidget.open(); ServiceWidget.destroy()`,
      )
      await release()
      await fence(page, shop.service.address)
      return [await run(page, 'listened'), await run(page, 'heard')]
    })
    expect(result).toEqual([[], []])
    expect(console).toEqual([])
  }, 60_000)

  test('an event that fails after destroy is kept, and not tried again', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await shop.visit({}, {}, async (page) => {
      await opener(page).waitFor()
      await page.clock.install()
      shop.service.reply = () => held.then(() => ({ status: 503, body: { error: 'overloaded' } }))
      await run(page, `ServiceWidget.trackAddToCart('sku-1'); ServiceWidget.destroy()`)
      const answered = page.waitForResponse('**/feedback')
      release()
      await answered
      await fence(page, shop.service.address)
      await page.clock.fastForward(31_000)
      await fence(page, shop.service.address)
      expect(await run<number>(page, `JSON.parse(localStorage['service-queue']).length`)).toBe(1)
    })
    expect(paths()).toEqual(['feedback'])
  }, 60_000)
})

describe('an answer', () => {
  test.each([
    ['that is a page of somebody else', { contentType: 'text/html', body: '<html>Sign in</html>' }],
    ['that was cut off', { contentType: 'application/json', body: '{"results":[' }],
    ['without results', { contentType: 'application/json', body: '{}' }],
  ])(
    '%s counts as none, and another try is offered',
    async (_, answer) => {
      await shop.visit({}, {}, async (page) => {
        await open(page)
        const headers = { 'access-control-allow-origin': '*' }
        await page.route('**/search/text', (route) => route.fulfill({ ...answer, headers }), { times: 1 })
        await searchWords(page, 'mug')
        await said(page, 'The search did not work.')
        await page.getByRole('button', { name: 'Try again' }).click()
        await said(page, '12 products found')
      })
    },
    60_000,
  )

  test('that comes after another try leaves the focus in the dialog', async () => {
    const { result } = await shop.visit({}, {}, async (page) => {
      shop.service.reply = () => ({ status: 500, body: { error: 'internal_error' } })
      await open(page)
      await searchWords(page, 'mug')
      await page.getByRole('button', { name: 'Try again' }).focus()
      shop.service.reply = () => undefined
      await page.keyboard.press('Enter')
      await said(page, '12 products found')
      return run(page, `document.querySelector('[data-service-widget]').shadowRoot.activeElement?.className`)
    })
    expect(result).toBe('results')
  }, 60_000)
})

describe('before the first answer', () => {
  test('a frame waits for the upload that is under way', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await shop.visit({}, {}, async (page) => {
      await page.clock.install()
      shop.service.reply = () => held.then(() => undefined)
      await open(page)
      await choose(page, photo)
      await page.locator('.frame').focus()
      await page.keyboard.press('Shift+ArrowLeft')
      await page.clock.fastForward(400)
      await fence(page, shop.service.address)
      release()
      await said(page, '9 products found')
    })
    expect(paths()).toEqual(['upload', 'url'])
    expect(shop.service.callsOf('url')[0]?.body).toMatchObject({
      image_id: 'image-1',
      crop: { x: 0, y: 0, height: 1 },
    })
  }, 60_000)

  test('another picture ends the upload', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await shop.visit({}, {}, async (page) => {
      shop.service.reply = ({ path }) => (path.endsWith('upload') ? held.then(() => undefined) : undefined)
      await open(page)
      const failed = page.waitForEvent('requestfailed', (request) =>
        request.url().startsWith(shop.service.address),
      )
      await choose(page, photo)
      await page.locator('.frame').waitFor()
      await searchWords(page, 'https://pictures.example/mug.jpg')
      expect((await failed).url()).toEndWith('/upload')
      await said(page, '9 products found')
      release()
    })
    expect(shop.service.callsOf('url')[0]?.body['image_id']).toBeUndefined()
  }, 60_000)
})

describe('the picture at an address', () => {
  test('that the page may not show has its parts, too', async () => {
    await shop.visit({}, {}, async (page) => {
      await open(page)
      await searchWords(page, 'https://pictures.example/mug.jpg')
      await page.getByRole('button', { name: 'Region 2' }).click()
      await heardResults(page, 2)
    })
    expect(shop.service.callsOf('url')[1]?.body['crop']).toMatchObject({ x: 0.5, y: 0.4 })
  }, 60_000)

  test('that is shown late keeps the frame, and nobody learns where it is shown', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const { result } = await shop.visit({}, {}, async (page) => {
      const seen = page.waitForRequest('**/product/77.svg')
      await page.route('**/product/77.svg', async (route) => {
        await held
        await route.fulfill({
          contentType: 'image/svg+xml',
          body: '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200"></svg>',
        })
      })
      await open(page)
      await searchWords(page, `${shop.service.address}/product/77.svg`)
      await page.getByRole('button', { name: 'Region 2' }).click()
      await heardResults(page, 2)
      release()
      await page.getByRole('img', { name: 'Your picture' }).waitFor()
      const { referer } = await (await seen).allHeaders()
      return [await page.locator('.picture.whole').count(), referer]
    })
    expect(result).toEqual([0, undefined])
  }, 60_000)
})
