import { type Clock, isoTime } from '../../../core/clock.ts'
import type { Ids } from '../../../core/ids.ts'
import type { Mail, MailError, Mailer } from '../../../platform/mail/mailer.ts'
import type { SecretBox } from '../../../platform/secret-box.ts'
import type { OutboxQueries, OutboxRow } from './queries.ts'

export interface OutboxDeps {
  queries: OutboxQueries
  mailer: Mailer
  secretBox: SecretBox
  clock: Clock
  ids: Ids
  log: { warn(fields: Record<string, unknown>, message: string): void }
}

/** How a mail is kept until it is delivered. */
export interface Posting {
  /** How long it is worth sending; at most, and by default, 30 days. */
  wantedMs?: number
  /** Whether anybody can cause any number of such mails: they must not push others out, nor hold them up. */
  mayGiveWay?: boolean
}

/** A mail that waits, as `lookalike outbox --json` prints it. */
export interface WaitingMail {
  id: string
  recipient: string
  subject: string
  created_at: string
  /** Null when it was sealed with another key. */
  text: string | null
  attempts: number
  next_attempt_at: string
  last_error: string | null
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Waits after the first, second … failure; after the last of them always that one again. */
const RETRY_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS] as const

/** A mail that was just written is left alone by {@link OutboxService.retryDue} while its first attempt runs. */
const FIRST_ATTEMPT_MS = MINUTE_MS

/** A mail that waits for longer is forgotten, even if its link lives longer. */
const WANTED_MS = 30 * 24 * HOUR_MS
const ROWS_MAX = 10_000
const PER_RUN_MAX = 50
const ERROR_CHARS_MAX = 300

/** The key that sealed it is gone, so only a new mail helps. */
const UNREADABLE = 'The text cannot be decrypted: the secret of this install was changed'

/** How an attempt ended. */
type Outcome = 'delivered' | MailError['reason'] | 'unknown'

export type OutboxService = ReturnType<typeof outboxService>

/**
 * Sends mails by way of a table, so that none is lost with a mail server that is down, and an install without one can
 * read them there.
 */
export function outboxService({ queries, mailer, secretBox, clock, ids, log }: OutboxDeps) {
  /** Ids of mails that are on their way. */
  const underway = new Set<string>()
  /** Ids of mails that were delivered and could not be taken out of the table. */
  const delivered = new Set<string>()
  let retrying: Promise<number> | undefined

  function write(
    { to, subject, text }: Mail,
    { wantedMs = WANTED_MS, mayGiveWay = false }: Posting = {},
  ): string {
    const id = ids.uuid()
    const now = clock.now()
    // Without a mail server here it is due at once, for a service beside this process may have one.
    const nextAttemptAt = mailer.isConfigured ? now + FIRST_ATTEMPT_MS : now
    queries.add({
      id,
      recipient: to,
      subject,
      sealedText: secretBox.seal(text, contextOf(id)),
      createdAt: now,
      expiresAt: now + wantedMs,
      mayGiveWay: mayGiveWay ? 1 : 0,
      nextAttemptAt,
    })
    queries.removeAllBut(ROWS_MAX)
    return id
  }

  const textOf = ({ id, sealedText }: OutboxRow) => secretBox.open(sealedText, contextOf(id))

  /** Writes down how an attempt ended. That this fails, on a full disk for example, changes nothing about the attempt. */
  function keep(id: string, outcome: () => void): boolean {
    try {
      outcome()
      return true
    } catch (err) {
      log.warn({ err, mail_id: id }, 'the outbox cannot be written')
      return false
    }
  }

  function remove(id: string): void {
    if (keep(id, () => queries.remove(id))) delivered.delete(id)
    else delivered.add(id)
  }

  async function attempt(row: OutboxRow): Promise<Outcome> {
    const text = textOf(row)
    if (text === undefined) return failed(row, 'refused', new Error(UNREADABLE))
    try {
      await mailer.send({ to: row.recipient, subject: row.subject, text })
    } catch (error) {
      // Nothing is said against the mail or its server: it goes out after the next start.
      if ((error as Partial<MailError>).reason === 'stopped') return 'stopped'
      return failed(row, (error as Partial<MailError>).reason ?? 'unknown', error)
    }
    remove(row.id)
    return 'delivered'
  }

  function failed<Reason extends Outcome>(
    { id, attempts }: OutboxRow,
    reason: Reason,
    error: unknown,
  ): Reason {
    const waitMs = RETRY_MS[Math.min(attempts, RETRY_MS.length - 1)] as number
    const line = plainLine(error instanceof Error ? error.message : String(error))
    keep(id, () => queries.fail(id, clock.now() + waitMs, line))
    log.warn({ err: error, mail_id: id, reason, attempts: attempts + 1 }, 'a mail was not delivered')
    return reason
  }

  async function deliverRow(row: OutboxRow): Promise<Outcome> {
    underway.add(row.id)
    try {
      return await attempt(row)
    } finally {
      underway.delete(row.id)
    }
  }

  async function deliver(id: string): Promise<boolean> {
    const row = mailer.isConfigured && !underway.has(id) ? queries.byId(id) : undefined
    return row !== undefined && (await deliverRow(row)) === 'delivered'
  }

  async function retry(): Promise<number> {
    let count = 0
    for (const id of delivered) remove(id)
    for (const row of queries.due(clock.now(), PER_RUN_MAX)) {
      if (underway.has(row.id) || delivered.has(row.id)) continue
      const outcome = await deliverRow(row)
      if (outcome === 'delivered') count += 1
      // A mail server that takes nothing from anybody need not be asked for every mail.
      else if (outcome !== 'refused') break
    }
    return count
  }

  return {
    /** Whether there is a mail server. */
    isConfigured: mailer.isConfigured,

    /**
     * Writes a mail down, perhaps inside the caller's transaction. Of more than 10,000 those that may give way go first,
     * and of either kind the oldest.
     *
     * @returns its id, for `deliver`.
     */
    write,

    /** Tries a written mail once. @returns whether it was delivered; it stays and is tried again if not. */
    deliver,

    /** Writes a mail down and tries it once. @returns whether it was delivered. */
    post: (mail: Mail, posting?: Posting): Promise<boolean> => deliver(write(mail, posting)),

    /**
     * Tries the mails whose time has come, those that may give way last, oldest first, and until the mail server fails.
     * To be called every minute; a call while another one runs joins that.
     *
     * @returns how many were delivered.
     */
    retryDue(): Promise<number> {
      if (!mailer.isConfigured) return Promise.resolve(0)
      retrying ??= retry().finally(() => {
        retrying = undefined
      })
      return retrying
    },

    /** Forgets mails that are no longer worth sending. */
    prune: (): void => queries.removeExpired(clock.now()),

    /** What waits, oldest first. The texts may carry links that open an account. */
    list: (): WaitingMail[] =>
      queries.all(clock.now()).map((row) => ({
        id: row.id,
        recipient: row.recipient,
        subject: row.subject,
        created_at: isoTime(row.createdAt),
        text: textOf(row) ?? null,
        attempts: row.attempts,
        next_attempt_at: isoTime(row.nextAttemptAt),
        last_error: row.lastError,
      })),
  }
}

/** A text opens only in the row that it was written for. */
const contextOf = (id: string): string => `outbox:${id}`

/** What a mail server said, as one short line. */
const plainLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, ERROR_CHARS_MAX)
