import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createNodeCode } from '../../../../src/core/node-code.ts'
import { turn } from '../../../../src/core/turns.ts'
import { createMoveDigest } from '../../../../src/platform/db/store-move/digest.ts'
import { createMoveReader } from '../../../../src/platform/db/store-move/reading.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { createTargetDouble } from './target-double.ts'

const NEW_URL = 'https://node-2.test'
const BODY = { to: NEW_URL, code: createNodeCode(new Uint8Array(10), new Uint8Array(16)) }
const noSecret = () => undefined
const KEY = 'k'.repeat(43)

let app: TestApp
let target: ReturnType<typeof createTargetDouble>
let storeId: string
let isReachable: boolean

beforeEach(async () => {
  target = createTargetDouble(NEW_URL)
  isReachable = true
  app = testApp({
    operatorKey: KEY,
    defer: (work) => void setImmediate(work),
    openNode: () => ({
      async call(method, path, request) {
        if (!isReachable) throw new Error('No route to host')
        return target.serve(method, path, request)
      },
    }),
  })
  storeId = (await app.store()).store_id
  // The other node has what came; that its sums are those of the rows is told by `platform/db/store-move`.
  target.sum = () => {
    const digest = createMoveDigest(
      createMoveReader(app.db, { open: noSecret, openFactor: noSecret, readJobContent: noSecret }),
    )
    for (const _ of digest.prepare(storeId));
    return digest.read(storeId)
  }
})
afterEach(() => app.close())

const ask = (
  method: string,
  rest = '',
  more: { body?: unknown; headers?: Record<string, string>; token?: string } = {},
) => app.call(method, `/v1/admin/stores/${storeId}/move${rest}`, { token: KEY, ...more })

async function signIn(): Promise<string> {
  const body = { email: 'one@shop.test', password: 'a long password' }
  return String((await app.call('POST', '/oauth/login', { body })).body['access_token'])
}

async function carryOn(): Promise<void> {
  for (let second = 0; second < 30; second++) {
    app.services.departures?.wake()
    await app.services.departures?.drain()
    await turn()
    app.clock.advance(1_000)
  }
}

test('a command begins a move, reads it, and the store is elsewhere', async () => {
  expect((await ask('GET')).status).toBe(404)
  const begun = await ask('POST', '', { body: BODY })
  expect(begun.status).toBe(202)
  expect(begun.body).toMatchObject({
    phase: 'copying',
    to: NEW_URL,
    store: { id: storeId, slug: 'one' },
    problem: null,
  })
  expect((await ask('POST', '', { body: BODY })).body).toMatchObject({ error: 'conflict' })
  await carryOn()
  expect((await ask('GET')).body).toMatchObject({
    id: begun.body['id'],
    phase: 'moved',
    url: NEW_URL,
    pause_seconds: 0,
  })
  expect(app.storeRows.findMoved(storeId)).toMatchObject({ url: NEW_URL })
  expect(app.mails.map(({ subject }) => subject)).toContain('Your store one has a new address')
  const again = await ask('POST', '', { body: BODY })
  expect([again.status, again.body['message']]).toEqual([
    409,
    `The store is at ${NEW_URL} already: move it from there`,
  ])
  expect((await ask('POST', '/cancel')).status).toBe(409)
})

test('a super-admin begins and cancels a move once for each key, and sees it among the jobs', async () => {
  const token = await signIn()
  const headers = { 'idempotency-key': 'k' }
  const first = await ask('POST', '', { body: BODY, token, headers })
  const second = await ask('POST', '', { body: BODY, token, headers })
  expect([first.status, second.status, target.kept.announced]).toEqual([202, 202, 1])
  expect(second.headers.get('idempotent-replayed')).toBe('true')
  const jobs = (await app.call('GET', '/v1/admin/jobs', { token })).body['jobs']
  expect(jobs).toEqual([
    expect.objectContaining({
      ...{ job_id: first.body['id'], type: 'store_move', status: 'processing' },
      ...{ store: { id: storeId, slug: 'one' }, errors_url: `/v1/admin/stores/${storeId}/move` },
    }),
  ])
  const cancel = { 'idempotency-key': 'c' }
  const cancelled = await ask('POST', '/cancel', { token, headers: cancel })
  expect(cancelled.body).toMatchObject({ phase: 'cancelled' })
  expect((await ask('POST', '/cancel', { token, headers: cancel })).body).toEqual(cancelled.body)
  await carryOn()
  expect(target.kept.state).toBe('abandoned')
  expect((await app.call('GET', '/v1/admin/jobs?status=cancelled', { token })).body['count']).toBe(1)
})

test('what is wrong is said, and nothing has changed', async () => {
  const wrong = await ask('POST', '', { body: { to: 'http://node-2.test', code: BODY.code } })
  expect([wrong.status, wrong.body['error']]).toEqual([422, 'validation_error'])
  expect((await ask('POST', '', { body: { to: NEW_URL, code: 'another' } })).status).toBe(422)
  isReachable = false
  const away = await ask('POST', '', { body: BODY })
  expect([away.status, away.body['error']]).toEqual([503, 'node_unreachable'])
  isReachable = true
  target.refusal = {
    status: 409,
    json: { error: 'conflict', message: 'There is a store with the slug one already' },
  }
  const refused = await ask('POST', '', { body: BODY })
  expect([refused.status, refused.body['error'], refused.body['message']]).toEqual([
    ...[409, 'node_refused', 'There is a store with the slug one already'],
  ])
  expect((await app.call('POST', '/v1/admin/stores/nobody/move', { token: KEY, body: BODY })).status).toBe(
    404,
  )
  expect((await app.call('POST', '/v1/admin/stores/nobody/move/cancel', { token: KEY })).status).toBe(404)
  expect((await app.call('GET', '/v1/admin/stores/nobody/move', { token: KEY })).status).toBe(404)
  expect((await ask('GET')).status).toBe(404)
  expect((await ask('GET', '', { token: 'another key' })).status).toBe(401)
})
