import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { decodeJwt } from 'jose'
import type { TestApp } from '../../../support/app.ts'
import {
  addPerson,
  enableTwoFactor,
  freshAddress,
  from,
  getToken,
  type Person,
  refusal,
  sendSignIn,
  signInWorld,
} from '../../../support/people.ts'

interface Session {
  id: string
  is_current: boolean
  two_factor: boolean
  user_agent: string | null
}

let app: TestApp
let anna: Person
let token: string

beforeEach(async () => {
  ;({ app, anna } = await signInWorld())
  token = await getToken(app, anna)
})
afterEach(() => app.close())

const idOf = (of: string) => String(decodeJwt(of)['sid'])

async function list(of = token): Promise<Session[]> {
  const { status, body } = await app.call('GET', '/v1/me/sessions', { token: of })
  expect(status).toBe(200)
  const sessions = body['sessions'] as Session[]
  expect(body['count']).toBe(sessions.length)
  return sessions
}

const end = (id: string, of = token) => app.call('DELETE', `/v1/me/sessions/${id}`, { token: of })
const isAlive = async (of: string) => (await app.call('GET', '/v1/me', { token: of })).status === 200

test('the newest login lives, also when the clock was set back and all others seem newer', async () => {
  for (let n = 0; n < 50; n++) await getToken(app, anna)
  app.clock.advance(-3_600_000)
  const newest = await getToken(app, anna)
  expect((await app.call('GET', '/v1/me', { token: newest })).status).toBe(200)
})

describe('GET /v1/me/sessions (contract 5.5)', () => {
  test('each login with where it came from, and which one asks', async () => {
    app.clock.advance(60_000)
    const headers = { ...from('203.0.113.7'), 'user-agent': `Firefox/${'9'.repeat(300)}` }
    const second = String((await sendSignIn(app, anna.email, {}, headers)).body['access_token'])
    const [first, other] = await list(second)
    expect(first as unknown).toEqual({
      id: idOf(second),
      kind: 'token',
      created_at: '2030-01-01T00:01:00.000Z',
      last_used_at: '2030-01-01T00:01:00.000Z',
      expires_at: '2030-01-01T01:06:00.000Z',
      ip_address: '203.0.113.7',
      user_agent: `Firefox/${'9'.repeat(192)}`,
      two_factor: false,
      is_current: true,
    })
    expect(other).toMatchObject({ id: idOf(token), is_current: false, user_agent: null })
  })

  test('the last used first; when and from where is right to the minute', async () => {
    const second = await getToken(app, anna)
    app.clock.advance(61_000)
    await app.call('GET', '/v1/me', { token, headers: from('203.0.113.9') })
    const sessions = await list(second)
    // Asking was a use of the second as well, at the same moment.
    expect(sessions.find(({ id }) => id === idOf(token)) as unknown).toMatchObject({
      last_used_at: '2030-01-01T00:01:01.000Z',
      ip_address: '203.0.113.9',
    })
    app.clock.advance(61_000)
    expect((await list(token))[0]?.id).toBe(idOf(token))
  })

  test('a refresh is the same session, which can be refreshed for longer', async () => {
    app.clock.advance(1_800_000)
    const next = String((await app.call('POST', '/oauth/refresh', { token })).body['access_token'])
    const sessions = await list(next)
    expect(sessions).toHaveLength(1)
    expect(sessions[0] as unknown).toMatchObject({
      id: idOf(token),
      is_current: true,
      created_at: '2030-01-01T00:00:00.000Z',
      expires_at: '2030-01-01T01:35:00.000Z',
    })
  })

  test('says which sessions showed a second factor, including the one that enabled it', async () => {
    const phone = await enableTwoFactor(app, token)
    app.clock.advance(60_000)
    const proved = await getToken(app, anna, { totp_code: phone.code() })
    const shown = Object.fromEntries((await list()).map(({ id, two_factor }) => [id, two_factor]))
    expect(shown).toEqual({ [idOf(token)]: true, [idOf(proved)]: true })
  })

  test('without those that ended or can no longer be refreshed, tidied or not', async () => {
    const gone = await getToken(app, anna)
    await app.call('POST', '/oauth/revoke', { body: new URLSearchParams({ token: gone }) })
    expect((await list()).map(({ id }) => id)).toEqual([idOf(token)])
    app.clock.advance(3_000_000)
    const later = await getToken(app, anna)
    expect(await list(later)).toHaveLength(2)
    app.clock.advance(900_000)
    expect((await list(later)).map(({ id }) => id)).toEqual([idOf(later)])
  })

  test('lists no session of another person', async () => {
    const bert = await getToken(app, await addPerson(app, 'bert'))
    expect((await list(bert)).map(({ id }) => id)).toEqual([idOf(bert)])
  })

  test('at most 50: with one more the one that was not used for longest ends', async () => {
    const tokens = [token]
    for (let n = 1; n < 50; n++) {
      app.clock.advance(1_000)
      tokens.push(await getToken(app, anna))
    }
    expect(await list()).toHaveLength(50)
    app.clock.advance(61_000)
    expect(await isAlive(token)).toBe(true)
    const newest = await getToken(app, anna)
    expect(await list(newest)).toHaveLength(50)
    expect([
      await isAlive(token),
      await isAlive(tokens[1] as string),
      await isAlive(tokens[2] as string),
    ]).toEqual([true, false, true])
  })
})

