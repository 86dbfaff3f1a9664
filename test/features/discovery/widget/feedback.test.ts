import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { PLANS } from '../../../../src/core/plans.ts'
import {
  type RecordFeedback,
  widgetFeedbackRoutes,
} from '../../../../src/features/discovery/widget/routes.ts'
import { createWidgetBudget } from '../../../../src/http/budgets/widget-budget.ts'
import { corsPlugin } from '../../../../src/http/cors.ts'
import { errorPlugin } from '../../../../src/http/errors.ts'
import { createRequestCheck } from '../../../../src/http/request-check.ts'
import { validationError } from '../../../../src/http/validation.ts'
import { widgetGuard } from '../../../../src/http/widget-guard.ts'
import { NOWHERE } from '../../../support/permissions.ts'
import { makeKey, ORIGIN, openWidgetShop, refusalOf, type WidgetShop, widgetHeaders } from './widget-shop.ts'

let shop: WidgetShop
let recorded: Parameters<RecordFeedback>[]
let send: ReturnType<typeof serve>

/** Keeps events in memory; one without an action is refused. */
const record: RecordFeedback = async (...event) => {
  if (event[1]['action'] === undefined) {
    throw validationError([{ in: 'body', pointer: '/action', code: 'required', message: 'is required' }])
  }
  recorded.push(event)
  return { status: 'recorded', feedback_id: shop.app.ids.uuid(), attributed: false, position: null }
}

