import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DATABASE_FILE, type Db, openDatabase } from '../../../src/platform/db/open.ts'
import {
  findLogNumber,
  isSent,
  parseLogLine,
  parseSentLine,
  watchLogEnd,
} from '../../../src/platform/litestream/position.ts'

let dataDir: string
let db: Db
let end: ReturnType<typeof watchLogEnd>
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'lookalike-position-'))
  db = openDatabase(dataDir)
  db.pragma('wal_autocheckpoint = 0')
  db.exec('CREATE TABLE marks (n INTEGER)')
  end = watchLogEnd(database())
})
afterEach(() => {
  db.close()
  end.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const database = () => join(dataDir, DATABASE_FILE)
const log = () => readFileSync(`${database()}-wal`)
const saltsOf = (bytes: Buffer) => bytes.subarray(16, 24).toString('hex')

test('the end of the log lies behind the last commit, and moves with each', () => {
  const before = end.read()
  expect(before).toEqual({ salts: saltsOf(log()), bytes: log().length })
  db.exec('INSERT INTO marks VALUES (1)')
  const after = end.read()
  expect(after?.bytes).toBe(log().length)
  expect(after?.bytes).toBeGreaterThan(before?.bytes ?? 0)
})

test('a log that began anew has other salts and ends before the old bytes in the file', () => {
  const before = end.read()
  db.pragma('wal_checkpoint(RESTART)')
  db.exec('INSERT INTO marks VALUES (1)')
  const after = end.read()
  expect(after?.salts).not.toBe(before?.salts)
  expect(after?.salts).toBe(saltsOf(log()))
  expect(after?.bytes).toBeLessThan(log().length)
})

test('reading it drops none of the locks of SQLite', () => {
  const write = `new (require('bun:sqlite').Database)(process.argv[1]).exec('INSERT INTO marks VALUES (2)')`
  const writeElsewhere = () => Bun.spawnSync([process.execPath, '-e', write, database()]).stderr.toString()
  db.exec('BEGIN IMMEDIATE')
  end.read()
  end.read()
  expect(writeElsewhere()).toContain('database is locked')
  db.exec('ROLLBACK')
  expect(writeElsewhere()).toBe('')
})

test('without a database there is no end', () => {
  expect(watchLogEnd(join(dataDir, 'none.db')).read()).toBeUndefined()
})

test('a log has the number of the copy with its salts, in the present run', () => {
  const work = join(dataDir, 'work')
  const folder = join(work, 'generations/00aa/wal')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(work, 'generation'), '00aa\n')
  const header = (salts: string) =>
    Buffer.concat([Buffer.alloc(16), Buffer.from(salts, 'hex'), Buffer.alloc(8)])
  writeFileSync(join(folder, '00000009.wal'), header('0101010101010101'))
  writeFileSync(join(folder, '0000000a.wal'), header('0202020202020202'))
  expect(findLogNumber(work, '0202020202020202')).toEqual({ generation: '00aa', index: 10 })
  expect(findLogNumber(work, '0101010101010101')).toEqual({ generation: '00aa', index: 9 })
  expect(findLogNumber(work, '0303030303030303')).toBeUndefined()
  writeFileSync(join(work, 'generation'), '../..')
  expect(findLogNumber(work, '0202020202020202')).toBeUndefined()
})

test('a line says what was sent, and other lines say nothing of it', () => {
  const line = (fields: object) => parseSentLine(parseLogLine(JSON.stringify(fields)))
  const sent = { msg: 'wal segment written', position: '2f0264d6f781a225/0000000a:4152', sz: 8240 }
  expect(line(sent)).toEqual({ generation: '2f0264d6f781a225', index: 10, bytes: 12_392 })
  expect(line({ ...sent, msg: 'write wal segment' })).toBeUndefined()
  expect(line({ ...sent, position: 'elsewhere' })).toBeUndefined()
  expect(line({ ...sent, sz: '8240' })).toBeUndefined()
  expect(parseLogLine('panic: out of memory')).toEqual({ level: 'ERROR', msg: 'panic: out of memory' })
})

test('a later log holds all of an earlier one, and another run nothing', () => {
  const at = { generation: 'aa', index: 3 }
  const end = { salts: 's', bytes: 100 }
  expect(isSent({ generation: 'aa', index: 3, bytes: 100 }, at, end)).toBe(true)
  expect(isSent({ generation: 'aa', index: 3, bytes: 99 }, at, end)).toBe(false)
  expect(isSent({ generation: 'aa', index: 4, bytes: 32 }, at, end)).toBe(true)
  expect(isSent({ generation: 'aa', index: 2, bytes: 900 }, at, end)).toBe(false)
  expect(isSent({ generation: 'bb', index: 9, bytes: 900 }, at, end)).toBe(false)
})
