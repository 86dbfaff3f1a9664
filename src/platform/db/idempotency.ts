import { storageFailure } from '../../core/storage.ts'
import type { SecretBox } from '../secret-box.ts'
import type { Db } from './open.ts'

/** The state of an Idempotency-Key. */
export type KeyState =
  | { state: 'new' }
  | { state: 'running' }
  | { state: 'other_request' }
  | { state: 'answered'; status: number; body: unknown }

export interface AnswerToKeep {
  status: number
  body: unknown
  /** Whether it shows a secret. */
  isSecret: boolean
}

interface KeyRow {
  fingerprint: Buffer
  status: number | null
  body: string | null
}

export type IdempotencyKeys = ReturnType<typeof createIdempotencyKeys>

/** Begins the stored form of an answer that is sealed; JSON begins with none of these characters. */
const SEALED = 'sealed:'

/**
 * Keys of requests that may be repeated, with their first responses (draft-ietf-httpapi-idempotency-key-header).
 *
 * @param box seals answers that show a secret, which the database alone must not reveal.
 */
export function createIdempotencyKeys(db: Db, box: Pick<SecretBox, 'seal' | 'open'>) {
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

  const nameContext = (storeId: string, key: string) => `idempotency ${storeId} ${key}`

  function readBody(storeId: string, key: string, body: string): unknown {
    if (!body.startsWith(SEALED)) return JSON.parse(body)
    const sealed = Buffer.from(body.slice(SEALED.length), 'base64')
    return JSON.parse(box.open(sealed, nameContext(storeId, key)) ?? 'null')
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
      return { state: 'answered', status: known.status, body: readBody(storeId, key, known.body ?? 'null') }
    }).immediate,
    /** Keeps the first answer. @param isSecret seals it. */
    finish(storeId: string, key: string, { status, body, isSecret }: AnswerToKeep): void {
      const text = JSON.stringify(body)
      const seal = () => SEALED + box.seal(text, nameContext(storeId, key)).toString('base64')
      finish.run(BigInt(status), isSecret ? seal() : text, storeId, key)
    },
    /** Releases the key of a failed request, which may then be sent again. */
    forget: (storeId: string, key: string): void => void forget.run(storeId, key),
    prune: (createdBefore: number): void => void prune.run(BigInt(createdBefore)),
  }
}
