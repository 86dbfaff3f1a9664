import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { refusal } from '../../../support/people.ts'
import { DAY_MS, HOUR_MS, type HookedApp, hookedApp, MINUTE_MS, SECRET, URL_ONE } from './hooks.ts'

let app: HookedApp

beforeEach(async () => {
  app = await hookedApp()
})
afterEach(() => app.close())

const PATH = '/v1/search/webhooks'

interface Shown {
  id: string
  state: string
  attempts: number
  request: { url: string; headers: Record<string, string>; body: string }
  answer: { status: number; body: string } | null
}
interface Log {
  deliveries: Shown[]
  count: number
  next_cursor: string | null
}
const log = (id: string, query = '') => app.ask<Log>('GET', `${PATH}/${id}/deliveries${query}`)
const sent = () => app.posts.map(({ body }) => JSON.parse(body).data.product_id)

describe('the log of deliveries (contract 9.5)', () => {
  test('lists newest first, in pages, and by state', async () => {
    app.receiver.answer = ({ body }) => ({ status: body.includes('"p3"') ? 500 : 200 })
    const { id } = await app.hook()
    for (let n = 1; n <= 5; n++) await app.index(`p${n}`)
    await app.deliver()
    const all = await log(id)
    expect(all.count).toBe(5)
    const first = await log(id, '?limit=2')
    const second = await log(id, `?limit=2&cursor=${first.next_cursor}`)
    const third = await log(id, `?limit=2&cursor=${second.next_cursor}`)
    expect(third.next_cursor).toBe(null)
    const ids = ({ deliveries }: Log) => deliveries.map((delivery) => delivery.id)
    expect([...ids(first), ...ids(second), ...ids(third)]).toEqual(ids(all))
    expect(ids(all)).toEqual(ids(all).toSorted().reverse())
    expect(await log(id, '?state=pending')).toMatchObject({ count: 1, deliveries: [{ state: 'pending' }] })
    expect(await log(id, '?state=delivered&limit=3')).toMatchObject({ count: 3 })
    expect((await log(id, '?state=failed')).count).toBe(0)
  })

  test.each([
    ['limit=0', 422, 'validation_error'],
    ['limit=101', 422, 'validation_error'],
    ['state=lost', 422, 'validation_error'],
    ['cursor=none', 400, 'invalid_cursor'],
  ])('refuses %s', async (query, status, code) => {
    const { id } = await app.hook()
    expect(refusal(await app.send('GET', `${PATH}/${id}/deliveries?${query}`))).toEqual([status, code])
  })

  test('shows the request as it was sent, and the answer', async () => {
    app.receiver.answer = () => ({ status: 500, text: 'out of order' })
    const { id } = await app.hook()
    await app.index('p')
    await app.deliver()
    const [{ id: delivery }] = (await log(id)).deliveries as [Shown]
    const shown = await app.ask<Shown>('GET', `${PATH}/deliveries/${delivery}`)
    expect(shown.request).toEqual(app.posts[0] as object as Shown['request'])
    expect(shown.answer).toEqual({ status: 500, body: 'out of order' })
  })

  test('a delivery of another store is unknown', async () => {
    const { id } = await app.hook()
    await app.index('p')
    const [{ id: delivery }] = (await log(id)).deliveries as [Shown]
    const token = await app.signIn('two')
    const foreign = await app.call('GET', `${PATH}/deliveries/${delivery}`, { token })
    expect(refusal(foreign)).toEqual([404, 'not_found'])
    expect(foreign.body).toEqual((await app.call('GET', `${PATH}/deliveries/none`, { token })).body)
    const resend = await app.call('POST', `${PATH}/deliveries/${delivery}/resend`, { token })
    expect(refusal(resend)).toEqual([404, 'not_found'])
  })

  test('is kept for 30 days', async () => {
    const { id } = await app.hook()
    await app.index('p')
    await app.deliver()
    app.clock.advance(30 * DAY_MS)
    await app.tidy()
    expect((await log(id)).count).toBe(1)
    app.clock.advance(1)
    await app.tidy()
    expect((await log(id)).count).toBe(0)
  })
})

