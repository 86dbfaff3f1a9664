import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { MINUTE_MS } from '../../../../src/core/clock.ts'
import { parseNodeCode } from '../../../../src/core/node-code.ts'
import type { TestApp } from '../../../support/app.ts'
import { testApp } from '../../../support/app.ts'
import { announcement, createTarget, DOOR, invite, KEY, URL_OF_TARGET } from '../arrivals/world.ts'

let node: TestApp
let stores = 0
let peers = 0

beforeAll(() => {
  node = createTarget({
    readNodeSecrets: async () => [{ name: 'data', base64: Buffer.from('a secret').toString('base64') }],
  })
})
afterAll(async () => {
  await node.settle()
  await node.close()
})
// Wrong tries count by address.
beforeEach(() => {
  peers++
})

const peer = () => ({ 'x-test-peer': `198.51.100.${peers}` })
const announce = (secret: string) => {
  const store = {
    id: `01a21cf4-a459-73d7-961a-${String(++stores).padStart(12, '0')}`,
    slug: `shop-${stores}`,
  }
  return node.call('POST', '/v1/node/moves', { body: announcement(secret, store), headers: peer() })
}
const giveUp = ({ body }: Awaited<ReturnType<typeof announce>>) =>
  node.call('DELETE', `/v1/node/moves/${body['move_id']}`, { token: String(body['token']) })

describe('a code', () => {
  test('holds the certificate, and comes with what to enter on the other side', async () => {
    const { status, body } = await node.call('POST', '/v1/admin/node/invites', { token: KEY })
    expect(status).toBe(201)
    expect(body).toMatchObject({ for: 'move', url: URL_OF_TARGET })
    expect(body['command']).toBe(`lookalike store move SLUG --to ${URL_OF_TARGET} --code ${body['code']}`)
    expect(parseNodeCode(String(body['code']))?.fingerprint).toEqual(DOOR.readFingerprint() as Uint8Array)
    expect(Date.parse(String(body['expires_at'])) - node.clock.now()).toBe(10 * MINUTE_MS)
  })

  test('is not stored', async () => {
    const { secret, code } = await invite(node)
    const rows = JSON.stringify(
      node.db.prepare('SELECT hex(code_hash), purpose, used_for FROM node_invites').all(),
    )
    expect(rows).not.toContain(secret)
    expect(rows).not.toContain(code)
  })

  test('is good once', async () => {
    const { secret } = await invite(node)
    const first = await announce(secret)
    expect(first.status).toBe(201)
    const second = await announce(secret)
    expect(second.body).toMatchObject({ error: 'unauthorized' })
    expect(String(second.body['message'])).toStartWith('The code was used already')
    await giveUp(first)
  })

  test('is good for ten minutes', async () => {
    const { secret } = await invite(node)
    node.clock.advance(10 * MINUTE_MS)
    const { status, body } = await announce(secret)
    expect(status).toBe(401)
    expect(String(body['message'])).toStartWith('The code has expired')
  })

  test('is good for what it was made for alone', async () => {
    const standby = await invite(node, 'standby')
    expect(String((await announce(standby.secret)).body['message'])).toStartWith('The code is wrong')
    const move = await invite(node)
    const { body } = await node.call('POST', '/v1/node/secrets', {
      body: { code: move.secret },
      headers: peer(),
    })
    expect(String(body['message'])).toStartWith('The code is wrong')
  })

  test('cannot be guessed: ten wrong ones shut an address out, also with the right one, and no other', async () => {
    const { secret } = await invite(node)
    for (let n = 0; n < 10; n++) expect((await announce(`000000000000000${n}`)).status).toBe(401)
    expect((await announce(secret)).status).toBe(429)
    peers++
    const other = await announce(secret)
    expect(other.status).toBe(201)
    await giveUp(other)
  })

  test('is refused in the same words whatever is wrong with it', async () => {
    const answers = await Promise.all(['zzzzzzzzzzzzzzzz', 'u', '!'].map(announce))
    const words = new Set(answers.map(({ body }) => JSON.stringify(body)))
    expect(words.size).toBe(1)
  })
})

describe('who may make one', () => {
  test('nobody without the key of the operator, or as a machine', async () => {
    expect((await node.call('POST', '/v1/admin/node/invites')).status).toBe(401)
    const token = await node.signIn('machine')
    expect((await node.call('POST', '/v1/admin/node/invites', { token })).status).toBe(403)
    const { status } = await node.call('POST', '/v1/admin/node/invites', { token: KEY, body: { for: 'all' } })
    expect(status).toBe(422)
  })

  test('no node that others cannot reach by TLS', async () => {
    const plain = testApp({ operatorKey: KEY })
    const { status, body } = await plain.call('POST', '/v1/admin/node/invites', { token: KEY })
    expect([status, body['error']]).toEqual([409, 'conflict'])
    expect(String(body['message'])).toContain('NODE_PORT')
    expect((await plain.call('POST', '/v1/node/secrets', { body: { code: 'x' } })).body['error']).toBe(
      'tls_required',
    )
    await plain.close()
  })

  test('no more than a hundred at a time', async () => {
    for (let n = 0; n < 100; n++) await node.call('POST', '/v1/admin/node/invites', { token: KEY })
    expect((await node.call('POST', '/v1/admin/node/invites', { token: KEY })).status).toBe(409)
    node.clock.advance(10 * MINUTE_MS)
    expect((await node.call('POST', '/v1/admin/node/invites', { token: KEY })).status).toBe(201)
  })
})

test('the secrets are given once, and the act is written down', async () => {
  const { secret } = await invite(node, 'standby')
  const get = () => node.call('POST', '/v1/node/secrets', { body: { code: secret }, headers: peer() })
  const { status, headers, body } = await get()
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(body['files']).toEqual([{ name: 'data', base64: Buffer.from('a secret').toString('base64') }])
  expect(String((await get()).body['message'])).toStartWith('The code was used already')
  const acts = node.db.prepare("SELECT count(*) FROM audit_events WHERE action = 'node.secrets_sent'")
  expect(acts.pluck().get()).toBe(1)
})
