import { afterEach, beforeEach, expect, test } from 'bun:test'
import { systemIds } from '../../../../src/core/ids.ts'
import type { OpenNodeClient } from '../../../../src/features/nodes/departures/world.ts'
import { form, pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { fakeEmbedder } from '../../../support/embedder.ts'
import { DOOR, invite, KEY, URL_OF_TARGET } from './world.ts'

let source: TestApp
let target: TestApp
let storeId: string
let token: string

/** Calls a node in this process. */
const reach =
  (node: () => TestApp): OpenNodeClient =>
  ({ token: bearer }) => ({
    async call(method, path, { body, json, query } = {}) {
      const url = new URL(path, URL_OF_TARGET)
      for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, String(value))
      const ofBytes = typeof body === 'string' ? 'application/x-ndjson' : 'application/octet-stream'
      const sent = json === undefined ? body : JSON.stringify(json)
      const headers: Record<string, string> = {
        'content-type': json === undefined ? ofBytes : 'application/json',
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      }
      const init = { method, headers, ...(sent !== undefined && { body: sent as string }) }
      const response = await node().http.handle(new Request(url.href, init))
      return { status: response.status, json: await response.json() }
    },
  })

/** What waits for searches that are under way comes after the test. */
const defer = (work: () => unknown, delayMs: number) => void (delayMs < 10_000 && setImmediate(work))
const createTarget = (model?: string): TestApp =>
  testApp({
    ...{ operatorKey: KEY, ids: systemIds, nodeDoor: DOOR, defer, openNode: reach(() => source) },
    ...(model !== undefined && {
      embedder: fakeEmbedder({ id: model, hash: model.repeat(64).slice(0, 64) }),
    }),
  })

beforeEach(async () => {
  target = createTarget()
  source = testApp({ operatorKey: KEY, nodeDoor: DOOR, defer, openNode: reach(() => target) })
  token = await source.signIn()
  storeId = source.stores.requireBySlug('one').id
})
afterEach(async () => {
  // What was put off ends first.
  for (let n = 0; n < 20; n++) await new Promise(setImmediate)
  await source.close()
  await target.close()
})

const put = (id: string, name: string, axis: number) =>
  source.call('POST', '/v1/products', {
    token,
    body: { product_id: id, image_url: source.picture(id, axis), metadata: { name } },
  })

/** Searches past the sign-in, which ends with a move. */
async function searchAt(app: TestApp, body: { query: string } | { product_id: string }) {
  const searcher = { storeId, isUnlogged: true }
  const { search } = app.services
  const { results } =
    'query' in body
      ? await search.byText(searcher, { query: body.query })
      : await search.bySimilar(searcher, body.product_id, {})
  return results.map(({ product_id, similarity_score }) => [product_id, similarity_score])
}

async function move(
  from: TestApp,
  to: TestApp,
  during: (round: number) => Promise<unknown> = async () => {},
) {
  const { code } = await invite(to)
  const path = `/v1/admin/stores/${storeId}/move`
  const begun = await from.call('POST', path, { token: KEY, body: { to: URL_OF_TARGET, code } })
  expect(begun.body).toMatchObject({ phase: 'copying' })
  for (let n = 0; n < 300; n++) {
    from.services.departures?.wake()
    await from.services.departures?.drain()
    await new Promise(setImmediate)
    from.clock.advance(1_000)
    const { body } = await from.call('GET', path, { token: KEY })
    if (['moved', 'failed', 'cancelled'].includes(String(body['phase']))) return body
    await during(n)
  }
  throw new Error(JSON.stringify((await from.call('GET', path, { token: KEY })).body))
}

async function fill(): Promise<void> {
  for (let n = 0; n < 30; n++) expect((await put(`lamp-${n}`, `Lamp ${n}`, n % 8)).status).toBe(201)
  const own = form({ product_id: 'own', image: pictureBytes(3) })
  expect((await source.call('POST', '/v1/products', { token, body: own })).status).toBe(201)
}

