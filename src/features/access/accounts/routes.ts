import { Elysia } from 'elysia'
import type { Trace } from '../../../core/actor.ts'
import { ApiError, ERRORS } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { spendingFirst } from '../../../http/address-budget.ts'
import { jsonBody, jsonOrUrlencodedBody } from '../../../http/body.ts'
import type { Doors } from '../../../http/doors.ts'
import { FORM_BODY, failures, JSON_BODY, READING, WRITING } from '../../../http/failures.ts'
import { answerPage, isFromBrowser, PAGE, prefersPage, SCRIPTED } from '../../../http/page.ts'
import { findProblems, validationError } from '../../../http/validation.ts'
import {
  cancelPage,
  confirmPage,
  invalidLinkPage,
  invitePage,
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

const BAD_LINK = ['unauthorized', 'The link is invalid or has expired.'] as const
const TOO_MANY = ['rate_limit_exceeded', 'Too many requests came from this network address.'] as const

/** Failures of a route that writes and takes JSON. */
const TAKING_JSON = [...WRITING, ...JSON_BODY] as const

/** Marks the routes that answer browsers with HTML. */
const ALSO_A_PAGE = { [PAGE]: true }

const FOR_BROWSERS = 'A browser gets a page instead of JSON.'

export interface AccountServices {
  registration: Pick<RegistrationService, 'register'>
  verification: Pick<VerificationService, 'verify' | 'check' | 'confirm' | 'cancel'>
  passwordReset: Pick<PasswordResetService, 'forgot' | 'check' | 'reset'>
}

/** Contract 5.3, 5.4: registration and password resets. No answer may be cached. */
export function accountRoutes(
  { forAnyone, budgets }: Pick<Doors, 'forAnyone' | 'budgets'>,
  { registration, verification, passwordReset: passwords }: AccountServices,
) {
  return new Elysia({ name: 'accounts.routes', tags: ['Account'] })
    .use(forAnyone)
    .onBeforeHandle(({ set }) => {
      set.headers['cache-control'] = 'no-store'
      set.headers['referrer-policy'] = 'no-referrer'
    })
    .post(
      '/register',
      async ({ body, trace, status }) => status(202, await registration.register(body, trace)),
      {
        parse: spendingFirst(budgets.mail, jsonBody(LIMITS.openBodyBytesMax)),
        body: Registration,
        response: {
          202: RegistrationTaken,
          ...failures(...TAKING_JSON, TOO_MANY, [
            'permission_denied',
            'Registration is closed or by invitation; `details.registration` says which.',
          ]),
        },
        detail: {
          operationId: 'register',
          summary: 'Request an account with a store; a mail brings the activation link',
          description: 'The answer is the same for e-mail addresses that already have an account.',
        },
      },
    )
    .get(
      '/verify',
      (context) =>
        answerPageOr(context, BROWSERS, confirmPage, (token) => openLink(verification, token, context)),
      {
        query: LinkQuery,
        response: { 200: Verified, ...failures(...WRITING, 'validation_error', BAD_LINK) },
        detail: {
          ...ALSO_A_PAGE,
          operationId: 'verifyAccount',
          summary: 'Activate an account by its link, without the password',
          description:
            'For programs. The account counts as unproven, because the person who registered may have no access to the mailbox. A browser (a client that prefers HTML, navigates, or identifies as a browser) gets a page instead, which activates nothing by itself. Create a client secret after signing in.',
        },
      },
    )
    .post('/verify', ({ body, trace }) => verification.confirm(body, trace), {
      parse: spendingFirst(budgets.signIn, jsonBody(LIMITS.openBodyBytesMax)),
      body: Confirmation,
      response: {
        200: Verified,
        ...failures(...TAKING_JSON, TOO_MANY, [
          'unauthorized',
          'The link does not work, or the password is wrong.',
        ]),
      },
      detail: {
        operationId: 'confirmAccount',
        summary: 'Activate an account by its link and the password chosen at registration',
        description:
          'The fifth wrong password invalidates the link. The answer to a wrong password is the same for links that do not exist. A used link proves the account with its current password.',
      },
    })
    .get('/verify/cancel', () => answerPage(cancelPage(), SCRIPTED), { detail: { hide: true } })
    .post('/verify/cancel', ({ body }) => verification.cancel(body.token), {
      parse: spendingFirst(budgets.signIn, jsonBody(LIMITS.openBodyBytesMax)),
      body: Cancellation,
      response: { 200: Cancelled, ...failures(...TAKING_JSON, TOO_MANY) },
      detail: {
        operationId: 'cancelRegistrations',
        summary: 'Delete every open registration of the e-mail address that received the link',
        description: 'For people who never registered. The answer is the same for links that do not exist.',
      },
    })
    .get('/invite', () => answerPage(invitePage(), SCRIPTED), { detail: { hide: true } })
    .post('/oauth/password/forgot', ({ body, trace, status }) => status(202, passwords.forgot(body, trace)), {
      parse: spendingFirst(budgets.mail, jsonBody(LIMITS.openBodyBytesMax)),
      body: PasswordForgotten,
      response: { 202: ResetRequested, ...failures(...TAKING_JSON, TOO_MANY) },
      detail: {
        operationId: 'forgetPassword',
        summary: 'Request a link that sets a new password',
        description: 'The answer is the same for e-mail addresses without an account.',
      },
    })
    .get(
      '/oauth/password/reset',
      (context) => answerPageOr(context, READERS, newPasswordPage, passwords.check),
      {
        query: LinkQuery,
        response: { 200: ResetLink, ...failures(...READING, 'validation_error', BAD_LINK) },
        detail: {
          ...ALSO_A_PAGE,
          operationId: 'checkPasswordLink',
          summary: 'Check whether a link for a new password still works',
          description: 'A browser gets the form for the new password instead of JSON.',
        },
      },
    )
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
        response: { 200: PasswordWasReset, ...failures(...TAKING_JSON, ...FORM_BODY, BAD_LINK) },
        detail: {
          ...ALSO_A_PAGE,
          operationId: 'resetPassword',
          summary: 'Set a new password by a link; all sign-ins of the person end',
          description: `${FOR_BROWSERS} A refused password does not use up the link.`,
        },
      },
    )
}

