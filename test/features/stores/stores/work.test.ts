import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../support/app.ts'
import { gatedEmbedder } from '../../../support/gate.ts'
import { readColumn, updateRows } from '../../../support/seed.ts'
import { openStore } from '../../../support/storage.ts'
import { countsOf, productsOf, startBulk, tick, waitForJob } from '../../catalogue/jobs/jobs.ts'

let app: TestApp
let gate: ReturnType<typeof gatedEmbedder>
let token: string
let storeId: string

beforeEach(async () => {
  gate = gatedEmbedder()
  app = testApp({ embedder: gate.embedder })
  ;({ token, storeId } = await openStore(app, 'enterprise'))
})
afterEach(async () => {
  gate.open()
  app.jobs.stop()
  await app.jobs.drain()
  await app.close()
})

const suspend = () => app.stores.suspend(storeId, 'Unpaid', null)
const resume = () => app.stores.resume(storeId, null)
const countProducts = () => app.storeRows.countProducts(storeId)
/** What a running service does every second. */
const watch = () => app.chores.find(({ name }) => name === 'watching suspended stores')?.run()

/** Opens a stream whose answer is read later. */
const open = (path: string) =>
  app.http.handle(
    new Request(`http://lookalike.test${path}`, { headers: { authorization: `Bearer ${token}` } }),
  )

test('a bulk job stops in the middle, beside one of another store, and goes on', async () => {
  const other = await openStore(app, 'enterprise', 'two')
  gate.close()
  const id = await startBulk(app, token, productsOf(app, 120))
  await gate.waited(12)
  suspend()
  gate.open()
  const finishTheirs = async (prefix: string) => {
    const theirs = await startBulk(app, other.token, productsOf(app, 30, prefix))
    const job = await waitForJob(app, other.storeId, other.token, theirs)
    expect(countsOf(job)).toMatchObject({ succeeded: 30 })
  }
  await finishTheirs('first')
  // What was under way came to its end.
  expect(countProducts()).toBe(12)
  tick(app)
  await finishTheirs('second')
  expect(countProducts()).toBe(12)

  resume()
  tick(app)
  expect(countsOf(await waitForJob(app, storeId, token, id))).toMatchObject({
    status: 'completed',
    succeeded: 120,
  })
})

test('an export and a stream of events that are open end within a second', async () => {
  const id = await startBulk(app, token, productsOf(app, 60))
  await waitForJob(app, storeId, token, id)
  gate.close()
  const running = await startBulk(app, token, productsOf(app, 3, 'next'))
  const [products, events] = [await open('/v1/products/export'), await open(`/v1/jobs/${running}/events`)]
  watch()
  const reader = events.body?.getReader()
  expect((await reader?.read())?.done).toBe(false)
  suspend()
  watch()
  expect(await products.text().catch(() => 'cut')).toBe('cut')
  let piece = await reader?.read()
  while (piece && !piece.done) piece = await reader?.read()
  expect(piece?.done).toBe(true)
})

test('webhooks wait, and are sent when it works again', async () => {
  const hook = { url: 'https://hooks.test/', events: ['product.indexed'] }
  await app.call('POST', '/v1/search/webhooks', { token, body: hook })
  const body = { product_id: 'a', image_url: app.picture('a', 1) }
  expect((await app.call('POST', '/v1/products', { token, body })).status).toBe(201)
  suspend()
  watch()
  await app.services.webhooks.drain()
  expect(app.posts).toEqual([])
  resume()
  watch()
  await app.services.webhooks.drain()
  expect(app.posts.map(({ url }) => url)).toEqual(['https://hooks.test/'])
})

test('feeds wait, and run when it works again', async () => {
  await app.call('POST', '/v1/feeds', { token, body: { url: 'https://feeds.test/products.csv' } })
  await app.services.feeds.drain()
  const runs = () => readColumn<number>(app, 'feeds', 'run_number')[0] ?? 0
  const run = async () => {
    app.clock.advance(86_400_000)
    app.services.feeds.wake()
    await app.services.feeds.drain()
    return runs()
  }
  const before = runs()
  suspend()
  expect(await run()).toBe(before)
  resume()
  expect(await run()).toBe(before + 1)
})

test('what is done to a store in another process counts from the next request on', async () => {
  expect((await app.call('GET', '/v1/products', { token })).status).toBe(200)
  updateRows(app, 'stores', { suspended_at: 1, suspended_reason: 'by hand' }, { id: storeId })
  expect((await app.call('GET', '/v1/products', { token })).body['error']).toBe('store_suspended')
})