/** The route behind its real guard, with the keys of the shop. */
function serve() {
  const { app } = shop
  const guard = {
    admitWidget: app.widgetKeys.admit,
    widgetBudget: createWidgetBudget(app.clock, PLANS),
    findAddress: (request: Request) => request.headers.get('x-visitor') ?? '203.0.113.1',
    readClientInfo: () => NOWHERE,
    spendOfPerson: () => undefined,
  }
  const verbs = {
    recordFeedback: record,
    answerPreview: () => {
      throw new Error('No preview is shown here')
    },
    see: () => {},
  }
  const routes = () => http.routes
  const check = createRequestCheck(routes)
  const http = new Elysia()
    .use(corsPlugin('/v1/widget/'))
    .use(
      errorPlugin({
        log: app.log,
        listMethods: () => ['POST'],
        findNearest: () => undefined,
        findProblems: check.findProblems,
        baseUrl: () => '',
      }),
    )
    .use(check.plugin)
    .use(widgetFeedbackRoutes({ forWidget: (use) => widgetGuard(guard, use) }, verbs))
  return async (body: unknown, headers: Record<string, string> = {}) => {
    const request = new Request('http://lookalike.test/v1/widget/search/feedback', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-service-key': shop.key,
        origin: ORIGIN,
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    const response = await http.handle(request)
    const answer = (await response.json()) as Record<string, unknown>
    return { status: response.status, headers: response.headers, body: answer }
  }
}

beforeEach(async () => {
  shop = await openWidgetShop()
  recorded = []
  send = serve()
})
afterEach(() => shop.app.close())

const CLICK = { action: 'click', result_product_id: 'mug' }

describe('POST /v1/widget/search/feedback (contract 10.1)', () => {
  test('201: the event is recorded for the store of the key, as of a widget', async () => {
    const answer = await send(CLICK)
    expect([answer.status, answer.body['status']]).toEqual([201, 'recorded'])
    expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN)
    const { store_id } = { store_id: shop.app.stores.requireBySlug('shop').id }
    const searchSource = { keyId: shop.keyId, origin: ORIGIN }
    expect(recorded).toEqual([[store_id, CLICK, { searchSource, idempotencyKey: null }]])
  })

  test('an Idempotency-Key belongs to the widget key, apart from those of the backend', async () => {
    await send(CLICK, { 'idempotency-key': 'order-1' })
    expect(recorded[0]?.[2].idempotencyKey).toBe(`${shop.keyId} order-1`)
    const refused = await send(CLICK, { 'idempotency-key': 'x'.repeat(256) })
    expect([refused.status, refused.body['error'], recorded.length]).toEqual([422, 'validation_error', 1])
  })

  test('the page can read the refusals of feedback', async () => {
    const answer = await send({})
    expect([answer.status, answer.body['error'], answer.headers.get('access-control-allow-origin')]).toEqual([
      422,
      'validation_error',
      ORIGIN,
    ])
  })

  test.each<[what: string, body: unknown, headers: Record<string, string>, status: number, code: string]>([
    ['a foreign origin', CLICK, { origin: 'https://evil.example' }, 403, 'origin_not_allowed'],
    ['no origin', CLICK, { origin: '' }, 403, 'origin_missing'],
    ['an unknown key', CLICK, { 'x-service-key': 'pk_live_x' }, 401, 'unauthorized'],
    ['no JSON', '{', {}, 400, 'invalid_json'],
    ['a list', [CLICK], {}, 422, 'validation_error'],
    ['text', 'x', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    ['more than 256 KiB', { more: 'x'.repeat(262_144) }, {}, 413, 'payload_too_large'],
  ])('%s is refused', async (_what, body, headers, status, code) => {
    const answer = await send(body, headers)
    expect([answer.status, answer.body['error'], recorded]).toEqual([status, code, []])
  })

  test('403 for a key that allows no feedback', async () => {
    const { key } = await makeKey(shop.app, shop.token, { allowed: ['text'] })
    const answer = await send(CLICK, { 'x-service-key': key })
    expect([answer.status, answer.body['details']]).toEqual([
      403,
      { required: 'widget:feedback', help: '/errors/permission_denied' },
    ])
  })

  test('has a budget of its own, ten times that of searches, for the visitor and for the key', async () => {
    const statuses = async (count: number, headers: () => Record<string, string>) => {
      const seen: number[] = []
      for (let n = 0; n < count; n++) seen.push((await send(CLICK, headers())).status)
      return seen
    }
    const visitor = await statuses(101, () => ({}))
    expect([visitor.lastIndexOf(201), visitor.at(-1)]).toEqual([99, 429])
    shop.app.clock.advance(200)
    expect(await statuses(2, () => ({}))).toEqual([201, 429])

    const { key } = await makeKey(shop.app, shop.token, { rate_per_minute: 3 })
    let n = 0
    const ofKey = await statuses(31, () => ({ 'x-service-key': key, 'x-visitor': `10.0.0.${n++}` }))
    expect([ofKey.lastIndexOf(201), ofKey.at(-1)]).toEqual([29, 429])
  })
})

describe('with the service behind it', () => {
  test.each(['null', '7', '"x"', '[]'])('422 for %s', async (body) => {
    const headers = { ...widgetHeaders(shop.key), 'content-type': 'application/json' }
    expect(refusalOf(await shop.call('feedback', body, headers))).toEqual([422, 'validation_error'])
  })

  test('a list costs a unit for every ten events, and the longest passes with every rate of a key', async () => {
    const { key } = await makeKey(shop.app, shop.token, { rate_per_minute: 1 })
    const tell = async (length: number) => {
      const events = Array.from({ length }, () => CLICK)
      return (await shop.call('feedback', { events }, widgetHeaders(key))).status
    }
    expect([await tell(90), await tell(20), await tell(10), await tell(1)]).toEqual([201, 429, 429, 429])
    shop.app.clock.advance(60_000)
    expect([await tell(1_000), await tell(1)]).toEqual([201, 429])
  })

  const purchase = { action: 'purchase', result_product_id: 'mug', order_value: 10, currency: 'EUR' }
  const post = (body: unknown, key = 'k') =>
    shop.call('feedback', body, { ...widgetHeaders(shop.key), 'idempotency-key': key })

  test('an Idempotency-Key counts an event once, and refuses another one', async () => {
    const first = await post(purchase)
    const again = await post(purchase)
    expect([first.status, again.status, again.body['feedback_id']]).toEqual([
      ...[201, 201, first.body['feedback_id']],
    ])
    for (const other of [
      { order_value: 99 },
      { currency: 'USD' },
      { result_product_id: 'lamp' },
      { quantity: 2 },
    ]) {
      const refused = await post({ ...purchase, ...other })
      expect([refused.status, refused.body['error']]).toEqual([422, 'idempotency_key_reused'])
    }
    const kept = shop.app.db.prepare('SELECT order_value FROM feedback_events').pluck().all()
    expect(kept).toEqual([10])
  })
})
