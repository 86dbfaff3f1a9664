import type { Db } from '../../../platform/db/open.ts'

export interface TwoFactorRow {
  sealedSecret: Buffer
  createdAt: number
  /** null until a first code was right. */
  enabledAt: number | null
  /** Newest time step whose code was accepted. */
  lastStep: number | null
}

export type TwoFactorQueries = ReturnType<typeof twoFactorQueries>

/** All SQL about second factors. What may happen once only is decided by the `changes` of one UPDATE. */
export function twoFactorQueries(db: Db) {
  const find = db.prepare<[userId: string], TwoFactorRow>(`
    SELECT sealed_secret AS sealedSecret, created_at AS createdAt, enabled_at AS enabledAt, last_step AS lastStep
    FROM two_factor WHERE user_id = ?`)
  const putPending = db.prepare(`
    INSERT INTO two_factor (user_id, sealed_secret, created_at) VALUES (?, ?, ?)
    ON CONFLICT (user_id) DO UPDATE
    SET sealed_secret = excluded.sealed_secret, created_at = excluded.created_at
    WHERE enabled_at IS NULL`)
  const enable = db.prepare(`
    UPDATE two_factor SET enabled_at = @enabledAt, last_step = @step
    WHERE user_id = @userId AND sealed_secret = @sealedSecret AND enabled_at IS NULL`)
  const acceptStep = db.prepare(`
    UPDATE two_factor SET last_step = @step
    WHERE user_id = @userId AND enabled_at IS NOT NULL
      AND (last_step IS NULL OR last_step < @step OR last_step > @nowStep + 1)`)
  const countWrong = db
    .prepare<[userId: string], number>(
      'UPDATE two_factor SET wrong_codes = wrong_codes + 1 WHERE user_id = ? RETURNING wrong_codes',
    )
    .pluck()
  const wrongCodes = db
    .prepare<[userId: string], number>('SELECT wrong_codes FROM two_factor WHERE user_id = ?')
    .pluck()
  const forgetWrong = db.prepare(
    'UPDATE two_factor SET wrong_codes = 0 WHERE user_id = ? AND wrong_codes > 0',
  )
  const remove = db.prepare('DELETE FROM two_factor WHERE user_id = ?')
  const removeCodes = db.prepare('DELETE FROM recovery_codes WHERE user_id = ?')
  const addCode = db.prepare('INSERT INTO recovery_codes (user_id, code_hash) VALUES (?, ?)')
  const useCode = db.prepare(`
    UPDATE recovery_codes SET used_at = ? WHERE user_id = ? AND code_hash = ? AND used_at IS NULL`)
  const codesLeft = db.prepare<[userId: string], { count: number }>(
    'SELECT count(*) AS count FROM recovery_codes WHERE user_id = ? AND used_at IS NULL',
  )
  const members = db.prepare<[storeId: string], { total: number; enabled: number }>(`
    SELECT count(*) AS total, count(enabled_at) AS enabled
    FROM memberships LEFT JOIN two_factor USING (user_id) WHERE store_id = ?`)

  return {
    find: (userId: string) => find.get(userId),
    /** Begins a setup, in place of an earlier one. @returns false when it is enabled already. */
    putPending: (userId: string, sealedSecret: Buffer, now: number): boolean =>
      putPending.run(userId, sealedSecret, BigInt(now)).changes > 0,
    /** Ends the setup of exactly this secret. @returns false when another call was faster. */
    enable: (userId: string, sealedSecret: Buffer, step: number, now: number): boolean =>
      enable.run({ userId, sealedSecret, step: BigInt(step), enabledAt: BigInt(now) }).changes > 0,
    /**
     * Uses up a time step and all before it. A step that lies in the future of `nowStep` was used by a clock that ran
     * ahead; it keeps nobody out.
     *
     * @returns false when it was used before (RFC 6238 §5.2).
     */
    acceptStep: (userId: string, step: number, nowStep: number): boolean =>
      acceptStep.run({ userId, step: BigInt(step), nowStep: BigInt(nowStep) }).changes > 0,
    /** Counts a wrong code. @returns how many there were since the last success. */
    countWrongCode: (userId: string): number => countWrong.all(userId)[0] ?? 0,
    wrongCodes: (userId: string): number => wrongCodes.get(userId) ?? 0,
    forgetWrongCodes: (userId: string): void => void forgetWrong.run(userId),
    /** Removes secret and recovery codes. To be called in a transaction. @returns whether there was a secret. */
    remove(userId: string): boolean {
      removeCodes.run(userId)
      return remove.run(userId).changes > 0
    },
    /** To be called in a transaction. */
    replaceCodes(userId: string, hashes: readonly Buffer[]): void {
      removeCodes.run(userId)
      for (const hash of hashes) addCode.run(userId, hash)
    },
    /** Uses up a recovery code. @returns false for a wrong one and for one that was used before. */
    useCode: (userId: string, hash: Buffer, now: number): boolean =>
      useCode.run(BigInt(now), userId, hash).changes > 0,
    codesLeft: (userId: string): number => codesLeft.get(userId)?.count ?? 0,
    /** Members of a store, and those of them with a second factor. */
    members: (storeId: string) => members.get(storeId) ?? { total: 0, enabled: 0 },
  }
}
