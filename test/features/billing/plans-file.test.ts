import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestApp, testApp } from '../../support/app.ts'
import { addPerson, getToken, refusal } from '../../support/people.ts'
import { makeKey, widgetHeaders } from '../discovery/widget/widget-shop.ts'

const FILE = {
  currency: 'EUR',
  plans: {
    free: { title: 'Probe', price_per_month: 0, max_products: 1, rate_per_minute: 7 },
    basic: { title: 'Klein <b>', price_per_month: 19.5, max_products: 3, rate_per_minute: 60 },
    premium: { price_per_month: 49, max_products: null, rate_per_minute: null },
    enterprise: { title: 'Groß', price_per_month: 99, max_products: null, rate_per_minute: null },
  },
}

let folder: string
let app: TestApp
let token: string
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lookalike-plans-'))
  const path = join(folder, 'plans.json')
  writeFileSync(path, JSON.stringify(FILE))
  app = testApp({}, { PLANS_FILE: path })
  token = await app.signIn('one', 'free')
})
afterEach(() => {
  app.close()
  rmSync(folder, { recursive: true })
})

const get = async (path: string, as = token) => (await app.call('GET', path, { token: as })).body

test('the plans of the operator are listed, with the present one (contract 6.6)', async () => {
  const plan = (plan_name: string, is_current: boolean, more: object) => ({
    plan_name,
    is_current,
    currency: 'EUR',
    ...more,
  })
  expect((await get('/v1/billing/plans')) as unknown).toEqual([
    plan('free', true, FILE.plans.free),
    plan('basic', false, FILE.plans.basic),
    plan('premium', false, FILE.plans.premium),
    plan('enterprise', false, FILE.plans.enterprise),
  ])
  expect(await get('/v1/billing/current-plan')).toMatchObject({
    ...{ plan_name: 'free', title: 'Probe', max_products: 1, rate_per_minute: 7, currency: 'EUR' },
  })
  expect(await get('/v1/billing/usage')).toMatchObject({ max_products: 1 })
})

test('they bound products and requests, and the keys of widgets', async () => {
  const add = (product_id: string) =>
    app.call('POST', '/v1/products', { token, body: { product_id, image_url: app.picture(product_id, 1) } })
  const first = await add('a')
  expect([first.status, first.headers.get('x-ratelimit-limit')]).toEqual([201, '7'])
  const second = await add('b')
  expect([...refusal(second), second.body['details']]).toEqual([
    ...[402, 'product_limit_exceeded'],
    expect.objectContaining({ max_products: 1 }),
  ])
  const { key } = await makeKey(app, token)
  const search = { headers: widgetHeaders(key), body: { query: 'x' } }
  const answer = await app.call('POST', '/v1/widget/search/text', search)
  expect(answer.headers.get('x-ratelimit-limit')).toBe('7')
})

test('a request for a plan keeps its price and currency until the invoice', async () => {
  const owner = await getToken(app, { email: 'one@shop.test' })
  const body = { plan_name: 'basic' }
  const started = await app.call('POST', '/v1/billing/checkout', { token: owner, body })
  expect(started.body).toMatchObject({ amount: 19.5, currency: 'EUR' })
  const id = String(started.body['session_id'])
  expect(await get(`/v1/billing/checkout/${id}`, owner)).toMatchObject({ amount: 19.5, currency: 'EUR' })
  app.services.billing.confirm(id, 'operator', true)
  const { invoices } = (await get('/v1/billing/invoices', owner)) as { invoices?: unknown[] }
  expect(invoices ?? (await get('/v1/billing/invoices', owner))).toMatchObject([
    { amount: 19.5, currency: 'EUR' },
  ])
  expect(await get('/v1/billing/current-plan')).toMatchObject({ plan_name: 'basic', max_products: 3 })
})

test('the page of the plans and the operator’s list show them', async () => {
  const page = await app.http.handle(new Request('http://lookalike.test/billing/plans'))
  const html = await page.text()
  expect(html).toContain('Klein &lt;b&gt; (<code>basic</code>)')
  expect(html).toContain('19.50 EUR')
  const root = await getToken(app, await addPerson(app, 'root', [], { isSuperAdmin: true }))
  const { plans } = (await get('/v1/admin/plans', root)) as { plans: unknown[] }
  expect(plans).toMatchObject([
    { plan_name: 'free', title: 'Probe', currency: 'EUR', widget_rate_per_minute: 7, stores: 1 },
    { plan_name: 'basic', price_per_month: 19.5 },
    { plan_name: 'premium', title: 'premium', rate_per_minute: null, widget_rate_per_minute: 1_200 },
    { plan_name: 'enterprise' },
  ])
})