describe('POST …/deliveries/{id}/resend', () => {
  test.each([200, 500, 410])('sends it again with the same id, after an answer of %p', async (status) => {
    app.receiver.answer = () => ({ status })
    const { id } = await app.hook()
    await app.index('p')
    await app.deliver()
    await app.ask('PATCH', `${PATH}/${id}`, { enabled: true })
    app.receiver.answer = () => ({})
    const [{ id: delivery }] = (await log(id)).deliveries as [Shown]
    expect(await app.ask('POST', `${PATH}/deliveries/${delivery}/resend`)).toMatchObject({
      ...{ id: delivery, state: 'pending', attempts: 1 },
    })
    await app.deliver()
    expect(app.posts.map(({ headers }) => headers['webhook-id'])).toEqual([delivery, delivery])
    expect(app.posts[1]?.headers['X-Webhook-Attempt']).toBe('2')
    expect((await log(id)).deliveries).toMatchObject([{ state: 'delivered', attempts: 2 }])
  })

  test('begins the schedule of repetitions anew', async () => {
    app.receiver.answer = () => ({ status: 500 })
    const { id } = await app.hook()
    await app.index('p')
    await app.deliver()
    for (let n = 0; n < 7; n++) await app.pass(11 * HOUR_MS)
    const [{ id: delivery, state }] = (await log(id)).deliveries as [Shown]
    expect([state, app.posts.length]).toEqual(['failed', 8])
    await app.ask('POST', `${PATH}/deliveries/${delivery}/resend`)
    await app.deliver()
    await app.pass(6_000)
    expect(app.posts).toHaveLength(10)
  })
})

describe('POST …/{id}/test', () => {
  test('sends a sample at once and gives its answer', async () => {
    app.receiver.answer = () => ({ status: 202, text: 'thanks' })
    const { id } = await app.hook()
    const shown = await app.ask<Shown>('POST', `${PATH}/${id}/test`)
    expect(shown).toMatchObject({
      state: 'delivered',
      is_test: true,
      answer: { status: 202, body: 'thanks' },
    } as object)
    expect(JSON.parse(app.posts[0]?.body ?? '')).toMatchObject({
      ...{ event: 'product.indexed', webhook_id: id, data: { test: true } },
    })
  })

  test.each([
    ['product.updated', 'changes'],
    ['product.deleted', 'deleted_at'],
    ['product.duplicate_detected', 'similarity_score'],
    ['job.completed', 'job_id'],
    ['job.failed', 'job_id'],
    ['plan.limit_near', 'max_products'],
    ['backup.failed', 'reason'],
  ])('a sample of %s', async (event, field) => {
    const { id } = await app.hook()
    await app.ask('POST', `${PATH}/${id}/test`, { event })
    expect(JSON.parse(app.posts[0]?.body ?? '').data).toContainKeys([field, 'test'])
  })

  test('is sent once, even to a webhook that is off, and is no failure of it', async () => {
    app.receiver.answer = () => ({ status: 410 })
    const { id } = await app.hook({ enabled: false })
    expect(await app.ask<Shown>('POST', `${PATH}/${id}/test`)).toMatchObject({ state: 'failed', attempts: 1 })
    await app.pass(DAY_MS)
    expect(app.posts).toHaveLength(1)
    expect(await app.ask('GET', `${PATH}/${id}`)).toMatchObject({ consecutive_failures: 0 })
  })

  test('503 overloaded while four of the store wait, and no other store is refused for it', async () => {
    app.receiver.answer = ({ url }) => (url === URL_ONE ? new Promise(() => {}) : { status: 200 })
    const hookOf = async (token: string, url: string) =>
      (await app.call('POST', PATH, { token, body: { url, events: ['product.indexed'] } })).body['id']
    const tokens = [app.token]
    for (const name of ['two', 'three', 'four']) tokens.push(await app.signIn(name))
    for (const token of tokens) {
      const id = await hookOf(token, URL_ONE)
      for (let n = 0; n < 4; n++) void app.call('POST', `${PATH}/${id}/test`, { token })
      await Bun.sleep(0)
      expect(refusal(await app.call('POST', `${PATH}/${id}/test`, { token }))).toEqual([503, 'overloaded'])
    }
    const token = await app.signIn('another')
    const id = await hookOf(token, 'https://hooks.test/works')
    expect((await app.call('POST', `${PATH}/${id}/test`, { token })).body).toMatchObject({
      state: 'delivered',
    })
  })

  test('422 for an unknown event', async () => {
    const { id } = await app.hook()
    expect((await app.send('POST', `${PATH}/${id}/test`, { event: 'none' })).status).toBe(422)
  })
})

