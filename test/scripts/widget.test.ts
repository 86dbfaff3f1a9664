import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import sharp from 'sharp'
import { BUDGETS, checkBudgets, measure } from '../../scripts/generate/widget.ts'
import { pickLabels } from '../../src/browser/widget/loader/labels.ts'
import { isHeic, readDimensions } from '../../src/browser/widget/main/picture-header.ts'
import { LANGUAGES } from '../../src/browser/widget/main/texts.ts'

const built = join(import.meta.dir, '../../dist/generated/widget')

describe('the budgets', () => {
  test('hold for this build, and forbid what a strict policy would stop', async () => {
    const texts = await Promise.all(
      ['loader.js', 'main.js'].map((name) => Bun.file(join(built, name)).text()),
    )
    // What the service sends, which must be those texts.
    const sent = ['loader.js.gz', 'main.js.gz'].map((name) => readFileSync(join(built, name)))
    expect(sent.map((bytes) => gunzipSync(bytes).toString())).toEqual(texts)
    const [loader = 0, main = 0] = texts.map((text, n) => measure(text, sent[n] ?? Buffer.alloc(0)))
    expect(Math.min(loader, main)).toBeGreaterThan(1000)
    expect(() => checkBudgets(loader, main)).not.toThrow()
    for (const text of texts) {
      expect(text).not.toMatch(
        /innerHTML|outerHTML|insertAdjacentHTML|\beval\(|new Function|document\.write|DOMParser|createObjectURL/,
      )
      expect(text).not.toMatch(/setAttribute\("style"|cssText/)
    }
  })

  test('fail the build one byte above', () => {
    const { loaderBytesMax, allBytesMax } = BUDGETS
    expect(() => checkBudgets(loaderBytesMax, allBytesMax - loaderBytesMax)).not.toThrow()
    expect(() => checkBudgets(loaderBytesMax + 1, 0)).toThrow('is the budget')
    expect(() => checkBudgets(loaderBytesMax, allBytesMax - loaderBytesMax + 1)).toThrow('is the budget')
  })
})

test('every language has every text, with the same places for numbers', () => {
  const places = (text: string) => text.match(/\{\w+\}/g) ?? []
  const { en, ...others } = LANGUAGES
  expect(Object.keys(others)).toHaveLength(7)
  for (const [name, texts] of Object.entries(others)) {
    // Some languages have more plurals than English.
    const names = Object.keys(texts).filter((key) => !/^found(Zero|Two|Few|Many)$/.test(key))
    expect([name, names]).toEqual([name, Object.keys(en)])
    for (const [key, text] of Object.entries(texts)) {
      expect([name, key, text.length > 0, places(text)]).toEqual([
        name,
        key,
        true,
        places(en[key.replace(/(Few|Many)$/, '') as 'found']),
      ])
    }
  }
})

test('the guide lists every text that data-texts may replace, as it is in English', async () => {
  const guide = await Bun.file(join(import.meta.dir, '../../src/guide/widget.md')).text()
  const listed = /```json\n(\{\n {2}"button"[\s\S]*?)\n```/.exec(guide)?.[1] ?? '{}'
  expect(JSON.parse(listed)).toEqual({ ...pickLabels('en', {}), ...LANGUAGES.en })
})

describe('the header of a picture', () => {
  const canvas = { create: { width: 123, height: 77, channels: 3 as const, background: '#369' } }

  test.each([
    ['JPEG', () => sharp(canvas).jpeg().toBuffer()],
    [
      'progressive JPEG with EXIF',
      () =>
        sharp(canvas)
          .withExif({ IFD0: { Artist: 'x'.repeat(9000) } })
          .jpeg({ progressive: true })
          .toBuffer(),
    ],
    ['PNG', () => sharp(canvas).png().toBuffer()],
    ['GIF', () => sharp(canvas).gif().toBuffer()],
    ['lossy WebP', () => sharp(canvas).webp().toBuffer()],
    ['lossless WebP', () => sharp(canvas).webp({ lossless: true }).toBuffer()],
    ['AVIF', () => sharp(canvas).avif().toBuffer()],
  ])('%s tells its size', async (_, make) => {
    const bytes = new Uint8Array(await make())
    expect(readDimensions(bytes)).toEqual({ width: 123, height: 77 })
    expect(isHeic(bytes)).toBe(false)
  })

  test('that is cut anywhere, or is none, gives nothing and throws nothing', async () => {
    const bytes = new Uint8Array(await sharp(canvas).jpeg().toBuffer())
    for (let end = 0; end < 160; end++) readDimensions(bytes.subarray(0, end))
    expect(readDimensions(bytes.subarray(0, 100))).toBeUndefined()
    expect(readDimensions(new Uint8Array())).toBeUndefined()
    expect(
      readDimensions(new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"/>')),
    ).toBeUndefined()
  })
})
