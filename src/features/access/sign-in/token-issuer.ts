import { LIMITS } from '../../../core/limits.ts'
import { limitOrNull, type PlanName } from '../../../core/plans.ts'
import type { Tokens } from '../../../http/access-tokens.ts'
import type { Base } from '../../module.ts'
import type { MembershipRow, PersonRow } from '../../stores/people/queries.ts'
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
  const buildAnswer = (access_token: string): AccessToken => ({
    access_token,
    token_type: 'Bearer',
    expires_in: lifetimeSeconds,
  })

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
      return buildAnswer(await tokens.sign(claims, lifetimeSeconds))
    },

    /** Creates a token of a person's sign-in. */
    async issueForPerson(
      person: PersonRow,
      memberships: readonly MembershipRow[],
      session: { id: string; jti: string; amr: string[] },
    ): Promise<AccessToken> {
      const [only] = memberships.length === 1 ? memberships : []
      const claims = {
        sub: person.id,
        jti: session.jti,
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
      return buildAnswer(await tokens.sign(claims, lifetimeSeconds))
    },
  }
}
