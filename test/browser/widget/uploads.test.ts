import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { plain } from './pictures.ts'
import { dialogOf, fence, open, opener, openWidgetPage, run, said, transfer } from './shop.ts'

const shop = openWidgetPage()
let folder: string
let file: string

const photo = await plain(400, 300)

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'widget-uploads-'))
  file = join(folder, 'own.jpg')
  await Bun.write(file, photo)
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Drags the file over the middle of elements, as somebody does with a mouse, and drops it on the last. */
async function drag(
  page: Page,
  context: BrowserContext,
  selectors: string[],
  shown: number[],
): Promise<void> {
  const session = await context.newCDPSession(page)
  const data = { items: [], files: [file], dragOperationsMask: 1 }
  for (const [n, selector] of selectors.entries()) {
    const { x, y, width, height } = (await page.locator(selector).boundingBox()) ?? {
      ...{ x: 0, y: 0, width: 0, height: 0 },
    }
    const at = { x: x + width / 2, y: y + height / 2, data }
    await session.send('Input.dispatchDragEvent', { type: 'dragEnter', ...at })
    await session.send('Input.dispatchDragEvent', { type: 'dragOver', ...at })
    await page.locator('[part=drop]').waitFor({ state: shown[n] ? 'visible' : 'detached' })
    if (n === selectors.length - 1) await session.send('Input.dispatchDragEvent', { type: 'drop', ...at })
  }
}

describe('a file that the shop takes itself', () => {
  test('in a field for uploads arrives there', async () => {
    const { result } = await shop.visit(
      { body: '<p><input type="file" id="own"></p>' },
      {},
      async (page, context) => {
        await opener(page).waitFor()
        await drag(page, context, ['h1', '#own'], [1, 0])
        await fence(page, shop.service.address)
        return [
          await run(page, `document.querySelector('#own').files[0]?.name`),
          await dialogOf(page).count(),
        ]
      },
    )
    expect(result).toEqual(['own.jpg', 0])
    expect(shop.service.calls).toEqual([])
  }, 60_000)

  test.each(['preventDefault', 'stopPropagation'])(
    'in a place of its own that calls %s is left to it, and the drop area goes',
    async (call) => {
      const { result } = await shop.visit(
        { body: '<p id="zone">Your pictures here</p>' },
        {},
        async (page, context) => {
          await opener(page).waitFor()
          await run(
            page,
            `window.taken = []
            for (const name of ['dragenter', 'dragover', 'drop']) document.querySelector('#zone').addEventListener(name, (event) => {
              event.preventDefault(); event.${call}()
              if (name === 'drop') taken.push(event.dataTransfer.files[0].name)
            })`,
          )
          await drag(page, context, ['h1', '#zone'], [1, 0])
          await page.locator('[part=drop]').waitFor({ state: 'detached' })
          await fence(page, shop.service.address)
          return [await run(page, 'taken'), await dialogOf(page).count()]
        },
      )
      expect(result).toEqual([['own.jpg'], 0])
      expect(shop.service.calls).toEqual([])
    },
    60_000,
  )

  test('anywhere else is searched for', async () => {
    await shop.visit({}, {}, async (page, context) => {
      await opener(page).waitFor()
      await drag(page, context, ['h1'], [1])
      await said(page, '30 products found')
    })
    expect(shop.service.callsOf('upload')).toHaveLength(1)
  }, 60_000)
})

describe('a picture that is pasted', () => {
  test('into a field of a web component stays there; into our own field it is searched for', async () => {
    await shop.visit({ body: '<div id="component"></div>' }, {}, async (page) => {
      await opener(page).waitFor()
      await run(
        page,
        `(() => { const root = document.querySelector('#component').attachShadow({ mode: 'open' })
          const field = document.createElement('textarea'); root.append(field); field.focus() })()`,
      )
      const paste = transfer('paste', photo)
        .replace('document.activeElement', 'document.activeElement.shadowRoot.activeElement')
        .replaceAll('bubbles: true', 'bubbles: true, composed: true')
      expect(await run(page, paste)).toBe(true)
      await open(page)
      await page.getByRole('searchbox').focus()
      expect(await run(page, paste)).toBe(false)
      await said(page, '30 products found')
    })
    expect(shop.service.callsOf('upload')).toHaveLength(1)
  }, 60_000)
})
