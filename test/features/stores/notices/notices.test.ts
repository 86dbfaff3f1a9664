import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { NodeOverview, StoreOverview } from '../../../../src/features/stores/notices/schema.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { memoryDatabase } from '../../../support/database.ts'
import { foreverKey } from '../../../support/keys.ts'
import { addPerson, enableTwoFactor, getToken, refusal } from '../../../support/people.ts'
import { insertRow, insertRows, makeSuperAdmin, updateRows } from '../../../support/seed.ts'
import { statementLog } from '../../../support/statements.ts'
import { makeKey, ORIGIN, widgetHeaders } from '../../discovery/widget/widget-shop.ts'

let app: TestApp
let token: string
let storeId: string

beforeEach(async () => {
  app = testApp()
  token = await app.signIn('one')
  storeId = app.stores.requireBySlug('one').id
})
afterEach(() => app.close())

const read = async (query = '', as = token) =>
  (await app.call('GET', `/v1/store/overview${query}`, { token: as })).body as unknown as StoreOverview
const kinds = async (as = token) => (await read('', as)).attention.map(({ kind }) => kind)
const find = async (kind: string) => (await read()).attention.find((notice) => notice.kind === kind)
const setting = (body: object) => app.call('PATCH', '/v1/store/settings', { token, body })
const put = (product_id: string, metadata: object) =>
  app.call('POST', '/v1/products', {
    token,
    body: { product_id, image_url: app.picture(product_id, 1), metadata },
  })

/** Adds counts of searches to today. */
const count = (searches: number, zero: number, store = storeId) =>
  insertRow(app, 'search_days', {
    ...{ store_id: store, day: Math.floor(app.clock.now() / 86_400_000), type: 'url' },
    ...{ searches, zero },
  })

