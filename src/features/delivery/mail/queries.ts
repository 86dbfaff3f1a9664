import type { Db } from '../../../platform/db/open.ts'

export interface OutboxRow {
  id: string
  recipient: string
  subject: string
  sealedText: Buffer
  createdAt: number
  expiresAt: number
  /** 1 for a mail that anybody can cause any number of; else 0. */
  mayGiveWay: 0 | 1
  attempts: number
  nextAttemptAt: number
  /** What the mail server said last; null before the first attempt. */
  lastError: string | null
}

export type NewOutboxRow = Pick<
  OutboxRow,
  'id' | 'recipient' | 'subject' | 'sealedText' | 'createdAt' | 'expiresAt' | 'mayGiveWay' | 'nextAttemptAt'
>

export type OutboxQueries = ReturnType<typeof outboxQueries>

const COLUMNS = `id, recipient, subject, sealed_text AS sealedText, created_at AS createdAt,
  expires_at AS expiresAt, may_give_way AS mayGiveWay, attempts, next_attempt_at AS nextAttemptAt, last_error AS lastError`

/** All SQL about mails that have not been delivered. */
export function outboxQueries(db: Db) {
  const insert = db.prepare(`
    INSERT INTO outbox (id, recipient, subject, sealed_text, created_at, expires_at, may_give_way, next_attempt_at)
    VALUES (@id, @recipient, @subject, @sealedText, @createdAt, @expiresAt, @mayGiveWay, @nextAttemptAt)`)
  const byId = db.prepare<[id: string], OutboxRow>(`SELECT ${COLUMNS} FROM outbox WHERE id = ?`)
  const all = db.prepare<[now: number], OutboxRow>(
    `SELECT ${COLUMNS} FROM outbox WHERE expires_at > ? ORDER BY created_at, id`,
  )
  const due = db.prepare<{ now: number; limit: bigint }, OutboxRow>(`
    SELECT ${COLUMNS} FROM outbox WHERE next_attempt_at <= @now AND expires_at > @now
    ORDER BY may_give_way, next_attempt_at, id LIMIT @limit`)
  const remove = db.prepare('DELETE FROM outbox WHERE id = ?')
  const fail = db.prepare(
    'UPDATE outbox SET attempts = attempts + 1, next_attempt_at = ?, last_error = ? WHERE id = ?',
  )
  const removeExpired = db.prepare('DELETE FROM outbox WHERE expires_at <= ?')
  // Without a condition SQLite counts an index by its pages, not by its rows.
  const count = db.prepare<[], { rows: number }>('SELECT count(*) AS rows FROM outbox')
  const removeFirst = db.prepare(`
    DELETE FROM outbox WHERE id IN (SELECT id FROM outbox ORDER BY may_give_way DESC, id LIMIT ?)`)

  return {
    add: (row: NewOutboxRow): void => void insert.run(row),
    byId: (id: string) => byId.get(id),
    /** What is wanted still, oldest first. */
    all: (now: number) => all.all(now),
    /** Those that anybody can cause come last. */
    due: (now: number, limit: number) => due.all({ now, limit: BigInt(limit) }),
    remove: (id: string): void => void remove.run(id),
    fail: (id: string, nextAttemptAt: number, error: string): void => void fail.run(nextAttemptAt, error, id),
    removeExpired: (now: number): void => void removeExpired.run(now),
    /** Keeps so many rows: those that may give way go before all others, and of either kind the oldest. */
    removeAllBut(max: number): void {
      const excess = (count.get()?.rows ?? 0) - max
      if (excess > 0) removeFirst.run(BigInt(excess))
    },
  }
}
