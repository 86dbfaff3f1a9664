import type { ClientInfo } from '../../../core/actor.ts'
import { DAY_MS } from '../../../core/clock.ts'
import { ApiError, signInFirst } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { storeNotHere } from '../../../core/move-errors.ts'
import type { Claims, Tokens } from '../../../http/access-tokens.ts'
import { readCredential } from '../../../http/credential.ts'
import type { Base } from '../../module.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { IpAllowlistService } from '../ip-allowlist/service.ts'
import type { BufferedSessions } from '../sessions/buffered-sessions.ts'
import { missing } from './client-credentials.ts'
import type { SignInQueries } from './queries.ts'
import type { AccessToken, RevokeForm } from './schema.ts'
import type { TokenHolders } from './token-holders.ts'
import type { TokenIssuer } from './token-issuer.ts'

export interface RefreshDeps extends Pick<Base, 'clock' | 'atomically' | 'record'> {
  queries: Pick<SignInQueries, 'revoke' | 'pruneRevoked'>
  sessions: BufferedSessions
  holders: TokenHolders
  storeRows: Pick<StoreQueries, 'findMoved'>
  tokens: Pick<Tokens, 'read'>
  issuer: TokenIssuer
  admitAddress: IpAllowlistService['admit']
}

/** Ended tokens are remembered for longer than needed, so that a clock set back does not revive them. */
const REVOKED_KEPT_MS = 7 * DAY_MS

export type RefreshService = ReturnType<typeof refreshService>

/** Refreshes and revokes access tokens (contract 4.6). */
export function refreshService(deps: RefreshDeps) {
  const { queries, sessions, holders, tokens, issuer, clock, atomically, record } = deps

  const computeKeepUntil = ({ exp }: Claims): number => (exp + LIMITS.refreshGraceSeconds) * 1000

  async function refreshMachine(claims: Claims, clientInfo: ClientInfo): Promise<AccessToken> {
    const store = holders.findStore(claims)
    const moved = store ? undefined : deps.storeRows.findMoved(claims.sub)
    if (moved) throw storeNotHere(moved.slug, moved.url)
    if (!store) throw signInFirst()
    deps.admitAddress(store.id, clientInfo.address)
    if (!queries.revoke(claims.jti, computeKeepUntil(claims))) throw signInFirst()
    return issuer.issueForStore(store, issuer.createJti())
  }

  async function refreshPerson(claims: Claims, clientInfo: ClientInfo): Promise<AccessToken> {
    const holder = holders.findPerson(claims)
    if (!holder) throw signInFirst()
    const { person, memberships, session } = holder
    if (session.jti === null) throw refreshInPortal()
    const after = { jti: issuer.createJti(), expiresAt: issuer.computeRefreshEnd() }
    const isWinner = sessions.rotateSession({
      id: session.id,
      before: claims.jti,
      after: after.jti,
      now: clock.now(),
      expiresAt: after.expiresAt,
      address: clientInfo.address,
    })
    if (!isWinner) throw signInFirst()
    return issuer.issueForPerson(person, memberships, { ...session, ...after })
  }

  return {
    /**
     * Exchanges an access token, valid or expired less than five minutes ago, for a new one. The old one ends. Of several
     * exchanges of one token at once, exactly one wins.
     *
     * @throws ApiError `unauthorized`, `store_not_here`.
     */
    async refresh(request: Request, clientInfo: ClientInfo): Promise<AccessToken> {
      const credential = readCredential(request)
      const claims = credential.kind === 'token' ? await tokens.read(credential.text) : undefined
      if (!claims) throw signInFirst()
      // Not token_expired, because a client that refreshes on that code would never stop.
      if (computeKeepUntil(claims) <= clock.now()) {
        throw new ApiError('unauthorized', 'The token expired more than five minutes ago: sign in again')
      }
      return claims.user_type === 'client'
        ? refreshMachine(claims, clientInfo)
        : refreshPerson(claims, clientInfo)
    },

    /**
     * Ends a token, and with it the sign-in of a person (RFC 7009). The answer is the same for unknown tokens.
     *
     * @throws ApiError `invalid_request` without a token.
     */
    async revoke({ token }: RevokeForm, clientInfo: ClientInfo): Promise<{ status: 'revoked' }> {
      if (!token) throw missing('token')
      const claims = await tokens.read(token)
      const store = claims?.user_type === 'client' ? holders.findStore(claims) : undefined
      const holder = claims?.user_type === 'user' ? holders.findPerson(claims) : undefined
      const event = { action: 'token.revoked', keyId: null, clientInfo } as const
      if (claims && store) {
        atomically(() => {
          if (!queries.revoke(claims.jti, computeKeepUntil(claims))) return
          record({ ...event, actorKind: 'machine', storeId: store.id, userId: null, details: {} })
        })
      }
      if (holder) {
        const { person, session } = holder
        atomically(() => {
          if (!sessions.endSession(session.id, person.id)) return
          const details = { session_id: session.id }
          record({ ...event, actorKind: 'person', storeId: null, userId: person.id, details })
        })
      }
      return { status: 'revoked' }
    },

    /** Deletes ended tokens that can no longer be refreshed. */
    prune: (): void => queries.pruneRevoked(clock.now() - REVOKED_KEPT_MS),
  }
}

/** Its cookie gives the next token, as often as it is asked. */
const refreshInPortal = () =>
  new ApiError(
    'unauthorized',
    'This token belongs to a sign-in of the portal, which POST /portal/session/refresh refreshes',
  )
