import type { Db } from '../../../platform/db/open.ts'

export interface RegistrationRow {
  id: string
  email: string
  storeName: string
  passwordHash: string
  tokenHash: Buffer
  createdAt: number
  expiresAt: number
  /** Null until its link was opened. */
  usedAt: number | null
  /** The store that the registration created. */
  storeId: string | null
  /** Wrong passwords sent with its link. */
  wrongPasswords: number
}

export type NewRegistration = Omit<RegistrationRow, 'usedAt' | 'storeId' | 'wrongPasswords'>

export interface NewInvite {
  tokenHash: Buffer
  email: string
  createdAt: number
  expiresAt: number
}

export type RegistrationQueries = ReturnType<typeof registrationQueries>

const COLUMNS = `id, email, store_name AS storeName, password_hash AS passwordHash, token_hash AS tokenHash,
  created_at AS createdAt, expires_at AS expiresAt, used_at AS usedAt, store_id AS storeId,
  wrong_passwords AS wrongPasswords`

/** All SQL about registrations and invitations. */
export function registrationQueries(db: Db) {
  const insert = db.prepare(`
    INSERT INTO registrations (id, email, store_name, password_hash, token_hash, created_at, expires_at)
    VALUES (@id, @email, @storeName, @passwordHash, @tokenHash, @createdAt, @expiresAt)`)
  // Without a condition SQLite counts the pages of an index, not its rows: 100,000 rows in some 20 µs.
  const count = db.prepare<[], { rows: number }>('SELECT count(*) AS rows FROM registrations')
  const dropUsed = db.prepare(`
    DELETE FROM registrations WHERE rowid IN
      (SELECT rowid FROM registrations WHERE used_at IS NOT NULL ORDER BY used_at LIMIT ?)`)
  const dropOpen = db.prepare(`
    DELETE FROM registrations WHERE rowid IN
      (SELECT rowid FROM registrations WHERE used_at IS NULL ORDER BY expires_at LIMIT ?)`)
  const byToken = db.prepare<[tokenHash: Buffer], RegistrationRow>(
    `SELECT ${COLUMNS} FROM registrations WHERE token_hash = ?`,
  )
  const open = db.prepare<[email: string, now: bigint], RegistrationRow>(`
    SELECT ${COLUMNS} FROM registrations WHERE email = ? AND used_at IS NULL AND expires_at > ?
    ORDER BY created_at, id`)
  const newestOpen = db.prepare<[email: string, now: bigint], RegistrationRow>(`
    SELECT ${COLUMNS} FROM registrations WHERE email = ? AND used_at IS NULL AND expires_at > ?
    ORDER BY created_at DESC, id DESC LIMIT 1`)
  const use = db.prepare(
    'UPDATE registrations SET used_at = @now, store_id = @storeId WHERE id = @id AND used_at IS NULL',
  )
  const countWrong = db.prepare('UPDATE registrations SET wrong_passwords = wrong_passwords + 1 WHERE id = ?')
  const forgetOpen = db.prepare('DELETE FROM registrations WHERE email = ? AND used_at IS NULL')
  const pruneOpen = db.prepare('DELETE FROM registrations WHERE used_at IS NULL AND expires_at <= ?')
  const pruneUsed = db.prepare('DELETE FROM registrations WHERE used_at <= ?')

  const forgetAll = db.prepare('DELETE FROM registrations WHERE email = ?')
  const forgetInvites = db.prepare('DELETE FROM registration_invites WHERE email = ?')
  const insertInvite = db.prepare(`
    INSERT INTO registration_invites (token_hash, email, created_at, expires_at)
    VALUES (@tokenHash, @email, @createdAt, @expiresAt)`)
  const openInvite = db.prepare<[tokenHash: Buffer, email: string, now: bigint], { found: 1 }>(`
    SELECT 1 AS found FROM registration_invites
    WHERE token_hash = ? AND email = ? AND used_at IS NULL AND expires_at > ?`)
  const useInvite = db.prepare(`
    UPDATE registration_invites SET used_at = @now
    WHERE token_hash = @tokenHash AND email = @email AND used_at IS NULL AND expires_at > @now`)
  const pruneInvites = db.prepare('DELETE FROM registration_invites WHERE expires_at <= ?')

  function dropExcess(rowsMax: number): void {
    const excess = (count.get()?.rows ?? 0) - rowsMax
    if (excess <= 0) return
    const dropped = dropUsed.run(BigInt(excess)).changes
    if (dropped < excess) dropOpen.run(BigInt(excess - dropped))
  }

  return {
    /**
     * Adds a registration. Beyond `rowsMax` in total, used registrations are deleted first, because nobody waits for
     * them, then the open ones that expire soonest.
     */
    add(registration: NewRegistration, rowsMax: number): void {
      insert.run(registration)
      dropExcess(rowsMax)
    },
    findByToken: (tokenHash: Buffer) => byToken.get(tokenHash),
    /** Lists the registrations of an address that wait for their link, oldest first. */
    listOpen: (email: string, now: number) => open.all(email, BigInt(now)),
    findNewestOpen: (email: string, now: number) => newestOpen.get(email, BigInt(now)),
    /** @returns false if it was already used. */
    use: (id: string, storeId: string, now: number): boolean => use.run({ id, storeId, now }).changes > 0,
    /** Counts a wrong password against a link. */
    countWrong: (id: string): void => void countWrong.run(id),
    forgetOpen: (email: string): void => void forgetOpen.run(email),
    /** Deletes every registration and invitation of an address. */
    forgetAddress(email: string): void {
      forgetAll.run(email)
      forgetInvites.run(email)
    },

    addInvite: (invite: NewInvite): void => void insertInvite.run(invite),
    isInvited: (tokenHash: Buffer, email: string, now: number): boolean =>
      openInvite.get(tokenHash, email, BigInt(now)) !== undefined,
    /** Uses up an invitation. Of several calls at once, exactly one succeeds. */
    useInvite: (tokenHash: Buffer, email: string, now: number): boolean =>
      useInvite.run({ tokenHash, email, now }).changes > 0,

    /** @param usedBefore Unix ms; registrations used before then are deleted as well. */
    prune(now: number, usedBefore: number): void {
      pruneOpen.run(now)
      pruneUsed.run(usedBefore)
      pruneInvites.run(now)
    },
  }
}
