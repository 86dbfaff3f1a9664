import type { Clock } from '../../../core/clock.ts'
import type { Ids } from '../../../core/ids.ts'
import { LIMITS } from '../../../core/limits.ts'
import { PLANS, type PlanName } from '../../../core/plans.ts'
import type { Tokens } from '../../../http/tokens.ts'
import type { MembershipRow, PersonRow } from '../../stores/people/queries.ts'
import type { TokenStore } from './queries.ts'
import type { AccessToken } from './schema.ts'

export interface TokenIssuerDeps {
  tokens: Pick<Tokens, 'sign'>
  clock: Clock
  ids: Ids
  lifetimeSeconds: number
}

/**
 * Stores that a token names: with the longest slugs it just fits the 8 KiB that proxies and our own revocation allow.
 * What counts is read from the database.
 */
const MEMBERSHIPS_IN_TOKEN_MAX = 40

export type TokenIssuer = ReturnType<typeof tokenIssuer>

/** Makes access tokens with the claims of contract 4.5. */
export function tokenIssuer({ tokens, clock, ids, lifetimeSeconds }: TokenIssuerDeps) {
  const answer = (access_token: string): AccessToken => ({
    access_token,
    token_type: 'Bearer',
    expires_in: lifetimeSeconds,
  })

  return {
    newJti: (): string => ids.uuid(),

    /** When a token that is made now can no longer be refreshed (contract 4.6): Unix ms. */
    refreshableUntil: (): number => clock.now() + (lifetimeSeconds + LIMITS.refreshGraceSeconds) * 1000,

    /** A token of the machine grant. */
    async forStore(
      store: Pick<TokenStore, 'id' | 'plan' | 'secretGeneration'>,
      jti: string,
    ): Promise<AccessToken> {
      const claims = {
        sub: store.id,
        jti,
        user_type: 'client' as const,
        generation: store.secretGeneration,
        ...planClaims(store.plan),
      }
      return answer(await tokens.sign(claims, lifetimeSeconds))
    },

    /** A token of a person's sign-in. */
    async forPerson(
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
        ...(only && planClaims(only.plan)),
      }
      return answer(await tokens.sign(claims, lifetimeSeconds))
    },
  }
}

function planClaims(plan: PlanName) {
  const { requestsPerMinute } = PLANS[plan]
  return { plan, rate_limit: Number.isFinite(requestsPerMinute) ? requestsPerMinute : null }
}
