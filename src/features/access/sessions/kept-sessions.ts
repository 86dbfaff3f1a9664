import { isUnwritable } from '../../../core/storage.ts'
import type { SessionQueries, SessionRow } from './session-queries.ts'

export interface KeptSessionsDeps {
  stored: SessionQueries
  schedule(callback: () => void, delayMs: number): void
  log: { warn(fields: Record<string, unknown>, message: string): void }
  heldMax?: number
}

/** Sign-ins held in memory: half a MB. */
const HELD_MAX = 1_000

/** How often it is tried to write them. */
const SETTLE_MS = 2_000

/** Each waits for the disk. */
const SETTLED_AT_ONCE = 20

/** What stands in memory for a sign-in, whatever the database says of it. */
interface Held {
  userId: string
  /** undefined once it has ended. */
  session: SessionRow | undefined
  /** Whether the database has an older state of it, which must not come back. */
  isStored: boolean
  /** The password it was made with, where the database knows nothing of it: a new one ends it. */
  passwordHash: string
}

export type KeptSessions = ReturnType<typeof keptSessions>

/**
 * Sign-ins of people: in the database, and in memory where that cannot be written. So people get in on a full disk, too.
 * Those in memory are written soon after the disk works again; a restart before that ends them.
 */
export function keptSessions(deps: KeptSessionsDeps) {
  const { stored, schedule, log, heldMax = HELD_MAX } = deps
  const held = new Map<string, Held>()
  let isBooked = false

  const heldOf = (userId: string): SessionRow[] =>
    [...held.values()].flatMap(({ session }) => (session?.userId === userId ? [session] : []))

  const drop = (id: string): void => {
    const found = held.get(id)
    if (!found) return
    if (found.isStored) held.set(id, { ...found, session: undefined })
    else held.delete(id)
  }

  /** Makes room for one more. An ended or changed sign-in that the database still has stays, for it must not come back. */
  function makeRoom(): void {
    for (const [id, { isStored }] of held) {
      if (held.size < heldMax) return
      if (!isStored) held.delete(id)
    }
  }

  function hold(session: SessionRow, isStored: boolean, passwordHash: string): void {
    if (!held.has(session.id)) {
      makeRoom()
      log.warn(
        { user_id: session.userId, session_id: session.id },
        'the database cannot be written: a sign-in is held in memory, and a restart would end it',
      )
    }
    held.set(session.id, { userId: session.userId, session, isStored, passwordHash })
    bookSettling()
  }

  function bookSettling(): void {
    if (isBooked) return
    isBooked = true
    schedule(() => {
      isBooked = false
      try {
        for (const id of [...held.keys()].slice(0, SETTLED_AT_ONCE)) if (!settle(id)) break
        if (held.size > 0) bookSettling()
      } catch (err) {
        log.warn({ err }, 'sign-ins that are held in memory could not be written')
        bookSettling()
      }
    }, SETTLE_MS)
  }

  /** Brings a row that the database has up to date, unless it has gone meanwhile. */
  function update({ id, jti, lastUsedAt, expiresAt, address }: SessionRow): void {
    const row = stored.session(id)
    if (row) stored.rotateSession({ id, before: row.jti, after: jti, now: lastUsedAt, expiresAt, address })
  }

  /** Writes a sign-in that is held. @returns false while that does not work. */
  function settle(id: string): boolean {
    const found = held.get(id)
    if (!found) return true
    const { session, userId, isStored, passwordHash } = found
    try {
      if (!session) stored.endSession(id, userId)
      else if (isStored) update(session)
      else stored.addLateSession(session, passwordHash)
    } catch (error) {
      if (!isUnwritable(error)) throw error
      return false
    }
    held.delete(id)
    return true
  }

  return {
    session(id: string): SessionRow | undefined {
      const found = held.get(id)
      if (!found) return stored.session(id)
      // A command beside the service may have ended it, by itself or with a new password.
      const isThere = found.isStored
        ? stored.session(id) !== undefined
        : stored.hasPassword(found.userId, found.passwordHash)
      return isThere ? found.session : undefined
    },

    /** Sign-ins whose token is valid or can be refreshed, the last used first. */
    sessionsOf: (userId: string, now: number): SessionRow[] =>
      [
        ...stored.sessionsOf(userId, now).filter(({ id }) => !held.has(id)),
        ...heldOf(userId).filter(({ expiresAt }) => expiresAt > now),
      ].sort((a, b) => b.lastUsedAt - a.lastUsedAt || (b.id < a.id ? -1 : 1)),

    /** Adds a sign-in; of more than `keep` the least recently used ends. To be called in a transaction. */
    addSession: stored.addSession,

    /** Adds a sign-in in memory; of more than `keep` there the oldest ends. */
    holdSession(session: SessionRow, keep: number, passwordHash: string): void {
      const before = heldOf(session.userId)
      for (const { id } of before.slice(0, Math.max(0, before.length + 1 - keep))) drop(id)
      hold(session, false, passwordHash)
    },

    /** Gives a sign-in its next token; of several at once exactly one wins. */
    rotateSession(change: Parameters<SessionQueries['rotateSession']>[0]): boolean {
      const { id, before, after, now, expiresAt, address } = change
      const found = held.get(id)
      try {
        if (!found) return stored.rotateSession(change)
      } catch (error) {
        if (!isUnwritable(error)) throw error
      }
      const session = found ? found.session : stored.session(id)
      if (session?.jti !== before) return false
      hold(
        { ...session, jti: after, lastUsedAt: now, expiresAt, address },
        found?.isStored ?? true,
        found?.passwordHash ?? '',
      )
      settle(id)
      return true
    },

    touchSession(id: string, address: string, now: number): void {
      const found = held.get(id)
      if (found?.session) held.set(id, { ...found, session: { ...found.session, address, lastUsedAt: now } })
      else stored.touchSession(id, address, now)
    },

    endSession(id: string, userId: string): boolean {
      const found = held.get(id)
      if (!found) return stored.endSession(id, userId)
      if (found.userId !== userId || !found.session) return false
      // Ended here, whatever comes of the row.
      drop(id)
      if (found.isStored) stored.endSession(id, userId)
      return true
    },

    /** @param kept the sign-in that goes on; null for none. @returns how many ended. */
    endSessions(userId: string, kept: string | null): number {
      let ended = 0
      for (const { id } of heldOf(userId)) {
        if (id === kept) continue
        if (!held.get(id)?.isStored) ended += 1
        drop(id)
      }
      return ended + stored.endSessions(userId, kept)
    },

    pruneSessions(now: number): void {
      for (const [id, { session }] of held) {
        if (session && session.expiresAt < now) drop(id)
      }
      stored.pruneSessions(now)
    },
  }
}
