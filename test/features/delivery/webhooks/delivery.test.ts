import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { turn } from '../../../../src/core/turns.ts'
import type { Post } from '../../../support/app.ts'
import { deleteRows } from '../../../support/seed.ts'
import { DAY_MS, HOUR_MS, type HookedApp, hookedApp, MINUTE_MS, SECOND_MS, URL_ONE } from './hooks.ts'

let app: HookedApp

beforeEach(async () => {
  app = await hookedApp()
})
afterEach(() => app.close())

const PATH = '/v1/search/webhooks'

interface Log {
  deliveries: {
    id: string
    state: string
    attempts: number
    next_attempt_at: string | null
    last_status: number | null
    last_error: string | null
  }[]
  next_cursor: string | null
}
const log = (id: string, query = '') => app.ask<Log>('GET', `${PATH}/${id}/deliveries${query}`)
const read = (id: string) => app.ask<Record<string, unknown>>('GET', `${PATH}/${id}`)
const failWith = (status: number, retryAfter?: string) => {
  app.receiver.answer = () => ({ status, retryAfter })
}

describe('a delivery (contract 9.3)', () => {
  test('carries the envelope and the headers', async () => {
    const { id } = await app.hook()
    await app.index('p', { name: 'Größe "ü" 😀' })
    expect(app.posts).toEqual([])
    await app.deliver()
    const [{ url, headers, body }] = app.posts as [Post]
    expect(url).toBe(URL_ONE)
    expect(JSON.parse(body)).toEqual({
      event: 'product.indexed',
      timestamp: '2030-01-01T00:00:00.000Z',
      webhook_id: id,
      data: {
        product_id: 'p',
        vector_id: expect.any(String),
        image_url: 'https://img.test/any.jpg',
        metadata: { name: 'Größe "ü" 😀' },
        indexed_at: '2030-01-01T00:00:00.000Z',
      },
    })
    const { deliveries } = await log(id)
    expect(headers).toMatchObject({
      'Content-Type': 'application/json',
      'X-Webhook-Event': 'product.indexed',
      'X-Webhook-Attempt': '1',
      'X-Webhook-Signature': expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
      'webhook-id': deliveries[0]?.id,
      'webhook-timestamp': '1893456000',
      'webhook-signature': expect.stringMatching(/^v1,/),
      'User-Agent': expect.any(String),
    })
  })

  test('tells every webhook of the events that it asks for, and of no others', async () => {
    await app.hook({ url: 'https://hooks.test/all' })
    await app.hook({ url: 'https://hooks.test/gone', events: ['product.deleted'] })
    await app.hook({ url: 'https://hooks.test/off', enabled: false })
    await app.index('p')
    await app.index('p', { price: 1 })
    await app.index('p', { price: 1 })
    await app.ask('DELETE', '/v1/products/p')
    await app.deliver()
    const told = app.posts.map(({ url, headers }) => `${url.split('/').at(-1)} ${headers['X-Webhook-Event']}`)
    expect(told.sort()).toEqual([
      ...['all product.deleted', 'all product.indexed', 'all product.updated', 'gone product.deleted'],
    ])
  })

  test('is not made for demo products', async () => {
    await app.hook()
    await app.ask('POST', '/v1/products/demo')
    await app.ask('DELETE', '/v1/products/demo')
    await app.deliver()
    expect(app.posts).toEqual([])
  })

  test('is not made for a change that is undone', async () => {
    await app.hook()
    app.db.exec(
      "CREATE TEMP TRIGGER undo AFTER INSERT ON deliveries BEGIN SELECT raise(ABORT, 'undone'); END",
    )
    const body = { product_id: 'p', image_url: app.picture('any', 1) }
    expect((await app.send('POST', '/v1/products', body)).status).toBe(500)
    app.db.exec('DROP TRIGGER undo')
    await app.deliver()
    expect(app.posts).toEqual([])
    expect((await app.send('GET', '/v1/products/p')).status).toBe(404)
  })

  test('is repeated after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, within a tenth, with one id', async () => {
    failWith(500)
    const { id } = await app.hook()
    for (let n = 0; n < 20; n++) await app.index(`p${n}`)
    await app.deliver()
    const schedule = [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS]
    schedule.push(...[2, 5, 10, 10].map((hours) => hours * HOUR_MS))
    for (const [n, wait] of schedule.entries()) {
      const before = app.posts.length
      expect(before).toBe(20 * (n + 1))
      const { deliveries } = await log(id)
      const waits = deliveries.map(
        (delivery) => Date.parse(String(delivery.next_attempt_at)) - app.clock.now(),
      )
      for (const one of waits) expect(one).toBeWithin(wait * 0.9 - 1, wait * 1.1 + 1)
      expect(new Set(waits).size).toBeGreaterThan(10)
      await app.pass(Math.min(...waits) - 1)
      expect(app.posts.length).toBe(before)
      await app.pass(wait * 1.1 - Math.min(...waits) + 1)
    }
    expect(app.posts).toHaveLength(20 * 8)
    const { deliveries } = await log(id)
    expect(new Set(deliveries.map(({ state, attempts }) => `${state} ${attempts}`))).toEqual(
      new Set(['failed 8']),
    )
    await app.pass(3 * DAY_MS)
    expect(app.posts).toHaveLength(20 * 8)
    const byId = Map.groupBy(app.posts, ({ headers }) => headers['webhook-id'])
    for (const posts of byId.values()) {
      expect(posts.map(({ headers }) => headers['X-Webhook-Attempt'])).toEqual([...'12345678'])
      expect(new Set(posts.map(({ body }) => body)).size).toBe(1)
    }
    expect(byId.size).toBe(20)
  })

  test('that succeeds at last is sent no more, and the failures are forgotten', async () => {
    failWith(503)
    const { id } = await app.hook()
    await app.index('p')
    await app.deliver()
    expect(await read(id)).toMatchObject({ consecutive_failures: 1, last_status: 503, enabled: true })
    app.receiver.answer = () => ({ status: 204 })
    await app.pass(6 * SECOND_MS)
    expect(await read(id)).toMatchObject({ consecutive_failures: 0, last_status: 204 })
    await app.pass(DAY_MS)
    expect(app.posts).toHaveLength(2)
    expect((await log(id)).deliveries).toMatchObject([
      { state: 'delivered', attempts: 2, next_attempt_at: null },
    ])
  })

  test.each([
    ['100', 100 * SECOND_MS],
    ['Tue, 01 Jan 2030 00:10:00 GMT', 10 * MINUTE_MS],
    ['999999999', DAY_MS],
    ['Fri, 01 Jan 2100 00:00:00 GMT', DAY_MS],
  ])('waits as long as Retry-After says: %s', async (retryAfter, waitMs) => {
    failWith(429, retryAfter)
    const { id } = await app.hook()
    await app.index('p')
    await app.deliver()
    const { deliveries } = await log(id)
    expect(Date.parse(String(deliveries[0]?.next_attempt_at)) - app.clock.now()).toBe(waitMs)
  })

  test.each(['0', '-5', 'soon', 'Mon, 01 Jan 2029 00:00:00 GMT'])(
    'follows its own schedule where Retry-After says less: %s',
    async (retryAfter) => {
      failWith(503, retryAfter)
      const { id } = await app.hook()
      await app.index('p')
      await app.deliver()
      const [delivery] = (await log(id)).deliveries
      expect(Date.parse(String(delivery?.next_attempt_at)) - app.clock.now()).toBeWithin(4_499, 5_501)
    },
  )

  test.each([300, 301, 307, 404, 500])('%p is a failure', async (status) => {
    failWith(status)
    const { id } = await app.hook()
    await app.index('p')
    await app.deliver()
    expect((await log(id)).deliveries).toMatchObject([{ state: 'pending', last_status: status }])
  })

  test('without an answer says why', async () => {
    app.receiver.answer = () => Promise.reject(Object.assign(new Error('late'), { reason: 'timeout' }))
    const { id } = await app.hook()
    await app.index('p')
    await app.deliver()
    expect((await log(id)).deliveries).toMatchObject([
      { state: 'pending', last_status: null, last_error: 'timeout' },
    ])
  })

  test('fails for good when its change is kept no longer', async () => {
    failWith(500)
    const { id } = await app.hook()
    await app.index('p')
    await app.deliver()
    deleteRows(app, 'changes')
    const [before] = (await log(id)).deliveries
    await app.pass(HOUR_MS)
    expect((await log(id)).deliveries).toMatchObject([{ state: 'failed', last_error: 'data_expired' }])
    const detail = await app.ask<{ request: { body: null } }>('GET', `${PATH}/deliveries/${before?.id}`)
    expect(detail.request.body).toBe(null)
  })
})

