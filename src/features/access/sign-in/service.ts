import type { Trace } from '../../../core/actor.ts'
import type { AuditAction, AuditActor } from '../../../core/audit.ts'
import { normaliseEmail } from '../../../core/email.ts'
import { ApiError, signInFirst, tooManyRequests } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { RateVerdict } from '../../../core/rate-window.ts'
import { readCodes, type SecondFactor } from '../../../core/second-factor.ts'
import { isUnwritable } from '../../../core/storage.ts'
import { networkKey } from '../../../core/throttle-keys.ts'
import type { PasswordHasher } from '../../../platform/passwords.ts'
import type { Base } from '../../module.ts'
import type { MembershipRow, PeopleQueries, PersonRow } from '../../stores/people/queries.ts'
import type { RegistrationService } from '../registration/service.ts'
import type { KeptSessions } from '../sessions/kept-sessions.ts'
import type { SessionRow } from '../sessions/session-queries.ts'
import type { TwoFactorService } from '../two-factor/service.ts'
import type { Lockout } from './lockout.ts'
import { membershipView, type SignInRequest, type UserToken } from './schema.ts'
import type { TokenIssuer } from './token-issuer.ts'

export interface SignInDeps extends Pick<Base, 'clock' | 'ids' | 'log' | 'atomically' | 'record'> {
  people: Pick<
    PeopleQueries,
    'findPerson' | 'findPersonByEmail' | 'listMemberships' | 'replacePasswordHash' | 'setLastSignIn'
  >
  sessions: Pick<KeptSessions, 'addSession' | 'holdSession'>
  issuer: TokenIssuer
  passwords: Pick<PasswordHasher, 'hash' | 'verify' | 'isOutdated'>
  twoFactor: Pick<TwoFactorService, 'isEnabled' | 'pass' | 'passUnwritten' | 'countWrongCode'>
  findPendingPassword: RegistrationService['findPendingPassword']
  lockout: Lockout
  /** Tells a person by mail that someone with their password is guessing codes. */
  warnOfGuesses(email: string, wrongCodes: number): void
  /** Runs the work of one key in order. */
  locked<Result>(key: string, work: () => Promise<Result>): Promise<Result>
  /** Writes a little later, so that the time of an answer does not reveal the write. */
  enqueueWrite(write: () => void): void
}

/** A completed sign-in. */
interface Entry {
  session: SessionRow
  recoveryCodesLeft?: number | undefined
}

export type SignInService = ReturnType<typeof signInService>

