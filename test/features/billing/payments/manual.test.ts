import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../support/app.ts'
import { addPerson, getToken, refusal } from '../../../support/people.ts'
import {
  countRows,
  deleteRows,
  deleteStore,
  failWrites,
  readColumn,
  updateRows,
} from '../../../support/seed.ts'

let app: TestApp
let token: string
let storeId: string

beforeEach(async () => {
  app = testApp()
  await app.store('one', 'free')
  token = await getToken(app, await addPerson(app, 'olga', [{ store: 'one', role: 'owner' }]))
  storeId = app.stores.requireBySlug('one').id
})
afterEach(() => app.close())

const DAY = 86_400_000

const ask = (method: string, path: string, body?: unknown, as = token) =>
  app.call(method, `/v1/billing/${path}`, { token: as, ...(body !== undefined && { body }) })
const start = async (plan_name = 'basic'): Promise<string> =>
  String((await ask('POST', 'checkout', { plan_name })).body['session_id'])
const stateOf = async (id: string) => (await ask('GET', `checkout/${id}`)).body['status']
const planOf = () => app.stores.requireBySlug('one').plan
const invoices = async () => (await ask('GET', 'invoices')).body as unknown as Record<string, unknown>[]
/** Signs in again, because tokens live for an hour. */
const later = async (ms: number) => {
  app.clock.advance(ms)
  token = await getToken(app, { email: 'olga@people.test' })
}

describe('POST /v1/billing/checkout', () => {
  test('answers with the page where the operator confirms', async () => {
    const answer = await ask('POST', 'checkout', { plan_name: 'premium' })
    expect([answer.status, answer.body as object]).toEqual([
      200,
      {
        checkout_url: expect.stringMatching(
          /^http:\/\/lookalike\.test\/billing\/checkout\/[0-9a-f-]{36}\.[\w-]{43}$/,
        ),
        session_id: expect.any(String),
        expires_at: '2030-01-08T00:00:00.000Z',
        plan_name: 'premium',
        provider: 'manual',
        amount: 99.99,
        currency: 'USD',
        warnings: [],
      },
    ])
    expect(planOf()).toBe('free')
    expect((await ask('GET', `checkout/${answer.body['session_id']}`)).body).toEqual({
      session_id: answer.body['session_id'],
      status: 'open',
      plan_name: 'premium',
      provider: 'manual',
      amount: 99.99,
      currency: 'USD',
      created_at: '2030-01-01T00:00:00.000Z',
      expires_at: '2030-01-08T00:00:00.000Z',
      completed_at: null,
    })
  })

  test('tells the super-admins by mail, a few times an hour', async () => {
    for (let n = 0; n < 5; n++) await start(n % 2 ? 'basic' : 'premium')
    await app.settle()
    expect(app.mails.map(({ to, subject }) => [to, subject])).toEqual([
      ['one@shop.test', 'one asks for the plan premium'],
      ['one@shop.test', 'one asks for the plan basic'],
      ['one@shop.test', 'one asks for the plan premium'],
    ])
    expect(app.mails[0]?.text).toContain('lookalike billing confirm ')
    await later(61 * 60_000)
    await start()
    await app.settle()
    expect(app.mails).toHaveLength(4)
  })

  test('409 already_on_plan, 422 for a plan that does not exist', async () => {
    expect(refusal(await ask('POST', 'checkout', { plan_name: 'free' }))).toEqual([409, 'already_on_plan'])
    for (const body of [{ plan_name: 'gold' }, { plan_name: 5 }, {}, { plan_name: 'toString' }]) {
      expect(refusal(await ask('POST', 'checkout', body))).toEqual([422, 'validation_error'])
    }
  })

  test.each(['developer', 'viewer'] as const)(
    '403 for a %s, who may read plan, usage and invoices',
    async (role) => {
      const as = await getToken(app, await addPerson(app, role, [{ store: 'one', role }]))
      for (const [method, path, body] of [
        ['POST', 'checkout', { plan_name: 'basic' }],
        ['POST', 'portal', undefined],
      ] as const) {
        const answer = await ask(method, path, body, as)
        expect([...refusal(answer), answer.body['details']]).toEqual([
          403,
          'permission_denied',
          { required: 'billing:manage' },
        ])
      }
      for (const path of ['current-plan', 'usage', 'invoices'])
        expect((await ask('GET', path, undefined, as)).status).toBe(200)
    },
  )

  test('a downgrade below the number of products is allowed, and says what it means', async () => {
    app.setPlan('one', 'enterprise')
    updateRows(app, 'stores', { product_count: 1234 }, { id: storeId })
    const answer = await ask('POST', 'checkout', { plan_name: 'free' })
    expect(answer.body).toMatchObject({
      amount: 0,
      warnings: [
        'The store has 1,234 products and the plan free holds 50. Nothing is deleted, and all of them can be found, changed and deleted; new products are refused until the store has fewer than 50.',
      ],
    })
    app.services.billing.confirm(String(answer.body['session_id']), 'operator', false)
    expect([planOf(), await invoices()]).toEqual(['free', []])
  })

  test('a repeated key starts one checkout', async () => {
    const send = (plan_name: string) =>
      app.call('POST', '/v1/billing/checkout', {
        token,
        body: { plan_name },
        headers: { 'idempotency-key': 'k' },
      })
    const [first, second] = [await send('basic'), await send('basic')]
    expect(second.body).toEqual(first.body)
    expect(refusal(await send('premium'))).toEqual([422, 'idempotency_key_reused'])
    expect(countRows(app, 'checkouts')).toBe(1)
  })

  test('a later request replaces the one before, and only so many are kept', async () => {
    const first = await start('basic')
    const second = await start('premium')
    expect([await stateOf(first), await stateOf(second)]).toEqual(['replaced', 'open'])
    for (let n = 0; n < 30; n++) await start(n % 2 ? 'basic' : 'premium')
    expect(countRows(app, 'checkouts')).toBe(20)
    expect(refusal(await ask('GET', `checkout/${first}`))).toEqual([404, 'not_found'])
  })
})

