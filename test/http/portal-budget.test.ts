import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Answer, TestApp } from '../support/app.ts'
import { addPerson, getToken, type Person, proxiedApp, refusal } from '../support/people.ts'
import { openPortal } from '../support/portal.ts'

let app: TestApp
let owner: Person
/** A sign-in of the owner in the portal, and the machine grant, of a store on the free plan: 10 requests a minute. */
let portal: string
let machine: string

beforeEach(async () => {
  app = proxiedApp()
  machine = await app.signIn('one', 'free')
  owner = await addPerson(app, 'anna', [{ store: 'one', role: 'owner' }])
  portal = (await openPortal(app, owner)).token
})
afterEach(() => app.close())

const policyOf = ({ headers }: Answer) => /^"(\w+)"/.exec(headers.get('ratelimit-policy') ?? '')?.[1]
const leftOf = ({ headers }: Answer) => Number(headers.get('x-ratelimit-remaining'))
const search = (token: string) => app.call('POST', '/v1/search/text', { token, body: { query: 'a cup' } })
const list = (token: string) => app.call('GET', '/v1/products', { token })
const readCalls = async () =>
  (await app.call('GET', '/v1/billing/usage', { token: portal })).body['api_calls']

/** What the backend has left of the plan, with the request that asks. */
const leftOfPlan = async () => leftOf(await list(machine))

describe('a person in the portal', () => {
  const product = { product_id: 'cup', image_url: 'https://img.test/cup.jpg' }

  test.each<[string, string, string, unknown, string]>([
    ['reads', 'GET', '/v1/products', undefined, 'reads'],
    ['deletes a product', 'DELETE', '/v1/products/none', undefined, 'reads'],
    ['deletes a selection', 'DELETE', '/v1/products', { filters: [], dry_run: true }, 'reads'],
    ['changes a setting', 'PATCH', '/v1/store/settings', { duplicate_threshold: 0.9 }, 'reads'],
    ['makes a webhook', 'POST', '/v1/search/webhooks', {}, 'reads'],
    ['searches', 'POST', '/v1/search/text', { query: 'a cup' }, 'searches'],
    ['looks for similar products', 'GET', '/v1/products/none/similar', undefined, 'searches'],
    ['signs out elsewhere', 'DELETE', '/v1/me/sessions', undefined, 'person'],
    ['adds a product', 'POST', '/v1/products', product, 'plan'],
    ['replaces a product', 'PUT', '/v1/products/cup', product, 'plan'],
    ['changes a product', 'PATCH', '/v1/products/cup', { metadata: {} }, 'plan'],
    ['adds many', 'POST', '/v1/products/bulk', { products: [product] }, 'plan'],
    ['adds the demo', 'POST', '/v1/products/demo', undefined, 'plan'],
  ])('who %s', async (_what, method, path, body, policy) => {
    app.picture('cup', 1)
    const answer = await app.call(method, path, { token: portal, body })
    expect(policyOf(answer)).toBe(policy)
    const isOfPlan = policy === 'plan'
    expect(await readCalls()).toBe(isOfPlan ? 1 : 0)
    expect(await leftOfPlan()).toBe(isOfPlan ? 8 : 9)
  })

  test('searches thirty times a minute, also when the plan is spent, in all stores together', async () => {
    for (let n = 0; n < 10; n++) await list(machine)
    expect((await list(machine)).status).toBe(429)
    const second = (await openPortal(app, owner)).token
    for (let n = 0; n < 30; n++) expect((await search(n % 2 ? portal : second)).status).toBe(200)
    const refused = await search(portal)
    expect(refusal(refused)).toEqual([429, 'rate_limit_exceeded'])
    expect([policyOf(refused), refused.body['message'], refused.headers.get('retry-after')]).toEqual([
      'searches',
      'A person may search 30 times a minute in the portal',
      '60',
    ])
    // The pages go on.
    expect((await list(portal)).status).toBe(200)
    app.clock.advance(60_000)
    expect((await search(portal)).status).toBe(200)
    expect(await readCalls()).toBe(10)
  })

  test('a batch counts its entries, and says which were too many', async () => {
    const body = { queries: Array.from({ length: 20 }, () => ({ type: 'text', query: 'a cup' })) }
    const send = () => app.call('POST', '/v1/search/batch', { token: portal, body })
    const statuses = ({ body: answer }: Answer) =>
      (answer['results'] as { status: number }[]).map(({ status }) => status)
    expect(statuses(await send())).toEqual(Array(20).fill(200))
    expect(statuses(await send())).toEqual([...Array(10).fill(200), ...Array(10).fill(429)])
    expect((await search(portal)).status).toBe(429)
  })

  test('has 240 requests a minute for the account and the security of a store', async () => {
    for (let n = 0; n < 240; n++) {
      expect((await app.call('GET', '/v1/me', { token: portal })).status).toBe(200)
    }
    const refused = await app.call('GET', '/v1/me', { token: portal })
    expect([refused.status, policyOf(refused)]).toEqual([429, 'person'])
  })
})

test('with a token of /oauth/login, searches, deletions and settings spend the plan as ever', async () => {
  const token = await getToken(app, owner)
  await search(token)
  await app.call('DELETE', '/v1/products/none', { token })
  await app.call('PATCH', '/v1/store/settings', { token, body: {} })
  expect(await readCalls()).toBe(3)
  expect(await leftOfPlan()).toBe(6)
})

test('a backend that signs in as fifty people does not get past its plan', async () => {
  const tokens: string[] = []
  for (let n = 0; n < 50; n++) {
    const person = await addPerson(app, `person-${n}`, [{ store: 'one', role: 'developer' }])
    tokens.push((await openPortal(app, person)).token)
  }
  const count = async (send: (token: string) => Promise<Answer>) => {
    let answered = 0
    for (let n = 0; n < 30; n++) {
      for (const token of tokens) if ((await send(token)).status < 400) answered += 1
    }
    return answered
  }
  expect(await count(search)).toBe(60)
  const refused = await search(portal)
  expect([policyOf(refused), refused.body['message']]).toEqual([
    'people_searches',
    'All people of a store together may search 60 times a minute in the portal',
  ])
  expect(await count(list)).toBe(960)
  app.picture('cup', 1)
  const add = (token: string) =>
    app.call('POST', '/v1/products', {
      token,
      body: { product_id: 'cup', image_url: 'https://img.test/cup.jpg' },
    })
  expect(await count(add)).toBe(10)
  // Searches with tokens of /oauth/login cost the plan, which is spent.
  expect((await search(await getToken(app, owner))).status).toBe(429)
  // Another store has budgets of its own.
  const other = await app.signIn('two', 'free')
  expect((await search(other)).status).toBe(200)
})
