import type { ClientInfo } from '../../../core/actor.ts'
import { DAY_MS } from '../../../core/clock.ts'
import { EMAIL_FAULT, normaliseEmail } from '../../../core/email.ts'
import { ApiError, rateLimitExceeded } from '../../../core/errors.ts'
import { findPasswordProblem } from '../../../core/password-rule.ts'
import type { Problem } from '../../../core/problem.ts'
import type { RateVerdict } from '../../../core/rate-window.ts'
import { hashSecret } from '../../../core/secrets.ts'
import type { Throttle } from '../../../core/throttle.ts'
import { networkKey, throttleKey } from '../../../core/throttle-keys.ts'
import { validationError } from '../../../http/validation.ts'
import type { OutboxService } from '../../mail/outbox/service.ts'
import type { Base } from '../../module.ts'
import type { PeopleQueries } from '../../stores/people/queries.ts'
import { knownAccountMail, verificationMail } from './mails.ts'
import type { RegistrationQueries } from './queries.ts'
import type { Registration, RegistrationTaken } from './schema.ts'

/** The people who may request an account. By default: everybody until the install has an owner, then only the invited. */
export type RegistrationMode = 'open' | 'invite' | 'closed'

export interface RegistrationDeps extends Pick<Base, 'clock' | 'ids' | 'atomically' | 'baseUrl'> {
  queries: RegistrationQueries
  people: Pick<PeopleQueries, 'findPersonByEmail'>
  outbox: Pick<OutboxService, 'write' | 'deliver'>
  readMode(): RegistrationMode
  /** Registrations of one e-mail address from one network address, so that strangers leave its owner a share. */
  tries: Throttle
  /** Mails about registrations to one e-mail address. */
  mails: Throttle
  /** @param network of the client: no network may fill the whole queue. */
  hashPassword(password: string, network?: string): Promise<string>
}

/** Life of the link in the mail. */
const LINK_MS = DAY_MS

/** How long a used link still reports that it was used: a program may open it before its reader does. */
const USED_LINK_MS = 30 * DAY_MS

/** Registrations of all addresses: some 40 MB. Only throttles limit those of one address, so none pushes out another. */
const ROWS_MAX = 100_000

const TOKEN_BYTES = 32

export type RegistrationService = ReturnType<typeof registrationService>

/**
 * Lets people create accounts themselves (contract 5.3). No answer tells whether an address has an account: known and
 * unknown addresses get the same answer after the same work, and one mail each.
 */
export function registrationService(deps: RegistrationDeps) {
  const { queries, people, outbox, readMode, clock, ids, atomically } = deps

  /** @throws ApiError `permission_denied`. */
  function admit(email: string, invite: string | undefined): void {
    const isInvited = invite !== undefined && queries.isInvited(hashSecret(invite), email, clock.now())
    const mode = readMode()
    if (mode === 'closed' || (mode === 'invite' && !isInvited)) throw notAdmitted(mode)
  }

  /** @throws ApiError `validation_error` with every problem. */
  async function validate({ client_name, email: text, password }: Registration) {
    const email = normaliseEmail(text)
    const storeName = client_name.trim()
    const problems: (Problem | undefined)[] = [
      email === undefined ? { in: 'body', pointer: '/email', ...EMAIL_FAULT } : undefined,
      await findPasswordProblem(password, { email: email ?? text, storeName }),
    ]
    const found = problems.filter((one) => one !== undefined)
    if (email === undefined || found.length > 0) throw validationError(found)
    return { email, storeName, password }
  }

  /** @throws ApiError `rate_limit_exceeded`. */
  function count(email: string, address: string): void {
    const now = clock.now()
    const tries = deps.tries.take(`${throttleKey(address)} ${email}`, now)
    if (!tries.isAllowed) throw tooManyRegistrations(tries)
    const mails = deps.mails.take(email, now)
    if (!mails.isAllowed) throw tooManyRegistrations(mails)
  }

  /** Saves the registration and the mail about it. @returns the id of the mail. */
  function save(email: string, storeName: string, passwordHash: string): string {
    const now = clock.now()
    const token = ids.secret(TOKEN_BYTES)
    const known = people.findPersonByEmail(email)
    // Nobody ever gets the token for a known address; the row keeps the work the same.
    queries.add(
      {
        id: ids.uuid(),
        email,
        storeName,
        passwordHash,
        tokenHash: hashSecret(token),
        createdAt: now,
        expiresAt: now + LINK_MS,
      },
      ROWS_MAX,
    )
    const baseUrl = deps.baseUrl()
    const mail = known ? knownAccountMail(email, baseUrl, now) : verificationMail(email, token, baseUrl, now)
    return outbox.write(mail, { wantedMs: LINK_MS, mayGiveWay: true })
  }

  return {
    /**
     * Accepts a registration (POST /register) and mails its link.
     *
     * @throws ApiError `rate_limit_exceeded`, `permission_denied`, `validation_error`, `overloaded`.
     */
    async register(body: Registration, clientInfo: ClientInfo): Promise<RegistrationTaken> {
      if (readMode() === 'closed') throw notAdmitted('closed')
      const { email, storeName, password } = await validate(body)
      admit(email, body.invite)
      count(email, clientInfo.address)
      const passwordHash = await deps.hashPassword(password, networkKey(clientInfo.address))
      const mailId = atomically(() => {
        const { invite } = body
        const isLate =
          readMode() === 'invite' && !queries.useInvite(hashSecret(invite ?? ''), email, clock.now())
        if (isLate) throw notAdmitted('invite')
        return save(email, storeName, passwordHash)
      })
      const email_sent = await outbox.deliver(mailId)
      return { status: 'verification_required', message: email_sent ? MAIL_SENT : MAIL_WAITS, email_sent }
    },

    /** Finds the password hash of an address's newest registration that waits for its link. */
    findPendingPassword: (email: string): string | undefined =>
      queries.findNewestOpen(email, clock.now())?.passwordHash,

    /** Deletes expired registrations and invitations. */
    prune: (): void => queries.prune(clock.now(), clock.now() - USED_LINK_MS),
  }
}

const MAIL_SENT = 'We sent a mail to that address. Open the link in it within 24 hours.'
const MAIL_WAITS =
  'We keep your registration for 24 hours. The mail with the link could not be sent yet; the operator of this service can activate the account.'

const tooManyRegistrations = (verdict: RateVerdict): ApiError =>
  rateLimitExceeded('Too many registrations with this e-mail address', verdict)

const notAdmitted = (mode: RegistrationMode): ApiError =>
  new ApiError(
    'permission_denied',
    mode === 'closed'
      ? 'Registration is closed; ask the operator for an account'
      : 'Registration requires an invitation for this e-mail address',
    { details: { registration: mode } },
  )
