import { jwt } from '@elysiajs/jwt'
import type { Clock } from '../core/clock.ts'

/** Claims of an access token (contract 4.5). */
export interface Claims {
  sub: string
  jti: string
  /** Seconds since the Unix epoch. */
  exp: number
  user_type: 'client' | 'user'
  /** The generation of the client secret that the token was issued for (machine grants). */
  generation?: number
  user_id?: string
  /** A snapshot for clients; the service reads memberships from the database with every request. */
  memberships?: { client_id: string; slug: string; role: string }[]
  is_super_admin?: boolean
  /** The sign-in that the token belongs to (OpenID Connect Front-Channel Logout §3). */
  sid?: string
  /** How the person signed in (RFC 8176). */
  amr?: string[]
  plan?: string
  /** Requests a minute; null if the plan sets no limit. */
  rate_limit?: number | null
}

/** The library rejects expired and forged tokens alike. It therefore tolerates a hundred years, and the caller checks the expiry. */
const EXPIRY_JUDGED_ELSEWHERE_S = 3_153_600_000

/** Number of tokens whose signature is verified only once; a backend sends the same token for an hour. */
const REMEMBERED_MAX = 1_000

export type Tokens = ReturnType<typeof createTokens>

/** Signs and reads access tokens with HMAC-SHA256; no other algorithm is accepted (RFC 8725 §3.1). */
export function createTokens(secret: string, clock: Clock) {
  const { sign, verify } = jwt({ name: 'jwt', secret, alg: 'HS256' }).decorator.jwt
  const remembered = new Map<string, Claims>()

  function remember(token: string, claims: Claims): void {
    remembered.set(token, claims)
    for (const oldest of remembered.keys()) {
      if (remembered.size <= REMEMBERED_MAX) break
      remembered.delete(oldest)
    }
  }

  return {
    /** @param lifetimeSeconds counted from the clock's now. */
    sign: (claims: Omit<Claims, 'exp'>, lifetimeSeconds: number): Promise<string> => {
      const exp = Math.floor(clock.now() / 1000) + lifetimeSeconds
      return sign({ ...claims, exp })
    },
    /** The claims of a token with a valid signature, expired or not; undefined for anything else. */
    async read(token: string): Promise<Claims | undefined> {
      const known = remembered.get(token)
      if (known) return known
      const claims = await verify(token, {
        algorithms: ['HS256'],
        typ: 'JWT',
        clockTolerance: EXPIRY_JUDGED_ELSEWHERE_S,
        currentDate: new Date(clock.now()),
      })
      if (!isOurs(claims)) return undefined
      remember(token, claims)
      return claims
    },
  }
}

/** The `client_id` in a machine's token that another service may have signed. Nothing vouches for it. */
export function peekClientId(token: string): string | undefined {
  const payload = token.split('.', 3)[1] ?? ''
  try {
    const { sub, user_type } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Partial<Claims>
    return user_type === 'client' && typeof sub === 'string' ? sub : undefined
  } catch {
    return undefined
  }
}

const isOurs = (claims: unknown): claims is Claims => {
  const { sub, jti, exp, user_type } = (claims || {}) as Partial<Claims>
  return (
    typeof sub === 'string' &&
    typeof jti === 'string' &&
    Number.isFinite(exp) &&
    (user_type === 'client' || user_type === 'user')
  )
}
