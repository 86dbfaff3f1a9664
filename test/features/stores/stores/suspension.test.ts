import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../support/app.ts'
import { addPerson, getToken, join, refusal } from '../../../support/people.ts'

let app: TestApp
let machine: string
let storeId: string

beforeEach(async () => {
  app = testApp()
  machine = await app.signIn('one')
  storeId = app.stores.requireBySlug('one').id
})
afterEach(() => app.close())

const suspend = (reason = 'The invoice of May is open.') => app.stores.suspend(storeId, reason, null)
const resume = () => app.stores.resume(storeId, null)
const list = (token = machine, headers: Record<string, string> = {}) =>
  app.call('GET', '/v1/products', { token, headers })

describe('a suspended store', () => {
  test('refuses its token from the next request on, and says why and how it ends', async () => {
    expect((await list()).status).toBe(200)
    suspend()
    const answer = await list()
    expect(refusal(answer)).toEqual([403, 'store_suspended'])
    expect(answer.body).toMatchObject({
      message: expect.stringContaining('The store one is suspended: The invoice of May is open. Nothing'),
      details: {
        reason: 'The invoice of May is open.',
        suspended_at: '2030-01-01T00:00:00.000Z',
        delete_at: null,
        contact: expect.stringContaining('operator'),
      },
    })
    resume()
    expect((await list()).status).toBe(200)
  })

  test.each([
    ['GET', '/v1/products'],
    ['POST', '/v1/products'],
    ['POST', '/v1/products/bulk'],
    ['GET', '/v1/products/export'],
    ['POST', '/v1/search/text'],
    ['POST', '/v1/search/feedback'],
    ['GET', '/v1/changes'],
    ['GET', '/v1/jobs'],
    ['POST', '/v1/feeds'],
    ['GET', '/v1/security/overview'],
    ['GET', '/v1/security/audit'],
    ['POST', '/v1/security/client-secret/rotate'],
    ['GET', '/v1/store/settings'],
    ['POST', '/v1/search/webhooks'],
  ])('refuses %s %s before it looks at the body', async (method, path) => {
    suspend()
    const body = method === 'POST' ? { body: '{ not json' } : {}
    const headers = { 'content-type': 'application/json' }
    expect(refusal(await app.call(method, path, { token: machine, headers, ...body }))).toEqual([
      403,
      'store_suspended',
    ])
  })

  test('refuses its people, its API keys and a super-admin alike', async () => {
    const body = { name: 'sync', scopes: { products: ['read'] } }
    const made = await app.call('POST', '/v1/security/api-keys', { token: machine, body })
    const owner = await getToken(app, { email: 'one@shop.test' })
    const root = await getToken(app, await addPerson(app, 'root', [], { isSuperAdmin: true }))
    suspend()
    expect(refusal(await list(owner))).toEqual([403, 'store_suspended'])
    expect(refusal(await list(root, { 'x-service-active-tenant': 'one' }))).toEqual([403, 'store_suspended'])
    const headers = { 'x-api-key': String(made.body['key']) }
    expect(refusal(await app.call('GET', '/v1/products', { headers }))).toEqual([403, 'store_suspended'])
  })

  test('lets its people and programs sign in and read who they are', async () => {
    suspend()
    const owner = await getToken(app, { email: 'one@shop.test' })
    const me = await app.call('GET', '/v1/me', {
      token: owner,
      headers: { 'x-service-active-tenant': 'one' },
    })
    expect(me).toMatchObject({
      status: 200,
      body: {
        memberships: [{ slug: 'one', suspended_at: '2030-01-01T00:00:00.000Z' }],
        active_store: { slug: 'one', suspended_at: '2030-01-01T00:00:00.000Z' },
      },
    })
    expect((await app.call('GET', '/v1/me', { token: machine })).status).toBe(200)
    expect((await app.call('GET', '/v1/me/sessions', { token: owner })).status).toBe(200)
    expect((await app.call('GET', '/v1/billing/current-plan', { token: owner })).status).toBe(200)
    const refreshed = await app.call('POST', '/oauth/refresh', { token: machine })
    expect(refreshed.status).toBe(200)
    expect(refusal(await list(String(refreshed.body['access_token'])))).toEqual([403, 'store_suspended'])
  })

  test('leaves the other stores of its people alone', async () => {
    await app.store('two')
    const person = await addPerson(app, 'both', [{ store: 'one', role: 'admin' }])
    join(app, person.id, { store: 'two', role: 'admin' })
    const token = await getToken(app, person)
    suspend()
    expect((await list(token, { 'x-service-active-tenant': 'two' })).status).toBe(200)
    expect(refusal(await list(token, { 'x-service-active-tenant': 'one' }))).toEqual([403, 'store_suspended'])
    // The person's own account is no matter of the store, unless the request names it.
    expect((await app.call('GET', '/v1/security/2fa/status', { token })).status).toBe(401)
  })

  test('tells its owners by mail, and again when it works', async () => {
    suspend('Unpaid')
    await app.settle()
    expect(app.mails.map(({ to, subject }) => [to, subject])).toEqual([
      ['one@shop.test', 'Your store one is suspended'],
    ])
    expect(app.mails[0]?.text).toContain('The reason: Unpaid')
    expect(app.mails[0]?.text).toContain('write to the operator')
    resume()
    await app.settle()
    expect(app.mails[1]?.subject).toBe('Your store one works again')
  })
})

describe('a widget of a suspended store', () => {
  test('is refused with a header that lets the page read it, and learns nothing about the store', async () => {
    const body = { name: 'shop', origins: ['https://shop.test'] }
    const made = await app.call('POST', '/v1/security/public-keys', { token: machine, body })
    suspend('Unpaid')
    const headers = { 'x-service-key': String(made.body['key']), origin: 'https://shop.test' }
    const answer = await app.call('POST', '/v1/widget/search/text', { headers, body: { query: 'boots' } })
    expect(refusal(answer)).toEqual([403, 'store_suspended'])
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://shop.test')
    expect(JSON.stringify(answer.body)).not.toContain('Unpaid')
    const elsewhere = { ...headers, origin: 'https://other.test' }
    const refused = await app.call('POST', '/v1/widget/search/text', {
      headers: elsewhere,
      body: { query: 'x' },
    })
    expect(refusal(refused)).toEqual([403, 'origin_not_allowed'])
    resume()
    const works = await app.call('POST', '/v1/widget/search/text', { headers, body: { query: 'boots' } })
    expect(works.status).toBe(200)
  })
})
