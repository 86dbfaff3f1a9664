import { describe, expect, test } from 'bun:test'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { createTokens } from '../../src/http/access-tokens.ts'
import { manualClock } from '../support/app.ts'

const START = '2030-01-01T00:00:00Z'
const SECRET = 'a secret of at least thirty-two bytes'
const CLAIMS = { sub: 's', jti: 'j', user_type: 'client' as const }

describe('an access token (contract 4.5)', () => {
  test('is an HS256 JWT with the claims and an expiry counted from the clock', async () => {
    const token = await createTokens(SECRET, manualClock(START)).sign(
      { ...CLAIMS, plan: 'basic', rate_limit: 60 },
      3600,
    )
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', typ: 'JWT' })
    expect(decodeJwt(token)).toEqual({
      ...CLAIMS,
      plan: 'basic',
      rate_limit: 60,
      exp: Date.parse(START) / 1000 + 3600,
      iat: expect.any(Number) as never,
    })
  })

  test('an unlimited plan is null, which no client takes for "none allowed"', async () => {
    const token = await createTokens(SECRET, manualClock(START)).sign({ ...CLAIMS, rate_limit: null }, 60)
    expect(decodeJwt(token)['rate_limit']).toBeNull()
  })

  test('is read back by the same secret, expired or not, and by no other', async () => {
    const clock = manualClock(START)
    const tokens = createTokens(SECRET, clock)
    const token = await tokens.sign(CLAIMS, 60)
    expect(await tokens.read(token)).toMatchObject(CLAIMS)
    clock.advance(10 * 365 * 24 * 3_600_000)
    expect(await tokens.read(token)).toMatchObject(CLAIMS)
    expect(await createTokens(`${SECRET}!`, clock).read(token)).toBeUndefined()
  })

  test.each(['', 'a', 'a.b.c', '..', 'null', '\u0000', `${'a'.repeat(100_000)}.b.c`])(
    '%p is no token',
    async (text) => {
      expect(await createTokens(SECRET, manualClock(START)).read(text)).toBeUndefined()
    },
  )
})
