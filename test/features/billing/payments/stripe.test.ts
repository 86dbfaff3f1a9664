import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Answer, type TestApp, testApp } from '../../../support/app.ts'
import { addPerson, getToken, refusal } from '../../../support/people.ts'
import { countRows, deleteStore, readAudit, readColumn, readRows, updateRows } from '../../../support/seed.ts'
import { SECRET_KEY, type StripeServer, signEvent, stripeServer } from '../../../support/stripe.ts'

let stripe: StripeServer
let app: TestApp
let token: string
let storeId: string

beforeEach(async () => {
  stripe = stripeServer()
  app = testApp({ paymentGateway: await stripe.gateway() })
  await app.store('one', 'free')
  const owner = await addPerson(app, 'olga', [{ store: 'one', role: 'owner' }])
  token = await getToken(app, owner)
  storeId = app.stores.requireBySlug('one').id
})
afterEach(async () => {
  await app.close()
  await stripe.stop()
})

const ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  app.call(method, `/v1/billing/${path}`, {
    token,
    ...(body !== undefined && { body }),
    ...(headers && { headers }),
  })
const planOf = () => app.stores.requireBySlug('one').plan
const actions = () =>
  readAudit(app)
    .filter(({ store_id, action }) => store_id !== null && action !== 'store.created')
    .map(({ action }) => action)
    .filter((action) => /^(billing|store)\./.test(action))

let events = 0

/** Sends an event as Stripe does. */
async function tell(type: string, object: Record<string, unknown>, id = `evt_${++events}`): Promise<Answer> {
  return sendRaw(JSON.stringify({ id, object: 'event', type, data: { object } }))
}

async function sendRaw(
  body: string,
  {
    signature,
    at = app.clock.now(),
    type = 'application/json',
  }: { signature?: string; at?: number; type?: string } = {},
): Promise<Answer> {
  const headers = { 'content-type': type, 'stripe-signature': signature ?? (await signEvent(body, at)) }
  return app.call('POST', '/v1/billing/stripe/webhook', { body, headers })
}

const subscribed = (id: string) => tell('customer.subscription.updated', { id, object: 'subscription' })
const TAKEN = { received: true, duplicate: false }

