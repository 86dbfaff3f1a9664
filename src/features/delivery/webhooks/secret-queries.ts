import type { Db } from '../../../platform/db/open.ts'

/** The owner of the secrets that sign the callbacks of a store. */
export const CALLBACKS = 'callbacks'

export interface SecretRow {
  number: number
  sealed: Buffer
  hint: string
  /** Unix ms; null for the current one. */
  expiresAt: number | null
}

type NewSecret = Omit<SecretRow, 'expiresAt'> & { storeId: string; owner: string }

export type SecretQueries = ReturnType<typeof secretQueries>

/** All SQL about the secrets that sign deliveries. */
export function secretQueries(db: Db) {
  const list = db.prepare<[storeId: string, owner: string, now: bigint, limit: bigint], SecretRow>(`
    SELECT number, sealed, hint, expires_at AS expiresAt FROM signing_secrets
    WHERE store_id = ? AND owner = ? AND (expires_at IS NULL OR expires_at > ?) ORDER BY number DESC LIMIT ?`)
  const insert = db.prepare(`
    INSERT INTO signing_secrets (store_id, owner, number, sealed, hint)
    VALUES (@storeId, @owner, @number, @sealed, @hint)`)
  const expire = db.prepare(
    'UPDATE signing_secrets SET expires_at = ? WHERE store_id = ? AND owner = ? AND expires_at IS NULL',
  )
  const removeOld = db.prepare(`
    DELETE FROM signing_secrets WHERE store_id = @storeId AND owner = @owner
      AND (expires_at <= @now OR number <= @number)`)
  const removeAll = db.prepare('DELETE FROM signing_secrets WHERE store_id = ? AND owner = ?')

  return {
    /** Lists the secrets that are valid, newest first. */
    listValid: (storeId: string, owner: string, now: number, limit: number) =>
      list.all(storeId, owner, BigInt(now), BigInt(limit)),
    add: (secret: NewSecret): void => void insert.run({ ...secret, number: BigInt(secret.number) }),
    /** Lets the current secret end at a time. */
    expireCurrent: (storeId: string, owner: string, at: number): void =>
      void expire.run(BigInt(at), storeId, owner),
    /** Deletes the secrets that have ended, and those up to a number. */
    removeOld: (storeId: string, owner: string, now: number, number: number): void =>
      void removeOld.run({ storeId, owner, now: BigInt(now), number: BigInt(number) }),
    removeAll: (storeId: string, owner: string): void => void removeAll.run(storeId, owner),
  }
}
