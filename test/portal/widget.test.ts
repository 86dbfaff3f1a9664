import { describe, expect, test } from 'bun:test'
import {
  type Look,
  readLook,
  readShopOrigins,
  writeColours,
  writePolicy,
  writePreviewOptions,
  writeSnippet,
} from '../../src/browser/portal/pages/widget/snippet.ts'

const PLAIN: Look = { lang: '', theme: '', mode: '', attach: '', accent: '', needsConsent: false }
const SRC = 'https://search.test/widget.js'

/** The attributes as an HTML parser reads them. */
async function readTags(html: string): Promise<Record<string, string>[]> {
  const tags: Record<string, string>[] = []
  const rewriter = new HTMLRewriter().on('*', {
    element: (element) => void tags.push(Object.fromEntries(element.attributes)),
  })
  await rewriter.transform(new Response(html)).text()
  return tags
}

const decode = (text = '') => text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&')

describe('the line for the shop', () => {
  test('says nothing that is usual', () => {
    expect(writeSnippet(SRC, 'pk_live_1', PLAIN)).toBe(
      '<script src="https://search.test/widget.js" data-key="pk_live_1" async></script>',
    )
  })

  test.each(['"><script>alert(1)</script>', `' onerror='x`, '&quot;&lt;', 'input[name="q"] > a'])(
    'is one tag, with the selector as it was: %j',
    async (attach) => {
      const look = { ...PLAIN, attach, lang: 'de', needsConsent: true }
      const tags = await readTags(writeSnippet(SRC, 'pk_live_1', look))
      expect(tags.map((tag) => ({ ...tag, 'data-attach': decode(tag['data-attach']) }))).toEqual([
        {
          ...{ src: SRC, 'data-key': 'pk_live_1', 'data-lang': 'de' },
          ...{ 'data-attach': attach, 'data-consent': 'required', async: '' },
        },
      ])
    },
  )
})

describe('the look of an address', () => {
  const read = (query: string) => readLook(new URLSearchParams(query))

  test('has a colour of six digits or none, so that no style sheet comes with it', () => {
    expect(read('accent=%23aBc123').accent).toBe('#aBc123')
    for (const accent of ['red', '#fff', '#0000000', '#12345g', '#000000;}*{display:none', 'x #000000'])
      expect(read(`accent=${encodeURIComponent(accent)}`).accent).toBe('')
  })

  test('goes into the address of the preview as values, never as further options', () => {
    const look = read(`lang=${encodeURIComponent('de&key=other#x')}&accent=%23ffffff`)
    const options = new URLSearchParams(writePreviewOptions(look))
    expect([...options]).toEqual([
      ['lang', 'de&key=other#x'],
      ['accent', '#ffffff'],
      ['accent_text', '#000000'],
    ])
    expect(writePreviewOptions(PLAIN)).toBe('')
  })
})

test.each([
  ['#000000', '#ffffff'],
  ['#0b6e5f', '#ffffff'],
  ['#ffffff', '#000000'],
  ['#ffd400', '#000000'],
])('on %s one reads %s', (accent, text) => {
  expect(writeColours(accent)).toBe(`:root { --service-accent: ${accent}; --service-accent-text: ${text} }`)
})

test('a strict shop lets the service in for scripts, calls and pictures', () => {
  expect(writePolicy('https://s.test')).toBe(
    'script-src https://s.test; connect-src https://s.test; img-src https://s.test',
  )
})

test.each([
  ['shop.test', ['https://shop.test', 'https://www.shop.test']],
  [' HTTPS://www.Shop.test/cups?a#b ', ['https://www.shop.test', 'https://shop.test']],
  ['http://localhost:3000/x', ['http://localhost:3000']],
  ['https://192.0.2.1', ['https://192.0.2.1']],
  ['http://[::1]:80/', ['http://[::1]']],
  ['bücher.test', ['https://xn--bcher-kva.test', 'https://www.xn--bcher-kva.test']],
  ['', []],
  ['javascript:alert(1)', []],
  ['https://a:b@shop.test', []],
  ['shop test', []],
  ['*.shop.test', []],
])('the address %j of a shop has the origins %o', (typed, origins) => {
  expect(readShopOrigins(typed)).toEqual(origins)
})

describe('the file for WooCommerce', () => {
  // The portal's own types know what an import of PHP is.
  const path = '../../src/browser/portal/pages/widget/php-file.ts'

  test('holds the address and the key where the example has others, and nothing else is new', async () => {
    const { writePhpFile } = await import(path)
    const [before, after] = [
      String(writePhpFile('https://search.shop.example', 'pk_live_…')),
      String(writePhpFile('https://s.test', 'pk_live_1')),
    ].map((text) => text.split('\n')) as [string[], string[]]
    expect(after.filter((line, n) => line !== before[n])).toEqual([
      "const LOOKALIKE_SERVICE = 'https://s.test';",
      "const LOOKALIKE_KEY = 'pk_live_1';",
    ])
    expect(after).toHaveLength(before.length)
  })

  test.each(["x'; system('id'); //", 'x\\', "$'$&$1"])('has %j as a text of PHP', async (key) => {
    const { writePhpFile } = await import(path)
    const written = String(writePhpFile('https://s.test', key))
    const [, text = ''] = /^const LOOKALIKE_KEY = '((?:[^'\\]|\\['\\])*)';$/m.exec(written) ?? []
    expect(text.replace(/\\(['\\])/g, '$1')).toBe(key)
  })
})
