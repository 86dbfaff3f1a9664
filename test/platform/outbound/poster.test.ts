import { afterAll, describe, expect, test } from 'bun:test'
import type { IncomingMessage } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { parseCidrs } from '../../../src/core/networks.ts'
import { createEgress, type EgressOptions } from '../../../src/platform/outbound/egress.ts'
import { createPoster, type PosterOptions } from '../../../src/platform/outbound/poster.ts'
import { createServers } from '../pictures/servers.ts'

const servers = createServers()
afterAll(servers.stop)

const open = (rules: Partial<EgressOptions> = {}, options: Partial<PosterOptions> = {}) =>
  createPoster({
    egress: createEgress({
      allowCidrs: parseCidrs('127.0.0.0/8'),
      isOffline: false,
      isTlsRequired: true,
      lookup: async () => ['127.0.0.1'],
      ...rules,
    }),
    totalMs: 2_000,
    ...options,
  })

const MESSAGE = { headers: { 'Content-Type': 'application/json', 'webhook-id': 'a' }, body: '{"a":"ü"}' }
const post = (port: number, poster = open()) => poster.post(`http://hooks.test:${port}/x`, MESSAGE)
const reasonOf = (sending: Promise<unknown>) =>
  sending.then(
    () => 'sent',
    (error: { reason?: string }) => error.reason ?? String(error),
  )

/** A server that does as it likes with each connection. */
async function rawServer(handle: (socket: Socket) => void): Promise<{ port: number; stop: () => void }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    handle(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return { port: (server.address() as { port: number }).port, stop }
}

describe('a message', () => {
  test('arrives whole, and the answer comes back', async () => {
    const seen: { request: IncomingMessage; body: string }[] = []
    const port = await servers.http(async (request, response) => {
      const parts: Buffer[] = []
      for await (const part of request) parts.push(part as Buffer)
      seen.push({ request, body: Buffer.concat(parts).toString() })
      response.writeHead(201, { 'Retry-After': '7' }).end('größer\0')
    })
    expect(await post(port)).toEqual({ status: 201, retryAfter: '7', text: 'größer\ufffd' })
    expect(seen[0]?.body).toBe(MESSAGE.body)
    expect(seen[0]?.request.headers).toMatchObject({ 'webhook-id': 'a', 'content-type': 'application/json' })
  })

  test('follows no redirect', async () => {
    let requests = 0
    const port = await servers.http((_, response) => {
      requests++
      response.writeHead(302, { Location: '/elsewhere' }).end()
    })
    expect([(await post(port)).status, requests]).toEqual([302, 1])
  })

  test('of an answer of 5 MB keeps 2 KiB and reads little more', async () => {
    let written = 0
    const port = await servers.http(async (_, response) => {
      response.setMaxListeners(0)
      response.writeHead(200)
      for (let n = 0; n < 5_000 && !response.destroyed; n++) {
        written += 1_000
        if (!response.write('x'.repeat(1_000)))
          await new Promise((resolve) => response.once('drain', resolve).once('close', resolve))
      }
      response.end()
    })
    const { status, text } = await post(port)
    expect([status, text.length]).toEqual([200, 2_048])
    expect(written).toBeLessThan(5_000_000)
  })

  test('that was answered counts, even if the body of the answer never ends', async () => {
    const { port, stop } = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbegin')
    })
    expect(await post(port, open({}, { totalMs: 200 }))).toMatchObject({ status: 200, text: 'begin' })
    stop()
  })

  test.each<[string, (socket: Socket) => void, string]>([
    ['hangs', () => {}, 'timeout'],
    ['resets the connection', (socket) => socket.resetAndDestroy(), 'connect'],
    ['closes without an answer', (socket) => socket.end(), 'connect'],
    ['speaks no HTTP', (socket) => socket.end('hello\r\n'), 'connect'],
    [
      'drips headers without end',
      (socket) => {
        const timer = setInterval(() => socket.write('HTTP/1.1 200 OK\r\nX: '), 20)
        socket.on('close', () => clearInterval(timer))
        socket.write('HTTP/1.1 200 OK\r\n')
      },
      'timeout',
    ],
  ])('fails in time when the receiver %s', async (_, handle, reason) => {
    const { port, stop } = await rawServer(handle)
    const failure = await reasonOf(post(port, open({}, { totalMs: 300 })))
    expect([reason, 'connect']).toContain(failure)
    stop()
  })

  test('is cut off when the service stops', async () => {
    const stopping = new AbortController()
    const { port, stop } = await rawServer(() => stopping.abort())
    const poster = open({}, { totalMs: 60_000, stop: stopping.signal })
    expect(poster.isStopping()).toBe(false)
    expect(await reasonOf(post(port, poster))).toBe('timeout')
    expect(poster.isStopping()).toBe(true)
    stop()
  })
})

