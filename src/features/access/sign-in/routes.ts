import { Elysia } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { type SpendRequest, spendingFirst } from '../../../http/address-budget.ts'
import { jsonBody, noBody, urlencodedBody } from '../../../http/body.ts'
import { bodyErrors, failure } from '../../../http/schema.ts'
import type { TracePlugin } from '../../../http/trace.ts'
import type { LoginService } from './login.ts'
import type { MachineGrant } from './machine-grant.ts'
import type { RefreshService } from './refresh.ts'
import { AccessToken, Login, Revoked, RevokeForm, TokenForm, UserToken } from './schema.ts'

const FORM_BYTES_MAX = 8 * 1024

const { 413: tooLarge, 415: wrongType } = bodyErrors
const invalidBody = { 413: tooLarge, 415: wrongType, 422: failure('`validation_error`') }
const busy = {
  500: failure('`internal_error`'),
  503: failure('`overloaded`, `storage_full`, `storage_failed`, `read_only`'),
}

export interface AuthServices {
  grant: MachineGrant['grant']
  login: LoginService['login']
  refresh: RefreshService['refresh']
  revoke: RefreshService['revoke']
}

/** Budgets of the addresses that sign-ins and refreshes come from (spec §8). */
export interface AuthBudgets {
  login: SpendRequest
  refresh: SpendRequest
}

/** Spec §4.1: machine grant, login of people, refresh and end of tokens. Nothing here is ever cached. */
export function signInRoutes(
  trace: TracePlugin,
  budgets: AuthBudgets,
  { grant, login, refresh, revoke }: AuthServices,
) {
  return new Elysia({ name: 'auth.routes', prefix: '/oauth', tags: ['Authentication'] })
    .use(trace)
    .onBeforeHandle(({ set }) => {
      set.headers['cache-control'] = 'no-store'
    })
    .post('/token', ({ body, headers, trace }) => grant(body, headers['authorization'], trace), {
      parse: urlencodedBody(FORM_BYTES_MAX, 'grant_type=client_credentials&client_id=…&client_secret=…'),
      body: TokenForm,
      response: {
        200: AccessToken,
        400: failure('`invalid_request`, `unsupported_grant_type`, `credential_ambiguous`'),
        401: failure('`unauthorized` with `details.oauth_error`'),
        403: failure('`ip_not_allowed`'),
        429: failure('`too_many_requests`: a wrong secret after ten of one client_id in 15 minutes'),
        ...invalidBody,
        ...busy,
        415: failure('`unsupported_media_type`: send a form, not JSON'),
      },
      detail: {
        operationId: 'createToken',
        summary: 'Exchange client_id and client_secret for an access token',
        description: 'Form-encoded, not JSON (RFC 6749 §4.4.2); HTTP Basic works as well.',
      },
    })
    .post('/login', ({ body, trace }) => login(body, trace), {
      parse: spendingFirst(budgets.login, jsonBody(LIMITS.openBodyBytesMax)),
      body: Login,
      response: {
        200: UserToken,
        400: failure('`invalid_json`, `credential_ambiguous`'),
        401: failure('`unauthorized`, `requires_2fa`, `invalid_2fa`'),
        403: failure('`account_not_verified`'),
        429: failure('`rate_limit_exceeded` for the network address, `too_many_requests` for the e-mail'),
        ...invalidBody,
        ...busy,
      },
      detail: {
        operationId: 'login',
        summary: 'Sign in as a person',
        description: [
          'With two-factor authentication on, a right password alone is answered with `requires_2fa`: repeat the call',
          'with `totp_code`, or with a `recovery_code`.',
        ].join(' '),
      },
    })
    .post('/refresh', ({ request, trace }) => refresh(request, trace), {
      parse: spendingFirst(budgets.refresh, noBody),
      response: {
        200: AccessToken,
        400: failure('`credential_ambiguous`'),
        401: failure('`unauthorized`: not valid, ended, or expired more than five minutes ago'),
        403: failure('`ip_not_allowed`'),
        429: failure('`rate_limit_exceeded`'),
        ...busy,
      },
      detail: {
        operationId: 'refreshToken',
        summary: 'Exchange an access token for a new one; the old one ends',
        description:
          'Send the old token as `Authorization: Bearer …`, at most five minutes after it expired.',
        security: [{ bearer: [] }],
      },
    })
    .post('/revoke', ({ body, trace }) => revoke(body, trace), {
      parse: urlencodedBody(FORM_BYTES_MAX * 2, 'token=…'),
      body: RevokeForm,
      response: { 200: Revoked, 400: failure('`invalid_request`'), ...invalidBody, ...busy },
      detail: {
        operationId: 'revokeToken',
        summary: 'End an access token, and with it the login of a person',
        description: 'Form-encoded (RFC 7009). The answer is the same for tokens that are not known.',
      },
    })
}
