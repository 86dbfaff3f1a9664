import { Elysia } from 'elysia'
import type { Trace } from '../../../core/actor.ts'
import { ApiError, ERRORS } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { type SpendRequest, spendingFirst } from '../../../http/address-budget.ts'
import { jsonBody, jsonOrUrlencodedBody } from '../../../http/body.ts'
import { isFromBrowser, PAGE, pageAnswer, prefersPage, SCRIPTED } from '../../../http/page.ts'
import { bodyErrors, failure } from '../../../http/schema.ts'
import type { TracePlugin } from '../../../http/trace.ts'
import { problemsOf, validationError } from '../../../http/validation.ts'
import {
  cancelPage,
  confirmPage,
  invalidLinkPage,
  newPasswordPage,
  passwordSetPage,
  refusalPage,
} from './pages.ts'
import type { PasswordResetService } from './password-reset.ts'
import type { RegistrationService } from './registration.ts'
import {
  Cancellation,
  Cancelled,
  Confirmation,
  LinkQuery,
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
import type { VerificationService } from './verification.ts'

const { 413: tooLarge, 415: wrongType } = bodyErrors
const invalidBody = {
  400: failure('`invalid_json`, `invalid_request`'),
  413: tooLarge,
  415: wrongType,
  422: failure('`validation_error`'),
}
const busy = {
  500: failure('`internal_error`'),
  503: failure('`overloaded`, `storage_full`, `storage_failed`, `read_only`'),
}
const badLink = failure('`unauthorized`: the link is not valid, or has expired')
const tooMany = failure('`rate_limit_exceeded`: wait for `Retry-After` seconds')

/** Browsers get HTML from these. */
const ALSO_A_PAGE = { [PAGE]: true }

const FOR_BROWSERS = 'A browser gets a page instead of JSON.'

export interface AccountServices {
  registration: Pick<RegistrationService, 'register'>
  verification: Pick<VerificationService, 'verify' | 'check' | 'confirm' | 'cancel'>
  passwordReset: Pick<PasswordResetService, 'forgot' | 'check' | 'reset'>
}

/** What an address may send in a minute. */
export interface AddressBudgets {
  /** Requests that send a mail to any address. */
  mail: SpendRequest
  /** Requests that try a password. */
  password: SpendRequest
}

/** Spec §4.1, D10: how people get an account and a new password. Nothing here is ever cached. */
export function accountRoutes(
  traced: TracePlugin,
  spend: AddressBudgets,
  { registration, verification, passwordReset: passwords }: AccountServices,
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
        parse: spendingFirst(spend.mail, jsonBody(LIMITS.openBodyBytesMax)),
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
      (context) => pageOr(context, BROWSERS, confirmPage, (token) => verified(verification, token, context)),
      {
        query: LinkQuery,
        response: { 200: Verified, 401: badLink, 422: failure('`validation_error`'), ...busy },
        detail: {
          ...ALSO_A_PAGE,
          operationId: 'verifyAccount',
          summary: 'Activate the account of a link without its password',
          description:
            'For programs. The account counts as not proven, for whoever registered may have no access to the mailbox. A browser (it prefers HTML, navigates, or says that it is one) gets a page instead, which activates nothing by itself. A client secret is made after signing in.',
        },
      },
    )
    .post('/verify', ({ body, trace }) => verification.confirm(body, trace), {
      parse: spendingFirst(spend.password, jsonBody(LIMITS.openBodyBytesMax)),
      body: Confirmation,
      response: {
        200: Verified,
        401: failure('`unauthorized`: the link does not work, or the password is wrong'),
        429: tooMany,
        ...invalidBody,
        ...busy,
      },
      detail: {
        operationId: 'confirmAccount',
        summary: 'Activate the account of a link with the password that was chosen at registration',
        description:
          'The fifth wrong password ends the link. The answer to a wrong password is the same for links that do not exist. A link that was used proves the account with its present password.',
      },
    })
    .get('/verify/cancel', () => pageAnswer(cancelPage(), SCRIPTED), { detail: { hide: true } })
    .post('/verify/cancel', ({ body }) => verification.cancel(body.token), {
      parse: spendingFirst(spend.password, jsonBody(LIMITS.openBodyBytesMax)),
      body: Cancellation,
      response: { 200: Cancelled, 429: tooMany, ...invalidBody, ...busy },
      detail: {
        operationId: 'cancelRegistrations',
        summary: 'Delete every open registration of the address that a link was mailed to',
        description: 'For whoever never registered. The answer is the same for links that do not exist.',
      },
    })
    .post('/oauth/password/forgot', ({ body, trace, status }) => status(202, passwords.forgot(body, trace)), {
      parse: spendingFirst(spend.mail, jsonBody(LIMITS.openBodyBytesMax)),
      body: PasswordForgotten,
      response: { 202: ResetRequested, 429: tooMany, ...invalidBody, ...busy },
      detail: {
        operationId: 'forgetPassword',
        summary: 'Ask for a link that sets a new password',
        description: 'The answer is the same for addresses that have no account.',
      },
    })
    .get('/oauth/password/reset', (context) => pageOr(context, READERS, newPasswordPage, passwords.check), {
      query: LinkQuery,
      response: { 200: ResetLink, 401: badLink, 422: failure('`validation_error`'), ...busy },
      detail: {
        ...ALSO_A_PAGE,
        operationId: 'checkPasswordLink',
        summary: 'Does a link for a new password work still?',
        description: 'A browser gets the form for the new password instead of JSON.',
      },
    })
    .post(
      '/oauth/password/reset',
      (context) =>
        answer(context, () => passwords.reset(context.body, context.trace), {
          success: passwordSetPage,
          badLink: invalidLinkPage,
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
  { verify, check }: AccountServices['verification'],
  token: string,
  { request, trace }: { request: Request; trace: Trace },
): Verified => (request.method === 'HEAD' ? check(token) : verify(token, trace))

interface Context {
  request: Request
  set: { status?: number | string; headers: Record<string, string | number | undefined> }
}

/** Who gets a page instead of data, and the headers that tell. */
interface Audience {
  wantsPage(request: Request): boolean
  vary: string
}

/** Where data would change something: also what only passes for a browser. */
const BROWSERS: Audience = { wantsPage: isFromBrowser, vary: 'accept, sec-fetch-mode, user-agent' }

const READERS: Audience = { wantsPage: prefersPage, vary: 'accept' }

/**
 * A page for whoever wants one, which takes the token to itself; data about the token of the query for others.
 *
 * @throws ApiError `validation_error` for a program that sends no token.
 */
function pageOr<Data>(
  { request, set, query }: Context & { query: { token?: string } },
  { wantsPage, vary }: Audience,
  html: () => string,
  data: (token: string) => Data,
): Data {
  set.headers['vary'] = vary
  // Elysia sends a Response as it is, past the schema of the data.
  if (wantsPage(request)) return pageAnswer(html(), SCRIPTED) as Data
  const problems = problemsOf(TokenQuery, query, 'query')
  if (problems.length > 0) throw validationError(problems)
  return data(query.token as string)
}

interface Pages<Data> {
  success(data: Data): string
  badLink(): string
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
  return pageAnswer(html, {}, status) as Data
}

async function pageOf<Data>(work: () => Data | Promise<Data>, { success, badLink }: Pages<Data>) {
  try {
    return { html: success(await work()), status: 200 }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { status } = ERRORS[error.code]
    const html = error.code === 'unauthorized' ? badLink() : refusalPage(sentence(error.message))
    return { html, status }
  }
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
