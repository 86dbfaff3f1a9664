import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../support/app.ts'
import { readRows } from '../../../support/seed.ts'
import { codeOf } from './answers.ts'
import { keysOf, machineToken, PATH, READ, signInMember } from './keys.ts'

const PUBLIC = '/v1/security/public-keys'
const WIDGET = { name: 'w', origins: ['https://shop.example'] }

/** Every endpoint about keys and secrets; `:api` and `:public` are ids of the store's own keys. */
const ENDPOINTS: [method: string, path: string, body: unknown, power: string][] = [
  ['POST', PATH, READ, 'keys:manage'],
  ['GET', PATH, undefined, 'keys:manage'],
  ['GET', `${PATH}/:api`, undefined, 'keys:manage'],
  ['PATCH', `${PATH}/:api`, { name: 'mine' }, 'keys:manage'],
  ['DELETE', `${PATH}/:api`, undefined, 'keys:manage'],
  ['POST', `${PATH}/:api/rotate`, undefined, 'keys:manage'],
  ['POST', PUBLIC, WIDGET, 'keys:manage'],
  ['GET', PUBLIC, undefined, 'keys:manage'],
  ['GET', `${PUBLIC}/:public`, undefined, 'keys:manage'],
  ['PATCH', `${PUBLIC}/:public`, { name: 'mine' }, 'keys:manage'],
  ['DELETE', `${PUBLIC}/:public`, undefined, 'keys:manage'],
  ['POST', '/v1/security/client-secret/rotate', undefined, 'security:manage'],
]

const OF_DEVELOPERS = ENDPOINTS.filter(([, , , power]) => power === 'keys:manage')

let app: TestApp
let ids: { api: string; public: string }
let tokens: Record<'machine' | 'owner' | 'admin' | 'developer' | 'viewer' | 'strangers' | 'old', string>
let credentials: { apiKey: string; widgetKey: string }
let before: unknown

const state = () => [
  readRows(app, 'api_keys', {}, ['id', 'name', 'key_hash', 'scopes', 'previous_key_hash']),
  readRows(app, 'public_keys'),
  readRows(app, 'stores', {}, ['id', 'client_secret_hash', 'secret_generation']),
]

beforeAll(async () => {
  app = testApp()
  const { storeId, token, made } = await keysOf(app)
  const tokenOfRole = async (role: 'owner' | 'admin' | 'developer' | 'viewer') =>
    (await signInMember(app, { store: 'one', role })).token
  const scopes = {
    products: ['read', 'write', 'delete', 'bulk'],
    search: ['execute', 'read', 'write'],
  }
  const widget = (await app.call('POST', PUBLIC, { token, body: WIDGET })).body
  const { key: apiKey } = await made({ name: 'mighty', scopes })
  ids = { api: (await made()).id, public: String(widget['id']) }
  credentials = { apiKey, widgetKey: String(widget['key']) }
  tokens = {
    machine: token,
    owner: await tokenOfRole('owner'),
    admin: await tokenOfRole('admin'),
    developer: await tokenOfRole('developer'),
    viewer: await tokenOfRole('viewer'),
    strangers: await machineToken(app, (await app.store('two')).store_id),
    old: await app.signToken({ sub: storeId, jti: 'old', user_type: 'client', generation: 1 }, -1),
  }
  before = state()
})
afterAll(() => app.close())

const pathOf = (path: string) => path.replace(':api', ids.api).replace(':public', ids.public)

/** Status and code of a call that must not have changed anything. */
async function refused(method: string, path: string, options: Parameters<TestApp['call']>[2]) {
  const answer = await app.call(method, pathOf(path), options)
  expect(state()).toEqual(before as never)
  return answer
}

describe('keys and secrets are refused', () => {
  test.each(ENDPOINTS)('%s %s: 401 to nobody, before the body is read', async (method, path) => {
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: '{ broken' }
    expect(codeOf(await refused(method, path, body))).toEqual([401, 'unauthorized'])
    expect(codeOf(await refused(method, path, { ...body, token: 'forged.token.here' }))).toEqual([
      401,
      'unauthorized',
    ])
  })

  test.each(ENDPOINTS)('%s %s: 401 token_expired', async (method, path, body) => {
    expect(codeOf(await refused(method, path, { token: tokens.old, body }))).toEqual([401, 'token_expired'])
  })

  test.each(ENDPOINTS)('%s %s: 401 to a widget key, however it is shown', async (method, path, body) => {
    const { widgetKey } = credentials
    for (const shown of [
      { token: widgetKey },
      { headers: { 'x-api-key': widgetKey } },
      { headers: { 'x-service-key': widgetKey, origin: 'https://shop.example' } },
    ]) {
      expect(codeOf(await refused(method, path, { ...shown, body }))).toEqual([401, 'unauthorized'])
    }
  })

  test.each(ENDPOINTS)('%s %s: 403 to an API key with every scope', async (method, path, body, power) => {
    for (const shown of [{ token: credentials.apiKey }, { headers: { 'x-api-key': credentials.apiKey } }]) {
      const answer = await refused(method, path, { ...shown, body })
      expect([codeOf(answer), answer.body['details']]).toEqual([
        [403, 'permission_denied'],
        { required: power },
      ])
    }
  })

  test.each(ENDPOINTS)('%s %s: 403 to a viewer', async (method, path, body, power) => {
    const answer = await refused(method, path, { token: tokens.viewer, body })
    expect([codeOf(answer), answer.body['details']]).toEqual([
      [403, 'permission_denied'],
      { required: power },
    ])
  })

  test.each(ENDPOINTS)(
    '%s %s: 403 to who belongs to another store and names this one',
    async (method, path, body) => {
      const headers = { 'x-service-active-tenant': 'one' }
      const answer = await refused(method, path, { token: tokens.strangers, headers, body })
      expect(codeOf(answer)).toEqual([403, 'not_a_member'])
    },
  )

  test('POST /v1/security/client-secret/rotate: 403 to a developer', async () => {
    const answer = await refused('POST', '/v1/security/client-secret/rotate', { token: tokens.developer })
    expect([codeOf(answer), answer.body['details']]).toEqual([
      [403, 'permission_denied'],
      { required: 'security:manage' },
    ])
  })
})

describe('keys are managed', () => {
  test.each(['machine', 'owner', 'admin', 'developer'] as const)('by the %s of a store', async (who) => {
    for (const [method, path, body] of OF_DEVELOPERS.filter(([method]) => method !== 'DELETE')) {
      const { status } = await app.call(method, pathOf(path), { token: tokens[who], body })
      expect([method, path, status]).toEqual([
        method,
        path,
        method === 'POST' && !path.includes(':') ? 201 : 200,
      ])
    }
  })
})