describe('DELETE /v1/me/sessions/{session_id}', () => {
  test('ends one, at once and for refreshes too; the others go on', async () => {
    const other = await getToken(app, anna)
    const answer = await end(idOf(other))
    expect([answer.status, answer.body as unknown]).toEqual([200, { status: 'ended', id: idOf(other) }])
    expect(refusal(await app.call('GET', '/v1/me', { token: other }))).toEqual([401, 'unauthorized'])
    expect(refusal(await app.call('POST', '/oauth/refresh', { token: other }))).toEqual([401, 'unauthorized'])
    expect(await isAlive(token)).toBe(true)
  })

  test('ends the one that asks', async () => {
    expect((await end(idOf(token))).status).toBe(200)
    expect(await isAlive(token)).toBe(false)
  })

  test('404 not_found for another person’s, who notices nothing', async () => {
    const bert = await getToken(app, await addPerson(app, 'bert'))
    const answer = await end(idOf(bert))
    expect(refusal(answer)).toEqual([404, 'not_found'])
    expect(answer.body['details']).toEqual({ resource: 'session' })
    expect(await isAlive(bert)).toBe(true)
  })

  test('404 also for a super-admin', async () => {
    const root = await getToken(app, await addPerson(app, 'root', [], { isSuperAdmin: true }))
    expect(refusal(await end(idOf(token), root))).toEqual([404, 'not_found'])
    expect(await isAlive(token)).toBe(true)
  })

  test.each([
    ['unknown text', 'nothing'],
    ['unknown UUID', '01900000-0000-7000-8000-ffffffffffff'],
    ['NUL', '%00'],
    ['picture of a shoe', '%F0%9F%91%9F'],
    ['path', 'a%2Fb'],
    ['piece of SQL', "'%20OR%201=1%20--"],
    ['name of every object', '__proto__'],
    ['text of 101 characters', 'x'.repeat(101)],
    ['text of 4,000 characters', 'x'.repeat(4_000)],
  ])('404 not_found for an id that is a %s', async (_, id) => {
    expect(refusal(await end(id))).toEqual([404, 'not_found'])
    expect(await isAlive(token)).toBe(true)
  })

  test('404 the second time', async () => {
    const other = await getToken(app, anna)
    await end(idOf(other))
    expect(refusal(await end(idOf(other)))).toEqual([404, 'not_found'])
  })
})

describe('DELETE /v1/me/sessions', () => {
  test('ends all but the one that asks, and says how many', async () => {
    const others = [await getToken(app, anna), await getToken(app, anna)]
    const bert = await getToken(app, await addPerson(app, 'bert'))
    const answer = await app.call('DELETE', '/v1/me/sessions', { token })
    expect([answer.status, answer.body as unknown]).toEqual([200, { status: 'ended', ended: 2 }])
    for (const other of others) expect(await isAlive(other)).toBe(false)
    expect([await isAlive(token), await isAlive(bert)]).toEqual([true, true])
    expect((await app.call('DELETE', '/v1/me/sessions', { token })).body['ended']).toBe(0)
  })
})

describe.each([
  ['GET', '/v1/me/sessions'],
  ['DELETE', '/v1/me/sessions'],
  ['DELETE', '/v1/me/sessions/x'],
])('%s %s', (method, path) => {
  test('401 for nobody, 403 permission_denied for a machine grant and an API key', async () => {
    expect(refusal(await app.call(method, path))).toEqual([401, 'unauthorized'])
    const machine = await app.signIn('one')
    const made = await app.call('POST', '/v1/security/api-keys', {
      token: machine,
      body: { name: 'sync', scopes: { products: ['read'] } },
    })
    for (const other of [machine, String(made.body['key'])]) {
      const answer = await app.call(method, path, { token: other })
      expect(refusal(answer)).toEqual([403, 'permission_denied'])
      expect(answer.body['details']).toEqual({ required: 'person' })
    }
  })
})

test('a session keeps its address of the login until it is used from another', async () => {
  const address = freshAddress()
  const other = String((await sendSignIn(app, anna.email, {}, from(address))).body['access_token'])
  const found = (await list()).find(({ id }) => id === idOf(other))
  expect(found as unknown).toMatchObject({ ip_address: address })
})
