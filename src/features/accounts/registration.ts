import type { Trace } from '../../core/actor.ts'
import type { Atomically, AuditActor, RecordEvent } from '../../core/audit.ts'
import type { Clock } from '../../core/clock.ts'
import { ApiError, rateLimitExceeded } from '../../core/errors.ts'
import type { Ids } from '../../core/ids.ts'
import type { PlanName } from '../../core/plans.ts'
import type { RateVerdict } from '../../core/rate-window.ts'
import type { Throttle } from '../../core/throttle.ts'
import { type Problem, validationError } from '../../http/validation.ts'
import type { OutboxService } from '../outbox/service.ts'
import { EMAIL_FAULT, normaliseEmail } from './email.ts'
import { knownAccountMail, verificationMail } from './mails.ts'
import type { PasswordRule } from './password-rule.ts'
import type { AccountQueries } from './queries.ts'
import type { RegistrationQueries, RegistrationRow } from './registration-queries.ts'
import type { Registration, RegistrationTaken, Verified } from './schema.ts'
import { freeSlug } from './slug.ts'

/** The setting `REGISTRATION`: who may ask for an account. */
export type RegistrationMode = 'open' | 'invite' | 'closed'

export interface RegistrationDeps {
  queries: RegistrationQueries
  accounts: Pick<AccountQueries, 'userByEmail' | 'storeBySlug' | 'storeById' | 'addStore'>
  outbox: Pick<OutboxService, 'write' | 'deliver'>
  mode: RegistrationMode
  /** Of a store that registers. */
  plan: PlanName
  /** Registrations of one mail address by one address on the network, so that strangers leave its owner his share. */
  tries: Throttle
  /** Mails that one mail address gets because somebody registers it. */
  mails: Throttle
  throttleKey(address: string): string
  networkKey(address: string): string
  passwordRule: PasswordRule
  /** @param network of the client: no network may take all places in the line. */
  hashPassword(password: string, network?: string): Promise<string>
  hashSecret(secret: string): Buffer
  baseUrl(): string
  clock: Clock
  ids: Ids
  atomically: Atomically
  record: RecordEvent
}

const HOUR_MS = 3_600_000

/** Life of the link in the mail. */
const LINK_MS = 24 * HOUR_MS

/** How long a link that was used still says so: mail scanners open links before their readers do. */
const USED_LINK_MS = 30 * 24 * HOUR_MS

/** Registrations of everybody: some 40 MB. Those of one address have no bound but the throttles: none pushes out another. */
const ROWS_MAX = 100_000

const TOKEN_BYTES = 32
const CLIENT_SECRET_BYTES = 32

export type RegistrationService = ReturnType<typeof registrationService>

/**
 * Accounts that people make themselves (spec §3, D10). Nobody is told whether an address has an account: known and
 * unknown ones get the same answer after the same work, and a mail each.
 */
