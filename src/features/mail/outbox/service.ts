import { HOUR_MS, isoTime, MINUTE_MS } from '../../../core/clock.ts'
import type { Mail, Mailer } from '../../../platform/mail/mailer.ts'
import type { Base } from '../../module.ts'
import type { Courier } from './courier.ts'
import type { OutboxQueries, OutboxRow } from './queries.ts'
import type { MailTexts } from './texts.ts'

export interface OutboxDeps extends Pick<Base, 'clock' | 'ids' | 'defer'> {
  log: Pick<Base['log'], 'warn'>
  queries: OutboxQueries
  mailer: Pick<Mailer, 'isConfigured'>
  texts: MailTexts
  courier: Courier
}

/** How the outbox treats a mail until it is delivered. */
export interface Posting {
  /** How long the mail is worth sending: at most 30 days, which is the default. */
  wantedMs?: number
  /** Whether anyone can cause any number of such mails. They must neither push out nor delay others. */
  mayGiveWay?: boolean
  /** Whether the mail may wait until the outbox comes to it: many such mails at once are no burst for the mail server. */
  mayWait?: boolean
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

/** Time for the first attempt of a new mail, before {@link OutboxService.retryDue} tries it. */
const FIRST_ATTEMPT_MS = MINUTE_MS

/** A mail that waits for longer is deleted, even if its link lives longer. */
const WANTED_MS = 30 * 24 * HOUR_MS
const ROWS_MAX = 10_000

export type OutboxService = ReturnType<typeof outboxService>

/**
 * Stores each mail before sending it. No mail is lost while the mail server is down, and the operator of an install
 * without one can read the mails there.
 */
export function outboxService({ queries, mailer, courier, texts, clock, ids, defer, log }: OutboxDeps) {
  const { deliver } = courier

  function write(
    { to, subject, ...body }: Mail,
    { wantedMs = WANTED_MS, mayGiveWay = false, mayWait = false }: Posting = {},
  ): string {
    const id = ids.uuid()
    const now = clock.now()
    // Without a mail server here, the mail is due at once, because a service beside this process may have one.
    const nextAttemptAt = mailer.isConfigured && !mayWait ? now + FIRST_ATTEMPT_MS : now
    queries.add({
      id,
      recipient: to,
      subject,
      ...texts.seal(id, body),
      createdAt: now,
      expiresAt: now + wantedMs,
      mayGiveWay: mayGiveWay ? 1 : 0,
      nextAttemptAt,
    })
    queries.trim(ROWS_MAX)
    return id
  }

  const tryDeliver = (id: string): Promise<unknown> =>
    deliver(id).catch((err) => log.warn({ err, mail_id: id }, 'a mail was not delivered'))

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
      if (mailIds.length > 0 && !posting?.mayWait) defer(() => Promise.all(mailIds.map(tryDeliver)), 0)
    },

    /** Stores a mail and tries to send it once. @returns whether it was delivered. */
    post: (mail: Mail, posting?: Posting): Promise<boolean> => deliver(write(mail, posting)),

    /**
     * Tries to send the mails that are due, oldest first, with those that may give way last. Stops when the mail server
     * fails. Call it every minute; a call during another one joins it.
     *
     * @returns how many were delivered.
     */
    retryDue: courier.retryDue,

    /** Deletes the waiting mails to an address. @param email normalised. */
    forgetRecipient: queries.removeByRecipient,

    /** Deletes mails that are no longer worth sending. */
    prune: (): void => queries.removeExpired(clock.now()),

    /** Lists waiting mails, oldest first. The texts may contain links that open an account. */
    list: (): WaitingMail[] =>
      queries.list(clock.now()).map((row) => ({ ...describe(row), text: texts.open(row)?.text ?? null })),

    /** Lists waiting mails without their texts, the newest first. @param beforeId only older ones. */
    listPage: (beforeId: string | null, limit: number): Omit<WaitingMail, 'text'>[] =>
      queries.listPage(clock.now(), beforeId, limit).map(describe),

    /** Reads one waiting mail. The text may contain a link that opens an account. */
    read(id: string): WaitingMail | undefined {
      const row = queries.find(id)
      return row && row.expiresAt > clock.now()
        ? { ...describe(row), text: texts.open(row)?.text ?? null }
        : undefined
    },

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
