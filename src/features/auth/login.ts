import type { Trace } from '../../core/actor.ts'
import type { Atomically, AuditAction, AuditActor, RecordEvent } from '../../core/audit.ts'
import { type Clock, isoTime } from '../../core/clock.ts'
import { ApiError, rateLimitExceeded, signInFirst, tooManyRequests } from '../../core/errors.ts'
import type { Ids } from '../../core/ids.ts'
import { LIMITS } from '../../core/limits.ts'
import type { Throttle } from '../../core/throttle.ts'
import type { AuthQueries, MembershipRow, PersonRow } from './queries.ts'
import type { Login, MembershipView, UserToken } from './schema.ts'
import type { SessionQueries } from './session-queries.ts'
import type { TokenIssuer } from './token-issuer.ts'

export interface LoginDeps {
  queries: AuthQueries
  sessions: SessionQueries
  issuer: TokenIssuer
  clock: Clock
  ids: Ids
  passwords: {
    hash(password: string): Promise<string>
    verify(hash: string | undefined, password: string): Promise<boolean>
    isOutdated(hash: string): boolean
  }
  twoFactor: {
    isEnabled(userId: string): boolean
    pass(
      userId: string,
      code: { totp_code?: string | undefined; recovery_code?: string | undefined },
      trace: Trace,
    ): { ok: boolean; recoveryCodesLeft?: number }
  }
  /** The one form of an address (normalised); undefined for what is none. */
  foldEmail(email: string): string | undefined
  /** The password of a registration that waits for its link. */
  pendingPassword(email: string): string | undefined
  /** Sign-ins of one address on the network, and failures of one e-mail (spec §8). */
  requests: Throttle
  failures: Throttle
  throttleKey(address: string): string
  /** Runs work of one key in order. */
  locked<Result>(key: string, work: () => Promise<Result>): Promise<Result>
  atomically: Atomically
  /** Writes in a moment, so that the time of no answer tells of it. */
  later(work: () => void): void
  record: RecordEvent
}

export type LoginService = ReturnType<typeof loginService>

