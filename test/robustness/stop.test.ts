import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { openDatabase } from '../../src/platform/db/open.ts'
import { recordBar } from './bars.ts'
import { firstStatus, openConnection, statuses } from './connection.ts'
import { findFaults } from './consistency.ts'
import { readRepetitions, seededRandom } from './random.ts'
import {
  type Install,
  newInstall,
  productForm,
  type Service,
  spawnService,
  startService,
  until,
} from './service.ts'

const ROUNDS = readRepetitions('STOP_ROUNDS', 4)
const CLIENTS = 6
const EXIT_MS = 10_000

let install: Install
let service: Service
/** Ids of requests whose answer the service has finished, by its own log, with their status. */
let finished: Map<string, number>
const random = seededRandom(21)

const start = async (settings: Record<string, string> = {}) => {
  finished = new Map()
  service = await startService(install, {
    settings: { LOG_LEVEL: 'info', ...settings },
    onLog(line) {
      if (!line.includes('"msg":"request"')) return
      const { request_id, status } = JSON.parse(line)
      finished.set(request_id, status)
    },
  })
}

beforeEach(async () => {
  install = await newInstall()
})
afterEach(async () => {
  await service?.crash()
  install.remove()
})

/** Ends the service as an operator does. @returns its exit code, and how long it took. */
async function stopped(): Promise<{ code: number; ms: number }> {
  const begin = performance.now()
  const code = await service.stop()
  return { code, ms: performance.now() - begin }
}

/** The products in the database, after a check that everything in it is sound. */
function storedProducts(): Set<string> {
  const db = openDatabase(install.dataDir)
  try {
    expect(findFaults(db, join(install.dataDir, 'pictures'))).toEqual([])
    const rows = db.prepare<[], { id: string }>('SELECT product_id AS id FROM products').all()
    return new Set(rows.map(({ id }) => id))
  } finally {
    db.close()
  }
}

interface Load {
  /** Products whose whole answer has arrived. */
  acknowledged: Set<string>
  /** Requests of which the whole answer has arrived. */
  answered: Set<string>
  done: Promise<unknown>
}

/** Clients that index and search without a pause until the service takes no more. */
function load(round: number): Load {
  const acknowledged = new Set<string>()
  const answered = new Set<string>()
  const client = async (name: number) => {
    for (let n = 0; ; n++) {
      const id = `r${round}-c${name}-${n}`
      const headers = { authorization: `Bearer ${install.token}`, 'x-request-id': id }
      const isWrite = n % 3 !== 2
      const request = isWrite
        ? { path: '/v1/products', body: await productForm(id, random.below(60)) }
        : { path: '/v1/search/text', body: JSON.stringify({ query: 'red' }) }
      try {
        const type = isWrite ? {} : { 'content-type': 'application/json' }
        const answer = await fetch(service.address + request.path, {
          method: 'POST',
          headers: { ...headers, ...type },
          body: request.body,
        })
        await answer.json()
        answered.add(id)
        if (isWrite && answer.ok) acknowledged.add(id)
      } catch {
        return
      }
    }
  }
  return {
    acknowledged,
    answered,
    done: Promise.all(Array.from({ length: CLIENTS }, (_, name) => client(name))),
  }
}

test(`SIGTERM under load: what was worked on is answered, what was answered is there (${ROUNDS} times)`, async () => {
  let rounds = 0
  let promised = 0
  let slowest = 0
  for (let round = 1; round <= ROUNDS; round++) {
    await start()
    const { acknowledged, answered, done } = load(round)
    const enough = 1 + random.below(25)
    await until('the load runs', () => answered.size >= enough)
    const { code, ms } = await stopped()
    await done
    expect({ round, code, isInTime: ms <= EXIT_MS }).toEqual({ round, code: 0, isInTime: true })
    const stored = [...storedProducts()].filter((id) => id.startsWith(`r${round}-`))
    // Both ways: nothing promised is missing, and nothing was done of which nobody was told.
    expect(stored.toSorted()).toEqual([...acknowledged].toSorted())
    const untold = [...finished.keys()].filter((id) => id.startsWith(`r${round}-`) && !answered.has(id))
    expect({ round, untold }).toEqual({ round, untold: [] })
    expect(finished.size).toBeGreaterThan(0)
    rounds++
    promised += acknowledged.size
    slowest = Math.max(slowest, ms)
  }
  const measured = `${promised} acknowledged, 0 lost, 0 unanswered, exit after ${slowest.toFixed(0)} ms at most`
  recordBar({ bar: 31, part: 'SIGTERM', on: 'program', n: rounds, measured, isMet: true })
  expect(rounds).toBe(ROUNDS)
}, 7_200_000)

/** An upload whose headers and first half have reached the service: an answer to what came before it proves that. */
async function halfAnUpload(id: string) {
  const body = new Response(await productForm(id, 1))
  const type = body.headers.get('content-type')
  const bytes = await body.bytes()
  const connection = await openConnection(service.address)
  const lines = (...said: string[]) =>
    [...said, 'host: a', `authorization: Bearer ${install.token}`, '', ''].join('\r\n')
  connection.send(
    lines('GET /health HTTP/1.1') +
      lines('POST /v1/products HTTP/1.1', `content-type: ${type}`, `content-length: ${bytes.length}`),
  )
  const half = bytes.length >> 1
  connection.send(bytes.subarray(0, half))
  await until('the service has read it', () => firstStatus(connection.received()) === 200)
  return { connection, finish: () => connection.send(bytes.subarray(half)) }
}

