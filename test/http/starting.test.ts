import { afterEach, beforeEach, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { systemClock as clock } from '../../src/core/clock.ts'
import { systemIds as ids } from '../../src/core/ids.ts'
import { createStartingServer } from '../../src/http/starting.ts'

let http: ReturnType<typeof createStartingServer>
let faults: unknown[]

beforeEach(() => {
  faults = []
  http = createStartingServer({
    ...{ clock, ids, version: '1' },
    log: {
      error: ({ err }: { err: unknown }) => void faults.push(err),
      info: () => {},
    },
    baseUrl: () => 'http://shop.example',
    readPhase: () => ({ doing: 'the products are being loaded', retryAfterSeconds: 1 }),
  })
  http.listen({ hostname: '127.0.0.1', port: 0 })
})
afterEach(() => http.server?.stop(true))

/** Sends the head of a request as it stands. @returns the answer as it comes. */
function send(head: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let answer = ''
  const socket = connect(http.server?.port ?? 0, '127.0.0.1', () => socket.write(`${head}\r\n\r\n`))
  socket.setEncoding('utf8')
  socket.on('error', reject)
  socket.on('data', (text: string) => {
    answer += text
    if (!answer.includes('\r\n\r\n')) return
    socket.destroy()
    resolve(answer)
  })
  return promise
}

const get = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${http.server?.port}${path}`, init)

test('what the health routes answer is JSON', async () => {
  const [alive, ready] = [await get('/health'), await get('/health/ready')]
  expect([alive.status, ready.status]).toEqual([200, 503])
  for (const { headers } of [alive, ready])
    expect(headers.get('content-type')).toBe('application/json;charset=utf-8')
})

test('probes ask as they may ask the running service: with HEAD, a slash behind the path, a query', async () => {
  expect((await get('/health', { method: 'HEAD' })).status).toBe(200)
  expect((await get('/health/')).status).toBe(200)
  expect((await get('/health?from=monitor')).status).toBe(200)
  const ready = await get('/health/ready', { method: 'HEAD' })
  expect([ready.status, await ready.text()]).toEqual([503, ''])
  expect((await get('/health', { method: 'DELETE' })).status).toBe(503)
})

test.each([
  'GET /health HTTP/1.0',
  'GET /health?from=monitor HTTP/1.0',
  'GET /health HTTP/1.1\r\nHost: app',
  'GET /health HTTP/1.1\r\nHost: two words',
])('a probe that names no host, or a strange one, is answered: %j', async (head) => {
  expect(await send(head)).toStartWith('HTTP/1.1 200 OK')
  expect(faults).toEqual([])
})
