import type { ClientInfo } from '../../../core/actor.ts'
import { type AuditEvent, describeOperationOn, type Operator } from '../../../core/audit.ts'
import { HOUR_MS } from '../../../core/clock.ts'
import { EMAIL_FAULT, normaliseEmail } from '../../../core/email.ts'
import { invalidLink } from '../../../core/mailed-link.ts'
import { findPasswordProblem } from '../../../core/password-rule.ts'
import { hashSecret } from '../../../core/secrets.ts'
import type { Throttle } from '../../../core/throttle.ts'
import { validationError } from '../../../http/validation.ts'
import type { PasswordHasher } from '../../../platform/passwords.ts'
import type { OutboxService } from '../../mail/outbox/service.ts'
import type { Base } from '../../module.ts'
import type { PeopleQueries } from '../../stores/people/queries.ts'
import { passwordResetMail } from './mails.ts'
import type { PasswordResetQueries } from './queries.ts'
import type {
  PasswordForgotten,
  PasswordReset,
  PasswordWasReset,
  ResetLink,
  ResetRequested,
} from './schema.ts'

export interface PasswordResetDeps
  extends Pick<Base, 'clock' | 'ids' | 'log' | 'atomically' | 'record' | 'defer' | 'baseUrl'> {
  queries: PasswordResetQueries
  people: Pick<PeopleQueries, 'findPersonByEmail' | 'provePerson' | 'setPassword'>
  /** Ends every credential of an account except the password. Call it in a transaction. */
  revokeCredentials(userId: string): void
  outbox: Pick<OutboxService, 'write' | 'deliver' | 'isConfigured'>
  /** Links to one e-mail address. */
  mails: Throttle
  /** Resets the count of an address's failed sign-ins, as a new password does. */
  forgiveFailures(email: string): void
  hashPassword: PasswordHasher['hash']
  /** Ends every sign-in of a person. @returns how many ended. */
  endSessions(userId: string): number
  /** Drops a change of the e-mail address that waits. */
  forgetEmailChange(userId: string): void
}

const LINK_MS = HOUR_MS

const TOKEN_BYTES = 32

/** A link for a new password that the operator asked for. */
export interface SentLink {
  /** Unix ms. */
  expiresAt: number
  /** null if it was mailed. */
  link: string | null
}

export type PasswordResetService = ReturnType<typeof passwordResetService>

