import type { Actor } from '../../../core/actor.ts'
import { describeAct } from '../../../core/audit.ts'
import { DAY_MS, isoTime } from '../../../core/clock.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import { toAmount, toMinor } from '../../../core/money.ts'
import type { PlanName, Plans } from '../../../core/plans.ts'
import { groupThousands } from '../../../core/text.ts'
import type { Throttle } from '../../../core/throttle.ts'
import type { PaymentGateway } from '../../../platform/payments/gateway.ts'
import type { OutboxService } from '../../mail/outbox/service.ts'
import type { Base } from '../../module.ts'
import type { PeopleQueries } from '../../stores/people/queries.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { Renewal } from '../usage/service.ts'
import type { Links } from './links.ts'
import { askedMail } from './mails.ts'
import type { StartAtProvider } from './provider-checkout.ts'
import type { CheckoutRow, InvoiceRow, PaymentQueries } from './queries.ts'
import type { Checkout, CheckoutState, Invoice, Portal, StartedCheckout } from './schema.ts'
import type { SubscriptionQueries, SubscriptionRow } from './subscription-queries.ts'

export interface PaymentDeps extends Pick<Base, 'clock' | 'ids' | 'atomically' | 'record' | 'plans'> {
  queries: PaymentQueries
  subscriptions: Pick<SubscriptionQueries, 'listLive' | 'findCustomer'>
  storeRows: Pick<StoreQueries, 'countProducts'>
  people: Pick<PeopleQueries, 'listSuperAdmins'>
  /** Takes the money; without one the operator does. */
  gateway: PaymentGateway | undefined
  startAtProvider: StartAtProvider
  links: Pick<Links, 'checkout' | 'invoice'>
  outbox: Pick<OutboxService, 'sendAfterCommit'>
  /** Requests of one store that the operator is told about. */
  asked: Throttle
}

/** How long the operator has to confirm a request. */
const CONFIRM_MS = 7 * DAY_MS
/** Requests that came to nothing which a store keeps. */
const CHECKOUTS_KEPT = 20
/** Invoices of one answer: 41 years of months. */
const INVOICES_MAX = 500
const SUPER_ADMINS_TOLD = 20

export type PaymentService = ReturnType<typeof paymentService>

