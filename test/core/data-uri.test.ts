import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { decodeBase64, decodeDataUri } from '../../src/core/data-uri.ts'
import { ApiError } from '../../src/core/errors.ts'

const codeOf = async (work: Promise<unknown>) => {
  try {
    await work
  } catch (error) {
    if (error instanceof ApiError) return error.code
    throw error
  }
  return 'none'
}
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')

describe('decodeBase64', () => {
  test('gives back any bytes, in both alphabets, with and without padding', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        const plain = Buffer.from(bytes).toString('base64')
        const forUrls = plain.replaceAll('+', '-').replaceAll('/', '_')
        for (const form of [plain, plain.replaceAll('=', ''), forUrls, forUrls.replaceAll('=', '')]) {
          expect(Buffer.from(await decodeBase64(form, 300)).equals(bytes)).toBe(true)
        }
      }),
    )
  })

  test.each([
    'A',
    'AAAAA',
    'QUI==',
    'QUI=A',
    'Q=UI',
    '=',
    '====',
    'QU I',
    'QUJD\n',
    '\nQUJD',
    'QUJDQUJD\r\n\t ',
    'QUJ',
    'QR==',
    '+-+-',
    '/_/_',
    'QUJ?',
    'QUJé',
    'ＱＵＪＤ',
    'QUJD===',
    'data:image/png;base64,QUJD',
  ])('refuses %j', async (damaged) => {
    expect(await codeOf(decodeBase64(damaged, 100))).toBe('image_unreadable')
  })

  test('judges the size before decoding, exactly at the limit', async () => {
    expect((await decodeBase64(Buffer.alloc(100).toString('base64'), 100)).length).toBe(100)
    expect(await codeOf(decodeBase64(Buffer.alloc(101).toString('base64'), 100))).toBe('image_too_large')
    expect(await codeOf(decodeBase64('!'.repeat(1000), 100))).toBe('image_too_large')
  })
})

describe('a long base64 text, which is decoded in steps', () => {
  const STEP = 1024 * 1024
  const MAX = 10 * STEP

  /** Decodes a text as a whole; undefined where it is refused. */
  function decodeWhole(text: string): Uint8Array | undefined {
    const chars = text.replace(/={1,2}$/, '').length
    const padded = chars < text.length ? text : text + '='.repeat((4 - (chars % 4)) % 4)
    try {
      const alphabet = /[-_]/.test(text) ? 'base64url' : 'base64'
      const bytes = Uint8Array.fromBase64(padded, { alphabet, lastChunkHandling: 'strict' })
      return bytes.length === Math.floor((chars * 3) / 4) ? bytes : undefined
    } catch {
      return undefined
    }
  }

  test('gives the bytes and the refusals of decoding it as a whole', async () => {
    const signs = fc.constantFrom('', ' ', '\n', '=', '==', '-', '_', '+', '!', 'A', 'ü', '\u0100')
    const place = fc.tuple(
      fc.constantFrom(0, STEP - 2, STEP, STEP + 2, 2 * STEP),
      fc.integer({ min: -5, max: 5 }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2 * STEP - 6, max: 2 * STEP + 6 }),
        place,
        signs,
        fc.nat(3),
        async (length, [at, by], sign, taken) => {
          const plain = 'AbCdEfGh'.repeat(STEP / 4 + 8).slice(0, length)
          const text = plain.slice(0, Math.max(0, at + by)) + sign + plain.slice(Math.max(0, at + by) + taken)
          const expected = decodeWhole(text)
          const bytes = await decodeBase64(text, MAX).catch((error) => {
            expect(error).toMatchObject({ code: 'image_unreadable' })
            return undefined
          })
          expect(bytes === undefined).toBe(expected === undefined)
          if (bytes && expected) expect(Buffer.compare(bytes, expected)).toBe(0)
        },
      ),
      { numRuns: 150 },
    )
  }, 60_000)
})

describe('decodeDataUri', () => {
  test.each([
    ['data:image/png;base64,QUJD', 'ABC'],
    ['DATA:image/png;charset=x;BASE64,QUI=', 'AB'],
    ['data:;base64,QUI', 'AB'],
    ['data:image/png; base64,QUI%3D', 'AB'],
    ['data:image/png;base64,%2B%2f8%3D', '\xfb\xff'],
    ['data:,ABC', 'ABC'],
    ['data:image/gif,GIF89a%00%ff,x', 'GIF89a\x00\xff,x'],
    ['data:image/png;name=base64,QUJD', 'QUJD'],
    ['data:image/png;base64,', ''],
  ])('reads %s', async (uri, expected) => {
    expect(text(await decodeDataUri(uri, 100))).toBe(expected)
  })

  test.each([
    '',
    'data:',
    'data:image/png;base64',
    'http://example.com/a,b',
    ' data:,A',
    'data:,%',
    'data:,%4',
    'data:,%4g',
    'data:,a b',
    'data:,a\n',
    'data:,é',
    'data:,a#b',
    'data:;base64,QU JD',
    'data:;base64,QUJ%0AD',
    'data:;base64,QUJ!',
  ])('refuses %j', async (uri) => {
    expect(await codeOf(decodeDataUri(uri, 100))).toBe('image_unreadable')
  })

  test('knows the limit in every form', async () => {
    const bytes = Buffer.alloc(100, 0xfb)
    const forms = (content: Buffer) => [
      `data:;base64,${content.toString('base64')}`,
      `data:;base64,${encodeURIComponent(content.toString('base64'))}`,
      `data:,${[...content].map((byte) => `%${byte.toString(16)}`).join('')}`,
      `data:,${'a'.repeat(content.length)}`,
    ]
    for (const uri of forms(bytes)) {
      expect((await decodeDataUri(uri, 100)).length).toBe(100)
      expect(await codeOf(decodeDataUri(uri, 99))).toBe('image_too_large')
    }
  })

  test('an escape may lie across the pieces in which a long text is read', async () => {
    for (const before of [524_285, 524_286, 524_287, 524_288]) {
      const bytes = await decodeDataUri(`data:,${'a'.repeat(before)}%41%42${'c'.repeat(100)}`, 1_000_000)
      expect(text(bytes)).toBe(`${'a'.repeat(before)}AB${'c'.repeat(100)}`)
    }
  })

  test('a type as long as a picture is passed over', async () => {
    const type = '; '.repeat(3_000_000)
    expect(text(await decodeDataUri(`data:${type};base64,QUJD`, 100))).toBe('ABC')
  })
})
