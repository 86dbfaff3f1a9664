import type { Caller, Trace } from '../../../core/actor.ts'
import { type AuditAction, describeAct } from '../../../core/audit.ts'
import { DAY_MS, isoTime } from '../../../core/clock.ts'
import { EMAIL_FAULT, normaliseEmail } from '../../../core/email.ts'
import { ApiError, rateLimitExceeded, signInFirst } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { invalidLink } from '../../../core/mailed-link.ts'
import { hashSecret } from '../../../core/secrets.ts'
import type { Throttle } from '../../../core/throttle.ts'
import { networkKey } from '../../../core/throttle-keys.ts'
import { validationError } from '../../../http/validation.ts'
import type { PasswordHasher } from '../../../platform/passwords.ts'
import type { OutboxService } from '../../mail/outbox/service.ts'
import type { Base } from '../../module.ts'
import type { PeopleQueries, PersonRow } from '../../stores/people/queries.ts'
import type { ProofService } from '../proof/service.ts'
import { addressTakenMail, approvalMail, changedMail, confirmationMail } from './mails.ts'
import type { EmailChangeQueries, EmailChangeRow } from './queries.ts'
import type {
  EmailChange,
  EmailChangeCancelled,
  EmailChangeTaken,
  EmailConfirmation,
  EmailState,
  EmailStep,
} from './schema.ts'

export interface EmailChangeDeps
  extends Pick<
    Base,
    'clock' | 'ids' | 'log' | 'atomically' | 'withoutFsync' | 'record' | 'defer' | 'baseUrl'
  > {
  queries: EmailChangeQueries
  people: Pick<PeopleQueries, 'findPerson' | 'findPersonByEmail' | 'setEmail' | 'provePerson'>
  outbox: Pick<OutboxService, 'write' | 'deliver' | 'sendAfterCommit'>
  /** Asks a signed-in person for password and code. */
  prove: ProofService['demand']
  /** Requests of one person, and requests that name one address. */
  tries: Throttle
  mails: Throttle
  verifyPassword: PasswordHasher['verify']
  /** Ends a person's sign-ins except one. @returns how many ended. */
  endOtherSessions(userId: string, keptSessionId: string | null): number
  /** Ends the links for a new password that were mailed to the former address. */
  forgetResetLinks(userId: string): void
  /** Deletes the registrations of the former address, and the open ones of the new address. */
  forgetRegistrations(before: string, after: string): void
  /** Puts a person's id in the place of an address in the audit log. */
  forgetEmailInLog(userId: string, email: string): void
  /** Runs the work of one key in order. */
  locked<Result>(key: string, work: () => Promise<Result>): Promise<Result>
}

/** Life of both links. */
const LINK_MS = DAY_MS

const TOKEN_BYTES = 32

/** How a step ended; `taken` if somebody has got an account with the new address meanwhile. */
type Outcome = EmailStep | 'taken'

export type EmailChangeService = ReturnType<typeof emailChangeService>