export function registrationService(deps: RegistrationDeps) {
  const { queries, accounts, outbox, mode, clock, ids, atomically, record, hashSecret } = deps

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
      await deps.passwordRule.problemOf(password, { email: email ?? text, storeName }),
    ]
    const found = problems.filter((one) => one !== undefined)
    if (email === undefined || found.length > 0) throw validationError(found)
    return { email, storeName, password }
  }

  /** @throws ApiError `rate_limit_exceeded`. */
  function count(email: string, address: string): void {
    const now = clock.now()
    const tries = deps.tries.take(`${deps.throttleKey(address)} ${email}`, now)
    if (!tries.isAllowed) throw tooManyOf(tries)
    const mails = deps.mails.take(email, now)
    if (!mails.isAllowed) throw tooManyOf(mails)
  }

  /** Writes down what was asked for, and the mail about it. @returns the mail's id. */
  function take(email: string, storeName: string, passwordHash: string): string {
    const now = clock.now()
    const token = ids.secret(TOKEN_BYTES)
    const known = accounts.userByEmail(email)
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
    const mail = known
      ? knownAccountMail(email, baseUrl, now)
      : verificationMail(email, `${baseUrl}/verify?token=${token}`, now)
    return outbox.write(mail, { wantedMs: LINK_MS, mayGiveWay: true })
  }

  /** Makes user, store and ownership out of a registration; to be called in a transaction. */
  function activate(row: RegistrationRow, actorKind: AuditActor, trace: Trace | null): Verified {
    const now = clock.now()
    const userId = ids.uuid()
    const storeId = ids.uuid()
    const slug = freeSlug(row.storeName, (slug) => !accounts.storeBySlug(slug), ids.uuid)
    // Nobody has seen this secret: the owner makes one when he needs it.
    const clientSecretHash = hashSecret(ids.secret(CLIENT_SECRET_BYTES))
    const store = {
      id: storeId,
      slug,
      name: row.storeName,
      plan: deps.plan,
      clientSecretHash,
      createdAt: now,
    }
    accounts.addStore(store, {
      id: userId,
      email: row.email,
      name: row.email.split('@', 1)[0] ?? row.email,
      passwordHash: row.passwordHash,
      isSuperAdmin: false,
      createdAt: now,
    })
    if (!queries.use(row.id, storeId, now)) throw new Error('The registration was used meanwhile')
    queries.forgetOpen(row.email)
    const who = { actorKind, storeId, userId, keyId: null, trace }
    record({ ...who, action: 'account.verified', details: { email: row.email } })
    record({ ...who, action: 'store.created', details: { slug, plan: deps.plan } })
    return { status: 'verified', slug, redirect: portalOf(slug) }
  }

  /** The open registration of a link, or what became of it. @throws ApiError `unauthorized`. */
  function linkOf(token: string): Verified | { row: RegistrationRow } {
    const row = queries.byToken(hashSecret(token))
    const store = row?.storeId ? accounts.storeById(row.storeId) : undefined
    if (store) return { status: 'already_verified', slug: store.slug, redirect: portalOf(store.slug) }
    if (!row || row.expiresAt <= clock.now() || accounts.userByEmail(row.email)) throw invalidLink()
    return { row }
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
      const passwordHash = await deps.hashPassword(password, deps.networkKey(trace.address))
      const mailId = atomically(() => {
        const { invite } = body
        const isLate = mode === 'invite' && !queries.useInvite(hashSecret(invite ?? ''), email, clock.now())
        if (isLate) throw notAdmitted(mode)
        return take(email, storeName, passwordHash)
      })
      const email_sent = await outbox.deliver(mailId)
      return { status: 'verification_required', message: email_sent ? MAIL_SENT : MAIL_WAITS, email_sent }
    },

    /**
     * Activates the account of a link (GET /verify); a link that was used says so for a while. It gives no secrets away,
     * for mail scanners open links too.
     *
     * @throws ApiError `unauthorized` for any link that does not work.
     */
    verify: (token: string, trace: Trace): Verified =>
      atomically(() => {
        const found = linkOf(token)
        return 'row' in found ? activate(found.row, 'anyone', trace) : found
      }),

    /** What {@link verify} would say of a link, without doing it. @throws ApiError `unauthorized`. */
    check(token: string): Verified {
      const found = linkOf(token)
      if (!('row' in found)) return found
      const slug = freeSlug(found.row.storeName, (free) => !accounts.storeBySlug(free), ids.uuid)
      return { status: 'verified', slug, redirect: portalOf(slug) }
    },

    /**
     * Activates an open registration of an address for the operator.
     *
     * @param choose picks one, of the oldest first; it may throw. @returns undefined when the address has an account.
     */
    verifyByOperator: (
      email: string,
      choose: (open: RegistrationRow[]) => RegistrationRow,
    ): Verified | undefined =>
      atomically(() =>
        accounts.userByEmail(email)
          ? undefined
          : activate(choose(queries.open(email, clock.now())), 'operator', null),
      ),

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

const portalOf = (slug: string): string => `/${slug}/portal`

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
