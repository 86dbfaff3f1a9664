import { isUnwritable } from '../../../core/storage.ts'
import { createSessionBuffer, type SessionBufferDeps } from './session-buffer.ts'
import type { Extension, SessionQueries, SessionRow } from './session-queries.ts'

export interface BufferedSessionsDeps extends SessionBufferDeps {
  stored: SessionQueries
}

export type BufferedSessions = ReturnType<typeof createBufferedSessions>

/**
 * Keeps the sign-ins of people in the database, or in memory while the database cannot be written, so that people can
 * sign in when the disk is full. Those in memory are written soon after the disk works again. A restart before that ends
 * them.
 */
export function createBufferedSessions(deps: BufferedSessionsDeps) {
  const { stored } = deps
  const buffer = createSessionBuffer(deps)

  function findSession(id: string): SessionRow | undefined {
    const found = buffer.find(id)
    if (!found) return stored.findSession(id)
    // A command may have ended it, either directly or with a new password.
    const exists = found.isStored
      ? stored.findSession(id) !== undefined
      : stored.hasPassword(found.userId, found.passwordHash)
    return exists ? found.session : undefined
  }

  return {
    /** A number that grows with every change of a sign-in which the database does not show. */
    countChanges: buffer.countChanges,

    findSession,

    /** Finds a sign-in of the portal. */
    findByCookie(cookieHash: Buffer): SessionRow | undefined {
      const session = stored.findByCookie(cookieHash) ?? buffer.findByCookie(cookieHash)
      return session && findSession(session.id)
    },

    /** Lists sign-ins that are valid or can be refreshed, the last used first. */
    listSessions: (userId: string, now: number): SessionRow[] =>
      [
        ...stored.listSessions(userId, now).filter(({ id }) => !buffer.find(id)),
        ...buffer.list(userId).filter(({ expiresAt }) => expiresAt > now),
      ].sort((a, b) => b.lastUsedAt - a.lastUsedAt || (b.id < a.id ? -1 : 1)),

    /** Adds a sign-in. Beyond `keep` sign-ins, ends the least recently used. Call it in a transaction. */
    addSession: stored.addSession,

    /** Adds a sign-in in memory. Beyond `keep` sign-ins there, ends the oldest. */
    bufferSession(session: SessionRow, keep: number, passwordHash: string): void {
      const before = buffer.list(session.userId)
      for (const { id } of before.slice(0, Math.max(0, before.length + 1 - keep))) buffer.drop(id)
      buffer.put(session, false, passwordHash)
    },

    /** Gives a sign-in its next token. Of several calls at once, exactly one wins. */
    rotateSession(change: Parameters<SessionQueries['rotateSession']>[0]): boolean {
      const { id, before, after, now, expiresAt, address } = change
      const found = buffer.find(id)
      try {
        if (!found) return stored.rotateSession(change)
      } catch (error) {
        if (!isUnwritable(error)) throw error
      }
      const session = found ? found.session : stored.findSession(id)
      if (session?.jti !== before) return false
      buffer.put(
        { ...session, jti: after, lastUsedAt: now, expiresAt, address },
        found?.isStored ?? true,
        found?.passwordHash ?? '',
      )
      buffer.settle(id)
      return true
    },

    /** Lets a sign-in of the portal go on. */
    extendSession(change: Extension): void {
      const { id, now, expiresAt, address } = change
      const found = buffer.find(id)
      if (found?.session) {
        buffer.update(id, found, { ...found.session, lastUsedAt: now, expiresAt, address })
      } else stored.extendSession(change)
    },

    touchSession(id: string, address: string, now: number): void {
      const found = buffer.find(id)
      if (found?.session) buffer.update(id, found, { ...found.session, address, lastUsedAt: now })
      else stored.touchSession(id, address, now)
    },

    /** Records that a sign-in has shown a second factor since it began. */
    recordSecondFactor(id: string): void {
      const found = buffer.find(id)
      const session = found ? found.session : stored.findSession(id)
      if (!session || session.amr.includes('otp')) return
      const amr = [...session.amr, 'otp']
      if (found) buffer.update(id, found, { ...session, amr })
      stored.setAmr(id, amr)
    },

    endSession(id: string, userId: string): boolean {
      const found = buffer.find(id)
      if (!found) return stored.endSession(id, userId)
      if (found.userId !== userId || !found.session) return false
      // This ends it, even if deleting the row fails.
      buffer.drop(id)
      if (found.isStored) stored.endSession(id, userId)
      return true
    },

    /** Ends a sign-in in memory while the database cannot be written. */
    endUnwritten(session: SessionRow): void {
      if (!buffer.find(session.id)) buffer.put(session, true, '')
      buffer.drop(session.id)
    },

    /** @param kept the sign-in that continues; null for none. @returns how many ended. */
    endSessions(userId: string, kept: string | null): number {
      let ended = 0
      for (const { id } of buffer.list(userId)) {
        if (id === kept) continue
        if (!buffer.find(id)?.isStored) ended += 1
        buffer.drop(id)
      }
      return ended + stored.endSessions(userId, kept)
    },

    pruneSessions(now: number): void {
      buffer.prune(now)
      stored.pruneSessions(now)
    },
  }
}
