import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../support/app.ts'
import { failWrites } from '../../../support/seed.ts'
import { wholeDatabase } from './evidence.ts'
import { DAY_MS, type Keys, keysOf, READ, WORKS } from './keys.ts'

let app: TestApp
let keys: Keys
let storeId: string

beforeEach(async () => {
  app = testApp()
  keys = await keysOf(app)
  storeId = keys.storeId
})
afterEach(() => app.close())

describe('what is shown as a key', () => {
  test('expires exactly at its time', async () => {
    const { key } = await keys.made({ ...READ, expires_in_days: 1 })
    app.clock.advance(DAY_MS - 1)
    expect(await keys.useKey(key)).toEqual(WORKS)
    app.clock.advance(1)
    expect(await keys.useKey(key)).toEqual([401, 'api_key_expired'])
  })

  test('gets the same refusal for wrong check digits and for an unknown key', async () => {
    const { key } = await keys.made()
    const last = key.at(-1) === '0' ? '1' : '0'
    const refusals = await Promise.all(
      [key.slice(0, -1) + last, `sk_live_${'0'.repeat(38)}`, 'sk_live_', `${key}0`, key.toUpperCase()].map(
        (text) => app.call('GET', '/v1/products', { headers: { 'x-api-key': text } }),
      ),
    )
    for (const { status, body } of refusals) expect([status, body]).toEqual([401, refusals[0]?.body as never])
  })
})

describe('the use of a key', () => {
  const from = (key: string) => app.call('GET', '/v1/products', { token: key })

  test('is noted with its address, at most once a minute', async () => {
    const { id, key } = await keys.made()
    const start = app.clock.now()
    await from(key)
    expect(await keys.read(id)).toMatchObject({ last_used_at: keys.isoIn(0), last_used_ip: '127.0.0.1' })
    app.clock.advance(59_999)
    await from(key)
    expect((await keys.read(id))['last_used_at']).toBe(new Date(start).toISOString())
    app.clock.advance(1)
    await from(key)
    expect((await keys.read(id))['last_used_at']).toBe(keys.isoIn(0))
  })

  test('goes on when it cannot be noted: reading works while nothing can be written', async () => {
    const { id, key } = await keys.made()
    const mend = failWrites(app, 'UPDATE OF last_used_at ON api_keys', 'full')
    expect((await from(key)).status).toBe(200)
    expect((await keys.read(id))['last_used_at']).toBeNull()
    mend()
    await from(key)
    expect((await keys.read(id))['last_used_at']).toBeNull()
    app.clock.advance(60_000)
    await from(key)
    expect((await keys.read(id))['last_used_at']).toBe(keys.isoIn(0))
  })
})

describe('the numbers of the overview (contract 5.8)', () => {
  const counts = () => app.apiKeys.countByState(storeId, app.clock.now())

  test('count the keys that work, those that end within 30 days, and those nobody uses', async () => {
    expect(counts()).toEqual({ active: 0, expiring_30d: 0, unused_90d: 0 })
    await keys.made({ ...READ, expires_in_days: 1 })
    await keys.made({ ...READ, expires_in_days: 30 })
    await keys.made({ ...READ, expires_in_days: 31 })
    const { key } = await keys.made()
    await keys.made()
    await keys.create(READ, await app.signIn('two'))
    expect(counts()).toEqual({ active: 5, expiring_30d: 2, unused_90d: 0 })
    app.clock.advance(DAY_MS)
    expect(counts()).toEqual({ active: 4, expiring_30d: 2, unused_90d: 0 })
    app.clock.advance(88 * DAY_MS)
    await keys.useKey(key)
    app.clock.advance(DAY_MS)
    expect(counts()).toEqual({ active: 2, expiring_30d: 0, unused_90d: 1 })
    app.clock.advance(89 * DAY_MS)
    expect(counts().unused_90d).toBe(2)
  })
})

test('no key stands in the database in a form that could be used', async () => {
  const { id, key } = await keys.made()
  const rotated = (await keys.rotate(id, { grace_seconds: 60 })).body
  await keys.useKey(key)
  const everything = wholeDatabase(app)
  expect(everything).toContain(String(rotated['prefix']))
  for (const value of [key, String(rotated['key'])]) {
    expect(everything).not.toContain(value.slice(12))
    expect(everything).not.toContain(value.slice(-10))
  }
})