describe('POST /v1/billing/checkout', () => {
  test('makes a Checkout Session of Stripe with the price of the plan', async () => {
    const answer = await ask('POST', 'checkout', { plan_name: 'basic' })
    expect([answer.status, answer.body as object]).toEqual([
      200,
      {
        checkout_url: 'https://checkout.stripe.test/cs_test_1',
        session_id: expect.any(String),
        expires_at: '2030-01-02T00:00:00.000Z',
        plan_name: 'basic',
        provider: 'stripe',
        amount: 29.99,
        currency: 'USD',
        warnings: [],
      },
    ])
    const session_id = String(answer.body['session_id'])
    const [sent] = stripe.asked
    expect(sent?.fields).toEqual({
      mode: 'subscription',
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': 'usd',
      'line_items[0][price_data][unit_amount]': '2999',
      'line_items[0][price_data][recurring][interval]': 'month',
      'line_items[0][price_data][product_data][name]': 'Lookalike, plan basic',
      client_reference_id: session_id,
      success_url: expect.stringContaining(`http://lookalike.test/billing/checkout/${session_id}.`),
      cancel_url: expect.stringContaining(`http://lookalike.test/billing/checkout/${session_id}.`),
      customer_email: 'olga@people.test',
      'metadata[store_id]': storeId,
      'metadata[checkout_id]': session_id,
      'metadata[plan_name]': 'basic',
      'subscription_data[metadata][store_id]': storeId,
      'subscription_data[metadata][checkout_id]': session_id,
      'subscription_data[metadata][plan_name]': 'basic',
    })
    expect(sent?.headers.get('authorization')).toBe(`Bearer ${SECRET_KEY}`)
    expect(sent?.headers.get('idempotency-key')).toBe(`lookalike-${session_id}`)
    expect(planOf()).toBe('free')
    expect(app.mails).toEqual([])
  })

  test('sends no telemetry, also after several requests', async () => {
    for (const plan_name of ['basic', 'premium', 'basic']) await ask('POST', 'checkout', { plan_name })
    for (const { headers } of stripe.asked) {
      expect(headers.get('x-stripe-client-telemetry')).toBeNull()
      expect(headers.get('x-stripe-client-user-agent')).not.toMatch(/telemetry_id|platform|uname/)
    }
    expect(stripe.asked).toHaveLength(3)
  })

  test('a repeated key makes one session', async () => {
    const send = () => ask('POST', 'checkout', { plan_name: 'basic' }, { 'idempotency-key': 'once' })
    const [first, second] = [await send(), await send()]
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(stripe.asked).toHaveLength(1)
  })

  test('503 billing_unavailable when Stripe fails, is not there, or must not be asked', async () => {
    stripe.faults.status = 400
    expect(refusal(await ask('POST', 'checkout', { plan_name: 'basic' }))).toEqual([
      503,
      'billing_unavailable',
    ])
    expect((await ask('POST', 'checkout', { plan_name: 'basic' })).headers.get('retry-after')).toBe('30')
    const asked = stripe.asked.length
    for (const options of [{ isOffline: true }, { apiBase: 'http://127.0.0.1:1' }]) {
      const other = testApp({ paymentGateway: await stripe.gateway(options) })
      await other.store('one', 'free')
      const as = await getToken(other, await addPerson(other, 'olga', [{ store: 'one', role: 'owner' }]))
      const answer = await other.call('POST', '/v1/billing/checkout', {
        token: as,
        body: { plan_name: 'basic' },
      })
      expect(refusal(answer)).toEqual([503, 'billing_unavailable'])
      await other.close()
    }
    expect(stripe.asked).toHaveLength(asked)
  })

  test('of the plan `free` leads to the page of Stripe where the subscription ends', async () => {
    stripe.subscribe('sub_1', storeId, 'basic')
    await subscribed('sub_1')
    stripe.asked.length = 0
    const answer = await ask('POST', 'checkout', { plan_name: 'free' })
    expect(answer.body).toMatchObject({ checkout_url: 'https://portal.stripe.test/one', amount: 0 })
    expect(stripe.asked[0]?.fields).toMatchObject({
      customer: 'cus_1',
      'flow_data[type]': 'subscription_cancel',
      'flow_data[subscription_cancel][subscription]': 'sub_1',
    })
    stripe.subscribe('sub_1', storeId, 'basic', { status: 'canceled' })
    await subscribed('sub_1')
    expect(planOf()).toBe('free')
    expect((await ask('GET', `checkout/${answer.body['session_id']}`)).body).toMatchObject({
      status: 'completed',
    })
  })

  test('409 conflict for `free` where the operator gave the plan', async () => {
    app.setPlan('one', 'premium')
    expect(refusal(await ask('POST', 'checkout', { plan_name: 'free' }))).toEqual([409, 'conflict'])
    expect(stripe.asked).toEqual([])
  })
})

describe('POST /v1/billing/portal', () => {
  test('leads a paying store to its page at Stripe', async () => {
    expect(refusal(await ask('POST', 'portal'))).toEqual([409, 'conflict'])
    stripe.subscribe('sub_1', storeId, 'basic')
    await subscribed('sub_1')
    expect((await ask('POST', 'portal')).body).toEqual({ portal_url: 'https://portal.stripe.test/one' })
    expect(stripe.asked.at(-1)?.fields).toEqual({
      customer: 'cus_1',
      return_url: 'http://lookalike.test/billing/plans',
    })
    stripe.faults.status = 400
    expect(refusal(await ask('POST', 'portal'))).toEqual([503, 'billing_unavailable'])
  })
})