describe('a receiver that does not answer as it should', () => {
  test('410 disables its webhook at once, and the owners get a mail', async () => {
    failWith(410)
    const { id } = await app.hook()
    await app.index('p')
    await app.deliver()
    expect(await read(id)).toMatchObject({ enabled: false, disabled_reason: 'receiver_gone' })
    expect((await log(id)).deliveries).toMatchObject([{ state: 'failed', last_status: 410 }])
    await app.settle()
    expect(app.mails).toHaveLength(1)
    expect(app.mails[0]).toMatchObject({ to: 'one@shop.test', subject: 'A webhook of one was disabled' })
    expect(app.mails[0]?.text).toContain('hooks.test')
    await app.index('q')
    await app.pass(DAY_MS)
    expect(app.posts).toHaveLength(1)
  })

  test('five days of failures alone disable it, and what waits goes out once it is on again', async () => {
    failWith(500)
    const { id } = await app.hook()
    for (let day = 0; day < 5; day++) {
      await app.index(`p${day}`)
      await app.deliver()
      await app.pass(DAY_MS - 1)
      expect(await read(id)).toMatchObject({ enabled: true })
    }
    await app.pass(5)
    await app.index('last')
    await app.deliver()
    expect(await read(id)).toMatchObject({ enabled: false, disabled_reason: 'always_failing' })
    await app.settle()
    expect(app.mails.map(({ subject }) => subject)).toEqual(['A webhook of one was disabled'])
    app.posts.length = 0
    await app.pass(DAY_MS)
    expect(app.posts).toEqual([])
    app.receiver.answer = () => ({})
    expect(await app.ask('PATCH', `${PATH}/${id}`, { enabled: true })).toMatchObject({
      ...{ enabled: true, disabled_reason: null, consecutive_failures: 0 },
    })
    await app.deliver()
    const sent = app.posts.map(({ body }) => JSON.parse(body).data.product_id)
    expect(sent).toContain('last')
    expect((await log(id, '?state=pending')).deliveries).toEqual([])
  })

  test('one success in five days keeps it on', async () => {
    failWith(500)
    const { id } = await app.hook()
    await app.index('a')
    await app.deliver()
    await app.pass(3 * DAY_MS)
    app.receiver.answer = () => ({})
    await app.index('b')
    await app.deliver()
    failWith(500)
    await app.pass(3 * DAY_MS)
    await app.index('c')
    await app.deliver()
    expect(await read(id)).toMatchObject({ enabled: true, disabled_reason: null })
  })
})

