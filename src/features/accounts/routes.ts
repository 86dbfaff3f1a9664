import { Elysia } from 'elysia'
import type { Trace } from '../../core/actor.ts'
import { ApiError, ERRORS } from '../../core/errors.ts'
import { LIMITS } from '../../core/limits.ts'
import { jsonBody, jsonOrUrlencodedBody } from '../../http/body.ts'
import { PAGE, pageAnswer, prefersPage } from '../../http/page.ts'
import { bodyErrors, failure } from '../../http/schema.ts'
import type { TracePlugin } from '../../http/trace.ts'
import { invalidLinkPage, passwordPage, passwordSetPage, refusalPage, verifiedPage } from './pages.ts'
import type { PasswordResetService } from './password-reset.ts'
import type { RegistrationService } from './registration.ts'
import {
  PasswordForgotten,
  PasswordReset,
  PasswordWasReset,
  Registration,
  RegistrationTaken,
  ResetLink,
  ResetRequested,
  TokenQuery,
  Verified,
} from './schema.ts'

const { 413: tooLarge, 415: wrongType } = bodyErrors
const invalidBody = {
  400: failure('`invalid_json`, `invalid_request`'),
  413: tooLarge,
  415: wrongType,
  422: failure('`validation_error`'),
}
const busy = { 500: failure('`internal_error`'), 503: failure('`overloaded`, `storage_full`') }
const badLink = failure('`unauthorized`: the link is not valid, or has expired')
const tooMany = failure('`rate_limit_exceeded`: wait for `Retry-After` seconds')

/** Browsers get HTML from these. */
const ALSO_A_PAGE = { [PAGE]: true }

const FOR_BROWSERS = 'A browser gets a page instead of JSON.'

/** Spec §4.1, D10: how people get an account and a new password. Nothing here is ever cached. */
export function accountRoutes(
  traced: TracePlugin,
  registration: Pick<RegistrationService, 'register' | 'verify' | 'check'>,
  passwords: Pick<PasswordResetService, 'forgot' | 'check' | 'reset'>,
) {
  return new Elysia({ name: 'accounts.routes', tags: ['Account'] })
    .use(traced)
    .onBeforeHandle(({ set }) => {
      set.headers['cache-control'] = 'no-store'
      set.headers['referrer-policy'] = 'no-referrer'
    })
    .post(
      '/register',
      async ({ body, trace, status }) => status(202, await registration.register(body, trace)),
      {
        parse: jsonBody(LIMITS.openBodyBytesMax),
        body: Registration,
        response: {
          202: RegistrationTaken,
          403: failure('`permission_denied`: `details.registration` says who may register'),
          429: tooMany,
          ...invalidBody,
          ...busy,
        },
        detail: {
          operationId: 'register',
          summary: 'Ask for an account with a store; a mail brings the link that activates it',
          description: 'The answer is the same for addresses that have an account.',
        },
      },
    )
    .get(
      '/verify',
      (context) =>
        answer(context, () => verified(registration, context), {
          success: verifiedPage,
          badLink: () =>
            invalidLinkPage('If you have no account yet, register again; or else sign in as usual.'),
        }),
      {
        query: TokenQuery,
        response: { 200: Verified, 401: badLink, 422: failure('`validation_error`'), ...busy },
        detail: {
          ...ALSO_A_PAGE,
          operationId: 'verifyAccount',
          summary: 'Activate the account of a link',
          description: `${FOR_BROWSERS} A client secret is made after signing in.`,
        },
      },
    )
    .post('/oauth/password/forgot', ({ body, trace, status }) => status(202, passwords.forgot(body, trace)), {
      parse: jsonBody(LIMITS.openBodyBytesMax),
      body: PasswordForgotten,
      response: { 202: ResetRequested, 429: tooMany, ...invalidBody, ...busy },
      detail: {
        operationId: 'forgetPassword',
        summary: 'Ask for a link that sets a new password',
        description: 'The answer is the same for addresses that have no account.',
      },
    })
    .get(
      '/oauth/password/reset',
      (context) =>
        answer(context, () => passwords.check(context.query.token), {
          success: ({ email }) => passwordPage(context.query.token, email),
          badLink: badResetLink,
        }),
      {
        query: TokenQuery,
        response: { 200: ResetLink, 401: badLink, 422: failure('`validation_error`'), ...busy },
        detail: {
          ...ALSO_A_PAGE,
          operationId: 'checkPasswordLink',
          summary: 'Does a link for a new password work still?',
          description: 'A browser gets the form for the new password instead of JSON.',
        },
      },
    )
    .post(
      '/oauth/password/reset',
      (context) =>
        answer(context, () => passwords.reset(context.body, context.trace), {
          success: passwordSetPage,
          badLink: badResetLink,
          badInput: (problem) =>
            passwordPage(context.body.token, passwords.check(context.body.token).email, problem),
        }),
      {
        parse: jsonOrUrlencodedBody(LIMITS.openBodyBytesMax),
        body: PasswordReset,
        response: { 200: PasswordWasReset, 401: badLink, ...invalidBody, ...busy },
        detail: {
          ...ALSO_A_PAGE,
          operationId: 'resetPassword',
          summary: 'Set a new password by a link; all sign-ins of the person end',
          description: `${FOR_BROWSERS} A password that is refused does not use the link up.`,
        },
      },
    )
}

/** Opens a link; a HEAD, by which mail scanners look whether there is anything, only looks. */
const verified = (
  { verify, check }: Pick<RegistrationService, 'verify' | 'check'>,
  { request, query, trace }: { request: Request; query: { token: string }; trace: Trace },
): Verified => (request.method === 'HEAD' ? check(query.token) : verify(query.token, trace))

const badResetLink = () => invalidLinkPage('Ask for a new link where you sign in.')

interface Context {
  request: Request
  set: { status?: number | string; headers: Record<string, string | number | undefined> }
}

interface Pages<Data> {
  success(data: Data): string
  badLink(): string
  /** After 422; the form again. */
  badInput?(message: string): string
}

/** Answers with data, or with a page for whoever prefers that; then refusals are pages too. */
async function answer<Data>(
  { request, set }: Context,
  work: () => Data | Promise<Data>,
  pages: Pages<Data>,
): Promise<Data> {
  set.headers['vary'] = 'accept'
  if (!prefersPage(request)) return work()
  const { html, status } = await pageOf(work, pages)
  set.status = status
  // Elysia sends a Response as it is, past the schema of the data.
  return pageAnswer(html, { hasForm: true }, status) as Data
}

async function pageOf<Data>(work: () => Data | Promise<Data>, { success, badLink, badInput }: Pages<Data>) {
  try {
    return { html: success(await work()), status: 200 }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { status } = ERRORS[error.code]
    if (error.code === 'unauthorized') return { html: badLink(), status }
    if (error.code === 'validation_error' && badInput)
      return { html: badInput(sentence(error.message)), status }
    return { html: refusalPage(sentence(error.message)), status }
  }
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
