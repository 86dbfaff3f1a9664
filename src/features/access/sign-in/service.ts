import type { ClientInfo } from '../../../core/actor.ts'
import { normaliseEmail } from '../../../core/email.ts'
import { ApiError, signInFirst, tooManyRequests } from '../../../core/errors.ts'
import type { RateVerdict } from '../../../core/rate-window.ts'
import { readCodes } from '../../../core/second-factor.ts'
import { networkKey } from '../../../core/throttle-keys.ts'
import type { Base } from '../../module.ts'
import type { MembershipRow, PeopleQueries, PersonRow } from '../../stores/people/queries.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { FactorCheck } from '../two-factor/factor-check.ts'
import { signInEvent } from './events.ts'
import type { Lockout } from './lockout.ts'
import type { PasswordCheck } from './password-check.ts'
import { listMovedStores, membershipView, type SignInRequest, type UserToken } from './schema.ts'
import type { PortalCookie, SessionStart, StartedSession } from './session-start.ts'
import type { TokenIssuer } from './token-issuer.ts'
import { tryWrite } from './unwritten.ts'

export interface SignInDeps extends Pick<Base, 'log' | 'atomically' | 'record'> {
  people: Pick<PeopleQueries, 'findPerson' | 'findPersonByEmail' | 'listMemberships'>
  storeRows: Pick<StoreQueries, 'listMovedOfPerson'>
  issuer: Pick<TokenIssuer, 'issueForPerson'>
  passwords: PasswordCheck
  sessionStart: SessionStart
  twoFactor: Pick<FactorCheck, 'countWrongCode'>
  lockout: Pick<Lockout, 'peek' | 'fail' | 'tryLocked'>
  /** Runs the work of one key in order. */
  inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result>
  /** Writes a little later, so that the time of an answer does not reveal the write. */
  enqueueWrite(write: () => void): void
}

export type SignInService = ReturnType<typeof signInService>

/** Signs people in (contract 5.1, 5.2). */
export function signInService(deps: SignInDeps) {
  const { people, issuer, passwords, sessionStart, twoFactor, lockout, log, atomically, record } = deps

  function countFailure(
    email: string,
    person: PersonRow | undefined,
    reason: 'password' | 'two_factor',
    clientInfo: ClientInfo,
  ): void {
    const isLocked = lockout.fail(email, person, reason)
    if (!person) return
    // Later, because its time would tell a known address from an unknown one.
    deps.enqueueWrite(() => {
      record(signInEvent('anyone', 'login.failed', person.id, { reason }, clientInfo))
      if (isLocked) record(signInEvent('anyone', 'login.locked', person.id, {}, clientInfo))
    })
  }

  /** Counts a wrong code after a right password, and tells the person about the tenth. */
  function countWrongCode(person: PersonRow): void {
    tryWrite(log, () => atomically(() => twoFactor.countWrongCode(person)))
  }

  /** @returns the verdict if the e-mail address is locked. */
  async function signInUnlessLocked(
    email: string,
    request: SignInRequest,
    clientInfo: ClientInfo,
    cookie: PortalCookie | undefined,
  ): Promise<UserToken | RateVerdict> {
    const found = people.findPersonByEmail(email)
    const verdict = lockout.peek(email, found)
    if (!verdict.isAllowed) return verdict
    const owner = await passwords.findOwner(email, found, request.password, networkKey(clientInfo.address))
    if (!owner) {
      countFailure(email, found, 'password', clientInfo)
      throw signInFirst()
    }
    const person = await passwords.rehash(owner, request.password)
    const started = sessionStart.start(email, person, request, clientInfo, cookie)
    if (started) return buildAnswer(person, started)
    countWrongCode(person)
    countFailure(email, person, 'two_factor', clientInfo)
    throw new ApiError('invalid_2fa', 'The code is wrong')
  }

  /**
   * Signs in while the e-mail address is locked. A few requests are checked, and a right one from a known address of the
   * person succeeds. All others get the same answer after the same work.
   *
   * @throws ApiError `too_many_requests`, `requires_2fa`.
   */
  async function signInLocked(
    email: string,
    request: SignInRequest,
    clientInfo: ClientInfo,
    cookie: PortalCookie | undefined,
    verdict: RateVerdict,
  ) {
    const found = people.findPersonByEmail(email)
    const tried = lockout.tryLocked(email, found, clientInfo.address)
    if (!tried) throw tooManyRequests(verdict)
    const network = networkKey(clientInfo.address)
    const isRight = await passwords.isOwn(tried.owner, request.password, network)
    if (!tried.owner) throw tooManyRequests(verdict)
    const started = isRight ? sessionStart.start(email, tried.owner, request, clientInfo, cookie) : undefined
    if (started) return buildAnswer(tried.owner, started)
    if (isRight) countWrongCode(tried.owner)
    const { id } = tried.owner
    const reason = isRight ? 'two_factor' : 'password'
    deps.enqueueWrite(() => record(signInEvent('anyone', 'login.failed', id, { reason }, clientInfo)))
    throw tooManyRequests(verdict)
  }

  async function buildAnswer(
    person: PersonRow,
    { session, recoveryCodesLeft }: StartedSession,
  ): Promise<UserToken> {
    const memberships = people.listMemberships(person.id)
    return {
      ...(await issuer.issueForPerson(person, memberships, session)),
      user_type: 'user',
      user_id: person.id,
      user_name: person.name,
      is_super_admin: person.isSuperAdmin,
      memberships: memberships.map(membershipView),
      ...listMovedStores(deps.storeRows, person.id),
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
     * @param cookie makes it a sign-in of the portal.
     */
    async signIn(request: SignInRequest, clientInfo: ClientInfo, cookie?: PortalCookie): Promise<UserToken> {
      const { totp_code, recovery_code } = readCodes(request)
      if (totp_code !== undefined && recovery_code !== undefined) {
        throw new ApiError('credential_ambiguous', 'Send totp_code or recovery_code, not both')
      }
      // A text that is no address is looked up, counted and refused like any other.
      const email = normaliseEmail(request.email) ?? `?${request.email}`
      // One at a time for each person: of many guesses at once, no more than the limit are checked.
      const result = await deps.inTurn(email, () => signInUnlessLocked(email, request, clientInfo, cookie))
      // Requests for a locked address are counted before they are checked, and must not make its owner queue.
      return 'isAllowed' in result ? signInLocked(email, request, clientInfo, cookie, result) : result
    },

    /**
     * Signs a person in to the portal who has just set the first password of their account.
     *
     * @throws ApiError `unauthorized` for an account that is gone.
     */
    async signInFirst(userId: string, clientInfo: ClientInfo, cookie: PortalCookie): Promise<UserToken> {
      const person = people.findPerson(userId)
      if (!person) throw signInFirst()
      return buildAnswer(person, sessionStart.startFirst(person, clientInfo, cookie))
    },
  }
}

/** Chooses the page after a sign-in (contract 5.1). */
function chooseRedirect({ isSuperAdmin }: PersonRow, memberships: readonly MembershipRow[]): string {
  if (isSuperAdmin) return '/admin'
  const [only] = memberships
  return memberships.length === 1 && only ? `/${only.slug}/portal` : '/portal/select-store'
}