/** Changes of plans, and what is paid for them (contract 6.7). */
export function paymentService(deps: PaymentDeps) {
  const { queries, subscriptions, storeRows, people, gateway, links, plans, clock, ids, atomically, record } =
    deps
  const provider = gateway ? 'stripe' : 'manual'

  function describe(row: Pick<CheckoutRow, 'plan' | 'amountCents' | 'currency'>) {
    return {
      plan_name: row.plan,
      amount: toAmount(row.amountCents, row.currency),
      currency: row.currency,
    }
  }

  /** Saves a request in place of those before it, and mails the operator if the operator takes the money. */
  function saveCheckout(actor: Actor, row: Omit<CheckoutRow, 'status' | 'completedAt'>): void {
    const { id, storeId, plan } = row
    atomically(() => {
      // The provider has taken its time.
      actor.demandStill()
      queries.replaceOpen(storeId)
      queries.addCheckout(row)
      queries.trimCheckouts(storeId, CHECKOUTS_KEPT)
      record(describeAct(actor, 'billing.checkout_started', { checkout_id: id, plan, provider }))
      if (provider === 'manual') tellOperator(actor, row)
    })
  }

  function tellOperator(
    { store }: Actor,
    { id, plan, amountCents, currency }: Pick<CheckoutRow, 'id' | 'plan' | 'amountCents' | 'currency'>,
  ) {
    if (!deps.asked.take(store.id, clock.now()).isAllowed) return
    const facts = {
      id,
      slug: store.slug,
      before: store.plan,
      plan,
      amountCents,
      currency,
      link: links.checkout(id),
    }
    deps.outbox.sendAfterCommit(
      people.listSuperAdmins(SUPER_ADMINS_TOLD).map(({ email }) => askedMail(email, facts)),
    )
  }

  return {
    provider: provider as CheckoutRow['provider'],

    /**
     * POST /v1/billing/checkout.
     *
     * @throws ApiError `already_on_plan`, `conflict`, `billing_unavailable`.
     */
    async start(actor: Actor, plan: PlanName): Promise<StartedCheckout> {
      const { storeId, store } = actor
      if (plan === store.plan)
        throw new ApiError('already_on_plan', `The store is on the plan ${plan} already`)
      const id = ids.uuid()
      const createdAt = clock.now()
      const { currency } = plans
      const amountCents = toMinor(plans[plan].pricePerMonth, currency)
      const page = gateway
        ? await deps.startAtProvider(gateway, actor, { id, plan, amountCents })
        : { url: links.checkout(id), expiresAt: createdAt + CONFIRM_MS }
      const row = {
        id,
        storeId,
        plan,
        provider,
        amountCents,
        currency,
        askedBy: actor.userId,
        createdAt,
      } as const
      saveCheckout(actor, { ...row, expiresAt: page.expiresAt })
      return {
        checkout_url: page.url,
        session_id: id,
        expires_at: isoTime(page.expiresAt),
        ...describe(row),
        provider,
        warnings: warnOfPlan(plans, plan, storeRows.countProducts(storeId)),
      }
    },

    /** GET /v1/billing/checkout/{session_id}. @throws ApiError `not_found`, also for one of another store. */
    show(storeId: string, id: string): Checkout {
      const row = queries.findCheckout(id)
      if (row?.storeId !== storeId) throw notFound('checkout')
      return {
        session_id: row.id,
        status: readState(row, clock.now()),
        ...describe(row),
        provider: row.provider,
        created_at: isoTime(row.createdAt),
        expires_at: isoTime(row.expiresAt),
        completed_at: row.completedAt === null ? null : isoTime(row.completedAt),
      }
    },

    /** POST /v1/billing/portal. @throws ApiError `conflict` where nothing is paid by a provider, `billing_unavailable`. */
    async openPortal(actor: Actor, returnUrl: string): Promise<Portal> {
      const customer = gateway && subscriptions.findCustomer(actor.storeId)
      if (!gateway || customer === undefined) {
        throw new ApiError(
          'conflict',
          gateway
            ? 'The store has paid nothing yet: start with POST /v1/billing/checkout'
            : 'The operator of this service takes the payments: ask the operator',
        )
      }
      const portal_url = await gateway.openPortal({ customer, returnUrl })
      atomically(() => {
        actor.demandStill()
        record(describeAct(actor, 'billing.portal_opened'))
      })
      return { portal_url }
    },

    /** GET /v1/billing/invoices, newest first. */
    listInvoices: (storeId: string): Invoice[] =>
      queries.listInvoices(storeId, INVOICES_MAX).map((row) => viewInvoice(row, links)),

    /** When the plan of a store is paid again. */
    findRenewal(storeId: string): Renewal {
      const [live] = subscriptions.listLive(storeId)
      return { provider, renewsAt: renewalOf(live), endsAt: live?.willEnd ? live.periodEnd : null }
    },
  }
}

const renewalOf = (live: SubscriptionRow | undefined): number | null =>
  live && !live.willEnd ? live.periodEnd : null

/** The state of a request at a moment, Unix ms. */
export const readState = (
  { status, expiresAt }: Pick<CheckoutRow, 'status' | 'expiresAt'>,
  now: number,
): CheckoutState => (status === 'open' && expiresAt <= now ? 'expired' : status)

/** Says what a plan would mean for a store that has more than it holds. */
export function warnOfPlan(plans: Plans, plan: PlanName, products: number): string[] {
  const { productsMax } = plans[plan]
  if (products <= productsMax) return []
  const [has, holds] = [groupThousands(products), groupThousands(productsMax)]
  return [
    `The store has ${has} products and the plan ${plan} holds ${holds}. Nothing is deleted, and all of them can be found, changed and deleted; new products are refused until the store has fewer than ${holds}.`,
  ]
}

const viewInvoice = (row: InvoiceRow, links: Pick<Links, 'invoice'>): Invoice => ({
  id: row.id,
  number: row.number,
  date: isoTime(row.issuedAt),
  amount: toAmount(row.amountCents, row.currency),
  currency: row.currency,
  status: row.status,
  plan_name: row.plan,
  pdf_url: row.provider === 'manual' ? links.invoice(row.id) : row.address,
})
