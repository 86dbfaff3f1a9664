import type Stripe from 'stripe'
import { ApiError } from '../../core/errors.ts'
import type { Egress } from '../outbound/egress.ts'
import { OutboundError } from '../outbound/failure.ts'
import type { GatewayEvent, GatewayInvoice, GatewaySubscription, PaymentGateway } from './gateway.ts'
import { createStripeFetch } from './stripe-fetch.ts'

export interface StripeOptions {
  secretKey: string
  /** Signs the events. */
  webhookSecret: string
  /** Base of the API's address; empty for Stripe itself. */
  apiBase: string
  egress: Pick<Egress, 'connect'>
  /** Cuts what is under way. */
  stop?: AbortSignal | undefined
  log: { warn(fields: Record<string, unknown>, message: string): void }
}

/** Age of a signature, in seconds, from which on an event counts as replayed. It is Stripe's own recommendation. */
const TOLERANCE_S = 300

/** How long to wait before asking again what Stripe did not answer. */
const RETRY_AFTER_S = 30

/** Stripe's ids are shorter. */
const ID_CHARS_MAX = 255

/** While these last, Stripe counts on the money: `past_due` until its tries to collect it are over. */
const LIVE: readonly string[] = ['active', 'trialing', 'past_due']

/**
 * Opens the way to Stripe by its official library, which sends everything through our egress to other servers. Sends
 * nothing by itself, and no telemetry.
 */
export async function createStripeGateway(options: StripeOptions): Promise<PaymentGateway> {
  // Loaded only where it is used: it is large.
  const { default: Library } = await import('stripe')
  const base = options.apiBase === '' ? undefined : new URL(options.apiBase)
  const stripe = new Library(options.secretKey, {
    telemetry: false,
    maxNetworkRetries: 1,
    httpClient: Library.createFetchHttpClient(createStripeFetch(options.egress, options.stop)),
    ...(base && {
      host: base.hostname,
      port: base.port || (base.protocol === 'http:' ? 80 : 443),
      protocol: base.protocol === 'http:' ? 'http' : 'https',
    }),
  })

  return {
    startCheckout: (wish) =>
      ask(async () => {
        const { id: checkout_id, storeId: store_id, plan } = wish
        const metadata = { store_id, checkout_id, plan_name: plan }
        const session = await stripe.checkout.sessions.create(
          {
            mode: 'subscription',
            line_items: [
              {
                quantity: 1,
                price_data: {
                  currency: wish.currency.toLowerCase(),
                  unit_amount: wish.amountCents,
                  recurring: { interval: 'month' },
                  product_data: { name: wish.title },
                },
              },
            ],
            client_reference_id: checkout_id,
            success_url: wish.returnUrl,
            cancel_url: wish.returnUrl,
            metadata,
            subscription_data: { metadata },
            ...(wish.customer === undefined
              ? wish.email !== undefined && { customer_email: wish.email }
              : { customer: wish.customer }),
          },
          { idempotencyKey: `lookalike-${checkout_id}` },
        )
        if (!session.url) throw unavailable('Stripe made no page for the payment')
        return { url: session.url, expiresAt: toMs(session.expires_at) }
      }),

    openPortal: ({ customer, returnUrl, subscriptionToEnd }) =>
      ask(async () => {
        const { url } = await stripe.billingPortal.sessions.create({
          customer,
          return_url: returnUrl,
          ...(subscriptionToEnd !== undefined && {
            flow_data: {
              type: 'subscription_cancel' as const,
              subscription_cancel: { subscription: subscriptionToEnd },
            },
          }),
        })
        return url
      }),

    readSubscription: (id) =>
      ask(() => orNothing(async () => toSubscription(await stripe.subscriptions.retrieve(id)))),
    readInvoice: (id) => ask(() => orNothing(async () => toInvoice(await stripe.invoices.retrieve(id)))),

    endSubscription: (id) =>
      ask(async () => {
        await orNothing(() => stripe.subscriptions.cancel(id, { invoice_now: true, prorate: true }))
      }),

    async readEvent(body, signature, now) {
      const { webhookSecret } = options
      let event: unknown
      try {
        event = await stripe.webhooks.constructEventAsync(
          ...([body, signature, webhookSecret, TOLERANCE_S, undefined, now] as const),
        )
      } catch (error) {
        if (error instanceof Library.errors.StripeSignatureVerificationError) return undefined
        // The signature comes first, so only the provider can get here.
        if (error instanceof SyntaxError) throw new ApiError('invalid_json', 'The body is not valid JSON')
        throw notAnEvent(error)
      }
      return toEvent(event)
    },
  }

  /** @throws ApiError `billing_unavailable` in place of what the way to Stripe or Stripe itself throws. */
  async function ask<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (cause) {
      if (cause instanceof ApiError) throw cause
      if (!(cause instanceof Library.errors.StripeError) && !(cause instanceof OutboundError)) throw cause
      options.log.warn(describeFailure(cause), 'Stripe was not reached, or refused a request')
      throw unavailable('Stripe cannot be reached, or refused the request', cause)
    }
  }

  /** @returns undefined for something that Stripe does not know. */
  async function orNothing<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof Library.errors.StripeInvalidRequestError && error.statusCode === 404)
        return undefined
      throw error
    }
  }
}

