import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTokens } from '../../../../src/http/access-tokens.ts'
import { openDatabase } from '../../../../src/platform/db/open.ts'
import type { TestApp } from '../../../support/app.ts'
import {
  addPerson,
  fingerprint,
  getToken,
  type Person,
  proxiedApp,
  refusal,
} from '../../../support/people.ts'

const SECOND = 1_000
/** How long a token can be refreshed: its hour and five minutes. */
const REFRESHABLE_MS = 3_900 * SECOND

let app: TestApp
let anna: Person
let tokens: { person: string; machine: string }

beforeEach(async () => {
  app = proxiedApp()
  const machine = await app.signIn('one')
  anna = await addPerson(app, 'anna', [{ store: 'one', role: 'admin' }])
  tokens = { person: await getToken(app, anna), machine }
})
afterEach(() => app.close())

const kinds = ['person', 'machine'] as const

const revoke = (token: string, more: Record<string, string> = {}, of = app) =>
  of.call('POST', '/oauth/revoke', { body: new URLSearchParams({ token, ...more }) })

const use = (token: string, of = app) => of.call('GET', '/v1/products', { token })
const refresh = (token: string, of = app) => of.call('POST', '/oauth/refresh', { token })

const rowsOf = (table: 'revoked_tokens' | 'sessions', of = app) =>
  of.db.prepare<[], { n: number }>(`SELECT count(*) AS n FROM ${table}`).get()?.n

describe.each(kinds)('POST /oauth/revoke with the token of a %s (contract 4.6, RFC 7009)', (kind) => {
  test('200: it has ended at once, for calls and for refreshes', async () => {
    const token = tokens[kind]
    // Tokens that were seen before are remembered; that must not help.
    expect((await use(token)).status).toBe(200)
    const answer = await revoke(token)
    expect([answer.status, answer.body]).toEqual([200, { status: 'revoked' }])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(refusal(await use(token))).toEqual([401, 'unauthorized'])
    expect(refusal(await refresh(token))).toEqual([401, 'unauthorized'])
  })

  test('a token that has expired, but could be refreshed, ends as well', async () => {
    app.clock.advance(REFRESHABLE_MS - SECOND)
    expect((await revoke(tokens[kind])).status).toBe(200)
    expect(refusal(await refresh(tokens[kind]))).toEqual([401, 'unauthorized'])
  })

  test('the new token of a refresh is not touched by ending the old one', async () => {
    const token = String((await refresh(tokens[kind])).body['access_token'])
    expect((await revoke(tokens[kind])).status).toBe(200)
    expect((await use(token)).status).toBe(200)
  })

  test('it has ended for good: a restart knows of it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lookalike-revoke-'))
    const { clock, ids } = app
    const first = proxiedApp({ db: openDatabase(folder), clock, ids })
    const machine = await first.signIn('one')
    const person = await getToken(first, await addPerson(first, 'bert', [{ store: 'one', role: 'admin' }]))
    const token = { machine, person }[kind]
    const refreshed = String((await refresh(token, first)).body['access_token'])
    await revoke(refreshed, {}, first)
    await first.close()
    const second = proxiedApp({ db: openDatabase(folder), clock, ids })
    for (const ended of [token, refreshed]) {
      expect(refusal(await use(ended, second))).toEqual([401, 'unauthorized'])
      expect(refusal(await refresh(ended, second))).toEqual([401, 'unauthorized'])
    }
    await second.close()
    rmSync(folder, { recursive: true })
  })

  test('other tokens of the same store and person go on', async () => {
    const others = [await getToken(app, anna), tokens[kind === 'person' ? 'machine' : 'person']]
    await revoke(tokens[kind])
    for (const token of others) expect((await use(token)).status).toBe(200)
  })
})

