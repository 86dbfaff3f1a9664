import { afterEach, beforeEach, expect, test } from 'bun:test'
import { closeSync, existsSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DATABASE_FILE, openDatabase } from '../../src/platform/db/open.ts'
import { recordBar } from './bars.ts'
import { findFaults } from './consistency.ts'
import { readRepetitions } from './random.ts'
import { type Install, newInstall, productForm, type Service, startService, until } from './service.ts'

const ROUNDS = readRepetitions('FAULT_ROUNDS', 6)
/** Calls of one kind that a write of one product makes in a thread, with room. */
const CALLS_MAX = 30
const PAGE = 4096
/** Writes that arrive together. */
const GROUP = 8

/** Whether this machine lets us make system calls of another process fail. */
const canInject = (): boolean => {
  try {
    const wrap = ['strace', '-f', '-q', '-o', '/dev/null', '-e', 'inject=fsync:error=EIO', 'true']
    return Bun.spawnSync(wrap, { stderr: 'ignore' }).success
  } catch {
    return false
  }
}

const isPossible = process.platform === 'linux' && canInject()
const reason = isPossible ? '' : ' (skipped: this machine has no strace that may trace)'

let install: Install
let service: Service
const log: { msg: string; damage?: string[] }[] = []

const start = async () => {
  log.length = 0
  service = await startService(install, {
    settings: { LOG_LEVEL: 'info' },
    onLog: (line) => void log.push(JSON.parse(line)),
  })
}

beforeEach(async () => {
  install = await newInstall()
})
afterEach(async () => {
  await service?.crash()
  install.remove()
})

