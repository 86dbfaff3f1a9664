import { describe, expect, test } from 'bun:test'
import { createPasswordHasher } from '../../src/platform/passwords.ts'

const CHEAP = { memoryCost: 8, timeCost: 1 }
const passwords = createPasswordHasher()

describe('passwords', () => {
  test('are argon2id in PHC form with OWASP’s parameters: 19 MiB, two passes, one lane; each with its own salt', async () => {
    const [a, b] = await Promise.all([passwords.hash('correct horse'), passwords.hash('correct horse')])
    expect(a).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22,}\$[A-Za-z0-9+/]{43}$/)
    expect(a).not.toBe(b)
  })

  test('the right one fits and no other: case, spaces and NUL count', async () => {
    const hash = await passwords.hash('Pässword\u0000 1')
    expect(await passwords.verify(hash, 'Pässword\u0000 1')).toBe(true)
    for (const wrong of ['pässword\u0000 1', 'Pässword\u0000 1 ', 'Passwörd\u0000 1', 'Pässword', '']) {
      expect(await passwords.verify(hash, wrong)).toBe(false)
    }
  })

  test('the Unicode form does not count: composed, decomposed and full-width letters are one password', async () => {
    const hash = await passwords.hash('P\u00e4ssword 1')
    expect(await passwords.verify(hash, 'Pa\u0308ssword 1')).toBe(true)
    expect(await passwords.verify(hash, 'P\u00e4ss\uff57ord 1')).toBe(true)
  })

  test('long ones count to their end', async () => {
    const hash = await passwords.hash('x'.repeat(1_000))
    expect(await passwords.verify(hash, 'x'.repeat(1_000))).toBe(true)
    expect(await passwords.verify(hash, 'x'.repeat(999))).toBe(false)
  })

  test.each([
    '',
    'plain text',
    '$argon2id$',
    '$2b$10$abcdefghijklmnopqrstuv',
    '$argon2id$v=19$m=99999999999,t=2,p=1$YQ$YQ',
  ])('nothing fits a hash that cannot be read: %j', async (hash) => {
    expect(await passwords.verify(hash, 'password')).toBe(false)
  })

  test('nothing fits where there is no hash, and the library is asked all the same', async () => {
    for (const password of ['', 'password', '\0'.repeat(32)]) {
      expect(await passwords.verify(undefined, password)).toBe(false)
    }
  })

  test('a hash is outdated as soon as one of its parameters is another than today’s', async () => {
    const cheap = await createPasswordHasher(CHEAP).hash('correct horse')
    expect(passwords.isOutdated(cheap)).toBe(true)
    expect(passwords.isOutdated(await passwords.hash('correct horse'))).toBe(false)
    expect(await passwords.verify(cheap, 'correct horse')).toBe(true)
  })

  test('503 overloaded when more than sixty are waiting; those that wait are served', async () => {
    const hasher = createPasswordHasher(CHEAP)
    const all = await Promise.allSettled(Array.from({ length: 100 }, () => hasher.verify(undefined, 'x')))
    const refused = all.filter(({ status }) => status === 'rejected')
    expect(refused.length).toBe(100 - 62)
    expect(refused[0]).toMatchObject({ reason: { code: 'overloaded' } })
    expect(all.filter((one) => one.status === 'fulfilled' && one.value === false)).toHaveLength(62)
  })
})

describe('one network', () => {
  test('takes no more than half of the places in the line, and leaves the others to everybody else', async () => {
    const hasher = createPasswordHasher(CHEAP)
    const flood = Array.from({ length: 100 }, () => hasher.verify(undefined, 'x', '203.0.113.0/24'))
    const others = Array.from({ length: 30 }, (_, n) => hasher.hash('correct horse', `198.51.${n}.0/24`))
    const flooded = await Promise.allSettled(flood)
    expect(flooded.filter(({ status }) => status === 'fulfilled')).toHaveLength(30)
    for (const one of flooded.slice(30)) {
      expect(one).toMatchObject({ status: 'rejected', reason: { code: 'overloaded' } })
    }
    expect((await Promise.allSettled(others)).every(({ status }) => status === 'fulfilled')).toBe(true)
  })

  test('gets its places back, also after work that failed', async () => {
    const hasher = createPasswordHasher(CHEAP)
    for (let round = 0; round < 3; round++) {
      const wave = Array.from({ length: 30 }, () => hasher.verify('no hash', 'x', 'a network'))
      expect(await Promise.all(wave)).toEqual(Array(30).fill(false))
    }
  })
})
