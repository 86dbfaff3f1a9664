import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Elysia } from 'elysia'
import { openNodeDoor } from '../../../src/commands/service/node-listener.ts'
import { loadConfig } from '../../../src/config.ts'
import { systemIds } from '../../../src/core/ids.ts'
import { ensureNodeCertificate } from '../../../src/platform/nodes/certificate.ts'

const folder = mkdtempSync(join(tmpdir(), 'lookalike-node-listener-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a request of another node reaches the routes of nodes, over TLS and with its address, and no others', async () => {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = probe
  probe.stop(true)
  const config = loadConfig({}, { 'node-port': String(port), 'node-host': '127.0.0.1' })
  const main = { baseUrl: 'http://127.0.0.1:1', readCertificate: () => undefined }
  const nodes = openNodeDoor(config, main, () => ensureNodeCertificate(folder, Date.now(), systemIds.uuid))
  const http = new Elysia()
    .get('/v1/node/probe', ({ request }) => ({
      peer: nodes.door.findPeer(request),
      isSecure: nodes.door.isSecure(request),
    }))
    .get('/v1/products', () => 'never')
  nodes.listen(http)
  try {
    const ask = (path: string) =>
      fetch(`https://127.0.0.1:${nodes.port()}${path}`, { tls: { rejectUnauthorized: false } })
    const answer = await ask('/v1/node/probe')
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({ peer: '127.0.0.1', isSecure: true })
    expect((await ask('/v1/products')).status).toBe(404)
  } finally {
    await nodes.close()
  }
})
