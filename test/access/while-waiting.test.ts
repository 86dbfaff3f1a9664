import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Actor } from '../../src/core/actor.ts'
import { ApiError } from '../../src/core/errors.ts'
import { ownSettingsService } from '../../src/features/stores/settings/own-settings.ts'
import { settingsQueries } from '../../src/features/stores/settings/queries.ts'
import { settingsService } from '../../src/features/stores/settings/service.ts'
import { productsOf, startBulk } from '../features/catalogue/jobs/jobs.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { gatedEmbedder } from '../support/gate.ts'
import { addPerson, getToken, type Person, refusal } from '../support/people.ts'
import {
  addMembership,
  deleteRows,
  insertRow,
  readColumn,
  removeMembership,
  storeId,
  updateRows,
} from '../support/seed.ts'
import { sendLate } from './late.ts'

/** What waits once more after its body, or goes on for long: the right is lost meanwhile. */

const GONE: [number, unknown] = [403, 'not_a_member']

let app: TestApp
let gate: ReturnType<typeof gatedEmbedder>
let machine: string
let admin: Person
let token: string

beforeEach(async () => {
  gate = gatedEmbedder()
  app = testApp({ embedder: gate.embedder })
  machine = await app.signIn('one', 'enterprise')
  admin = await addPerson(app, 'ada', [{ store: 'one', role: 'admin' }])
  token = await getToken(app, admin)
})
afterEach(async () => {
  gate.open()
  app.jobs.stop()
  await app.jobs.drain()
  await app.close()
})

const remove = () => removeMembership(app, admin.id)
const signOut = () => void deleteRows(app, 'sessions', { user_id: admin.id })
const call = (method: string, path: string, body?: unknown, as = token) =>
  app.call(method, path, { token: as, ...(body !== undefined && { body }) })
const readAsMachine = async (id: string) => (await call('GET', `/v1/products/${id}`, undefined, machine)).body
const runChore = (wanted: string) => app.chores.find(({ name }) => name === wanted)?.run()

describe('a write whose picture is on its way when its author loses the right', () => {
  test('of a new product does not take effect', async () => {
    gate.close()
    const sent = call('POST', '/v1/products', { product_id: 'new', image_url: app.picture('new', 1) })
    await gate.waited()
    remove()
    gate.open()
    expect(refusal(await sent)).toEqual(GONE)
    expect((await readAsMachine('new'))['error']).toBe('not_found')
  })

  test.each([
    ['PUT', { image_url: 'https://img.test/other.jpg' }],
    ['PATCH', { image_url: 'https://img.test/other.jpg', metadata: { price: 1 } }],
  ])('by %s leaves the product as it was', async (method, body) => {
    await call('POST', '/v1/products', { product_id: 'p', image_url: app.picture('p', 1) })
    const before = await readAsMachine('p')
    app.picture('other', 2)
    gate.close()
    const sent = call(method, '/v1/products/p', body)
    await gate.waited()
    signOut()
    gate.open()
    expect(refusal(await sent)).toEqual([401, 'unauthorized'])
    expect(await readAsMachine('p')).toEqual(before)
  })

  test('of other authors in the same group takes effect', async () => {
    gate.close()
    const product = (product_id: string, axis: number) => ({
      product_id,
      image_url: app.picture(product_id, axis),
    })
    const sent = [
      call('POST', '/v1/products', product('a', 1)),
      call('POST', '/v1/products', product('b', 2), machine),
    ]
    await gate.waited(2)
    remove()
    gate.open()
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([403, 201])
  })

  test('and a deletion behind such a write deletes nothing', async () => {
    await call('POST', '/v1/products', { product_id: 'p', image_url: app.picture('p', 1) })
    gate.close()
    const written = call('PUT', '/v1/products/p', { image_url: app.picture('other', 2) }, machine)
    await gate.waited()
    const deleted = call('DELETE', '/v1/products/p')
    // It waits for the write once the answer to a later request is here.
    await call('GET', '/v1/products', undefined, machine)
    remove()
    gate.open()
    expect([(await written).status, refusal(await deleted)]).toEqual([200, GONE])
    expect((await readAsMachine('p'))['product_id']).toBe('p')
  })
})

