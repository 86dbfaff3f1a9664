import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { countRows } from '../../../support/seed.ts'
import { openShop, range, type Shop } from './shop.ts'

let at: Shop
let slow: PromiseWithResolvers<void>
let second: TestApp | undefined
const end = () => second?.close()

beforeEach(async () => {
  slow = Promise.withResolvers()
  second = undefined
  at = await openShop({
    fetcher: {
      async fetch(url) {
        if (url.includes('slow')) await slow.promise
        return pictureBytes(1)
      },
    },
  })
})
afterEach(async () => {
  slow.resolve()
  await at.app.jobs.drain()
  await at.close()
  await end()
})

/** Ends the first program as it is, and starts another one on its database. */
async function restart(): Promise<TestApp> {
  at.stop.abort()
  at.app.jobs.stop()
  await at.app.feeds.drain()
  second = testApp({
    db: at.app.db,
    downloads: at.openDownloads(new AbortController().signal),
    ids: at.app.ids,
    fetcher: { fetch: async () => pictureBytes(1) },
  })
  second.loadIndex()
  return second
}

/** Does what is due in the second program until no run is in progress. */
async function settle(app: TestApp, id: string) {
  for (;;) {
    app.jobs.wake()
    app.feeds.wake()
    await app.feeds.drain()
    const { status, last_run } = app.feeds.read(at.storeId, id)
    if (status !== 'running') return app.feeds.read(at.storeId, id)
    if (last_run?.status === 'importing') await app.jobs.waitUntilOver(at.storeId, String(last_run.job_id))
  }
}

const countEvents = (event: string) =>
  at.app.db.prepare('SELECT count(*) FROM changes WHERE event = ?').pluck().get(event)

describe('a file that ends the program while it is read', () => {
  /** What a kill leaves behind while the file of a feed is read. */
  const leaveReading = (id: string, readings: number) =>
    at.app.db
      .prepare(
        `UPDATE feeds SET is_running = 1, run_status = 'pulling', readings = ?, reading_hash = ? WHERE id = ?`,
      )
      .run(readings, createHash('sha256').update(at.shop.file).digest(), id)

  test('is read three times, and then not again until it changes', async () => {
    at.shop.file = at.table('1')
    const { id } = await at.add()
    at.shop.file = at.table('1', '2')
    leaveReading(id, 2)
    const app = await restart()
    expect((await settle(app, id)).last_run?.status).toBe('completed')

    at.shop.file = at.table('1', '2', '3')
    leaveReading(id, 3)
    for (let tries = 1; tries < 4; tries++) {
      const { last_run, consecutive_failures } = await settle(app, id)
      expect(last_run).toMatchObject({ status: 'failed', error: { error: 'file_unreadable' } })
      expect(last_run?.error?.message).toContain('ended 3 times')
      expect(consecutive_failures).toBe(tries)
      app.feeds.run(at.storeId, id, {})
    }
    expect(at.list()).toEqual(['1', '2'])

    at.shop.file = at.table('1', '2', '4')
    expect((await settle(app, id)).last_run?.status).toBe('completed')
    expect(at.list()).toEqual(['1', '2', '4'])
  })

  test('is read again when a client asks for the whole file', async () => {
    at.shop.file = at.table('1')
    const { id } = await at.add()
    at.shop.file = at.table('1', '2')
    leaveReading(id, 3)
    const app = await restart()
    expect((await settle(app, id)).last_run?.status).toBe('failed')
    app.feeds.run(at.storeId, id, { full: true })
    expect((await settle(app, id)).last_run?.status).toBe('completed')
  })
})

describe('the program ends in the middle of a run', () => {
  test('while the file arrives: the run begins again as it was asked for', async () => {
    at.shop.file = at.table(...range(1, 4))
    const { id } = await at.add({ delete_missing: true })
    at.shop.file = at.table('004')
    const { answer } = at.shop
    const asked = Promise.withResolvers<void>()
    at.shop.answer = () => asked.resolve()
    await at.call('POST', `/${id}/run`, { force_delete: true })
    await asked.promise
    const app = await restart()
    expect(app.feeds.read(at.storeId, id)).toMatchObject({
      status: 'running',
      consecutive_failures: 0,
      last_run: { status: 'pulling', error: null },
    })
    at.shop.answer = answer
    expect((await settle(app, id)).last_run).toMatchObject({ status: 'completed', counts: { deleted: 3 } })
    expect(at.list()).toEqual(['004'])
  })

  test('while the job is under way: no second job, and the deletions follow', async () => {
    at.shop.file = at.table(...range(1, 10))
    const { id } = await at.add({ delete_missing: true })
    at.shop.file = at.table(...range(2, 10), 'slow')
    await at.call('POST', `/${id}/run`)
    await at.app.feeds.drain()
    const before = (await at.read(id)).last_run
    expect(before?.status).toBe('importing')
    const app = await restart()
    const { last_run } = await settle(app, id)
    expect(last_run).toMatchObject({ status: 'completed', job_id: before?.job_id })
    expect(last_run?.counts).toMatchObject({ total: 10, succeeded: 1, missing: 1, deleted: 1 })
    expect(at.list()).toEqual([...range(2, 10), 'slow'])
    expect(countRows(at.app, 'jobs')).toBe(2)
  })

  test('while it deletes: the rest follows, each product once, although it is more than 20 % of what is left', async () => {
    at.shop.file = at.table(...range(1, 200))
    const { id } = await at.add({ delete_missing: true })
    at.shop.file = at.table(...range(41, 200))
    at.app.db.function('stop_now', () => {
      at.stop.abort()
      return 0
    })
    at.app.db.exec(
      'CREATE TEMP TRIGGER stop_at_deletion AFTER DELETE ON main.products BEGIN SELECT stop_now(); END',
    )
    await at.call('POST', `/${id}/run`)
    while (!at.stop.signal.aborted) {
      at.app.feeds.wake()
      await at.app.feeds.drain()
      await new Promise(setImmediate)
    }
    const app = await restart()
    expect(app.feeds.read(at.storeId, id)).toMatchObject({
      status: 'running',
      last_run: { status: 'finishing', counts: { missing: 40, deleted: 25 } },
    })
    expect((await settle(app, id)).last_run).toMatchObject({
      status: 'completed',
      counts: { missing: 40, deleted: 40 },
    })
    expect(at.list()).toEqual(range(41, 200))
    expect(countEvents('product.deleted')).toBe(40)
  })
})

