import type { ClientInfo } from '../../../core/actor.ts'
import { ApiError, signInFirst } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { readCodes, type SecondFactor } from '../../../core/second-factor.ts'
import { isUnwritable } from '../../../core/storage.ts'
import type { Base } from '../../module.ts'
import type { PeopleQueries, PersonRow } from '../../stores/people/queries.ts'
import type { BufferedSessions } from '../sessions/buffered-sessions.ts'
import type { SessionRow } from '../sessions/session-queries.ts'
import type { FactorCheck } from '../two-factor/factor-check.ts'
import { signInEvent } from './events.ts'
import type { Lockout } from './lockout.ts'
import { computePortalEnd } from './portal-lifetime.ts'
import type { SignInRequest } from './schema.ts'
import type { TokenIssuer } from './token-issuer.ts'

export interface SessionStartDeps extends Pick<Base, 'clock' | 'ids' | 'atomically' | 'record'> {
  people: Pick<PeopleQueries, 'findPerson' | 'setLastSignIn'>
  sessions: Pick<
    BufferedSessions,
    'addSession' | 'bufferSession' | 'findByCookie' | 'endSession' | 'endUnwritten'
  >
  issuer: Pick<TokenIssuer, 'createJti' | 'computeRefreshEnd'>
  twoFactor: Pick<FactorCheck, 'isEnabled' | 'pass' | 'passUnwritten'>
  lockout: Pick<Lockout, 'succeed' | 'rememberAddress'>
}

/** The cookie of a sign-in of the portal. */
export interface PortalCookie {
  hash: Buffer
  /** Hashes of the cookies that came along. Their sign-ins end, so that nobody keeps a way in that the browser has lost. */
  earlier: readonly Buffer[]
}

/** A completed sign-in. */
export interface StartedSession {
  session: SessionRow
  recoveryCodesLeft?: number | undefined
}

export type SessionStart = ReturnType<typeof createSessionStart>

/** Starts the sessions of people whose password was right. */
export function createSessionStart(deps: SessionStartDeps) {
  const { people, sessions, issuer, clock, ids, twoFactor, lockout, atomically, record } = deps

  /** Creates a sign-in without writing it. */
  function createSession(
    person: PersonRow,
    amr: string[],
    clientInfo: ClientInfo,
    cookie: PortalCookie | undefined,
  ): SessionRow {
    const now = clock.now()
    // A password reset while the password was hashed ends all sign-ins, including this one.
    if (people.findPerson(person.id)?.passwordHash !== person.passwordHash) throw signInFirst()
    return {
      id: ids.uuid(),
      userId: person.id,
      jti: cookie ? null : issuer.createJti(),
      cookieHash: cookie?.hash ?? null,
      amr,
      address: clientInfo.address,
      userAgent: clientInfo.userAgent,
      createdAt: now,
      lastUsedAt: now,
      expiresAt: cookie ? computePortalEnd(now, now) : issuer.computeRefreshEnd(),
    }
  }

  /** Lists the sign-ins whose cookies came along. */
  const listEarlier = (cookie: PortalCookie | undefined): SessionRow[] =>
    (cookie?.earlier ?? []).flatMap((hash) => sessions.findByCookie(hash) ?? [])

  /** Writes a sign-in. Call it in a transaction. */
  function open(
    person: PersonRow,
    amr: string[],
    clientInfo: ClientInfo,
    cookie: PortalCookie | undefined,
  ): SessionRow {
    const session = createSession(person, amr, clientInfo, cookie)
    sessions.addSession(session, LIMITS.sessionsPerPersonMax)
    for (const { id, userId } of listEarlier(cookie)) {
      if (!sessions.endSession(id, userId)) continue
      record(signInEvent('person', 'session.ended', userId, { session_id: id }, clientInfo))
    }
    lockout.rememberAddress(person, clientInfo.address)
    people.setLastSignIn(person.id, session.createdAt)
    record(signInEvent('person', 'login.succeeded', person.id, { session_id: session.id, amr }, clientInfo))
    return session
  }

  /** Holds a sign-in in memory, because the person who has to make room must get in. */
  function hold(
    person: PersonRow,
    amr: string[],
    clientInfo: ClientInfo,
    cookie: PortalCookie | undefined,
  ): SessionRow {
    const session = createSession(person, amr, clientInfo, cookie)
    sessions.bufferSession(session, LIMITS.sessionsPerPersonMax, person.passwordHash)
    for (const earlier of listEarlier(cookie)) sessions.endUnwritten(earlier)
    return session
  }

  /** Uses up the code and writes the sign-in. Call it in a transaction. */
  function write(
    email: string,
    person: PersonRow,
    request: SignInRequest,
    clientInfo: ClientInfo,
    cookie: PortalCookie | undefined,
  ) {
    const isAsked = twoFactor.isEnabled(person.id)
    const passed = isAsked ? twoFactor.pass(person.id, readFactor(request), clientInfo) : undefined
    if (passed?.ok === false) return undefined
    const session = open(person, isAsked ? ['pwd', 'otp'] : ['pwd'], clientInfo, cookie)
    lockout.succeed(email, person, clientInfo.address)
    return { session, recoveryCodesLeft: passed?.recoveryCodesLeft }
  }

  /**
   * The same while the database cannot be written.
   *
   * @throws `cause` for a recovery code, because its use has to be written.
   */
  function startUnwritten(
    email: string,
    person: PersonRow,
    request: SignInRequest,
    clientInfo: ClientInfo,
    cookie: PortalCookie | undefined,
    cause: unknown,
  ) {
    const isAsked = twoFactor.isEnabled(person.id)
    const isRight = isAsked ? twoFactor.passUnwritten(person.id, readFactor(request)) : true
    if (isRight === undefined) throw cause
    if (!isRight) return undefined
    const session = hold(person, isAsked ? ['pwd', 'otp'] : ['pwd'], clientInfo, cookie)
    lockout.succeed(email, person, clientInfo.address)
    return { session }
  }

  return {
    /**
     * Signs the owner of a password in, if the second factor is right. A code and its sign-in are written together, or
     * neither is.
     *
     * @param cookie makes it a sign-in of the portal.
     * @returns undefined for a wrong second factor. @throws ApiError `requires_2fa`.
     */
    start(
      email: string,
      person: PersonRow,
      request: SignInRequest,
      clientInfo: ClientInfo,
      cookie: PortalCookie | undefined,
    ): StartedSession | undefined {
      try {
        return atomically(() => write(email, person, request, clientInfo, cookie))
      } catch (error) {
        if (!isUnwritable(error)) throw error
        return startUnwritten(email, person, request, clientInfo, cookie, error)
      }
    },

    /** Signs the owner of an account in who has just set its first password. */
    startFirst(person: PersonRow, clientInfo: ClientInfo, cookie: PortalCookie): StartedSession {
      try {
        return { session: atomically(() => open(person, ['pwd'], clientInfo, cookie)) }
      } catch (error) {
        if (!isUnwritable(error)) throw error
        return { session: hold(person, ['pwd'], clientInfo, cookie) }
      }
    },
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
