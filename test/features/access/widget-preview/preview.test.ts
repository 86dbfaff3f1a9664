import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Answer, BASE_URL } from '../../../support/app.ts'
import { addPerson, from, getToken, join } from '../../../support/people.ts'
import { deleteRows, updateRows } from '../../../support/seed.ts'
import { makeKey, openWidgetShop, type WidgetShop } from '../../discovery/widget/widget-shop.ts'

const MINUTE_MS = 60_000
const LISTED = { host: 'portal.example', origin: 'https://portal.example' }

let shop: WidgetShop
/** The token of a person of the store, and their sign-in. */
let person: { id: string; token: string }

beforeEach(async () => {
  shop = await openWidgetShop()
  person = await signInAs('owner')
})
afterEach(() => shop.app.close())

async function signInAs(role: 'owner' | 'developer' | 'viewer', groups?: ['products:read'][]) {
  const { app } = shop
  const { id } = await addPerson(app, `${role}-${app.ids.uuid()}`, [
    { store: 'shop', role, ...(groups && { groups }) },
  ])
  return { id, token: await getToken(app, { email: String(emailOf(id)) }) }
}

const emailOf = (id: string): unknown =>
  shop.app.db.prepare('SELECT email FROM users WHERE id = ?').pluck().get(id)

const make = (token = person.token, id = shop.keyId, headers: Record<string, string> = {}) =>
  shop.app.call('POST', `/v1/security/public-keys/${id}/preview`, { token, headers })

const previewKey = async (token = person.token) => String((await make(token)).body['key'])

const search = (key: string, more: { origin?: string | null; use?: string; body?: unknown } = {}) => {
  const { origin = BASE_URL, use = 'text', body = { query: 'mugs' } } = more
  const headers = { 'x-service-key': key, ...(origin !== null && { origin }) }
  return shop.app.call('POST', `/v1/widget/search/${use}`, { body, headers })
}

const revoke = (token: string) =>
  shop.app.call('POST', '/oauth/revoke', { body: new URLSearchParams({ token }) })

const codeOf = ({ status, body }: Answer) => [status, body['error']]

describe('POST /v1/security/public-keys/{id}/preview', () => {
  test('200: a key, the page with it behind the #, and its end in 15 minutes', async () => {
    const { status, body, headers } = await make()
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(body).toEqual({
      key: expect.stringMatching(/^pk_preview_[0-9A-Za-z]{38}$/) as never,
      url: `${BASE_URL}/shop/portal/widget/preview#key=${body['key']}`,
      expires_at: new Date(shop.app.clock.now() + 15 * MINUTE_MS).toISOString(),
    })
  })

  test('the page is on the host that the person has open, and on BASE_URL for any other Origin', async () => {
    expect((await make(person.token, shop.keyId, LISTED)).body['url']).toStartWith(
      'https://portal.example/shop/',
    )
    const foreign = { host: 'portal.example', origin: 'https://evil.example' }
    expect((await make(person.token, shop.keyId, foreign)).body['url']).toStartWith(`${BASE_URL}/shop/`)
    const odd = { host: 'portal.example', origin: 'ftp://portal.example' }
    expect((await make(person.token, shop.keyId, odd)).body['url']).toStartWith(`${BASE_URL}/shop/`)
  })

  test('403 for the machine grant, an API key and a person who may not manage keys or search', async () => {
    expect(codeOf(await make(shop.token))).toEqual([403, 'permission_denied'])
    const scopes = { products: ['read'], search: ['execute'] }
    const apiKey = await shop.app.call('POST', '/v1/security/api-keys', {
      token: shop.token,
      body: { name: 'k', scopes },
    })
    expect(codeOf(await make(String(apiKey.body['key'])))).toEqual([403, 'permission_denied'])
    expect(codeOf(await make((await signInAs('viewer')).token))).toEqual([403, 'permission_denied'])
    const narrow = await make((await signInAs('developer', [['products:read']])).token)
    expect([narrow.status, narrow.body['details'] as object]).toEqual([403, { required: 'search:execute' }])
  })

  test('404 for a key of another store, and for none', async () => {
    const otherToken = await shop.app.signIn('two')
    const other = await makeKey(shop.app, otherToken)
    expect(codeOf(await make(person.token, other.id))).toEqual([404, 'not_found'])
    expect(codeOf(await make(person.token, 'nothing'))).toEqual([404, 'not_found'])
  })
})

