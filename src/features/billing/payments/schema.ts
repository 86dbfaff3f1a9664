import { t } from 'elysia'
import { named } from '../../../http/openapi/named.ts'
import { Moment, MomentOrNull } from '../../../http/paging.ts'
import { oneOf } from '../../../http/schema.ts'
import { PlanName, Provider } from '../usage/schema.ts'

export const CheckoutRequest = named('CheckoutRequest', t.Object({ plan_name: PlanName }), {
  plan_name: 'basic',
})
export type CheckoutRequest = typeof CheckoutRequest.static

export const StartedCheckout = named(
  'StartedCheckout',
  t.Object({
    checkout_url: t.String({
      format: 'uri',
      description: 'A page for a browser, where the change is paid for or confirmed.',
    }),
    session_id: t.String({
      format: 'uuid',
      description: 'Id of the checkout, for `GET /v1/billing/checkout/{session_id}`.',
    }),
    expires_at: Moment,
    plan_name: PlanName,
    provider: Provider,
    amount: t.Number({ description: 'Price of a month.' }),
    currency: t.String({ examples: ['USD'] }),
    warnings: t.Array(t.String(), {
      description: 'What the change would mean, such as more products than the plan holds.',
    }),
  }),
)
export type StartedCheckout = typeof StartedCheckout.static

export const CHECKOUT_STATES = ['open', 'completed', 'replaced', 'expired'] as const
export type CheckoutState = (typeof CHECKOUT_STATES)[number]

export const CheckoutParams = t.Object({ session_id: t.String() })

export const Checkout = named(
  'Checkout',
  t.Object({
    session_id: t.String({ format: 'uuid' }),
    status: oneOf(
      CHECKOUT_STATES,
      '`open`: waits for the payment or for the operator; `completed`: the store has the plan; `replaced`: the store asked for another plan later; `expired`: nothing happened in time.',
    ),
    plan_name: PlanName,
    provider: Provider,
    amount: t.Number({ description: 'Price of a month.' }),
    currency: t.String(),
    created_at: Moment,
    expires_at: Moment,
    completed_at: MomentOrNull,
  }),
)
export type Checkout = typeof Checkout.static

export const Invoice = named(
  'Invoice',
  t.Object({
    id: t.String({ format: 'uuid' }),
    number: t.Union([t.String(), t.Null()], { description: 'As printed on the invoice.' }),
    date: Moment,
    amount: t.Number(),
    currency: t.String({ examples: ['USD'] }),
    status: oneOf(['paid', 'open', 'void']),
    plan_name: t.Union([PlanName, t.Null()]),
    pdf_url: t.Union([t.String({ format: 'uri' }), t.Null()], {
      description:
        'Where a browser shows the invoice, to print or to save as PDF. The link works for seven days; every answer has a fresh one.',
    }),
  }),
)
export type Invoice = typeof Invoice.static

export const Portal = named(
  'BillingPortal',
  t.Object({
    portal_url: t.String({
      format: 'uri',
      description:
        'A page of the payment provider with invoices, means of payment and the end of the subscription.',
    }),
  }),
)
export type Portal = typeof Portal.static

export const EventTaken = named(
  'StripeEventTaken',
  t.Object({
    received: t.Literal(true),
    duplicate: t.Boolean({ description: 'The event was handled before.' }),
  }),
)
export type EventTaken = typeof EventTaken.static

/** An event of Stripe. Its signature covers the body byte by byte, so the body is read as text. */
export const SignedEvent = t.Object({ raw: t.String() })
export type SignedEvent = typeof SignedEvent.static
