import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { encoded, noisePicture } from '../platform/embedder/pictures.ts'
import { recordBar } from './bars.ts'
import { type Cgroup, newCgroup } from './cgroup.ts'
import { type Install, newInstall, type Service, smallPicture, startService, until } from './service.ts'

const LIMIT_MB = 700

const BYTES = 9_000_000
const REFUSAL_MS = 50
const IS_LINUX = process.platform === 'linux'

let install: Install
let service: Service
let group: Cgroup | undefined
/** How long the service worked on each request, by its id: a client of 120 uploads has its own queue. */
const durations = new Map<string, number>()

beforeEach(async () => {
  install = await newInstall()
  group = newCgroup('memory')
  group?.limit(LIMIT_MB * 1024 * 1024)
  service = await startService(install, {
    wrap: group?.wrap ?? [],
    settings: { FETCH_ALLOW_CIDRS: '127.0.0.0/8', LOG_LEVEL: 'info' },
    onLog(line) {
      if (!line.includes('"msg":"request"')) return
      const { request_id, duration_ms } = JSON.parse(line)
      durations.set(request_id, duration_ms)
    },
  })
})
afterEach(async () => {
  await service?.crash()
  install.remove()
  group?.remove()
})

/** A sound PNG of 9 MB. */
async function picture(): Promise<Buffer> {
  const small = await encoded(noisePicture(1_700, 1_700, 7).png({ compressionLevel: 0 }))
  const bytes = Buffer.from(small)
  // Behind its end a PNG may have anything.
  return bytes.length >= BYTES ? bytes : Buffer.concat([bytes, Buffer.alloc(BYTES - bytes.length)])
}

/** The service and every process below it. */
function family(pid: number): number[] {
  const below = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  return [pid, ...below.flatMap((child) => family(Number(child)))]
}

/** Resident memory of all of them together, in MB: pages that several share, as those of the executable, count once. */
function residentMb(): number {
  let sum = 0
  for (const pid of family(service.pid)) {
    try {
      sum +=
        Number(/^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1024
    } catch {
      // It has just ended.
    }
  }
  return sum
}

interface Outcome {
  status: number
  code: string | undefined
  requestId: string
}

async function post(path: string, body: FormData | string): Promise<Outcome> {
  const answer = await fetch(service.address + path, {
    method: 'POST',
    body,
    headers: {
      authorization: `Bearer ${install.token}`,
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
    },
  })
  const { error } = (await answer.json()) as { error?: string }
  return { status: answer.status, code: error, requestId: answer.headers.get('x-request-id') ?? '' }
}

/** How many of each status, in words. */
function counts(outcomes: readonly Outcome[]): string {
  const seen = new Map<string, number>()
  for (const { status, code } of outcomes) {
    const name = [status, code].filter(Boolean).join(' ')
    seen.set(name, (seen.get(name) ?? 0) + 1)
  }
  return [...seen].map(([name, n]) => `${n} ${name}`).join(', ')
}

/** Runs an attack while the memory of all processes is watched. Tells the bar, and then demands what it demands. */
async function attacked(part: 'downloads' | 'uploads', requests: (() => Promise<Outcome>)[]): Promise<void> {
  const search = async () => {
    const form = new FormData()
    form.set('image', await smallPicture(1))
    return (await post('/v1/search', form)).status
  }
  // What the first pictures of that size set up for good is no growth.
  for (const request of requests.slice(0, 12)) expect((await request()).status).toBe(200)
  expect(await search()).toBe(200)
  const processes = family(service.pid)
  const before = residentMb()
  let peak = before
  let isOver = false
  const watch = (async () => {
    while (!isOver) {
      peak = Math.max(peak, residentMb())
      await Bun.sleep(20)
    }
  })()
  const outcomes = await Promise.all(requests.map((request) => request()))
  isOver = true
  await watch
  await until('searches are answered', async () => (await search()) === 200)
  const alive = family(service.pid)
  const gone = processes.filter((pid) => !alive.includes(pid)).length
  const killed = group?.killed() ?? 0
  const isBackSoon = () => residentMb() <= before * 1.1
  for (let n = 0; n < 100 && !isBackSoon(); n++) await Bun.sleep(100)
  const after = residentMb()
  const refusals = outcomes.filter(({ status }) => status !== 200)
  const waits = refusals.flatMap(({ requestId }) => durations.get(requestId) ?? []).sort((a, b) => a - b)
  const measured = [
    counts(outcomes),
    `all processes ${before.toFixed(0)} MB before, ${peak.toFixed(0)} at most, ${after.toFixed(0)} after`,
    group ? `group of ${LIMIT_MB} MB, ${killed} killed` : 'no control group could be made',
    `${gone} processes gone`,
    `refusals ${(waits[waits.length >> 1] ?? 0).toFixed(0)} ms median, ${(waits.at(-1) ?? 0).toFixed(0)} at most`,
  ].join('; ')
  const areRefusalsRight = refusals.every(({ status, code }) => status === 503 && code === 'overloaded')
  const isQuick = waits.length === refusals.length && waits.every((ms) => ms <= REFUSAL_MS)
  const isBack = after <= before * 1.1
  const isMet = killed + gone === 0 && peak <= LIMIT_MB && areRefusalsRight && isQuick && isBack
  recordBar({ bar: 36, part, on: 'program', n: outcomes.length, measured, isMet })
  // Times are figures here, and so is the memory that the allocators keep.
  expect([measured, killed, gone, areRefusalsRight]).toEqual([measured, 0, 0, true])
  expect(outcomes.some(({ status }) => status === 200)).toBe(true)
  expect(peak).toBeLessThan(LIMIT_MB)
}

test.skipIf(!IS_LINUX)(
  '120 uploads of 9 MB at once fit into 700 MB',
  async () => {
    const file = new File([new Uint8Array(await picture())], 'picture.png')
    const upload = () => {
      const form = new FormData()
      form.set('image', file)
      return post('/v1/search', form)
    }
    await attacked('uploads', Array(120).fill(upload))
  },
  240_000,
)

/** A server of pictures that sends all but the end, and that a moment later: so all of them are held at once. */
function pictureServer(bytes: Buffer): Promise<Server> {
  const head = `HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ncontent-length: ${bytes.length}\r\nconnection: close\r\n\r\n`
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(head)
      socket.write(bytes.subarray(0, -1_000))
      setTimeout(() => socket.end(bytes.subarray(-1_000)), 1_000)
    })
  })
  return new Promise((done) => server.listen(0, '0.0.0.0', () => done(server)))
}

test.skipIf(!IS_LINUX)(
  '80 downloads of 9 MB at once fit into 700 MB',
  async () => {
    const server = await pictureServer(await picture())
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    // As many hosts, for few downloads at once are begun from one.
    const downloads = Array.from({ length: 80 }, (_, n) => () => {
      const image_url = `http://127.0.1.${n + 1}:${port}/${n}.png`
      return post('/v1/search/url', JSON.stringify({ image_url }))
    })
    try {
      await attacked('downloads', downloads)
    } finally {
      server.close()
    }
  },
  240_000,
)
