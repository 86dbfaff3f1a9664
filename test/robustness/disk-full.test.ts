import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  rmSync,
  statfsSync,
  truncateSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { DATABASE_FILE, type Db, openDatabase } from '../../src/platform/db/open.ts'
import { recordBar } from './bars.ts'
import { findFaults } from './consistency.ts'
import { readRepetitions, seededRandom } from './random.ts'
import { type Install, newInstall, productForm, type Service, startService, until } from './service.ts'

const ROUNDS = readRepetitions('DISK_ROUNDS', 8)
const DISK_BYTES = 24 * 1024 * 1024
const WRITES_MAX = 400

/** A small disk of the service's own, gone with its process: the data folder is filled from the one outside. */
const SMALL_DISK = [
  ...['unshare', process.getuid?.() === 0 ? '-m' : '-rm', 'sh', '-c'],
  `set -e; mount -t tmpfs -o size=${DISK_BYTES} none "$1"; cp -r "$2"/. "$1"/; shift 2; exec "$@"`,
  'sh',
]

const canMount = (): boolean => {
  const dir = mkdtempSync(join(tmpdir(), 'lookalike-mount-'))
  try {
    const wrap = ['unshare', process.getuid?.() === 0 ? '-m' : '-rm', 'mount', '-t', 'tmpfs', 'none', dir]
    return Bun.spawnSync(wrap, { stderr: 'ignore' }).success
  } catch {
    return false
  } finally {
    rmSync(dir, { recursive: true })
  }
}

const isPossible = process.platform === 'linux' && canMount()
const reason = isPossible ? '' : ' (skipped: this machine lets nobody mount a small disk)'

let install: Install
let service: Service
let mountPoint: string
const random = seededRandom(31)
/** Products that the service said it has. */
const acknowledged = new Map<string, number>()
let writes = 0

beforeAll(async () => {
  if (!isPossible) return
  install = await newInstall()
  mountPoint = mkdtempSync(join(tmpdir(), 'lookalike-small-disk-'))
  const wrap = [...SMALL_DISK, mountPoint, install.dataDir]
  service = await startService({ dataDir: mountPoint }, { wrap })
}, 60_000)
afterAll(async () => {
  if (!isPossible) return
  await service?.crash()
  install.remove()
  rmSync(mountPoint, { recursive: true, force: true })
})

/** A file on the small disk, as seen from here. */
const inside = (name: string): string => join(`/proc/${service.pid}/root`, mountPoint, name)

