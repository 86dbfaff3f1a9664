import { storageFailure } from '../../core/storage.ts'
import type { Db } from './open.ts'

/** The state of an Idempotency-Key. */
export type KeyState =
  | { state: 'new' }
  | { state: 'running' }
  | { state: 'other_request' }
  | { state: 'answered'; status: number; body: unknown }

interface KeyRow {
  fingerprint: Buffer
  status: number | null
  body: string | null
}

export type IdempotencyKeys = ReturnType<typeof createIdempotencyKeys>

/** Keys of requests that may be repeated, with their first responses (draft-ietf-httpapi-idempotency-key-header). */
export function createIdempotencyKeys(db: Db) {
  const find = db.prepare<[string, string], KeyRow>(
    'SELECT fingerprint, status, body FROM idempotency_keys WHERE store_id = ? AND key = ?',
  )
  const insert = db.prepare(
    'INSERT INTO idempotency_keys (store_id, key, fingerprint, created_at) VALUES (?, ?, ?, ?)',
  )
  const finish = db.prepare('UPDATE idempotency_keys SET status = ?, body = ? WHERE store_id = ? AND key = ?')
  const forget = db.prepare('DELETE FROM idempotency_keys WHERE store_id = ? AND key = ?')
  const prune = db.prepare('DELETE FROM idempotency_keys WHERE created_at < ?')
  try {
    // Nothing can be running yet: these requests were cut off when the program last stopped.
    db.exec('DELETE FROM idempotency_keys WHERE status IS NULL')
  } catch (error) {
    // The rest of the service can still start on a full or damaged disk.
    if (!storageFailure(error)) throw error
  }

  return {
    /** Claims the key for a request. @returns the state before. */
    claim: db.transaction((storeId: string, key: string, fingerprint: Buffer, now: number): KeyState => {
      const known = find.get(storeId, key)
      if (!known) {
        insert.run(storeId, key, fingerprint, BigInt(now))
        return { state: 'new' }
      }
      if (!known.fingerprint.equals(fingerprint)) return { state: 'other_request' }
      if (known.status === null) return { state: 'running' }
      return { state: 'answered', status: known.status, body: JSON.parse(known.body ?? 'null') }
    }).immediate,
    finish: (storeId: string, key: string, status: number, body: unknown): void =>
      void finish.run(BigInt(status), JSON.stringify(body), storeId, key),
    /** Releases the key of a failed request, which may then be sent again. */
    forget: (storeId: string, key: string): void => void forget.run(storeId, key),
    prune: (createdBefore: number): void => void prune.run(BigInt(createdBefore)),
  }
}
