import type { Db } from '../../../platform/db/open.ts'

/** A change of an e-mail address that waits. Times are Unix ms. */
export interface EmailChangeRow {
  userId: string
  /** Normalised. It may belong to somebody else. */
  newEmail: string
  /** The sign-in that asked for it. */
  sessionId: string | null
  approveTokenHash: Buffer
  confirmTokenHash: Buffer
  /** When the present address approved it; null before. */
  approvedAt: number | null
  /** When the new address confirmed it; null before. */
  confirmedAt: number | null
  /** Wrong passwords sent with the link for the new address. */
  wrongPasswords: number
  createdAt: number
  expiresAt: number
}

export type NewEmailChange = Omit<EmailChangeRow, 'approvedAt' | 'confirmedAt' | 'wrongPasswords'>

export type EmailChangeQueries = ReturnType<typeof emailChangeQueries>

const COLUMNS = `user_id AS userId, new_email AS newEmail, session_id AS sessionId,
  approve_token_hash AS approveTokenHash, confirm_token_hash AS confirmTokenHash, approved_at AS approvedAt,
  confirmed_at AS confirmedAt, wrong_passwords AS wrongPasswords, created_at AS createdAt, expires_at AS expiresAt`

/** All SQL about changes of e-mail addresses. A person has at most one that waits. */
export function emailChangeQueries(db: Db) {
  const put = db.prepare(`
    INSERT INTO email_changes
      (user_id, new_email, session_id, approve_token_hash, confirm_token_hash, created_at, expires_at)
    VALUES (@userId, @newEmail, @sessionId, @approveTokenHash, @confirmTokenHash, @createdAt, @expiresAt)
    ON CONFLICT (user_id) DO UPDATE SET new_email = excluded.new_email, session_id = excluded.session_id,
      approve_token_hash = excluded.approve_token_hash, confirm_token_hash = excluded.confirm_token_hash,
      approved_at = NULL, confirmed_at = NULL, wrong_passwords = 0, created_at = excluded.created_at,
      expires_at = excluded.expires_at`)
  const find = (condition: string) =>
    db.prepare<[key: string | Buffer, now: bigint], EmailChangeRow>(
      `SELECT ${COLUMNS} FROM email_changes WHERE ${condition} = ? AND expires_at > ?`,
    )
  const byPerson = find('user_id')
  const byApproveToken = find('approve_token_hash')
  const byConfirmToken = find('confirm_token_hash')
  const approve = db.prepare('UPDATE email_changes SET approved_at = ? WHERE user_id = ?')
  const confirm = db.prepare('UPDATE email_changes SET confirmed_at = ? WHERE user_id = ?')
  const countWrong = db.prepare(
    'UPDATE email_changes SET wrong_passwords = wrong_passwords + 1 WHERE user_id = ?',
  )
  const forget = db.prepare('DELETE FROM email_changes WHERE user_id = ?')
  const prune = db.prepare('DELETE FROM email_changes WHERE expires_at <= ?')

  return {
    /** Adds a change in the place of an earlier one. */
    put: (change: NewEmailChange): void => void put.run(change),
    findByPerson: (userId: string, now: number) => byPerson.get(userId, BigInt(now)),
    findByApproveToken: (hash: Buffer, now: number) => byApproveToken.get(hash, BigInt(now)),
    findByConfirmToken: (hash: Buffer, now: number) => byConfirmToken.get(hash, BigInt(now)),
    approve: (userId: string, now: number): void => void approve.run(BigInt(now), userId),
    confirm: (userId: string, now: number): void => void confirm.run(BigInt(now), userId),
    countWrong: (userId: string): void => void countWrong.run(userId),
    /** @returns whether one waited. */
    forget: (userId: string): boolean => forget.run(userId).changes > 0,
    prune: (now: number): void => void prune.run(BigInt(now)),
  }
}