test('a store moves whole, with what is written meanwhile, and answers the same there', async () => {
  await fill()
  const secretHash = source.storeRows.findStore(storeId)?.clientSecretHash
  const passwordHash = (app: TestApp) =>
    app.db.prepare("SELECT password_hash FROM users WHERE email = 'one@shop.test'").pluck().get()

  expect(
    await move(source, target, async (n) => {
      if (n < 3) expect((await put(`late-${n}`, `Late chair ${n}`, n)).status).toBe(201)
      if (n === 2) await source.call('DELETE', '/v1/products/lamp-7', { token })
    }),
  ).toMatchObject({ phase: 'moved', error: null, reembeds: false })

  expect(target.storeRows.findStore(storeId)).toMatchObject({ slug: 'one', suspendedAt: null })
  expect(target.storeRows.findStore(storeId)?.clientSecretHash).toEqual(secretHash as Buffer)
  expect(target.storeRows.countProducts(storeId)).toBe(30 + 1 + 3 - 1)
  expect(target.people.listOwners(storeId, 5)).toMatchObject([{ email: 'one@shop.test' }])
  expect(passwordHash(target)).toBe(passwordHash(source))
  expect(target.people.listSuperAdmins(5)).toEqual([])
  expect(await searchAt(target, { query: 'late chair' })).toEqual(
    await searchAt(source, { query: 'late chair' }),
  )
  const similar = await searchAt(target, { product_id: 'late-1' })
  expect(similar.length).toBeGreaterThan(3)
  expect(similar.flat()).not.toContain('lamp-7')
  expect((await put('later', 'Later', 1)).status).toBe(421)
  const kept = target.db
    .prepare('SELECT lower(hex(content_hash)) FROM kept_pictures')
    .pluck()
    .all() as string[]
  expect(kept).toHaveLength(1)
  expect(kept.map((hash) => Bun.file(`${target.folder}/${hash.slice(0, 2)}/${hash}`).size)).toEqual([
    pictureBytes(3).length,
  ])
  // Nothing of the move is left behind.
  expect(target.db.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'moving%'").all()).toEqual([])
  expect(target.db.prepare('SELECT * FROM store_arrivals').all()).toEqual([])
  expect(target.db.prepare('SELECT * FROM move_people').all()).toEqual([])
}, 30_000)

test('a job that has begun goes on where the store is', async () => {
  const products = Array.from({ length: 5 }, (_, n) => ({
    ...{
      product_id: `bulk-${n}`,
      image_url: source.picture(`bulk-${n}`, n),
      metadata: { name: `Bulk ${n}` },
    },
  }))
  // Its source does none of it.
  source.jobs.stop()
  const started = await source.call('POST', '/v1/products/bulk', { token, body: { products } })
  expect(started.status).toBe(202)
  expect(source.storeRows.countProducts(storeId)).toBe(0)
  for (const [url, bytes] of source.web) target.web.set(url, bytes)
  expect(await move(source, target)).toMatchObject({ phase: 'moved', error: null })
  for (let n = 0; n < 50 && target.storeRows.countProducts(storeId) < 5; n++) {
    target.jobs.wake()
    await target.jobs.drain()
    await new Promise(setImmediate)
  }
  const job = target.jobs.find(storeId, String(started.body['job_id']))
  expect(job).toMatchObject({ status: 'completed', succeeded: 5 })
  expect(target.storeRows.countProducts(storeId)).toBe(5)
  expect(source.storeRows.countProducts(storeId)).toBe(0)
}, 30_000)

test('it comes back, and is served where it was', async () => {
  await fill()
  expect(await move(source, target)).toMatchObject({ phase: 'moved', error: null })
  expect(source.storeRows.findMoved(storeId)).toBeDefined()
  expect(await move(target, source)).toMatchObject({ phase: 'moved', error: null })
  expect(source.storeRows.findMoved(storeId)).toBeUndefined()
  expect(source.storeRows.findStore(storeId)).toMatchObject({ slug: 'one', suspendedAt: null })
  expect(target.storeRows.findMoved(storeId)).toBeDefined()
  expect(source.storeRows.countProducts(storeId)).toBe(31)
  expect((await searchAt(source, { query: 'lamp' })).length).toBeGreaterThan(5)
}, 30_000)

test('where another model makes the vectors, products are found once the first of them is embedded', async () => {
  await target.close()
  target = createTarget('e')
  await fill()
  expect(await move(source, target)).toMatchObject({ phase: 'moved', error: null, reembeds: true })
  await expect(searchAt(target, { query: 'lamp 7' })).rejects.toMatchObject({ code: 'model_not_ready' })
  for (const [url, bytes] of source.web) target.web.set(url, bytes)
  for (
    let n = 0;
    n < 200 && (await searchAt(target, { product_id: 'lamp-1' }).catch(() => [])).length < 5;
    n++
  ) {
    await target.tidy()
    await new Promise(setImmediate)
    target.clock.advance(1_000)
  }
  expect((await searchAt(target, { product_id: 'lamp-1' })).length).toBeGreaterThan(5)
  expect((await searchAt(target, { query: 'lamp 7' })).flat()).toContain('lamp-7')
}, 60_000)
