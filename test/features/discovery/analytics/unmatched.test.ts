import { afterEach, beforeEach, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS } from '../../../../src/core/clock.ts'
import { PLANS } from '../../../../src/core/plans.ts'
import { form, pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { countRows } from '../../../support/seed.ts'
import { openStore } from '../../../support/storage.ts'

let app: TestApp
let token: string

beforeEach(async () => {
  app = testApp()
  const { storeId } = await openStore(app, 'enterprise')
  token = await app.signToken({ sub: storeId, jti: 'long', user_type: 'client' }, 10_000_000)
  await app.call('POST', '/v1/products', { token, body: { product_id: 'a', image_url: app.picture('a', 1) } })
})
afterEach(() => app.close())

const set = (on: boolean) =>
  app.call('PATCH', '/v1/store/settings', { token, body: { unmatched_thumbnails: on } })
const statusOf = async (path = '') =>
  (await app.http.handle(new Request(`http://lookalike.test${path}`))).status

/** Searches with a picture that is like no product, or like the one. */
async function search(axis: number, session_id = 'shopper'): Promise<void> {
  const body = form({ image: pictureBytes(axis), session_id })
  expect((await app.call('POST', '/v1/search', { token, body })).status).toBe(200)
  app.history.flush()
}

async function readMap(): Promise<string[]> {
  await app.chores.find(({ name }) => name === 'mapping unmet demand')?.run()
  const { body } = await app.call('GET', '/v1/search/analytics/unmet', { token })
  const clusters = body['clusters'] as { example_thumbnails: string[] }[]
  return clusters.flatMap(({ example_thumbnails }) => example_thumbnails)
}

test('pictures that found nothing are shown where the store keeps them, and no others', async () => {
  await search(5)
  expect(countRows(app, 'unmet_searches')).toBe(1)
  expect(await readMap()).toEqual([])
  await set(true)
  await search(6)
  await search(1)
  app.clock.advance(DAY_MS)
  const paths = await readMap()
  expect(paths).toHaveLength(1)
  const answer = await app.http.handle(new Request(`http://lookalike.test${paths[0]}`))
  expect([answer.status, await answer.text()]).toEqual([200, 'RIFF....WEBP picture 6 of 96 pixels'])
})

test('an address that was altered or has ended leads nowhere', async () => {
  await set(true)
  await search(6)
  const [path = ''] = await readMap()
  const [, id = ''] = /searches\/([0-9a-f]+)/.exec(path) ?? []
  expect(await statusOf(path.replace(id, '0'.repeat(32)))).toBe(404)
  expect(await statusOf(path.replace(/until=\d+/, 'until=999999'))).toBe(404)
  expect(await statusOf(path.replace('searches/', ''))).toBe(404)
  expect(await statusOf(path)).toBe(200)
  app.clock.advance(36 * HOUR_MS)
  expect(await statusOf(path)).toBe(404)
})

test('they go with the session of the shopper, after 30 days, and when the store wants them no more', async () => {
  await set(true)
  await search(6, 'erased')
  const [path = ''] = await readMap()
  expect(await statusOf(path)).toBe(200)
  await app.call('DELETE', '/v1/search/sessions/erased', { token })
  expect(await statusOf(path)).toBe(404)

  await search(6)
  app.clock.advance(30 * DAY_MS + 1)
  expect(await readMap()).toEqual([])
  expect(countRows(app, 'unmet_searches')).toBe(1)
  expect(app.db.prepare('SELECT count(thumbnail) FROM unmet_searches').pluck().get()).toBe(0)

  await search(7)
  app.clock.advance(DAY_MS)
  const [later = ''] = await readMap()
  await set(false)
  expect(await statusOf(later)).toBe(404)
  expect(await readMap()).toEqual([])
  expect(app.db.prepare('SELECT count(thumbnail) FROM unmet_searches').pluck().get()).toBe(0)
})

/** What the store is said to use, and what its pictures of searches take. */
const storage = async () => {
  const { body } = await app.call('GET', '/v1/billing/usage', { token })
  const products = app.db
    .prepare('SELECT coalesce(sum(length(webp)), 0) FROM thumbnails')
    .pluck()
    .get() as number
  const kept = app.db.prepare('SELECT coalesce(sum(length(thumbnail)), 0) FROM unmet_searches').pluck().get()
  return { used: (body['storage_bytes'] as number) - products, kept: kept as number }
}

test('they count in the storage of the store, for as long as they are there', async () => {
  const nothing = { used: 0, kept: 0 }
  expect(await storage()).toEqual(nothing)
  await set(true)
  await search(6, 'erased')
  await search(7)
  const two = await storage()
  expect(two.used).toBe(two.kept)
  expect(two.used).toBeGreaterThan(0)
  await app.call('DELETE', '/v1/search/sessions/erased', { token })
  const one = await storage()
  expect([one.used, one.used < two.used, one.used > 0]).toEqual([one.kept, true, true])
  app.clock.advance(30 * DAY_MS + 1)
  await readMap()
  expect(await storage()).toEqual(nothing)
  await search(8)
  await set(false)
  app.clock.advance(DAY_MS)
  await readMap()
  expect(await storage()).toEqual(nothing)
})

test('a search whose row goes takes its bytes along', async () => {
  await set(true)
  await search(6)
  expect((await storage()).used).toBeGreaterThan(0)
  app.db.exec('DELETE FROM unmet_searches')
  expect(await storage()).toEqual({ used: 0, kept: 0 })
})

test('none is kept while the storage is full', async () => {
  await set(true)
  app.setPlan('one', 'basic')
  app.db.prepare('UPDATE stores SET kept_bytes = ?').run(BigInt(PLANS.basic.storageBytesMax))
  await search(6)
  expect(countRows(app, 'unmet_searches')).toBe(1)
  expect((await storage()).kept).toBe(0)
  app.db.prepare('UPDATE stores SET kept_bytes = 0').run()
  await search(6)
  expect((await storage()).kept).toBeGreaterThan(0)
})
