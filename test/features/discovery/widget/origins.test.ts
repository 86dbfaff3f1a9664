import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ApiError } from '../../../../src/core/errors.ts'
import { recordBar } from '../../../robustness/bars.ts'
import type { Answer } from '../../../support/app.ts'
import { addPerson, getToken } from '../../../support/people.ts'
import { makeKey, ORIGIN, openWidgetShop, refusalOf, type WidgetShop, widgetHeaders } from './widget-shop.ts'

let shop: WidgetShop

beforeAll(async () => {
  shop = await openWidgetShop()
})
afterAll(() => shop.app.close())

const MUGS = { query: 'mugs' }
const USES = ['text', 'upload', 'url'] as const

const corsOf = ({ headers }: Answer) => ({
  allowed: headers.get('access-control-allow-origin'),
  vary: headers.get('vary'),
  exposed: headers.get('access-control-expose-headers'),
  credentials: headers.get('access-control-allow-credentials'),
})

const EXPOSED =
  'Retry-After, RateLimit, RateLimit-Policy, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id, X-Lookalike-Node'

const READABLE = { allowed: ORIGIN, vary: 'Origin', exposed: EXPOSED, credentials: null }

/** Origins near the one of the key, as a hostile page, a program or a mistake sends them. */
const HOSTILE = [
  'null',
  'NULL',
  '*',
  'https://*',
  'https://*.example',
  'file://',
  'about:blank',
  'data:',
  'blob:https://shop.example',
  'chrome-extension://shop.example',
  'http://shop.example',
  'ws://shop.example',
  '//shop.example',
  'shop.example',
  'https://',
  'https://shop.example/',
  'https://shop.example//',
  'https://shop.example/path',
  'https://shop.example?',
  'https://shop.example#',
  'https://shop.example.',
  'https://shop.example.evil.example',
  'https://shop.examplee',
  'https://shop.exampl',
  'https://evil-shop.example',
  'https://evilshop.example',
  'https://www.shop.example',
  'https://shopxexample',
  'https://shop.example:443',
  'https://shop.example:80',
  'https://shop.example:8443',
  'https://shop.example:',
  'http://localhost',
  'https://127.0.0.1',
  'HTTPS://shop.example',
  'https://SHOP.example',
  'https://Shop.Example',
  'https://user@shop.example',
  'https://shop.example@evil.example',
  'https://evil.example#https://shop.example',
  'https://shop.example,https://shop.example',
  'https://shop.example, https://evil.example',
  'https://shop.example https://evil.example',
  'https://shop%2eexample',
  'https://shop.ex\u00e4mple',
  '"https://shop.example"',
  `https://shop.example${'e'.repeat(5_000)}`,
]

/** Those of {@link HOSTILE} that were refused. */
const refused = new Set<string>()

describe('a page that the key does not list (contract 10.2)', () => {
  test.each(HOSTILE)(
    '%p: 403 origin_not_allowed, which the page can read, and nothing is searched',
    async (origin) => {
      const answer = await shop.call('text', MUGS, widgetHeaders(shop.key, origin))
      if (answer.status === 403) refused.add(origin)
      expect(refusalOf(answer)).toEqual([403, 'origin_not_allowed'])
      const isOrigin = /^[\x21-\x7e]{1,300}$/.test(origin)
      expect(corsOf(answer)).toEqual({ ...READABLE, allowed: isOrigin ? origin : null })
      expect(answer.headers.get('ratelimit')).toBeNull()
    },
  )

  test.each(USES)('%s: 403 origin_missing without Origin; no page has to read it', async (use) => {
    const answer = await shop.call(use, MUGS, widgetHeaders(shop.key, null))
    expect(refusalOf(answer)).toEqual([403, 'origin_missing'])
    expect(corsOf(answer)).toEqual({ ...READABLE, allowed: null })
  })

  test.each(USES)('%s: 401 for an unknown key and for none, which the page can read', async (use) => {
    for (const key of [`pk_live_${'0'.repeat(38)}`, `${shop.key}0`, 'sk_live_x', '']) {
      const answer = await shop.call(use, MUGS, widgetHeaders(key))
      expect([...refusalOf(answer), corsOf(answer)]).toEqual([401, 'unauthorized', READABLE])
    }
    const { 'x-service-key': _, ...none } = widgetHeaders('')
    expect(refusalOf(await shop.call(use, MUGS, none))).toEqual([401, 'unauthorized'])
  })

  test('no other credential works', async () => {
    const { 'x-service-key': _, ...none } = widgetHeaders('')
    const headers = { ...none, authorization: `Bearer ${shop.token}` }
    expect(refusalOf(await shop.call('text', MUGS, headers))).toEqual([401, 'unauthorized'])
  })

  test('its body is not read', async () => {
    const headers = { ...widgetHeaders(shop.key, 'https://evil.example'), 'content-type': 'application/json' }
    expect(refusalOf(await shop.call('text', '{', headers))).toEqual([403, 'origin_not_allowed'])
  })
})

