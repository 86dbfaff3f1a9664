import type { Clock } from '../../../core/clock.ts'
import type { Claims } from '../../../http/access-tokens.ts'
import type { Reads } from '../../../platform/db/reads.ts'
import type { MembershipRow, PeopleQueries, PersonRow } from '../../stores/people/queries.ts'
import type { BufferedSessions } from '../sessions/buffered-sessions.ts'
import type { SessionRow } from '../sessions/session-queries.ts'
import type { SignInQueries, TokenStore } from './queries.ts'

export type TokenHolders = ReturnType<typeof createTokenHolders>

/** The person and the sign-in that a token belongs to. */
export interface PersonHolder {
  person: PersonRow
  /** The stores of the person, sorted by name. */
  memberships: MembershipRow[]
  session: SessionRow
}

/** Finds the holder of a token that we signed; undefined once it was revoked, refreshed or ended in any other way. */
export function createTokenHolders(
  queries: Pick<SignInQueries, 'findTokenStore'>,
  people: Pick<PeopleQueries, 'findPersonWithMemberships'>,
  sessions: Pick<BufferedSessions, 'findSession'>,
  remember: Reads['remember'],
  clock: Pick<Clock, 'now'>,
) {
  /** The portal's sign-ins may end before their tokens expire. */
  const isValid = (session: SessionRow, jti: string): boolean =>
    session.jti === null ? session.expiresAt > clock.now() : session.jti === jti

  /** Finds the person of a sign-in. */
  function findPersonOf(session: SessionRow): PersonHolder | undefined {
    const { userId } = session
    const found = remember(`person ${userId}`, () => people.findPersonWithMemberships(userId))
    return found && { ...found, session }
  }

  return {
    /** Finds the store of a machine grant's token. A new client secret ends older tokens, except the one that requested it. */
    findStore({ jti, sub, generation = 1 }: Claims): TokenStore | undefined {
      const store = remember(`token ${sub} ${jti}`, () => queries.findTokenStore(sub, jti))
      return store && (generation === store.secretGeneration || jti === store.keptJti) ? store : undefined
    },

    /** Finds the person of a sign-in's token, with the sign-in. */
    findPerson({ jti, sub, sid }: Claims): PersonHolder | undefined {
      const session = sid === undefined ? undefined : sessions.findSession(sid)
      if (!session || session.userId !== sub || !isValid(session, jti)) return undefined
      return findPersonOf(session)
    },

    findPersonOf,

    /** Finds the person of a sign-in itself, whatever its token is by now. */
    findPersonOfSession(sessionId: string, userId: string): PersonHolder | undefined {
      const session = sessions.findSession(sessionId)
      if (session?.userId !== userId || session.expiresAt <= clock.now()) return undefined
      return findPersonOf(session)
    },
  }
}
