import type { Db } from '../../platform/db/open.ts'

export interface OutboxRow {
  id: string
  recipient: string
  subject: string
  sealedText: Buffer
  createdAt: number
  expiresAt: number
  attempts: number
  nextAttemptAt: number
  /** What the mail server said last; null before the first attempt. */
  lastError: string | null
}

export type NewOutboxRow = Pick<
  OutboxRow,
  'id' | 'recipient' | 'subject' | 'sealedText' | 'createdAt' | 'expiresAt' | 'nextAttemptAt'
>

export type OutboxQueries = ReturnType<typeof outboxQueries>

const COLUMNS = `id, recipient, subject, sealed_text AS sealedText, created_at AS createdAt,
  expires_at AS expiresAt, attempts, next_attempt_at AS nextAttemptAt, last_error AS lastError`

/** All SQL about mails that have not been delivered. */
export function outboxQueries(db: Db) {
  const insert = db.prepare(`
    INSERT INTO outbox (id, recipient, subject, sealed_text, created_at, expires_at, next_attempt_at)
    VALUES (@id, @recipient, @subject, @sealedText, @createdAt, @expiresAt, @nextAttemptAt)`)
  const byId = db.prepare<[id: string], OutboxRow>(`SELECT ${COLUMNS} FROM outbox WHERE id = ?`)
  const all = db.prepare<[now: number], OutboxRow>(
    `SELECT ${COLUMNS} FROM outbox WHERE expires_at > ? ORDER BY created_at, id`,
  )
  const due = db.prepare<{ now: number; limit: bigint }, OutboxRow>(
    `SELECT ${COLUMNS} FROM outbox WHERE next_attempt_at <= @now AND expires_at > @now ORDER BY next_attempt_at, id LIMIT @limit`,
  )
  const remove = db.prepare('DELETE FROM outbox WHERE id = ?')
  const fail = db.prepare(
    'UPDATE outbox SET attempts = attempts + 1, next_attempt_at = ?, last_error = ? WHERE id = ?',
  )
  const removeExpired = db.prepare('DELETE FROM outbox WHERE expires_at <= ?')
  const removeExcess = db.prepare(`
    DELETE FROM outbox WHERE id IN (SELECT id FROM outbox ORDER BY id DESC LIMIT -1 OFFSET ?)`)

  return {
    add: (row: NewOutboxRow): void => void insert.run(row),
    byId: (id: string) => byId.get(id),
    /** What is wanted still, oldest first. */
    all: (now: number) => all.all(now),
    due: (now: number, limit: number) => due.all({ now, limit: BigInt(limit) }),
    remove: (id: string): void => void remove.run(id),
    fail: (id: string, nextAttemptAt: number, error: string): void => void fail.run(nextAttemptAt, error, id),
    removeExpired: (now: number): void => void removeExpired.run(now),
    /** Keeps the newest rows. */
    removeAllBut: (count: number): void => void removeExcess.run(BigInt(count)),
  }
}
