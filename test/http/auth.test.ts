import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Elysia, t } from 'elysia'
import { SignJWT, UnsecuredJWT } from 'jose'
import type { Caller, Permission } from '../../src/core/actor.ts'
import { signInFirst } from '../../src/core/errors.ts'
import { createTokens } from '../../src/http/access-tokens.ts'
import { jsonBody } from '../../src/http/body.ts'
import { errorPlugin } from '../../src/http/errors.ts'
import { createGuards } from '../../src/http/guards.ts'
import { createRequestCheck } from '../../src/http/request-check.ts'
import { JWT_SECRET, manualClock, type TestApp, testApp } from '../support/app.ts'
import { freshIdempotency, NO_WIDGETS, PERSON, UNLIMITED, WORKING_STORES } from '../support/permissions.ts'
import { deleteStore, insertRow } from '../support/seed.ts'

let app: TestApp

beforeAll(() => {
  app = testApp()
})
afterAll(() => app.close())

const refusal = ({ status, body }: { status: number; body: Record<string, unknown> }) => [
  status,
  body['error'],
]

/** Claims of a good token for a store, and a way to sign anything with any key. */
async function forge(change: { claims?: object; header?: object; key?: string } = {}) {
  const { store_id } = await app.store(app.newSlug())
  const nowSeconds = app.clock.now() / 1000
  const claims = {
    sub: store_id,
    jti: 'j-1',
    user_type: 'client',
    exp: nowSeconds + 60,
    iat: nowSeconds,
    ...change.claims,
  }
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT', ...change.header })
    .sign(new TextEncoder().encode(change.key ?? JWT_SECRET))
}

