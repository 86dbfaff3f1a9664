import { describe, expect, test } from 'bun:test'
import { ApiError } from '../../src/core/errors.ts'
import { readCredential } from '../../src/http/credential.ts'

const KEY = 'sk_live_00000000000000000000000000000000abcdef'

/** The kind and text of what is found, or the code of the refusal. */
function found(headers: Record<string, string>, query = ''): string {
  try {
    const { kind, text } = readCredential(
      new Request(`http://lookalike.test/v1/products${query}`, { headers }),
    )
    return `${kind}: ${text}`
  } catch (error) {
    return error instanceof ApiError ? error.code : String(error)
  }
}

const bearer = (text: string) => ({ authorization: `Bearer ${text}` })

describe('the one credential of a request (contract 4.2)', () => {
  test.each<[string, Record<string, string>, string]>([
    ['a token', bearer('a.b.c'), 'token: a.b.c'],
    ['a token in another scheme’s case', { authorization: 'bEARER a.b.c' }, 'token: a.b.c'],
    ['a token after several spaces', { authorization: 'Bearer    a.b.c' }, 'token: a.b.c'],
    ['a key as a bearer', bearer(KEY), `key: ${KEY}`],
    ['a key in its own header', { 'x-api-key': KEY }, `key: ${KEY}`],
    ['a key in its own header, whatever it looks like', { 'x-api-key': 'x' }, 'key: x'],
    ['a key with spaces around it', { 'x-api-key': `  ${KEY} ` }, `key: ${KEY}`],
    ['what begins like a key in another case', bearer(KEY.toUpperCase()), `token: ${KEY.toUpperCase()}`],
    ['a widget key, which is no credential here', bearer('pk_live_x'), 'token: pk_live_x'],
  ])('%s', (_, headers, expected) => {
    expect(found(headers)).toBe(expected)
  })

  test.each<[string, Record<string, string>]>([
    ['no header', {}],
    ['an empty header', { authorization: '' }],
    ['the scheme alone', { authorization: 'Bearer' }],
    ['another scheme', { authorization: `Basic ${btoa('a:b')}` }],
    ['Digest', { authorization: 'Digest username="a"' }],
    ['no scheme', { authorization: 'a.b.c' }],
    ['a key without a scheme', { authorization: KEY }],
    ['two words', bearer('a.b.c d')],
    ['a tab instead of the space', { authorization: 'Bearer\ta.b.c' }],
    ['a colon behind the scheme', { authorization: 'Bearer: a.b.c' }],
    ['a quoted parameter', { authorization: 'Bearer token = "a.b.c"' }],
    ['an empty key', { 'x-api-key': '' }],
    ['a key of two words', { 'x-api-key': `${KEY} ${KEY}` }],
    ['a cookie', { cookie: 'access_token=a.b.c' }],
    ['the widget’s header', { 'x-service-key': 'pk_live_x', origin: 'https://shop.test' }],
    ['a proxy’s header', { 'proxy-authorization': 'Bearer a.b.c' }],
  ])('unauthorized for %s', (_, headers) => {
    expect(found(headers)).toBe('unauthorized')
  })

  test.each<[string, Record<string, string>]>([
    ['a token and a key', { ...bearer('a.b.c'), 'x-api-key': KEY }],
    ['one key in both headers', { ...bearer(KEY), 'x-api-key': KEY }],
    ['a token and an empty key', { ...bearer('a.b.c'), 'x-api-key': '' }],
    ['an empty bearer and a key', { authorization: '', 'x-api-key': KEY }],
    ['Basic and a key', { authorization: `Basic ${btoa('a:b')}`, 'x-api-key': KEY }],
    ['two bearers', { authorization: 'Bearer a.b.c, Bearer d.e.f' }],
    ['two tokens of one bearer', bearer('a.b.c,d.e.f')],
    ['two keys', { 'x-api-key': `${KEY}, ${KEY}` }],
    ['a bearer and a Basic', { authorization: `Bearer a.b.c, Basic ${btoa('a:b')}` }],
  ])('credential_ambiguous for %s', (_, headers) => {
    expect(found(headers)).toBe('credential_ambiguous')
  })

  test('two headers of one name are two credentials', () => {
    const request = new Request('http://lookalike.test/v1/products')
    request.headers.append('authorization', 'Bearer a.b.c')
    request.headers.append('authorization', 'Bearer a.b.c')
    expect(() => readCredential(request)).toThrow('More than one credential')
  })
})

describe('a credential in the address, which ends up in logs', () => {
  test.each([
    '?access_token=a.b.c',
    '?ACCESS_TOKEN=a.b.c',
    '?access_token=',
    '?limit=1&access_token=a.b.c',
    '?api_key=x',
    '?api-key=x',
    '?apikey=x',
    '?apiKey=x',
    '?x-api-key=x',
    '?X-API-Key=x',
    `?key=${KEY}`,
    `?${KEY}`,
    `?q=boots&whatever=${KEY}`,
  ])('credential_ambiguous for %s, with a good credential beside it and without', (query) => {
    for (const headers of [{}, bearer('a.b.c'), { 'x-api-key': KEY }])
      expect(found(headers, query)).toBe('credential_ambiguous')
  })

  test.each(['?q=api_key', '?category=access_token', '?limit=1', '?my_access_token=x', '?', '?q=sk_test_x'])(
    'nothing is made of %s',
    (query) => {
      expect(found(bearer('a.b.c'), query)).toBe('token: a.b.c')
    },
  )

  test('an id in the path may be named like one', () => {
    const request = new Request(`http://lookalike.test/v1/products/${KEY}?limit=1`, {
      headers: bearer('a.b.c'),
    })
    expect(readCredential(request)).toEqual({ kind: 'token', text: 'a.b.c' })
  })

  test('the refusal does not repeat it', () => {
    const request = new Request(`http://lookalike.test/v1/products?api_key=${KEY}`)
    expect(() => readCredential(request)).toThrow(/^(?!.*sk_live)/)
  })
})
