import type { Trace } from '../../../core/actor.ts'
import type { Atomically, AuditAction, AuditActor, RecordEvent } from '../../../core/audit.ts'
import type { Clock } from '../../../core/clock.ts'
import { normaliseEmail } from '../../../core/email.ts'
import { ApiError, signInFirst, tooManyRequests } from '../../../core/errors.ts'
import type { Ids } from '../../../core/ids.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { RateVerdict } from '../../../core/rate-window.ts'
import { isUnwritable } from '../../../core/storage.ts'
import { networkKey } from '../../../core/throttle-keys.ts'
import type { MembershipRow, PeopleQueries, PersonRow } from '../../stores/people/queries.ts'
import type { KeptSessions } from '../sessions/kept-sessions.ts'
import type { SessionRow } from '../sessions/session-queries.ts'
import type { Lockout } from './lockout.ts'
import { type Login, membershipView, type UserToken } from './schema.ts'
import type { TokenIssuer } from './token-issuer.ts'

export interface LoginDeps {
  people: Pick<
    PeopleQueries,
    'findPerson' | 'findPersonByEmail' | 'listMemberships' | 'replacePasswordHash' | 'setLastLogin'
  >
  sessions: Pick<KeptSessions, 'addSession' | 'holdSession'>
  issuer: TokenIssuer
  clock: Clock
  ids: Ids
  passwords: {
    hash(password: string): Promise<string>
    verify(hash: string | undefined, password: string, network: string): Promise<boolean>
    isOutdated(hash: string): boolean
  }
  twoFactor: {
    isEnabled(userId: string): boolean
    pass(userId: string, factor: SecondFactor, trace: Trace): { ok: boolean; recoveryCodesLeft?: number }
    passUnwritten(userId: string, factor: SecondFactor): boolean | undefined
    countWrongCode(userId: string): number
  }
  /** The password of a registration that waits for its link. */
  findPendingPassword(email: string): string | undefined
  lockout: Lockout
  /** Tells a person by mail that someone who has the password guesses codes. */
  warnOfGuesses(email: string, wrongCodes: number): void
  /** Runs work of one key in order. */
  locked<Result>(key: string, work: () => Promise<Result>): Promise<Result>
  atomically: Atomically
  /** Writes in a moment, so that the time of no answer tells of it. */
  later(work: () => void): void
  record: RecordEvent
  log: { warn(fields: Record<string, unknown>, message: string): void }
}

/** What a login brings besides the password. */
interface SecondFactor {
  totp_code?: string | undefined
  recovery_code?: string | undefined
}

/** A sign-in that is done. */
interface Entry {
  session: SessionRow
  recoveryCodesLeft?: number | undefined
}

export type LoginService = ReturnType<typeof loginService>