describe('401 unauthorized', () => {
  test.each([
    ['another scheme', 'Basic abc'],
    ['no token', 'Bearer'],
    ['no token but spaces', 'Bearer    '],
    ['two tokens', 'Bearer a b'],
    ['no JWT', 'Bearer abc'],
    ['empty parts', 'Bearer ..'],
    ['an API key that nobody has', 'Bearer sk_live_0000000000000000000000000000000000000'],
  ])('%s', async (_, authorization) => {
    expect(refusal(await app.call('GET', '/v1/products', { headers: { authorization } }))).toEqual([
      401,
      'unauthorized',
    ])
  })

  test.each<[string, () => Promise<string>]>([
    ['another key', () => forge({ key: 'another secret of at least 32 bytes!!' })],
    ['another algorithm of the same key', () => forge({ header: { alg: 'HS512' } })],
    ['another type of token', () => forge({ header: { typ: 'reset+jwt' } })],
    ['no type', () => forge({ header: { typ: undefined } })],
    ['no subject', () => forge({ claims: { sub: undefined } })],
    ['no jti', () => forge({ claims: { jti: undefined } })],
    ['no expiry', () => forge({ claims: { exp: undefined } })],
    ['no kind of user', () => forge({ claims: { user_type: undefined } })],
    ['an unknown kind of user', () => forge({ claims: { user_type: 'admin' } })],
    ['a person without a sign-in', () => forge({ claims: { user_type: 'user' } })],
    ['an unknown store', () => forge({ claims: { sub: 'nobody' } })],
    [
      'no signature: alg none',
      async () => new UnsecuredJWT({ sub: 'x', jti: 'j', user_type: 'client', exp: 9e9 }).encode(),
    ],
    ['a signature cut short', async () => (await forge()).slice(0, -4)],
    ['a changed signature', async () => (await forge()).replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'))],
    [
      'a changed payload',
      async () => (await forge()).replace(/\.[^.]+\./, `.${btoa('{"sub":"x"}').replace(/=/g, '')}.`),
    ],
  ])('%s', async (_, token) => {
    const answer = await app.call('GET', '/v1/products', { token: await token() })
    expect(refusal(answer)).toEqual([401, 'unauthorized'])
    expect(answer.body['message']).toBe('The credentials are not valid')
  })

  test('the unchanged token is accepted, so each of these was refused for its own fault', async () => {
    expect((await app.call('GET', '/v1/products', { token: await forge() })).status).toBe(200)
  })

  test('the scheme is not case-sensitive (RFC 9110 §11.1)', async () => {
    const headers = { authorization: `bEARER ${await forge()}` }
    expect((await app.call('GET', '/v1/products', { headers })).status).toBe(200)
  })

  test('a revoked token', async () => {
    const token = await forge({ claims: { jti: 'revoked-1' } })
    expect((await app.call('GET', '/v1/products', { token })).status).toBe(200)
    insertRow(app, 'revoked_tokens', { jti: 'revoked-1', expires_at: app.clock.now() + 1e9 })
    expect(refusal(await app.call('GET', '/v1/products', { token }))).toEqual([401, 'unauthorized'])
  })

  test('a store that is gone', async () => {
    const slug = app.newSlug()
    const token = await app.signIn(slug)
    deleteStore(app, slug)
    expect(refusal(await app.call('GET', '/v1/products', { token }))).toEqual([401, 'unauthorized'])
  })
})

describe('401 token_expired (contract 4.2)', () => {
  test('not in the last second of the 3600, and from then on', async () => {
    const token = await app.signIn(app.newSlug())
    app.clock.advance(3_599_000)
    expect((await app.call('GET', '/v1/products', { token })).status).toBe(200)
    app.clock.advance(1_000)
    const answer = await app.call('GET', '/v1/products', { token })
    expect(refusal(answer)).toEqual([401, 'token_expired'])
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="lookalike", error="invalid_token"')
    app.clock.advance(365 * 24 * 3_600_000)
    expect(refusal(await app.call('GET', '/v1/products', { token }))).toEqual([401, 'token_expired'])
  })

  test('a forged token is unauthorized also when it has expired: only the owner learns of the expiry', async () => {
    const tokens = createTokens('another secret of at least 32 bytes!!', app.clock)
    const token = await tokens.sign({ sub: 'x', jti: 'j', user_type: 'client' }, -10)
    expect(refusal(await app.call('GET', '/v1/products', { token }))).toEqual([401, 'unauthorized'])
  })
})

describe('X-Service-Active-Tenant (contract 4.7)', () => {
  const asStore = (slug: string, token: string) =>
    app.call('GET', '/v1/products', { token, headers: { 'x-service-active-tenant': slug } })

  test('its own slug is accepted', async () => {
    const slug = app.newSlug()
    expect((await asStore(slug, await app.signIn(slug))).status).toBe(200)
  })

  test.each<[string, (own: string) => Promise<string>]>([
    ['the slug of another store', async () => (await app.store(app.newSlug())).slug],
    ['the slug of no store', async () => 'nobody'],
    ['no slug', async () => ''],
    ['its own slug in capitals', async (own) => own.toUpperCase()],
  ])('403 not_a_member for %s, whether such a store exists or not', async (_, name) => {
    const own = app.newSlug()
    const answer = await asStore(await name(own), await app.signIn(own))
    expect(refusal(answer)).toEqual([403, 'not_a_member'])
    expect(answer.body['message']).toBe('This credential does not belong to that store')
  })
})

describe('permissions (contract 4.8)', () => {
  /** A program with one guarded route, for somebody with these permissions. */
  function guarded(permissions: Caller['permissions']) {
    const clock = manualClock('2030-01-01T00:00:00Z')
    const routes = () => http.routes
    const check = createRequestCheck(routes)
    const { forStore } = createGuards({
      ...NO_WIDGETS,
      ...WORKING_STORES,
      budgets: UNLIMITED,
      idempotency: freshIdempotency(),
      tokens: { read: async () => ({ sub: 's', jti: 'j', exp: 9e9, user_type: 'client' }) },
      clock,
      readClientInfo: () => PERSON.clientInfo,
      findCallerByToken: () => ({ ...PERSON, storeId: 's', permissions }),
      findCallerByKey: () => {
        throw signInFirst()
      },
      spendRequest: () => undefined,
      spendEvents: () => undefined,
    })
    const http = new Elysia()
      .use(
        errorPlugin({
          log: { error: () => {} },
          listMethods: () => [],
          findNearest: () => undefined,
          findProblems: check.findProblems,
          baseUrl: () => '',
        }),
      )
      .use(check.plugin)
      .use(
        new Elysia().use(forStore).post('/guarded', ({ actor }) => ({ store: actor.storeId }), {
          can: 'products:delete',
          parse: jsonBody(),
          body: t.Object({ name: t.String() }),
        }),
      )
    return async (body: object) => {
      const headers = { authorization: 'Bearer x', 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      const response = await http.handle(new Request('http://lookalike.test/guarded', init))
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
  }

  test('a caller that holds the permission is let in', async () => {
    const permissions = new Set(['products:delete'] as const)
    expect(await guarded(permissions)({ name: 'x' })).toEqual({ status: 200, body: { store: 's' } })
  })

  test.each([[new Set<Permission>()], [new Set<Permission>(['products:write', 'products:read'])]])(
    '403 permission_denied for %p, with the permission that is missing',
    async (permissions) => {
      const answer = await guarded(permissions)({ name: 'x' })
      expect(refusal(answer)).toEqual([403, 'permission_denied'])
      expect(answer.body).toMatchObject({
        message: 'Missing required permission: products:delete',
        details: { required: 'products:delete' },
      })
    },
  )

  test('422 before 403: the shape is judged before the permission', async () => {
    expect(refusal(await guarded(new Set())({}))).toEqual([422, 'validation_error'])
  })
})

test('answers to signed-in callers are never cached', async () => {
  const token = await app.signIn(app.newSlug())
  for (const path of ['/v1/me', '/v1/products', '/v1/security/api-keys']) {
    expect((await app.call('GET', path, { token })).headers.get('cache-control')).toBe('no-store')
  }
})

describe('a store sees its own alone', () => {
  test('products of another store are 404, also for writing', async () => {
    const [mine, theirs] = [await app.signIn(app.newSlug()), await app.signIn(app.newSlug())]
    await app.call('POST', '/v1/products', {
      token: theirs,
      body: { product_id: 'sku-1', image_url: app.picture('a', 1) },
    })
    for (const method of ['GET', 'DELETE']) {
      expect(refusal(await app.call(method, '/v1/products/sku-1', { token: mine }))).toEqual([
        404,
        'not_found',
      ])
    }
    expect((await app.call('GET', '/v1/products/sku-1', { token: theirs })).status).toBe(200)
  })
})