describe('GET /v1/billing/checkout/{session_id}', () => {
  test('404 for the checkout of another store, and for none', async () => {
    const id = await start()
    await app.store('two', 'free')
    const as = await getToken(app, await addPerson(app, 'otto', [{ store: 'two', role: 'owner' }]))
    for (const [name, one] of [
      [id, as],
      ['nonsense', token],
    ] as const) {
      const answer = await ask('GET', `checkout/${name}`, undefined, one)
      expect([...refusal(answer), answer.body['details']]).toEqual([
        404,
        'not_found',
        { resource: 'checkout' },
      ])
    }
  })

  test('is expired after seven days, to the millisecond', async () => {
    const id = await start()
    await later(7 * DAY - 1)
    expect(await stateOf(id)).toBe('open')
    await later(1)
    expect(await stateOf(id)).toBe('expired')
    await later(90 * DAY)
    await app.tidy()
    expect(refusal(await ask('GET', `checkout/${id}`))).toEqual([404, 'not_found'])
  })
})

describe('a confirmation', () => {
  const confirm = (id: string, isPaid = false) => app.services.billing.confirm(id, 'operator', isPaid)

  test('gives the plan, issues the invoice, tells the owners, and stands in the audit log', async () => {
    const id = await start('premium')
    app.mails.length = 0
    const { invoice } = confirm(id)
    await app.settle()
    expect([planOf(), await stateOf(id)]).toEqual(['premium', 'completed'])
    expect(await invoices()).toEqual([
      {
        id: expect.any(String),
        number: '2030-0001',
        date: '2030-01-01T00:00:00.000Z',
        amount: 99.99,
        currency: 'USD',
        status: 'open',
        plan_name: 'premium',
        pdf_url: expect.stringMatching(
          /^http:\/\/lookalike\.test\/billing\/invoices\/[0-9a-f-]{36}\.\d+\.[\w-]{43}$/,
        ),
      },
    ])
    expect(invoice?.number).toBe('2030-0001')
    const told = app.mails.filter(({ subject }) => subject === 'one is now on the plan premium')
    expect(told.map(({ to }) => to).sort()).toEqual(['olga@people.test', 'one@shop.test'])
    expect(told[0]?.text).toContain('Invoice 2030-0001 over 99.99 USD is open')
    const log = (await app.call('GET', '/v1/security/audit', { token })).body['events'] as Record<
      string,
      unknown
    >[]
    expect(log.slice(0, 4).map(({ action }) => action)).toEqual([
      'billing.invoice_issued',
      'store.plan_changed',
      'billing.checkout_confirmed',
      'billing.checkout_started',
    ])
  })

  test('a second one changes nothing, and no number is given twice', async () => {
    const id = await start()
    expect(confirm(id).isRepeated).toBe(false)
    expect(confirm(id)).toMatchObject({ isRepeated: true, invoice: null })
    expect(await invoices()).toHaveLength(1)
    deleteRows(app, 'invoices')
    expect(confirm(await start('premium')).invoice?.number).toBe('2030-0002')
  })

  test('is whole or not at all', async () => {
    const id = await start()
    const mend = failWrites(app, 'INSERT ON invoices', 'killed')
    expect(() => confirm(id)).toThrow()
    expect([planOf(), await stateOf(id)]).toEqual(['free', 'open'])
    mend()
    confirm(id)
    expect((await invoices())[0]?.['number']).toBe('2030-0001')
  })

  test('is refused for what has expired, was replaced, or is not there', async () => {
    const replaced = await start('basic')
    const id = await start('premium')
    expect(() => confirm(replaced)).toThrow('asked for another plan since')
    app.clock.advance(7 * DAY)
    expect(() => confirm(id)).toThrow('has expired')
    expect(() => confirm('none')).toThrow('No such checkout')
    expect(planOf()).toBe('free')
  })

  test('can say that the money is there, and an open invoice can be settled once', async () => {
    confirm(await start('basic'), true)
    confirm(await start('premium'))
    expect((await invoices()).map(({ number, status }) => [number, status])).toEqual([
      ['2030-0002', 'open'],
      ['2030-0001', 'paid'],
    ])
    const desk = app.services.billing
    expect(desk.list().invoices.map(({ number }) => number)).toEqual(['2030-0002'])
    desk.settle('2030-0002', 'void')
    expect((await invoices())[0]?.['status']).toBe('void')
    for (const [number, message] of [
      ['2030-0002', 'is void already'],
      ['2030-0001', 'is paid already'],
      ['2030-0003', 'No such invoice'],
    ] as const)
      expect(() => desk.settle(number, 'paid')).toThrow(message)
  })

  test('the operator’s list shows what waits', async () => {
    expect(app.services.billing.list()).toEqual({ requests: [], invoices: [] })
    const id = await start('premium')
    expect(app.services.billing.list().requests).toMatchObject([
      { id, slug: 'one', before: 'free', plan: 'premium', link: expect.stringContaining(id) },
    ])
    await later(7 * DAY)
    expect(app.services.billing.list().requests).toEqual([])
  })
})

describe('POST /v1/billing/portal', () => {
  test('409 conflict where the operator takes the payments', async () => {
    expect(refusal(await ask('POST', 'portal'))).toEqual([409, 'conflict'])
  })
})

test('everything goes with its store, and the numbers of invoices go on', async () => {
  app.services.billing.confirm(await start('basic'), 'operator', false)
  deleteStore(app, storeId)
  for (const table of ['checkouts', 'invoices', 'usage_months', 'plan_warnings', 'subscriptions'])
    expect([table, countRows(app, table)]).toEqual([table, 0])
  expect(readColumn(app, 'invoice_numbers', 'last')[0]).toBe(1)
})