/** The login of people (contract 5.1, 5.2). */
export function loginService(deps: LoginDeps) {
  const { people, sessions, issuer, clock, ids, passwords, twoFactor, lockout, atomically, record } = deps

  /**
   * Tells apart the owner of a password from everyone else, with the same work for known and unknown addresses.
   *
   * @returns undefined for a wrong password.
   * @throws ApiError `account_not_verified` when the right password waits for its link.
   */
  async function ownerOf(
    email: string,
    person: PersonRow | undefined,
    password: string,
    network: string,
  ): Promise<PersonRow | undefined> {
    if ((await passwords.verify(person?.passwordHash, password, network)) && person) return person
    // For people with an account, too: whoever registers their address must not learn from this that they have one.
    if (await passwords.verify(deps.findPendingPassword(email), password, network)) {
      throw new ApiError('account_not_verified', 'Open the link in the mail that was sent to you')
    }
    return undefined
  }

  /** Brings a hash up to today's parameters; done before the second factor, which must not be used up in vain. */
  async function rehashed(person: PersonRow, password: string): Promise<PersonRow> {
    if (!passwords.isOutdated(person.passwordHash)) return person
    const passwordHash = await passwords.hash(password)
    return isWritten(() => people.replacePasswordHash(person.id, person.passwordHash, passwordHash))
      ? { ...person, passwordHash }
      : person
  }

  /** @returns false where the database cannot be written. */
  function isWritten(write: () => void): boolean {
    try {
      write()
      return true
    } catch (err) {
      if (!isUnwritable(err)) throw err
      deps.log.warn({ err }, 'a sign-in could not be written down')
      return false
    }
  }

  /** The second factor of a login by a person who has one. @throws ApiError `requires_2fa`. */
  function factorIn({ totp_code, recovery_code }: Login): SecondFactor {
    if (totp_code == null && recovery_code == null) {
      throw new ApiError('requires_2fa', 'Repeat the login with the code of your authenticator', {
        details: { requires_2fa: true },
      })
    }
    return { totp_code: totp_code ?? undefined, recovery_code: recovery_code ?? undefined }
  }

  /** A sign-in that is not written yet. */
  function newSession(person: PersonRow, amr: string[], trace: Trace): SessionRow {
    const now = clock.now()
    // Hashing took a while: a reset of the password meanwhile has ended all sign-ins, and this one with them.
    if (people.findPerson(person.id)?.passwordHash !== person.passwordHash) throw signInFirst()
    return {
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
  }

  /**
   * Lets the owner of a password in, if the second factor is right. A code is used up together with the sign-in that it
   * is for, or not at all.
   *
   * @returns undefined for a wrong second factor. @throws ApiError `requires_2fa`.
   */
  function enter(email: string, person: PersonRow, login: Login, trace: Trace): Entry | undefined {
    try {
      return atomically(() => {
        const isAsked = twoFactor.isEnabled(person.id)
        const passed = isAsked ? twoFactor.pass(person.id, factorIn(login), trace) : undefined
        if (passed?.ok === false) return undefined
        const amr = isAsked ? ['pwd', 'otp'] : ['pwd']
        const session = newSession(person, amr, trace)
        lockout.succeed(email, person, trace.address)
        sessions.addSession(session, LIMITS.sessionsPerPersonMax)
        lockout.noteAddress(person, trace.address)
        people.setLastLogin(person.id, session.createdAt)
        record(signInEvent('person', 'login.succeeded', person.id, { session_id: session.id, amr }, trace))
        return { session, recoveryCodesLeft: passed?.recoveryCodesLeft }
      })
    } catch (error) {
      if (!isUnwritable(error)) throw error
      return enterUnwritten(email, person, login, trace, error)
    }
  }

  /**
   * The same where the database cannot be written: whoever has to make room must get in. The sign-in is held in memory.
   *
   * @throws `cause` for a recovery code: that it was used has to be written.
   */
  function enterUnwritten(email: string, person: PersonRow, login: Login, trace: Trace, cause: unknown) {
    const isAsked = twoFactor.isEnabled(person.id)
    const isRight = isAsked ? twoFactor.passUnwritten(person.id, factorIn(login)) : true
    if (isRight === undefined) throw cause
    if (!isRight) return undefined
    const session = newSession(person, isAsked ? ['pwd', 'otp'] : ['pwd'], trace)
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
    // The time it takes would tell a known address from an unknown one.
    deps.later(() => {
      record(signInEvent('anyone', 'login.failed', person.id, { reason }, trace))
      if (isLocked) record(signInEvent('anyone', 'login.locked', person.id, {}, trace))
    })
  }

  /** Counts a wrong code behind a right password, and tells the person of the tenth. */
  function countWrongCode(person: PersonRow): void {
    isWritten(() =>
      atomically(() => {
        const count = twoFactor.countWrongCode(person.id)
        if (count === LIMITS.wrongCodesToldAt) deps.warnOfGuesses(person.email, count)
      }),
    )
  }

  /** @returns the verdict over an e-mail that is locked. */
  async function signIn(email: string, login: Login, trace: Trace): Promise<UserToken | RateVerdict> {
    const found = people.findPersonByEmail(email)
    const verdict = lockout.look(email, found)
    if (!verdict.isAllowed) return verdict
    const owner = await ownerOf(email, found, login.password, networkKey(trace.address))
    if (!owner) {
      countFailure(email, found, 'password', trace)
      throw signInFirst()
    }
    const person = await rehashed(owner, login.password)
    const entry = enter(email, person, login, trace)
    if (entry) return answer(person, entry)
    countWrongCode(person)
    countFailure(email, person, 'two_factor', trace)
    throw new ApiError('invalid_2fa', 'The code did not verify')
  }

  /**
   * A login while its e-mail is locked: a few are looked at, and a right one from an address that the person is known at
   * gets in. All others get the same answer after the same work.
   *
   * @throws ApiError `too_many_requests`, `requires_2fa`.
   */
  async function signInLocked(email: string, login: Login, trace: Trace, verdict: RateVerdict) {
    const found = people.findPersonByEmail(email)
    const tried = lockout.tryLocked(email, found, trace.address)
    if (!tried) throw tooManyRequests(verdict)
    const network = networkKey(trace.address)
    const isRight = await passwords.verify(tried.owner?.passwordHash, login.password, network)
    if (!tried.owner) throw tooManyRequests(verdict)
    const entry = isRight ? enter(email, tried.owner, login, trace) : undefined
    if (entry) return answer(tried.owner, entry)
    if (isRight) countWrongCode(tried.owner)
    const { id } = tried.owner
    const reason = isRight ? 'two_factor' : 'password'
    deps.later(() => record(signInEvent('anyone', 'login.failed', id, { reason }, trace)))
    throw tooManyRequests(verdict)
  }

  async function answer(person: PersonRow, { session, recoveryCodesLeft }: Entry): Promise<UserToken> {
    const memberships = people.listMemberships(person.id)
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
     * @throws ApiError `too_many_requests` after five failures of one e-mail in a quarter of an hour, `unauthorized`,
     * `account_not_verified`, `requires_2fa`, `invalid_2fa`.
     */
    async login(login: Login, trace: Trace): Promise<UserToken> {
      if (typeof login.totp_code === 'string' && typeof login.recovery_code === 'string') {
        throw new ApiError('credential_ambiguous', 'Send totp_code or recovery_code, not both')
      }
      // Even what is no address is looked up, counted and refused like any other.
      const email = normaliseEmail(login.email) ?? `?${login.email}`
      // One at a time for each person: of many guesses at once, no more than the limit are looked at.
      const result = await deps.locked(email, () => signIn(email, login, trace))
      // Those of a locked e-mail are counted before they are looked at, and must not make its owner wait in a line.
      return 'isAllowed' in result ? signInLocked(email, login, trace, result) : result
    },
  }
}

/** Where a person goes after the login (contract 5.1). */
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