describe('the times of runs', () => {
  test('a run that outlasts its interval leaves the times in between out', async () => {
    at.shop.file = at.table('slow')
    const { body } = await at.call('POST', '', { url: at.url, interval_minutes: 60 })
    const id = String(body['id'])
    await at.app.feeds.drain()
    at.app.clock.advance(150 * 60_000)
    const tries = at.requests.length
    at.app.feeds.wake()
    await at.app.feeds.drain()
    expect(at.requests.length).toBe(tries)
    expect(await at.read(id)).toMatchObject({ status: 'running', next_run_at: null })
    slow.resolve()
    await at.settle()
    const minutes = (Date.parse(String((await at.read(id)).next_run_at)) - at.app.clock.now()) / 60_000
    expect(minutes).toBeWithin(30, 33.001)
  })

  test('a clock that is set back holds nothing up', async () => {
    at.shop.file = at.table('a')
    const { id } = await at.add({ interval_minutes: 60 })
    at.app.clock.advance(-30 * 86_400_000)
    await at.app.tidy()
    await at.settle()
    const feed = await at.read(id)
    expect(feed.last_run?.status).toBe('unchanged')
    const minutes = (Date.parse(String(feed.next_run_at)) - at.app.clock.now()) / 60_000
    expect(minutes).toBeWithin(60, 63.001)
  })

  test('a shorter interval counts from the last run', async () => {
    at.shop.file = at.table('a')
    const { id } = await at.add({ interval_minutes: 1_440 })
    at.app.clock.advance(50 * 60_000)
    const { body } = await at.call('PATCH', `/${id}`, { interval_minutes: 60 })
    const minutes = (Date.parse(String(body['next_run_at'])) - at.app.clock.now()) / 60_000
    expect(minutes).toBeWithin(10, 13.001)
  })
})

test('a few feeds are pulled at a time, one of each store, and stores take turns', async () => {
  const waiting: { url: string; go: () => void }[] = []
  at.shop.answer = (request, response) =>
    void waiting.push({ url: String(request.url), go: () => response.end(at.table('a')) })
  const base = at.url.replace('/products.csv', '')
  const tokens: Record<string, string> = { a: at.token }
  const others = [...'bcdefghijklmnopqr']
  for (const name of others) tokens[name] = await at.app.signIn(`shop-${name}`)
  const urls = ['a1', 'a2', 'a3', ...others.map((name) => `${name}1`)]
  for (const name of urls) {
    const body = { url: `${base}/${name}` }
    await at.app.call('POST', '/v1/feeds', { token: tokens[name[0] as string] as string, body })
  }
  const order: string[] = []
  let most = 0
  while (order.length < urls.length) {
    while (waiting.length === 0) await new Promise(setImmediate)
    for (let n = 0; n < 50; n++) await new Promise(setImmediate)
    most = Math.max(most, waiting.length)
    expect(new Set(waiting.map(({ url }) => url[1])).size).toBe(waiting.length)
    const next = waiting.shift()
    order.push(String(next?.url.slice(1)))
    next?.go()
  }
  expect(most).toBe(16)
  // The second of the first store waits for those that had no turn yet.
  expect(order.indexOf('r1')).toBeLessThan(order.indexOf('a2'))
  await at.app.feeds.drain()
})

test('a run that only has to be finished waits for no pull that hangs', async () => {
  const hanging: { url: string; go: () => void }[] = []
  at.shop.answer = (request, response) =>
    void hanging.push({ url: String(request.url), go: () => response.end(at.table('a')) })
  const base = at.url.replace('/products.csv', '')
  const add = async (name: string, token: string) => {
    const body = { url: `${base}/${name}`, delete_missing: true }
    return String((await at.app.call('POST', '/v1/feeds', { token, body })).body['id'])
  }
  const waitFor = async (count: number) => {
    for (let n = 0; n < 20_000 && hanging.length < count; n++) await new Promise(setImmediate)
    expect(hanging).toHaveLength(count)
  }
  try {
    const id = await add('own', at.token)
    await waitFor(1)
    for (const name of 'bcdefghijklmnop') await add(name, await at.app.signIn(`shop-${name}`))
    await waitFor(16)
    const late = await add('q', await at.app.signIn('shop-q'))
    hanging.shift()?.go()
    // The place of the first pull is taken again before the job of its run is over.
    await waitFor(16)
    const jobId = (await at.read(id)).last_run?.job_id
    await at.app.jobs.waitUntilOver(at.storeId, String(jobId))
    let status: string | undefined
    for (let n = 0; n < 2_000 && status !== 'completed'; n++) {
      at.app.feeds.wake()
      await new Promise(setImmediate)
      status = (await at.read(id)).last_run?.status
    }
    expect([status, late]).toEqual(['completed', expect.any(String)])
    expect(hanging).toHaveLength(16)
  } finally {
    at.shop.answer = (_, response) => void response.end(at.table('a'))
    for (const { go } of hanging) go()
    await at.app.feeds.drain()
  }
})
