import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { DAY_MS } from '../../../../src/core/clock.ts'
import { form, pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { addPerson, getToken, join, type Person, refusal } from '../../../support/people.ts'
import { insertRow } from '../../../support/seed.ts'

let app: TestApp
let admin: Person
let root: string
let machine: string
let storeId: string

beforeEach(async () => {
  app = testApp()
  machine = await app.signIn('one')
  storeId = app.stores.requireBySlug('one').id
  admin = await addPerson(app, 'root', [], { isSuperAdmin: true })
  root = await getToken(app, admin)
})
afterEach(() => app.close())

const call = (method: string, path: string, body?: unknown, token = root) =>
  app.call(method, `/v1/admin/stores${path}`, { token, ...(body !== undefined && { body }) })
const NOBODY = '01900000-0000-7000-8000-ffffffffffff'

/** The events of the store's log about an action, as its owner reads them. */
async function readLog(action: string) {
  const token = await getToken(app, { email: 'one@shop.test' })
  const { body } = await app.call('GET', `/v1/security/audit?action=${action}`, { token })
  return body['events'] as { actor: object; details: object }[]
}

describe('the list of stores', () => {
  test('shows plan, size, use and owners of each', async () => {
    const upload = form({ product_id: 'a', image: pictureBytes(1) })
    await app.call('POST', '/v1/products', { token: machine, body: upload })
    for (const query of ['boots', 'hats']) {
      await app.call('POST', '/v1/search/text', { token: machine, body: { query } })
    }
    app.services.history.flush()
    join(app, (await addPerson(app, 'dev')).id, { store: 'one', role: 'developer' })
    const thumbnail = app.db.prepare('SELECT length(webp) FROM thumbnails').pluck().get() as number
    const { status, body } = await call('GET', '')
    expect(status).toBe(200)
    expect(body).toEqual({
      stores: [
        {
          ...{ id: storeId, slug: 'one', name: 'one', plan: 'enterprise', status: 'active' },
          ...{ products: 1, max_products: null, searches: 2, storage_bytes: 9 + thumbnail, members: 2 },
          ...{ searches_today: 2, last_feed: null },
          ...{ owners: ['one@shop.test'], created_at: '2030-01-01T00:00:00.000Z' },
          ...{ suspended_at: null, suspended_reason: null, delete_at: null },
        },
      ],
      count: 1,
      next_cursor: null,
    })
    expect((await call('GET', `/${storeId}`)).body).toEqual((body['stores'] as object[])[0] as never)
    app.clock.advance(30 * DAY_MS)
    root = await getToken(app, admin)
    expect((await call('GET', `/${storeId}`)).body).toMatchObject({ searches: 0 })
  })

  test('is read page by page, newest first', async () => {
    for (const name of ['two', 'three']) await app.store(name, 'basic')
    const pages: unknown[] = []
    for (let cursor = ''; ; ) {
      const { body } = await call('GET', `?limit=2${cursor}`)
      pages.push((body['stores'] as { slug: string }[]).map(({ slug }) => slug))
      if (body['next_cursor'] === null) break
      cursor = `&cursor=${body['next_cursor']}`
    }
    expect(pages).toEqual([['three', 'two'], ['one']])
  })

  test('finds by slug, name, owner and id, and by status', async () => {
    await app.store('two', 'basic')
    const slugs = async (query: string) =>
      ((await call('GET', `?${query}`)).body['stores'] as { slug: string }[]).map(({ slug }) => slug)
    await call('POST', `/${storeId}/suspend`, { reason: 'Unpaid' })
    for (const q of ['tw', 'TWO', 'two%40shop', app.stores.requireBySlug('two').id]) {
      expect(await slugs(`q=${q}`)).toEqual(['two'])
    }
    expect(await slugs('q=%25')).toEqual([])
    expect(await slugs('status=active')).toEqual(['two'])
    expect(await slugs('status=suspended')).toEqual(['one'])
    expect(await slugs('status=deletion_planned')).toEqual([])
  })

  test.each([
    ['?limit=0', 422, 'validation_error'],
    ['?limit=101', 422, 'validation_error'],
    ['?status=gone', 422, 'validation_error'],
    ['?cursor=x', 400, 'invalid_cursor'],
  ])('refuses %s', async (query, status, code) => {
    expect(refusal(await call('GET', query))).toEqual([status, code])
  })
})

describe('suspending and resuming', () => {
  test('a store, with the reason, and back', async () => {
    expect(await call('POST', `/${storeId}/suspend`, { reason: ' Unpaid ' })).toMatchObject({
      status: 200,
      body: { status: 'suspended', suspended_reason: 'Unpaid', suspended_at: '2030-01-01T00:00:00.000Z' },
    })
    app.clock.advance(1000)
    expect((await call('POST', `/${storeId}/suspend`, { reason: 'Abuse' })).body).toMatchObject({
      suspended_reason: 'Abuse',
      suspended_at: '2030-01-01T00:00:00.000Z',
    })
    expect(await call('POST', `/${storeId}/resume`)).toMatchObject({
      status: 200,
      body: { status: 'active', suspended_at: null, suspended_reason: null },
    })
  })

  test.each([
    {},
    { reason: '' },
    { reason: '  ' },
    { reason: 'a\nb' },
    { reason: 'x'.repeat(501) },
    { reason: 7 },
  ])('is refused with the body %j', async (body) => {
    expect(refusal(await call('POST', `/${storeId}/suspend`, body))).toEqual([422, 'validation_error'])
  })

  test('resuming a store that works is a conflict', async () => {
    expect(refusal(await call('POST', `/${storeId}/resume`))).toEqual([409, 'conflict'])
  })

  test('stands in the log of the store, with the name of the super-admin', async () => {
    await call('POST', `/${storeId}/suspend`, { reason: 'Unpaid' })
    await call('POST', `/${storeId}/resume`)
    const actor = { kind: 'person', id: admin.id, name: 'root' }
    expect(await readLog('store.suspended')).toEqual([
      expect.objectContaining({ actor, details: { reason: 'Unpaid', by_super_admin: true } }),
    ])
    expect(await readLog('store.resumed')).toEqual([
      expect.objectContaining({ actor, details: { was_to_be_deleted: false, by_super_admin: true } }),
    ])
  })

  test('a super-admin who suspends the only store that they belong to still gets in here', async () => {
    join(app, admin.id, { store: 'one', role: 'owner' })
    expect((await call('POST', `/${storeId}/suspend`, { reason: 'Mine' })).status).toBe(200)
    expect(refusal(await app.call('GET', '/v1/products', { token: root }))).toEqual([403, 'store_suspended'])
    root = await getToken(app, admin)
    expect((await call('POST', `/${storeId}/resume`)).status).toBe(200)
  })
})

describe('the plan', () => {
  test('is changed, and the store’s log tells by whom', async () => {
    expect(await call('PATCH', `/${storeId}`, { plan: 'basic' })).toMatchObject({
      status: 200,
      body: { plan: 'basic', max_products: 5000 },
    })
    expect((await readLog('store.plan_changed'))[0]?.details).toEqual({
      ...{ before: 'enterprise', after: 'basic', by_super_admin: true },
    })
  })

  test.each([{}, { plan: 'gold' }, { plan: null }, { name: ' ' }, { name: 'a\nb' }, { plans: 'basic' }])(
    'is refused as %j',
    async (body) => {
      expect(refusal(await call('PATCH', `/${storeId}`, body))).toEqual([422, 'validation_error'])
    },
  )
})

describe('the name', () => {
  test('is changed alone or with the plan; the slug stays, and the store’s log tells by whom', async () => {
    expect(await call('PATCH', `/${storeId}`, { name: ' Käthe’s lamps ', plan: 'basic' })).toMatchObject({
      status: 200,
      body: { slug: 'one', name: 'Käthe’s lamps', plan: 'basic' },
    })
    await call('PATCH', `/${storeId}`, { name: 'Käthe’s lamps' })
    expect((await readLog('store.renamed')).map(({ details }) => details)).toEqual([
      { before: 'one', after: 'Käthe’s lamps', by_super_admin: true },
    ])
    expect((await call('GET', `/${storeId}`)).body).toMatchObject({ plan: 'basic' })
  })
})

test('a field that nobody knows is refused with a cure, beside one that is known, too', async () => {
  for (const [field, cure] of [
    ['plans', "is unknown; did you mean 'plan'?"],
    ['slug', 'is unknown; known are plan, name'],
  ] as const) {
    const answer = await call('PATCH', `/${storeId}`, { name: 'Renamed', [field]: 'basic' })
    expect(answer).toMatchObject({
      status: 422,
      body: { details: { errors: [{ pointer: `/${field}`, message: cure }] } },
    })
  }
  expect((await call('GET', `/${storeId}`)).body).toMatchObject({ name: 'one', plan: 'enterprise' })
})

describe('the last run of a feed', () => {
  test('that is over stands with the store', async () => {
    const [runs, finishedAt] = [[1, 2], Date.parse('2030-01-01T00:00:00.000Z')]
    insertRow(app, 'feeds', {
      ...{ id: 'f1', store_id: storeId, url: 'https://shop.test/f.csv', interval_minutes: 60 },
      ...{ delete_missing: 0, next_run_at: 0, created_at: 0, updated_at: 0 },
    })
    for (const run of runs)
      insertRow(app, 'feed_runs', {
        ...{ feed_id: 'f1', run_number: run, store_id: storeId, deleted: 0 },
        status: run === 1 ? 'completed' : 'failed',
        run: JSON.stringify({ finishedAt: finishedAt + run }),
      })
    const { body } = await call('GET', `/${storeId}`)
    expect(body['last_feed']).toEqual({
      ...{ feed_id: 'f1', status: 'failed', finished_at: '2030-01-01T00:00:00.002Z' },
    })
  })
})

describe('opening a store to act for it', () => {
  test('works for one that is suspended, too, and says so in its log', async () => {
    await call('POST', `/${storeId}/suspend`, { reason: 'Unpaid' })
    expect(await call('POST', `/${storeId}/open`)).toMatchObject({
      status: 200,
      body: { slug: 'one', until: '2030-01-01T00:30:00.000Z' },
    })
    await call('POST', `/${storeId}/resume`)
    expect((await readLog('store.opened_as_operator'))[0]?.details).toMatchObject({ by_super_admin: true })
  })

  test('asks for a sign-in', async () => {
    const answer = await app.call('POST', `/v1/admin/stores/${storeId}/open`)
    expect(refusal(answer)).toEqual([401, 'unauthorized'])
  })
})

describe('deleting', () => {
  test('suspends the store for 7 days, in which resuming restores it', async () => {
    expect(await call('DELETE', `/${storeId}`, { confirm: 'one' })).toMatchObject({
      status: 200,
      body: { status: 'deletion_planned', delete_at: '2030-01-08T00:00:00.000Z' },
    })
    const refused = await app.call('GET', '/v1/products', { token: machine })
    expect(refused.body).toMatchObject({
      error: 'store_suspended',
      details: { delete_at: '2030-01-08T00:00:00.000Z' },
    })
    expect(refusal(await call('DELETE', `/${storeId}`, { confirm: 'one' }))).toEqual([409, 'conflict'])
    expect((await call('POST', `/${storeId}/resume`)).body).toMatchObject({
      status: 'active',
      delete_at: null,
    })
    expect((await app.call('GET', '/v1/products', { token: machine })).status).toBe(200)
    expect((await readLog('store.resumed'))[0]?.details).toMatchObject({ was_to_be_deleted: true })
    await app.settle()
    expect(app.mails[0]).toMatchObject({ to: 'one@shop.test', subject: 'Your store one will be deleted' })
    expect(app.mails[0]?.text).toContain('On 2030-01-08 00:00 UTC everything')
  })

  test.each([{}, { confirm: 'One' }, { confirm: 'yes' }, { confirm: true }])(
    'needs its slug typed: %j is refused, and nothing happens',
    async (body) => {
      expect(refusal(await call('DELETE', `/${storeId}`, body))).toEqual([422, 'validation_error'])
      expect((await call('GET', `/${storeId}`)).body).toMatchObject({ status: 'active' })
    },
  )

  test('a store that is suspended keeps its reason', async () => {
    await call('POST', `/${storeId}/suspend`, { reason: 'Unpaid' })
    const { body } = await call('DELETE', `/${storeId}`, { confirm: 'one' })
    expect(body).toMatchObject({ status: 'deletion_planned', suspended_reason: 'Unpaid' })
  })
})

describe('what is not there, and who may not', () => {
  const ACTS = [
    ['GET', '', undefined],
    ['POST', '/suspend', { reason: 'x' }],
    ['POST', '/resume', undefined],
    ['PATCH', '', { plan: 'free' }],
    ['PATCH', '', { name: 'x' }],
    ['POST', '/open', undefined],
    ['DELETE', '', { confirm: 'one' }],
  ] as const

  test.each(ACTS)('%s /v1/admin/stores/{id}%s answers 404 for an unknown id', async (method, path, body) => {
    const answer = await call(method, `/${NOBODY}${path}`, body)
    expect([...refusal(answer), (answer.body['details'] as { resource: string }).resource]).toEqual([
      ...[404, 'not_found', 'store'],
    ])
  })

  test.each(ACTS)('%s /v1/admin/stores/{id}%s is for super-admins alone', async (method, path, body) => {
    const owner = await getToken(app, { email: 'two@shop.test' }).catch(async () => {
      await app.store('two')
      return getToken(app, { email: 'two@shop.test' })
    })
    for (const token of [machine, owner]) {
      const answer = await call(method, `/${storeId}${path}`, body, token)
      expect(answer).toMatchObject({ status: 403, body: { error: 'permission_denied' } })
      expect(answer.body['details']).toEqual({ required: 'super_admin' })
    }
    expect((await call('GET', `/${storeId}`)).body).toMatchObject({ status: 'active', plan: 'enterprise' })
  })

  test('a body is not read of whom it is not for', async () => {
    const answer = await app.call('POST', `/v1/admin/stores/${storeId}/suspend`, {
      token: machine,
      body: '{'.repeat(2_000_000),
      headers: { 'content-type': 'application/json' },
    })
    expect(refusal(answer)).toEqual([403, 'permission_denied'])
  })

  test.each([
    ['{', 400, 'invalid_json'],
    ['x'.repeat(1_100_000), 413, 'payload_too_large'],
  ])('a bad body is refused', async (body, status, code) => {
    const answer = await app.call('POST', `/v1/admin/stores/${storeId}/suspend`, {
      ...{ token: root, body, headers: { 'content-type': 'application/json' } },
    })
    expect(refusal(answer)).toEqual([status, code])
  })
})

describe('a super-admin who acts in a store without being a member', () => {
  const there = { 'x-service-active-tenant': 'one' }

  test('stands in its log, with every change and by name', async () => {
    const body = { product_id: 'a', image_url: app.picture('a', 1) }
    await app.call('POST', '/v1/products', { token: root, headers: there, body })
    await app.call('GET', '/v1/products', { token: root, headers: there })
    await app.call('POST', '/v1/search/text', { token: root, headers: there, body: { query: 'x' } })
    await app.call('POST', '/v1/security/api-keys', {
      ...{ token: root, headers: there, body: { name: 'mine', scopes: { products: ['read'] } } },
    })
    app.flushAudit()
    const actor = { kind: 'person', id: admin.id, name: 'root' }
    expect(await readLog('super_admin.acted')).toEqual([
      expect.objectContaining({
        actor,
        details: { method: 'POST', path: '/v1/products', by_super_admin: true },
      }),
    ])
    expect(await readLog('api_key.created')).toEqual([
      expect.objectContaining({ actor, details: expect.objectContaining({ by_super_admin: true }) }),
    ])
  })

  test('a member’s acts are those of any member', async () => {
    join(app, admin.id, { store: 'one', role: 'admin' })
    const body = { product_id: 'a', image_url: app.picture('a', 1) }
    await app.call('POST', '/v1/products', { token: root, headers: there, body })
    app.flushAudit()
    expect(await readLog('super_admin.acted')).toEqual([])
  })
})
