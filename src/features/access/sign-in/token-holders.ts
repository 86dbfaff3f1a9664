import type { Claims } from '../../../http/tokens.ts'
import type { MembershipRow, PeopleQueries, PersonRow } from '../../stores/people/queries.ts'
import type { KeptSessions } from '../sessions/kept-sessions.ts'
import type { SessionRow } from '../sessions/session-queries.ts'
import type { AuthQueries, TokenStore } from './queries.ts'

export type TokenHolders = ReturnType<typeof tokenHolders>

/** Whose sign-in a token belongs to. */
export interface PersonHolder {
  person: PersonRow
  /** The stores of the person, sorted by name. */
  memberships: MembershipRow[]
  session: SessionRow
}

/** Finds who holds a token that we signed; undefined once it has been revoked, refreshed or ended in any other way. */
export function tokenHolders(
  queries: Pick<AuthQueries, 'findTokenStore'>,
  people: Pick<PeopleQueries, 'findPersonWithMemberships'>,
  sessions: Pick<KeptSessions, 'session'>,
) {
  return {
    /** The store of a machine grant's token. Tokens of an older client secret have ended, except the one that changed it. */
    storeOf({ jti, sub, generation = 1 }: Claims): TokenStore | undefined {
      const store = queries.findTokenStore(sub, jti)
      return store && (generation === store.secretGeneration || jti === store.keptJti) ? store : undefined
    },

    /** The person of a login's token, with the sign-in it belongs to. */
    personOf({ jti, sub, sid }: Claims): PersonHolder | undefined {
      const session = sid === undefined ? undefined : sessions.session(sid)
      if (session?.jti !== jti || session.userId !== sub) return undefined
      const found = people.findPersonWithMemberships(sub)
      return found && { ...found, session }
    },
  }
}
