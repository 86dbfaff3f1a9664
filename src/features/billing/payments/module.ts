import { Elysia } from 'elysia'
import { DAY_MS, HOUR_MS } from '../../../core/clock.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { Guards } from '../../../http/guards.ts'
import type { PaymentGateway } from '../../../platform/payments/gateway.ts'
import type { SecretBox } from '../../../platform/secret-box.ts'
import type { OutboxService } from '../../mail/outbox/service.ts'
import type { Base, Module } from '../../module.ts'
import type { MailOwners } from '../../stores/people/owner-mails.ts'
import type { PeopleQueries } from '../../stores/people/queries.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { StoreService } from '../../stores/stores/service.ts'
import { confirmService } from './confirm.ts'
import { eventService } from './events.ts'
import { createLinks } from './links.ts'
import { createProviderCheckout } from './provider-checkout.ts'
import { paymentQueries } from './queries.ts'
import { eventRoutes, paymentRoutes } from './routes.ts'
import { paymentService } from './service.ts'
import { subscriptionQueries } from './subscription-queries.ts'

export interface PaymentNeeds {
  storeRows: StoreQueries
  stores: Pick<StoreService, 'setPlan'>
  people: PeopleQueries
  mailOwners: MailOwners
  outbox: Pick<OutboxService, 'sendAfterCommit'>
  secretBox: SecretBox
  /** Takes the money; without one the operator does. */
  gateway: PaymentGateway | undefined
}

/** How long requests that came to nothing can be read. */
const CHECKOUTS_KEPT_MS = 90 * DAY_MS

/**
 * Wires changes of plans. Without a gateway, the operator confirms each: the commands and the pages of `billing/pages` use
 * the same `desk`. With Stripe, an event is only a hint: its subject is read from Stripe again, under a lock, so the order of
 * events does not matter.
 *
 * A link to a page carries an HMAC of the id that it names, and needs no row in the database.
 */
export function buildPayments(base: Base, needs: PaymentNeeds) {
  const { db, clock, baseUrl } = base
  const queries = paymentQueries(db)
  const asked = base.throttle('billing.asked', LIMITS.ownerNoticesPerHour, HOUR_MS)
  const common = {
    ...base,
    ...needs,
    queries,
    asked,
    subscriptions: subscriptionQueries(db),
    links: createLinks(needs.secretBox, { baseUrl, now: clock.now }),
  }
  const payments = paymentService({ ...common, startAtProvider: createProviderCheckout(common) })
  const events = eventService(common)

  async function tidy(): Promise<void> {
    queries.prune(clock.now() - CHECKOUTS_KEPT_MS)
    await events.tidy()
  }

  return {
    service: {
      findRenewal: payments.findRenewal,
      links: common.links,
      desk: confirmService(common),
      /** Ends what a store pays, as before the store is deleted. @throws ApiError `billing_unavailable`. */
      endSubscriptions: events.endAll,
    },
    routes: (guards: Guards) =>
      new Elysia({ name: 'payments' })
        .use(paymentRoutes(guards, { payments, baseUrl }))
        .use(eventRoutes(events)),
    chores: [{ name: 'cleaning up payments', everyMs: HOUR_MS, run: tidy }],
  } satisfies Module<object>
}

export type PaymentsModule = ReturnType<typeof buildPayments>
