import type { Db } from '../../../platform/db/open.ts'

export interface SessionRow {
  id: string
  userId: string
  /** Of the one token that is currently valid; null for a sign-in of the portal, whose tokens are all valid until it ends. */
  jti: string | null
  /** SHA-256 of the cookie that refreshes a sign-in of the portal; null for any other. */
  cookieHash: Uint8Array | null
  amr: string[]
  address: string
  userAgent: string | null
  createdAt: number
  lastUsedAt: number
  /** Unix ms after which it can no longer be refreshed. */
  expiresAt: number
}

/** A later end of a sign-in, with the use that brings it. */
export interface Extension {
  id: string
  now: number
  expiresAt: number
  address: string
}

export type SessionQueries = ReturnType<typeof sessionQueries>

/** All SQL about the sign-ins of people. */
export function sessionQueries(db: Db) {
  type Stored = Omit<SessionRow, 'amr'> & { amr: string }
  const columns = `id, user_id AS userId, jti, cookie_hash AS cookieHash, amr, address, user_agent AS userAgent, created_at AS createdAt,
    last_used_at AS lastUsedAt, expires_at AS expiresAt FROM sessions`
  const byId = db.prepare<[id: string], Stored>(`SELECT ${columns} WHERE id = ?`)
  const byCookie = db.prepare<[cookieHash: Uint8Array], Stored>(`SELECT ${columns} WHERE cookie_hash = ?`)
  const byPerson = db.prepare<[userId: string, now: bigint], Stored>(
    `SELECT ${columns} WHERE user_id = ? AND expires_at > ? ORDER BY last_used_at DESC, id DESC`,
  )
  const insert = db.prepare(`
    INSERT INTO sessions (id, user_id, jti, cookie_hash, amr, address, user_agent, created_at, last_used_at, expires_at)
    VALUES (@id, @userId, @jti, @cookieHash, @amr, @address, @userAgent, @createdAt, @lastUsedAt, @expiresAt)`)
  const insertLate = db.prepare(`
    INSERT INTO sessions (id, user_id, jti, cookie_hash, amr, address, user_agent, created_at, last_used_at, expires_at)
    SELECT @id, @userId, @jti, @cookieHash, @amr, @address, @userAgent, @createdAt, @lastUsedAt, @expiresAt
    WHERE EXISTS (SELECT 1 FROM users WHERE id = @userId AND password_hash = @passwordHash)
    ON CONFLICT DO NOTHING`)
  const byPassword = db.prepare<[userId: string, passwordHash: string]>(
    'SELECT 1 FROM users WHERE id = ? AND password_hash = ?',
  )
  const dropOldest = db.prepare(`
    DELETE FROM sessions WHERE user_id = @userId AND id NOT IN
      (SELECT id FROM sessions WHERE user_id = @userId ORDER BY id = @id DESC, last_used_at DESC LIMIT @keep)`)
  const rotate = db.prepare(`
    UPDATE sessions SET jti = @after, last_used_at = @now, expires_at = @expiresAt, address = @address
    WHERE id = @id AND jti = @before`)
  const extend = db.prepare(
    'UPDATE sessions SET last_used_at = @now, expires_at = @expiresAt, address = @address WHERE id = @id',
  )
  const setAmr = db.prepare('UPDATE sessions SET amr = ? WHERE id = ?')
  const touch = db.prepare('UPDATE sessions SET last_used_at = ?, address = ? WHERE id = ?')
  const end = db.prepare('DELETE FROM sessions WHERE id = ? AND user_id = ?')
  const endOthers = db.prepare('DELETE FROM sessions WHERE user_id = ? AND id IS NOT ?')
  const prune = db.prepare('DELETE FROM sessions WHERE expires_at < ?')

  const parse = (row: Stored): SessionRow => ({ ...row, amr: JSON.parse(row.amr) })

  return {
    findSession(id: string): SessionRow | undefined {
      const row = byId.get(id)
      return row && parse(row)
    },
    findByCookie(cookieHash: Uint8Array): SessionRow | undefined {
      const row = byCookie.get(cookieHash)
      return row && parse(row)
    },
    /** Lists sign-ins that are valid or can be refreshed, the last used first. */
    listSessions: (userId: string, now: number) => byPerson.all(userId, BigInt(now)).map(parse),
    /** Adds a sign-in. Beyond `keep` sign-ins, ends the least recently used. Call it in a transaction. */
    addSession(session: SessionRow, keep: number): void {
      insert.run({ ...session, amr: JSON.stringify(session.amr) })
      dropOldest.run({ userId: session.userId, id: session.id, keep })
    },
    /** Adds an earlier sign-in, if its person still exists with the same password. */
    addLateSession: (session: SessionRow, passwordHash: string): void =>
      void insertLate.run({ ...session, amr: JSON.stringify(session.amr), passwordHash }),
    /** Sets how the person of a sign-in has shown who they are. */
    setAmr: (id: string, amr: readonly string[]): void => void setAmr.run(JSON.stringify(amr), id),
    /** Whether a person exists with that password. */
    hasPassword: (userId: string, passwordHash: string): boolean =>
      byPassword.get(userId, passwordHash) !== undefined,
    /** Gives a sign-in its next token. Of several calls at once, exactly one wins. */
    rotateSession: (change: {
      id: string
      before: string
      after: string
      now: number
      expiresAt: number
      address: string
    }): boolean => rotate.run(change).changes > 0,
    /** Lets a sign-in of the portal go on. */
    extendSession: (change: Extension): void => void extend.run(change),
    touchSession: (id: string, address: string, now: number): void =>
      void touch.run(BigInt(now), address, id),
    endSession: (id: string, userId: string): boolean => end.run(id, userId).changes > 0,
    /** @param kept the sign-in that continues; null for none. @returns how many ended. */
    endSessions: (userId: string, kept: string | null): number => endOthers.run(userId, kept).changes,
    pruneSessions: (now: number): void => void prune.run(BigInt(now)),
  }
}
