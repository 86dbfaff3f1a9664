import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type Db, migrate, readVersion, schemaVersion } from '../../src/platform/db/open.ts'
import { listSnapshots } from '../../src/platform/db/snapshots.ts'
import { killGroup, spawnService, until } from '../robustness/service.ts'
import { builtExecutable } from './executable.ts'

const OLD = 9

let program: ReturnType<typeof builtExecutable>
let outer: string
let dataDir: string
/** Holds the lock for writing, so that a migration waits as long as the test likes. */
let holder: Db
let groups: number[]

beforeAll(() => {
  program = builtExecutable()
}, 60_000)
afterAll(() => program.remove())
beforeEach(() => {
  outer = mkdtempSync(join(tmpdir(), 'lookalike-upgrade-'))
  dataDir = join(outer, 'data')
  mkdirSync(dataDir)
  groups = []
  holder = connect(dataDir)
  migrate(holder, OLD)
  // As after a service that was stopped: the file itself tells its version.
  holder.pragma('wal_checkpoint(TRUNCATE)')
})
afterEach(() => {
  for (const pid of groups) killGroup(pid)
  holder.close()
  rmSync(outer, { recursive: true, force: true })
})

const hold = () => holder.exec('BEGIN IMMEDIATE')
const release = () => holder.exec('ROLLBACK')

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function start(port: number) {
  const { child, log, logged } = spawnService(
    { dataDir },
    { program: [program.path], settings: { PORT: String(port) } },
  )
  groups.push(child.pid)
  const address = `http://127.0.0.1:${port}`
  const ask = (path: string, init?: RequestInit) => fetch(address + path, init)
  return {
    ask,
    pid: child.pid,
    stop: () => child.kill('SIGTERM'),
    untilMigrating: () =>
      until('the migration runs', async () => {
        const said = await ask('/health').then((answer) => answer.text(), String)
        return said.includes('migrated') && children(child.pid).length > 0
      }),
    async ended() {
      const code = await child.exited
      await logged
      return { code, stderr: log.join('\n') }
    },
  }
}

const children = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

test('while the database is migrated the process says so, everything else answers 503, and then the same port serves', async () => {
  hold()
  const service = await start(await freePort())
  await service.untilMigrating()

  const alive = await service.ask('/health')
  expect(alive.status).toBe(200)
  expect(await alive.json()).toEqual({ status: 'ok', starting: 'the database is being migrated' })

  const reason = 'The service is starting: the database is being migrated'
  const ready = await service.ask('/health/ready')
  expect([ready.status, ready.headers.get('retry-after')]).toEqual([503, '5'])
  const check = { ok: false, reason }
  const checks = { database: check, vectors: check, model: check, disk: check }
  expect(await ready.json()).toEqual({ status: 'not_ready', checks })

  for (const [method, path] of [
    ['GET', '/'],
    ['GET', '/v1/products'],
    ['POST', '/v1/search/text'],
    ['DELETE', '/health'],
    ['PROPFIND', '/no/such/path'],
  ] as const) {
    const answer = await service.ask(path, { method, ...(method === 'POST' && { body: '{"query":"red"}' }) })
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(answer.headers.get('x-request-id')).toBeTruthy()
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const details = { help: '/errors/overloaded' }
    expect(await answer.json()).toEqual({ error: 'overloaded', message: reason, details })
  }
  const page = await service.ask('/docs', { headers: { accept: 'text/html' } })
  expect([page.status, page.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8'])

  // Every request is answered also in the moment in which the routes of the service take over.
  release()
  const health = new Set<string>()
  await until('the service answers', async () => {
    health.add((await service.ask('/health')).statusText)
    return (await service.ask('/version')).ok
  })
  expect([...health]).toEqual(['OK'])
  expect(await (await service.ask('/version')).json()).toMatchObject({ schema: schemaVersion })
  expect(await (await service.ask('/health')).json()).toEqual({ status: 'ok' })
  expect(listSnapshots(dataDir)).toMatchObject([{ schema: OLD }])
  // Bun's own limit would answer a bare 413.
  const large = await service.ask('/v1/products', { method: 'POST', body: new Uint8Array(130_000_000) })
  expect(large.status).toBe(401)
  service.stop()
  expect((await service.ended()).code).toBe(0)
}, 60_000)

test('SIGTERM ends a service that migrates: with 0, and without a trace in the database', async () => {
  hold()
  const service = await start(await freePort())
  await service.untilMigrating()
  const [migration = 0] = children(service.pid)
  service.stop()
  expect(await service.ended()).toEqual({ code: 0, stderr: '' })
  expect(existsSync(`/proc/${migration}`)).toBe(false)
  release()
  expect(readVersion(holder)).toBe(OLD)
  expect(holder.pragma('quick_check', { simple: true })).toBe('ok')
}, 60_000)

test('a migration does not go on for long without its service', async () => {
  hold()
  const service = await start(await freePort())
  await service.untilMigrating()
  const [migration = 0] = children(service.pid)
  process.kill(service.pid, 'SIGKILL')
  await service.ended()
  release()
  await until('the migration has ended', () => !existsSync(`/proc/${migration}`))
  // The step that it was waiting to begin.
  expect(readVersion(holder)).toBeLessThanOrEqual(OLD + 1)
}, 60_000)

test('a migration that fails ends the service with the words of SQLite', async () => {
  holder.exec('CREATE TABLE changes (n INTEGER)')
  const service = await start(await freePort())
  const { code, stderr } = await service.ended()
  expect(code).toBe(1)
  expect(stderr).toStartWith('SqliteError: table changes already exists')
}, 60_000)

test('a port that is taken is reported before anything is migrated', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => void taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as { port: number }
  const { code, stderr } = await (await start(port)).ended()
  taken.close()
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('the port is in use') })
  expect(readVersion(holder)).toBe(OLD)
}, 60_000)

test('while one service migrates a folder, a second one is refused', async () => {
  hold()
  const service = await start(await freePort())
  await service.untilMigrating()
  const { code, stderr } = await (await start(await freePort())).ended()
  expect({ code, stderr }).toEqual({ code: 1, stderr: `Another lookalike already serves from ${dataDir}` })
}, 60_000)
