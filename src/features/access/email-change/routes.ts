import { Elysia } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { jsonBody, noBody } from '../../../http/body.ts'
import { spendingFirst } from '../../../http/budgets/address-budget.ts'
import { FOR_CALLER, failures, JSON_BODY, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { TOO_MANY_FROM_ADDRESS } from '../../../http/link-answers.ts'
import { REAUTHENTICATING } from '../reauthentication/schema.ts'
import type { EmailLinks } from './links.ts'
import {
  EmailApproval,
  EmailChange,
  EmailChangeCancelled,
  EmailChangeTaken,
  EmailConfirmation,
  EmailState,
  EmailStep,
} from './schema.ts'
import type { EmailChangeService } from './service.ts'

const OWN_ACCOUNT = [...FOR_CALLER, 'permission_denied'] as const
const TAKEN = ['conflict', 'Somebody has an account with the new address by now.'] as const

/** Contract 5.9: another e-mail address for the caller's account. */
export function emailChangeRoutes({ forCaller }: Pick<Guards, 'forCaller'>, change: EmailChangeService) {
  return new Elysia({ name: 'email-change.routes', prefix: '/v1/me/email', tags: ['Account'] })
    .use(forCaller)
    .get('', ({ caller }) => change.read(caller), {
      person: true,
      response: { 200: EmailState, ...failures(...OWN_ACCOUNT, ...READING) },
      detail: {
        operationId: 'getEmail',
        summary: 'Read your e-mail address, and a change of it that waits',
        description:
          'Shows the address of your account, and the change that waits for its two confirmations, if there is one.',
      },
    })
    .post('', async ({ caller, body, status }) => status(202, await change.request(caller, body)), {
      person: true,
      parse: jsonBody(),
      body: EmailChange,
      response: {
        202: EmailChangeTaken,
        ...failures(...OWN_ACCOUNT, ...WRITING, ...JSON_BODY, ...REAUTHENTICATING),
      },
      detail: {
        operationId: 'requestEmailChange',
        summary: 'Ask for another e-mail address; both addresses get a link',
        description:
          'The address changes when both links have been used within 24 hours. The answer is the same for addresses that have an account. A new request replaces the one before.',
      },
    })
    .delete('', ({ caller }) => change.cancel(caller), {
      person: true,
      parse: noBody,
      response: { 200: EmailChangeCancelled, ...failures(...OWN_ACCOUNT, ...WRITING) },
      detail: {
        operationId: 'cancelEmailChange',
        summary: 'Cancel the change of your e-mail address',
        description:
          'The links that were mailed for it stop working. Without a waiting change nothing happens.',
      },
    })
}

/** The links of the mails. No answer may be cached. */
export function emailLinkRoutes(
  { forAnyone, budgets }: Pick<Guards, 'forAnyone' | 'budgets'>,
  links: EmailLinks,
) {
  return new Elysia({ name: 'email-change.links', prefix: '/verify/email', tags: ['Account'] })
    .use(forAnyone)
    .onBeforeHandle(({ set }) => {
      set.headers['cache-control'] = 'no-store'
      set.headers['referrer-policy'] = 'no-referrer'
    })
    .post('', ({ body, clientInfo }) => links.confirm(body, clientInfo), {
      parse: spendingFirst(budgets.signIn, jsonBody(LIMITS.openBodyBytesMax)),
      body: EmailConfirmation,
      response: {
        200: EmailStep,
        ...failures(...WRITING, ...JSON_BODY, TOO_MANY_FROM_ADDRESS, TAKEN, [
          'unauthorized',
          'The link does not work, or the password is wrong.',
        ]),
      },
      detail: {
        operationId: 'confirmNewEmail',
        summary: 'Confirm a new e-mail address by its link and the password of the account',
        description: 'The fifth wrong password invalidates the link.',
      },
    })
    .post('/approve', ({ body, clientInfo }) => links.approve(body.token, clientInfo), {
      parse: spendingFirst(budgets.signIn, jsonBody(LIMITS.openBodyBytesMax)),
      body: EmailApproval,
      response: {
        200: EmailStep,
        ...failures(...WRITING, ...JSON_BODY, TOO_MANY_FROM_ADDRESS, TAKEN, [
          'unauthorized',
          'The link is invalid or has expired.',
        ]),
      },
      detail: {
        operationId: 'approveNewEmail',
        summary: 'Approve a new e-mail address by the link to the present one',
        description:
          'What the page behind that link sends. The address changes when the new one has been confirmed, too.',
      },
    })
}
