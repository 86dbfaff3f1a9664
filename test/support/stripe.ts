import Stripe from 'stripe'
import { createEgress } from '../../src/platform/outbound/egress.ts'
import { createStripeGateway } from '../../src/platform/payments/stripe.ts'

const WEBHOOK_SECRET = 'whsec_only_used_in_tests'
export const SECRET_KEY = 'sk_test_only_used_in_tests'

/** One request that the server got. */
interface Asked {
  method: string
  path: string
  /** Fields of the form, as in `line_items[0][quantity]`. */
  fields: Record<string, string>
  headers: Headers
}

type Subscription = Pick<
  Stripe.Subscription,
  'id' | 'status' | 'metadata' | 'created' | 'customer' | 'cancel_at_period_end' | 'cancel_at'
> & { object: 'subscription'; items: { data: Pick<Stripe.SubscriptionItem, 'current_period_end'>[] } }

type Invoice = Pick<
  Stripe.Invoice,
  | 'id'
  | 'number'
  | 'status'
  | 'total'
  | 'currency'
  | 'created'
  | 'period_start'
  | 'period_end'
  | 'status_transitions'
  | 'invoice_pdf'
> & { object: 'invoice'; parent: { subscription_details: { subscription: string } } | null }

type Session = Pick<
  Stripe.Checkout.Session,
  'id' | 'url' | 'expires_at' | 'client_reference_id' | 'metadata'
> & {
  object: 'checkout.session'
}

/** Creates a server that answers as Stripe does, as far as the types of its library say. */
export function stripeServer() {
  const asked: Asked[] = []
  const subscriptions = new Map<string, Subscription>()
  const invoices = new Map<string, Invoice>()
  const faults = { status: 0 }
  let held: { reached: PromiseWithResolvers<void>; released: PromiseWithResolvers<void> } | undefined

  const missing = () =>
    Response.json(
      { error: { type: 'invalid_request_error', code: 'resource_missing', message: 'No such thing' } },
      { status: 404 },
    )

  function answer({ method, path, fields }: Asked): Response {
    if (faults.status > 0) {
      return Response.json({ error: { type: 'api_error', message: 'broken' } }, { status: faults.status })
    }
    if (method === 'POST' && path === '/v1/checkout/sessions') {
      const id = `cs_test_${asked.length}`
      const session: Session = {
        ...{
          id,
          object: 'checkout.session',
          url: `https://checkout.stripe.test/${id}`,
          expires_at: 1_893_542_400,
        },
        client_reference_id: fields['client_reference_id'] ?? null,
        metadata: {},
      }
      return Response.json(session)
    }
    if (method === 'POST' && path === '/v1/billing_portal/sessions') {
      return Response.json({ object: 'billing_portal.session', url: 'https://portal.stripe.test/one' })
    }
    const [, kind, id = ''] = /^\/v1\/(subscriptions|invoices)\/(\w+)$/.exec(path) ?? []
    const subscription = kind === 'subscriptions' ? subscriptions.get(id) : undefined
    if (method === 'DELETE' && subscription) {
      if (subscription.status === 'canceled') return missing()
      subscription.status = 'canceled'
    }
    const found = subscription ?? (kind === 'invoices' ? invoices.get(id) : undefined)
    return found ? Response.json(found) : missing()
  }

  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url)
      const fields = Object.fromEntries([...searchParams, ...new URLSearchParams(await request.text())])
      const one = { method: request.method, path: pathname, fields, headers: request.headers }
      asked.push(one)
      const response = answer(one)
      held?.reached.resolve()
      await held?.released.promise
      return response
    },
  })

  return {
    asked,
    subscriptions,
    invoices,
    faults,
    url: `http://127.0.0.1:${server.port}`,

    gateway: (options: { isOffline?: boolean; apiBase?: string } = {}) =>
      createStripeGateway({
        secretKey: SECRET_KEY,
        webhookSecret: WEBHOOK_SECRET,
        apiBase: options.apiBase ?? `http://127.0.0.1:${server.port}`,
        egress: createEgress({ allowCidrs: [], isOffline: options.isOffline ?? false }),
        log: { warn() {} },
      }),

    /** Holds the answers that are made from now on. @returns when the first one is made, and lets them all go. */
    hold() {
      const { reached, released } = {
        reached: Promise.withResolvers<void>(),
        released: Promise.withResolvers<void>(),
      }
      held = { reached, released }
      return { reached: reached.promise, release: released.resolve }
    },

    /** Makes or changes a subscription. @param created Unix seconds. */
    subscribe(id: string, storeId: string, plan: string, more: Partial<Subscription> = {}): void {
      subscriptions.set(id, {
        ...{ id, object: 'subscription', status: 'active', created: 1_893_456_000, customer: 'cus_1' },
        ...{ cancel_at_period_end: false, cancel_at: null },
        metadata: { store_id: storeId, plan_name: plan },
        items: { data: [{ current_period_end: 1_896_134_400 }] },
        ...subscriptions.get(id),
        ...more,
      })
    },

    /** Makes or changes an invoice. */
    bill(id: string, subscription: string | null, more: Partial<Invoice> = {}): void {
      invoices.set(id, {
        ...{ id, object: 'invoice', number: 'LKL-0001', status: 'paid', total: 2999, currency: 'usd' },
        ...{ created: 1_893_456_000, period_start: 1_893_456_000, period_end: 1_896_134_400 },
        status_transitions: {
          ...{ finalized_at: 1_893_456_010, paid_at: 1_893_456_020 },
          ...{ marked_uncollectible_at: null, voided_at: null },
        },
        invoice_pdf: `https://pay.stripe.test/${id}/pdf`,
        parent: subscription === null ? null : { subscription_details: { subscription } },
        ...invoices.get(id),
        ...more,
      })
    },

    stop: () => server.stop(true),
  }
}

export type StripeServer = ReturnType<typeof stripeServer>

/** Signs a message as Stripe does. @param at Unix ms. */
export const signEvent = (payload: string, at: number, secret = WEBHOOK_SECRET): Promise<string> =>
  new Stripe(SECRET_KEY, { telemetry: false }).webhooks.generateTestHeaderStringAsync({
    payload,
    secret,
    timestamp: Math.floor(at / 1000),
  })
