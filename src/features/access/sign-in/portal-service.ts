import type { ClientInfo } from '../../../core/actor.ts'
import { MINUTE_MS } from '../../../core/clock.ts'
import { ApiError, rateLimitExceeded } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { createRateWindow } from '../../../core/rate-window.ts'
import { hashSecret } from '../../../core/secrets.ts'
import type { Base } from '../../module.ts'
import type { BufferedSessions } from '../sessions/buffered-sessions.ts'
import type { SessionRow } from '../sessions/session-queries.ts'
import { signInEvent } from './events.ts'
import { computePortalEnd } from './portal-lifetime.ts'
import type { AccessToken, SignInRequest, UserToken } from './schema.ts'
import type { SignInService } from './service.ts'
import type { PortalCookie } from './session-start.ts'
import type { TokenHolders } from './token-holders.ts'
import type { TokenIssuer } from './token-issuer.ts'
import { tryWrite } from './unwritten.ts'

export interface PortalDeps
  extends Pick<Base, 'clock' | 'ids' | 'log' | 'atomically' | 'withoutFsync' | 'record'> {
  signIn: SignInService['signIn']
  signInFirst: SignInService['signInFirst']
  sessions: Pick<BufferedSessions, 'findByCookie' | 'extendSession' | 'endSession' | 'endUnwritten'>
  holders: Pick<TokenHolders, 'findPersonOf'>
  issuer: Pick<TokenIssuer, 'issueForPerson'>
}

/** The answer to a sign-in, with the value of its cookie. */
export interface PortalSignIn {
  answer: UserToken
  cookie: string
}

export type PortalService = ReturnType<typeof portalService>

/** Bytes of a cookie. */
const COOKIE_BYTES = 32

/**
 * The sign-ins of the portal (contract 5.17). A cookie keeps each alive, and any number of tabs get tokens by it. Sign-in and
 * tokens end together.
 */
export function portalService(deps: PortalDeps) {
  const { sessions, holders, issuer, clock, ids, atomically, record } = deps
  // In memory: it protects the processor, and a restart forgets a minute.
  const refreshes = createRateWindow(MINUTE_MS)

  /** @throws ApiError `unauthorized` unless exactly one of the cookies belongs to a sign-in. */
  function demandSession(cookies: readonly string[]): SessionRow {
    const now = clock.now()
    const found = cookies.flatMap((cookie) => sessions.findByCookie(hashSecret(cookie)) ?? [])
    const [session, another] = found.filter(({ expiresAt }) => expiresAt > now)
    // Another site of the same domain may have set the second: nobody is signed in as somebody else.
    if (!session || another) throw signInAgain()
    return session
  }

  /** Signs in with a new cookie. @param cookies those that came along. */
  async function withCookie(
    cookies: readonly string[],
    signIn: (cookie: PortalCookie) => Promise<UserToken>,
  ): Promise<PortalSignIn> {
    const cookie = ids.secret(COOKIE_BYTES)
    return { answer: await signIn({ hash: hashSecret(cookie), earlier: cookies.map(hashSecret) }), cookie }
  }

  return {
    /** Signs in with a password. @throws ApiError the codes of `signIn`. */
    signIn: (request: SignInRequest, cookies: readonly string[], clientInfo: ClientInfo) =>
      withCookie(cookies, (cookie) => deps.signIn(request, clientInfo, cookie)),

    /** Signs a person in who has just set the first password of their account. No cookie comes along to other paths. */
    signInFirst: (userId: string, clientInfo: ClientInfo) =>
      withCookie([], (cookie) => deps.signInFirst(userId, clientInfo, cookie)),

    /**
     * Gives one more token, and lets the sign-in go on.
     *
     * @throws ApiError `unauthorized`, `rate_limit_exceeded`.
     */
    async refresh(cookies: readonly string[], { address }: ClientInfo): Promise<AccessToken> {
      const session = demandSession(cookies)
      const now = clock.now()
      const verdict = refreshes.take(session.id, LIMITS.portalRefreshesPerMinute, clock.monotonic())
      if (!verdict.isAllowed) {
        throw rateLimitExceeded(`A sign-in may be refreshed ${verdict.limit} times a minute`, verdict)
      }
      const holder = holders.findPersonOf(session)
      if (!holder) throw signInAgain()
      const expiresAt = computePortalEnd(session.createdAt, now)
      tryWrite(deps.log, () =>
        deps.withoutFsync(() => sessions.extendSession({ id: session.id, now, expiresAt, address })),
      )
      return issuer.issueForPerson(holder.person, holder.memberships, { ...session, expiresAt })
    },

    /** Signs out: the sign-in and all its tokens end. @throws ApiError `unauthorized`. */
    signOut(cookies: readonly string[], clientInfo: ClientInfo): { status: 'ended' } {
      const session = demandSession(cookies)
      const { id, userId } = session
      const isWritten = tryWrite(deps.log, () =>
        atomically(() => {
          if (!sessions.endSession(id, userId)) return
          record(signInEvent('person', 'session.ended', userId, { session_id: id }, clientInfo))
        }),
      )
      if (!isWritten) sessions.endUnwritten(session)
      return { status: 'ended' }
    },
  }
}

const signInAgain = () => new ApiError('unauthorized', 'There is no sign-in with this cookie: sign in again')
