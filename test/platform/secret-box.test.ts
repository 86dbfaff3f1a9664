import { describe, expect, test } from 'bun:test'
import { createDecipheriv, createHmac, hkdfSync } from 'node:crypto'
import { systemIds } from '../../src/core/ids.ts'
import { createSecretBox } from '../../src/platform/secret-box.ts'

const SECRET = 'a secret that is only used in tests'
const box = createSecretBox(SECRET, systemIds)

describe('a secret box', () => {
  test.each(['', 'JBSWY3DPEHPK3PXP', 'naïve 🙂 text', 'x'.repeat(100_000)])(
    'opens what it sealed (%#)',
    (plain) => {
      expect(box.open(box.seal(plain, 'someone'), 'someone')).toBe(plain)
    },
  )

  test('opens as plain bytes too, and after a restart with the same secret', () => {
    const sealed = Uint8Array.from(box.seal('plain', 'someone'))
    expect(createSecretBox(SECRET, systemIds).open(sealed, 'someone')).toBe('plain')
  })

  test('is AES-256-GCM with a key derived by HKDF-SHA-256: version, 96-bit nonce, ciphertext, tag', () => {
    const sealed = box.seal('plain', 'someone')
    expect(sealed[0]).toBe(1)
    expect(sealed).toHaveLength(1 + 12 + 'plain'.length + 16)
    const key = Buffer.from(hkdfSync('sha256', SECRET, '', 'lookalike secret box', 32))
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, 13))
    decipher.setAAD(Buffer.from('\u0001someone'))
    decipher.setAuthTag(sealed.subarray(-16))
    expect(decipher.update(sealed.subarray(13, -16), undefined, 'utf8') + decipher.final('utf8')).toBe(
      'plain',
    )
  })

  test('never seals alike: every nonce is new, and nothing of the text is seen', () => {
    const sealed = Array.from({ length: 1_000 }, () => box.seal('the same text', 'someone'))
    expect(new Set(sealed.map((bytes) => bytes.subarray(1, 13).toString('hex'))).size).toBe(1_000)
    expect(sealed.some((bytes) => bytes.includes('the same'))).toBe(false)
  })

  test('opens nothing in which any one bit was changed', () => {
    const sealed = box.seal('plain', 'someone')
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Buffer.from(sealed)
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7))
      expect([bit, box.open(changed, 'someone')]).toEqual([bit, undefined])
    }
  })

  test('opens nothing that was cut or made longer', () => {
    const sealed = box.seal('plain', 'someone')
    for (let length = 0; length < sealed.length; length++) {
      expect(box.open(sealed.subarray(0, length), 'someone')).toBeUndefined()
      expect(box.open(sealed.subarray(sealed.length - length), 'someone')).toBeUndefined()
    }
    expect(box.open(Buffer.concat([sealed, Buffer.of(0)]), 'someone')).toBeUndefined()
  })

  test.each(['', 'someone ', 'Someone', 'someone else'])(
    'opens nothing for another context: "%s"',
    (context) => {
      expect(box.open(box.seal('plain', 'someone'), context)).toBeUndefined()
    },
  )

  test('opens nothing that another secret sealed', () => {
    const other = createSecretBox('another secret that is only used in tests', systemIds)
    expect(box.open(other.seal('plain', 'someone'), 'someone')).toBeUndefined()
  })

  test('refuses a secret of fewer characters than its key has bytes', () => {
    expect(() => createSecretBox('x'.repeat(31), systemIds)).toThrow('too short')
    expect(createSecretBox('x'.repeat(32), systemIds)).toBeDefined()
  })
})

describe('a digest', () => {
  test('is HMAC-SHA-256 with a key that is not the one of the box', () => {
    const key = Buffer.from(hkdfSync('sha256', SECRET, '', 'lookalike digest', 32))
    const expected = createHmac('sha256', key).update('["someone","code"]').digest('hex')
    expect(box.digest('code', 'someone').toString('hex')).toBe(expected)
  })

  test('is the same for the same text, context and secret, and for nothing else', () => {
    const other = createSecretBox('another secret that is only used in tests', systemIds)
    const digest = box.digest('code', 'someone')
    expect(createSecretBox(SECRET, systemIds).digest('code', 'someone')).toEqual(digest)
    expect(box.digest('code', 'someone else')).not.toEqual(digest)
    expect(box.digest('ecode', 'someon')).not.toEqual(digest)
    expect(box.digest('codes', 'someone')).not.toEqual(digest)
    expect(other.digest('code', 'someone')).not.toEqual(digest)
  })
})
