import { Elysia } from 'elysia'
import { ApiError, ERRORS } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { LinkQuery } from '../../../http/account-schema.ts'
import { jsonBody, jsonOrUrlencodedBody } from '../../../http/body.ts'
import { spendingFirst } from '../../../http/budgets/address-budget.ts'
import { FORM_BODY, failures, JSON_BODY, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import {
  ALSO_A_PAGE,
  answerPageOr,
  BAD_LINK,
  type Context,
  keepPrivate,
  READERS,
  TOO_MANY_FROM_ADDRESS,
} from '../../../http/link-answers.ts'
import { answerPage, prefersPage } from '../../../http/page.ts'
import { invalidLinkPage, passwordSetPage, refusalPage } from './pages.ts'
import { PasswordForgotten, PasswordReset, PasswordWasReset, ResetLink, ResetRequested } from './schema.ts'
import type { PasswordResetService } from './service.ts'

/** Failures of a route that writes and takes JSON. */
const TAKING_JSON = [...WRITING, ...JSON_BODY] as const

const FOR_BROWSERS = 'A browser gets a page instead of JSON.'

/** Contract 5.4: password resets. No answer may be cached. */
export function passwordResetRoutes(
  { forAnyone, budgets }: Pick<Guards, 'forAnyone' | 'budgets'>,
  passwords: Pick<PasswordResetService, 'forgot' | 'check' | 'reset'>,
) {
  return new Elysia({ name: 'password-reset.routes', tags: ['Account'] })
    .use(forAnyone)
    .onBeforeHandle(({ set }) => keepPrivate({ set }))
    .post(
      '/oauth/password/forgot',
      ({ body, clientInfo, status }) => status(202, passwords.forgot(body, clientInfo)),
      {
        parse: spendingFirst(budgets.mail, jsonBody(LIMITS.openBodyBytesMax)),
        body: PasswordForgotten,
        response: { 202: ResetRequested, ...failures(...TAKING_JSON, TOO_MANY_FROM_ADDRESS) },
        detail: {
          operationId: 'forgetPassword',
          summary: 'Request a link that sets a new password',
          description: 'The answer is the same for e-mail addresses without an account.',
        },
      },
    )
    .get('/oauth/password/reset', (context) => answerPageOr(context, READERS, passwords.check), {
      query: LinkQuery,
      response: { 200: ResetLink, ...failures(...READING, 'validation_error', BAD_LINK) },
      detail: {
        ...ALSO_A_PAGE,
        operationId: 'checkPasswordLink',
        summary: 'Check whether a link for a new password still works',
        description: 'A browser gets the form for the new password instead of JSON.',
      },
    })
    .post(
      '/oauth/password/reset',
      (context) =>
        answer(context, () => passwords.reset(context.body, context.clientInfo), {
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
