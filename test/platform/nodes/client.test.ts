import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openNodeDoor } from '../../../src/commands/service/node-listener.ts'
import { loadConfig } from '../../../src/config.ts'
import { ensureNodeCertificate, fingerprintOf } from '../../../src/platform/nodes/certificate.ts'
import { openNodeClient } from '../../../src/platform/nodes/client.ts'
import { createEgress } from '../../../src/platform/outbound/egress.ts'

let folder: string
let nodes: ReturnType<typeof openNodeDoor>
let print: Uint8Array
let port: number
const received: { method: string; url: string; text: string; secure: boolean; peer: string | undefined }[] =
  []
let answer = () => Response.json({ ok: true })

const freePort = (): number => {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  probe.stop(true)
  return probe.port
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookalike-node-'))
  port = freePort()
  const config = loadConfig({ NODE_PORT: String(port), NODE_HOST: '127.0.0.1' })
  const own = () => ensureNodeCertificate(folder, Date.now(), () => crypto.randomUUID())
  nodes = openNodeDoor(config, { baseUrl: 'http://node.test:8080', readCertificate: () => undefined }, own)
  print = nodes.door.readFingerprint() as Uint8Array
  nodes.listen({
    async handle(request: Request) {
      const { method, url } = request
      const text = await request.text()
      const [secure, peer] = [nodes.door.isSecure(request), nodes.door.findPeer(request)]
      received.push({ method, url, text, secure, peer })
      return answer()
    },
  })
})
afterAll(async () => {
  await nodes.close()
  rmSync(folder, { recursive: true, force: true })
})

const open = (fingerprint = print, { isOffline = false, url = `https://127.0.0.1:${port}` } = {}) =>
  openNodeClient({
    egress: createEgress({ allowCidrs: [], isOffline }),
    ...{ url, fingerprint, token: 'a-token', stop: new AbortController().signal },
  })

test('a call reaches the node over TLS, which knows where it came from', async () => {
  received.length = 0
  const body = { json: { a: 1 }, query: { batch: 7 } }
  expect(await open().call('POST', '/v1/node/moves', body)).toEqual({ status: 200, json: { ok: true } })
  expect(received).toEqual([
    {
      ...{ method: 'POST', url: `https://127.0.0.1:${port}/v1/node/moves?batch=7`, text: '{"a":1}' },
      ...{ secure: true, peer: '127.0.0.1' },
    },
  ])
})

test('nothing is sent to a node with another certificate', async () => {
  received.length = 0
  const other = print.with(0, (print[0] as number) ^ 1)
  const call = open(other).call('POST', '/v1/node/moves', { json: { secret: 1 } })
  expect(call).rejects.toThrow(`The certificate of https://127.0.0.1:${port} is not the one in the code`)
  expect(open(new Uint8Array()).call('GET', '/v1/node/moves/x')).rejects.toThrow('is not the one in the code')
  await call.catch(() => {})
  expect(received).toEqual([])
})

test('an install that is offline reaches no node, and http none at all', async () => {
  expect(open(print, { isOffline: true }).call('GET', '/v1/node/moves/x')).rejects.toThrow('offline')
  expect(open(print, { url: 'http://127.0.0.1:1' }).call('GET', '/v1/node/moves/x')).rejects.toThrow(
    'https://',
  )
})

test('no redirect is followed, and an answer that is too long or no JSON is an error', async () => {
  answer = () => new Response('{}', { status: 307, headers: { location: 'https://127.0.0.1:1/' } })
  expect(await open().call('GET', '/v1/node/moves/x')).toEqual({ status: 307, json: {} })
  answer = () => new Response('hello')
  expect(open().call('GET', '/v1/node/moves/x')).rejects.toThrow('no JSON')
  answer = () => new Response('"'.padEnd(2_000_000, 'x'))
  expect(open().call('GET', '/v1/node/moves/x')).rejects.toThrow('too much')
})

test.each([
  '/',
  '/health',
  '/v1/admin/node/invites',
  '/v1/nodes',
  '/v1/node',
  '/v1/node/../admin/stores',
  '/v1/node/%2e%2e/admin/stores',
  '/v1/node/..%2fadmin',
  '//v1/node/moves',
  '/V1/node/moves',
])('the listener for nodes does not serve %s', async (path) => {
  received.length = 0
  answer = () => Response.json({})
  // A client of its own, which sends paths as they are.
  const socket = await new Promise<import('node:tls').TLSSocket>((resolve, reject) => {
    const { connect } = require('node:tls') as typeof import('node:tls')
    const made = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => resolve(made))
    made.on('error', reject)
  })
  const text = await new Promise<string>((resolve) => {
    let all = ''
    socket.on('data', (data: Buffer) => {
      all += data.toString()
    })
    socket.on('close', () => resolve(all))
    socket.write(`GET ${path} HTTP/1.1\r\nHost: node\r\nConnection: close\r\n\r\n`)
  })
  const isInside = path === '/v1/node/..%2fadmin'
  expect(text).toStartWith(isInside ? 'HTTP/1.1 200' : 'HTTP/1.1 404')
  expect(received.length).toBe(isInside ? 1 : 0)
})

test('the certificate stays the same', () => {
  const again = ensureNodeCertificate(folder, Date.now() + 1e9, () => crypto.randomUUID())
  expect(fingerprintOf(again.cert)).toEqual(print)
})
