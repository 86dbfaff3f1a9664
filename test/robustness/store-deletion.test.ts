import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Db, openDatabase } from '../../src/platform/db/open.ts'
import { countLeft, dumpStore, fillStore, STORE_TABLES } from '../support/store-rows.ts'
import { readRepetitions } from './random.ts'
import {
  type Install,
  newInstall,
  newStore,
  type Service,
  type Store,
  startService,
  until,
} from './service.ts'

/** Rows of the doomed store in each table, and kills while they are being deleted. */
const ROWS = readRepetitions('DELETION_ROWS', 3_000)
const KILLS = readRepetitions('DELETION_KILLS', 3)
const DIMENSION = 512
/** What a service tidies away or counts by itself meanwhile. */
const ITS_OWN = ['kept_pictures', 'late_writes', 'product_days', 'released_pictures', 'stores']

let install: Install
let other: Store
let service: Service | undefined

beforeAll(async () => {
  install = await newInstall()
  other = await newStore(install.dataDir, 'other@shop.test')
  // A first start makes the table of the model's vectors.
  service = await startService(install)
  await service.stop()
  const db = openDatabase(install.dataDir)
  db.transaction(() => {
    fillStore(db, install.storeId, ROWS, DIMENSION)
    fillStore(db, other.storeId, 50, DIMENSION)
  })()
  db.close()
}, 120_000)
afterAll(async () => {
  await service?.crash()
  install?.remove()
})

const inspect = <Result>(look: (db: Db) => Result): Result => {
  const db = openDatabase(install.dataDir)
  try {
    return look(db)
  } finally {
    db.close()
  }
}

const countRows = () =>
  inspect((db) => Object.values(countLeft(db, install.storeId)).reduce((sum, rows) => sum + rows, 0))

test(`a service killed ${KILLS} times while it deletes a store leaves no row of it, and another store as it was`, async () => {
  const tables = STORE_TABLES.filter((table) => !ITS_OWN.includes(table))
  expect(Object.keys(inspect((db) => countLeft(db, install.storeId)))).toEqual(expect.arrayContaining(tables))
  const dump = () => {
    const all = inspect((db) => dumpStore(db, other.storeId))
    return Object.fromEntries(tables.map((table) => [table, all[table]]))
  }
  // Otherwise the service tries to make thumbnails of pictures that nobody can download.
  inspect((db) => db.exec('UPDATE pictures SET thumbnail = 0'))
  // Otherwise the service makes what it makes at night.
  inspect((db) => db.prepare('UPDATE catalogue_reports SET made_at = ?').run(Date.now()))
  inspect((db) => db.prepare('UPDATE together_runs SET made_at = ?').run(Date.now()))
  // Otherwise the service goes on with replays that nobody has begun.
  inspect((db) => db.exec('UPDATE search_replays SET finished_at = created_at'))
  const before = dump()
  inspect((db) =>
    db.prepare('UPDATE stores SET suspended_at = 1, delete_at = 1 WHERE id = ?').run(install.storeId),
  )
  let left = countRows()
  const steps: number[] = []
  for (let n = 1; n <= KILLS; n++) {
    // So that each kill finds the deletion at another place.
    const target = Math.floor((left * (KILLS - n + 1)) / (KILLS + 1))
    service = await startService(install, { untilReady: false })
    await until('some rows are gone', () => countRows() <= target)
    await service.crash()
    const now = countRows()
    expect(now).toBeLessThan(left)
    left = now
    steps.push(now)
  }
  // The kills came while rows were left, or they would show nothing.
  expect(steps[0]).toBeGreaterThan(0)
  service = await startService(install)
  await until('the store is gone', () => countRows() === 0)
  const answer = await fetch(`${service.address}/v1/me`, {
    headers: { authorization: `Bearer ${other.token}` },
  })
  expect(answer.status).toBe(200)
  await service.stop()
  expect(inspect((db) => countLeft(db, install.storeId))).toEqual({})
  expect(dump()).toEqual(before)
  expect(inspect((db) => db.pragma('integrity_check', { simple: true }))).toBe('ok')
  expect(inspect((db) => db.pragma('foreign_key_check'))).toEqual([])
}, 240_000)
