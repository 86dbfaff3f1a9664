import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../support/app.ts'
import { readColumn } from '../../../support/seed.ts'
import { pointersOf } from './answers.ts'
import { auditOf } from './evidence.ts'
import { DAY_MS, type Keys, keysOf, PATH, READ, WORKS } from './keys.ts'

let app: TestApp
let keys: Keys
/** The machine grant of the store, for a hundred years. */
let token: string

beforeEach(async () => {
  app = testApp()
  keys = await keysOf(app)
  token = keys.token
})
afterEach(() => app.close())

describe('POST /v1/security/api-keys/{id}/rotate', () => {
  test('200 without a body: a new value this once, the old one ends at once', async () => {
    const { key: old, ...view } = await keys.made()
    app.clock.advance(1000)
    const { status, headers, body } = await keys.rotate(view.id)
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    const fresh = String(body['key'])
    expect(body).toEqual({
      ...view,
      key: expect.stringMatching(/^sk_live_[0-9A-Za-z]{38}$/) as never,
      prefix: fresh.slice(0, 12),
      rotated_at: keys.isoIn(0),
      previous_expires_at: keys.isoIn(0),
    })
    expect(fresh).not.toBe(old)
    expect(readColumn(app, 'api_keys', 'previous_key_hash')).toEqual([null])
    expect([await keys.useKey(old), await keys.useKey(fresh)]).toEqual([[401, 'unauthorized'], WORKS])
  })

  test('a body is not needed over the network either, whatever Content-Type comes with it', async () => {
    const { id } = await keys.made()
    const server = Bun.serve({ port: 0, fetch: (request) => app.http.handle(request) })
    try {
      for (const type of [undefined, 'application/json', 'text/plain']) {
        const response = await fetch(`${server.url.origin}${PATH}/${id}/rotate`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, ...(type && { 'content-type': type }) },
        })
        expect([type, response.status]).toEqual([type, 200])
      }
    } finally {
      await server.stop(true)
    }
  })

  test('with a grace the old value works until just before its end', async () => {
    const { id, key: old } = await keys.made()
    const { body } = await keys.rotate(id, { grace_seconds: 3600 })
    expect(body['previous_expires_at']).toBe(keys.isoIn(3_600_000))
    app.clock.advance(3_600_000 - 1)
    expect([await keys.useKey(old), await keys.useKey(body['key'])]).toEqual([WORKS, WORKS])
    expect((await keys.read(id))['previous_expires_at']).toBe(keys.isoIn(1))
    app.clock.advance(1)
    expect([await keys.useKey(old), await keys.useKey(body['key'])]).toEqual([[401, 'unauthorized'], WORKS])
    expect((await keys.read(id))['previous_expires_at']).toBeNull()
  })

  test('rotated again, the value before the last one ends at once', async () => {
    const { id, key: first } = await keys.made()
    const second = (await keys.rotate(id, { grace_seconds: 604_800 })).body['key']
    const third = (await keys.rotate(id, { grace_seconds: 604_800 })).body['key']
    expect([await keys.useKey(first), await keys.useKey(second), await keys.useKey(third)]).toEqual([
      [401, 'unauthorized'],
      WORKS,
      WORKS,
    ])
    await keys.rotate(id)
    expect([await keys.useKey(second), await keys.useKey(third)]).toEqual([
      [401, 'unauthorized'],
      [401, 'unauthorized'],
    ])
  })

  test('the lifetime starts anew, and the old value never outlives its own', async () => {
    const { id, key: old } = await keys.made({ ...READ, expires_in_days: 2 })
    app.clock.advance(DAY_MS)
    const { body } = await keys.rotate(id, { grace_seconds: 604_800 })
    expect([body['expires_at'], body['previous_expires_at']]).toEqual([
      keys.isoIn(2 * DAY_MS),
      keys.isoIn(DAY_MS),
    ])
    app.clock.advance(DAY_MS)
    expect([await keys.useKey(old), await keys.useKey(body['key'])]).toEqual([[401, 'unauthorized'], WORKS])
  })

  test('an expired key comes back with its lifetime; its old value does not, with any grace', async () => {
    const { id, key: old } = await keys.made({ ...READ, expires_in_days: 1 })
    app.clock.advance(5 * DAY_MS)
    const { status, body } = await keys.rotate(id, { grace_seconds: 604_800 })
    expect([status, body['expires_at'], body['previous_expires_at']]).toEqual([
      200,
      keys.isoIn(DAY_MS),
      keys.isoIn(-4 * DAY_MS),
    ])
    expect([await keys.useKey(old), await keys.useKey(body['key'])]).toEqual([[401, 'unauthorized'], WORKS])
  })

  test('a lifetime that is shortened during the grace ends both values', async () => {
    const { id, key: old } = await keys.made()
    const fresh = (await keys.rotate(id, { grace_seconds: 604_800 })).body['key']
    await app.call('PATCH', `${PATH}/${id}`, { token, body: { expires_in_days: 1 } })
    app.clock.advance(DAY_MS)
    expect([await keys.useKey(old), await keys.useKey(fresh)]).toEqual([
      [401, 'api_key_expired'],
      [401, 'api_key_expired'],
    ])
  })

  test.each([
    [{ grace_seconds: -1 }],
    [{ grace_seconds: 604_801 }],
    [{ grace_seconds: 1.5 }],
    [{ grace_seconds: '60' }],
  ])('422 for %j, and the old value stays', async (body) => {
    const { id, key } = await keys.made()
    expect(pointersOf(await keys.rotate(id, body))).toEqual([422, '/grace_seconds'])
    expect(await keys.useKey(key)).toEqual(WORKS)
  })

  test('422 for a body that is no object', async () => {
    const { id } = await keys.made()
    expect(pointersOf(await keys.rotate(id, []))).toEqual([422, ''])
  })

  test('of many rotations at once each gives another value, and exactly the last one works', async () => {
    const { id, key } = await keys.made()
    const answers = await Promise.all(Array.from({ length: 20 }, () => keys.rotate(id)))
    const values = answers.map(({ status, body }) => (status === 200 ? body['key'] : undefined))
    expect(new Set(values).size).toBe(20)
    const working = await Promise.all([key, ...values].map(keys.useKey))
    expect(working.filter(([status]) => status === 200)).toHaveLength(1)
    expect(working.filter(([status]) => status === 401)).toHaveLength(20)
    expect(auditOf(app, 'api_key.rotated')).toHaveLength(20)
  })

  test('of many rotations with a grace the last value and the one before work', async () => {
    const { id } = await keys.made()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => keys.rotate(id, { grace_seconds: 60 })),
    )
    const working = await Promise.all(answers.map(({ body }) => keys.useKey(body['key'])))
    expect(working.filter(([status]) => status === 200)).toHaveLength(2)
  })
})