const call = async (method: string, path: string, body?: FormData | string) => {
  const answer = await fetch(service.address + path, {
    method,
    headers: {
      authorization: `Bearer ${install.token}`,
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}
const write = async (id: string, n: number) => {
  const { status, body } = await call('POST', '/v1/products', await productForm(id, n))
  return { status, error: body['error'] }
}
const reads = async () => [
  (await call('GET', '/v1/products')).status,
  (await call('POST', '/v1/search/text', JSON.stringify({ query: 'red' }))).status,
  (await call('GET', '/health')).status,
]
const readiness = async () => {
  const { status, body } = await call('GET', '/health/ready')
  const checks = body['checks'] as Record<string, { reason?: string }>
  return { status, reasons: Object.values(checks).flatMap(({ reason }) => reason ?? []) }
}

/** Makes system calls of the service fail from now on. @returns ends that. */
async function failing(calls: string, fault: string): Promise<() => Promise<void>> {
  const output = join(tmpdir(), `lookalike-strace-${service.pid}`)
  const words = [
    '-f',
    '-o',
    output,
    '-p',
    String(service.pid),
    '-e',
    `trace=${calls}`,
    '-e',
    `inject=${calls}:${fault}`,
  ]
  const tracer = Bun.spawn(['strace', ...words], { stderr: 'pipe' })
  // It says when it has attached to the process.
  await tracer.stderr.getReader().read()
  return async () => {
    tracer.kill('SIGINT')
    await tracer.exited
    rmSync(output, { force: true })
  }
}

test.skipIf(!isPossible).each([
  ['fsync,fdatasync', 'EIO', 'storage_failed', 'the disk reports a fault'],
  ['pwrite64', 'EIO', 'storage_failed', 'the disk reports a fault'],
  ['pwrite64', 'ENOSPC', 'storage_full', 'the disk is full'],
  ['pwrite64', 'EROFS', 'storage_failed', 'the disk reports a fault'],
])(
  `%s fails with %s: writes answer 503 %s, readiness says so, reads go on, and it heals by itself${reason}`,
  async (calls, error, code, why) => {
    await start()
    expect(await write('before', 1)).toMatchObject({ status: 201 })
    const heal = await failing(calls, `error=${error}`)
    // The tracer may need a moment for the other threads; no write in between may be lost.
    const acknowledged = ['before']
    await until('writes fail', async () => {
      const { status, error } = await write(`meanwhile-${acknowledged.length}`, 2)
      if (status < 300) acknowledged.push(`meanwhile-${acknowledged.length}`)
      else expect([status, error]).toEqual([503, code])
      return status >= 300
    })
    expect(await readiness()).toMatchObject({
      status: 503,
      reasons: expect.arrayContaining([`the database cannot be written: ${why}`]),
    })
    expect(await reads()).toEqual([200, 200, 200])
    await heal()
    await until('it is ready again', async () => (await readiness()).status === 200)
    expect(await write('after', 3)).toMatchObject({ status: 201 })
    acknowledged.push('after')

    await service.crash()
    const db = openDatabase(install.dataDir)
    expect(findFaults(db, join(install.dataDir, 'pictures'))).toEqual([])
    const stored = db
      .prepare<[], { id: string }>('SELECT product_id AS id FROM products')
      .all()
      .map(({ id }) => id)
    db.close()
    const lost = acknowledged.filter((id) => !stored.includes(id)).length
    const measured = `${calls}: 503 ${code}, reads go on, healed by itself, ${lost} of ${acknowledged.length} lost`
    const part = error === 'ENOSPC' ? 'ENOSPC' : 'EIO'
    if (error === part) recordBar({ bar: 39, part, on: 'program', n: 1, measured, isMet: lost === 0 })
    expect(lost).toBe(0)
  },
  120_000,
)

test.skipIf(!isPossible).each([
  ['fsync,fdatasync', 'EIO', 'storage_failed'],
  ['pwrite64', 'ENOSPC', 'storage_full'],
])(
  `%s fails with %s under writes that arrive together: each of them answers 503 %s, and none stays${reason}`,
  async (calls, error, code) => {
    await start()
    const all = (prefix: string) =>
      // One picture for all, which is known: so they are ready together.
      Promise.all(Array.from({ length: GROUP }, (_, n) => write(`${prefix}-${n}`, 1)))
    expect(await write('before', 1)).toMatchObject({ status: 201 })
    const heal = await failing(calls, `error=${error}`)
    await until('writes fail', async () => (await write('probe', 1)).status >= 300)
    for (const round of ['a', 'b']) {
      expect(await all(round)).toEqual(Array(GROUP).fill({ status: 503, error: code }))
    }
    expect(await reads()).toEqual([200, 200, 200])
    expect((await call('GET', '/v1/products/a-0')).status).toBe(404)
    await heal()
    await until('it is ready again', async () => (await readiness()).status === 200)
    expect(await all('after')).toEqual(Array(GROUP).fill({ status: 201, error: undefined }))
    await service.crash()
    const db = openDatabase(install.dataDir)
    expect(findFaults(db, join(install.dataDir, 'pictures'))).toEqual([])
    const stored = db.prepare<[], string>('SELECT product_id FROM products').pluck().all()
    db.close()
    const lost = GROUP - stored.filter((id) => id.startsWith('after-')).length
    const kept = stored.filter((id) => /^[ab]-/.test(id)).length
    const measured = `${calls} ${error}: ${2 * GROUP} in groups refused, ${kept} of them kept, ${lost} lost`
    recordBar({
      bar: 3,
      part: `${error} in a group`,
      on: 'program',
      n: GROUP,
      measured,
      isMet: lost + kept === 0,
    })
    expect([lost, kept]).toEqual([0, 0])
  },
  120_000,
)

test.skipIf(!isPossible).each([
  ['EIO', 'pwrite64,write,fsync,fdatasync'],
  ['ENOSPC', 'pwrite64,fsync,fdatasync'],
])(
  `one %s at any call that writes a product: 503 or done, and nothing acknowledged is lost (${ROUNDS} times)${reason}`,
  async (fault, calls) => {
    await start()
    const acknowledged: string[] = []
    let refused = 0
    for (let round = 0; round < ROUNDS; round++) {
      const heal = await failing(calls, `error=${fault}:when=${1 + (round % CALLS_MAX)}`)
      const one = async (n: number) => {
        const id = `r${round}-${n}`
        const { status, error } = await write(id, round * 4 + n)
        if (status < 300) acknowledged.push(id)
        // A write to the model's process may be the one that fails.
        else expect([503, 422]).toContain(status)
        if (status >= 300) refused++
        expect(error).not.toBe('internal_error')
      }
      // One after another, and together.
      if (round % 2 === 0) for (let n = 0; n < 4; n++) await one(n)
      else await Promise.all([0, 1, 2, 3].map(one))
      await heal()
    }
    await until('it is ready again', async () => (await readiness()).status === 200)
    await service.crash()
    const db = openDatabase(install.dataDir)
    expect(findFaults(db, join(install.dataDir, 'pictures'))).toEqual([])
    const stored = db
      .prepare<[], { id: string }>('SELECT product_id AS id FROM products')
      .all()
      .map(({ id }) => id)
    db.close()
    const lost = acknowledged.filter((id) => !stored.includes(id)).length
    const measured = `${acknowledged.length} acknowledged, ${lost} lost, ${refused} refused`
    recordBar({ bar: 3, part: `${fault} by call`, on: 'program', n: ROUNDS, measured, isMet: lost === 0 })
    expect(lost).toBe(0)
  },
  7_200_000,
)

test('after an unclean end the database is checked in the background; after a clean one it is not', async () => {
  await start()
  expect(existsSync(join(install.dataDir, 'running'))).toBe(true)
  await service.crash()
  await start()
  await until('it was checked', () => log.some(({ msg }) => msg === 'the database was checked and is sound'))
  expect((await readiness()).status).toBe(200)
  expect(await service.stop()).toBe(0)
  expect(existsSync(join(install.dataDir, 'running'))).toBe(false)
  await start()
  expect(await service.stop()).toBe(0)
  expect(log.filter(({ msg }) => msg.includes('database was checked'))).toEqual([])
}, 120_000)

test('damage that an unclean end left is told by log and readiness, although no request has met it', async () => {
  await start()
  for (let n = 0; n < 3; n++) await write(`p${n}`, n)
  await service.crash()
  // A clean end puts the log of the database into its file.
  openDatabase(install.dataDir).close()
  const path = join(install.dataDir, DATABASE_FILE)
  const db = openDatabase(install.dataDir)
  const { page } = db
    .prepare("SELECT rootpage AS page FROM sqlite_schema WHERE type = 'table' AND name = 'audit_events'")
    .get() as { page: number }
  db.close()
  expect(statSync(path).size).toBeGreaterThan(page * PAGE)
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(PAGE, 0xee), 0, PAGE, (page - 1) * PAGE)
  closeSync(file)
  log.length = 0
  service = await startService(install, {
    settings: { LOG_LEVEL: 'info' },
    onLog: (line) => {
      if (/err/.test(line) && !/storage failed/.test(line)) console.log(line.slice(0, 1500))
      log.push(JSON.parse(line))
    },
    untilReady: false,
  })
  await until('the damage is found', async () =>
    (await readiness()).reasons.includes('the database is damaged: restore a backup'),
  )
  const told = log.find(({ msg }) => msg === 'the database is damaged: restore a backup')
  expect(told?.damage?.length).toBeGreaterThan(0)
  expect((await call('GET', '/v1/products')).body['total']).toBe(3)
  const audit = await call('GET', '/v1/security/audit')
  expect([audit.status, audit.body['error']]).toEqual([503, 'storage_failed'])
  const measured = 'told by log and readiness within the start, 503 where it is read, the rest is served'
  recordBar({ bar: 39, part: 'damaged page', on: 'program', n: 1, measured, isMet: true })
  // It stays told after a clean end, for the damage is still there.
  expect(await service.stop()).toBe(0)
  expect(existsSync(join(install.dataDir, 'running'))).toBe(true)
}, 120_000)
