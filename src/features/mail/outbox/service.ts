import { createBackoff } from '../../../core/backoff.ts'
import { isoTime } from '../../../core/clock.ts'
import type { Mail, MailError, Mailer } from '../../../platform/mail/mailer.ts'
import type { SecretBox } from '../../../platform/secret-box.ts'
import type { Base } from '../../module.ts'
import type { OutboxQueries, OutboxRow } from './queries.ts'

export interface OutboxDeps extends Pick<Base, 'clock' | 'ids' | 'defer'> {
  log: Pick<Base['log'], 'warn'>
  queries: OutboxQueries
  mailer: Mailer
  secretBox: SecretBox
}

/** How the outbox treats a mail until it is delivered. */
export interface Posting {
  /** How long the mail is worth sending: at most 30 days, which is the default. */
  wantedMs?: number
  /** Whether anyone can cause any number of such mails. They must neither push out nor delay others. */
  mayGiveWay?: boolean
}

/** A waiting mail, as `lookalike outbox --json` prints it. */
export interface WaitingMail {
  id: string
  recipient: string
  subject: string
  created_at: string
  /** Null if it was sealed with another key. */
  text: string | null
  attempts: number
  next_attempt_at: string
  last_error: string | null
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Waits after the first, second … failure. The last one repeats. */
const backoff = createBackoff({ waits: [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS] })

/** Time for the first attempt of a new mail, before {@link OutboxService.retryDue} tries it. */
const FIRST_ATTEMPT_MS = MINUTE_MS

/** A mail that waits for longer is deleted, even if its link lives longer. */
const WANTED_MS = 30 * 24 * HOUR_MS
const ROWS_MAX = 10_000
const PER_RUN_MAX = 50
const ERROR_CHARS_MAX = 300

/** The key that sealed the text is gone, so only a new mail helps. */
const UNREADABLE = 'The text cannot be decrypted, because the secret of this install has changed'

/** How an attempt ended. */
type Outcome = 'delivered' | MailError['reason'] | 'unknown'

export type OutboxService = ReturnType<typeof outboxService>

/**
 * Stores each mail before sending it. No mail is lost while the mail server is down, and the operator of an install
 * without one can read the mails there.
 */
export function outboxService({ queries, mailer, secretBox, clock, ids, defer, log }: OutboxDeps) {
  /** Ids of mails that are being sent. */
  const underway = new Set<string>()
  /** Ids of delivered mails that could not be deleted from the table. */
  const delivered = new Set<string>()
  let retrying: Promise<number> | undefined

  function write(
    { to, subject, text }: Mail,
    { wantedMs = WANTED_MS, mayGiveWay = false }: Posting = {},
  ): string {
    const id = ids.uuid()
    const now = clock.now()
    // Without a mail server here, the mail is due at once, because a service beside this process may have one.
    const nextAttemptAt = mailer.isConfigured ? now + FIRST_ATTEMPT_MS : now
    queries.add({
      id,
      recipient: to,
      subject,
      sealedText: secretBox.seal(text, buildContext(id)),
      createdAt: now,
      expiresAt: now + wantedMs,
      mayGiveWay: mayGiveWay ? 1 : 0,
      nextAttemptAt,
    })
    queries.trim(ROWS_MAX)
    return id
  }

  const openText = ({ id, sealedText }: OutboxRow) => secretBox.open(sealedText, buildContext(id))

  /** Records the outcome of an attempt. A failure to write, for example on a full disk, does not change the outcome. */
  function tryWrite(id: string, outcome: () => void): boolean {
    try {
      outcome()
      return true
    } catch (err) {
      log.warn({ err, mail_id: id }, 'the outbox cannot be written')
      return false
    }
  }

  function remove(id: string): void {
    if (tryWrite(id, () => queries.remove(id))) delivered.delete(id)
    else delivered.add(id)
  }

  async function attempt(row: OutboxRow): Promise<Outcome> {
    const text = openText(row)
    if (text === undefined) return noteFailure(row, 'refused', new Error(UNREADABLE))
    try {
      await mailer.send({ to: row.recipient, subject: row.subject, text })
    } catch (error) {
      // Neither the mail nor its server failed: the mail goes out after the next start.
      if ((error as Partial<MailError>).reason === 'stopped') return 'stopped'
      return noteFailure(row, (error as Partial<MailError>).reason ?? 'unknown', error)
    }
    remove(row.id)
    return 'delivered'
  }

  function noteFailure<Reason extends Outcome>(
    { id, attempts }: OutboxRow,
    reason: Reason,
    error: unknown,
  ): Reason {
    const line = toPlainLine(error instanceof Error ? error.message : String(error))
    tryWrite(id, () => queries.fail(id, clock.now() + backoff(attempts), line))
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
    const row = mailer.isConfigured && !underway.has(id) ? queries.find(id) : undefined
    return row !== undefined && (await deliverRow(row)) === 'delivered'
  }

  const tryDeliver = (id: string): Promise<unknown> =>
    deliver(id).catch((err) => log.warn({ err, mail_id: id }, 'a mail was not delivered'))

  async function retry(): Promise<number> {
    let count = 0
    for (const id of delivered) remove(id)
    for (const row of queries.listDue(clock.now(), PER_RUN_MAX)) {
      if (underway.has(row.id) || delivered.has(row.id)) continue
      const outcome = await deliverRow(row)
      if (outcome === 'delivered') count += 1
      // If the server failed rather than refused this mail, the other mails would fail too.
      else if (outcome !== 'refused') break
    }
    return count
  }

  const describe = (row: OutboxRow): Omit<WaitingMail, 'text'> => ({
    id: row.id,
    recipient: row.recipient,
    subject: row.subject,
    created_at: isoTime(row.createdAt),
    attempts: row.attempts,
    next_attempt_at: isoTime(row.nextAttemptAt),
    last_error: row.lastError,
  })

  return {
    /** Whether a mail server is configured. */
    isConfigured: mailer.isConfigured,

    /**
     * Stores a mail, possibly in the caller's transaction. Beyond 10,000 mails, deletes first those that may give way, and
     * within each kind the oldest.
     *
     * @returns its id, for `deliver`.
     */
    write,

    /** Tries to send a stored mail once. @returns whether it was delivered; if not, it stays for another attempt. */
    deliver,

    /**
     * Stores mails in the caller's transaction, and tries to send them once it has committed. No answer waits for the mail
     * server; a mail that is not delivered stays for another attempt.
     */
    sendAfterCommit(mails: readonly Mail[], posting?: Posting): void {
      const mailIds = mails.map((mail) => write(mail, posting))
      if (mailIds.length > 0) defer(() => Promise.all(mailIds.map(tryDeliver)), 0)
    },

    /** Stores a mail and tries to send it once. @returns whether it was delivered. */
    post: (mail: Mail, posting?: Posting): Promise<boolean> => deliver(write(mail, posting)),

    /**
     * Tries to send the mails that are due, oldest first, with those that may give way last. Stops when the mail server
     * fails. Call it every minute; a call during another one joins it.
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

    /** Deletes the waiting mails to an address. @param email normalised. */
    forgetRecipient: queries.removeByRecipient,

    /** Deletes mails that are no longer worth sending. */
    prune: (): void => queries.removeExpired(clock.now()),

    /** Lists waiting mails, oldest first. The texts may contain links that open an account. */
    list: (): WaitingMail[] =>
      queries.list(clock.now()).map((row) => ({ ...describe(row), text: openText(row) ?? null })),

    /** Lists waiting mails without their texts, the newest first. @param beforeId only older ones. */
    listPage: (beforeId: string | null, limit: number): Omit<WaitingMail, 'text'>[] =>
      queries.listPage(clock.now(), beforeId, limit).map(describe),

    /** Counts the waiting mails. */
    count: (): number => queries.count(),

    /**
     * Tries to send a waiting mail now, whenever it is due.
     *
     * @returns whether it was delivered, and the mail if it waits on; undefined if no such mail waits.
     */
    async resend(id: string): Promise<{ isSent: boolean; lastError: string | null } | undefined> {
      if (!queries.find(id)) return undefined
      const isSent = await deliver(id)
      return { isSent, lastError: queries.find(id)?.lastError ?? null }
    },
  }
}

/** Binds a sealed text to its row: it opens nowhere else. */
const buildContext = (id: string): string => `outbox:${id}`

/** Shortens a reply of the mail server to one line. */
const toPlainLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, ERROR_CHARS_MAX)