/** The login of people (spec §4.1, §5.3, §5.4). */
export function loginService(deps: LoginDeps) {
  const { queries, sessions, issuer, clock, ids, passwords, twoFactor, atomically, record } = deps

  /**
   * Tells apart the owner of a password from everyone else, with the same work for known and unknown addresses.
   *
   * @throws ApiError `unauthorized`, or `account_not_verified` when the right password waits for its link.
   */
  async function personOf(email: string, password: string, trace: Trace): Promise<PersonRow> {
    const person = queries.personByEmail(email)
    if ((await passwords.verify(person?.passwordHash, password)) && person) return rehashed(person, password)
    // For people with an account, too: whoever registers their address must not learn from this that they have one.
    if (await passwords.verify(deps.pendingPassword(email), password)) {
      throw new ApiError('account_not_verified', 'Open the link in the mail that was sent to you')
    }
    countFailure(email, person, 'password', trace)
    throw signInFirst()
  }

  /** Brings a hash up to today's parameters; done before the second factor, which must not be used up in vain. */
  async function rehashed(person: PersonRow, password: string): Promise<PersonRow> {
    if (!passwords.isOutdated(person.passwordHash)) return person
    const passwordHash = await passwords.hash(password)
    queries.rehash(person.id, person.passwordHash, passwordHash)
    return { ...person, passwordHash }
  }

  /**
   * Judges the second factor and uses it up.
   *
   * @returns undefined for a wrong one. @throws ApiError `requires_2fa`.
   */
  function secondFactor(person: PersonRow, login: Login, trace: Trace) {
    if (!twoFactor.isEnabled(person.id)) return { amr: ['pwd'] }
    const totp_code = login.totp_code ?? undefined
    const recovery_code = login.recovery_code ?? undefined
    if (totp_code === undefined && recovery_code === undefined) {
      throw new ApiError('requires_2fa', 'Repeat the login with the code of your authenticator', {
        details: { requires_2fa: true },
      })
    }
    const { ok, recoveryCodesLeft } = twoFactor.pass(person.id, { totp_code, recovery_code }, trace)
    return ok ? { amr: ['pwd', 'otp'], recoveryCodesLeft } : undefined
  }

  function countFailure(email: string, person: PersonRow | undefined, reason: string, trace: Trace): void {
    const now = clock.now()
    deps.failures.add(email, now)
    const isLocked = !deps.failures.look(email, now).isAllowed
    if (!person) return
    // The time it takes would tell a known address from an unknown one.
    deps.later(() => {
      record(signInEvent('anyone', 'login.failed', person.id, { reason }, trace))
      if (isLocked) record(signInEvent('anyone', 'login.locked', person.id, {}, trace))
    })
  }

  /** To be called in a transaction. */
  function addSession(person: PersonRow, amr: string[], trace: Trace) {
    const now = clock.now()
    const session = {
      id: ids.uuid(),
      userId: person.id,
      jti: issuer.newJti(),
      amr,
      address: trace.address,
      userAgent: trace.userAgent,
      createdAt: now,
      lastUsedAt: now,
      expiresAt: issuer.refreshableUntil(),
    }
    // Hashing took a while: a reset of the password meanwhile has ended all sign-ins, and this one with them.
    if (queries.personById(person.id)?.passwordHash !== person.passwordHash) throw signInFirst()
    sessions.addSession(session, LIMITS.sessionsPerPersonMax)
    queries.setLastLogin(person.id, now)
    record(signInEvent('person', 'login.succeeded', person.id, { session_id: session.id, amr }, trace))
    return session
  }

  async function signIn(email: string, login: Login, trace: Trace): Promise<UserToken> {
    const verdict = deps.failures.look(email, clock.now())
    if (!verdict.isAllowed) throw tooManyRequests(verdict)
    const person = await personOf(email, login.password, trace)
    // A code is used up together with the sign-in it is for, or not at all.
    const passed = atomically(() => {
      const factor = secondFactor(person, login, trace)
      if (!factor) return undefined
      deps.failures.reset(email)
      return { ...factor, session: addSession(person, factor.amr, trace) }
    })
    if (!passed) {
      countFailure(email, person, 'two_factor', trace)
      throw new ApiError('invalid_2fa', 'The code did not verify')
    }
    const { session, recoveryCodesLeft } = passed
    const memberships = queries.membershipsOf(person.id)
    return {
      ...(await issuer.forPerson(person, memberships, session)),
      user_type: 'user',
      user_id: person.id,
      user_name: person.name,
      is_super_admin: person.isSuperAdmin,
      memberships: memberships.map(membershipView),
      redirect: redirectOf(person, memberships),
      ...(memberships.length === 1 && { client_name: memberships[0]?.name ?? '' }),
      ...(recoveryCodesLeft !== undefined && { recovery_codes_left: recoveryCodesLeft }),
    }
  }

  return {
    /**
     * Exchanges e-mail, password and, where it is on, a second factor for an access token.
     *
     * @throws ApiError `rate_limit_exceeded` for the eleventh request of an address in a minute, `too_many_requests`
     * after five failures of one e-mail in a quarter of an hour, `unauthorized`, `account_not_verified`,
     * `requires_2fa`, `invalid_2fa`.
     */
    async login(login: Login, trace: Trace): Promise<UserToken> {
      if (typeof login.totp_code === 'string' && typeof login.recovery_code === 'string') {
        throw new ApiError('credential_ambiguous', 'Send totp_code or recovery_code, not both')
      }
      const verdict = deps.requests.take(deps.throttleKey(trace.address), clock.now())
      if (!verdict.isAllowed) throw rateLimitExceeded('Too many sign-ins from this address', verdict)
      // Even what is no address is looked up, counted and refused like any other.
      const email = deps.foldEmail(login.email) ?? `?${login.email}`
      // One at a time for each person: of many guesses at once, no more than the limit are looked at.
      return deps.locked(email, () => signIn(email, login, trace))
    },
  }
}

/** Spec §2.1. */
export const membershipView = ({
  storeId,
  slug,
  name,
  role,
  plan,
  lastUsedAt,
}: MembershipRow): MembershipView => ({
  client_id: storeId,
  slug,
  name,
  role,
  plan,
  last_used_at: lastUsedAt === null ? null : isoTime(lastUsedAt),
})

/** Where a person goes after the login (spec §5.3). */
function redirectOf({ isSuperAdmin }: PersonRow, memberships: readonly MembershipRow[]): string {
  if (isSuperAdmin) return '/admin'
  const [only] = memberships
  return memberships.length === 1 && only ? `/${only.slug}/portal` : '/portal/select-store'
}

const signInEvent = (
  actorKind: AuditActor,
  action: AuditAction,
  userId: string,
  details: Record<string, unknown>,
  trace: Trace,
) => ({ action, actorKind, storeId: null, userId, keyId: null, details, trace })