describe('the overview of a store (contract 4.16)', () => {
  const asOwner = async () => getToken(app, await addPerson(app, 'anna', [{ store: 'one', role: 'owner' }]))

  test('a widget that was seen once stays seen, when the counts of its days are gone', async () => {
    const { id } = await makeKey(app, await asOwner(), {})
    const isSeen = async () => (await read()).checklist.find(({ key }) => key === 'widget_seen')?.is_done
    insertRow(app, 'widget_traces', { key_id: id, origin: ORIGIN, store_id: storeId, last_click_at: 1 })
    expect(await isSeen()).toBe(false)
    updateRows(app, 'widget_traces', { last_search_at: 1 }, {})
    expect(await isSeen()).toBe(true)
  })

  test('of a new store: nothing is done, and only second factors are missing', async () => {
    const { checklist, attention, hidden } = await read('', await asOwner())
    expect(checklist.map(({ key, is_done }) => [key, is_done])).toEqual([
      ['products', false],
      ['first_search', false],
      ['shop_address', false],
      ['widget_seen', false],
      ['first_click', false],
      ['second_factor', false],
    ])
    expect(attention).toEqual([
      {
        ...{ kind: 'own_2fa_missing', severity: 'info', page: 'team', data: {}, since: null },
        ...{ text: 'Your account has no second factor.', link: '/v1/security/2fa/setup' },
      },
      {
        ...{ kind: 'members_without_2fa', severity: 'info', page: 'team', data: { members: 1 }, since: null },
        ...{ text: '1 other member without a second factor.', link: '/v1/team/members' },
      },
    ])
    expect(hidden).toEqual([])
  })

  test('the checklist is done step by step', async () => {
    const done = async () => (await read()).checklist.filter(({ is_done }) => is_done).map(({ key }) => key)
    await put('a', {})
    expect(await done()).toEqual(['products'])
    await setting({ shop_url: 'https://shop.example' })
    const found = await app.call('POST', '/v1/search/text', { token, body: { query: 'mug' } })
    expect(await done()).toEqual(['products', 'first_search', 'shop_address'])
    const event = { search_id: found.body['search_id'], result_product_id: 'a', action: 'click' }
    await app.call('POST', '/v1/search/feedback', { token, body: event })
    const { key } = await makeKey(app, token)
    const headers = widgetHeaders(key, ORIGIN)
    await app.call('POST', '/v1/widget/search/text', { headers, body: { query: 'mug' } })
    const owner = await asOwner()
    await enableTwoFactor(app, owner)
    expect(await done()).toHaveLength(6)
    expect(await kinds(owner)).not.toContain('own_2fa_missing')
  })

  test('products that lack something, from one count', async () => {
    for (let n = 0; n < 10; n++)
      await put(`p${n}`, {
        ...{ name: `Product ${n}`, in_stock: n > 5, url: 'https://shop.example/p' },
        ...(n < 6 ? { price: 1 } : {}),
        ...(n < 4 ? { category: 'Mugs' } : {}),
      })
    const { attention } = await read()
    expect(attention.filter(({ page }) => page === 'products')).toMatchObject([
      {
        ...{ kind: 'products_without_category', severity: 'warning' },
        text: '6 of 10 products have no category.',
        data: { products: 6, total: 10, percent: 60 },
      },
      { kind: 'products_without_price', severity: 'info', data: { products: 4 } },
      { kind: 'products_sold_out', severity: 'info', data: { products: 6 } },
    ])
  })

  test('products without an address, unless the store has a template', async () => {
    for (let n = 0; n < 10; n++) await put(`p${n}`, { name: 'a', price: 1, category: 'b' })
    expect(await kinds()).toContain('products_without_address')
    await setting({ shop_url: 'https://shop.example', product_url_template: '/p/{product_id}' })
    expect(await kinds()).not.toContain('products_without_address')
  })

  test('failed items and warnings of the last jobs', async () => {
    insertRow(app, 'jobs', {
      ...{ job_id: '01900000-0000-7000-8000-0000000000aa', store_id: storeId, type: 'import' },
      ...{ status: 'completed', total: 5, succeeded: 3, failed: 2, created_at: app.clock.now() },
      ...{ warnings: '["16 regular prices were left out"]', finished_at: app.clock.now() },
    })
    expect(await find('items_failed')).toMatchObject({
      ...{ severity: 'warning', data: { failed: 2, total: 5 }, since: '2030-01-01T00:00:00.000Z' },
      link: '/v1/jobs/01900000-0000-7000-8000-0000000000aa/errors',
    })
    expect(await find('import_warnings')).toMatchObject({
      text: 'The last import has 1 warning: 16 regular prices were left out',
    })
    app.clock.advance(8 * 86_400_000)
    expect(await kinds(await asOwner())).toEqual(['own_2fa_missing', 'members_without_2fa'])
  })

  test('feeds, webhooks and keys that fail or end', async () => {
    const now = app.clock.now()
    insertRow(app, 'feeds', {
      ...{ id: 'f1', store_id: storeId, url: 'https://shop.example/f', interval_minutes: 60 },
      ...{ delete_missing: 1, next_run_at: now, created_at: now, updated_at: now },
      ...{ consecutive_failures: 3, run_status: 'failed' },
    })
    insertRow(app, 'webhooks', {
      ...{ id: 'w1', store_id: storeId, url: 'https://shop.example/h', events: '[]', enabled: 0 },
      ...{ disabled_reason: 'always_failing', failing_since: now - 1_000, created_at: now, updated_at: now },
    })
    const body = { name: 'sync', scopes: { products: ['read'] }, expires_in_days: 7 }
    await app.call('POST', '/v1/security/api-keys', { token, body })
    expect(await find('feeds_failing')).toMatchObject({ severity: 'error', link: '/v1/feeds/f1' })
    expect(await find('webhooks_failing')).toMatchObject({
      ...{ severity: 'error', data: { webhooks: 1, disabled: 1 }, since: '2029-12-31T23:59:59.000Z' },
      text: 'Deliveries to 1 webhook fail; 1 switched off for it.',
    })
    expect(await find('api_keys_expiring')).toMatchObject({ severity: 'warning', data: { keys: 1 } })
    expect((await read()).attention.map(({ severity }) => severity)).toEqual([
      ...['error', 'error', 'warning', 'info'],
    ] as never)
  })

  test('a feed that somebody has paused does not count as failing', async () => {
    const now = app.clock.now()
    for (const [id, paused, failures] of [
      ['f1', 0, 1],
      ['f2', 1, 5],
    ] as const)
      insertRow(app, 'feeds', {
        ...{ id, store_id: storeId, url: 'https://shop.example/f', interval_minutes: 60 },
        ...{ delete_missing: 1, next_run_at: now, created_at: now, updated_at: now },
        ...{ consecutive_failures: failures, run_status: 'failed', is_paused: paused },
      })
    expect(await find('feeds_failing')).toMatchObject({
      ...{ severity: 'warning', link: '/v1/feeds/f1' },
      data: { feeds: 1, feed_id: 'f1', failures: 1 },
    })
  })

  test('searches without clicks, and without results', async () => {
    count(50, 10)
    expect(await find('no_clicks')).toMatchObject({ severity: 'warning', data: { days: 7, searches: 50 } })
    expect(await find('empty_searches')).toMatchObject({
      text: '10 of 50 searches in 7 days found nothing.',
      link: '/v1/search/history?zero_results=true',
    })
    updateRows(app, 'search_days', { zero: 9 })
    expect(await find('empty_searches')).toBeUndefined()
  })

  test('the plan, when it is nearly full', async () => {
    updateRows(app, 'stores', { plan: 'free', product_count: 490 }, { id: storeId })
    const { attention } = await read()
    expect(attention.filter(({ page }) => page === 'plan')).toMatchObject([{ kind: 'products_near_limit' }])
  })

  test('shows each caller what that caller may read', async () => {
    count(60, 60)
    const now = app.clock.now()
    const body = { name: 'sync', scopes: { products: ['read'] }, expires_in_days: 7 }
    const made = await app.call('POST', '/v1/security/api-keys', { token, body })
    const member = (role: 'viewer' | 'developer') =>
      addPerson(app, role, [{ store: 'one', role }]).then((person) => getToken(app, person))
    expect(await kinds(String(made.body['key']))).toEqual([])
    expect(now).toBe(app.clock.now())
    const viewer = await kinds(await member('viewer'))
    expect(viewer).toContain('no_clicks')
    expect(viewer).not.toContain('api_keys_expiring')
    expect(viewer).not.toContain('members_without_2fa')
    expect(await kinds(await member('developer'))).toContain('api_keys_expiring')
  })

  test('the setting hides kinds and the checklist; an unknown kind is refused', async () => {
    count(60, 60)
    await setting({ hidden: ['no_clicks', 'checklist', 'no_clicks'] })
    const { checklist, attention, hidden } = await read()
    expect([checklist, hidden]).toEqual([[], ['no_clicks', 'checklist']])
    expect(attention.map(({ kind }) => kind)).toEqual(['empty_searches', 'members_without_2fa'])
    expect(refusal(await setting({ hidden: ['no_klicks'] }))).toEqual([422, 'validation_error'])
  })

  test('shows the latest searches on request', async () => {
    await app.call('POST', '/v1/search/text', { token, body: { query: 'mug' } })
    expect(await read()).not.toHaveProperty('latest_searches')
    expect((await read('?searches=3')).latest_searches).toMatchObject([{ query: 'mug', first: null }])
    expect(refusal(await app.call('GET', '/v1/store/overview?searches=21', { token }))).toEqual([
      ...[422, 'validation_error'],
    ] as never)
  })
})

