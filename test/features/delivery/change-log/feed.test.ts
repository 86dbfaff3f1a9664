import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DAY_MS, type HookedApp, hookedApp } from '../webhooks/hooks.ts'

let app: HookedApp

beforeEach(async () => {
  app = await hookedApp()
})
afterEach(() => app.close())

interface Page {
  changes: {
    number: number
    event: string
    origin: string
    timestamp: string
    data: { product_id: string }
  }[]
  count: number
  oldest_number: number
  last_number: number
  has_more: boolean
}
const read = (query = '') => app.ask<Page>('GET', `/v1/changes${query}`)

describe('GET /v1/changes (contract 9.1)', () => {
  test('is empty before the first change', async () => {
    expect(await read()).toEqual({
      ...{ changes: [], count: 0, oldest_number: 1, last_number: 0, has_more: false },
    })
  })

  test('numbers every change from 1, with the data that webhooks get', async () => {
    await app.index('p', { price: 1 })
    await app.index('p', { price: 2 })
    await app.index('p', { price: 2 })
    await app.ask('DELETE', '/v1/products/p')
    const { changes, ...rest } = await read()
    expect(rest).toEqual({ count: 3, oldest_number: 1, last_number: 3, has_more: false })
    const timestamp = '2030-01-01T00:00:00.000Z'
    expect(changes).toMatchObject([
      {
        ...{ number: 1, event: 'product.indexed', origin: 'client', timestamp },
        data: { product_id: 'p', metadata: { price: 1 }, indexed_at: timestamp },
      },
      {
        ...{ number: 2, event: 'product.updated', origin: 'client', timestamp },
        data: { product_id: 'p', changes: ['metadata.price'] },
      },
      { number: 3, event: 'product.deleted', data: { product_id: 'p', deleted_at: timestamp } },
    ])
  })

  test('has the products of the demo catalogue too, and says so', async () => {
    await app.ask('POST', '/v1/products/demo')
    const { changes } = await read()
    expect(changes).toHaveLength(40)
    expect(new Set(changes.map(({ origin }) => origin))).toEqual(new Set(['demo']))
  })

  test('goes on after a number, page by page', async () => {
    for (let n = 1; n <= 5; n++) await app.index(`p${n}`)
    expect((await read('?limit=2')).has_more).toBe(true)
    const { changes, has_more } = await read('?after=2&limit=2')
    expect([changes.map(({ number }) => number), has_more]).toEqual([[3, 4], true])
    expect(await read('?after=4&limit=2')).toMatchObject({ count: 1, has_more: false })
    expect(await read('?after=5')).toMatchObject({ count: 0, last_number: 5, has_more: false })
  })

  test('ends a page early where its data is large, and loses nothing', async () => {
    const metadata = { text: 'x'.repeat(16_000) }
    for (let n = 1; n <= 80; n++) await app.index(`p${n}`, metadata)
    const first = await read('?limit=1000')
    expect(first.count).toBeWithin(60, 75)
    expect(first.has_more).toBe(true)
    const second = await read(`?limit=1000&after=${first.changes.at(-1)?.number}`)
    expect(first.count + second.count).toBe(80)
    expect(second.has_more).toBe(false)
  })

  test.each(['after=-1', 'after=x', 'limit=0', 'limit=1001', 'after=1.5'])('422 for %s', async (query) => {
    const { status, body } = await app.send('GET', `/v1/changes?${query}`)
    expect([status, body['error']]).toEqual([422, 'validation_error'])
  })

  test('410 changes_expired for a number beyond the last one', async () => {
    await app.index('p')
    const { status, body } = await app.send('GET', '/v1/changes?after=3')
    expect([status, body['error'], body['details']]).toEqual([
      ...[410, 'changes_expired'],
      { oldest_number: 1, last_number: 1 },
    ])
  })

  test('forgets changes after 30 days: who lags behind is told to start over', async () => {
    await app.index('old')
    app.clock.advance(29 * DAY_MS)
    await app.index('young')
    app.clock.advance(DAY_MS)
    await app.tidy()
    expect(await read('?after=1')).toMatchObject({ count: 1, oldest_number: 1 })
    app.clock.advance(1)
    await app.tidy()
    const { status, body } = await app.send('GET', '/v1/changes')
    expect([status, body['error'], body['details']]).toEqual([
      ...[410, 'changes_expired'],
      { oldest_number: 2, last_number: 2 },
    ])
    expect((await read('?after=1')).changes).toMatchObject([{ number: 2 }])
    app.clock.advance(30 * DAY_MS)
    await app.tidy()
    expect(await read('?after=2')).toMatchObject({ count: 0, oldest_number: 3, last_number: 2 })
    await app.index('again')
    expect((await read('?after=2')).changes).toMatchObject([{ number: 3, data: { product_id: 'again' } }])
  })

  test('each store has its own numbers, and sees only its own changes', async () => {
    await app.index('mine')
    const token = await app.signIn('two')
    const body = { product_id: 'theirs', image_url: app.picture('any', 1) }
    await app.call('POST', '/v1/products', { token, body })
    const { body: page } = await app.call('GET', '/v1/changes', { token })
    expect(page).toMatchObject({ count: 1, changes: [{ number: 1, data: { product_id: 'theirs' } }] })
    expect((await read()).changes).toMatchObject([{ number: 1, data: { product_id: 'mine' } }])
  })

  test('any sequence of changes, some of them undone: no number is missing and none is there twice', async () => {
    const step = fc.record({
      id: fc.nat(3),
      price: fc.nat(5),
      isRemoval: fc.boolean(),
      isUndone: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const before = (await read('?limit=1')).last_number
        let committed = before
        for (const { id, price, isRemoval, isUndone } of steps) {
          if (isUndone) app.db.exec(UNDO)
          const path = `/v1/products/p${id}`
          const { status, body } = isRemoval
            ? await app.send('DELETE', path)
            : await app.send('PUT', path, { image_url: app.picture('any', 1), metadata: { price } })
          app.db.exec('DROP TRIGGER IF EXISTS undo')
          const isChange = isRemoval ? status === 200 : body['message'] !== 'unchanged' && status < 300
          if (isChange) committed++
        }
        const { changes, last_number } = await read(`?after=${before}&limit=1000`)
        expect(last_number).toBe(committed)
        expect(changes.map(({ number }) => number)).toEqual(changes.map((_, n) => before + n + 1))
        expect(changes).toHaveLength(committed - before)
      }),
      { numRuns: 30 },
    )
  })
})

