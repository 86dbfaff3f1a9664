import type { Db } from '../../../platform/db/open.ts'

export interface NewPasswordReset {
  tokenHash: Buffer
  userId: string
  createdAt: number
  expiresAt: number
  /** Whether its use revokes the credentials of the account: true for the link in the mail about a new account. */
  revokesOnReset: boolean
}

export type PasswordResetQueries = ReturnType<typeof passwordResetQueries>

/** All SQL about links for a new password. */
export function passwordResetQueries(db: Db) {
  const insert = db.prepare(`
    INSERT INTO password_resets (token_hash, user_id, created_at, expires_at, takes_over)
    VALUES (@tokenHash, @userId, @createdAt, @expiresAt, @revokesOnReset)`)
  const owner = db.prepare<[tokenHash: Buffer, now: bigint], { id: string; email: string }>(`
    SELECT users.id, users.email FROM password_resets JOIN users ON users.id = user_id
    WHERE token_hash = ? AND used_at IS NULL AND expires_at > ?`)
  const use = db.prepare<{ tokenHash: Buffer; now: number }, { revokesOnReset: 0 | 1 }>(`
    UPDATE password_resets SET used_at = @now
    WHERE token_hash = @tokenHash AND used_at IS NULL AND expires_at > @now RETURNING takes_over AS revokesOnReset`)
  const forget = db.prepare('DELETE FROM password_resets WHERE user_id = ?')
  const prune = db.prepare('DELETE FROM password_resets WHERE expires_at <= ?')

  return {
    add: (reset: NewPasswordReset): void =>
      void insert.run({ ...reset, revokesOnReset: reset.revokesOnReset ? 1 : 0 }),
    /** Finds the person whose password an open link may set. */
    findOwner: (tokenHash: Buffer, now: number) => owner.get(tokenHash, BigInt(now)),
    /** Uses up a link. Of several calls at once, exactly one gets a result; the others get undefined. */
    use(tokenHash: Buffer, now: number): { revokesOnReset: boolean } | undefined {
      const [used] = use.all({ tokenHash, now })
      return used && { revokesOnReset: used.revokesOnReset === 1 }
    },
    /** Ends every link of a person. */
    forget: (userId: string): void => void forget.run(userId),
    prune: (now: number): void => void prune.run(now),
  }
}
