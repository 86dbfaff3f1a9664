import { Elysia } from 'elysia'
import type { ClientInfo } from '../../../core/actor.ts'
import { LIMITS } from '../../../core/limits.ts'
import { LinkQuery } from '../../../http/account-schema.ts'
import { jsonBody } from '../../../http/body.ts'
import { spendingFirst } from '../../../http/budgets/address-budget.ts'
import { failures, JSON_BODY, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import {
  ALSO_A_PAGE,
  answerPageOr,
  BAD_LINK,
  BROWSERS,
  keepPrivate,
  TOO_MANY_FROM_ADDRESS,
} from '../../../http/link-answers.ts'
import { Cancellation, Cancelled, Confirmation, Registration, RegistrationTaken, Verified } from './schema.ts'
import type { RegistrationService } from './service.ts'
import type { VerificationService } from './verification.ts'

/** Failures of a route that writes and takes JSON. */
const TAKING_JSON = [...WRITING, ...JSON_BODY] as const

export interface RegistrationServices {
  registration: Pick<RegistrationService, 'register'>
  verification: Pick<VerificationService, 'verify' | 'check' | 'confirm' | 'cancel'>
}

/** Contract 5.3: registration. No answer may be cached. */
export function registrationRoutes(
  { forAnyone, budgets }: Pick<Guards, 'forAnyone' | 'budgets'>,
  { registration, verification }: RegistrationServices,
) {
  return new Elysia({ name: 'registration.routes', tags: ['Account'] })
    .use(forAnyone)
    .onBeforeHandle(({ set }) => keepPrivate({ set }))
    .post(
      '/register',
      async ({ body, clientInfo, status }) => status(202, await registration.register(body, clientInfo)),
      {
        parse: spendingFirst(budgets.mail, jsonBody(LIMITS.openBodyBytesMax)),
        body: Registration,
        response: {
          202: RegistrationTaken,
          ...failures(...TAKING_JSON, TOO_MANY_FROM_ADDRESS, [
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
      (context) => answerPageOr(context, BROWSERS, (token) => openLink(verification, token, context)),
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
    .post('/verify', ({ body, clientInfo }) => verification.confirm(body, clientInfo), {
      parse: spendingFirst(budgets.signIn, jsonBody(LIMITS.openBodyBytesMax)),
      body: Confirmation,
      response: {
        200: Verified,
        ...failures(...TAKING_JSON, TOO_MANY_FROM_ADDRESS, [
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
    .post('/verify/cancel', ({ body }) => verification.cancel(body.token), {
      parse: spendingFirst(budgets.signIn, jsonBody(LIMITS.openBodyBytesMax)),
      body: Cancellation,
      response: { 200: Cancelled, ...failures(...TAKING_JSON, TOO_MANY_FROM_ADDRESS) },
      detail: {
        operationId: 'cancelRegistrations',
        summary: 'Delete every open registration of the e-mail address that received the link',
        description: 'For people who never registered. The answer is the same for links that do not exist.',
      },
    })
}

/** Opens a link. A HEAD request, which mail scanners send, only checks it. */
const openLink = (
  { verify, check }: RegistrationServices['verification'],
  token: string,
  { request, clientInfo }: { request: Request; clientInfo: ClientInfo },
): Verified => (request.method === 'HEAD' ? check(token) : verify(token, clientInfo))