test('an upload that was under way at SIGTERM may finish, and is indexed', async () => {
  await start()
  const { connection, finish } = await halfAnUpload('late')
  const stop = stopped()
  await until('no new connections are taken', async () => !(await isListening()))
  finish()
  await until('it is answered', () => statuses(connection.received()).length === 2 || !connection.isOpen())
  expect(statuses(connection.received())).toEqual([200, 201])
  expect((await stop).code).toBe(0)
  expect(storedProducts()).toEqual(new Set(['late']))
}, 60_000)

/** A server of this machine that takes connections and never says a word. */
async function silentServer() {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => sockets.size,
    [Symbol.dispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

// Together, because the service waits its whole time for each.
test('downloads that hang are answered with 503 and a time to come back, an upload that never ends is cut, and the service ends in time', async () => {
  using silent = await silentServer()
  await start({ FETCH_ALLOW_CIDRS: '127.0.0.0/8' })
  const { connection } = await halfAnUpload('endless')
  const answers = Array.from({ length: 6 }, async (_, n) => {
    const answer = await fetch(`${service.address}/v1/products`, {
      method: 'POST',
      headers: { authorization: `Bearer ${install.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ product_id: `p${n}`, image_url: `http://127.0.0.1:${silent.port}/${n}.png` }),
    })
    const { error } = (await answer.json()) as { error: string }
    return { status: answer.status, error, retryAfter: answer.headers.get('retry-after') }
  })
  // A try that has failed ends the service, and these with it: they are no faults of the next one.
  void Promise.allSettled(answers)
  await until('four downloads hang, and two wait for them', () => silent.connections() === 4)
  const { code, ms } = await stopped()
  expect({ code, isInTime: ms <= EXIT_MS }).toEqual({ code: 0, isInTime: true })
  expect(await Promise.all(answers)).toEqual(
    Array(6).fill({ status: 503, error: 'overloaded', retryAfter: '5' }),
  )
  expect(storedProducts()).toEqual(new Set())
  connection.close()
}, 120_000)

test('a mail server that hangs holds nothing up, and its mail waits for the next start', async () => {
  using silent = await silentServer()
  const mail = { SMTP_URL: `smtp://127.0.0.1:${silent.port}`, MAIL_FROM: 'us@shop.test' }
  await start({ ...mail, FETCH_ALLOW_CIDRS: '127.0.0.0/8' })
  const answer = await fetch(`${service.address}/oauth/password/forgot`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'owner@shop.test' }),
  })
  expect(answer.status).toBe(202)
  await until('the mail is on its way', () => silent.connections() === 1)
  const { code, ms } = await stopped()
  expect({ code, isInTime: ms <= EXIT_MS }).toEqual({ code: 0, isInTime: true })
  const db = openDatabase(install.dataDir)
  const waiting = db.prepare('SELECT recipient, attempts, last_error FROM outbox').all()
  db.close()
  expect(waiting).toEqual([{ recipient: 'owner@shop.test', attempts: 0, last_error: null }])
}, 60_000)

const canLimitFiles = process.platform === 'linux' && Bun.which('prlimit') !== null

test(`a sign-in that waits in memory for a full disk does not keep the service from ending${canLimitFiles ? '' : ' (skipped: no prlimit)'}`, async () => {
  if (!canLimitFiles) return
  // Writing past the limit then fails as on a full disk, and does not kill the process.
  service = await startService(install, { wrap: ['sh', '-c', `trap '' XFSZ; exec "$@"`, 'sh'] })
  Bun.spawnSync(['prlimit', '--pid', String(service.process.pid), '--fsize=4096:4096'])
  const answer = await fetch(`${service.address}/oauth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: install.account.email, password: install.account.password }),
  })
  expect(answer.status).toBe(200)
  const { ms } = await stopped()
  expect(ms).toBeLessThanOrEqual(EXIT_MS)
}, 60_000)

test('SIGHUP, which a tool that rotates logs sends to any service, ends none that speaks http', async () => {
  await start()
  service.process.kill('SIGHUP')
  await Bun.sleep(300)
  expect((await fetch(`${service.address}/health`)).status).toBe(200)
  expect((await stopped()).code).toBe(0)
})

test('a second SIGTERM ends the service at once, whatever hangs', async () => {
  await start()
  const { connection } = await halfAnUpload('twice')
  service.process.kill('SIGTERM')
  await until('the first one is heard', async () => !(await isListening()))
  const { code } = await stopped()
  expect(code).toBe(1)
  expect(storedProducts()).toEqual(new Set())
  connection.close()
}, 60_000)

test('SIGTERM at any moment of the start ends it, and leaves an install that starts', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { child, log, logged } = spawnService(install)
    await Bun.sleep(random.below(600))
    const begin = performance.now()
    child.kill('SIGTERM')
    await child.exited
    await logged
    const isInTime = performance.now() - begin <= EXIT_MS
    // Before the program has begun nobody listens to signals.
    const isEnded = child.exitCode === 0 || child.signalCode === 'SIGTERM'
    expect({ round, isInTime, isEnded, log }).toEqual({ round, isInTime: true, isEnded: true, log: [] })
  }
  await start()
  expect((await stopped()).code).toBe(0)
}, 7_200_000)

const isListening = (): Promise<boolean> =>
  openConnection(service.address).then(
    (connection) => {
      connection.close()
      return true
    },
    () => false,
  )
