import { describe, expect, test } from 'bun:test'
import { hashSecret, isSecret } from '../../src/core/secrets.ts'

describe('secrets that are random enough to need no slow hash', () => {
  test('the hash is SHA-256', () => {
    // FIPS 180-2, appendix B.1.
    expect(hashSecret('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
  })

  test('a secret belongs to its own hash, as Buffer or as plain bytes', () => {
    expect(isSecret('secret', hashSecret('secret'))).toBe(true)
    expect(isSecret('secret', Uint8Array.from(hashSecret('secret')))).toBe(true)
    expect(isSecret('Secret', hashSecret('secret'))).toBe(false)
    expect(isSecret('', hashSecret('secret'))).toBe(false)
  })

  test.each([undefined, new Uint8Array(0), new Uint8Array(31), hashSecret('secret').subarray(1)])(
    'nothing belongs to a hash that is missing or of another length (%#), and nothing is thrown',
    (hash) => {
      expect(isSecret('secret', hash)).toBe(false)
      expect(isSecret('', hash)).toBe(false)
    },
  )
})
