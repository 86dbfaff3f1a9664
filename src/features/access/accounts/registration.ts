import type { Trace } from '../../../core/actor.ts'
import type { Atomically } from '../../../core/audit.ts'
import type { Clock } from '../../../core/clock.ts'
import { EMAIL_FAULT, normaliseEmail } from '../../../core/email.ts'
import { ApiError, rateLimitExceeded } from '../../../core/errors.ts'
import type { Ids } from '../../../core/ids.ts'
import { findPasswordProblem } from '../../../core/password-rule.ts'
import type { RateVerdict } from '../../../core/rate-window.ts'
import { hashSecret } from '../../../core/secrets.ts'
import type { Throttle } from '../../../core/throttle.ts'
import { networkKey, throttleKey } from '../../../core/throttle-keys.ts'
import { type Problem, validationError } from '../../../http/validation.ts'
import type { OutboxService } from '../../delivery/mail/service.ts'
import type { PeopleQueries } from '../../stores/people/queries.ts'
import { knownAccountMail, verificationMail } from './mails.ts'
import type { RegistrationQueries } from './registration-queries.ts'
import type { Registration, RegistrationTaken } from './schema.ts'

/** The setting `REGISTRATION`: who may ask for an account. */
export type RegistrationMode = 'open' | 'invite' | 'closed'

export interface RegistrationDeps {
  queries: RegistrationQueries
  people: Pick<PeopleQueries, 'findPersonByEmail'>
  outbox: Pick<OutboxService, 'write' | 'deliver'>
  mode: RegistrationMode
  /** Registrations of one mail address by one address on the network, so that strangers leave a share to its owner. */
  tries: Throttle
  /** Mails about registrations that one mail address gets. */
  mails: Throttle
  /** @param network of the client: no network may take all places in the line. */
  hashPassword(password: string, network?: string): Promise<string>
  baseUrl(): string
  clock: Clock
  ids: Ids
  atomically: Atomically
}

const HOUR_MS = 3_600_000

/** Life of the link in the mail. */
const LINK_MS = 24 * HOUR_MS

/** How long a link that was used still says so: a program may open it before its reader does. */
const USED_LINK_MS = 30 * 24 * HOUR_MS

/** Registrations of everybody: some 40 MB. Those of one address have no bound but the throttles: none pushes out another. */
const ROWS_MAX = 100_000

const TOKEN_BYTES = 32

export type RegistrationService = ReturnType<typeof registrationService>

/**
 * Accounts that people make themselves (contract 5.3). Nobody is told whether an address has an account: known and
 * unknown ones get the same answer after the same work, and a mail each.
 */
export function registrationService(deps: RegistrationDeps) {
  const { queries, people, outbox, mode, clock, ids, atomically } = deps

  /** @throws ApiError `permission_denied`. */
  function admit(email: string, invite: string | undefined): void {
    const isInvited = invite !== undefined && queries.isInvited(hashSecret(invite), email, clock.now())
    if (mode === 'closed' || (mode === 'invite' && !isInvited)) throw notAdmitted(mode)
  }

  /** @throws ApiError `validation_error` with every problem. */
  async function checked({ client_name, email: text, password }: Registration) {
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
    if (!tries.isAllowed) throw tooManyOf(tries)
    const mails = deps.mails.take(email, now)
    if (!mails.isAllowed) throw tooManyOf(mails)
  }

  /** Writes down what was asked for, and the mail about it. @returns the mail's id. */
  function take(email: string, storeName: string, passwordHash: string): string {
    const now = clock.now()
    const token = ids.secret(TOKEN_BYTES)
    const known = people.findPersonByEmail(email)
    // Of a known address nobody ever gets the token; the row is there so that the work is the same.
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
     * Takes a registration on (POST /register) and mails its link.
     *
     * @throws ApiError `rate_limit_exceeded`, `permission_denied`, `validation_error`, `overloaded`.
     */
    async register(body: Registration, trace: Trace): Promise<RegistrationTaken> {
      if (mode === 'closed') throw notAdmitted(mode)
      const { email, storeName, password } = await checked(body)
      admit(email, body.invite)
      count(email, trace.address)
      const passwordHash = await deps.hashPassword(password, networkKey(trace.address))
      const mailId = atomically(() => {
        const { invite } = body
        const isLate = mode === 'invite' && !queries.useInvite(hashSecret(invite ?? ''), email, clock.now())
        if (isLate) throw notAdmitted(mode)
        return take(email, storeName, passwordHash)
      })
      const email_sent = await outbox.deliver(mailId)
      return { status: 'verification_required', message: email_sent ? MAIL_SENT : MAIL_WAITS, email_sent }
    },

    /** Hash of the password of the newest registration of an address that waits for its link. */
    pendingPassword: (email: string): string | undefined =>
      queries.newestOpen(email, clock.now())?.passwordHash,

    /** Forgets registrations and invitations whose time is over. */
    prune: (): void => queries.prune(clock.now(), clock.now() - USED_LINK_MS),
  }
}

const MAIL_SENT = 'We sent a mail to that address. Open the link in it within 24 hours.'
const MAIL_WAITS =
  'Your registration is kept for 24 hours. The mail with the link could not be sent now; the operator of this service can activate the account.'

const tooManyOf = (verdict: RateVerdict): ApiError =>
  rateLimitExceeded('Too many registrations of this e-mail address', verdict)

const notAdmitted = (mode: RegistrationMode): ApiError =>
  new ApiError(
    'permission_denied',
    mode === 'closed'
      ? 'Nobody can register here; ask the operator for an account'
      : 'Registering takes an invitation for this e-mail address',
    { details: { registration: mode } },
  )

/** One answer for every link that does not work, whatever the reason. */
export const invalidLink = (): ApiError =>
  new ApiError('unauthorized', 'The link is not valid or has expired')
