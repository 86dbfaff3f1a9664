import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { PLAN_NAMES, PLANS } from '../../src/core/plans.ts'
import { type TestApp, testApp } from '../support/app.ts'

let app: TestApp

beforeEach(() => {
  app = testApp()
})
afterEach(() => app.close())

const list = (token: string) => app.call('GET', '/v1/products', { token })

const headersOf = ({ headers }: { headers: Headers }) =>
  Object.fromEntries([...headers].filter(([name]) => /ratelimit|retry-after/.test(name)))

describe('the plan budget (contract 6.2)', () => {
  test('free: ten requests a minute; the eleventh is 429 rate_limit_exceeded and says when to come back', async () => {
    const token = await app.signIn('one', 'free')
    for (let n = 1; n <= 10; n++) {
      const answer = await list(token)
      expect([n, answer.status]).toEqual([n, 200])
      expect(headersOf(answer)).toMatchObject({
        'ratelimit-policy': '"plan";q=10;w=60',
        ratelimit: `"plan";r=${10 - n};t=${60 - n + 1}`,
        'x-ratelimit-limit': '10',
        'x-ratelimit-remaining': String(10 - n),
      })
      app.clock.advance(1_000)
    }
    const refused = await list(token)
    expect([refused.status, refused.body['error']]).toEqual([429, 'rate_limit_exceeded'])
    expect(refused.body['details']).toEqual({ limit: 10, retry_after: 50 })
    expect(headersOf(refused)).toEqual({
      'ratelimit-policy': '"plan";q=10;w=60',
      ratelimit: '"plan";r=0;t=50',
      'retry-after': '50',
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '50',
    })
  })

  test('after Retry-After seconds the next request is allowed, and a second before it is not', async () => {
    const token = await app.signIn('one', 'free')
    for (let n = 0; n < 10; n++) await list(token)
    const { headers } = await list(token)
    const waitMs = Number(headers.get('retry-after')) * 1000
    app.clock.advance(waitMs - 1_000)
    expect((await list(token)).status).toBe(429)
    app.clock.advance(1_000)
    expect((await list(token)).status).toBe(200)
  })

  test.each(PLAN_NAMES.filter((plan) => Number.isFinite(PLANS[plan].requestsPerMinute)))(
    '%s: its own number',
    async (plan) => {
      const { headers } = await list(await app.signIn('one', plan))
      expect(headers.get('x-ratelimit-limit')).toBe(String(PLANS[plan].requestsPerMinute))
    },
  )

  test('enterprise: no limit and no headers about one', async () => {
    const token = await app.signIn('one', 'enterprise')
    for (let n = 0; n < 250; n++) expect((await list(token)).status).toBe(200)
    expect(headersOf(await list(token))).toEqual({})
  })

  test('two stores do not share a budget', async () => {
    const [one, two] = [await app.signIn('one', 'free'), await app.signIn('two', 'free')]
    for (let n = 0; n < 11; n++) await list(one)
    expect((await list(one)).status).toBe(429)
    expect((await list(two)).status).toBe(200)
  })

  test('two tokens of one store share its budget', async () => {
    const { client_id, client_secret } = await app.store('one', 'free')
    const body = () => new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })
    const token = async () =>
      String((await app.call('POST', '/oauth/token', { body: body() })).body['access_token'])
    const [first, second] = [await token(), await token()]
    for (let n = 0; n < 10; n++) await list(n % 2 ? first : second)
    expect((await list(first)).status).toBe(429)
  })

  test('a request with a body counts once, and refused ones count too', async () => {
    const token = await app.signIn('one', 'free')
    await app.call('POST', '/v1/search/text', { token, body: { query: '1' } })
    await app.call('POST', '/v1/search/text', { token, body: {} })
    await app.call('POST', '/v1/search/text', {
      token,
      body: '{',
      headers: { 'content-type': 'application/json' },
    })
    expect((await list(token)).headers.get('x-ratelimit-remaining')).toBe('6')
  })

  test('429 comes before the body is read, and nothing is done', async () => {
    const token = await app.signIn('one', 'free')
    for (let n = 0; n < 10; n++) await list(token)
    const body = { product_id: 'sku-1', image_url: app.picture('a', 1) }
    expect((await app.call('POST', '/v1/products', { token, body })).status).toBe(429)
    expect(app.downloads).toEqual([])
  })

  test('a stranger spends nobody’s budget', async () => {
    const token = await app.signIn('one', 'free')
    for (let n = 0; n < 20; n++) await app.call('GET', '/v1/products')
    const headers = { 'x-service-active-tenant': 'other' }
    for (let n = 0; n < 20; n++)
      expect((await app.call('GET', '/v1/products', { token, headers })).status).toBe(403)
    expect((await list(token)).headers.get('x-ratelimit-remaining')).toBe('9')
  })

  test('a new plan counts from the next request on, for tokens given before as well', async () => {
    const token = await app.signIn('one', 'free')
    for (let n = 0; n < 11; n++) await list(token)
    app.setPlan('one', 'basic')
    const answer = await list(token)
    expect([answer.status, answer.headers.get('x-ratelimit-remaining')]).toEqual([200, '49'])
  })
})
