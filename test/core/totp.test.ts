import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { systemIds } from '../../src/core/ids.ts'
import { findStep, newTotpSecret, otpauthUrl } from '../../src/core/totp.ts'
import { fromBase32, hotp, shownCode } from '../support/authenticator.ts'

/** The key of RFC 4226 appendix D and RFC 6238 appendix B, "12345678901234567890". */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

describe('a secret', () => {
  test('has 160 bits in 32 characters of base32, and is another each time', () => {
    const secrets = Array.from({ length: 1_000 }, () => newTotpSecret(systemIds))
    for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(new Set(secrets).size).toBe(1_000)
    expect(fromBase32(secrets[0] as string)).toHaveLength(20)
  })

  test('is exactly the randomness that it was made of', () => {
    const bytes = Buffer.from('12345678901234567890')
    expect(newTotpSecret({ secret: () => bytes.toString('base64url') })).toBe(SECRET)
  })
})

describe('a code belongs to its time step', () => {
  // HOTP's counter is TOTP's step.
  const counted = '755224 287082 359152 969429 338314 254676 287922 162583 399871 520489'.split(' ')
  test.each([...counted.entries()])('RFC 4226 appendix D: counter %d is %s', (counter, code) => {
    expect(findStep(SECRET, code, counter * 30_000)).toBe(counter)
  })

  // RFC 6238 appendix B, SHA-1; the last six of the eight digits are the six digits of the same step.
  test.each([
    [59, '94287082', 0x1],
    [1_111_111_109, '07081804', 0x23523ec],
    [1_111_111_111, '14050471', 0x23523ed],
    [1_234_567_890, '89005924', 0x273ef07],
    [2_000_000_000, '69279037', 0x3f940aa],
    [20_000_000_000, '65353130', 0x27bc86aa],
  ])('RFC 6238 appendix B: at %d it is %s', (seconds, code, step) => {
    expect(findStep(SECRET, code.slice(2), seconds * 1000)).toBe(step)
  })

  test('by another implementation as well, at any time with any secret', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 20, maxLength: 20 }),
        fc.integer({ min: 60_000, max: 4_102_444_800_000 }),
        (key, nowMs) => {
          const secret = newTotpSecret({ secret: () => Buffer.from(key).toString('base64url') })
          const now = Math.floor(nowMs / 30_000)
          const near = [now - 1, now, now + 1]
          const found = findStep(secret, shownCode(secret, nowMs), nowMs)
          // Of two neighbours with one code (1 in 10⁶) the older is named.
          expect(found).toBe(near.find((step) => hotp(key, step) === hotp(key, now)) as number)
        },
      ),
      { numRuns: 200 },
    )
  })

  const EVENING = Date.parse('2030-01-01T20:00:00Z')
  test.each([0, 1, 14_999, 29_999])(
    'one step of drift is accepted, two are not, %d ms into a step',
    (late) => {
      const now = EVENING + late
      const step = EVENING / 30_000
      const found = [-3, -2, -1, 0, 1, 2, 3].map((drift) =>
        findStep(SECRET, shownCode(SECRET, now, drift), now),
      )
      expect(found).toEqual([undefined, undefined, step - 1, step, step + 1, undefined, undefined])
    },
  )

  test('the first moments of 1970 have no step before them', () => {
    expect(findStep(SECRET, '755224', 0)).toBe(0)
    expect(findStep(SECRET, '287082', 29_999)).toBe(1)
  })

  test.each(['', '12345', '1234567', '75522a', ' 755224', '755224\n', '７５５２２４', '0x1234', '-75522'])(
    'what is no six digits belongs to none, and nothing is thrown: %j',
    (code) => {
      expect(findStep(SECRET, code, 0)).toBeUndefined()
    },
  )

  test('a code of another secret belongs to none', () => {
    const other = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
    expect(findStep(other, shownCode(SECRET, EVENING), EVENING)).toBeUndefined()
  })
})

describe('the address for the QR code', () => {
  test('says issuer, account and secret; the rest is what every authenticator assumes', () => {
    const url = otpauthUrl({ secret: SECRET, issuer: 'Lookalike', account: 'ann+shop@example.com' })
    expect(url).toBe(`otpauth://totp/Lookalike:ann%2Bshop%40example.com?secret=${SECRET}&issuer=Lookalike`)
  })

  test('any account arrives whole', () => {
    const account = 'a?b&c=d#e/"ü%41@example.com'
    const { pathname, searchParams } = new URL(otpauthUrl({ secret: SECRET, issuer: 'Lookalike', account }))
    expect(decodeURIComponent(pathname.slice(pathname.indexOf(':') + 1))).toBe(account)
    expect(Object.fromEntries(searchParams)).toEqual({ secret: SECRET, issuer: 'Lookalike' })
  })
})
