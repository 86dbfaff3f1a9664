import { Elysia } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { jsonBody, noBody } from '../../../http/body.ts'
import { spendingFirst } from '../../../http/budgets/address-budget.ts'
import { failures, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { PORTAL_PATH, type PortalDoor } from '../../../http/portal-door.ts'
import type { PortalService } from './portal-service.ts'
import { SIGN_IN_FAILURES } from './routes.ts'
import { AccessToken, PortalSessionEnded, SignInRequest, UserToken } from './schema.ts'

/** The header that a script of the portal's pages sends. */
const REQUESTED_WITH = {
  name: 'X-Requested-With',
  in: 'header',
  required: true,
  description: '`lookalike`',
  schema: { type: 'string' },
} as const

const FOREIGN_PAGE = ['origin_not_allowed', 'The request comes from no page of this service.'] as const

const COOKIE_FAILURES = [
  ...WRITING,
  FOREIGN_PAGE,
  ['unauthorized', 'The cookie is missing, or its sign-in has ended.'],
] as const

const TELL_ORIGIN =
  'The `Origin` must be that of `BASE_URL` or of the request’s own `Host`; no other page may call this, and no CORS header lets one.'

/** Contract 5.17: signing in, refreshing and signing out in a browser, by a cookie that no script sees. No answer may be cached. */
export function portalRoutes(
  { forAnyone, budgets }: Pick<Guards, 'forAnyone' | 'budgets'>,
  portal: PortalService,
  door: PortalDoor,
) {
  /** Before the budget: a page of another site must not spend that of its visitor. */
  function spend(request: Request): void {
    door.demandOwnPage(request)
    budgets.signIn(request)
  }

  return new Elysia({ name: 'sign-in.portal.routes', prefix: PORTAL_PATH, tags: ['Authentication'] })
    .use(forAnyone)
    .onBeforeHandle(({ set }) => {
      set.headers['cache-control'] = 'no-store'
    })
    .post(
      '',
      async ({ request, body, clientInfo, set }) => {
        const { answer, cookie } = await portal.signIn(body, door.readCookies(request), clientInfo)
        Object.assign(set.headers, door.giveCookie(request, cookie))
        return answer
      },
      {
        parse: spendingFirst(spend, jsonBody(LIMITS.openBodyBytesMax)),
        body: SignInRequest,
        response: { 200: UserToken, ...failures(...SIGN_IN_FAILURES, FOREIGN_PAGE) },
        detail: {
          operationId: 'signInToPortal',
          summary: 'Sign in as a person in a browser',
          description: `The answers of \`POST /oauth/login\`, and a cookie that refreshes the sign-in. It ends after 12 hours without a refresh, and after 30 days. The sign-in of a cookie that comes along ends. ${TELL_ORIGIN}`,
        },
      },
    )
    .post(
      '/refresh',
      ({ request, clientInfo }) => {
        door.demandOwnScript(request)
        return portal.refresh(door.readCookies(request), clientInfo)
      },
      {
        parse: noBody,
        response: {
          200: AccessToken,
          ...failures(...COOKIE_FAILURES, [
            'rate_limit_exceeded',
            'The sign-in was refreshed too often within a minute.',
          ]),
        },
        detail: {
          operationId: 'refreshPortalSession',
          summary: 'Get one more access token for a sign-in in a browser',
          description: `The cookie and the earlier tokens stay valid, so many tabs may ask at once. All tokens end with the sign-in. ${TELL_ORIGIN}`,
          parameters: [REQUESTED_WITH],
        },
      },
    )
    .delete(
      '',
      ({ request, clientInfo, set }) => {
        door.demandOwnScript(request)
        const ended = portal.signOut(door.readCookies(request), clientInfo)
        Object.assign(set.headers, door.takeCookie(request))
        return ended
      },
      {
        parse: noBody,
        response: { 200: PortalSessionEnded, ...failures(...COOKIE_FAILURES) },
        detail: {
          operationId: 'endPortalSession',
          summary: 'Sign out in a browser; all tokens of the sign-in end',
          description: `Takes the cookie away, too. ${TELL_ORIGIN}`,
          parameters: [REQUESTED_WITH],
        },
      },
    )
}
