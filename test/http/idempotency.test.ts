import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import type { Actor } from '../../src/core/actor.ts'
import { systemClock } from '../../src/core/clock.ts'
import { createIdempotency } from '../../src/http/idempotency.ts'
import type { IdempotencyKeys } from '../../src/platform/db/idempotency.ts'
import { form, pictureBytes, type TestApp, testApp } from '../support/app.ts'
import { addPerson, getToken } from '../support/people.ts'
import { STANDING } from '../support/permissions.ts'

let app: TestApp
let token: string

beforeEach(async () => {
  app = testApp()
  token = await app.signIn()
})
afterEach(() => app.close())

const product = (id: string) => ({ product_id: id, image_url: app.picture(id, 1) })

const post = (key: string, body: unknown, as = token) =>
  app.call('POST', '/v1/products', { token: as, body, headers: { 'idempotency-key': key } })

const refusal = ({ status, body }: { status: number; body: Record<string, unknown> }) => [
  status,
  body['error'],
]

describe('POST /v1/products with Idempotency-Key (contract 1.6)', () => {
  test('the first answer comes again, status and body, with Idempotent-Replayed: true, and no work is done', async () => {
    const first = await post('k-1', product('a'))
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null])
    app.downloads.length = 0
    const again = await post('k-1', product('a'))
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
    expect(again.body).toEqual(first.body)
    expect(app.downloads).toEqual([])
  })

  test('without a key the second call is an update with 200', async () => {
    const send = () => app.call('POST', '/v1/products', { token, body: product('a') })
    expect([(await send()).status, (await send()).status]).toEqual([201, 200])
  })

  test('422 idempotency_key_reused for another payload', async () => {
    await post('k-1', product('a'))
    expect(refusal(await post('k-1', product('b')))).toEqual([422, 'idempotency_key_reused'])
    expect((await app.call('GET', '/v1/products', { token })).body['total']).toBe(1)
  })

  test('another picture in a multipart body is another payload, the same one is not', async () => {
    const upload = (axis: number) => post('k-1', form({ product_id: 'a', image: pictureBytes(axis) }))
    expect((await upload(1)).status).toBe(201)
    expect((await upload(1)).headers.get('idempotent-replayed')).toBe('true')
    expect(refusal(await upload(2))).toEqual([422, 'idempotency_key_reused'])
  })

  test('a key whose request failed with the disk can be used again when the disk works', async () => {
    // The disk fails in the middle of the request, so the key cannot be given back either.
    const fails = ['BEFORE INSERT ON products', 'BEFORE DELETE ON idempotency_keys']
    for (const [n, when] of fails.entries()) {
      app.db.exec(`CREATE TRIGGER fails_${n} ${when} BEGIN SELECT RAISE(ABORT, 'disk'); END`)
    }
    expect((await post('k-1', product('a'))).status).toBe(500)
    expect(refusal(await post('k-1', product('a')))).toEqual([409, 'idempotency_in_progress'])
    for (const [n] of fails.entries()) app.db.exec(`DROP TRIGGER fails_${n}`)
    expect((await post('k-1', product('a'))).status).toBe(201)
    expect((await post('k-1', product('a'))).headers.get('idempotent-replayed')).toBe('true')
  })

  test('409 idempotency_in_progress while the first call runs, with Retry-After', async () => {
    const gate = Promise.withResolvers<void>()
    const started = Promise.withResolvers<void>()
    const slow = testApp({
      fetcher: {
        async fetch() {
          started.resolve()
          await gate.promise
          return pictureBytes(1)
        },
      },
    })
    const slowToken = await slow.signIn()
    const send = () =>
      slow.call('POST', '/v1/products', {
        token: slowToken,
        body: { product_id: 'a', image_url: 'https://img.test/a.jpg' },
        headers: { 'idempotency-key': 'k-1' },
      })
    const first = send()
    await started.promise
    const second = await send()
    expect(refusal(second)).toEqual([409, 'idempotency_in_progress'])
    expect(second.headers.get('retry-after')).toBe('1')
    gate.resolve()
    expect((await first).status).toBe(201)
    expect((await send()).headers.get('idempotent-replayed')).toBe('true')
    await slow.close()
  })

  test('a call that failed may be sent again under its key', async () => {
    const body = { product_id: 'a', image_url: 'https://img.test/later.jpg' }
    expect(refusal(await post('k-1', body))).toEqual([422, 'image_download_failed'])
    app.picture('later', 1)
    expect((await post('k-1', body)).status).toBe(201)
  })

  test('a call that was refused for its schema leaves the key free', async () => {
    expect((await post('k-1', { product_id: 'a' })).status).toBe(422)
    expect((await post('k-1', product('a'))).status).toBe(201)
  })

  test('keys last 24 hours, to the millisecond', async () => {
    await post('k-1', product('a'))
    app.clock.advance(24 * 3_600_000)
    // The token of the first call has expired by now.
    const sub = app.stores.requireBySlug('one').id
    const later = await app.signToken({ sub, jti: app.ids.uuid(), user_type: 'client' }, 3600)
    expect((await post('k-1', product('a'), later)).headers.get('idempotent-replayed')).toBe('true')
    app.clock.advance(1)
    const late = await post('k-1', product('a'), later)
    expect([late.status, late.headers.get('idempotent-replayed')]).toEqual([200, null])
  })

  test('each store has its own keys', async () => {
    await post('k-1', product('a'))
    const other = await post('k-1', product('b'), await app.signIn('two'))
    expect([other.status, other.headers.get('idempotent-replayed')]).toEqual([201, null])
  })

  test.each([1, 255])('a key of %p characters is taken', async (length) => {
    expect((await post('k'.repeat(length), product('a'))).status).toBe(201)
  })

  test.each([0, 256])('422 validation_error for a key of %p characters', async (length) => {
    const answer = await post('k'.repeat(length), product('a'))
    expect(refusal(answer)).toEqual([422, 'validation_error'])
    expect(answer.body['details']).toMatchObject({
      errors: [{ in: 'header', pointer: '/idempotency-key', code: 'length' }],
    })
  })

  test('tidying deletes the expired keys and keeps the others', async () => {
    const count = () =>
      (app.db.prepare('SELECT count(*) AS n FROM idempotency_keys').get() as { n: number }).n
    await post('k-1', product('a'))
    await app.tidy()
    expect(count()).toBe(1)
    app.clock.advance(24 * 3_600_000 + 1)
    await app.tidy()
    expect(count()).toBe(0)
  })
})

