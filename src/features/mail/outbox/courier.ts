import { createBackoff } from '../../../core/backoff.ts'
import { HOUR_MS, MINUTE_MS } from '../../../core/clock.ts'
import type { MailError, Mailer } from '../../../platform/mail/mailer.ts'
import type { Base } from '../../module.ts'
import type { OutboxQueries, OutboxRow } from './queries.ts'
import type { MailTexts } from './texts.ts'

export interface CourierDeps extends Pick<Base, 'clock'> {
  gate: Pick<Base['gate'], 'rests'>
  log: Pick<Base['log'], 'warn'>
  queries: Pick<OutboxQueries, 'find' | 'fail' | 'remove' | 'listDue'>
  mailer: Mailer
  texts: MailTexts
}

/** Waits after the first, second … failure. The last one repeats. */
const backoff = createBackoff({ waits: [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS] })

const PER_RUN_MAX = 50
const ERROR_CHARS_MAX = 300

/** The key that sealed the text is gone, so only a new mail helps. */
const UNREADABLE = 'The text cannot be decrypted, because the secret of this install has changed'

/** How an attempt ended. */
type Outcome = 'delivered' | MailError['reason'] | 'unknown'

export type Courier = ReturnType<typeof createCourier>

/** Takes stored mails to the mail server, each by one attempt at a time. */
export function createCourier({ queries, mailer, texts, clock, log, gate }: CourierDeps) {
  /** Ids of mails that are being sent. */
  const inFlight = new Set<string>()
  /** Ids of delivered mails that could not be deleted from the table. */
  const delivered = new Set<string>()
  let retrying: Promise<number> | undefined

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
    const body = texts.open(row)
    if (body === undefined) return recordFailure(row, 'refused', new Error(UNREADABLE))
    try {
      await mailer.send({ to: row.recipient, subject: row.subject, ...body })
    } catch (error) {
      // Neither the mail nor its server failed: the mail goes out after the next start.
      if ((error as Partial<MailError>).reason === 'stopped') return 'stopped'
      return recordFailure(row, (error as Partial<MailError>).reason ?? 'unknown', error)
    }
    remove(row.id)
    return 'delivered'
  }

  function recordFailure<Reason extends Outcome>(
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
    inFlight.add(row.id)
    try {
      return await attempt(row)
    } finally {
      inFlight.delete(row.id)
    }
  }

  async function deliver(id: string): Promise<boolean> {
    const mayBeSent = mailer.isConfigured && !gate.rests() && !inFlight.has(id)
    const row = mayBeSent ? queries.find(id) : undefined
    return row !== undefined && (await deliverRow(row)) === 'delivered'
  }

  async function retry(): Promise<number> {
    let count = 0
    for (const id of delivered) remove(id)
    for (const row of queries.listDue(clock.now(), PER_RUN_MAX)) {
      if (gate.rests()) break
      if (inFlight.has(row.id) || delivered.has(row.id)) continue
      const outcome = await deliverRow(row)
      if (outcome === 'delivered') count += 1
      // If the server failed rather than refused this mail, the other mails would fail too.
      else if (outcome !== 'refused') break
    }
    return count
  }

  return {
    deliver,

    /** Tries the mails that are due. A call during another one joins it. @returns how many were delivered. */
    retryDue(): Promise<number> {
      if (!mailer.isConfigured) return Promise.resolve(0)
      retrying ??= retry().finally(() => {
        retrying = undefined
      })
      return retrying
    },
  }
}

/** Shortens a reply of the mail server to one line. */
const toPlainLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, ERROR_CHARS_MAX)
