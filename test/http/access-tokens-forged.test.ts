import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createTokens } from '../../src/http/access-tokens.ts'
import { forgedTokens, jws, partsOf } from '../access/forgery.ts'
import { recordBar } from '../robustness/bars.ts'
import { JWT_SECRET, type TestApp } from '../support/app.ts'
import {
  addPerson,
  fingerprint,
  freshAddress,
  from,
  getToken,
  proxiedApp,
  refusal,
} from '../support/people.ts'

const HS256 = { alg: 'HS256', typ: 'JWT' }

let app: TestApp
let tokens: { person: string; machine: string }

beforeAll(async () => {
  app = proxiedApp()
  const machine = await app.signIn('one')
  const anna = await addPerson(app, 'anna', [{ store: 'one', role: 'owner' }])
  tokens = { person: await getToken(app, anna), machine }
})
afterAll(() => app.close())

const use = (token: string) => app.call('GET', '/v1/products', { token })

const refresh = (token: string) =>
  app.call('POST', '/oauth/refresh', { token, headers: from(freshAddress()) })

describe.each(['person', 'machine'] as const)('forged from the token of a %s', (kind) => {
  const forged = () => forgedTokens(partsOf(tokens[kind]), JWT_SECRET)

  test('are more than a hundred, each another text', () => {
    const texts = Object.values(forged())
    expect(texts.length).toBeGreaterThan(100)
    expect(new Set([...texts, tokens[kind]]).size).toBe(texts.length + 1)
  })

  test('401 unauthorized for each, in exactly the words for a token that is none', async () => {
    const nobody = fingerprint(await use('nothing'))
    for (const [name, token] of Object.entries(forged())) {
      const answer = await use(token)
      expect([name, ...refusal(answer)]).toEqual([name, 401, 'unauthorized'])
      expect([name, fingerprint(answer)]).toEqual([name, nobody])
    }
    const n = Object.keys(forged()).length
    const measured = `of a ${kind}: each 401 in the same words`
    recordBar({ bar: 17, part: 'forgeries', on: 'process', n, measured, isMet: true })
  })

  test('401 unauthorized for each at the refresh, so none becomes a real one', async () => {
    for (const [name, token] of Object.entries(forged()))
      expect([name, ...refusal(await refresh(token))]).toEqual([name, 401, 'unauthorized'])
  })

  test('none ends the real one that it was made of', async () => {
    for (const token of Object.values(forged()).filter((text) => text.length < 8_192)) {
      const { status } = await app.call('POST', '/oauth/revoke', { body: new URLSearchParams({ token }) })
      expect(status).toBe(200)
    }
    expect((await use(tokens[kind])).status).toBe(200)
  })

  test('rightly put together it is taken, so each was refused for its own fault', async () => {
    const { claims } = partsOf(tokens[kind])
    expect((await use(jws(HS256, claims, JWT_SECRET))).status).toBe(200)
  })
})

describe('tokens that are signed well and still nobody’s', () => {
  /** The claims of a good token with some of them changed, signed with our own key. */
  const changed = (kind: 'person' | 'machine', change: object) =>
    jws(HS256, { ...partsOf(tokens[kind]).claims, ...change }, JWT_SECRET)

  test.each<[string, () => string]>([
    ['a person who is told to be a machine', () => changed('person', { user_type: 'client' })],
    ['a machine that is told to be a person', () => changed('machine', { user_type: 'user' })],
    ['a person of another id', () => changed('person', { sub: '01900000-0000-7000-8000-ffffffffffff' })],
    ['a person with another token id', () => changed('person', { jti: 'another' })],
    ['a person without a sign-in', () => changed('person', { sid: undefined })],
    ['a person with a sign-in of nobody', () => changed('person', { sid: 'nobody' })],
    ['a machine of another store', () => changed('machine', { sub: '01900000-0000-7000-8000-ffffffffffff' })],
    ['a machine of an older secret', () => changed('machine', { generation: 0 })],
    ['a machine of a secret to come', () => changed('machine', { generation: 2 })],
  ])('401 unauthorized for %s', async (_, token) => {
    expect(refusal(await use(token()))).toEqual([401, 'unauthorized'])
    expect(refusal(await refresh(token()))).toEqual([401, 'unauthorized'])
  })

  test('401 for a token of another server, which has another key', async () => {
    const other = createTokens('the secret of another server altogether', app.clock)
    const { claims } = partsOf(tokens.machine)
    const { sub, jti, user_type } = claims as { sub: string; jti: string; user_type: 'client' }
    expect(refusal(await use(await other.sign({ sub, jti, user_type }, 3600)))).toEqual([401, 'unauthorized'])
  })

  test('what a token says about roles and super-admins gives nothing', async () => {
    const bert = await addPerson(app, 'bert', [{ store: 'one', role: 'viewer' }])
    const { claims } = partsOf(await getToken(app, bert))
    const lie = { is_super_admin: true, memberships: [{ client_id: 'x', slug: 'one', role: 'owner' }] }
    const token = jws(HS256, { ...claims, ...lie }, JWT_SECRET)
    const remove = await app.call('DELETE', '/v1/products/nothing', { token })
    expect(refusal(remove)).toEqual([403, 'permission_denied'])
    expect((await app.call('GET', '/v1/me', { token })).body['user']).toMatchObject({ is_super_admin: false })
  })
})

test('keys that are none: 401 unauthorized in the same words, none of them an error of ours', async () => {
  const nobody = fingerprint(await use('nothing'))
  const keys = [
    'sk_live_',
    'sk_live_0000000000000000000000000000000000000000',
    'sk_live_00000000000000000000000000000000zzzzzz',
    `sk_live_${'x'.repeat(1 << 16)}`,
    "sk_live_' OR 1=1 --".replaceAll(' ', '%20'),
    'sk_live_ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ',
    'pk_live_00000000000000000000000000000000000000',
  ]
  for (const key of keys) {
    expect(fingerprint(await use(key))).toBe(nobody)
    expect(fingerprint(await app.call('GET', '/v1/products', { headers: { 'x-api-key': key } }))).toBe(nobody)
  }
})