describe('a preview key', () => {
  test('finds what the widget key finds, within its forced filters', async () => {
    const key = await previewKey()
    const { status, body } = await search(key)
    expect(status).toBe(200)
    expect(body['count']).toBeGreaterThan(0)
    const forced = await makeKey(shop.app, shop.token, {
      forced_filters: [{ field: 'product_id', operator: 'eq', value: 'nothing' }],
    })
    const narrow = String((await make(person.token, forced.id)).body['key'])
    expect((await search(narrow)).body['count']).toBe(0)
  })

  test('works for the page of this service alone', async () => {
    const key = await previewKey()
    for (const origin of ['https://shop.example', 'https://evil.example', 'null', `${BASE_URL}:81`])
      expect(codeOf(await search(key, { origin }))).toEqual([403, 'origin_not_allowed'])
    expect(codeOf(await search(key, { origin: null }))).toEqual([403, 'origin_missing'])
    const listed = String((await make(person.token, shop.keyId, LISTED)).body['key'])
    expect((await search(listed, { origin: LISTED.origin })).status).toBe(200)
    expect(codeOf(await search(listed))).toEqual([403, 'origin_not_allowed'])
  })

  test('ends after 15 minutes', async () => {
    const key = await previewKey()
    shop.app.clock.advance(15 * MINUTE_MS - 1)
    expect((await search(key)).status).toBe(200)
    shop.app.clock.advance(1)
    expect(codeOf(await search(key))).toEqual([401, 'unauthorized'])
  })

  test('outlives a refresh of the token, and ends with the sign-in', async () => {
    const key = await previewKey()
    const { body } = await shop.app.call('POST', '/oauth/refresh', { token: person.token })
    expect((await search(key)).status).toBe(200)
    await revoke(String(body['access_token']))
    expect(codeOf(await search(key))).toEqual([401, 'unauthorized'])
  })

  test('ends when the sign-in can no longer be refreshed', async () => {
    const key = await previewKey()
    updateRows(shop.app, 'sessions', { expires_at: shop.app.clock.now() }, { user_id: person.id })
    expect(codeOf(await search(key))).toEqual([401, 'unauthorized'])
  })

  test('does not end with another sign-in of the same person', async () => {
    const key = await previewKey()
    const second = await getToken(shop.app, { email: String(emailOf(person.id)) })
    await revoke(second)
    expect((await search(key)).status).toBe(200)
  })

  test('ends with the membership, the right to search, the widget key and the store', async () => {
    const key = await previewKey()
    deleteRows(shop.app, 'memberships', { user_id: person.id })
    expect(codeOf(await search(key))).toEqual([403, 'not_a_member'])
    join(shop.app, person.id, { store: 'shop', role: 'developer', groups: [['products:read']] })
    expect(codeOf(await search(key))).toEqual([403, 'permission_denied'])
    deleteRows(shop.app, 'user_group_members', { user_id: person.id })
    expect((await search(key)).status).toBe(200)
    updateRows(shop.app, 'stores', { suspended_at: 1 }, { slug: 'shop' })
    expect(codeOf(await search(key))).toEqual([403, 'store_suspended'])
    updateRows(shop.app, 'stores', { suspended_at: null }, { slug: 'shop' })
    deleteRows(shop.app, 'public_keys', { id: shop.keyId })
    expect(codeOf(await search(key))).toEqual([401, 'unauthorized'])
  })

  test('asks the IP list of the store, since a person searches', async () => {
    const key = await previewKey()
    const body = { ip_address: '203.0.113.0/24', force: true }
    await shop.app.call('POST', '/v1/security/ip-whitelist', { token: person.token, body })
    const headers = (address: string) => ({ 'x-service-key': key, origin: BASE_URL, ...from(address) })
    const ask = (address: string) =>
      shop.app.call('POST', '/v1/widget/search/text', { body: { query: 'mugs' }, headers: headers(address) })
    expect(codeOf(await ask('198.51.100.1'))).toEqual([403, 'ip_not_allowed'])
    expect((await ask('203.0.113.9')).status).toBe(200)
  })

  test('keeps to what the widget key allows', async () => {
    const feedbackOnly = await makeKey(shop.app, shop.token, { allowed: ['feedback'] })
    const key = String((await make(person.token, feedbackOnly.id)).body['key'])
    const { status, body } = await search(key)
    expect([status, body['details'] as object]).toEqual([403, { required: 'widget:text' }])
  })

  test('opens no other route', async () => {
    const key = await previewKey()
    for (const [method, path] of [
      ['GET', '/v1/products'],
      ['GET', '/v1/me'],
      ['GET', '/v1/security/public-keys'],
      ['POST', '/v1/search/text'],
    ] as const) {
      const sent = method === 'POST' ? { body: { query: 'mugs' } } : {}
      expect(codeOf(await shop.app.call(method, path, { token: key, ...sent }))).toEqual([
        401,
        'unauthorized',
      ])
      const headers = { 'x-api-key': key, origin: BASE_URL }
      expect(codeOf(await shop.app.call(method, path, { headers, ...sent }))).toEqual([401, 'unauthorized'])
    }
  })

  test('spends the searches of its person: 30 a minute over all previews, and none of key and plan', async () => {
    const keys = [await previewKey(), await previewKey()]
    for (let n = 0; n < 30; n++) expect((await search(String(keys[n % 2]))).status).toBe(200)
    const refused = await search(String(keys[0]))
    expect([codeOf(refused), refused.headers.get('ratelimit-policy')]).toEqual([
      [429, 'rate_limit_exceeded'],
      '"searches";q=30;w=60',
    ])
    expect((await shop.call('text', { query: 'mugs' })).status).toBe(200)
    const { body } = await shop.app.call('GET', `/v1/security/public-keys/${shop.keyId}`, {
      token: shop.token,
    })
    expect(body['refused_today']).toBe(0)
    shop.app.clock.advance(MINUTE_MS)
    expect((await search(String(keys[0]))).status).toBe(200)
  })

  test('all people of a store together have 60 searches a minute', async () => {
    const keys = [await previewKey()]
    for (let n = 0; n < 2; n++) keys.push(await previewKey((await signInAs('owner')).token))
    const statuses: number[] = []
    for (const key of keys) for (let n = 0; n < 25; n++) statuses.push((await search(key)).status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(60)
  })

  test('counts nothing: no search, no source, no event, nothing seen', async () => {
    const key = await previewKey()
    const { body } = await search(key, { body: { query: 'mugs', session_id: 'somebody' } })
    const click = {
      search_id: body['search_id'],
      result_product_id: (body['results'] as { product_id: string }[])[0]?.product_id,
      action: 'click',
    }
    const told = await search(key, { use: 'feedback', body: click })
    expect([told.status, told.body['warnings'] as string[]]).toEqual([201, ['A preview records nothing']])
    const list = await search(key, { use: 'feedback', body: { events: [click, click] } })
    expect([list.status, list.body['count'], (list.body['results'] as object[]).length]).toEqual([201, 0, 2])
    await shop.app.settle()
    const count = (table: string) => shop.app.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
    expect([count('feedback_events'), count('widget_traces')]).toEqual([0, 0])
    const row = shop.app.db
      .prepare('SELECT is_tracked, session_id, widget_key_id, page_origin FROM searches')
      .get()
    expect(row).toEqual({ is_tracked: 0, session_id: null, widget_key_id: null, page_origin: null })
    const analytics = await shop.app.call('GET', '/v1/search/analytics', { token: shop.token })
    expect((analytics.body['searches'] as { total: number }).total).toBe(0)
  })

  test('the eleventh of a sign-in ends the first', async () => {
    const keys: string[] = []
    for (let n = 0; n < 11; n++) keys.push(await previewKey())
    expect(codeOf(await search(String(keys[0])))).toEqual([401, 'unauthorized'])
    expect((await search(String(keys[1]))).status).toBe(200)
  })

  test('ends with what memory holds of its store', async () => {
    const key = await previewKey()
    shop.app.forgetStore(shop.app.stores.requireBySlug('shop').id)
    expect(codeOf(await search(key))).toEqual([401, 'unauthorized'])
  })
})

test('the preview page: for frames of this service alone, and without inline scripts', async () => {
  const response = await shop.app.http.handle(new Request(`${BASE_URL}/shop/portal/widget/preview`))
  const policy = response.headers.get('content-security-policy') ?? ''
  expect(response.status).toBe(200)
  expect(policy).toContain("frame-ancestors 'self'")
  expect(policy).toContain("script-src 'self';")
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toContain('unsafe-')
  const html = await response.text()
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/i)
})

test('no other page may stand in a frame', async () => {
  const response = await shop.app.http.handle(new Request(`${BASE_URL}/billing/plans`))
  expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
})
