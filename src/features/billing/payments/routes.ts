import { Elysia, t } from 'elysia'
import { ApiError, signInFirst } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { PLANS_PAGE } from '../../../core/plans.ts'
import { jsonBody, signedJsonBody } from '../../../http/body.ts'
import { FOR_STORE, failures, JSON_BODY, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { IDEMPOTENCY_KEY, REPEATABLE } from '../../../http/idempotency.ts'
import { named } from '../../../http/openapi/named.ts'
import type { EventService } from './events.ts'
import {
  Checkout,
  CheckoutParams,
  CheckoutRequest,
  EventTaken,
  Invoice,
  Portal,
  SignedEvent,
  StartedCheckout,
} from './schema.ts'
import type { PaymentService } from './service.ts'

const NO_CHECKOUT = ['not_found', 'The store has no checkout with this id.'] as const

/** Routes where a store changes its plan and sees its invoices (contract 6.7). They spend no budget of the plan. */
export function paymentRoutes(
  { forStoreSecurity, idempotency }: Pick<Guards, 'forStoreSecurity' | 'idempotency'>,
  { payments, baseUrl }: { payments: PaymentService; baseUrl(): string },
) {
  return new Elysia({ name: 'payments.routes', prefix: '/v1/billing', tags: ['Billing'] })
    .use(forStoreSecurity)
    .get('/invoices', ({ actor }) => payments.listInvoices(actor.storeId), {
      can: 'billing:read',
      response: { 200: t.Array(Invoice), ...failures(...FOR_STORE, ...READING) },
      detail: {
        operationId: 'listInvoices',
        summary: 'List the invoices of the store, newest first',
        description:
          'The invoices of the store, the newest first, each with a fresh link to a page that prints well.',
      },
    })
    .post(
      '/checkout',
      (context) =>
        idempotency.answer(context, async () => ({
          status: 200,
          body: await payments.start(context.actor, context.body.plan_name),
        })),
      {
        can: 'billing:manage',
        parse: jsonBody(),
        body: CheckoutRequest,
        response: {
          200: StartedCheckout,
          ...failures(
            ...FOR_STORE,
            ...WRITING,
            ...JSON_BODY,
            ...REPEATABLE,
            'already_on_plan',
            'billing_unavailable',
            ['conflict', 'The operator has set the plan of this store, and nothing is paid that could end.'],
          ),
        },
        detail: {
          operationId: 'startCheckout',
          summary: 'Ask for another plan; the answer leads to the page where that is paid for or confirmed',
          description:
            'The plan changes once it is paid for or, with the provider `manual`, once the operator has confirmed it. A plan that holds fewer products than the store has is allowed: nothing is deleted, and `warnings` says what it means.',
          parameters: [IDEMPOTENCY_KEY],
        },
      },
    )
    .get('/checkout/:session_id', ({ actor, params }) => payments.show(actor.storeId, params.session_id), {
      can: 'billing:manage',
      params: CheckoutParams,
      response: { 200: Checkout, ...failures(...FOR_STORE, ...READING, 'validation_error', NO_CHECKOUT) },
      detail: {
        operationId: 'getCheckout',
        summary: 'Find out what became of a checkout',
        description: 'Says whether a checkout still waits, is completed, was replaced or has expired.',
      },
    })
    .post('/portal', ({ actor }) => payments.openPortal(actor, baseUrl() + PLANS_PAGE), {
      can: 'billing:manage',
      response: {
        200: Portal,
        ...failures(...FOR_STORE, ...WRITING, 'billing_unavailable', [
          'conflict',
          'The operator takes the payments, or the store has paid nothing yet.',
        ]),
      },
      detail: {
        operationId: 'openBillingPortal',
        summary:
          'Get a link to the page of the payment provider for invoices, means of payment and cancelling',
        description:
          'Opens the page of the payment provider for the subscription of the store. Without Stripe there is none.',
      },
    })
}

const SIGNATURE = {
  name: 'Stripe-Signature',
  in: 'header',
  required: true,
  description: 'Time and signature of the event, as Stripe makes them.',
  schema: { type: 'string' },
} as const

const StripeEvent = named(
  'StripeEvent',
  t.Object(
    { id: t.Optional(t.String()), type: t.Optional(t.String()), data: t.Optional(t.Object({})) },
    { description: 'An event, as Stripe sends it.' },
  ),
  { id: 'evt_1', type: 'invoice.paid', data: {} },
)

/** Nobody else's body is counted with these. */
const OWNER = 'payment events'

interface WithRequest {
  request: Request
}

/**
 * Bounds the bodies of senders whose signature is not checked yet, so that they take no room from stores. An ordinary event is
 * small, and always read.
 */
function createBodyBudget() {
  let taken = 0
  return (announced: number): (() => void) => {
    const bytes = Math.min(announced, LIMITS.paymentEventBytesMax)
    if (bytes <= LIMITS.bodyBytesUncounted) return () => {}
    if (taken + bytes > LIMITS.paymentEventBytesInFlightMax)
      throw new ApiError('overloaded', 'Too many large events are being read', { retryAfterSeconds: 30 })
    taken += bytes
    return () => {
      taken -= bytes
    }
  }
}

/** The route for the provider's events (contract 6.8). A valid signature is the credential. */
export function eventRoutes({ receive, isPlausible }: Pick<EventService, 'receive' | 'isPlausible'>) {
  const readSignature = ({ headers }: Request): string => headers.get('stripe-signature') ?? ''
  /** Before the body is read. @throws ApiError `unauthorized`. */
  const check = ({ request }: WithRequest): void => {
    if (!isPlausible(readSignature(request))) throw signInFirst()
  }
  const body = signedJsonBody(LIMITS.paymentEventBytesMax, StripeEvent)
  const reserve = createBodyBudget()
  const parse: typeof body = Object.assign(async ({ request, intake }: Parameters<typeof body>[0]) => {
    check({ request })
    const giveBack = reserve(Number(request.headers.get('content-length')) || LIMITS.paymentEventBytesMax)
    intake?.nameOwner(request, OWNER)
    return body({ request, intake }).finally(giveBack)
  }, body)
  return new Elysia({ name: 'paymentEvents.routes', tags: ['Billing'] })
    .onTransform(({ request }) => check({ request }))
    .post(
      '/v1/billing/stripe/webhook',
      ({ body: { raw }, request }) => receive(raw, readSignature(request)),
      {
        parse,
        body: SignedEvent,
        response: {
          200: EventTaken,
          ...failures(...WRITING, ...JSON_BODY, 'billing_unavailable', [
            'unauthorized',
            'The signature is missing, wrong, or older than five minutes; or the service does not use Stripe.',
          ]),
        },
        detail: {
          operationId: 'receiveStripeEvent',
          summary: 'Take an event of Stripe',
          description:
            'For Stripe alone. An event that was taken before answers 200 and changes nothing; after any other status Stripe sends it again.',
          parameters: [SIGNATURE],
          security: [],
        },
      },
    )
}
