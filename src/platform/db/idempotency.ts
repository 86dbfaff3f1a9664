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

/** The statements by whose keys they are about: those of stores, or those of people who act for no store. */
const STATEMENTS = {
  store: {
    find: 'SELECT fingerprint, status, body FROM idempotency_keys WHERE store_id = ? AND key = ?',
    insert: 'INSERT INTO idempotency_keys (store_id, key, fingerprint, created_at) VALUES (?, ?, ?, ?)',
    finish: 'UPDATE idempotency_keys SET status = ?, body = ? WHERE store_id = ? AND key = ?',
    forget: 'DELETE FROM idempotency_keys WHERE store_id = ? AND key = ?',
    prune: 'DELETE FROM idempotency_keys WHERE created_at < ?',
    forgetRunning: 'DELETE FROM idempotency_keys WHERE status IS NULL',
  },
  person: {
    find: 'SELECT fingerprint, status, body FROM person_idempotency_keys WHERE user_id = ? AND key = ?',
    insert: 'INSERT INTO person_idempotency_keys (user_id, key, fingerprint, created_at) VALUES (?, ?, ?, ?)',
    finish: 'UPDATE person_idempotency_keys SET status = ?, body = ? WHERE user_id = ? AND key = ?',
    forget: 'DELETE FROM person_idempotency_keys WHERE user_id = ? AND key = ?',
    prune: 'DELETE FROM person_idempotency_keys WHERE created_at < ?',
    forgetRunning: 'DELETE FROM person_idempotency_keys WHERE status IS NULL',
  },
} as const

/**
 * Keys of requests that may be repeated, with their first responses (draft-ietf-httpapi-idempotency-key-header).
 *
 * @param owner whose keys. @param box seals answers that show a secret, which the database alone must not reveal.
 */
export function createIdempotencyKeys(
  db: Db,
  box: Pick<SecretBox, 'seal' | 'open'>,
  owner: keyof typeof STATEMENTS = 'store',
) {
  const sql = STATEMENTS[owner]
  const find = db.prepare<[string, string], KeyRow>(sql.find)
  const insert = db.prepare(sql.insert)
  const finish = db.prepare(sql.finish)
  const forget = db.prepare(sql.forget)
  const prune = db.prepare(sql.prune)
  try {
    // Nothing can be running yet: these requests were cut off when the program last stopped.
    db.exec(sql.forgetRunning)
  } catch (error) {
    // The rest of the service can still start on a full or damaged disk.
    if (!storageFailure(error)) throw error
  }

  const nameContext = (ownerId: string, key: string) => `idempotency ${ownerId} ${key}`

  function readBody(ownerId: string, key: string, body: string): unknown {
    if (!body.startsWith(SEALED)) return JSON.parse(body)
    const sealed = Buffer.from(body.slice(SEALED.length), 'base64')
    return JSON.parse(box.open(sealed, nameContext(ownerId, key)) ?? 'null')
  }

  return {
    /** Claims the key for a request. @returns the state before. */
    claim: db.transaction((ownerId: string, key: string, fingerprint: Buffer, now: number): KeyState => {
      const known = find.get(ownerId, key)
      if (!known) {
        insert.run(ownerId, key, fingerprint, BigInt(now))
        return { state: 'new' }
      }
      if (!known.fingerprint.equals(fingerprint)) return { state: 'other_request' }
      if (known.status === null) return { state: 'running' }
      return { state: 'answered', status: known.status, body: readBody(ownerId, key, known.body ?? 'null') }
    }).immediate,
    /** Keeps the first answer. @param isSecret seals it. */
    finish(ownerId: string, key: string, { status, body, isSecret }: AnswerToKeep): void {
      const text = JSON.stringify(body)
      const seal = () => SEALED + box.seal(text, nameContext(ownerId, key)).toString('base64')
      finish.run(BigInt(status), isSecret ? seal() : text, ownerId, key)
    },
    /** Releases the key of a failed request, which may then be sent again. */
    forget: (ownerId: string, key: string): void => void forget.run(ownerId, key),
    prune: (createdBefore: number): void => void prune.run(BigInt(createdBefore)),
  }
}
