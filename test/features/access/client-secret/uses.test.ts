import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { TestApp } from '../../../support/app.ts'
import { from, proxiedApp } from '../../../support/people.ts'
import { machineToken } from '../api-keys/keys.ts'

const PATH = '/v1/security/client-secret'
const HOUR_MS = 3_600_000

let app: TestApp
let store: { store_id: string; client_id: string; client_secret: string }
/** Outlives every test, and is made without the secret. */
let token: string

beforeEach(async () => {
  app = proxiedApp()
  store = await app.store()
  token = await machineToken(app, store.store_id)
})
afterEach(() => app.close())

const read = async () => (await app.call('GET', PATH, { token })).body
const iso = () => new Date(app.clock.now()).toISOString()
const grant = (address: string, client_secret = store.client_secret) =>
  app.call('POST', '/oauth/token', {
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: store.client_id,
      client_secret,
    }),
    headers: from(address),
  })

describe('GET /v1/security/client-secret', () => {
  test('200: never used; the secret itself is not shown', async () => {
    const { status, body } = await app.call('GET', PATH, { token })
    expect([status, body as object]).toEqual([
      200,
      { client_id: store.store_id, rotated_at: iso(), last_used_at: null, addresses_last_hour: 0 },
    ])
  })

  test('counts the addresses of the last hour, and not those with a wrong secret', async () => {
    await grant('203.0.113.1')
    await grant('203.0.113.1')
    app.clock.advance(HOUR_MS / 2)
    await grant('203.0.113.2')
    const last_used_at = iso()
    app.clock.advance(1_000)
    expect((await grant('203.0.113.3', 'wrong')).status).toBe(401)
    expect(await read()).toMatchObject({ last_used_at, addresses_last_hour: 2 })
    app.clock.advance(HOUR_MS / 2)
    expect(await read()).toMatchObject({ last_used_at, addresses_last_hour: 1 })
  })

  test('writes the last use once a minute, and knows it after memory has forgotten', async () => {
    const first = iso()
    await grant('203.0.113.1')
    await app.settle()
    app.clock.advance(59_000)
    await grant('203.0.113.1')
    await app.settle()
    app.forgetStore(store.store_id)
    expect(await read()).toMatchObject({ last_used_at: first, addresses_last_hour: 0 })
  })

  test('a new secret has not been used', async () => {
    await grant('203.0.113.1')
    app.clock.advance(1_000)
    const body = { client_secret: store.client_secret }
    expect((await app.call('POST', `${PATH}/rotate`, { token, body })).status).toBe(200)
    await app.settle()
    expect(await read()).toMatchObject({ rotated_at: iso(), last_used_at: null, addresses_last_hour: 0 })
  })

  test('no more than 100 addresses are kept', async () => {
    for (let n = 0; n < 120; n++) await grant(`203.0.113.${n}`)
    expect((await read())['addresses_last_hour']).toBe(100)
  })
})
