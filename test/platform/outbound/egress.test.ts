import { afterAll, describe, expect, test } from 'bun:test'
import type { IncomingMessage } from 'node:http'
import { parseCidrs } from '../../../src/core/networks.ts'
import { readBeginning } from '../../../src/platform/outbound/body.ts'
import { createEgress, type EgressOptions } from '../../../src/platform/outbound/egress.ts'
import { createServers } from '../pictures/servers.ts'

const servers = createServers()
afterAll(servers.stop)

const open = (options: Partial<EgressOptions> = {}) =>
  createEgress({
    allowCidrs: parseCidrs('127.0.0.0/8'),
    isOffline: false,
    lookup: async () => ['127.0.0.1'],
    ...options,
  })

/** Posts a text, and reads at most 16 bytes of the response. */
const post = (url: string, body: string | Uint8Array, egress = open(), totalMs = 5_000) =>
  egress.send(new URL(url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Signature': 'abc' },
    body,
    connectMs: 1_000,
    signal: AbortSignal.timeout(totalMs),
    read: async (_head, pieces) => Buffer.from(await readBeginning(pieces, 16)).toString(),
  })

describe('a POST', () => {
  test.each([
    ['a text', '{"event":"größe"}'],
    ['bytes', Buffer.from('{"event":"größe"}')],
    ['an empty text', ''],
  ])('sends %s whole, with its length and the given headers', async (_, body) => {
    const seen: { request: IncomingMessage; body: string }[] = []
    const port = await servers.http(async (request, response) => {
      const parts: Buffer[] = []
      for await (const part of request) parts.push(part as Buffer)
      seen.push({ request, body: Buffer.concat(parts).toString() })
      response.writeHead(202, { 'X-Answer': 'yes' }).end('taken')
    })
    const response = await post(`http://hooks.test:${port}/a?b=1`, body)
    expect(response).toMatchObject({ status: 202, headers: { 'x-answer': 'yes' }, body: 'taken' })
    expect(seen[0]?.body).toBe(String(body))
    expect(seen[0]?.request).toMatchObject({
      method: 'POST',
      url: '/a?b=1',
      headers: {
        host: `hooks.test:${port}`,
        'content-type': 'application/json',
        'x-signature': 'abc',
        'content-length': String(Buffer.byteLength(body)),
      },
    })
    expect(seen[0]?.request.headers).not.toContainAnyKeys(['transfer-encoding', 'cookie', 'accept-encoding'])
  })

  test('follows no redirect', async () => {
    let requests = 0
    const port = await servers.http((_, response) => {
      requests += 1
      response.writeHead(307, { Location: '/elsewhere' }).end()
    })
    const { status, headers } = await post(`http://hooks.test:${port}/`, 'x')
    expect([status, headers.location, requests]).toEqual([307, '/elsewhere', 1])
  })

  test('reads no more of an endless response than it was told to', async () => {
    const port = await servers.http((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write('0123456789abcdef++'));
      }
      response.on('drain', more)
      more()
    })
    expect((await post(`http://hooks.test:${port}/`, 'x')).body).toBe('0123456789abcdef')
  })

  test('ends in time when the server reads nothing', async () => {
    const port = await servers.tcp((socket) => void socket.pause())
    const sent = post(`http://hooks.test:${port}/`, Buffer.alloc(20_000_000), open(), 300)
    await expect(sent).rejects.toMatchObject({ name: 'OutboundError', reason: 'timeout' })
  })

  test.each(['10.0.0.1', '169.254.169.254', '::1'])(
    'to %s is refused before anything connects',
    async (address) => {
      const egress = open({ allowCidrs: [], lookup: async () => [address] })
      await expect(post('http://hooks.test/', 'x', egress)).rejects.toMatchObject({
        reason: 'blocked_address',
      })
    },
  )
})

test('an error of the reader reaches the caller unchanged, and the connection is closed', async () => {
  const closed = Promise.withResolvers<void>()
  const port = await servers.http((_, response) => {
    response.on('close', closed.resolve)
    response.write('x')
  })
  const failure = new RangeError('enough')
  const sent = open().send(new URL(`http://hooks.test:${port}/`), {
    method: 'GET',
    headers: {},
    connectMs: 1_000,
    signal: AbortSignal.timeout(5_000),
    read: () => Promise.reject(failure),
  })
  await expect(sent).rejects.toBe(failure)
  await closed.promise
})

describe('connect', () => {
  const connect = (options: Partial<EgressOptions>, host = 'mail.test', port = 25) =>
    open(options).connect({ host, port, isTls: false }, AbortSignal.timeout(5_000))

  test('reaches a private server of the operator, by name and by address', async () => {
    const port = await servers.tcp((socket) => void socket.end('hello'))
    for (const host of ['mail.test', '127.0.0.1']) {
      const socket = await connect({ allowCidrs: [] }, host, port)
      expect(socket.remoteAddress).toBe('127.0.0.1')
      socket.destroy()
    }
  })

  test('offline, reaches allowed networks only', async () => {
    const port = await servers.tcp((socket) => void socket.end('hello'))
    ;(await connect({ isOffline: true }, 'mail.test', port)).destroy()
    for (const allowed of ['', '10.0.0.0/8']) {
      const refused = connect({ isOffline: true, allowCidrs: parseCidrs(allowed) }, 'mail.test', port)
      await expect(refused).rejects.toMatchObject({ reason: 'blocked_address' })
    }
  })
})