test('the overview runs as many statements for a large store as for a small one', async () => {
  const db = memoryDatabase()
  const log = statementLog(db)
  const logged = testApp({ db })
  const token = await foreverKey(logged, await logged.signIn('one'))
  const overview = () => logged.call('GET', '/v1/store/overview?searches=5', { token })
  const add = async (from: number, to: number) => {
    for (let n = from; n < to; n++) {
      const body = { product_id: `p${n}`, image_url: logged.picture(`p${n}`, 1), metadata: { name: `${n}` } }
      await logged.call('POST', '/v1/products', { token, body })
      await logged.call('POST', '/v1/search/text', { token, body: { query: `mug ${n}` } })
    }
    await overview()
  }
  await add(0, 10)
  const small = await log.during(overview)
  await add(10, 60)
  const large = await log.during(overview)
  expect(large.length).toBe(small.length)
  expect(small.length).toBeLessThan(60)
  // None of them reads all products or all searches.
  const scans = (sql: string) =>
    (db.prepare(`EXPLAIN QUERY PLAN ${sql.replace(/@\w+|\?/g, '1')}`).all() as { detail: string }[])
      .map(({ detail }) => detail)
      .filter((step) => /^SCAN (products|searches|feedback_events|job_items)/.test(step))
  expect(large.filter((sql) => sql.startsWith('SELECT')).flatMap(scans)).toEqual([])
  await logged.close()
})

describe('the overview of all stores (contract 8.12)', () => {
  const readAll = async () =>
    (await app.call('GET', '/v1/admin/overview', { token })).body as unknown as NodeOverview

  beforeEach(async () => {
    const person = await addPerson(app, 'olga', [{ store: 'one', role: 'owner' }])
    makeSuperAdmin(app, person.id)
    token = await getToken(app, person)
  })

  test('names the store of each line, without advice and without what the store hides', async () => {
    await app.signIn('two')
    const two = app.stores.requireBySlug('two')
    count(60, 60, two.id)
    count(60, 60)
    await setting({ hidden: ['empty_searches'] })
    expect(await readAll()).toMatchObject({
      ...{ stores: 2, stores_with_attention: 2, made_at: '2030-01-01T00:00:00.000Z' },
      attention: expect.arrayContaining([
        expect.objectContaining({
          kind: 'empty_searches',
          store: { id: two.id, slug: 'two', name: two.name },
        }),
      ]),
    })
    const { attention } = await readAll()
    expect(attention).toHaveLength(3)
    expect(attention.every(({ severity }) => severity === 'warning')).toBe(true)
  })

  test('is made once a minute, however often it is read; a suspended store is not in it', async () => {
    count(60, 60)
    expect((await readAll()).stores_with_attention).toBe(1)
    updateRows(app, 'stores', { suspended_at: 1 }, { id: storeId })
    insertRows(app, 'stores', 12, (n) => ({
      ...{ id: `s${n}`, slug: `s-${n}`, name: `S ${n}`, plan: 'free' },
      ...{ client_secret_hash: Buffer.alloc(32), created_at: 1 },
    }))
    expect((await readAll()).stores).toBe(1)
    app.clock.advance(60_000)
    expect(await readAll()).toMatchObject({ stores: 12, stores_with_attention: 0, attention: [] })
  })
})