/** Opens a link. A HEAD request, which mail scanners send, only checks it. */
const openLink = (
  { verify, check }: AccountServices['verification'],
  token: string,
  { request, trace }: { request: Request; trace: Trace },
): Verified => (request.method === 'HEAD' ? check(token) : verify(token, trace))

interface Context {
  request: Request
  set: { status?: number | string; headers: Record<string, string | number | undefined> }
}

/** Decides which clients get a page instead of data, and by which headers. */
interface Audience {
  wantsPage(request: Request): boolean
  vary: string
}

/** For requests that change something: includes clients that only look like a browser. */
const BROWSERS: Audience = { wantsPage: isFromBrowser, vary: 'accept, sec-fetch-mode, user-agent' }

const READERS: Audience = { wantsPage: prefersPage, vary: 'accept' }

/**
 * Answers a client that wants a page with a page, whose script reads the token. Answers other clients with data about
 * the token in the query.
 *
 * @throws ApiError `validation_error` if such a client sends no token.
 */
function answerPageOr<Data>(
  { request, set, query }: Context & { query: { token?: string } },
  { wantsPage, vary }: Audience,
  html: () => string,
  data: (token: string) => Data,
): Data {
  set.headers['vary'] = vary
  // Elysia sends a Response as it is, without checking the schema of the data.
  if (wantsPage(request)) return answerPage(html(), SCRIPTED) as Data
  const problems = findProblems(TokenQuery, query, 'query')
  if (problems.length > 0) throw validationError(problems)
  return data(query.token as string)
}

interface Pages<Data> {
  success(data: Data): string
  badLink(): string
}

/** Answers with data, or with pages, error pages included, for a client that prefers pages. */
async function answer<Data>(
  { request, set }: Context,
  work: () => Data | Promise<Data>,
  pages: Pages<Data>,
): Promise<Data> {
  set.headers['vary'] = 'accept'
  if (!prefersPage(request)) return work()
  const { html, status } = await renderPage(work, pages)
  set.status = status
  return answerPage(html, {}, status) as Data
}

async function renderPage<Data>(work: () => Data | Promise<Data>, { success, badLink }: Pages<Data>) {
  try {
    return { html: success(await work()), status: 200 }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { status } = ERRORS[error.code]
    const html = error.code === 'unauthorized' ? badLink() : refusalPage(toSentence(error.message))
    return { html, status }
  }
}

const toSentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