/** Makes every change fail after the log has its row, and its transaction with it. */
const UNDO = `CREATE TEMP TRIGGER undo AFTER INSERT ON changes BEGIN SELECT raise(ABORT, 'undone'); END`

describe('the changes of a store on a plan with a limit (contract 9.1)', () => {
  const MB = 1_000_000
  const kept = () => app.db.prepare<[], number>('SELECT number FROM changes ORDER BY number').pluck().all()
  /** Writes changes of a megabyte each, as if products had made them. */
  const fill = (count: number) => {
    const { last_number: last } = app.db
      .prepare<[], { last_number: number }>('SELECT last_number FROM change_numbers')
      .get() ?? { last_number: 0 }
    const add = app.db.prepare(`
      INSERT INTO changes (store_id, number, event, origin, data, created_at)
      VALUES (?, ?, 'product.indexed', 'client', json_object('product_id', 'x', 'more', printf('%.*c', ${MB}, 'x')), ?)`)
    for (let n = 1; n <= count; n++) {
      app.db.prepare('UPDATE change_numbers SET last_number = last_number + 1').run()
      add.run(app.storeId, BigInt(last + n), BigInt(app.clock.now()))
    }
  }
  const counted = () => app.db.prepare<[], number>('SELECT bytes FROM change_numbers').pluck().get()
  const bytes = () =>
    app.db
      .prepare<[], number>(
        'SELECT sum(octet_length(data) + 200) FROM changes JOIN change_numbers USING (store_id) WHERE number >= oldest_number',
      )
      .pluck()
      .get()

  beforeEach(async () => {
    app.setPlan('one', 'free')
    await app.index('first')
  })

  test('go from the start beyond 30 MB: who lags behind is told to start over, and nobody else', async () => {
    fill(29)
    await app.index('a')
    expect((await read('?after=1&limit=1')).oldest_number).toBe(1)
    fill(3)
    await app.index('b')
    await app.index('c')
    const { oldest_number, last_number } = await read('?after=33')
    expect([oldest_number, last_number, kept()[0]]).toEqual([5, 36, 5])
    expect((await app.send('GET', '/v1/changes?after=3')).body).toMatchObject({
      error: 'changes_expired',
      details: { oldest_number: 5, last_number: 36 },
    })
    expect((await read('?after=4&limit=1')).changes.map(({ number }) => number)).toEqual([5])
    expect(counted()).toBe(bytes() as number)
    app.clock.advance(31 * DAY_MS)
    await app.tidy()
    expect([kept(), counted()]).toEqual([[], 0])
  })

  test('stay on the disk for deliveries that wait, out of the log', async () => {
    app.receiver.answer = () => ({ status: 500 })
    await app.hook()
    await app.index('told', { note: 'kept' })
    await app.deliver()
    fill(32)
    await app.index('a')
    await app.index('b')
    expect((await read('?after=34')).oldest_number).toBeGreaterThan(2)
    expect(kept()[0]).toBe(2)
    expect(counted()).toBe(bytes() as number)
    app.receiver.answer = () => ({ status: 200 })
    await app.pass(DAY_MS)
    expect(app.posts.map(({ body }) => JSON.parse(body)['data'])).toContainEqual(
      expect.objectContaining({ product_id: 'told', metadata: { note: 'kept' } }),
    )
    await app.tidy()
    expect(kept()[0]).toBeGreaterThan(2)
    expect(counted()).toBe(bytes() as number)
  })

  test('of an enterprise store stay', async () => {
    app.setPlan('one', 'enterprise')
    fill(40)
    await app.index('a')
    await app.index('b')
    expect(kept()).toHaveLength(43)
  })
})