/** @param cause goes to the log only. */
const unavailable = (message: string, cause?: unknown): ApiError =>
  new ApiError('billing_unavailable', message, { cause, retryAfterSeconds: RETRY_AFTER_S })

/** Without the request and its headers. */
function describeFailure(cause: Error): Record<string, unknown> {
  const { type, code, statusCode, requestId, detail } = cause as Partial<Stripe.errors.StripeError>
  const reason = detail instanceof Error ? detail.message : undefined
  return { failure: cause.message, reason, type, code, status: statusCode, stripe_request_id: requestId }
}

const toMs = (seconds: number): number => seconds * 1000

/** The id of what Stripe sends as an id or as the whole object. */
const idOf = (reference: string | { id: string } | null | undefined): string | undefined =>
  typeof reference === 'string' ? reference : reference?.id

function toSubscription(found: Stripe.Subscription): GatewaySubscription {
  const { id, status, metadata, created, customer, items } = found
  const ends = items.data.map((item) => item.current_period_end)
  return {
    id,
    customer: idOf(customer) ?? '',
    status,
    isLive: LIVE.includes(status),
    willEnd: found.cancel_at_period_end || found.cancel_at !== null,
    createdAt: toMs(created),
    periodEnd: toMs(found.cancel_at ?? (ends.length > 0 ? Math.max(...ends) : created)),
    storeId: metadata['store_id'],
    plan: metadata['plan_name'],
  }
}

function toInvoice(found: Stripe.Invoice): GatewayInvoice {
  const { status_transitions: moments, status, created } = found
  const settled = status === 'paid' ? moments.paid_at : status === 'void' ? moments.voided_at : null
  return {
    id: found.id,
    subscription: idOf(found.parent?.subscription_details?.subscription),
    status: toInvoiceStatus(status),
    number: found.number,
    amountCents: found.total,
    currency: found.currency.toUpperCase(),
    url: found.invoice_pdf ?? found.hosted_invoice_url ?? null,
    issuedAt: toMs(moments.finalized_at ?? created),
    settledAt: settled === null ? null : toMs(settled),
    periodStart: toMs(found.period_start),
    periodEnd: toMs(found.period_end),
  }
}

/** A debt that Stripe gave up is still one. */
function toInvoiceStatus(status: string | null): GatewayInvoice['status'] {
  if (status === 'paid' || status === 'open' || status === 'void') return status
  return status === 'uncollectible' ? 'open' : null
}

const notAnEvent = (cause?: unknown) =>
  new ApiError('invalid_request', 'The body is no event of Stripe', { cause })

/** @throws ApiError `invalid_request`. */
function toEvent(event: unknown): GatewayEvent {
  const { id, type, data } = (event ?? {}) as Partial<Stripe.Event>
  if (typeof id !== 'string' || id.length > ID_CHARS_MAX || typeof type !== 'string') throw notAnEvent()
  const object = data?.object as { id?: unknown } | null | undefined
  // Some kinds are about nothing that has an id.
  if (typeof object?.id !== 'string') return { id, subject: { kind: 'other' } }
  if (type.startsWith('customer.subscription.'))
    return { id, subject: { kind: 'subscription', id: object.id } }
  if (type.startsWith('invoice.')) return { id, subject: { kind: 'invoice', id: object.id } }
  if (type === 'checkout.session.completed') {
    const session = object as Stripe.Checkout.Session
    const checkoutId = session.client_reference_id ?? ''
    return { id, subject: { kind: 'checkout', checkoutId, subscription: idOf(session.subscription) } }
  }
  return { id, subject: { kind: 'other' } }
}