describe('a restart', () => {
  test('sends what waited before it, also what was underway, with the same id', async () => {
    // Never answers: the process dies while it waits.
    app.receiver.answer = () => new Promise(() => {})
    await app.hook()
    await app.hook()
    await app.index('p')
    void app.deliver()
    expect(app.posts).toHaveLength(2)
    const after = await hookedAppOn(app)
    await after.services.webhooks.drain()
    const ids = (posts: readonly Post[]) => posts.map(({ headers }) => headers['webhook-id']).sort()
    expect(ids(after.posts)).toEqual(ids(app.posts))
    await after.services.webhooks.drain()
    expect(after.posts).toHaveLength(2)
  })
})

/** Another program on the same database, as after a restart. */
async function hookedAppOn({ db, clock }: HookedApp) {
  const { testApp } = await import('../../../support/app.ts')
  return testApp({ db, clock })
}

test('while the disk refuses the result, a delivery is not sent again, and afterwards it is written', async () => {
  const { id } = await app.hook()
  await app.index('p')
  app.db.exec("CREATE TEMP TRIGGER full BEFORE UPDATE ON deliveries BEGIN SELECT raise(ABORT, 'full'); END")
  await app.deliver()
  await app.deliver()
  expect(app.posts).toHaveLength(1)
  app.db.exec('DROP TRIGGER full')
  await app.settle()
  await app.deliver()
  expect(app.posts).toHaveLength(1)
  expect((await log(id)).deliveries).toMatchObject([{ state: 'delivered' }])
})

describe('the loop', () => {
  test('a receiver that hangs holds up no other webhook', async () => {
    app.receiver.answer = ({ url }) => (url.endsWith('/hangs') ? new Promise(() => {}) : {})
    await app.hook({ url: 'https://hooks.test/hangs' })
    await app.hook({ url: 'https://hooks.test/works' })
    for (let n = 0; n < 50; n++) await app.index(`p${n}`)
    void app.deliver()
    for (let n = 0; n < 200; n++) await Promise.resolve()
    await Bun.sleep(0)
    const counts = (end: string) => app.posts.filter(({ url }) => url.endsWith(end)).length
    expect(counts('/hangs')).toBe(1)
    expect(counts('/works')).toBe(50)
  })

  test('wakes by itself: after an event at once, and with a timer for what is due later', async () => {
    failWith(500)
    await app.hook()
    await app.index('p')
    await app.settle()
    expect(app.posts).toHaveLength(1)
    // The answer of the receiver arrives, and is written down.
    while (app.scheduled.length === 0) await turn()
    await app.settle()
    while (app.scheduled.length === 0) await turn()
    app.clock.advance(6 * SECOND_MS)
    await app.settle()
    expect(app.posts).toHaveLength(2)
  })
})
