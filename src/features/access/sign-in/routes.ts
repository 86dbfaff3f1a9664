import { Elysia } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { jsonBody, noBody, urlencodedBody } from '../../../http/body.ts'
import { spendingFirst } from '../../../http/budgets/address-budget.ts'
import { FORM_BODY, failures, JSON_BODY, NO_BODY, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import type { MachineGrant } from './machine-grant.ts'
import type { RefreshService } from './refresh.ts'
import {
  AccessToken,
  AuthorizationServer,
  describeServer,
  Revoked,
  RevokeForm,
  SignInRequest,
  TokenForm,
  UserToken,
} from './schema.ts'
import type { SignInService } from './service.ts'

const FORM_BYTES_MAX = 8 * 1024

/** Failures of a route that takes a password and a second factor. */
export const SIGN_IN_FAILURES = [
  ...WRITING,
  ...JSON_BODY,
  'requires_2fa',
  'invalid_2fa',
  'account_not_verified',
  ['credential_ambiguous', 'Both a code and a recovery code were sent.'],
  ['unauthorized', 'The e-mail address or the password is wrong.'],
  ['rate_limit_exceeded', 'Too many sign-ins came from this network address.'],
  ['too_many_requests', 'Too many sign-ins failed for this e-mail address.'],
] as const

/** RFC 8414: lets clients of OAuth configure themselves. Open to everyone, and may be cached. */
export function discoveryRoutes(baseUrl: () => string) {
  return new Elysia({ name: 'sign-in.discovery', tags: ['Authentication'] }).get(
    '/.well-known/oauth-authorization-server',
    ({ set }) => {
      set.headers['cache-control'] = 'public, max-age=3600'
      return describeServer(baseUrl())
    },
    {
      response: { 200: AuthorizationServer },
      detail: {
        operationId: 'getAuthorizationServer',
        summary: 'Read where and how to get tokens',
        description:
          'The metadata of RFC 8414, from which libraries for OAuth configure themselves. Needs no credential.',
        responses: NO_BODY,
      },
    },
  )
}

export interface SignInServices {
  grant: MachineGrant['grant']
  signIn: SignInService['signIn']
  refresh: RefreshService['refresh']
  revoke: RefreshService['revoke']
}

/** Contract 4.4: the machine grant, the sign-in of people, refreshing and revoking tokens. No answer may be cached. */
export function tokenRoutes(
  { forAnyone, budgets }: Pick<Guards, 'forAnyone' | 'budgets'>,
  { grant, signIn, refresh, revoke }: SignInServices,
) {
  return new Elysia({ name: 'sign-in.routes', prefix: '/oauth', tags: ['Authentication'] })
    .use(forAnyone)
    .onBeforeHandle(({ set }) => {
      set.headers['cache-control'] = 'no-store'
    })
    .post('/token', ({ body, headers, clientInfo }) => grant(body, headers['authorization'], clientInfo), {
      parse: urlencodedBody(FORM_BYTES_MAX, 'grant_type=client_credentials&client_id=…&client_secret=…'),
      body: TokenForm,
      response: {
        200: AccessToken,
        ...failures(
          ...WRITING,
          ...FORM_BODY,
          'unsupported_grant_type',
          'credential_ambiguous',
          'store_not_here',
          'ip_not_allowed',
          ['unsupported_media_type', 'The body is not a form. Send a form, not JSON.'],
          ['unauthorized', 'The client id or the client secret is wrong; see `details.oauth_error`.'],
          ['too_many_requests', 'Ten wrong secrets were sent for this client id within 15 minutes.'],
        ),
      },
      detail: {
        operationId: 'createToken',
        summary: 'Exchange a client id and a client secret for an access token',
        description: 'Send the credentials as a form, not as JSON (RFC 6749 §4.4.2), or by HTTP Basic.',
      },
    })
    .post('/login', ({ body, clientInfo }) => signIn(body, clientInfo), {
      parse: spendingFirst(budgets.signIn, jsonBody(LIMITS.openBodyBytesMax)),
      body: SignInRequest,
      response: {
        200: UserToken,
        ...failures(...SIGN_IN_FAILURES),
      },
      detail: {
        operationId: 'login',
        summary: 'Sign in as a person',
        description: [
          'If two-factor authentication is on, the right password alone gets `requires_2fa`: repeat the',
          'request with `totp_code` or `recovery_code`.',
        ].join(' '),
      },
    })
    .post('/refresh', ({ request, clientInfo }) => refresh(request, clientInfo), {
      parse: spendingFirst(budgets.refresh, noBody),
      response: {
        200: AccessToken,
        ...failures(
          ...WRITING,
          'credential_ambiguous',
          'ip_not_allowed',
          [
            'unauthorized',
            'The token is invalid, was revoked, expired more than five minutes ago, or belongs to a sign-in of the portal.',
          ],
          ['rate_limit_exceeded', 'Too many refreshes came from this network address.'],
        ),
      },
      detail: {
        operationId: 'refreshToken',
        summary: 'Exchange an access token for a new one; the old one stops working',
        description:
          'Send the old token as `Authorization: Bearer …`, no later than five minutes after it expired.',
        security: [{ bearer: [] }],
      },
    })
    .post('/revoke', ({ body, clientInfo }) => revoke(body, clientInfo), {
      parse: urlencodedBody(FORM_BYTES_MAX * 2, 'token=…'),
      body: RevokeForm,
      response: { 200: Revoked, ...failures(...WRITING, ...FORM_BODY) },
      detail: {
        operationId: 'revokeToken',
        summary: 'Revoke an access token, and with it the sign-in of a person',
        description: 'Send the token as a form (RFC 7009). The answer is the same for unknown tokens.',
      },
    })
}
