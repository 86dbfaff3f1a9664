import { isSameHash } from '../../../core/secrets.ts'
import { isUnwritable } from '../../../core/storage.ts'
import type { Base } from '../../module.ts'
import type { SessionQueries, SessionRow } from './session-queries.ts'

export interface SessionBufferDeps extends Pick<Base, 'log' | 'defer'> {
  stored: Pick<SessionQueries, 'findSession' | 'rotateSession' | 'endSession' | 'addLateSession'>
}

/** Sign-ins held in memory: half a MB. */
const BUFFERED_MAX = 1_000

/** How often the service tries to write them. */
const SETTLE_MS = 2_000

/** Sign-ins to write at a time; each waits for the disk. */
const SETTLED_AT_ONCE = 20

/** The state of a sign-in in memory, which overrides the database. */
export interface Buffered {
  userId: string
  /** undefined once the sign-in has ended. */
  session: SessionRow | undefined
  /** Whether the database holds an older state of it, which must not come back. */
  isStored: boolean
  /** Hash of the password that it was created with, if the database does not hold it. A new password ends it. */
  passwordHash: string
}

/** Holds sign-ins in memory while the database cannot be written, and writes them soon after it can. */
export function createSessionBuffer({ stored, defer, log }: SessionBufferDeps) {
  const buffered = new Map<string, Buffered>()
  let isBooked = false
  /** How often a sign-in in memory has changed. */
  let changes = 0

  /** Lists the buffered sign-ins of a person that have not ended, the oldest first. */
  const list = (userId: string): SessionRow[] =>
    [...buffered.values()].flatMap(({ session }) => (session?.userId === userId ? [session] : []))

  /** Ends a sign-in. */
  const drop = (id: string): void => {
    const found = buffered.get(id)
    if (!found) return
    changes += 1
    if (found.isStored) buffered.set(id, { ...found, session: undefined })
    else buffered.delete(id)
  }

  /** Makes room for one more. Sign-ins that the database holds in an older state stay, because that state must not come back. */
  function makeRoom(): void {
    for (const [id, { isStored }] of buffered) {
      if (buffered.size < BUFFERED_MAX) return
      if (!isStored) buffered.delete(id)
    }
  }

  function put(session: SessionRow, isStored: boolean, passwordHash: string): void {
    if (!buffered.has(session.id)) {
      makeRoom()
      log.warn(
        { user_id: session.userId, session_id: session.id },
        'the database cannot be written: a sign-in is held in memory, and a restart ends it',
      )
    }
    buffered.set(session.id, { userId: session.userId, session, isStored, passwordHash })
    changes += 1
    bookSettling()
  }

  function bookSettling(): void {
    if (isBooked) return
    isBooked = true
    defer(() => {
      isBooked = false
      try {
        for (const id of [...buffered.keys()].slice(0, SETTLED_AT_ONCE)) if (!settle(id)) break
        if (buffered.size > 0) bookSettling()
      } catch (err) {
        log.warn({ err }, 'sign-ins held in memory could not be written')
        bookSettling()
      }
    }, SETTLE_MS)
  }

  /** Updates the row in the database, unless it has been deleted. */
  function updateStored({ id, jti, lastUsedAt, expiresAt, address }: SessionRow): void {
    const row = stored.findSession(id)
    // The portal's sign-ins have no token of their own.
    if (row?.jti && jti)
      stored.rotateSession({ id, before: row.jti, after: jti, now: lastUsedAt, expiresAt, address })
  }

  /** Writes a buffered sign-in. @returns false if the database cannot be written. */
  function settle(id: string): boolean {
    const found = buffered.get(id)
    if (!found) return true
    const { session, userId, isStored, passwordHash } = found
    try {
      if (!session) stored.endSession(id, userId)
      else if (isStored) updateStored(session)
      else stored.addLateSession(session, passwordHash)
    } catch (error) {
      if (!isUnwritable(error)) throw error
      return false
    }
    buffered.delete(id)
    return true
  }

  return {
    /** A number that grows with every change of a buffered sign-in. */
    countChanges: (): number => changes,
    find: (id: string): Buffered | undefined => buffered.get(id),
    /** Finds a sign-in of the portal. */
    findByCookie: (cookieHash: Buffer): SessionRow | undefined =>
      buffered.values().find(({ session }) => isSameHash(cookieHash, session?.cookieHash ?? undefined))
        ?.session,
    list,
    put,
    drop,
    settle,

    /** Replaces the state of one. This counts as no change. */
    update(id: string, found: Buffered, session: SessionRow): void {
      buffered.set(id, { ...found, session })
    },

    /** Ends those whose token can no longer be refreshed. */
    prune(now: number): void {
      for (const [id, { session }] of buffered) {
        if (session && session.expiresAt < now) drop(id)
      }
    },
  }
}