describe('a subscription', () => {
  test('that is paid gives the store its plan, and completes the checkout', async () => {
    const { body } = await ask('POST', 'checkout', { plan_name: 'basic' })
    stripe.subscribe('sub_1', storeId, 'basic')
    const session = { id: 'cs_test_1', client_reference_id: body['session_id'], subscription: 'sub_1' }
    const answer = await tell('checkout.session.completed', session)
    expect([answer.status, answer.body as object]).toEqual([200, TAKEN])
    expect(planOf()).toBe('basic')
    expect((await ask('GET', `checkout/${body['session_id']}`)).body).toMatchObject({
      status: 'completed',
      completed_at: '2030-01-01T00:00:00.000Z',
    })
    expect((await ask('GET', 'current-plan')).body).toMatchObject({
      ...{ plan_name: 'basic', provider: 'stripe', ends_at: null, renews_at: '2030-02-01T00:00:00.000Z' },
    })
    expect(actions()).toEqual([
      'store.plan_changed',
      'billing.checkout_started',
      'store.plan_changed',
      'billing.subscription_changed',
    ])
  })

  test('that is not paid yet gives nothing', async () => {
    stripe.subscribe('sub_1', storeId, 'basic', { status: 'incomplete' })
    expect((await subscribed('sub_1')).body).toEqual(TAKEN)
    expect(planOf()).toBe('free')
  })

  test('that is cancelled stays until it ends, keeps the plan while Stripe collects, and then the store is on `free`', async () => {
    stripe.subscribe('sub_1', storeId, 'premium')
    await subscribed('sub_1')
    stripe.subscribe('sub_1', storeId, 'premium', { cancel_at_period_end: true })
    await subscribed('sub_1')
    expect((await ask('GET', 'current-plan')).body).toMatchObject({
      ...{ plan_name: 'premium', renews_at: null, ends_at: '2030-02-01T00:00:00.000Z' },
    })
    stripe.subscribe('sub_1', storeId, 'premium', { status: 'past_due' })
    await subscribed('sub_1')
    expect(planOf()).toBe('premium')
    stripe.subscribe('sub_1', storeId, 'premium', { status: 'unpaid' })
    await subscribed('sub_1')
    expect(planOf()).toBe('free')
    expect((await ask('GET', 'current-plan')).body).toMatchObject({ renews_at: null, ends_at: null })
  })

  test('is read anew, so the order of events makes no difference', async () => {
    stripe.subscribe('sub_1', storeId, 'basic', { status: 'canceled' })
    await tell('customer.subscription.deleted', { id: 'sub_1' })
    // Came late, and says what is no longer so.
    await tell('customer.subscription.created', { id: 'sub_1', status: 'active' })
    expect(planOf()).toBe('free')
    expect((await ask('GET', 'current-plan')).body).toMatchObject({ plan_name: 'free', renews_at: null })
  })

  test('takes the place of an older one, which ends with a credit', async () => {
    stripe.subscribe('sub_1', storeId, 'basic')
    await subscribed('sub_1')
    const { body } = await ask('POST', 'checkout', { plan_name: 'premium' })
    expect(stripe.asked.at(-1)?.fields).toMatchObject({ customer: 'cus_1' })
    stripe.subscribe('sub_2', storeId, 'premium', { created: 1_893_460_000 })
    await subscribed('sub_2')
    expect(planOf()).toBe('premium')
    const ended = stripe.asked.find(({ method }) => method === 'DELETE')
    expect([ended?.path, ended?.fields]).toEqual([
      '/v1/subscriptions/sub_1',
      { invoice_now: 'true', prorate: 'true' },
    ])
    expect((await ask('GET', `checkout/${body['session_id']}`)).body).toMatchObject({ status: 'completed' })
    await tell('customer.subscription.deleted', { id: 'sub_1' })
    expect(planOf()).toBe('premium')
  })

  test('that could not be ended is ended by the next run of the chore', async () => {
    stripe.subscribe('sub_1', storeId, 'basic')
    await subscribed('sub_1')
    stripe.subscribe('sub_2', storeId, 'premium', { created: 1_893_460_000 })
    const end = stripe.subscriptions.get('sub_1')
    stripe.subscriptions.delete('sub_1')
    await subscribed('sub_2')
    if (end) stripe.subscriptions.set('sub_1', end)
    updateRows(app, 'subscriptions', { is_live: 1 }, { id: 'sub_1' })
    stripe.faults.status = 400
    await app.tidy()
    expect(end?.status).toBe('active')
    stripe.faults.status = 0
    await app.tidy()
    expect(end?.status).toBe('canceled')
    expect(readColumn(app, 'subscriptions', 'is_live', { id: 'sub_1' })[0]).toBe(0)
  })

  test('leaves what the operator sets meanwhile until it changes itself', async () => {
    stripe.subscribe('sub_1', storeId, 'basic')
    await subscribed('sub_1')
    app.setPlan('one', 'enterprise')
    await subscribed('sub_1')
    expect(planOf()).toBe('enterprise')
    stripe.subscribe('sub_1', storeId, 'basic', { status: 'canceled' })
    await subscribed('sub_1')
    expect(planOf()).toBe('free')
  })

  test.each<[string, Record<string, string>]>([
    ['of nobody here', { store_id: '01900000-0000-7000-8000-00000000ffff', plan_name: 'basic' }],
    ['to something else', {}],
    ['to a plan that does not exist', { store_id: 'here', plan_name: 'gold' }],
  ])('%s is taken and ignored', async (_words, metadata) => {
    const own = metadata['store_id'] === 'here' ? { store_id: storeId } : {}
    stripe.subscribe('sub_9', storeId, 'basic', { metadata: { ...metadata, ...own } })
    expect((await subscribed('sub_9')).body).toEqual(TAKEN)
    expect((await subscribed('sub_none')).body).toEqual(TAKEN)
    expect(planOf()).toBe('free')
    expect(countRows(app, 'subscriptions')).toBe(0)
  })

  test('of a store that was deleted is ignored', async () => {
    stripe.subscribe('sub_1', storeId, 'basic')
    deleteStore(app, storeId)
    expect((await subscribed('sub_1')).body).toEqual(TAKEN)
  })

  test('ends before its store is deleted; a failure leaves it to be ended again', async () => {
    stripe.subscribe('sub_1', storeId, 'basic')
    await subscribed('sub_1')
    stripe.faults.status = 400
    await expect(app.services.endSubscriptions(storeId)).rejects.toMatchObject({
      code: 'billing_unavailable',
    })
    stripe.faults.status = 0
    await app.services.endSubscriptions(storeId)
    expect(stripe.subscriptions.get('sub_1')?.status).toBe('canceled')
    await app.services.endSubscriptions(storeId)
    expect(stripe.asked.filter(({ method }) => method === 'DELETE')).toHaveLength(2)
  })

  test('two events at a time write the later answer last', async () => {
    stripe.subscribe('sub_1', storeId, 'basic')
    const held = stripe.hold()
    const first = subscribed('sub_1')
    await held.reached
    stripe.subscribe('sub_1', storeId, 'basic', { status: 'canceled' })
    const second = subscribed('sub_1')
    held.release()
    await Promise.all([first, second])
    expect(planOf()).toBe('free')
  })
})

