import type { Claims } from '../../../http/tokens.ts'
import type { KeptSessions } from '../sessions/kept-sessions.ts'
import type { AuthQueries, CredentialRow, PersonRow, SessionRow } from './queries.ts'

export type TokenHolders = ReturnType<typeof tokenHolders>

/** Finds who holds a token that we signed; undefined once it has been revoked, refreshed or ended in any other way. */
export function tokenHolders(
  queries: Pick<AuthQueries, 'isRevoked' | 'credential' | 'personById'>,
  sessions: Pick<KeptSessions, 'session'>,
) {
  return {
    /** The store of a machine grant's token. Tokens of an older client secret have ended, except the one that changed it. */
    storeOf({ jti, sub, generation = 1 }: Claims): CredentialRow | undefined {
      if (queries.isRevoked(jti)) return undefined
      const store = queries.credential(sub)
      return store && (generation === store.secretGeneration || jti === store.keptJti) ? store : undefined
    },

    /** The person of a login's token, with the sign-in it belongs to. */
    personOf({ jti, sub, sid }: Claims): { person: PersonRow; session: SessionRow } | undefined {
      const session = sid === undefined ? undefined : sessions.session(sid)
      if (session?.jti !== jti || session.userId !== sub) return undefined
      const person = queries.personById(sub)
      return person && { person, session }
    },
  }
}
