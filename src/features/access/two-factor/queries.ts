import type { Db } from '../../../platform/db/open.ts'

export interface TwoFactorRow {
  sealedSecret: Buffer
  createdAt: number
  /** Unix ms; null until the person has sent a first right code. */
  enabledAt: number | null
  /** Newest time step whose code was accepted. */
  lastStep: number | null
}

export type TwoFactorQueries = ReturnType<typeof twoFactorQueries>

/** All SQL about second factors. The `changes` of one UPDATE decide each step that may happen only once. */
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
    isEnabled: (userId: string): boolean => typeof find.get(userId)?.enabledAt === 'number',
    /** Starts a setup, replacing an earlier one. @returns false if two-factor authentication is already enabled. */
    putPending: (userId: string, sealedSecret: Buffer, now: number): boolean =>
      putPending.run(userId, sealedSecret, BigInt(now)).changes > 0,
    /** Completes the setup of exactly this secret. @returns false if another call was faster. */
    enable: (userId: string, sealedSecret: Buffer, step: number, now: number): boolean =>
      enable.run({ userId, sealedSecret, step: BigInt(step), enabledAt: BigInt(now) }).changes > 0,
    /**
     * Uses up a time step and all earlier ones. A used step after `nowStep` comes from a clock that ran ahead, and locks
     * nobody out.
     *
     * @returns false if the step was already used (RFC 6238 §5.2).
     */
    acceptStep: (userId: string, step: number, nowStep: number): boolean =>
      acceptStep.run({ userId, step: BigInt(step), nowStep: BigInt(nowStep) }).changes > 0,
    /** Counts a wrong code. @returns the number of wrong codes since the last success. */
    countWrongCode: (userId: string): number => countWrong.all(userId)[0] ?? 0,
    readWrongCodes: (userId: string): number => wrongCodes.get(userId) ?? 0,
    resetWrongCodes: (userId: string): void => void forgetWrong.run(userId),
    /** Removes secret and recovery codes. Call it in a transaction. @returns whether there was a secret. */
    remove(userId: string): boolean {
      removeCodes.run(userId)
      return remove.run(userId).changes > 0
    },
    /** Call it in a transaction. */
    replaceCodes(userId: string, hashes: readonly Buffer[]): void {
      removeCodes.run(userId)
      for (const hash of hashes) addCode.run(userId, hash)
    },
    /** Uses up a recovery code. @returns false for a wrong or used one. */
    useCode: (userId: string, hash: Buffer, now: number): boolean =>
      useCode.run(BigInt(now), userId, hash).changes > 0,
    countCodesLeft: (userId: string): number => codesLeft.get(userId)?.count ?? 0,
    /** Counts the members of a store, and those with a second factor. */
    countMembers: (storeId: string) => members.get(storeId) ?? { total: 0, enabled: 0 },
  }
}