/** Lets people who lost their password set a new one. */
export function passwordResetService(deps: PasswordResetDeps) {
  const { queries, people, outbox, clock, ids, atomically, record } = deps

  /** Creates a link that sets a person's password, for a mail. Call it in a transaction. */
  function createLink(userId: string, lifeMs: number, revokesOnReset = false): string {
    const token = ids.secret(TOKEN_BYTES)
    const now = clock.now()
    queries.add({
      tokenHash: hashSecret(token),
      userId,
      createdAt: now,
      expiresAt: now + lifeMs,
      revokesOnReset,
    })
    return `${deps.baseUrl()}/oauth/password/reset#token=${token}`
  }

  /** Mails a link, if the address has an account and has not received too many. */
  async function sendLink(email: string, clientInfo: ClientInfo): Promise<void> {
    const user = people.findPersonByEmail(email)
    const now = clock.now()
    if (!user || !deps.mails.take(email, now).isAllowed) return
    const mailId = atomically(() => {
      const link = createLink(user.id, LINK_MS)
      record(passwordEvent('password.reset_requested', user.id, clientInfo))
      return outbox.write(passwordResetMail(email, link), { wantedMs: LINK_MS })
    })
    await outbox.deliver(mailId)
  }

  /**
   * Sets a new password. Its owner opened a link from the mailbox, or the operator vouches, so the account becomes
   * proven. Call it in a transaction.
   */
  function replace(
    user: { id: string; email: string },
    passwordHash: string,
    clientInfo: ClientInfo | null,
    revokesOnReset = false,
  ): void {
    people.setPassword(user.id, passwordHash, clock.now())
    const wasUnproven = people.provePerson(user.id, clock.now())
    if (wasUnproven && revokesOnReset) {
      // A stranger may have created keys and secrets in the meantime, and would keep access with them.
      deps.revokeCredentials(user.id)
      record({ ...passwordEvent('account.taken_over', user.id, clientInfo), details: {} })
    }
    queries.forget(user.id)
    deps.forgetEmailChange(user.id)
    const sessions_ended = deps.endSessions(user.id)
    deps.forgiveFailures(user.email)
    record({ ...passwordEvent('password.reset', user.id, clientInfo), details: { sessions_ended } })
  }

  /** @throws ApiError `unauthorized`. */
  function findOwner(token: string) {
    const owner = queries.findOwner(hashSecret(token), clock.now())
    if (!owner) throw invalidLink()
    return owner
  }

  return {
    createLink,

    /**
     * Mails a link for a new password, if the address has an account. All work happens after the answer, so neither the
     * text nor the time of the answer tells whether it has one.
     *
     * @throws ApiError `validation_error`.
     */
    forgot(body: PasswordForgotten, clientInfo: ClientInfo): ResetRequested {
      const email = normaliseEmail(body.email)
      if (!email) throw validationError([{ in: 'body', pointer: '/email', ...EMAIL_FAULT }])
      deps.defer(
        () =>
          sendLink(email, clientInfo).catch((err) =>
            deps.log.error(
              { err, request_id: clientInfo.requestId },
              'a link for a new password was not created',
            ),
          ),
        0,
      )
      const email_sent = outbox.isConfigured
      return { status: 'reset_requested', message: email_sent ? LINK_COMES : LINK_WAITS, email_sent }
    },

    /** Checks whether a link still works, without using it up. @throws ApiError `unauthorized`. */
    check: (token: string): ResetLink => ({ status: 'valid', email: findOwner(token).email }),

    /**
     * Sets a new password by a link, which works once. All sign-ins of the person end. A refused password does not use
     * up the link.
     *
     * @throws ApiError `unauthorized` for any link that does not work, `validation_error`, `overloaded`.
     */
    async reset({ token, password }: PasswordReset, clientInfo: ClientInfo): Promise<PasswordWasReset> {
      const owner = findOwner(token)
      const problem = await findPasswordProblem(password, owner)
      if (problem) throw validationError([problem])
      const passwordHash = await deps.hashPassword(password)
      return atomically(() => {
        // Hashing took a while. Of several requests with one link, only the first finds it unused.
        const used = queries.use(hashSecret(token), clock.now())
        if (!used) throw invalidLink()
        replace(owner, passwordHash, clientInfo, used.revokesOnReset)
        return { status: 'password_reset' }
      })
    },

    /** Sets a password for the operator; the caller has checked it. All sign-ins of the person end. */
    async resetByOperator(user: { id: string; email: string }, password: string): Promise<void> {
      const passwordHash = await deps.hashPassword(password)
      atomically(() => replace(user, passwordHash, null))
    },

    /**
     * Mails a link for a new password to a person, as the operator asks.
     *
     * @returns the link if it could not be mailed, for the operator to hand over.
     */
    async sendLinkByOperator(user: { id: string; email: string }, operator: Operator): Promise<SentLink> {
      const expiresAt = clock.now() + LINK_MS
      const { link, mailId } = atomically(() => {
        const link = createLink(user.id, LINK_MS)
        record(describeOperationOn(operator, user.id, 'password.reset_requested'))
        return { link, mailId: outbox.write(passwordResetMail(user.email, link), { wantedMs: LINK_MS }) }
      })
      const isSent = await outbox.deliver(mailId)
      return { expiresAt, link: isSent ? null : link }
    },

    /** Deletes expired links. */
    prune: (): void => queries.prune(clock.now()),
  }
}

const LINK_COMES =
  'If that address has an account, a mail with a link is on its way. The link works for an hour.'
const LINK_WAITS =
  'If that address has an account, a link for a new password is waiting. This service sends no mails, so ask its operator for the link.'

/** @param clientInfo null when the operator acts. */
const passwordEvent = (
  action: 'password.reset_requested' | 'password.reset' | 'account.taken_over',
  userId: string,
  clientInfo: ClientInfo | null,
): AuditEvent => ({
  action,
  actorKind: clientInfo ? 'anyone' : 'operator',
  storeId: null,
  userId,
  keyId: null,
  details: {},
  clientInfo,
})
