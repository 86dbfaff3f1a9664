import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { decodeJwt } from 'jose'
import { type Answer, type TestApp, testApp } from '../support/app.ts'
import { addPerson, getToken, join, type Person, refusal } from '../support/people.ts'

let app: TestApp
let owner: Person
/** A login of the owner, the machine grant and an API key of a store on the free plan. */
let person: string
let machine: string
let key: { id: string; key: string }

const KEYS = '/v1/security/api-keys'

beforeEach(async () => {
  app = testApp()
  machine = await app.signIn('one', 'free')
  owner = await addPerson(app, 'anna', [{ store: 'one', role: 'owner' }])
  person = await getToken(app, owner)
  const body = { name: 'leaked', scopes: { products: 'read' } }
  key = (await app.call('POST', KEYS, { token: person, body })).body as typeof key
})
afterEach(() => app.close())

const get = (path: string, token: string) => app.call('GET', path, { token })

/** The name of the budget that a call has spent. */
const policyOf = ({ headers }: Answer) => /^"(\w+)"/.exec(headers.get('ratelimit-policy') ?? '')?.[1]
const leftOf = ({ headers }: Answer) => Number(headers.get('x-ratelimit-remaining'))

/** Spends the whole budget of the plan with the leaked key. */
async function drainPlan(): Promise<void> {
  for (let n = 0; n < 10; n++) await get('/v1/products', key.key)
  expect((await get('/v1/products', key.key)).status).toBe(429)
}

test('a body, which is parsed in between, changes no budget, and one request is spent', async () => {
  const body = { name: 'k', scopes: { products: 'read' } }
  const before = leftOf(await get(KEYS, person))
  const answer = await app.call('POST', KEYS, { token: person, body })
  expect([answer.status, policyOf(answer), leftOf(answer)]).toEqual([201, 'person', before - 1])
})

describe('a thief who spends the plan dry with a leaked key', () => {
  test('keeps the owner from nothing: 70 calls in 70 seconds', async () => {
    const session = String(decodeJwt(person)['sid'])
    const calls: [string, string, number][] = [
      ['DELETE', `${KEYS}/none`, 404],
      ['GET', '/v1/me/sessions', 200],
      ['GET', '/v1/security/2fa/status', 200],
      ['POST', '/v1/security/client-secret/rotate', 200],
      ['GET', '/v1/security/ip-whitelist', 200],
      ['GET', '/v1/security/overview', 200],
      ['GET', '/v1/security/audit', 200],
    ]
    await drainPlan()
    for (let n = 0; n < 70; n++) {
      app.clock.advance(1_000)
      const [method, path, status] = calls[n % calls.length] as (typeof calls)[number]
      await get('/v1/products', key.key)
      expect([n, path, (await app.call(method, path, { token: person })).status]).toEqual([n, path, status])
    }
    app.clock.advance(1_000)
    expect((await app.call('DELETE', `${KEYS}/${key.id}`, { token: person })).status).toBe(200)
    expect(refusal(await get('/v1/products', key.key))).toEqual([401, 'unauthorized'])
    app.clock.advance(1_000)
    expect((await app.call('DELETE', `/v1/me/sessions/${session}`, { token: person })).status).toBe(200)
  })

  test('does not keep a backend from managing keys either', async () => {
    await drainPlan()
    expect((await app.call('DELETE', `${KEYS}/${key.id}`, { token: machine })).status).toBe(200)
  })

  test('has nothing but the plan’s budget, also where every credential is welcome', async () => {
    for (let n = 0; n < 10; n++) expect((await get('/v1/me', key.key)).status).toBe(200)
    const refused = await get('/v1/me', key.key)
    expect(refusal(refused)).toEqual([429, 'rate_limit_exceeded'])
    expect([policyOf(refused), refused.body['message']]).toEqual([
      'plan',
      'The plan allows 10 requests a minute',
    ])
  })
})

describe('the budget of a login', () => {
  test('is 60 calls a minute, for all stores together', async () => {
    await app.store('two')
    await addPerson(app, 'bert', [
      { store: 'one', role: 'owner' },
      { store: 'two', role: 'owner' },
    ])
    const bert = await getToken(app, { email: 'bert@people.test' })
    const list = (slug: string) =>
      app.call('GET', KEYS, { token: bert, headers: { 'x-service-active-tenant': slug } })
    for (let n = 0; n < 60; n++) expect((await list(n % 2 ? 'one' : 'two')).status).toBe(200)
    const refused = await list('one')
    expect(refusal(refused)).toEqual([429, 'rate_limit_exceeded'])
    expect(refused.body['message']).toContain('A sign-in allows 60 requests a minute')
    expect(refused.headers.get('retry-after')).toBe('60')
    app.clock.advance(60_000)
    expect((await list('one')).status).toBe(200)
  })

  test('leaves the plan’s alone, which writes and searches of a person still spend', async () => {
    for (let n = 0; n < 60; n++) await get('/v1/me', person)
    const search = () => app.call('POST', '/v1/search/text', { token: person, body: { query: '1' } })
    const answer = await search()
    expect([answer.status, policyOf(answer), leftOf(answer)]).toEqual([200, 'plan', 9])
    await drainPlan().catch(() => {})
    expect(refusal(await search())).toEqual([429, 'rate_limit_exceeded'])
    expect(refusal(await app.call('DELETE', '/v1/products/none', { token: person }))).toEqual([
      429,
      'rate_limit_exceeded',
    ])
  })

  test('is separate for each login, so a thief cannot keep the person from ending a stolen one', async () => {
    for (let n = 0; n < 61; n++) await get('/v1/me/sessions', person)
    expect((await get('/v1/me/sessions', person)).status).toBe(429)
    const other = await getToken(app, owner)
    expect((await app.call('DELETE', '/v1/me/sessions', { token: other })).status).toBe(200)
    expect(refusal(await get('/v1/me/sessions', person))).toEqual([401, 'unauthorized'])
  })

  test('goes on with the next token of the login: refreshing renews nothing', async () => {
    for (let n = 0; n < 59; n++) await get('/v1/me', person)
    const { body } = await app.call('POST', '/oauth/refresh', { token: person })
    expect((await get('/v1/me', String(body['access_token']))).status).toBe(429)
  })
})

