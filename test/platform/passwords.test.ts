import { describe, expect, test } from 'bun:test'
import { hashPassword, verifyPassword } from '../../src/platform/passwords.ts'

describe('passwords', () => {
  test('are argon2id in PHC form with OWASP’s parameters: 19 MiB, two passes, one lane; each with its own salt', async () => {
    const [a, b] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')])
    expect(a).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22,}\$[A-Za-z0-9+/]{43}$/)
    expect(a).not.toBe(b)
  })

  test('the right one fits and no other: case, spaces, unicode form and NUL count', async () => {
    const hash = await hashPassword('Pässword\u0000 1')
    expect(await verifyPassword(hash, 'Pässword\u0000 1')).toBe(true)
    for (const wrong of ['pässword\u0000 1', 'Pässword\u0000 1 ', 'Pa\u0308ssword\u0000 1', 'Pässword', '']) {
      expect(await verifyPassword(hash, wrong)).toBe(false)
    }
  })

  test('long ones count to their end', async () => {
    const hash = await hashPassword('x'.repeat(1_000))
    expect(await verifyPassword(hash, 'x'.repeat(1_000))).toBe(true)
    expect(await verifyPassword(hash, 'x'.repeat(999))).toBe(false)
  })

  test.each([
    '',
    'plain text',
    '$argon2id$',
    '$2b$10$abcdefghijklmnopqrstuv',
    '$argon2id$v=19$m=99999999999,t=2,p=1$YQ$YQ',
  ])('nothing fits a hash that cannot be read: %j', async (hash) => {
    expect(await verifyPassword(hash, 'password')).toBe(false)
  })
})
