import { expect, test } from 'bun:test'
import { systemIds } from '../../src/core/ids.ts'
import { createChecksummedKey } from '../../src/core/keys.ts'

const of = (byte: number) =>
  createChecksummedKey('k_', { secret: (size) => Buffer.alloc(size, byte).toString('base64url') })

test('prefix, 32 characters, 6 of checksum, whatever the random bytes are', () => {
  for (const byte of [0, 1, 127, 255]) expect(of(byte)).toMatch(/^k_[0-9A-Za-z]{38}$/)
  expect(of(0)).toStartWith(`k_${'0'.repeat(32)}`)
  expect(of(255)).not.toBe(of(254))
})

test('every typing error of one character is seen by the checksum', () => {
  const key = createChecksummedKey('', systemIds)
  const fits = (text: string) => {
    const number = [...text.slice(32)].reduce(
      (sum, digit) =>
        sum * 62 + '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'.indexOf(digit),
      0,
    )
    return number === Bun.hash.crc32(text.slice(0, 32))
  }
  expect(fits(key)).toBe(true)
  for (let n = 0; n < key.length; n++) {
    const other = key[n] === 'x' ? 'y' : 'x'
    expect(fits(key.slice(0, n) + other + key.slice(n + 1))).toBe(false)
  }
})
