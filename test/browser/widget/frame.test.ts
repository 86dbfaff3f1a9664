import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { plain } from './pictures.ts'
import { choose, fence, heardResults, open, openWidgetPage, run, said } from './shop.ts'

const shop = openWidgetPage()

const photo = await plain(800, 600)

/** Opens a picture with its frame, at a clock that the test moves. */
async function start(page: Page): Promise<void> {
  await page.clock.install()
  await open(page)
  await choose(page, photo)
  await said(page, '30 products found')
  await page.locator('.frame').focus()
  await page.clock.pauseAt(Date.now() + 60_000)
}

const press = async (page: Page, key: string, times = 1) => {
  for (let n = 0; n < times; n++) await page.keyboard.press(key)
}
const settle = async (page: Page, results: number) => {
  await page.clock.runFor(400)
  await heardResults(page, results)
}
const crops = () =>
  shop.service
    .callsOf('url')
    .map(({ body }) =>
      Object.entries((body['crop'] ?? {}) as Record<string, number>).map(
        ([name, value]) => `${name} ${Math.round(value * 100)}`,
      ),
    )
const styleOf = (page: Page) =>
  run(
    page,
    `(() => { const { left, top, width, height } = document.querySelector('[data-service-widget]').shadowRoot.querySelector('.frame').getBoundingClientRect()
    const picture = document.querySelector('[data-service-widget]').shadowRoot.querySelector('.picture').getBoundingClientRect()
    return [(left - picture.left) / picture.width, (top - picture.top) / picture.height, width / picture.width, height / picture.height].map((share) => Math.round(share * 100)) })()`,
  )

describe('the frame by keyboard', () => {
  test('stays in the picture, and not smaller than the service takes', async () => {
    const { result } = await shop.visit({}, {}, async (page) => {
      await start(page)
      await press(page, 'Shift+ArrowLeft', 100)
      await press(page, 'Shift+ArrowUp', 100)
      const least = await styleOf(page)
      await press(page, 'ArrowRight', 100)
      await press(page, 'ArrowDown', 100)
      const corner = await styleOf(page)
      await settle(page, 2)
      return { least, corner }
    })
    // 33 of the 768 × 576 pixels that are sent.
    expect(result).toEqual({ least: [0, 0, 4, 6], corner: [96, 94, 4, 6] })
    expect(crops()).toEqual([['x 96', 'y 94', 'width 4', 'height 6']])
  }, 60_000)

  test('leaves keys with Control, Alt or Meta and all others to the browser', async () => {
    const { result } = await shop.visit({}, {}, async (page) => {
      await start(page)
      await press(page, 'Control+ArrowLeft')
      await press(page, 'Alt+Shift+ArrowUp')
      await press(page, 'a')
      await page.clock.runFor(400)
      await fence(page, shop.service.address)
      return styleOf(page)
    })
    expect(result).toEqual([0, 0, 100, 100])
    expect(crops()).toEqual([])
  }, 60_000)

  test('around all of the picture again searches with the whole; a frame of its own presses no part', async () => {
    const { result } = await shop.visit({}, {}, async (page) => {
      const pressed = () => page.locator('.side [aria-pressed=true]').allTextContents()
      await start(page)
      await press(page, 'Shift+ArrowLeft', 5)
      await settle(page, 2)
      const own = await pressed()
      await press(page, 'Shift+ArrowRight', 5)
      await settle(page, 3)
      return [own, await pressed(), await page.locator('.picture.whole').count()]
    })
    expect(result).toEqual([[], ['Whole picture'], 1])
    expect(crops()).toEqual([['x 0', 'y 0', 'width 95', 'height 100'], []])
  }, 60_000)

  test('waits anew with each key', async () => {
    await shop.visit({}, {}, async (page) => {
      await start(page)
      for (let n = 0; n < 3; n++) {
        await press(page, 'Shift+ArrowLeft')
        await page.clock.runFor(250)
      }
      await settle(page, 2)
    })
    expect(crops()).toEqual([['x 0', 'y 0', 'width 97', 'height 100']])
  }, 60_000)

  test('that a part was chosen meanwhile is not searched with', async () => {
    await shop.visit({}, {}, async (page) => {
      await start(page)
      await press(page, 'Shift+ArrowLeft', 5)
      await page.getByRole('button', { name: 'Region 2' }).click()
      await settle(page, 2)
      await page.clock.runFor(1_000)
      await fence(page, shop.service.address)
    })
    expect(crops()).toEqual([['x 50', 'y 40', 'width 40', 'height 50']])
  }, 60_000)
})

describe('the frame by pointer', () => {
  const drag = async (page: Page, from: [number, number], to: [number, number], button: 'left' | 'right') => {
    const picture = await page.locator('.picture').boundingBox()
    const at = ([x, y]: [number, number]) =>
      [(picture?.x ?? 0) + x * (picture?.width ?? 0), (picture?.y ?? 0) + y * (picture?.height ?? 0)] as const
    await page.mouse.move(...at(from))
    await page.mouse.down({ button })
    await page.mouse.move(...at(to), { steps: 4 })
    await page.mouse.up({ button })
  }

  test('moves as a whole where it is held in the middle, and only with the first button', async () => {
    const { result } = await shop.visit({}, {}, async (page) => {
      await start(page)
      await press(page, 'Shift+ArrowLeft', 50)
      await press(page, 'Shift+ArrowUp', 50)
      await settle(page, 2)
      await drag(page, [0.2, 0.2], [0.45, 0.3], 'left')
      await settle(page, 3)
      const moved = await styleOf(page)
      // A press without a move is no search.
      await page.locator('.frame').click({ position: { x: 50, y: 20 } })
      await drag(page, [0.45, 0.2], [0.6, 0.5], 'right')
      await page.clock.runFor(1_000)
      await fence(page, shop.service.address)
      return [moved, await styleOf(page)]
    })
    expect(result).toEqual([
      [25, 10, 50, 50],
      [25, 10, 50, 50],
    ])
    expect(crops()).toEqual([
      ['x 0', 'y 0', 'width 50', 'height 50'],
      ['x 25', 'y 10', 'width 50', 'height 50'],
    ])
  }, 60_000)

  test('changes two edges at a corner and one in the middle of an edge', async () => {
    const { result } = await shop.visit({}, {}, async (page) => {
      await start(page)
      await drag(page, [1, 1], [0.6, 0.7], 'left')
      const corner = await styleOf(page)
      await drag(page, [0, 0.35], [0.2, 0.9], 'left')
      const edge = await styleOf(page)
      await settle(page, 2)
      return [corner, edge]
    })
    expect(result).toEqual([
      [0, 0, 60, 70],
      [20, 0, 40, 70],
    ])
    expect(crops()).toEqual([['x 20', 'y 0', 'width 40', 'height 70']])
  }, 60_000)
})