describe('invoices', () => {
  test('follow Stripe in any order of its events', async () => {
    stripe.subscribe('sub_1', storeId, 'basic')
    stripe.bill('in_1', 'sub_1')
    // Before the subscription itself was told of.
    expect((await tell('invoice.paid', { id: 'in_1' })).body).toEqual(TAKEN)
    await tell('invoice.finalized', { id: 'in_1', status: 'open' })
    expect(planOf()).toBe('basic')
    expect((await ask('GET', 'invoices')).body as unknown).toEqual([
      {
        id: expect.any(String),
        number: 'LKL-0001',
        date: '2030-01-01T00:00:10.000Z',
        amount: 29.99,
        currency: 'USD',
        status: 'paid',
        plan_name: 'basic',
        pdf_url: 'https://pay.stripe.test/in_1/pdf',
      },
    ])
    stripe.bill('in_1', 'sub_1', { status: 'void' })
    await tell('invoice.voided', { id: 'in_1' })
    expect((await ask('GET', 'invoices')).body as unknown).toMatchObject([{ status: 'void' }])
  })

  test.each([
    ['draft', []],
    ['open', [{ status: 'open' }]],
    ['uncollectible', [{ status: 'open' }]],
  ] as const)('with the status %s', async (status, shown) => {
    stripe.subscribe('sub_1', storeId, 'basic')
    stripe.bill('in_1', 'sub_1', { status })
    await tell('invoice.updated', { id: 'in_1' })
    expect((await ask('GET', 'invoices')).body as unknown).toMatchObject(shown)
  })

  test('in a currency without cents, and newest first', async () => {
    stripe.subscribe('sub_1', storeId, 'basic')
    stripe.bill('in_1', 'sub_1')
    stripe.bill('in_2', 'sub_1', {
      total: 4500,
      currency: 'jpy',
      status_transitions: {
        finalized_at: 1_893_556_010,
        paid_at: 1_893_556_020,
        marked_uncollectible_at: null,
        voided_at: null,
      },
    })
    for (const id of ['in_1', 'in_2']) await tell('invoice.paid', { id })
    expect((await ask('GET', 'invoices')).body as unknown).toMatchObject([
      { amount: 4500, currency: 'JPY' },
      { amount: 29.99, currency: 'USD' },
    ])
  })

  test('for something else, or that are not there, are ignored', async () => {
    stripe.bill('in_1', null)
    for (const id of ['in_1', 'in_none']) expect((await tell('invoice.paid', { id })).body).toEqual(TAKEN)
    expect((await ask('GET', 'invoices')).body as unknown).toEqual([])
  })
})

