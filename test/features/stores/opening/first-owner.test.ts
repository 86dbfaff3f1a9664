import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { RESERVED_SLUGS } from '../../../../src/core/slugs.ts'
import { version } from '../../../../src/version.ts'
import type { Answer, TestApp } from '../../../support/app.ts'
import {
  addPerson,
  freshAddress,
  from,
  getToken,
  proxiedApp,
  refusal,
  sendSignIn,
} from '../../../support/people.ts'
import { cookieOf, OWN_PAGE, refreshPortal } from '../../../support/portal.ts'
import { countRows, readColumn, readRows } from '../../../support/seed.ts'

const MINUTE = 60_000
const PASSWORD = 'a long password'

let app: TestApp

beforeEach(() => {
  app = proxiedApp()
})
afterEach(() => app.close())

const issue = (): string => app.setupCodes.issue()?.code ?? ''

const setUp = (
  code: string,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = from(freshAddress()),
): Promise<Answer> =>
  app.call('POST', '/setup', {
    body: { code, email: 'root@people.test', password: PASSWORD, store: 'My shop', ...more },
    headers: { ...OWN_PAGE, ...headers },
  })

const readState = async () => (await app.call('GET', '/setup/state')).body

describe('the code of the set-up link', () => {
  test('has 80 bits in four groups of Crockford’s base32, and is kept hashed', () => {
    const code = issue()
    expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){3}$/)
    const [row] = readRows<{ code_hash: Uint8Array }>(app, 'setup_codes')
    const plain = code.replaceAll('-', '')
    expect(Buffer.from(row?.code_hash ?? [])).toEqual(
      Buffer.from(new Bun.CryptoHasher('sha256').update(plain).digest()),
    )
  })

  test('a new one ends the one before', async () => {
    const [first, second] = [issue(), issue()]
    expect(refusal(await setUp(first))).toEqual([401, 'unauthorized'])
    expect((await setUp(second)).status).toBe(201)
    expect(countRows(app, 'setup_codes')).toBe(0)
  })

  test('there is none once there is a super-admin', async () => {
    await setUp(issue())
    expect(app.setupCodes.issue()).toBeUndefined()
  })

  test.each([
    ['capitals', (code: string) => code.toUpperCase()],
    ['spaces', (code: string) => ` ${code.replaceAll('-', ' ')} `],
    ['no dashes', (code: string) => code.replaceAll('-', '')],
    ['letters that look like its digits', (code: string) => code.replaceAll('0', 'O').replaceAll('1', 'l')],
  ])('may be typed with %s', async (_what, typed) => {
    expect((await setUp(typed(issue()))).status).toBe(201)
  })

  test('is good for thirty minutes', async () => {
    const code = issue()
    app.clock.advance(30 * MINUTE - 1)
    expect((await app.call('GET', '/v1/slugs/free', { headers: { 'x-setup-code': code } })).status).toBe(200)
    app.clock.advance(1)
    expect(refusal(await setUp(code))).toEqual([401, 'unauthorized'])
  })
})

