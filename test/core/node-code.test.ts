import { expect, test } from 'bun:test'
import { createNodeCode, fromBase32, parseNodeCode, toBase32 } from '../../src/core/node-code.ts'

const secret = Uint8Array.from({ length: 10 }, (_, n) => 255 - n * 7)
const fingerprint = Uint8Array.from({ length: 16 }, (_, n) => n * 16)

test('a code says both, in groups of four, without letters that look like digits', () => {
  const code = createNodeCode(secret, fingerprint)
  expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){10}[0-9A-HJKMNP-TV-Z]{2}$/)
  expect(parseNodeCode(code)).toEqual({ secret, fingerprint })
})

test('it is read as people type it', () => {
  const code = createNodeCode(new Uint8Array(10), fingerprint)
  expect(parseNodeCode(` ${code.toLowerCase().replaceAll('-', ' ')} `)?.fingerprint).toEqual(fingerprint)
  expect(
    parseNodeCode(code.replaceAll('0', 'O').replaceAll('1', 'l').replaceAll('-', '–'))?.fingerprint,
  ).toEqual(fingerprint)
})

test.each([
  '',
  'u',
  '-',
  'A'.repeat(41),
  'A'.repeat(43),
  `${createNodeCode(secret, fingerprint)}0`,
  'A'.repeat(10_000),
])('%# is no code', (text) => expect(parseNodeCode(text)).toBeUndefined())

test('bytes of any length come back, and leftover bits are zero', () => {
  for (let length = 0; length < 40; length++) {
    const bytes = crypto.getRandomValues(new Uint8Array(length))
    expect(fromBase32(toBase32(bytes))).toEqual(bytes)
  }
  expect(fromBase32('01')).toBeUndefined()
})
