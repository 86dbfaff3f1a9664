import { afterAll, beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { recordBar } from './bars.ts'
import { type Install, newInstall, readMemory, type Service, smallPicture, startService } from './service.ts'

const AT_ONCE = 8
/** What a whole download may take, and how much of the service's memory. */
const ENDED_MS = 15_000
const EACH_MB = 12
/** What a busy machine may add before the answer is here. */
const SPARE_MS = 3_000
const IS_LINUX = process.platform === 'linux'

let install: Install
let service: Service
const servers: Server[] = []

beforeAll(async () => {
  install = await newInstall()
  service = await startService(install, { settings: { FETCH_ALLOW_CIDRS: '127.0.0.0/8' } })
  expect((await search(`data:image/png;base64,${(await picture()).toString('base64')}`)).status).toBe(200)
}, 60_000)
afterAll(async () => {
  for (const server of servers) server.close()
  await service?.crash()
  install?.remove()
})

const picture = async () => Buffer.from(await (await smallPicture(1)).arrayBuffer())

async function search(image_url: string) {
  const begin = performance.now()
  const answer = await fetch(`${service.address}/v1/search/url`, {
    method: 'POST',
    headers: { authorization: `Bearer ${install.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ image_url }),
  })
  const { error } = (await answer.json()) as { error?: string }
  return { status: answer.status, error, ms: performance.now() - begin }
}

/** @returns its port. */
async function serverThat(talk: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => talk(socket))
  })
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '0.0.0.0', done))
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

const answer = (...headers: string[]) => `${['HTTP/1.1 200 OK', ...headers].join('\r\n')}\r\n\r\n`

/** Writes the same again and again for as long as the other side takes it. */
function pour(socket: Socket, data: Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(data));
  }
  socket.on('drain', more)
  more()
}

const KINDS: Record<string, (bytes: Buffer) => (socket: Socket) => void> = {
  'one byte a second': (bytes) => (socket) => {
    socket.write(answer('content-length: 100000'))
    socket.write(bytes.subarray(0, 100))
    const timer = setInterval(() => socket.write('x'), 1_000)
    socket.on('close', () => clearInterval(timer))
  },
  endless: (bytes) => (socket) => {
    socket.write(answer('connection: close'))
    socket.write(bytes.subarray(0, 100))
    pour(socket, Buffer.alloc(64 * 1024))
  },
  'swollen by gzip': () => {
    const bomb = gzipSync(Buffer.alloc(1024 * 1024 * 1024))
    return (socket) => {
      socket.write(answer('content-encoding: gzip', `content-length: ${bomb.length}`))
      socket.end(bomb)
    }
  },
  'a wrong length': (bytes) => (socket) => {
    socket.write(answer('content-length: 9000000'))
    socket.end(bytes.subarray(0, 100))
  },
  'a hundred redirects': () => (socket) => {
    socket.end('HTTP/1.1 302 Found\r\nlocation: /again.png\r\ncontent-length: 0\r\n\r\n')
  },
}

test.each(Object.entries(KINDS))(
  '%s: given up in time, for little memory',
  async (name, kind) => {
    const port = await serverThat(kind(await picture()))
    // The peak counts from here.
    if (IS_LINUX) writeFileSync(`/proc/${service.pid}/clear_refs`, '5')
    const before = IS_LINUX ? readMemory(service.pid).now : 0
    const outcomes = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, n) => search(`http://127.0.5.${n + 1}:${port}/a.png`)),
    )
    const each = IS_LINUX ? (readMemory(service.pid).peak - before) / AT_ONCE : 0
    const slowest = Math.max(...outcomes.map(({ ms }) => ms))
    const codes = [...new Set(outcomes.map(({ status, error }) => `${status} ${error}`))].join(', ')
    const isEnded = slowest <= ENDED_MS + 500
    const measured = `${name}: ${codes} after ${slowest.toFixed(0)} ms at most`
    recordBar({ bar: 13, part: 'endings', on: 'program', n: 1, measured, isMet: isEnded })
    if (IS_LINUX) {
      const memory = `${name}: ${each.toFixed(1)} MB each of ${AT_ONCE} at once`
      recordBar({ bar: 13, part: 'memory', on: 'program', n: 1, measured: memory, isMet: each <= EACH_MB })
    }
    expect(outcomes.map(({ status }) => status).filter((status) => status !== 422)).toEqual([])
    expect(slowest).toBeLessThan(ENDED_MS + SPARE_MS)
  },
  60_000,
)
