import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { hashSecret } from '../../../../src/core/secrets.ts'
import { type Answer, type TestApp, testApp } from '../../../support/app.ts'
import { readColumn, readRows } from '../../../support/seed.ts'
import { codeOf } from '../api-keys/answers.ts'
import { auditOf, breakAuditLog, wholeDatabase } from '../api-keys/evidence.ts'
import { signInMember } from '../api-keys/keys.ts'

const PATH = '/v1/security/client-secret/rotate'

let app: TestApp
let storeId: string
let secret: string

beforeEach(async () => {
  app = testApp()
  const store = await app.store()
  storeId = store.store_id
  secret = store.client_secret
})
afterEach(() => app.close())

const grant = (client_secret: string) =>
  app.call('POST', '/oauth/token', {
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: storeId, client_secret }),
  })

const tokenBy = async (client_secret: string) => String((await grant(client_secret)).body['access_token'])

/** Rotates with what a machine grant has to show, by default the first secret. */
const rotate = (token: string, client_secret: unknown = secret) =>
  app.call('POST', PATH, { token, body: { client_secret } })

/** As a person does who says nothing. */
const rotateAlone = (token: string) => app.call('POST', PATH, { token })

const works = async (token: string) => codeOf(await app.call('GET', '/v1/products', { token }))

const WORKS: [number, unknown] = [200, undefined]
const REFUSED: [number, unknown] = [401, 'unauthorized']

describe('POST /v1/security/client-secret/rotate (contract 4.9)', () => {
  test('200: a new secret this once; no cache may keep it', async () => {
    const { status, headers, body } = await rotate(await tokenBy(secret))
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(body).toEqual({
      client_id: storeId,
      client_secret: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/) as never,
      rotated_at: new Date(app.clock.now()).toISOString(),
    })
  })

  test('the old secret ends at once, the new one opens the door', async () => {
    const { body } = await rotate(await tokenBy(secret))
    expect(codeOf(await grant(secret))).toEqual(REFUSED)
    const answer = await grant(String(body['client_secret']))
    expect(answer.status).toBe(200)
    expect(await works(String(answer.body['access_token']))).toEqual(WORKS)
  })

  test('tokens of the old secret end at once, but for the one that asked', async () => {
    const [asking, other] = [await tokenBy(secret), await tokenBy(secret)]
    const { body } = await rotate(asking)
    expect([await works(asking), await works(other)]).toEqual([WORKS, REFUSED])
    expect((await rotate(asking, body['client_secret'])).status).toBe(200)
  })

  test('by a person: every token of the old secret ends, the person’s own does not', async () => {
    const { token: owner } = await signInMember(app, { store: 'one', role: 'owner' })
    const machine = await tokenBy(secret)
    expect((await rotateAlone(owner)).status).toBe(200)
    expect([await works(machine), await works(owner)]).toEqual([REFUSED, WORKS])
    expect(readColumn(app, 'stores', 'kept_jti', { id: storeId })).toEqual([null])
  })

  test('the token that asked once ends with the next rotation by somebody else', async () => {
    const { token: admin } = await signInMember(app, { store: 'one', role: 'admin' })
    const machine = await tokenBy(secret)
    await rotate(machine)
    await rotateAlone(admin)
    expect(await works(machine)).toEqual(REFUSED)
  })

  test('other stores keep their secrets and tokens', async () => {
    const other = await app.store('two')
    const token = await app.call('POST', '/oauth/token', {
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: other.client_id,
        client_secret: other.client_secret,
      }),
    })
    const hashOf = () =>
      readRows(app, 'stores', { id: other.store_id }, ['client_secret_hash', 'secret_generation'])
    const before = hashOf()
    await rotate(await tokenBy(secret))
    expect(hashOf()).toEqual(before)
    expect(await works(String(token.body['access_token']))).toEqual(WORKS)
  })

  test('of many rotations by a person at once each gives another secret, and exactly one of them opens the door', async () => {
    const { token } = await signInMember(app, { store: 'one', role: 'owner' })
    const answers = await Promise.all(Array.from({ length: 20 }, () => rotateAlone(token)))
    const secrets = answers.map(({ status, body }) => (status === 200 ? String(body['client_secret']) : ''))
    expect(new Set(secrets).size).toBe(20)
    const [hash] = readColumn<Buffer>(app, 'stores', 'client_secret_hash', { id: storeId })
    const valid = secrets.filter((text) => hash?.equals(hashSecret(text)))
    expect([valid.length, ...readColumn(app, 'stores', 'secret_generation', { id: storeId })]).toEqual([
      1, 21,
    ])
    expect((await grant(valid[0] ?? '')).status).toBe(200)
    expect(auditOf(app, 'client_secret')).toHaveLength(20)
  })
})