/**
 * Changes the e-mail address of an account. Both addresses must agree: the present one by a link, the new one by a link
 * and the password, so that mailbox and password are known to belong to one person afterwards. No answer tells whether an
 * address has an account.
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

  /** Gives the account its new address, which both mailboxes want. Call it in a transaction. */
  function apply({ userId, newEmail, sessionId }: EmailChangeRow, before: string, trace: Trace): Outcome {
    const now = clock.now()
    people.setEmail(userId, newEmail)
    // Its mailbox and the password came together.
    people.provePerson(userId, now)
    queries.forget(userId)
    deps.forgetResetLinks(userId)
    deps.forgetRegistrations(before, newEmail)
    const sessions_ended = deps.endOtherSessions(userId, sessionId)
    deps.forgetEmailInLog(userId, before)
    const who = { actorKind: 'anyone', storeId: null, userId, keyId: null, trace } as const
    record({ ...who, action: 'account.email_changed', details: { sessions_ended } })
    outbox.sendAfterCommit([changedMail(before, newEmail, deps.baseUrl(), now)])
    return { status: 'email_changed' }
  }

  /** Goes on after one of the addresses has agreed. Call it in a transaction. */
  function proceed(userId: string, trace: Trace): Outcome {
    const row = queries.findByPerson(userId, clock.now())
    const person = people.findPerson(userId)
    if (!row || !person) throw invalidLink()
    if (row.confirmedAt === null) return { status: 'waiting' }
    // Only who can read the new mailbox gets here, and may learn that its address has an account.
    if (people.findPersonByEmail(row.newEmail)) {
      queries.forget(userId)
      return 'taken'
    }
    return row.approvedAt === null ? { status: 'waiting' } : apply(row, person.email, trace)
  }

  function finish(outcome: Outcome): EmailStep {
    if (outcome === 'taken') throw addressTaken()
    return outcome
  }

  function findConfirmation(tokenHash: Buffer) {
    const row = queries.findByConfirmToken(tokenHash, clock.now())
    const person = row && row.wrongPasswords < LIMITS.passwordsPerLinkMax && people.findPerson(row.userId)
    return person ? { row, person } : undefined
  }

  async function confirmOnce(tokenHash: Buffer, password: string, trace: Trace): Promise<EmailStep> {
    const found = findConfirmation(tokenHash)
    const isRight = await deps.verifyPassword(found?.person.passwordHash, password, networkKey(trace.address))
    if (!found) throw notConfirmed()
    if (!isRight) {
      // Waiting for the disk would reveal whether the link exists.
      deps.withoutFsync(() => queries.countWrong(found.row.userId))
      throw notConfirmed()
    }
    const outcome = atomically(() => {
      // While the password was hashed, the request may have been cancelled, or the password changed.
      const now = findConfirmation(tokenHash)
      if (now?.person.passwordHash !== found.person.passwordHash) throw notConfirmed()
      queries.confirm(now.row.userId, clock.now())
      return proceed(now.row.userId, trace)
    })
    return finish(outcome)
  }

  return {
    /**
     * Asks for another address (POST /v1/me/email), in the place of an earlier request. A link goes to each address.
     *
     * @throws ApiError `rate_limit_exceeded`, and all of {@link ProofService}'s `demand`; `validation_error` for a malformed
     * address and for the present one.
     */
    async request(caller: Caller, { email, ...proof }: EmailChange): Promise<EmailChangeTaken> {
      const newEmail = normaliseEmail(email)
      if (!newEmail) throw validationError([{ in: 'body', pointer: '/email', ...EMAIL_FAULT }])
      const mailIds = await deps.prove(caller, proof, (person) => save(caller, person, newEmail))
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

    /**
     * The present address agrees (POST /verify/email/approve).
     *
     * @throws ApiError `unauthorized` for any link that does not work; `conflict` if somebody has got an account with the
     * new address since its owner confirmed it.
     */
    approve(token: string, trace: Trace): EmailStep {
      const outcome = atomically(() => {
        const row = queries.findByApproveToken(hashSecret(token), clock.now())
        if (!row) throw invalidLink()
        queries.approve(row.userId, clock.now())
        return proceed(row.userId, trace)
      })
      return finish(outcome)
    },

    /**
     * The new address agrees (POST /verify/email). The fifth wrong password ends the link.
     *
     * @throws ApiError `overloaded`; `conflict` if somebody has got an account with the address meanwhile; `unauthorized` for
     * a wrong password and for any link that does not work: both get the same words after the same work.
     */
    async confirm({ token, password }: EmailConfirmation, trace: Trace): Promise<EmailStep> {
      const tokenHash = hashSecret(token)
      // One at a time for each link: of many guesses at once, at most five are checked.
      return deps.locked(tokenHash.toString('hex'), () => confirmOnce(tokenHash, password, trace))
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

const addressTaken = (): ApiError =>
  new ApiError(
    'conflict',
    'Somebody has an account with this e-mail address by now: nothing has changed. Ask for another address',
  )

/** The same answer for a wrong password and for every link that does not work. */
const notConfirmed = (): ApiError =>
  new ApiError(
    'unauthorized',
    `The link does not work, or this is not the password of the account. A link ends after ${LIMITS.passwordsPerLinkMax} wrong passwords; ask for the change again to get a new one`,
  )