describe('a stream', () => {
  const open = (path: string, as = token) =>
    app.http.handle(
      new Request(`http://lookalike.test${path}`, { headers: { authorization: `Bearer ${as}` } }),
    )

  test('of events about a job ends with the right of its reader, and goes on for others', async () => {
    gate.close()
    const id = await startBulk(app, machine, productsOf(app, 3))
    const [lost, kept] = [await open(`/v1/jobs/${id}/events`), await open(`/v1/jobs/${id}/events`, machine)]
    remove()
    await runChore('watching for suspended stores and revoked rights')
    const text = await lost.text()
    expect(text).toContain('event: progress')
    expect(text).not.toContain('completed')
    gate.open()
    await app.jobs.waitUntilOver(app.stores.requireBySlug('one').id, id)
    await runChore('streaming the progress of jobs')
    expect(await kept.text()).toContain('event: completed')
  })

  test('of exported products breaks off with the right of its reader', async () => {
    const image_url = app.picture('p', 1)
    const metadata = { text: 'x'.repeat(8_000) }
    for (let n = 0; n < 30; n++)
      await call('POST', '/v1/products', { product_id: `p${n}`, image_url, metadata }, machine)
    const response = await open('/v1/products/export')
    const reader = response.body?.getReader()
    expect((await reader?.read())?.done).toBe(false)
    remove()
    expect(
      await reader?.read().then(
        () => 'went on',
        () => 'cut',
      ),
    ).toBe('cut')
  })
})

test('the second look spends no budget', async () => {
  app.setPlan('one', 'free')
  const search = { body: { query: 'red' }, headers: { authorization: `Bearer ${token}` } }
  const late = await sendLate(app, ['POST', '/v1/search/text'], search, () =>
    updateRows(app, 'stores', { name: 'Renamed' }),
  )
  expect(late).toMatchObject({ status: 200, isHeld: true })
  const { headers } = await call('POST', '/v1/search/text', { query: 'red' })
  expect(headers.get('x-ratelimit-remaining')).toBe('8')
})

test('a person who is moved to another store while the body is on its way does nothing there', async () => {
  await app.store('two')
  const late = await sendLate(
    app,
    ['POST', '/v1/products'],
    {
      body: { product_id: 'p', image_url: app.picture('p', 1) },
      headers: { authorization: `Bearer ${token}` },
    },
    () => {
      remove()
      addMembership(app, admin.id, 'two', 'owner')
    },
  )
  expect(late.refusal).toBe('403 not_a_member')
})

describe('a change of what the store has set', () => {
  const HOOKS = '/v1/search/webhooks'
  const url = 'https://hooks.example.com/lookalike'
  const hook = { url, events: ['product.indexed'] }

  /** Starts the app anew. The look-up of a name waits until `end` is resolved. */
  async function holdLookups() {
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await app.close()
    const resolve = async () => {
      begun.resolve()
      await end.promise
    }
    const post = async () => ({ status: 200, retryAfter: undefined, text: '' })
    app = testApp({ poster: { check() {}, resolve, post, isStopping: () => false } })
    machine = await app.signIn('one', 'enterprise')
    admin = await addPerson(app, 'ada', [{ store: 'one', role: 'admin' }])
    token = await getToken(app, admin)
    return { begun: begun.promise, end: () => end.resolve() }
  }
  const readUrls = () => readColumn(app, 'webhooks', 'url')

  test('makes no webhook when its author left while the host was looked up', async () => {
    const lookup = await holdLookups()
    const sent = call('POST', HOOKS, hook)
    await lookup.begun
    remove()
    lookup.end()
    expect(refusal(await sent)).toEqual(GONE)
    expect(readUrls()).toEqual([])
  })

  test('moves no webhook when its author signed out while the new host was looked up', async () => {
    const lookup = await holdLookups()
    const id = '00000000-0000-7000-8000-000000000001'
    const events = '["product.indexed"]'
    insertRow(app, 'webhooks', {
      ...{ id, store_id: storeId(app, 'one'), url, events, enabled: 1, created_at: 1, updated_at: 1 },
    })
    const path = `${HOOKS}/${id}`
    const sent = call('PATCH', path, { url: 'https://elsewhere.example.com/' })
    await lookup.begun
    signOut()
    lookup.end()
    expect(refusal(await sent)).toEqual([401, 'unauthorized'])
    expect(readUrls()).toEqual([url])
  })

  test('sets no template when its author left while its keys were looked for', async () => {
    const storeId = app.stores.requireBySlug('one').id
    const author = { storeId, demandStill: () => {} }
    const patch = { product_url_template: 'https://shop.example/{metadata.path}' }
    const own = ownSettingsService({
      ...app.base,
      settings: settingsService({ ...app.base, queries: settingsQueries(app.db) }),
      learning: { demand() {}, begin() {} },
      findCallbackSecretHint: () => null,
      async findAbsentKeys() {
        author.demandStill = () => {
          throw new ApiError('not_a_member', 'You left')
        }
        return []
      },
    })
    const changed = own.change(author as Actor, patch)
    await expect(changed).rejects.toMatchObject({ code: 'not_a_member' })
    expect((await call('GET', '/v1/store/settings', undefined, machine)).body).toMatchObject({
      product_url_template: null,
    })
  })
})