describe('a machine grant shows the present secret', () => {
  const required = (body: Record<string, unknown>) => (body['details'] as { required?: string })?.required
  const needed = async (answer: Promise<Answer>) => {
    const { status, body } = await answer
    return [status, body['error'], required(body)]
  }
  const NEEDED = [403, 'permission_denied', 'client_secret']

  test('403 without it, with {} and with a wrong one; the secret stays', async () => {
    const token = await tokenBy(secret)
    expect(await needed(rotateAlone(token))).toEqual(NEEDED)
    expect(await needed(app.call('POST', PATH, { token, body: {} }))).toEqual(NEEDED)
    expect(await needed(rotate(token, `${secret}x`))).toEqual(NEEDED)
    expect(await needed(rotate(token, ''))).toEqual(NEEDED)
    expect((await grant(secret)).status).toBe(200)
    expect(await works(token)).toEqual(WORKS)
  })

  test('403 with the secret of another store, and with the one before', async () => {
    const other = await app.store('two')
    const token = await tokenBy(secret)
    expect(await needed(rotate(token, other.client_secret))).toEqual(NEEDED)
    await rotate(token)
    expect(await needed(rotate(token))).toEqual(NEEDED)
  })

  test('of many at once with one secret exactly one rotates', async () => {
    const token = await tokenBy(secret)
    const answers = await Promise.all(Array.from({ length: 10 }, () => rotate(token)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(9)
  })

  test('ten wrong ones in a quarter of an hour are 403, further ones 429; the right one passes and forgives', async () => {
    const token = await tokenBy(secret)
    for (let n = 0; n < 10; n++) expect(await needed(rotate(token, `wrong ${n}`))).toEqual(NEEDED)
    const refused = await rotate(token, 'wrong')
    expect(codeOf(refused)).toEqual([429, 'too_many_requests'])
    expect(refused.headers.get('retry-after')).toBe('900')
    expect(auditOf(app, 'client_secret').map(({ action, actor_kind }) => [action, actor_kind])).toEqual([
      ...Array.from({ length: 10 }, () => ['client_secret.refused', 'machine']),
      ['client_secret.locked', 'machine'],
    ])
    const { status, body } = await rotate(token)
    expect(status).toBe(200)
    expect(await needed(rotate(token, 'wrong'))).toEqual(NEEDED)
    expect((await grant(String(body['client_secret']))).status).toBe(200)
  })

  test('saying nothing is no guess', async () => {
    const token = await tokenBy(secret)
    for (let n = 0; n < 20; n++) await rotateAlone(token)
    expect(await needed(rotate(token, 'wrong'))).toEqual(NEEDED)
    expect(auditOf(app, 'client_secret')).toHaveLength(1)
  })

  test.each<[string, unknown, string, [number, string]]>([
    ['broken JSON', '{ broken', 'application/json', [400, 'invalid_json']],
    ['another type', 'client_secret=x', 'application/x-www-form-urlencoded', [415, 'unsupported_media_type']],
    ['a number', '{"client_secret":7}', 'application/json', [422, 'validation_error']],
    [
      'a very long one',
      JSON.stringify({ client_secret: 'x'.repeat(201) }),
      'application/json',
      [422, 'validation_error'],
    ],
    ['a large body', `"${'x'.repeat(1_100_000)}"`, 'application/json', [413, 'payload_too_large']],
  ])('%s is refused and is not told back', async (_, body, type, expected) => {
    const answer = await app.call('POST', PATH, {
      token: await tokenBy(secret),
      body,
      headers: { 'content-type': type },
    })
    expect(codeOf(answer)).toEqual(expected)
    expect((await grant(secret)).status).toBe(200)
  })
})

describe('the audit log', () => {
  test('says who rotated, and no secret', async () => {
    const { userId, token: owner } = await signInMember(app, { store: 'one', role: 'owner' })
    const { body } = await rotateAlone(owner)
    const rows = auditOf(app, 'client_secret')
    expect(
      rows.map(({ action, store_id, actor_kind, user_id }) => [action, store_id, actor_kind, user_id]),
    ).toEqual([['client_secret.rotated', storeId, 'person', userId]])
    expect(JSON.stringify(rows)).not.toContain(String(body['client_secret']))
  })

  test('and the act are one: without its row the old secret stays', async () => {
    const token = await tokenBy(secret)
    breakAuditLog(app)
    expect((await rotate(token)).status).toBe(500)
    expect((await grant(secret)).status).toBe(200)
  })
})

test('no client secret stands in the database in a form that could be used', async () => {
  const { body } = await rotate(await tokenBy(secret))
  const everything = wholeDatabase(app)
  expect(everything).toContain(hashSecret(String(body['client_secret'])).toString('hex'))
  for (const text of [secret, String(body['client_secret'])]) {
    expect(everything).not.toContain(text)
    expect(everything).not.toContain(text.slice(-12))
  }
})
