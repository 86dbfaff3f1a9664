import type { Actor } from '../../../core/actor.ts'
import { MINUTE_MS } from '../../../core/clock.ts'
import { ApiError } from '../../../core/errors.ts'
import type { PaymentGateway } from '../../../platform/payments/gateway.ts'
import type { Base } from '../../module.ts'
import type { PeopleQueries } from '../../stores/people/queries.ts'
import type { Links } from './links.ts'
import type { CheckoutRow } from './queries.ts'
import type { SubscriptionQueries } from './subscription-queries.ts'

export interface ProviderCheckoutDeps extends Pick<Base, 'clock' | 'plans'> {
  subscriptions: Pick<SubscriptionQueries, 'listLive' | 'findCustomer'>
  people: Pick<PeopleQueries, 'findPerson'>
  links: Pick<Links, 'checkout'>
}

/** A link to the provider's own page is for now. */
const PORTAL_MS = 5 * MINUTE_MS

export type StartAtProvider = ReturnType<typeof createProviderCheckout>

/** Creates the function that opens the provider's page for a change of plan. */
export function createProviderCheckout({ subscriptions, people, links, plans, clock }: ProviderCheckoutDeps) {
  /** @throws ApiError `conflict`, `billing_unavailable`. */
  return async function startAtProvider(
    gateway: Pick<PaymentGateway, 'startCheckout' | 'openPortal'>,
    { storeId, userId }: Actor,
    { id, plan, amountCents }: Pick<CheckoutRow, 'id' | 'plan' | 'amountCents'>,
  ): Promise<{ url: string; expiresAt: number }> {
    const returnUrl = links.checkout(id)
    const [live] = subscriptions.listLive(storeId)
    if (amountCents > 0) {
      return gateway.startCheckout({
        id,
        storeId,
        plan,
        amountCents,
        returnUrl,
        currency: plans.currency,
        title: `Lookalike, plan ${plans[plan].title ?? plan}`,
        customer: subscriptions.findCustomer(storeId),
        email: people.findPerson(userId ?? '')?.email,
      })
    }
    if (!live)
      throw new ApiError('conflict', 'The operator has set this plan: ask the operator for another one')
    const url = await gateway.openPortal({ customer: live.customer, returnUrl, subscriptionToEnd: live.id })
    return { url, expiresAt: clock.now() + PORTAL_MS }
  }
}
