import type { Caller } from '../../../core/actor.ts'
import { type AuditAction, describeAct } from '../../../core/audit.ts'
import { DAY_MS, isoTime } from '../../../core/clock.ts'
import { EMAIL_FAULT, normaliseEmail } from '../../../core/email.ts'
import { type ApiError, rateLimitExceeded, signInFirst } from '../../../core/errors.ts'
import { hashSecret } from '../../../core/secrets.ts'
import type { Throttle } from '../../../core/throttle.ts'
import { validationError } from '../../../http/validation.ts'
import type { OutboxService } from '../../mail/outbox/service.ts'
import type { Base } from '../../module.ts'
import type { PeopleQueries, PersonRow } from '../../stores/people/queries.ts'
import type { ReauthenticationService } from '../reauthentication/service.ts'
import { addressTakenMail, approvalMail, confirmationMail } from './mails.ts'
import type { EmailChangeQueries } from './queries.ts'
import type { EmailChange, EmailChangeCancelled, EmailChangeTaken, EmailState } from './schema.ts'

export interface EmailChangeDeps extends Pick<Base, 'clock' | 'ids' | 'atomically' | 'record' | 'baseUrl'> {
  queries: EmailChangeQueries
  people: Pick<PeopleQueries, 'findPerson' | 'findPersonByEmail'>
  outbox: Pick<OutboxService, 'write' | 'deliver'>
  /** Asks a signed-in person for password and code. */
  reauthenticate: ReauthenticationService['reauthenticate']
  /** Requests of one person, and requests that name one address. */
  tries: Throttle
  mails: Throttle
}

/** Life of both links. */
const LINK_MS = DAY_MS

const TOKEN_BYTES = 32

export type EmailChangeService = ReturnType<typeof emailChangeService>

/**
 * Requests for another e-mail address of an account, as the person makes them. No answer tells whether an address has an
 * account.
 */
export function emailChangeService(deps: EmailChangeDeps) {
  const { queries, people, outbox, clock, ids, atomically, record } = deps

  function requirePerson({ userId }: Caller): PersonRow {
    const person = userId === null ? undefined : people.findPerson(userId)
    if (!person) throw signInFirst()
    return person
  }

  const recordOwn = (caller: Caller, action: AuditAction) =>
    record({ ...describeAct(caller, action), storeId: null })

  /** @throws ApiError `rate_limit_exceeded`. */
  function count(person: PersonRow, newEmail: string): void {
    const now = clock.now()
    const tries = deps.tries.take(person.id, now)
    if (!tries.isAllowed) throw rateLimitExceeded('You asked for too many changes of your address', tries)
    const mails = deps.mails.take(newEmail, now)
    if (!mails.isAllowed) throw rateLimitExceeded('Too many requests named this e-mail address', mails)
  }

  /** Saves a request with both mails. An address with an account costs the same. @returns the ids of the mails. */
  function save(caller: Caller, person: PersonRow, newEmail: string): string[] {
    if (newEmail === person.email) throw sameAddress()
    count(person, newEmail)
    const now = clock.now()
    const [approveToken, confirmToken] = [ids.secret(TOKEN_BYTES), ids.secret(TOKEN_BYTES)]
    queries.put({
      userId: person.id,
      newEmail,
      sessionId: caller.token?.sessionId ?? null,
      approveTokenHash: hashSecret(approveToken),
      confirmTokenHash: hashSecret(confirmToken),
      createdAt: now,
      expiresAt: now + LINK_MS,
    })
    recordOwn(caller, 'account.email_change_requested')
    const baseUrl = deps.baseUrl()
    // Nobody ever gets the token for an address that has an account.
    const isTaken = people.findPersonByEmail(newEmail) !== undefined
    return [
      approvalMail(person.email, newEmail, approveToken, baseUrl, now),
      isTaken
        ? addressTakenMail(newEmail, baseUrl, now)
        : confirmationMail(newEmail, confirmToken, baseUrl, now),
    ].map((mail) => outbox.write(mail, { wantedMs: LINK_MS }))
  }

  return {
    /**
     * Asks for another address (POST /v1/me/email), in the place of an earlier request. A link goes to each address.
     *
     * @throws ApiError `rate_limit_exceeded`, and all of {@link ReauthenticationService}'s `reauthenticate`; `validation_error` for a malformed
     * address and for the present one.
     */
    async request(caller: Caller, { email, ...shown }: EmailChange): Promise<EmailChangeTaken> {
      const newEmail = normaliseEmail(email)
      if (!newEmail) throw validationError([{ in: 'body', pointer: '/email', ...EMAIL_FAULT }])
      const mailIds = await deps.reauthenticate(caller, shown, (person) => save(caller, person, newEmail))
      const sent = await Promise.all(mailIds.map(outbox.deliver))
      const email_sent = sent.every(Boolean)
      return {
        status: 'confirmation_required',
        message: email_sent ? MAILS_SENT : MAILS_WAIT,
        email_sent,
        expires_at: isoTime(clock.now() + LINK_MS),
      }
    },

    /** Reads the present address, and the change that waits (GET /v1/me/email). */
    read(caller: Caller): EmailState {
      const { id, email } = requirePerson(caller)
      const row = queries.findByPerson(id, clock.now())
      return {
        email,
        pending: row
          ? {
              new_email: row.newEmail,
              approved: row.approvedAt !== null,
              confirmed: row.confirmedAt !== null,
              requested_at: isoTime(row.createdAt),
              expires_at: isoTime(row.expiresAt),
            }
          : null,
      }
    },

    /** Cancels the change that waits (DELETE /v1/me/email). Both links end. */
    cancel(caller: Caller): EmailChangeCancelled {
      const { id } = requirePerson(caller)
      const cancelled = atomically(() => {
        if (!queries.findByPerson(id, clock.now())) return false
        queries.forget(id)
        recordOwn(caller, 'account.email_change_cancelled')
        return true
      })
      return { status: 'cancelled', cancelled }
    },

    /** Drops the change that waits, as after a new password. Call it in a transaction. */
    forget: (userId: string): void => void queries.forget(userId),

    /** Deletes expired requests. */
    prune: (): void => queries.prune(clock.now()),
  }
}

const MAILS_SENT =
  'We sent a mail to each of the two addresses. Open both links within 24 hours; until then nothing changes.'
const MAILS_WAIT =
  'We keep your request for 24 hours. The mails with the links could not be sent yet; the operator of this service can give you the links.'

const sameAddress = (): ApiError =>
  validationError([
    { in: 'body', pointer: '/email', code: 'same', message: 'is the address of your account already' },
  ])