describe('a preflight', () => {
  const preflight = (path: string, origin: string) =>
    shop.app.call('OPTIONS', path, {
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,x-service-key',
      },
    })

  test.each(['text', 'upload', 'url', 'feedback'])(
    'of %s passes for every origin: it names no key',
    async (use) => {
      for (const origin of [ORIGIN, 'https://evil.example', 'null']) {
        const answer = await preflight(`/v1/widget/search/${use}`, origin)
        expect([answer.status, answer.body['text']]).toEqual([204, ''])
        expect(corsOf(answer)).toEqual({ allowed: origin, vary: 'Origin', exposed: null, credentials: null })
        const { headers } = answer
        expect(headers.get('access-control-allow-methods')).toBe('GET, POST')
        expect(headers.get('access-control-allow-headers')).toBe(
          'Content-Type, X-Service-Key, Idempotency-Key',
        )
        expect(headers.get('access-control-max-age')).toBe('86400')
        expect(headers.get('x-request-id')).toBeString()
      }
    },
  )

  test.each([
    '/v1/search/text',
    '/v1/search',
    '/v1/products',
    '/oauth/token',
    '/v1/widgets',
    '/v1/widget',
    '/v1/me?/v1/widget/',
  ])('of %s passes for nobody, and no answer there names an origin', async (path) => {
    const refused = await preflight(path, ORIGIN)
    expect(refused.status).toBeWithin(400, 500)
    const called = await shop.app.call('POST', path, { headers: widgetHeaders(shop.key), body: MUGS })
    expect(called.status).toBeWithin(400, 500)
    for (const answer of [refused, called]) {
      expect(corsOf(answer)).toMatchObject({ allowed: null, exposed: null, credentials: null })
    }
  })
})

describe('every answer can be read by the page that asked', () => {
  const from = () => widgetHeaders(shop.key)
  const json = () => ({ ...from(), 'content-type': 'application/json' })

  test.each<[what: string, status: number, ask: () => Promise<Answer>]>([
    ['200', 200, () => shop.call('text', MUGS)],
    ['400', 400, () => shop.call('text', '{', json())],
    ['404 for a forgotten picture', 404, () => shop.call('url', { image_id: 'none' })],
    ['404 for no endpoint', 404, () => shop.call('nothing', MUGS)],
    ['405', 405, () => shop.app.call('GET', '/v1/widget/search/text', { headers: from() })],
    ['413', 413, () => shop.call('text', `"${'x'.repeat(300_000)}"`, json())],
    ['413 for a picture', 413, () => shop.call('upload', shop.upload({ more: 'x'.repeat(5_000_000) }))],
    ['415', 415, () => shop.call('text', 'x', from())],
    ['422', 422, () => shop.call('text', {})],
    ['422 for a picture', 422, () => shop.call('url', { image_url: 'https://img.test/none' })],
  ])('%s', async (_what, status, ask) => {
    const answer = await ask()
    expect([answer.status, corsOf(answer)]).toEqual([status, READABLE])
    expect(answer.headers.get('x-request-id')).toBeString()
  })

  test('403 permission_denied for what the key does not allow, by use', async () => {
    const { key } = await makeKey(shop.app, shop.token, { allowed: ['feedback', 'upload'] })
    for (const use of ['text', 'url']) {
      const answer = await shop.call(use, MUGS, widgetHeaders(key))
      expect([...refusalOf(answer), answer.body['details'], corsOf(answer)]).toEqual([
        403,
        'permission_denied',
        { required: `widget:${use}` },
        READABLE,
      ])
    }
    expect((await shop.call('upload', shop.upload(), widgetHeaders(key))).status).toBe(200)
  })
})

test('503 and 500 can be read, too, and 503 says when to come back', async () => {
  const own = await openWidgetShop()
  const { app } = own
  try {
    const faults = [new ApiError('overloaded', 'Too busy', { retryAfterSeconds: 3 }), new Error('a bug')]
    const { embedder } = own
    embedder.embedText = async () => {
      throw faults.shift()
    }
    const busy = await own.call('text', { query: 'anything' })
    expect([...refusalOf(busy), corsOf(busy), busy.headers.get('retry-after')]).toEqual([
      503,
      'overloaded',
      READABLE,
      '3',
    ])
    const broken = await own.call('text', { query: 'anything' })
    expect([...refusalOf(broken), corsOf(broken)]).toEqual([500, 'internal_error', READABLE])
  } finally {
    await app.close()
  }
})

test('the store’s IP list does not apply to shoppers', async () => {
  const { app, token } = shop
  const body = { ip_address: '127.0.0.1' }
  const store = String(app.db.prepare('SELECT slug FROM stores').pluck().get())
  const owner = await getToken(app, await addPerson(app, 'olga', [{ store, role: 'owner' }]))
  expect((await app.call('POST', '/v1/security/ip-whitelist', { token: owner, body })).status).toBe(201)
  const away = { 'x-forwarded-for': '203.0.113.9' }
  expect(refusalOf(await app.call('GET', '/v1/products', { token, headers: away }))).toEqual([
    403,
    'ip_not_allowed',
  ])
  const headers = { ...widgetHeaders(shop.key), ...away }
  expect((await shop.call('text', MUGS, headers)).status).toBe(200)
})

test('bar 25: every origin near the one of the key is refused, and that one is not', async () => {
  const own = await shop.call('text', MUGS, widgetHeaders(shop.key, ORIGIN))
  const isMet = refused.size === HOSTILE.length && own.status === 200
  const measured = `${refused.size} of ${HOSTILE.length} near origins refused, the exact one ${own.status}`
  recordBar({ bar: 25, part: 'origins', on: 'process', n: HOSTILE.length, measured, isMet })
  expect([isMet, measured]).toEqual([true, measured])
})