const call = (method: string, path: string, body?: FormData | string) =>
  fetch(service.address + path, {
    method,
    headers: {
      authorization: `Bearer ${install.token}`,
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  })

const freeBytes = (): number => {
  const { bavail, bsize } = statfsSync(inside('.'))
  return bavail * bsize
}

/** Fills the disk up to so many free bytes, or altogether where the service has just taken them. */
function fill(leave: number): void {
  const excess = freeBytes() - leave
  if (excess <= 0) return
  try {
    appendFileSync(inside('filling'), Buffer.alloc(excess, 1))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}

/** One write of any kind. @returns its status and code. */
async function write(): Promise<{ status: number; error: unknown }> {
  const known = [...acknowledged.keys()]
  const kind = random.below(8)
  if (kind === 0 && known.length > 3) {
    const id = random.pick(known)
    const answer = await call('DELETE', `/v1/products/${id}`)
    if (answer.ok) acknowledged.delete(id)
    return { status: answer.status, error: ((await answer.json()) as { error?: string }).error }
  }
  const version = ++writes
  const id = kind < 3 && known.length > 0 ? random.pick(known) : `d${version}`
  const metadata = { version, filling: 'x'.repeat(2_000) }
  const answer =
    kind === 1 && acknowledged.has(id)
      ? await call('PATCH', `/v1/products/${id}`, JSON.stringify({ metadata }))
      : await call('POST', '/v1/products', await productForm(id, version, metadata))
  if (answer.ok) acknowledged.set(id, version)
  return { status: answer.status, error: ((await answer.json()) as { error?: string }).error }
}

/** Writes until the disk is full; every other failure is a fault. */
async function writeUntilFull(): Promise<string[]> {
  for (let n = 0; n < WRITES_MAX; n++) {
    const { status, error } = await write()
    if (status === 503 && error === 'storage_full') return []
    if (status >= 300) return [`${status} ${error}`]
  }
  return [`the disk is not full after ${WRITES_MAX} writes`]
}

/** What is found in a copy of the database as it lies on the disk. */
function onDisk<Found>(look: (db: Db) => Found): Found {
  const copy = mkdtempSync(join(tmpdir(), 'lookalike-full-'))
  try {
    for (const end of ['', '-wal']) {
      if (existsSync(inside(DATABASE_FILE + end))) {
        copyFileSync(inside(DATABASE_FILE + end), join(copy, DATABASE_FILE + end))
      }
    }
    const db = openDatabase(copy)
    const found = look(db)
    db.close()
    return found
  } finally {
    rmSync(copy, { recursive: true })
  }
}

/** Faults of the database, and products that differ from what was promised. */
const faultsOnDisk = (): string[] =>
  onDisk((db) => {
    const rows = db
      .prepare<[], { id: string; version: number }>(
        `SELECT product_id AS id, metadata ->> 'version' AS version FROM products`,
      )
      .all()
    const faults = findFaults(db, inside('pictures'))
    const stored = new Map(rows.map(({ id, version }) => [id, version]))
    const ids = new Set([...stored.keys(), ...acknowledged.keys()])
    const wrong = [...ids].filter((id) => stored.get(id) !== acknowledged.get(id))
    return [...faults, ...wrong.map((id) => `${id}: ${stored.get(id)}, promised ${acknowledged.get(id)}`)]
  })

test.skipIf(!isPossible)(
  `a full disk: writes answer 503 storage_full, reads go on, and space helps without a restart (${ROUNDS} times)${reason}`,
  async () => {
    for (let n = 0; n < 12; n++) expect((await write()).status).toBeLessThan(300)
    let rounds = 0
    for (let round = 1; round <= ROUNDS; round++) {
      // Another number of bytes every time: another file finds no room.
      fill(random.below(round % 2 === 0 ? 40_000 : 600_000))
      expect({ round, faults: await writeUntilFull() }).toEqual({ round, faults: [] })
      const reads = await Promise.all([
        call('GET', '/v1/products?limit=5'),
        call('GET', `/v1/products/${[...acknowledged.keys()][0]}`),
        call('POST', '/v1/search/text', JSON.stringify({ query: 'red' })),
        call('GET', '/health'),
      ])
      expect({ round, reads: reads.map(({ status }) => status) }).toEqual({
        round,
        reads: [200, 200, 200, 200],
      })
      expect({ round, faults: faultsOnDisk() }).toEqual({ round, faults: [] })
      truncateSync(inside('filling'), 0)
      expect({ round, ...(await write()) }).toMatchObject({ round, error: undefined })
      expect({ round, faults: faultsOnDisk() }).toEqual({ round, faults: [] })
      rounds++
    }
    const { results } = (await (
      await call('POST', '/v1/search/text', JSON.stringify({ query: 'red', limit: 100, category_boost: 0 }))
    ).json()) as { results: { product_id: string }[] }
    expect(results.length).toBe(Math.min(100, acknowledged.size))
    expect(results.filter(({ product_id }) => !acknowledged.has(product_id))).toEqual([])
    const measured = `${writes} writes, 0 acknowledged lost, reads 200, writes again without a restart`
    recordBar({ bar: 3, part: 'fill levels', on: 'program', n: rounds, measured, isMet: true })
    expect(rounds).toBe(ROUNDS)
  },
  7_200_000,
)

test.skipIf(!isPossible)(
  `a full disk: people sign in, refresh and are throttled; with space again their sign-in is on the disk${reason}`,
  async () => {
    const login = async (password: string) => {
      const body = JSON.stringify({ email: 'owner@shop.test', password })
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(`${service.address}/oauth/login`, { method: 'POST', headers, body })
      return { status: answer.status, body: (await answer.json()) as Record<string, string> }
    }
    const withToken = (token: string | undefined, method: string, path: string) =>
      fetch(service.address + path, { method, headers: { authorization: `Bearer ${token}` } })

    // Before it is full: the sign-in that is refreshed below.
    const earlier = await login('a long password')
    fill(0)
    expect(await writeUntilFull()).toEqual([])
    // What the last write left room for.
    fill(0)
    const wrong = await login('another password')
    expect([wrong.status, wrong.body['error']]).toEqual([401, 'unauthorized'])
    const held = await login('a long password')
    expect(held.status).toBe(200)
    expect((await withToken(held.body['access_token'], 'GET', '/v1/products?limit=1')).status).toBe(200)
    const refreshed = await withToken(earlier.body['access_token'], 'POST', '/oauth/refresh')
    expect(refreshed.status).toBe(200)
    expect((await withToken(earlier.body['access_token'], 'GET', '/v1/me')).status).toBe(401)
    for (let n = 0; n < 5; n++) expect((await login('another password')).status).toBe(401)
    const locked = await login('another password')
    expect([locked.status, locked.body['error']]).toEqual([429, 'too_many_requests'])

    truncateSync(inside('filling'), 0)
    const { access_token } = (await refreshed.json()) as { access_token: string }
    const expected = [held.body['access_token'], access_token].map((token) => decodeJwt(String(token)).jti)
    await until('both sign-ins are on the disk', () => {
      const jtis = onDisk((db) => db.prepare<[], string>('SELECT jti FROM sessions').pluck().all())
      return expected.every((jti) => jti !== undefined && jtis.includes(jti))
    })
  },
  120_000,
)
