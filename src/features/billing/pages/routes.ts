import { Elysia } from 'elysia'
import type { Clock } from '../../../core/clock.ts'
import { ApiError } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { PLANS_PAGE, type Plans } from '../../../core/plans.ts'
import { jsonBody } from '../../../http/body.ts'
import { spendingFirst } from '../../../http/budgets/address-budget.ts'
import { failures, JSON_BODY, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { answerPage, SCRIPTED } from '../../../http/page.ts'
import type { ListedCheckout } from '../payments/queries.ts'
import type { CheckoutState } from '../payments/schema.ts'
import { checkoutPage, invoicePage, noSuchLinkPage, oldInvoiceLinkPage, plansPage } from './pages.ts'
import { CheckoutConfirmation, CheckoutConfirmed, LinkParams } from './schema.ts'
import type { BillingPagesService } from './service.ts'

export interface PageFacts {
  clock: Clock
  plans: Plans
  baseUrl(): string
  readState(checkout: ListedCheckout, now: number): CheckoutState
  /** Says what the plan that is asked for would mean. */
  listWarnings(checkout: ListedCheckout): string[]
}

const HIDDEN = { detail: { hide: true } }

/** Pages for browsers: the plans, a checkout with its confirmation, an invoice. No answer may be cached. */
export function billingPageRoutes(
  { forAnyone, budgets }: Pick<Guards, 'forAnyone' | 'budgets'>,
  service: BillingPagesService,
  { clock, plans, baseUrl, readState, listWarnings }: PageFacts,
) {
  return new Elysia({ name: 'billingPages.routes', tags: ['Billing'] })
    .use(forAnyone)
    .onBeforeHandle(({ set }) => {
      set.headers['cache-control'] = 'no-store'
      set.headers['referrer-policy'] = 'no-referrer'
    })
    .get(PLANS_PAGE, () => answerPage(plansPage(plans)), HIDDEN)
    .get(
      '/billing/checkout/:token',
      ({ params }) =>
        answerLink(() => {
          const checkout = service.findCheckout(params.token)
          const state = readState(checkout, clock.now())
          return answerPage(checkoutPage(checkout, state, listWarnings(checkout)), SCRIPTED)
        }),
      HIDDEN,
    )
    .get(
      '/billing/invoices/:token',
      ({ params }) =>
        answerLink(() => {
          const invoice = service.findInvoice(params.token)
          return invoice
            ? answerPage(invoicePage(invoice, baseUrl()))
            : answerPage(oldInvoiceLinkPage(), {}, 404)
        }),
      HIDDEN,
    )
    .post(
      '/billing/checkout/:token',
      ({ params, body, clientInfo }) => service.confirm(params.token, body, clientInfo),
      {
        parse: spendingFirst(budgets.signIn, jsonBody(LIMITS.openBodyBytesMax)),
        params: LinkParams,
        body: CheckoutConfirmation,
        response: {
          200: CheckoutConfirmed,
          ...failures(
            ...WRITING,
            ...JSON_BODY,
            'credential_ambiguous',
            'unauthorized',
            'account_not_verified',
            'requires_2fa',
            'invalid_2fa',
            'too_many_requests',
            ['rate_limit_exceeded', 'Too many requests came from this network address.'],
            ['permission_denied', 'The person is no super-admin of this service.'],
            ['not_found', 'The link is wrong.'],
            ['conflict', 'The request has expired, was replaced, or is settled by Stripe.'],
          ),
        },
        detail: {
          operationId: 'confirmCheckout',
          summary: 'Confirm that a store gets the plan it asked for, as a super-admin',
          description:
            'The path is that of `checkout_url`. The credentials are those of a sign-in, with the same limits and locks; no sign-in stays open afterwards. The plan, the invoice and the audit log are written together.',
        },
      },
    )
}

/** Answers a wrong link with a page. */
function answerLink(answer: () => Response): Response {
  try {
    return answer()
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'not_found') throw error
    return answerPage(noSuchLinkPage(), {}, 404)
  }
}
