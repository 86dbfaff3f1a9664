import type { Db } from '../../../platform/db/open.ts'

export interface OutboxRow {
  id: string
  recipient: string
  subject: string
  sealedText: Buffer
  /** 1 if the sealed text is JSON with the parts of the mail; 0 for a plain text. */
  hasParts: 0 | 1
  createdAt: number
  expiresAt: number
  /** 1 if anyone can cause any number of such mails; otherwise 0. */
  mayGiveWay: 0 | 1
  attempts: number
  nextAttemptAt: number
  /** The last reply of the mail server; null before the first attempt. */
  lastError: string | null
}

export type NewOutboxRow = Pick<
  OutboxRow,
  | 'id'
  | 'recipient'
  | 'subject'
  | 'sealedText'
  | 'hasParts'
  | 'createdAt'
  | 'expiresAt'
  | 'mayGiveWay'
  | 'nextAttemptAt'
>

export type OutboxQueries = ReturnType<typeof outboxQueries>

const COLUMNS = `id, recipient, subject, sealed_text AS sealedText, has_parts AS hasParts,
  created_at AS createdAt, expires_at AS expiresAt, may_give_way AS mayGiveWay, attempts, next_attempt_at AS nextAttemptAt, last_error AS lastError`

/** All SQL about undelivered mails. */
export function outboxQueries(db: Db) {
  const insert = db.prepare(`
    INSERT INTO outbox (id, recipient, subject, sealed_text, has_parts, created_at, expires_at, may_give_way,
      next_attempt_at)
    VALUES (@id, @recipient, @subject, @sealedText, @hasParts, @createdAt, @expiresAt, @mayGiveWay, @nextAttemptAt)`)
  const byId = db.prepare<[id: string], OutboxRow>(`SELECT ${COLUMNS} FROM outbox WHERE id = ?`)
  const all = db.prepare<[now: number], OutboxRow>(
    `SELECT ${COLUMNS} FROM outbox WHERE expires_at > ? ORDER BY created_at, id`,
  )
  const page = db.prepare<Record<string, unknown>, OutboxRow>(`
    SELECT ${COLUMNS} FROM outbox WHERE id < @beforeId AND expires_at > @now ORDER BY id DESC LIMIT @limit`)
  const due = db.prepare<{ now: number; limit: bigint }, OutboxRow>(`
    SELECT ${COLUMNS} FROM outbox WHERE next_attempt_at <= @now AND expires_at > @now
    ORDER BY may_give_way, next_attempt_at, id LIMIT @limit`)
  const remove = db.prepare('DELETE FROM outbox WHERE id = ?')
  const fail = db.prepare(
    'UPDATE outbox SET attempts = attempts + 1, next_attempt_at = ?, last_error = ? WHERE id = ?',
  )
  const removeByRecipient = db.prepare('DELETE FROM outbox WHERE recipient = ?')
  const removeExpired = db.prepare('DELETE FROM outbox WHERE expires_at <= ?')
  // Without a condition SQLite counts the pages of an index, not its rows.
  const count = db.prepare<[], { rows: number }>('SELECT count(*) AS rows FROM outbox')
  const removeFirst = db.prepare(`
    DELETE FROM outbox WHERE id IN (SELECT id FROM outbox ORDER BY may_give_way DESC, id LIMIT ?)`)

  return {
    add: (row: NewOutboxRow): void => void insert.run(row),
    find: (id: string) => byId.get(id),
    /** Lists the mails that are still worth sending, oldest first. */
    list: (now: number) => all.all(now),
    /** Newest first. */
    listPage: (now: number, beforeId: string | null, limit: number) =>
      page.all({ now, beforeId: beforeId ?? '~', limit: BigInt(limit) }),
    count: (): number => count.get()?.rows ?? 0,
    /** Lists the mails that are due. Those that anyone can cause come last. */
    listDue: (now: number, limit: number) => due.all({ now, limit: BigInt(limit) }),
    remove: (id: string): void => void remove.run(id),
    fail: (id: string, nextAttemptAt: number, error: string): void => void fail.run(nextAttemptAt, error, id),
    removeByRecipient: (email: string): void => void removeByRecipient.run(email),
    removeExpired: (now: number): void => void removeExpired.run(now),
    /** Deletes rows beyond `max`: first those that may give way, and within each kind the oldest. */
    trim(max: number): void {
      const excess = (count.get()?.rows ?? 0) - max
      if (excess > 0) removeFirst.run(BigInt(excess))
    },
  }
}
