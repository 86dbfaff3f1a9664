import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../support/app.ts'
import { codeOf, pointersOf } from './answers.ts'
import { DAY_MS, type Keys, keysOf, PATH, READ, signInMember, WORKS } from './keys.ts'

let app: TestApp
let keys: Keys
/** The machine grant of the store, for a hundred years. */
let token: string
let storeId: string

beforeEach(async () => {
  app = testApp()
  keys = await keysOf(app)
  token = keys.token
  storeId = keys.storeId
})
afterEach(() => app.close())

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

describe('POST /v1/security/api-keys (contract 4.10)', () => {
  test('201: the key this once, with its prefix, scopes, times and maker; no cache may keep it', async () => {
    const { userId, token: owner } = await signInMember(app, { store: 'one', role: 'owner' })
    const answer = await keys.create(
      {
        name: 'Nightly sync',
        scopes: { search: ['write', 'execute'], products: 'read' },
        expires_in_days: 90,
      },
      owner,
    )
    expect(answer.status).toBe(201)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Nightly sync',
      key: expect.stringMatching(/^sk_live_[0-9A-Za-z]{38}$/),
      prefix: String(answer.body['key']).slice(0, 12),
      scopes: { products: ['read'], search: ['execute', 'write'] },
      effective_scopes: { products: ['read'], search: ['execute', 'write'] },
      maker: 'person',
      created_at: keys.isoIn(0),
      created_by: userId,
      expires_at: keys.isoIn(90 * DAY_MS),
      last_used_at: null,
      last_used_ip: null,
      rotated_at: null,
      previous_expires_at: null,
    })
  })

  test('201 by a machine grant: without a maker, and without an end if expires_in_days is absent or null', async () => {
    for (const body of [READ, { ...READ, expires_in_days: null }]) {
      const answer = await keys.create(body)
      expect([answer.status, answer.body['created_by'], answer.body['expires_at']]).toEqual([201, null, null])
    }
  })

  test('the key ends in the CRC-32 of its random part, so a typing error can be told', async () => {
    const { key } = await keys.made()
    const [, body = '', check = ''] = /^sk_live_(.{32})(.{6})$/.exec(key) ?? []
    const number = [...check].reduce((sum, digit) => sum * 62n + BigInt(BASE62.indexOf(digit)), 0n)
    expect(number).toBe(BigInt(Bun.hash.crc32(body)))
  })

  test('the key opens what its scopes name, as Bearer and as X-API-Key, and nothing else', async () => {
    const { key } = await keys.made()
    expect(await keys.useKey(key)).toEqual(WORKS)
    expect((await app.call('GET', '/v1/products', { headers: { 'x-api-key': key } })).status).toBe(200)
    const refused = await app.call('DELETE', '/v1/products/p', { token: key })
    expect([codeOf(refused), refused.body['details']]).toEqual([
      [403, 'permission_denied'],
      { required: 'products:delete' },
    ])
  })

  test('one action as text and several as a list mean the same; what comes twice counts once', async () => {
    for (const products of ['read', ['read'], ['read', 'read']]) {
      expect((await keys.create({ name: 'n', scopes: { products } })).body['scopes']).toEqual({
        products: ['read'],
      })
    }
  })

  test('every permission can be a scope', async () => {
    const scopes = { products: ['read', 'write', 'delete', 'bulk'], search: ['execute', 'read', 'write'] }
    expect((await keys.create({ name: 'all', scopes })).body['scopes']).toEqual(scopes)
  })

  test.each<[string, unknown, string[]]>([
    ['no fields', {}, ['/name', '/scopes']],
    ['an empty name', { ...READ, name: '' }, ['/name']],
    ['a name of spaces', { ...READ, name: '  ' }, ['/name']],
    ['a name of two lines', { ...READ, name: 'a\nb' }, ['/name']],
    ['a name of half a character', { ...READ, name: 'a\ud800' }, ['/name']],
    ['a name of 101 characters', { ...READ, name: '😀'.repeat(101) }, ['/name']],
    ['a name that is no text', { ...READ, name: 7 }, ['/name']],
    ['no day', { ...READ, expires_in_days: 0 }, ['/expires_in_days']],
    ['3651 days', { ...READ, expires_in_days: 3651 }, ['/expires_in_days']],
    ['half a day', { ...READ, expires_in_days: 0.5 }, ['/expires_in_days']],
    ['days as text', { ...READ, expires_in_days: '30' }, ['/expires_in_days']],
    ['scopes as a list', { name: 'n', scopes: ['products:read'] }, ['/scopes']],
    ['scopes as text', { name: 'n', scopes: 'products:read' }, ['/scopes']],
    ['no scopes', { name: 'n', scopes: {} }, ['/scopes']],
    ['a scope without an action', { name: 'n', scopes: { products: [] } }, ['/scopes']],
    ['an action that is no text', { name: 'n', scopes: { products: [7] } }, ['/scopes/products/0']],
    ['a number of actions', { name: 'n', scopes: { products: 7 } }, ['/scopes/products']],
    ['an unknown action', { name: 'n', scopes: { products: 'eat' } }, ['/scopes/products']],
    ['an unknown action in a list', { name: 'n', scopes: { search: ['read', 'bulk'] } }, ['/scopes/search']],
    ['a whole permission', { name: 'n', scopes: { products: 'products:read' } }, ['/scopes/products']],
    ['a star', { name: 'n', scopes: { '*': '*' } }, ['/scopes/*']],
    ['a power over the store', { name: 'n', scopes: { keys: 'manage' } }, ['/scopes/keys']],
    ['a name of every object', { name: 'n', scopes: { constructor: 'name' } }, ['/scopes/constructor']],
    ['a resource with a slash', { name: 'n', scopes: { 'a/b~c': 'read' } }, ['/scopes/a~1b~0c']],
    ['too many actions', { name: 'n', scopes: { products: Array(8).fill('read') } }, ['/scopes/products']],
    [
      'several at once',
      { name: '', scopes: 1, expires_in_days: true },
      ['/name', '/scopes', '/expires_in_days'],
    ],
  ])('422 for %s, and no key is made', async (_what, body, pointers) => {
    const answer = await keys.create(body)
    expect(pointersOf(answer)).toEqual([422, ...pointers])
    expect(answer.body['error']).toBe('validation_error')
    expect(app.apiKeys.list(storeId).count).toBe(0)
  })

  test('422: the message names the possible scopes', async () => {
    expect((await keys.create({ name: 'n', scopes: { search: 'eat' } })).body['message']).toBe(
      'scopes.search allows only execute, read, write',
    )
    expect((await keys.create({ name: 'n', scopes: { pets: 'read' } })).body['message']).toBe(
      'scopes.pets is not a resource; use products (read, write, delete, bulk) or search (execute, read, write)',
    )
  })

  test.each([1, 3650])('%p days are allowed, and so is a name of 100 emoji', async (expires_in_days) => {
    const answer = await keys.create({ ...READ, name: '😀'.repeat(100), expires_in_days })
    expect([answer.status, answer.body['expires_at']]).toEqual([201, keys.isoIn(expires_in_days * DAY_MS)])
  })

  test('400, 413 and 415 for a body that cannot be read', async () => {
    expect(codeOf(await keys.create('{'))).toEqual([415, 'unsupported_media_type'])
    const headers = { 'content-type': 'application/json' }
    expect(codeOf(await app.call('POST', PATH, { token, body: '{', headers }))).toEqual([400, 'invalid_json'])
    const large = JSON.stringify({ name: 'x'.repeat(1024 * 1024) })
    expect(
      codeOf(
        await app.call('POST', PATH, {
          token,
          body: large,
          headers: { ...headers, 'content-length': `${large.length}` },
        }),
      ),
    ).toEqual([413, 'payload_too_large'])
  })

  test('409 conflict for the 101st key of a store, until one is revoked; other stores are not concerned', async () => {
    const { id } = await keys.made()
    for (let n = 1; n < 100; n++) await keys.made()
    const refused = await keys.create()
    expect([codeOf(refused), refused.body['details']]).toEqual([[409, 'conflict'], { limit: 100 }])
    expect(app.apiKeys.list(storeId).count).toBe(100)
    expect((await keys.create(READ, await app.signIn('two'))).status).toBe(201)
    await app.call('DELETE', `${PATH}/${id}`, { token })
    expect((await keys.create()).status).toBe(201)
  })

  test('429 once the machine grant’s 30 requests about security are spent, on a plan with limits', async () => {
    const poor = await app.signIn('poor', 'free')
    for (let n = 0; n < 30; n++) expect((await app.call('GET', PATH, { token: poor })).status).toBe(200)
    expect(codeOf(await keys.create(READ, poor))).toEqual([429, 'rate_limit_exceeded'])
  })

  test('a developer grants permissions they hold; 403 names those they lack', async () => {
    const { token: developer } = await signInMember(app, { store: 'one', role: 'developer' })
    expect((await keys.create(READ, developer)).status).toBe(201)
    const refused = await keys.create({ name: 'n', scopes: { products: ['read', 'delete'] } }, developer)
    expect([codeOf(refused), refused.body['details']]).toEqual([
      [403, 'permission_denied'],
      { required: 'products:delete' },
    ])
  })

  test('a developer in groups grants what the groups hold together', async () => {
    const { token: bound } = await signInMember(app, {
      store: 'one',
      role: 'developer',
      groups: [['products:read'], ['search:read']],
    })
    expect(
      (await keys.create({ name: 'n', scopes: { products: 'read', search: 'read' } }, bound)).status,
    ).toBe(201)
    expect(codeOf(await keys.create({ name: 'n', scopes: { products: 'write' } }, bound))).toEqual([
      403,
      'permission_denied',
    ])
  })
})