describe('what a person only reads', () => {
  const PAGES = ['/v1/products', '/v1/jobs', '/v1/feeds', '/v1/search/analytics', '/v1/search/webhooks']

  /** Reads the pages of a portal in turn; gives the answers that are not 200. */
  async function readPages(token: string, count: number): Promise<Answer[]> {
    const refused: Answer[] = []
    for (let n = 0; n < count; n++) {
      const answer = await get(PAGES[n % PAGES.length] as string, token)
      if (answer.status !== 200) refused.push(answer)
    }
    return refused
  }

  test('spends nothing of the plan, is no API call, and goes on when the plan is spent', async () => {
    expect(await readPages(person, 100)).toEqual([])
    const usage = await get('/v1/billing/usage', person)
    expect(usage.body['api_calls']).toBe(0)
    await drainPlan()
    expect(await readPages(person, 5)).toEqual([])
    app.clock.advance(60_000)
    expect(leftOf(await get('/v1/products', machine))).toBe(9)
  })

  test('is 240 requests a minute for a person, whatever the sign-in and the store', async () => {
    await app.store('two')
    join(app, owner.id, { store: 'two', role: 'viewer' })
    const other = await getToken(app, owner)
    const list = (token: string, slug: string) =>
      app.call('GET', '/v1/products', { token, headers: { 'x-service-active-tenant': slug } })
    for (let n = 0; n < 240; n++) {
      const answer = await list(n % 2 ? person : other, n % 3 ? 'one' : 'two')
      expect([n, answer.status, policyOf(answer)]).toEqual([n, 200, 'reads'])
    }
    const refused = await list(person, 'two')
    expect(refusal(refused)).toEqual([429, 'rate_limit_exceeded'])
    expect([policyOf(refused), refused.body['message'], refused.headers.get('retry-after')]).toEqual([
      ...['reads', 'A person may send 240 requests a minute outside the plan', '60'],
    ])
    app.clock.advance(60_000)
    expect((await list(person, 'one')).status).toBe(200)
  })

  test('is 960 for all people of a store together, and takes nothing from another store', async () => {
    await app.store('two', 'free')
    const tokens: string[] = []
    for (const name of ['bea', 'cem', 'dan', 'eve', 'fay']) {
      const places = [{ store: name === 'fay' ? 'two' : 'one', role: 'viewer' as const }]
      tokens.push(await getToken(app, await addPerson(app, name, places)))
    }
    for (const token of tokens.slice(0, 4)) expect(await readPages(token, 235)).toEqual([])
    expect(await readPages(person, 20)).toEqual([])
    // Also the last request of a person’s own budget is refused where that of all is spent.
    for (const token of tokens.slice(0, 4)) expect(await readPages(token, 5)).toHaveLength(5)
    const refused = await get('/v1/products', person)
    expect([refused.status, policyOf(refused), refused.body['message']]).toEqual([
      ...[429, 'people', 'All people of a store together may send 960 requests a minute outside the plan'],
    ])
    expect((await get('/v1/products', tokens[4] as string)).status).toBe(200)
    expect((await get('/v1/products', machine)).status).toBe(200)
  })
})

describe('the budget of a machine grant', () => {
  test.each(['free', 'premium'] as const)('is 30 calls a minute on the plan %s', async (plan) => {
    app.setPlan('one', plan)
    for (let n = 0; n < 30; n++) expect((await get(KEYS, machine)).status).toBe(200)
    const refused = await get('/v1/me', machine)
    expect(refusal(refused)).toEqual([429, 'rate_limit_exceeded'])
    expect([policyOf(refused), refused.body['message'], refused.body['details'] as object]).toEqual([
      'security',
      'A machine grant allows 30 requests a minute about the store’s security',
      { limit: 30, retry_after: 60 },
    ])
    expect((await get('/v1/products', machine)).status).toBe(200)
    expect((await get(KEYS, person)).status).toBe(200)
  })

  test('has no end on a plan without limits, and no headers about one', async () => {
    app.setPlan('one', 'enterprise')
    for (let n = 0; n < 100; n++) expect((await get(KEYS, machine)).status).toBe(200)
    expect(policyOf(await get(KEYS, machine))).toBeUndefined()
    expect(policyOf(await get(KEYS, person))).toBe('person')
  })

  test('is one for all tokens of the store, and another for another store', async () => {
    const other = await app.signIn('two', 'free')
    const id = app.stores.requireBySlug('one').id
    const second = await app.signToken(
      { sub: id, jti: app.ids.uuid(), user_type: 'client', generation: 1 },
      3600,
    )
    for (let n = 0; n < 30; n++) await get(KEYS, n % 2 ? machine : second)
    expect((await get(KEYS, second)).status).toBe(429)
    expect((await get(KEYS, other)).status).toBe(200)
  })
})
