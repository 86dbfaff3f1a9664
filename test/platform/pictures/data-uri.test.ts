import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ApiError } from '../../../src/core/errors.ts'
import { decodeBase64, decodeDataUri } from '../../../src/platform/pictures/data-uri.ts'

const codeOf = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    if (error instanceof ApiError) return error.code
    throw error
  }
  return 'none'
}
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')

describe('decodeBase64', () => {
  test('gives back any bytes, in both alphabets, with and without padding', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const plain = Buffer.from(bytes).toString('base64')
        const forUrls = plain.replaceAll('+', '-').replaceAll('/', '_')
        for (const form of [plain, plain.replaceAll('=', ''), forUrls, forUrls.replaceAll('=', '')]) {
          expect(Buffer.from(decodeBase64(form, 300)).equals(bytes)).toBe(true)
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
  ])('refuses %j', (damaged) => {
    expect(codeOf(() => decodeBase64(damaged, 100))).toBe('image_unreadable')
  })

  test('judges the size before decoding, exactly at the limit', () => {
    expect(decodeBase64(Buffer.alloc(100).toString('base64'), 100).length).toBe(100)
    expect(codeOf(() => decodeBase64(Buffer.alloc(101).toString('base64'), 100))).toBe('image_too_large')
    expect(codeOf(() => decodeBase64('!'.repeat(1000), 100))).toBe('image_too_large')
  })
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
  ])('reads %s', (uri, expected) => {
    expect(text(decodeDataUri(uri, 100))).toBe(expected)
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
  ])('refuses %j', (uri) => {
    expect(codeOf(() => decodeDataUri(uri, 100))).toBe('image_unreadable')
  })

  test('knows the limit in every form', () => {
    const bytes = Buffer.alloc(100, 0xfb)
    const forms = (content: Buffer) => [
      `data:;base64,${content.toString('base64')}`,
      `data:;base64,${encodeURIComponent(content.toString('base64'))}`,
      `data:,${[...content].map((byte) => `%${byte.toString(16)}`).join('')}`,
      `data:,${'a'.repeat(content.length)}`,
    ]
    expect(forms(bytes).map((uri) => decodeDataUri(uri, 100).length)).toEqual([100, 100, 100, 100])
    expect(forms(bytes).map((uri) => codeOf(() => decodeDataUri(uri, 99)))).toEqual(
      Array(4).fill('image_too_large'),
    )
  })
})