describe('POST …/{id}/recover', () => {
  const recover = (id: string, body: object) =>
    app.ask<{ queued: number; next_since: string | null }>('POST', `${PATH}/${id}/recover`, body)

  test('sends what failed and what happened before the webhook was there, and nothing twice', async () => {
    for (const name of ['a', 'b', 'c']) {
      await app.index(name)
      app.clock.advance(MINUTE_MS)
    }
    app.receiver.answer = () => ({ status: 410 })
    const { id } = await app.hook()
    await app.index('failed')
    await app.deliver()
    await app.ask('PATCH', `${PATH}/${id}`, { enabled: true })
    app.receiver.answer = () => ({})
    await app.index('works')
    await app.deliver()
    app.posts.length = 0
    expect(await recover(id, { since: '2030-01-01T00:01:00Z' })).toMatchObject({
      queued: 3,
      next_since: null,
    })
    await app.deliver()
    expect(sent().sort()).toEqual(['b', 'c', 'failed'])
    expect(await recover(id, { since: '2030-01-01T00:00:00Z', until: '2030-01-01T00:01:00Z' })).toMatchObject(
      {
        queued: 1,
      },
    )
    await app.deliver()
    expect(sent()).toContain('a')
    expect(await recover(id, { since: '2029-01-01' })).toMatchObject({ queued: 0 })
  })

  test('keeps to the events of the webhook and to changes by clients', async () => {
    await app.ask('POST', '/v1/products/demo')
    await app.index('p')
    await app.index('p', { price: 1 })
    const { id } = await app.hook({ events: ['product.updated'] })
    expect(await recover(id, { since: '2029-01-01' })).toMatchObject({ queued: 1 })
    await app.deliver()
    expect(app.posts.map(({ headers }) => headers['X-Webhook-Event'])).toEqual(['product.updated'])
  })

  test('of thousands of changes says where to go on', async () => {
    const insert = app.db.prepare(`
      INSERT INTO changes (store_id, number, event, origin, data, created_at) VALUES (?, ?, 'product.deleted', 'client', '{}', ?)`)
    app.db.transaction(() => {
      for (let n = 1; n <= 20_500; n++) insert.run(app.storeId, BigInt(n), BigInt(app.clock.now() + n))
    })()
    app.clock.advance(DAY_MS)
    const { id } = await app.hook()
    const first = await recover(id, { since: '2029-01-01' })
    expect(first.queued).toBe(20_000)
    const second = await recover(id, { since: String(first.next_since) })
    expect([second.queued, second.next_since]).toEqual([500, null])
  })

  test.each([{}, { since: 'yesterday' }, { since: '2030-02-31T25:00:00Z' }, { since: 5 }])(
    '422 for %p',
    async (body) => {
      const { id } = await app.hook()
      expect((await app.send('POST', `${PATH}/${id}/recover`, body)).status).toBe(422)
    },
  )
})

describe('GET /v1/search/webhooks/inbox (contract 9.6)', () => {
  interface Entry {
    state: string
    event: string
    webhook_id: string | null
    url: string | null
    headers: Record<string, string>
    body: string
  }
  const inbox = () => app.ask<{ deliveries: Entry[]; count: number }>('GET', `${PATH}/inbox`)

  test('shows without any webhook what would have been sent', async () => {
    await app.ask('POST', '/v1/products/demo')
    await app.index('p')
    app.clock.advance(1)
    await app.ask('DELETE', '/v1/products/p')
    const { deliveries, count } = await inbox()
    expect(count).toBe(2)
    expect(deliveries).toMatchObject([
      { state: 'not_sent', event: 'product.deleted', webhook_id: null, url: null },
      { state: 'not_sent', event: 'product.indexed' },
    ])
    expect(JSON.parse(deliveries[1]?.body ?? '')).toMatchObject({
      ...{ event: 'product.indexed', webhook_id: null, data: { product_id: 'p' } },
    })
    expect(deliveries[1]?.headers).not.toContainKey('webhook-signature')
  })

  test('shows deliveries exactly as they were sent', async () => {
    const { id } = await app.hook({ events: ['product.indexed'] })
    await app.index('p')
    await app.deliver()
    app.clock.advance(1)
    await app.ask('DELETE', '/v1/products/p')
    const { deliveries } = await inbox()
    expect(deliveries.map(({ state }) => state)).toEqual(['not_sent', 'delivered'])
    expect(deliveries[1]).toMatchObject({ webhook_id: id, ...(app.posts[0] as object) })
  })

  test('keeps to the last 100, and to the own store', async () => {
    for (let n = 0; n < 60; n++) await app.index(`p${n}`)
    await app.hook()
    for (let n = 60; n < 130; n++) {
      app.clock.advance(1)
      await app.index(`p${n}`)
    }
    const { deliveries, count } = await inbox()
    expect(count).toBe(100)
    expect(JSON.parse(deliveries[0]?.body ?? '').data.product_id).toBe('p129')
    const token = await app.signIn('two')
    expect((await app.call('GET', `${PATH}/inbox`, { token })).body).toEqual({ deliveries: [], count: 0 })
  })

  test('never shows a secret', async () => {
    await app.hook()
    await app.index('p')
    expect(JSON.stringify(await inbox())).not.toContain(SECRET)
  })

  test('goes on after the webhook was deleted', async () => {
    const { id } = await app.hook()
    await app.index('p')
    await app.deliver()
    await app.ask('DELETE', `${PATH}/${id}`)
    expect((await inbox()).deliveries).toMatchObject([{ url: null, state: 'delivered' }])
    await app.tidy()
    expect((await inbox()).deliveries).toMatchObject([{ url: null, state: 'not_sent' }])
  })
})
