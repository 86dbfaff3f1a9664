import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { openConnection, statuses } from '../robustness/connection.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { addPerson, getToken, proxiedApp } from '../support/people.ts'

let app: TestApp
let token: string
let address: string

beforeAll(async () => {
  app = testApp()
  await app.store('one')
  token = await getToken(app, await addPerson(app, 'anna', [{ store: 'one', role: 'owner' }]))
  app.http.listen({ port: 0, hostname: '127.0.0.1' })
  address = `http://127.0.0.1:${app.http.server?.port}`
})
afterAll(async () => {
  await app.http.stop(true)
  await app.close()
})

/** Sends header lines as they are, and gives what comes back until the other side closes. */
async function send(lines: string[], path = '/v1/products'): Promise<string> {
  const connection = await openConnection(address)
  connection.send(
    [`GET ${path} HTTP/1.1`, 'Host: lookalike.test', ...lines, 'Connection: close', '', ''].join('\r\n'),
  )
  const answer = await connection.ended()
  connection.close()
  return answer
}

const bearer = () => `Authorization: Bearer ${token}`

test('a client that resets its connection has no address, and passes neither for this machine nor for a proxy', async () => {
  const behind = proxiedApp()
  await behind.store('one')
  const owner = await getToken(behind, await addPerson(behind, 'owner', [{ store: 'one', role: 'owner' }]))
  const body = { ip_address: '203.0.113.7', force: true }
  expect((await behind.call('POST', '/v1/security/ip-whitelist', { token: owner, body })).status).toBe(201)
  behind.http.listen({ port: 0, hostname: '127.0.0.1' })
  const answered = Promise.withResolvers<void>()
  let left = 10
  behind.http.onAfterResponse({ as: 'global' }, () => void (--left === 0 && answered.resolve()))
  const key = JSON.stringify({ name: 'stolen', scopes: { products: 'read' } })
  for (let n = 0; n < 10; n++) {
    // Not one of the trusted proxies, though on this machine.
    const socket = connect({
      port: Number(behind.http.server?.port),
      host: '127.0.0.1',
      localAddress: '127.0.9.9',
    })
    await new Promise((resolve) => socket.once('connect', resolve))
    socket.write(
      [
        'POST /v1/security/api-keys HTTP/1.1',
        'Host: lookalike.test',
        `Authorization: Bearer ${owner}`,
        'X-Forwarded-For: 203.0.113.7',
        'Content-Type: application/json',
        `Content-Length: ${key.length}`,
        '',
        key,
      ].join('\r\n'),
    )
    socket.resetAndDestroy()
  }
  await answered.promise
  expect(behind.db.prepare('SELECT count(*) AS made FROM api_keys').get()).toEqual({ made: 0 })
  await behind.http.stop(true)
  await behind.close()
})

describe('credentials on a real connection', () => {
  test('one header is one credential', async () => {
    expect(statuses(await send([bearer()]))).toEqual([200])
  })

  test('two Authorization headers are two credentials, equal or not, in whatever case: 400', async () => {
    for (const other of [bearer(), 'authorization: Bearer x', 'AUTHORIZATION: Basic YTpi']) {
      for (const lines of [
        [bearer(), other],
        [other, bearer()],
      ]) {
        const answer = await send(lines)
        expect(statuses(answer)).toEqual([400])
        expect(answer).toContain('"credential_ambiguous"')
      }
    }
  })

  test('two X-API-Key headers are two credentials: 400', async () => {
    expect(statuses(await send(['X-API-Key: sk_live_a', 'X-API-Key: sk_live_b']))).toEqual([400])
  })

  test('two stores named are none: 403', async () => {
    const answer = await send([bearer(), 'X-Service-Active-Tenant: one', 'X-Service-Active-Tenant: one'])
    expect(statuses(answer)).toEqual([403])
    expect(answer).toContain('"not_a_member"')
  })

  test.each([
    ['a folded line', (good: string) => [`${good.slice(0, 22)}`, ` ${good.slice(22)}`]],
    ['a space before the colon', (good: string) => [good.replace(':', ' :')]],
    ['a NUL in it', (good: string) => [`${good}\0`]],
    ['a lone line feed in it', (good: string) => [`${good}x\nX-Other: y`]],
    ['a lone carriage return in it', (good: string) => [`${good}\rX-Other: y`]],
    ['letters outside ASCII', (good: string) => [`${good}é`]],
    ['another header named alike', (good: string) => [good.replace('Authorization', 'Authorization_')]],
  ])('a header with %s lets nobody in', async (_, lines) => {
    const all = statuses(await send(lines(bearer())))
    for (const status of all) expect([400, 401]).toContain(status)
  })

  test('what a credential or a store’s name holds never becomes a header of the answer', async () => {
    const answers = [
      await send(['Authorization: Bearer x%0d%0aSet-Cookie:%20a=b']),
      await send([bearer(), 'X-Service-Active-Tenant: one%0d%0aSet-Cookie:%20a=b']),
      await send([bearer(), 'X-Service-Active-Tenant: one\\r\\nSet-Cookie: a=b']),
      await send(['X-API-Key: sk_live_%0d%0aSet-Cookie:%20a=b']),
    ]
    expect(answers.flatMap(statuses)).toEqual([401, 403, 403, 401])
    for (const answer of answers) expect(answer).not.toMatch(/set-cookie/i)
  })

  test('a header of more than 16 KiB is refused, and the connection lives or closes, but the service goes on', async () => {
    for (const status of statuses(await send([`Authorization: Bearer ${'x'.repeat(64 * 1024)}`])))
      expect([400, 401, 413, 431]).toContain(status)
    expect(statuses(await send([bearer()]))).toEqual([200])
  })
})