describe('the answer tells nothing about a token (RFC 7009 §2.2)', () => {
  test('the same for one that is known, unknown, forged, expired, ended already, an API key, or nonsense', async () => {
    const forged = await createTokens('another secret of at least 32 bytes!!', app.clock).sign(
      { sub: anna.id, jti: 'x', user_type: 'user' },
      3600,
    )
    const expired = await app.signToken({ sub: anna.id, jti: 'x', user_type: 'user' }, -10_000)
    const answers = [
      await revoke(tokens.person),
      await revoke(tokens.person),
      await revoke(tokens.machine),
      await revoke(forged),
      await revoke(expired),
      await revoke('sk_live_0000000000000000000000000000000000000000'),
      await revoke('x'),
      await revoke('..'),
      await revoke('x'.repeat(8_192)),
    ]
    expect(answers[0]?.status).toBe(200)
    expect(new Set(answers.map(fingerprint)).size).toBe(1)
  })

  test('a token with one changed character ends nothing', async () => {
    await revoke(`${tokens.person}x`)
    await revoke(tokens.person.slice(0, -1))
    expect((await use(tokens.person)).status).toBe(200)
  })

  test('an API key is not ended by it: that is done where keys are kept', async () => {
    const { body } = await app.call('POST', '/v1/security/api-keys', {
      token: tokens.person,
      body: { name: 'sync', scopes: { products: ['read'] } },
    })
    expect((await revoke(String(body['key']))).status).toBe(200)
    expect((await use(String(body['key']))).status).toBe(200)
  })

  test('token_type_hint and unknown parameters change nothing', async () => {
    await revoke(tokens.person, { token_type_hint: 'refresh_token', client_id: 'x' })
    expect(refusal(await use(tokens.person))).toEqual([401, 'unauthorized'])
  })

  test('no sign-in is needed, and a bad one does not matter', async () => {
    const body = new URLSearchParams({ token: tokens.person })
    const headers = { authorization: 'Bearer nonsense' }
    expect((await app.call('POST', '/oauth/revoke', { body, headers })).status).toBe(200)
    expect(refusal(await refresh(tokens.person))).toEqual([401, 'unauthorized'])
  })
})

describe('calls that are wrong', () => {
  test.each([{}, { token: '' }, { access_token: 'x' }])('400 invalid_request for %j', async (fields) => {
    const body = new URLSearchParams(fields as Record<string, string>)
    const answer = await app.call('POST', '/oauth/revoke', { body })
    expect(refusal(answer)).toEqual([400, 'invalid_request'])
    expect(answer.body['details']).toMatchObject({ parameter: 'token' })
  })

  test('415 unsupported_media_type for JSON', async () => {
    const answer = await app.call('POST', '/oauth/revoke', { body: { token: tokens.person } })
    expect(refusal(answer)).toEqual([415, 'unsupported_media_type'])
    expect(JSON.stringify(answer.body)).not.toContain(tokens.person)
  })

  test('413 payload_too_large for more than any token needs', async () => {
    expect(refusal(await revoke('x'.repeat(100_000)))).toEqual([413, 'payload_too_large'])
  })
})

describe('the tidying', () => {
  test('forgets ended tokens exactly a week after their last possible refresh, because clocks may be set back', async () => {
    await revoke(tokens.machine)
    app.clock.advance(REFRESHABLE_MS - SECOND)
    await app.tidy()
    expect(rowsOf('revoked_tokens')).toBe(1)
    expect(refusal(await refresh(tokens.machine))).toEqual([401, 'unauthorized'])
    app.clock.advance(7 * 86_400 * SECOND + 2 * SECOND)
    await app.tidy()
    expect(rowsOf('revoked_tokens')).toBe(0)
    expect(refusal(await refresh(tokens.machine))).toEqual([401, 'unauthorized'])
  })

  test('a clock that was a day ahead when it tidied brings no ended token to life again', async () => {
    await revoke(tokens.machine)
    app.clock.advance(86_400 * SECOND)
    await app.tidy()
    app.clock.advance(-86_400 * SECOND)
    expect(refusal(await app.call('GET', '/v1/me', { token: tokens.machine }))).toEqual([401, 'unauthorized'])
  })

  test('forgets sign-ins likewise; those that were used go on', async () => {
    const other = await getToken(app, anna)
    app.clock.advance(3_600 * SECOND)
    const kept = String((await refresh(other)).body['access_token'])
    app.clock.advance(299 * SECOND)
    await app.tidy()
    expect(rowsOf('sessions')).toBe(2)
    app.clock.advance(2 * SECOND)
    await app.tidy()
    expect(rowsOf('sessions')).toBe(1)
    expect((await use(kept)).status).toBe(200)
    expect(refusal(await refresh(tokens.person))).toEqual([401, 'unauthorized'])
  })
})