describe('where messages may go', () => {
  const check = (url: string, rules: Partial<EgressOptions> = {}) => {
    try {
      open({ allowCidrs: [], ...rules }).check(url)
      return 'allowed'
    } catch (error) {
      return (error as { reason?: string }).reason ?? String(error)
    }
  }
  const inside = { allowCidrs: parseCidrs('10.0.0.0/8') }

  test.each<[string, string, Partial<EgressOptions>]>([
    ['https://hooks.test/', 'allowed', {}],
    ['https://1.1.1.1/', 'allowed', {}],
    ['http://hooks.test/', 'url_not_allowed', {}],
    ['http://1.1.1.1/', 'url_not_allowed', {}],
    ['https://hooks.test:8443/', 'url_not_allowed', {}],
    ['https://10.0.0.1/', 'blocked_address', {}],
    ['https://localhost/', 'blocked_address', {}],
    ['https://hooks.test/', 'blocked_address', { isOffline: true }],
    ['http://10.0.0.1:8080/', 'allowed', inside],
    ['http://1.1.1.1/', 'url_not_allowed', inside],
    ['https://1.1.1.1:8443/', 'url_not_allowed', inside],
    ['https://1.1.1.1/', 'allowed', inside],
    ['https://1.1.1.1/', 'blocked_address', { ...inside, isOffline: true }],
    ['http://10.0.0.1/', 'allowed', { ...inside, isOffline: true }],
    ['https://192.168.0.1/', 'blocked_address', inside],
    // Only the look-up tells, when it is used.
    ['http://hooks.test/', 'allowed', inside],
  ])('%s: %s', (url, expected, rules) => {
    expect(check(url, rules)).toBe(expected)
  })

  test.each<[string, string[], Partial<EgressOptions>, string]>([
    ['http://hooks.test/', ['1.1.1.1'], inside, 'url_not_allowed'],
    ['http://hooks.test/', ['10.0.0.1', '1.1.1.1'], inside, 'url_not_allowed'],
    ['https://hooks.test/', ['192.168.0.1'], inside, 'blocked_address'],
    ['https://hooks.test/', ['1.1.1.1', '127.0.0.1'], { allowCidrs: [] }, 'blocked_address'],
    ['https://hooks.test/', ['169.254.169.254'], { allowCidrs: [] }, 'blocked_address'],
  ])('%s that leads to %p is refused when it is used', async (url, addresses, rules, reason) => {
    const poster = open({ ...rules, lookup: async () => addresses })
    expect(await reasonOf(poster.post(url, MESSAGE))).toBe(reason)
    expect(await reasonOf(poster.resolve(url))).toBe(reason)
  })

  test('a name that ends in .invalid is not looked up', async () => {
    const looked: string[] = []
    const lookup = async (host: string) => {
      looked.push(host)
      return ['1.1.1.1']
    }
    const poster = open({ allowCidrs: [], lookup })
    for (const host of ['shop.invalid', 'INVALID', 'shop.invalid.'])
      expect(await reasonOf(poster.resolve(`https://${host}/`))).toBe('dns')
    await poster.resolve('https://invalid.test/')
    expect(looked).toEqual(['invalid.test'])
  })
})