describe('POST /setup (contract 5.18)', () => {
  test('makes the super-admin with a store, and signs them in', async () => {
    const answer = await setUp(issue(), { full_name: ' Anna Root ', slug: 'mine' })
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      slug: 'mine',
      email: 'root@people.test',
      user_name: 'Anna Root',
      is_super_admin: true,
      redirect: '/admin',
      token_type: 'Bearer',
    })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const { store_id, client_id, client_secret, access_token } = answer.body
    expect(store_id).toBe(client_id)
    const grant = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: String(client_id),
      client_secret: String(client_secret),
    })
    expect((await app.call('POST', '/oauth/token', { body: grant })).status).toBe(200)
    const me = await app.call('GET', '/v1/me', { token: String(access_token) })
    expect(me.body['active_store']).toMatchObject({ slug: 'mine', plan: 'enterprise', role: 'owner' })
    expect((await refreshPortal(app, cookieOf(answer))).status).toBe(200)
    expect((await sendSignIn(app, 'root@people.test')).status).toBe(200)
    expect(readColumn(app, 'users', 'proven_at')).not.toEqual([null])
  })

  test('makes name and slug of what it has', async () => {
    const { body } = await setUp(issue())
    expect([body['slug'], body['user_name']]).toEqual(['my-shop', 'root'])
  })

  test('of two set-ups at the same time with one code, exactly one wins', async () => {
    const code = issue()
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, n) => setUp(code, { email: `root-${n}@people.test` })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
    expect([countRows(app, 'users'), countRows(app, 'stores')]).toEqual([1, 1])
  })

  test('a set-up in another process ends that of the browser', async () => {
    const code = issue()
    // Begins first, so its password is hashed first.
    const other = app.store('one')
    expect(refusal(await setUp(code))).toEqual([409, 'conflict'])
    await other
    expect(countRows(app, 'users')).toBe(1)
  })

  test('with an owner it is over, whatever the code', async () => {
    const code = issue()
    await app.store('one')
    for (const any of [code, 'wrong']) expect(refusal(await setUp(any))).toEqual([409, 'conflict'])
    const look = await app.call('GET', '/v1/slugs/free', { headers: { 'x-setup-code': code } })
    expect(refusal(look)).toEqual([401, 'unauthorized'])
    expect(await readState()).toEqual({ has_owner: true, version })
  })

  test.each([
    [{ password: 'password123' }, 422, 'validation_error'],
    [{ password: 'short' }, 422, 'validation_error'],
    [{ email: 'nobody' }, 422, 'validation_error'],
    [{ store: ' ' }, 422, 'validation_error'],
    [{ slug: 'admin' }, 422, 'validation_error'],
    [{ slug: 'My Shop' }, 422, 'validation_error'],
    [{ slug: 'taken' }, 409, 'conflict'],
    [{ email: 'known@people.test' }, 409, 'conflict'],
    [{ code: undefined }, 422, 'validation_error'],
  ])('refuses %j and leaves the code as it is', async (more, status, code) => {
    await addPerson(app, 'known')
    const { id } = app.stores.create(
      { name: 'taken', slug: 'taken', plan: 'free', ownerId: undefined },
      (storeId, action, details) => ({
        ...{ action, storeId, details, actorKind: 'operator' as const },
        ...{ userId: null, keyId: null, clientInfo: null },
      }),
    ).store
    const right = issue()
    expect(refusal(await setUp(right, more))).toEqual([status, code])
    expect([countRows(app, 'users'), countRows(app, 'stores')]).toEqual([1, 1])
    expect(await readState()).toEqual({ has_owner: false, version })
    expect((await setUp(right)).status).toBe(201)
    expect(id).toBeString()
  })

  test('ten wrong codes stop an address for a quarter of an hour, and nobody else', async () => {
    const code = issue()
    const stranger = from('203.0.113.9')
    for (let n = 0; n < 10; n++) {
      expect(refusal(await setUp('3f7k-q2mx-9tbw-x4hd', {}, stranger))).toEqual([401, 'unauthorized'])
    }
    const refused = await setUp('3f7k-q2mx-9tbw-x4hd', {}, stranger)
    expect(refusal(refused)).toEqual([429, 'rate_limit_exceeded'])
    expect(refused.headers.get('retry-after')).toBe('900')
    expect(refusal(await setUp(code, {}, stranger))).toEqual([429, 'rate_limit_exceeded'])
    expect((await setUp(code)).status).toBe(201)
  })

  test('wrong codes for slugs count, too', async () => {
    issue()
    const headers = { ...from('203.0.113.9'), 'x-setup-code': 'wrong' }
    for (let n = 0; n < 10; n++) await app.call('GET', '/v1/slugs/any', { headers })
    expect(refusal(await app.call('GET', '/v1/slugs/any', { headers }))).toEqual([429, 'rate_limit_exceeded'])
    expect(refusal(await setUp('wrong', {}, from('203.0.113.9')))).toEqual([429, 'rate_limit_exceeded'])
  })

  test('a program may call it, and no page of another origin', async () => {
    const code = issue()
    const body = { code, email: 'root@people.test', password: PASSWORD, store: 'My shop' }
    const headers = { origin: 'https://evil.example' }
    expect(refusal(await app.call('POST', '/setup', { body, headers }))).toEqual([403, 'origin_not_allowed'])
    expect((await app.call('POST', '/setup', { body })).status).toBe(201)
  })
})

describe('GET /v1/slugs/{slug}', () => {
  let token: string
  beforeEach(async () => {
    await app.store('taken')
    token = await getToken(app, await addPerson(app, 'anna'))
  })
  const look = async (slug: string) =>
    (await app.call('GET', `/v1/slugs/${encodeURIComponent(slug)}`, { token })).body

  test.each([
    ['my-shop', true, null],
    ['taken', false, 'taken'],
    ['admin', false, 'reserved'],
    ['robots.txt', false, 'reserved'],
    ['x', false, 'format'],
    ['My shop', false, 'format'],
    ['../v1', false, 'format'],
  ])('%s', async (slug, is_free, reason) => {
    expect(await look(slug)).toEqual({ slug, is_free, reason })
  })

  test('tells strangers nothing', async () => {
    expect(refusal(await app.call('GET', '/v1/slugs/taken'))).toEqual([401, 'unauthorized'])
    const headers = { 'x-setup-code': 'wrong' }
    expect(refusal(await app.call('GET', '/v1/slugs/taken', { headers }))).toEqual([401, 'unauthorized'])
    // A code that is wrong is not mended by a sign-in beside it.
    const both = await app.call('GET', '/v1/slugs/taken', { headers, token })
    expect(refusal(both)).toEqual([401, 'unauthorized'])
  })
})

test('every word that the portal will need as a first segment is kept', () => {
  const words =
    'setup login logout forgot portal admin session api app assets static thumbs thumbnails samples me stores models metrics map billing status sitemap.xml robots.txt favicon.ico .well-known'
  expect(words.split(' ').filter((word) => !RESERVED_SLUGS.has(word))).toEqual([])
})
