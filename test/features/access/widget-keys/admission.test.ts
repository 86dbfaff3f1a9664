import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ApiError } from '../../../../src/core/errors.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { updateRows } from '../../../support/seed.ts'
import { machineToken } from '../api-keys/keys.ts'

const ORIGINS = [
  'https://shop.example',
  'https://shop.example:8443',
  'http://localhost:3000',
  'https://müller.example',
]

const UNLIMITED = { plan: 'enterprise', ratePerMinute: null, forcedFilters: null } as const

let app: TestApp
let storeId: string
let key: string
let keyId: string

beforeAll(async () => {
  app = testApp()
  storeId = (await app.store()).store_id
  const made = await create({ name: 'w', origins: ORIGINS })
  key = made.key
  keyId = made.id
})
afterAll(() => app.close())

async function create(body: unknown) {
  const token = await machineToken(app, storeId)
  return (await app.call('POST', '/v1/security/public-keys', { token, body })).body as {
    id: string
    key: string
  }
}

/** What a widget's call meets: the admission, or code and details of its refusal. */
function admit(shown: string, origin: string | null, use: 'text' | 'upload' | 'url' | 'feedback' = 'text') {
  try {
    return app.widgetKeys.admit(shown, origin, use)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return [error.code, error.extras.details]
  }
}

describe('a widget’s call (contract 4.11)', () => {
  test.each([
    'https://shop.example',
    'https://shop.example:8443',
    'http://localhost:3000',
    'https://xn--mller-kva.example',
  ])('from %p is let in', (origin) => {
    expect(admit(key, origin)).toEqual({ ...UNLIMITED, keyId, storeId, origin })
  })

  test.each([null, ''])('without Origin (%p) is refused as such', (origin) => {
    expect(admit(key, origin)).toEqual(['origin_missing', undefined])
  })

  test.each([
    'null',
    'NULL',
    'undefined',
    '*',
    'https://*',
    'https://*.example',
    'file://',
    'file:///index.html',
    'about:blank',
    'data:',
    'blob:https://shop.example',
    'chrome-extension://shop.example',
    'http://shop.example',
    'ws://shop.example',
    'ftp://shop.example',
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
    'https://shop.example.evil',
    'https://shop.examplee',
    'https://shop.exampl',
    'https://evil-shop.example',
    'https://evilshop.example',
    'https://www.shop.example',
    'https://hop.example',
    'https://shop-example',
    'https://shopxexample',
    'https://shop.example:443',
    'https://shop.example:80',
    'https://shop.example:844',
    'https://shop.example:84433',
    'https://shop.example:',
    'http://localhost',
    'http://localhost:3001',
    'http://127.0.0.1:3000',
    'https://localhost:3000',
    'HTTPS://shop.example',
    'https://SHOP.example',
    'https://Shop.Example',
    'https://müller.example',
    'https://xn--mller-kva.example.',
    'https://muller.example',
    'https://user@shop.example',
    'https://user:word@shop.example',
    'https://shop.example@evil.example',
    'https://shop.example\\@evil.example',
    'https://evil.example/https://shop.example',
    'https://evil.example#https://shop.example',
    ' https://shop.example',
    'https://shop.example ',
    'https://shop.example\t',
    'https://shop.example\u0000',
    'https://shop.example, https://evil.example',
    'https://shop.example,https://shop.example',
    'https://shop.example https://shop.example:8443',
    'https://shop%2eexample',
    'https://shop。example',
    'https://sh\u200bop.example',
    '["https://shop.example"]',
    '"https://shop.example"',
  ])('from %p is refused', (origin) => {
    expect(admit(key, origin)).toEqual(['origin_not_allowed', undefined])
  })

  test('from "null" is refused even by a key that lists it', async () => {
    const { id, key } = await create({ name: 'odd', origins: ['https://a.example'] })
    updateRows(app, 'public_keys', { origins: '["null"]' }, { id })
    expect(admit(key, 'null')).toEqual(['origin_not_allowed', undefined])
  })

  test('with an unknown key is refused before its Origin is looked at', () => {
    const unknown = [`pk_live_${'0'.repeat(38)}`, 'pk_live_', '', key.slice(0, -1), `${key}0`, ` ${key}`]
    for (const shown of unknown) {
      for (const origin of [null, 'null', 'https://shop.example']) {
        expect(admit(shown, origin)).toEqual(['unauthorized', undefined])
      }
    }
  })

  test('with an API key is refused', async () => {
    const token = await machineToken(app, storeId)
    const body = { name: 'n', scopes: { search: 'execute' } }
    const made = await app.call('POST', '/v1/security/api-keys', { token, body })
    expect(admit(String(made.body['key']), 'https://shop.example')).toEqual(['unauthorized', undefined])
  })

  test('for what the key is not meant for is refused', async () => {
    const { id, key } = await create({
      name: 'n',
      origins: ['https://a.example'],
      allowed: ['text', 'feedback'],
      rate_per_minute: 7,
    })
    const admitted = { ...UNLIMITED, keyId: id, storeId, ratePerMinute: 7, origin: 'https://a.example' }
    expect(admit(key, 'https://a.example', 'text')).toEqual(admitted)
    expect(admit(key, 'https://a.example', 'feedback')).toEqual(admitted)
    expect(admit(key, 'https://a.example', 'url')).toEqual(['permission_denied', { required: 'widget:url' }])
    expect(admit(key, 'https://a.example', 'upload')).toEqual([
      'permission_denied',
      { required: 'widget:upload' },
    ])
    expect(admit(key, 'https://b.example', 'upload')).toEqual(['origin_not_allowed', undefined])
  })

  test('follows a change of the key at once, and ends with it', async () => {
    const token = await machineToken(app, storeId)
    const { id, key } = await create({ name: 'n', origins: ['https://a.example'] })
    const path = `/v1/security/public-keys/${id}`
    await app.call('PATCH', path, { token, body: { origins: ['https://b.example'] } })
    expect(admit(key, 'https://a.example')).toEqual(['origin_not_allowed', undefined])
    expect(admit(key, 'https://b.example')).toEqual({
      ...UNLIMITED,
      keyId: id,
      storeId,
      origin: 'https://b.example',
    })
    await app.call('DELETE', path, { token })
    expect(admit(key, 'https://b.example')).toEqual(['unauthorized', undefined])
  })
})