test('a long text counts like one that is serialized as a whole, also across the halves of a character', async () => {
  const fingerprints: Buffer[] = []
  const keys: IdempotencyKeys = {
    claim(_storeId, _key, fingerprint) {
      fingerprints.push(fingerprint)
      return { state: 'new' }
    },
    finish() {},
    forget() {},
    prune() {},
  }
  const idempotency = createIdempotency({ stores: keys, people: keys }, systemClock)
  for (const image of ['a'.repeat(40_000), 'x"\n\ud800'.repeat(300_000), `x${'😀'.repeat(600_000)}`]) {
    const request = new Request('http://lookalike.test/v1/products', {
      method: 'POST',
      headers: { 'idempotency-key': 'k' },
    })
    const actor = { storeId: 's', ...STANDING } as Actor
    const context = { request, path: '/v1/products', actor, body: { image, limit: 1 }, set: { headers: {} } }
    await idempotency.answer(context, async () => ({ status: 200, body: {} }))
    const whole = `POST /v1/products\n"image":${JSON.stringify(image)}"limit":1`
    const expected = createHash('sha256').update(whole).digest('hex')
    expect(fingerprints.at(-1)?.toString('hex')).toBe(expected)
  }
})

describe('every POST that makes something for a store (contract 1.6)', () => {
  /** What each route takes; text is a table. */
  const bodies: Record<string, unknown> = {
    'POST /v1/products': { product_id: 'a', image_url: 'https://img.test/a.jpg' },
    'POST /v1/products/bulk': { products: [{ product_id: 'a', image_url: 'https://img.test/a.jpg' }] },
    'POST /v1/products/import': 'id,image\na,https://img.test/a.jpg\n',
    'POST /v1/feeds': { url: 'https://shop.test/products.csv' },
    'POST /v1/feeds/{id}/run': { full: true },
    'POST /v1/search/feedback': { result_product_id: 'a', action: 'click' },
    'POST /v1/security/api-keys': { name: 'sync', scopes: { products: 'read' } },
    'POST /v1/security/public-keys': { name: 'shop', origins: ['https://shop.example'] },
    'POST /v1/security/ip-whitelist': { ip_address: '0.0.0.0/0', force: false },
    'POST /v1/team/invite': { email: 'ben@shop.test', role: 'viewer' },
    'POST /v1/user-groups': { name: 'Editors', permission_names: [] },
    'POST /v1/stores': { name: 'Another' },
    'POST /v1/admin/registrations': { email: 'carl@shop.test' },
    'POST /v1/search/checks': { name: 'mugs', query: 'mug', expect: ['a'], within: 5 },
    'POST /v1/search/checks/run': {},
    'POST /v1/store/rules': { name: 'First', then: [{ action: 'pin', product_id: 'a', position: 1 }] },
    'POST /v1/store/words/synonyms': { words: ['sofa', 'couch'] },
    'POST /v1/search/replay': { settings: { threshold: 0.5 } },
    'POST /v1/catalogue/report': {},
    'POST /v1/admin/backups': {},
    'POST /v1/admin/models/fetch': { name: 'clip-vit-base-patch32' },
    'POST /v1/admin/stores': { name: 'Another', owner_email: 'ben@shop.test' },
  }

  /** A body with a password leaves no trace, not even a fingerprint. */
  const WITH_PASSWORD = ['POST /v1/users', 'POST /v1/me/email']

  /** These need a model or a node to move to; `operation/models` and `nodes/departures` send them twice. */
  const MOVES = [
    ...['use', 'back', 'cancel', 'reindex'].map((name) => `POST /v1/admin/models/${name}`),
    ...['move', 'move/cancel'].map((name) => `POST /v1/admin/stores/{id}/${name}`),
  ]

  /** A code is shown once; a source that lost the answer announces its store again. */
  const OF_NODES = ['POST /v1/admin/node/invites', 'POST /v1/node/moves']

  interface Operation {
    parameters?: { name: string }[]
    responses: Record<string, unknown>
  }

  /** Those of the widget keep the header with each event instead: a shopper repeats for the key, not for the store. */
  const isOfWidget = (path: string): boolean => path.startsWith('/v1/widget/')

  async function listMakers(): Promise<string[]> {
    const { body } = await app.call('GET', '/openapi.json')
    return Object.entries(body['paths'] as Record<string, Record<string, Operation>>).flatMap(
      ([path, verbs]) => {
        const post = path.startsWith('/v1/') && !isOfWidget(path) ? verbs['post'] : undefined
        const isMaker = post && ('201' in post.responses || '202' in post.responses)
        return isMaker && ![...WITH_PASSWORD, ...MOVES, ...OF_NODES].includes(`POST ${path}`)
          ? [`POST ${path}`]
          : []
      },
    )
  }

  /** A feed whose first run is over, for the path that names one. */
  async function makeFeed(): Promise<string> {
    const { body } = await app.call('POST', '/v1/feeds', { token, body: bodies['POST /v1/feeds'] })
    await app.feeds.drain()
    return String(body['id'])
  }

  /** What must be there before a saved check is made, or run. */
  async function prepareChecks(path: string): Promise<void> {
    await app.call('POST', '/v1/products', { token, body: bodies['POST /v1/products'] })
    const body = { ...(bodies['POST /v1/search/checks'] as object), name: 'present' }
    if (path.endsWith('/run')) await app.call('POST', '/v1/search/checks', { token, body })
  }

  test('takes the header, and the list above knows it', async () => {
    expect((await listMakers()).toSorted()).toEqual(Object.keys(bodies).toSorted())
  })

  test.each(Object.entries(bodies))('%s is done once', async (route, body) => {
    app.picture('a', 1)
    const [, pattern = ''] = route.split(' ')
    const path = pattern.includes('{id}') ? pattern.replace('{id}', await makeFeed()) : pattern
    if (path.startsWith('/v1/search/checks')) await prepareChecks(path)
    const type = typeof body === 'string' ? { 'content-type': 'text/csv' } : {}
    const headers = { 'idempotency-key': 'once', 'x-forwarded-for': '127.0.0.1', ...type }
    const isForPeople = /^\/v1\/(team|user-groups|security\/ip-whitelist)/.test(path)
    const owner = async () => getToken(app, await addPerson(app, 'owner', [{ store: 'one', role: 'owner' }]))
    const root = async () => getToken(app, await addPerson(app, 'root', [], { isSuperAdmin: true }))
    const isForRoot = path.endsWith('/stores') || path.startsWith('/v1/admin/')
    const as = isForRoot ? await root() : isForPeople ? await owner() : token
    const send = () => app.call('POST', path, { token: as, body, headers })
    const first = await send()
    expect([201, 202]).toContain(first.status)
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    const again = await send()
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([first.status, 'true'])
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('cache-control')).toBe(first.headers.get('cache-control'))
  })

  test('another caller does not get an answer that shows a secret', async () => {
    const body = bodies['POST /v1/security/api-keys']
    const headers = { 'idempotency-key': 'once' }
    const send = (as: string) => app.call('POST', '/v1/security/api-keys', { token: as, body, headers })
    expect((await send(token)).status).toBe(201)
    const owner = await getToken(app, await addPerson(app, 'owner', [{ store: 'one', role: 'owner' }]))
    expect(refusal(await send(owner))).toEqual([422, 'idempotency_key_reused'])
  })
})