describe('POST /v1/billing/stripe/webhook', () => {
  const body = JSON.stringify({
    id: 'evt_x',
    object: 'event',
    type: 'customer.subscription.updated',
    data: { object: { id: 'sub_1' } },
  })

  test.each([
    ['no signature', async () => ({ signature: '' })],
    ['nonsense', async () => ({ signature: 'x'.repeat(5_000) })],
    [
      'the secret of somebody else',
      async () => ({ signature: await signEvent(body, app.clock.now(), 'whsec_other') }),
    ],
    [
      'the signature of another body',
      async () => ({ signature: await signEvent(`${body} `, app.clock.now()) }),
    ],
    [
      'a signature of five minutes ago',
      async () => ({ signature: await signEvent(body, app.clock.now() - 302_000) }),
    ],
    [
      'an old signature with a new time',
      async () => ({
        signature: (await signEvent(body, app.clock.now() - 302_000)).replace(
          /t=\d+/,
          `t=${app.clock.now() / 1000}`,
        ),
      }),
    ],
  ])('401 unauthorized for %s, and Stripe is not asked', async (_words, forge) => {
    stripe.subscribe('sub_1', storeId, 'enterprise')
    expect(refusal(await sendRaw(body, await forge()))).toEqual([401, 'unauthorized'])
    expect([planOf(), stripe.asked]).toEqual(['free', []])
  })

  test('an event is handled once, also when it comes twice at a time', async () => {
    stripe.subscribe('sub_1', storeId, 'basic')
    const answers = await Promise.all([sendRaw(body), sendRaw(body), sendRaw(body)])
    expect(answers.map(({ body: { duplicate } }) => duplicate).sort()).toEqual([false, true, true])
    expect(stripe.asked).toHaveLength(1)
    app.clock.advance(299_000)
    const replayed = await sendRaw(body, { at: app.clock.now() - 299_000 })
    expect([replayed.status, replayed.body as object]).toEqual([200, { received: true, duplicate: true }])
    expect(stripe.asked).toHaveLength(1)
  })

  test('an event that fails comes again', async () => {
    stripe.subscribe('sub_1', storeId, 'basic')
    stripe.faults.status = 400
    expect(refusal(await sendRaw(body))).toEqual([503, 'billing_unavailable'])
    stripe.faults.status = 0
    expect((await sendRaw(body)).body).toEqual(TAKEN)
    expect(planOf()).toBe('basic')
  })

  test.each([
    ['{', 400, 'invalid_json'],
    ['null', 400, 'invalid_request'],
    ['[]', 400, 'invalid_request'],
    ['{"id": 5, "type": "x"}', 400, 'invalid_request'],
    [`{"id": "${'e'.repeat(300)}", "type": "x"}`, 400, 'invalid_request'],
    ['{"object": "v2.core.event", "id": "evt_1", "type": "x"}', 400, 'invalid_request'],
  ])('signed nonsense: %s', async (text, status, error) => {
    expect(refusal(await sendRaw(text))).toEqual([status, error])
  })

  test.each([
    '{"id": "evt_1", "type": "balance.available", "data": {"object": {"object": "balance"}}}',
    '{"id": "evt_1", "type": "customer.created", "data": {"object": {"id": "cus_1"}}}',
    '{"id": "evt_1", "type": "customer.subscription.updated"}',
    '{"id": "evt_1", "type": "checkout.session.completed", "data": {"object": {"id": "cs_1", "subscription": null}}}',
  ])('an event about nothing of ours answers 200: %s', async (text) => {
    expect((await sendRaw(text)).body).toEqual(TAKEN)
    expect(stripe.asked).toEqual([])
  })

  test('413 for a body over 256 KiB, 415 for another type', async () => {
    const long = JSON.stringify({ id: 'evt_1', type: 'x', text: 'x'.repeat(256 * 1024) })
    expect(refusal(await sendRaw(long))).toEqual([413, 'payload_too_large'])
    expect(refusal(await sendRaw(body, { type: 'text/plain' }))).toEqual([415, 'unsupported_media_type'])
  })

  test('strangers take at most 4 MiB of bodies at a time; an ordinary event always gets through', async () => {
    const large = 'x'.repeat(200_000)
    const headers = {
      'content-type': 'application/json',
      'stripe-signature': `t=${app.clock.now() / 1000},v1=00`,
    }
    const open: ReadableStreamDefaultController<Uint8Array>[] = []
    const slow = Array.from({ length: 25 }, () => {
      const body = new ReadableStream<Uint8Array>({ start: (controller) => void open.push(controller) })
      const init = { method: 'POST', body, headers }
      return app.http.handle(new Request('http://lookalike.test/v1/billing/stripe/webhook', init))
    })
    const early = await Promise.race(slow)
    expect(early.status).toBe(503)
    const refused = await app.call('POST', '/v1/billing/stripe/webhook', {
      body: large,
      headers: { ...headers, 'content-length': String(large.length) },
    })
    expect(refusal(refused)).toEqual([503, 'overloaded'])
    stripe.subscribe('sub_1', storeId, 'basic')
    const ordinary = {
      'content-length': String(body.length),
      'stripe-signature': await signEvent(body, app.clock.now()),
    }
    const taken = await app.call('POST', '/v1/billing/stripe/webhook', {
      body,
      headers: { ...headers, ...ordinary },
    })
    expect(taken.body).toEqual(TAKEN)
    for (const controller of open) controller.close()
    const statuses = (await Promise.all(slow)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 503)).toHaveLength(9)
    expect(refusal(await sendRaw(large, { signature: headers['stripe-signature'] }))).toEqual([
      401,
      'unauthorized',
    ])
  })

  test('notes of events are deleted after a month', async () => {
    stripe.subscribe('sub_1', storeId, 'basic')
    await sendRaw(body)
    const count = () => countRows(app, 'provider_events')
    await app.tidy()
    expect(count()).toBe(1)
    app.clock.advance(31 * 86_400_000)
    await app.tidy()
    expect(count()).toBe(0)
  })

  test('takes nothing where the operator takes the payments', async () => {
    const other = testApp()
    const signature = await signEvent(body, other.clock.now())
    const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
    expect(refusal(await other.call('POST', '/v1/billing/stripe/webhook', { body, headers }))).toEqual([
      401,
      'unauthorized',
    ])
    await other.close()
  })

  test('names only the provider in the audit log', async () => {
    stripe.subscribe('sub_1', storeId, 'basic')
    await sendRaw(body)
    const [row] = readRows(app, 'audit_events', { action: 'billing.subscription_changed' }, [
      'actor_kind',
      'user_id',
      'details',
    ])
    expect(row).toEqual({
      ...{ actor_kind: 'operator', user_id: null },
      details: JSON.stringify({
        subscription_id: 'sub_1',
        plan: 'basic',
        status: 'active',
        will_end: false,
        provider: 'stripe',
      }),
    })
  })
})
