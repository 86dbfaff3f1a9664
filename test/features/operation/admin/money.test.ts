import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { TestApp } from '../../../support/app.ts'
import { addPerson, getToken, type Person, proxiedApp, refusal } from '../../../support/people.ts'
import { insertRow } from '../../../support/seed.ts'

let app: TestApp
let admin: Person
let root: string
let owner: string

beforeEach(async () => {
  app = proxiedApp()
  await app.store('one', 'free')
  admin = await addPerson(app, 'root', [], { isSuperAdmin: true })
  root = await getToken(app, admin)
  owner = await getToken(app, await addPerson(app, 'anna', [{ store: 'one', role: 'owner' }]))
})
afterEach(() => app.close())

const NOBODY = '01900000-0000-7000-8000-ffffffffffff'
const call = (method: string, path: string, body?: object) =>
  app.call(method, `/v1/admin/billing${path}`, { token: root, ...(body && { body }) })
const ask = async (plan_name = 'premium') =>
  String(
    (await app.call('POST', '/v1/billing/checkout', { token: owner, body: { plan_name } })).body[
      'session_id'
    ],
  )
const list = async (path: string, name: string) => (await call('GET', path)).body[name] as { id: string }[]
const planOf = (slug: string) => app.stores.requireBySlug(slug).plan
const storeLog = async (action: string) => {
  const store = app.stores.requireBySlug('one').id
  const { body } = await app.call('GET', `/v1/admin/audit?action=${action}&store_id=${store}`, {
    token: root,
  })
  return body['events'] as object[]
}

describe('requests for plans', () => {
  test('are listed, confirmed once, and gone from the list', async () => {
    const id = await ask()
    expect(await list('/requests', 'requests')).toMatchObject([
      { id, store: { slug: 'one' }, plan_name: 'free', asks_for: 'premium' },
    ])
    const answers = await Promise.all(
      [1, 2].map(() => call('POST', `/requests/${id}/confirm`, { is_paid: true })),
    )
    expect(answers.map(({ status, body }) => [status, body['status']]).sort()).toEqual([
      [200, 'already_completed'],
      [200, 'completed'],
    ])
    expect(planOf('one')).toBe('premium')
    expect(await list('/requests', 'requests')).toEqual([])
    expect(await list('/invoices', 'invoices')).toMatchObject([{ status: 'paid', provider: 'manual' }])
    expect(await storeLog('billing.checkout_confirmed')).toMatchObject([{ actor: { id: admin.id } }])
  })

  test('are confirmed without a body, as not paid', async () => {
    await call('POST', `/requests/${await ask()}/confirm`)
    expect(await list('/invoices?status=open', 'invoices')).toHaveLength(1)
    expect(await list('/invoices?status=paid', 'invoices')).toEqual([])
  })

  test('cannot be confirmed once they are replaced or expired, or if they never were', async () => {
    const first = await ask()
    const second = await ask('basic')
    expect(refusal(await call('POST', `/requests/${first}/confirm`))).toEqual([409, 'conflict'])
    app.clock.advance(8 * 86_400_000)
    root = await getToken(app, admin)
    expect(refusal(await call('POST', `/requests/${second}/confirm`))).toEqual([409, 'conflict'])
    expect(await list('/requests', 'requests')).toEqual([])
    expect(refusal(await call('POST', `/requests/${NOBODY}/confirm`))).toEqual([404, 'not_found'])
    expect(planOf('one')).toBe('free')
  })
})

describe('invoices', () => {
  test('are settled once, by whichever of two at once', async () => {
    await call('POST', `/requests/${await ask()}/confirm`)
    const [invoice] = await list('/invoices', 'invoices')
    const answers = await Promise.all(
      ['paid', 'void'].map((status) => call('POST', `/invoices/${invoice?.id}/settle`, { status })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await storeLog('billing.invoice_settled')).toMatchObject([{ actor: { id: admin.id } }])
  })

  test('of Stripe are listed and not settled here', async () => {
    const at = app.clock.now()
    const store_id = app.stores.requireBySlug('one').id
    insertRow(app, 'invoices', {
      ...{
        id: NOBODY,
        store_id,
        provider: 'stripe',
        provider_id: 'in_1',
        amount_cents: 100,
        currency: 'USD',
      },
      ...{ status: 'open', period_start: at, period_end: at, issued_at: at },
    })
    expect(await list('/invoices', 'invoices')).toMatchObject([{ provider: 'stripe', amount: 1 }])
    expect(refusal(await call('POST', `/invoices/${NOBODY}/settle`, { status: 'paid' }))).toEqual([
      409,
      'conflict',
    ])
  })

  test('are read page by page', async () => {
    for (const plan of ['basic', 'premium', 'basic'])
      await call('POST', `/requests/${await ask(plan)}/confirm`)
    const first = await call('GET', '/invoices?limit=2')
    expect(first.body['count']).toBe(2)
    const second = await call('GET', `/invoices?limit=2&cursor=${first.body['next_cursor']}`)
    expect(second.body).toMatchObject({ count: 1, next_cursor: null })
  })

  test.each([
    ['POST', `/invoices/${NOBODY}/settle`, { status: 'paid' }, 404, 'not_found'],
    ['POST', `/invoices/${NOBODY}/settle`, { status: 'open' }, 422, 'validation_error'],
    ['GET', '/invoices?status=gone', undefined, 422, 'validation_error'],
    ['GET', '/invoices?cursor=x', undefined, 400, 'invalid_cursor'],
    ['GET', '/requests?cursor=x', undefined, 400, 'invalid_cursor'],
  ])('refuse %s %s %j', async (method, path, body, status, code) => {
    expect(refusal(await call(method, path, body))).toEqual([status, code])
  })
})

test('a page of either list goes by an index, however many stores there are', () => {
  const plan = (sql: string) =>
    (app.db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[])
      .map(({ detail }) => detail)
      .join()
  const rows = [
    "SELECT 1 FROM checkouts INDEXED BY checkouts_waiting WHERE status = 'open' AND provider = 'manual' AND id < 'x' ORDER BY id DESC",
    "SELECT 1 FROM invoices WHERE id < 'x' ORDER BY id DESC",
    "SELECT 1 FROM jobs WHERE status <> 'preparing' AND job_id < 'x' ORDER BY job_id DESC",
    "SELECT 1 FROM invoices INDEXED BY invoices_by_status WHERE status = 'open' AND id < 'x' ORDER BY id DESC",
    "SELECT 1 FROM jobs INDEXED BY jobs_of_all WHERE status = 'failed' AND job_id < 'x' ORDER BY job_id DESC",
    "SELECT 1 FROM deliveries INDEXED BY deliveries_unsettled WHERE state = 'failed' AND state <> 'delivered' AND row < 9 ORDER BY row DESC",
  ]
  for (const sql of rows) expect(plan(sql)).not.toMatch(/SCAN|TEMP B-TREE/)
})
