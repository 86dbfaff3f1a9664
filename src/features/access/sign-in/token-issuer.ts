import { LIMITS } from '../../../core/limits.ts'
import { limitOrNull, type PlanName } from '../../../core/plans.ts'
import type { Claims, Tokens } from '../../../http/access-tokens.ts'
import type { Base } from '../../module.ts'
import type { MembershipRow, PersonRow } from '../../stores/people/queries.ts'
import type { SessionRow } from '../sessions/session-queries.ts'
import type { TokenStore } from './queries.ts'
import type { AccessToken } from './schema.ts'

export interface TokenIssuerDeps extends Pick<Base, 'clock' | 'ids' | 'plans'> {
  tokens: Pick<Tokens, 'sign'>
  lifetimeSeconds: number
}

/**
 * Stores that a token names. With the longest slugs, the token just fits the 8 KiB that proxies and our own revocation
 * allow. The service itself reads memberships from the database.
 */
const MEMBERSHIPS_IN_TOKEN_MAX = 40

export type TokenIssuer = ReturnType<typeof createTokenIssuer>

/** Creates access tokens with the claims of contract 4.5. */
export function createTokenIssuer({ tokens, plans, clock, ids, lifetimeSeconds }: TokenIssuerDeps) {
  async function buildAnswer(claims: Omit<Claims, 'exp'>, seconds: number): Promise<AccessToken> {
    return { access_token: await tokens.sign(claims, seconds), token_type: 'Bearer', expires_in: seconds }
  }

  function buildPlanClaims(plan: PlanName) {
    return { plan, rate_limit: limitOrNull(plans[plan].requestsPerMinute) }
  }

  return {
    createJti: (): string => ids.uuid(),

    /** @returns Unix ms until which a token created now can be refreshed (contract 4.6). */
    computeRefreshEnd: (): number => clock.now() + (lifetimeSeconds + LIMITS.refreshGraceSeconds) * 1000,

    /** Creates a token of the machine grant. */
    async issueForStore(
      store: Pick<TokenStore, 'id' | 'plan' | 'secretGeneration'>,
      jti: string,
    ): Promise<AccessToken> {
      const claims = {
        sub: store.id,
        jti,
        user_type: 'client' as const,
        generation: store.secretGeneration,
        ...buildPlanClaims(store.plan),
      }
      return buildAnswer(claims, lifetimeSeconds)
    },

    /** Creates a token of a person's sign-in, which it does not outlive. */
    async issueForPerson(
      person: PersonRow,
      memberships: readonly MembershipRow[],
      session: Pick<SessionRow, 'id' | 'jti' | 'amr' | 'expiresAt'>,
    ): Promise<AccessToken> {
      const [only] = memberships.length === 1 ? memberships : []
      const claims = {
        sub: person.id,
        jti: session.jti ?? ids.uuid(),
        user_type: 'user' as const,
        user_id: person.id,
        memberships: memberships
          .slice(0, MEMBERSHIPS_IN_TOKEN_MAX)
          .map(({ storeId, slug, role }) => ({ client_id: storeId, slug, role })),
        is_super_admin: person.isSuperAdmin,
        sid: session.id,
        amr: session.amr,
        ...(only && buildPlanClaims(only.plan)),
      }
      const secondsLeft = Math.floor((session.expiresAt - clock.now()) / 1000)
      return buildAnswer(claims, Math.min(lifetimeSeconds, secondsLeft))
    },
  }
}
