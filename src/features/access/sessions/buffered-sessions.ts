import { isUnwritable } from '../../../core/storage.ts'
import type { Base } from '../../module.ts'
import type { SessionQueries, SessionRow } from './session-queries.ts'

export interface BufferedSessionsDeps extends Pick<Base, 'log' | 'defer'> {
  stored: SessionQueries
}

/** Sign-ins held in memory: half a MB. */
const BUFFERED_MAX = 1_000

/** How often the service tries to write them. */
const SETTLE_MS = 2_000

/** Sign-ins to write at a time; each waits for the disk. */
const SETTLED_AT_ONCE = 20

/** The state of a sign-in in memory, which overrides the database. */
interface Buffered {
  userId: string
  /** undefined once the sign-in has ended. */
  session: SessionRow | undefined
  /** Whether the database holds an older state of it, which must not come back. */
  isStored: boolean
  /** Hash of the password that it was created with, if the database does not hold it. A new password ends it. */
  passwordHash: string
}

export type BufferedSessions = ReturnType<typeof createBufferedSessions>

/**
 * Keeps the sign-ins of people in the database, or in memory while the database cannot be written, so that people can
 * sign in when the disk is full. Those in memory are written soon after the disk works again. A restart before that ends
 * them.
 */
export function createBufferedSessions(deps: BufferedSessionsDeps) {
  const { stored, defer, log } = deps
  const buffered = new Map<string, Buffered>()
  let isBooked = false
  /** How often a sign-in in memory has changed. */
  let changes = 0

  const listBuffered = (userId: string): SessionRow[] =>
    [...buffered.values()].flatMap(({ session }) => (session?.userId === userId ? [session] : []))

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

  function buffer(session: SessionRow, isStored: boolean, passwordHash: string): void {
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
        log.warn({ err }, 'sign-ins that are held in memory could not be written')
        bookSettling()
      }
    }, SETTLE_MS)
  }

  /** Updates the row in the database, unless it has been deleted. */
  function update({ id, jti, lastUsedAt, expiresAt, address }: SessionRow): void {
    const row = stored.findSession(id)
    if (row) stored.rotateSession({ id, before: row.jti, after: jti, now: lastUsedAt, expiresAt, address })
  }

  /** Writes a buffered sign-in. @returns false if the database cannot be written. */
  function settle(id: string): boolean {
    const found = buffered.get(id)
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
    buffered.delete(id)
    return true
  }

  return {
    /** A number that grows with every change of a sign-in which the database does not show. */
    countChanges: (): number => changes,

    findSession(id: string): SessionRow | undefined {
      const found = buffered.get(id)
      if (!found) return stored.findSession(id)
      // A command may have ended it, either directly or with a new password.
      const exists = found.isStored
        ? stored.findSession(id) !== undefined
        : stored.hasPassword(found.userId, found.passwordHash)
      return exists ? found.session : undefined
    },

    /** Lists sign-ins whose token is valid or can be refreshed, the last used first. */
    listSessions: (userId: string, now: number): SessionRow[] =>
      [
        ...stored.listSessions(userId, now).filter(({ id }) => !buffered.has(id)),
        ...listBuffered(userId).filter(({ expiresAt }) => expiresAt > now),
      ].sort((a, b) => b.lastUsedAt - a.lastUsedAt || (b.id < a.id ? -1 : 1)),

    /** Adds a sign-in. Beyond `keep` sign-ins, ends the least recently used. Call it in a transaction. */
    addSession: stored.addSession,

    /** Adds a sign-in in memory. Beyond `keep` sign-ins there, ends the oldest. */
    bufferSession(session: SessionRow, keep: number, passwordHash: string): void {
      const before = listBuffered(session.userId)
      for (const { id } of before.slice(0, Math.max(0, before.length + 1 - keep))) drop(id)
      buffer(session, false, passwordHash)
    },

    /** Gives a sign-in its next token. Of several calls at once, exactly one wins. */
    rotateSession(change: Parameters<SessionQueries['rotateSession']>[0]): boolean {
      const { id, before, after, now, expiresAt, address } = change
      const found = buffered.get(id)
      try {
        if (!found) return stored.rotateSession(change)
      } catch (error) {
        if (!isUnwritable(error)) throw error
      }
      const session = found ? found.session : stored.findSession(id)
      if (session?.jti !== before) return false
      buffer(
        { ...session, jti: after, lastUsedAt: now, expiresAt, address },
        found?.isStored ?? true,
        found?.passwordHash ?? '',
      )
      settle(id)
      return true
    },

    touchSession(id: string, address: string, now: number): void {
      const found = buffered.get(id)
      if (found?.session)
        buffered.set(id, { ...found, session: { ...found.session, address, lastUsedAt: now } })
      else stored.touchSession(id, address, now)
    },

    /** Notes that a sign-in has shown a second factor since it began. */
    noteSecondFactor(id: string): void {
      const found = buffered.get(id)
      const session = found ? found.session : stored.findSession(id)
      if (!session || session.amr.includes('otp')) return
      const amr = [...session.amr, 'otp']
      if (found) buffered.set(id, { ...found, session: { ...session, amr } })
      stored.setAmr(id, amr)
    },

    endSession(id: string, userId: string): boolean {
      const found = buffered.get(id)
      if (!found) return stored.endSession(id, userId)
      if (found.userId !== userId || !found.session) return false
      // This ends it, even if deleting the row fails.
      drop(id)
      if (found.isStored) stored.endSession(id, userId)
      return true
    },

    /** @param kept the sign-in that continues; null for none. @returns how many ended. */
    endSessions(userId: string, kept: string | null): number {
      let ended = 0
      for (const { id } of listBuffered(userId)) {
        if (id === kept) continue
        if (!buffered.get(id)?.isStored) ended += 1
        drop(id)
      }
      return ended + stored.endSessions(userId, kept)
    },

    pruneSessions(now: number): void {
      for (const [id, { session }] of buffered) {
        if (session && session.expiresAt < now) drop(id)
      }
      stored.pruneSessions(now)
    },
  }
}