/** Signs people in (contract 5.1, 5.2). */
export function signInService(deps: SignInDeps) {
  const { people, sessions, issuer, clock, ids, passwords, twoFactor, lockout, atomically, record } = deps

  /**
   * Finds the owner of a password, with the same work for known and unknown addresses.
   *
   * @returns undefined for a wrong password.
   * @throws ApiError `account_not_verified` if the right password belongs to a registration that waits for its link.
   */
  async function findOwner(
    email: string,
    person: PersonRow | undefined,
    password: string,
    network: string,
  ): Promise<PersonRow | undefined> {
    if ((await passwords.verify(person?.passwordHash, password, network)) && person) return person
    // Also for people with an account: a stranger who registers their address must not learn that they have one.
    if (await passwords.verify(deps.findPendingPassword(email), password, network)) {
      throw new ApiError(
        'account_not_verified',
        'If you registered: open the link in the mail that was sent to you',
      )
    }
    return undefined
  }

  /** Updates a hash to today's parameters. This comes before the second factor, which must not be used up in vain. */
  async function rehash(person: PersonRow, password: string): Promise<PersonRow> {
    if (!passwords.isOutdated(person.passwordHash)) return person
    const passwordHash = await passwords.hash(password)
    return isWritten(() => people.replacePasswordHash(person.id, person.passwordHash, passwordHash))
      ? { ...person, passwordHash }
      : person
  }

  /** @returns false if the database cannot be written. */
  function isWritten(write: () => void): boolean {
    try {
      write()
      return true
    } catch (err) {
      if (!isUnwritable(err)) throw err
      deps.log.warn({ err }, 'a sign-in could not be written')
      return false
    }
  }

  /** Reads the second factor, for a person who has one. @throws ApiError `requires_2fa`. */
  function readFactor(request: SignInRequest): SecondFactor {
    const factor = readCodes(request)
    if (factor.totp_code === undefined && factor.recovery_code === undefined) {
      throw new ApiError('requires_2fa', 'Repeat the sign-in with the code of your authenticator', {
        details: { requires_2fa: true },
      })
    }
    return factor
  }

  /** Creates a sign-in without writing it. */
  function createSession(person: PersonRow, amr: string[], trace: Trace): SessionRow {
    const now = clock.now()
    // A password reset while the password was hashed ends all sign-ins, including this one.
    if (people.findPerson(person.id)?.passwordHash !== person.passwordHash) throw signInFirst()
    return {
      id: ids.uuid(),
      userId: person.id,
      jti: issuer.createJti(),
      amr,
      address: trace.address,
      userAgent: trace.userAgent,
      createdAt: now,
      lastUsedAt: now,
      expiresAt: issuer.computeRefreshEnd(),
    }
  }

  /**
   * Signs the owner of a password in, if the second factor is right. A code and its sign-in are written together, or
   * neither is.
   *
   * @returns undefined for a wrong second factor. @throws ApiError `requires_2fa`.
   */
  function enter(email: string, person: PersonRow, request: SignInRequest, trace: Trace): Entry | undefined {
    try {
      return atomically(() => {
        const isAsked = twoFactor.isEnabled(person.id)
        const passed = isAsked ? twoFactor.pass(person.id, readFactor(request), trace) : undefined
        if (passed?.ok === false) return undefined
        const amr = isAsked ? ['pwd', 'otp'] : ['pwd']
        const session = createSession(person, amr, trace)
        lockout.succeed(email, person, trace.address)
        sessions.addSession(session, LIMITS.sessionsPerPersonMax)
        lockout.noteAddress(person, trace.address)
        people.setLastSignIn(person.id, session.createdAt)
        record(signInEvent('person', 'login.succeeded', person.id, { session_id: session.id, amr }, trace))
        return { session, recoveryCodesLeft: passed?.recoveryCodesLeft }
      })
    } catch (error) {
      if (!isUnwritable(error)) throw error
      return enterUnwritten(email, person, request, trace, error)
    }
  }

  /**
   * The same while the database cannot be written, because the person who has to make room must get in. The sign-in stays
   * in memory.
   *
   * @throws `cause` for a recovery code, because its use has to be written.
   */
  function enterUnwritten(
    email: string,
    person: PersonRow,
    request: SignInRequest,
    trace: Trace,
    cause: unknown,
  ) {
    const isAsked = twoFactor.isEnabled(person.id)
    const isRight = isAsked ? twoFactor.passUnwritten(person.id, readFactor(request)) : true
    if (isRight === undefined) throw cause
    if (!isRight) return undefined
    const session = createSession(person, isAsked ? ['pwd', 'otp'] : ['pwd'], trace)
    lockout.succeed(email, person, trace.address)
    sessions.holdSession(session, LIMITS.sessionsPerPersonMax, person.passwordHash)
    return { session }
  }

  function countFailure(
    email: string,
    person: PersonRow | undefined,
    reason: 'password' | 'two_factor',
    trace: Trace,
  ): void {
    const isLocked = lockout.fail(email, person, reason)
    if (!person) return
    // Later, because its time would tell a known address from an unknown one.
    deps.enqueueWrite(() => {
      record(signInEvent('anyone', 'login.failed', person.id, { reason }, trace))
      if (isLocked) record(signInEvent('anyone', 'login.locked', person.id, {}, trace))
    })
  }

  /** Counts a wrong code after a right password, and tells the person about the tenth. */
  function countWrongCode(person: PersonRow): void {
    isWritten(() =>
      atomically(() => {
        const count = twoFactor.countWrongCode(person.id)
        if (count === LIMITS.wrongCodesToldAt) deps.warnOfGuesses(person.email, count)
      }),
    )
  }

  /** @returns the verdict if the e-mail address is locked. */
  async function signInUnlessLocked(
    email: string,
    request: SignInRequest,
    trace: Trace,
  ): Promise<UserToken | RateVerdict> {
    const found = people.findPersonByEmail(email)
    const verdict = lockout.look(email, found)
    if (!verdict.isAllowed) return verdict
    const owner = await findOwner(email, found, request.password, networkKey(trace.address))
    if (!owner) {
      countFailure(email, found, 'password', trace)
      throw signInFirst()
    }
    const person = await rehash(owner, request.password)
    const entry = enter(email, person, request, trace)
    if (entry) return buildAnswer(person, entry)
    countWrongCode(person)
    countFailure(email, person, 'two_factor', trace)
    throw new ApiError('invalid_2fa', 'The code is wrong')
  }

  /**
   * Signs in while the e-mail address is locked. A few requests are checked, and a right one from a known address of the
   * person succeeds. All others get the same answer after the same work.
   *
   * @throws ApiError `too_many_requests`, `requires_2fa`.
   */
  async function signInLocked(email: string, request: SignInRequest, trace: Trace, verdict: RateVerdict) {
    const found = people.findPersonByEmail(email)
    const tried = lockout.tryLocked(email, found, trace.address)
    if (!tried) throw tooManyRequests(verdict)
    const network = networkKey(trace.address)
    const isRight = await passwords.verify(tried.owner?.passwordHash, request.password, network)
    if (!tried.owner) throw tooManyRequests(verdict)
    const entry = isRight ? enter(email, tried.owner, request, trace) : undefined
    if (entry) return buildAnswer(tried.owner, entry)
    if (isRight) countWrongCode(tried.owner)
    const { id } = tried.owner
    const reason = isRight ? 'two_factor' : 'password'
    deps.enqueueWrite(() => record(signInEvent('anyone', 'login.failed', id, { reason }, trace)))
    throw tooManyRequests(verdict)
  }

  async function buildAnswer(person: PersonRow, { session, recoveryCodesLeft }: Entry): Promise<UserToken> {
    const memberships = people.listMemberships(person.id)
    return {
      ...(await issuer.issueForPerson(person, memberships, session)),
      user_type: 'user',
      user_id: person.id,
      user_name: person.name,
      is_super_admin: person.isSuperAdmin,
      memberships: memberships.map(membershipView),
      redirect: chooseRedirect(person, memberships),
      ...(memberships.length === 1 && { client_name: memberships[0]?.name ?? '' }),
      ...(recoveryCodesLeft !== undefined && { recovery_codes_left: recoveryCodesLeft }),
    }
  }

  return {
    /**
     * Exchanges e-mail address, password and, if it is on, a second factor for an access token.
     *
     * @throws ApiError `too_many_requests` after five failures of one address in a quarter of an hour, `unauthorized`,
     * `account_not_verified`, `requires_2fa`, `invalid_2fa`.
     */
    async signIn(request: SignInRequest, trace: Trace): Promise<UserToken> {
      const { totp_code, recovery_code } = readCodes(request)
      if (totp_code !== undefined && recovery_code !== undefined) {
        throw new ApiError('credential_ambiguous', 'Send totp_code or recovery_code, not both')
      }
      // A text that is no address is looked up, counted and refused like any other.
      const email = normaliseEmail(request.email) ?? `?${request.email}`
      // One at a time for each person: of many guesses at once, no more than the limit are checked.
      const result = await deps.locked(email, () => signInUnlessLocked(email, request, trace))
      // Requests for a locked address are counted before they are checked, and must not make its owner queue.
      return 'isAllowed' in result ? signInLocked(email, request, trace, result) : result
    },
  }
}

/** Chooses the page after a sign-in (contract 5.1). */
function chooseRedirect({ isSuperAdmin }: PersonRow, memberships: readonly MembershipRow[]): string {
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
