import { createServer, type Server, type Socket } from 'node:net'
import { createClient } from './client.ts'
import { type Connection, openConnection } from './connection.ts'
import { type Service, type Store, smallPicture } from './service.ts'

/** Hosts of the server that hangs: every address of the loopback network is one. */
const HOSTS = 200
/** A sender this fast keeps the lowest pace, and is slow. */
const DRIP_BYTES = 7_000
const DRIP_MS = 100
const MB = 1_000_000

/** A server that takes what comes and never ends an answer. */
export interface HangingServer {
  /** An address on it; every name has a host of its own. */
  url(n: number): string
  /** Connections that it holds. */
  count(): number
  stop(): void
}

/** Starts a server whose answers never begin, or begin a picture of 9 MB and go on by a few bytes a second. */
export async function openHangingServer(): Promise<HangingServer> {
  const picture = Buffer.from(await (await smallPicture(0)).arrayBuffer())
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    let timer: Timer | undefined
    socket.on('close', () => {
      clearInterval(timer)
      sockets.delete(socket)
    })
    socket.once('data', (head) => {
      if (!head.toString('latin1').includes('/trickle')) return
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9000000\r\n\r\n')
      socket.write(picture.subarray(0, 100))
      timer = setInterval(() => socket.write('x'), 500)
    })
  })
  await new Promise<void>((done) => server.listen(0, '0.0.0.0', done))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: (n) => `http://127.0.7.${(n % HOSTS) + 1}:${port}/${n % 2 === 0 ? 'never' : 'trickle'}/${n}.png`,
    count: () => sockets.size,
    stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** A store that uses everything that stores share as badly as it can. */
export interface Misuse {
  /** What of it is still under way: senders that were not cut off, answers that have not ended. */
  countHanging(): number
  stop(): void
}

/**
 * Begins to misuse the service in the name of a store: slow bodies to the disk and to the memory, searches and jobs by
 * addresses that hang, feeds, webhooks, tests of webhooks, exports that nobody reads and streams of events.
 */
export async function misuse(service: Service, store: Store, server: HangingServer): Promise<Misuse> {
  const ask = createClient(service.address, store.token)
  const abort = new AbortController()
  const connections: Connection[] = []
  let requests = 0
  const headers = { authorization: `Bearer ${store.token}`, 'content-type': 'application/json' }

  /** A request whose answer nobody waits for. */
  function begin(method: string, path: string, body?: object): void {
    requests++
    fetch(service.address + path, {
      method,
      headers,
      signal: abort.signal,
      ...(body && { body: JSON.stringify(body) }),
    })
      .catch(() => {})
      .finally(() => requests--)
  }

  async function sendSlowly(path: string, type: string, bytes: number): Promise<void> {
    const connection = await openConnection(service.address)
    const head = [
      `POST ${path} HTTP/1.1`,
      'host: lookalike',
      `authorization: Bearer ${store.token}`,
      `content-type: ${type}`,
      `content-length: ${bytes}`,
    ]
    connection.send(`${head.join('\r\n')}\r\n\r\n{"products":[`)
    connections.push(connection)
  }

  const drip = setInterval(() => {
    for (const connection of connections) if (connection.isOpen()) connection.send(' '.repeat(DRIP_BYTES))
  }, DRIP_MS)

  await Promise.all(
    Array.from({ length: 6 }, () => sendSlowly('/v1/products/bulk', 'application/json', 90 * MB)),
  )
  await Promise.all(
    Array.from({ length: 6 }, () => sendSlowly('/v1/search', 'multipart/form-data; boundary=b', 9 * MB)),
  )
  const jobs: string[] = []
  for (let job = 0; job < 2; job++) {
    const products = Array.from({ length: 50 }, (_, n) => ({
      product_id: `hangs-${job}-${n}`,
      image_url: server.url(n),
    }))
    const { body } = await ask('POST', '/v1/products/bulk', { products })
    jobs.push(String(body['job_id']))
  }
  for (let n = 0; n < 40; n++) begin('POST', '/v1/search/url', { image_url: server.url(n) })
  for (let n = 0; n < 10; n++) begin('GET', `/v1/jobs/${jobs[n % jobs.length]}/events`)
  const hooks: string[] = []
  for (let n = 0; n < 20; n++) {
    const { body } = await ask('POST', '/v1/search/webhooks', {
      url: server.url(2 * n),
      events: ['product.indexed'],
    })
    hooks.push(String(body['id']))
  }
  for (const id of hooks) begin('POST', `/v1/search/webhooks/${id}/test`)
  for (let n = 0; n < 20; n++) await ask('POST', '/v1/feeds', { url: server.url(2 * n) })
  const form = new FormData()
  form.set('product_id', 'told')
  form.set('image', await smallPicture(1))
  // Each webhook is told, and each of them hangs.
  await ask('POST', '/v1/products', form)
  for (let n = 0; n < 6; n++) begin('GET', '/v1/products/export')

  return {
    countHanging: () => connections.filter((one) => one.received() === '').length + requests,
    stop() {
      clearInterval(drip)
      abort.abort()
      for (const connection of connections) connection.close()
    },
  }
}
