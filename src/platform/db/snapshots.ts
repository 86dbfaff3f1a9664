import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../core/operator-error.ts'
import { giveToOwner } from '../owner.ts'
import { replaceFile } from '../replace-file.ts'
import { syncFolder } from '../sync-folder.ts'
import { readFileSizes } from './file-sizes.ts'
import { connect, DATABASE_FILE, type Db } from './open.ts'

/** A copy of the database as it was before a migration. */
export interface Snapshot {
  path: string
  schema: number
  /** Unix ms. */
  madeAt: number
}

/** In the data folder. */
const FOLDER = 'snapshots'
const NAME = /^schema-(\d{1,6})-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z\.db$/
const HALF = 'unfinished'
/** Names the snapshot of the migration that is under way. */
const MARK = 'migrating'
const MODE = 0o600
const MB = 1_000_000
/** For what the migration itself writes, and so that the disk is not filled to its end. */
const SPARE_BYTES = 64 * MB

/** Offsets in the header of a database (sqlite.org/fileformat2.html, 1.3). */
const HEADER = { bytes: 100, magic: 'SQLite format 3\0', pageSizeAt: 16, pagesAt: 28, versionAt: 60 }

/** How the header of a database describes the file; undefined without a file, or for one that is no database. */
export function readHeader(path: string): { schema: number; bytes: number } | undefined {
  const header = Buffer.alloc(HEADER.bytes)
  try {
    const file = openSync(path, 'r')
    try {
      if (readSync(file, header, 0, HEADER.bytes, 0) < HEADER.bytes) return undefined
    } finally {
      closeSync(file)
    }
  } catch {
    return undefined
  }
  if (header.toString('latin1', 0, HEADER.magic.length) !== HEADER.magic) return undefined
  const pageSize = header.readUInt16BE(HEADER.pageSizeAt)
  return {
    schema: header.readUInt32BE(HEADER.versionAt),
    bytes: header.readUInt32BE(HEADER.pagesAt) * (pageSize === 1 ? 65_536 : pageSize),
  }
}

/**
 * Lists the whole snapshots of a data folder, the newest first. One that has become the database is none any more: it shares its
 * file with it.
 */
export function listSnapshots(dataDir: string): Snapshot[] {
  const folder = join(dataDir, FOLDER)
  if (!existsSync(folder)) return []
  const live = statSync(join(dataDir, DATABASE_FILE), { throwIfNoEntry: false })
  return readdirSync(folder)
    .flatMap((name) => {
      const [, schema, year, ...rest] = NAME.exec(name) ?? []
      const path = join(folder, name)
      if (schema === undefined || statSync(path).ino === live?.ino) return []
      const [month, day, h, m, s, ms] = rest
      const madeAt = Date.parse(`${year}-${month}-${day}T${h}:${m}:${s}.${ms}Z`)
      return Number.isNaN(madeAt) ? [] : [{ path, schema: Number(schema), madeAt }]
    })
    .sort((a, b) => b.madeAt - a.madeAt)
}

/** The newest snapshot that a program of this schema can open. */
export const findSnapshot = (dataDir: string, schema: number): Snapshot | undefined =>
  listSnapshots(dataDir).find((snapshot) => snapshot.schema <= schema)

/** Whether a file is as long as its header says, and of the schema that its name says. */
export function isWhole({ path, schema }: Snapshot): boolean {
  const header = readHeader(path)
  return header?.schema === schema && statSync(path).size === header.bytes
}

/**
 * Copies a database before it is migrated, and keeps the last `keep` copies. A migration that goes on after it was stopped has its
 * snapshot already. Nobody writes meanwhile.
 *
 * Where the file system can share blocks between files (btrfs, XFS), the copy takes no time and no room.
 *
 * @param busyMs how long to wait for others that use the database.
 * @throws OperatorError without room for it.
 */
export function takeSnapshot(
  dataDir: string,
  { keep, now, busyMs }: { keep: number; now: number; busyMs: number },
): void {
  const folder = join(dataDir, FOLDER)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const half = join(folder, HALF)
  const copied = copyUnwritten(dataDir, busyMs, (schema, from) => {
    if (isUnderWay(dataDir, schema)) return undefined
    // One stays until the new one is whole.
    dropSnapshots(dataDir, Math.max(keep - 1, 1))
    rmSync(half, { force: true })
    demandRoom(dataDir, statSync(from).size)
    // A link that somebody has put there meanwhile is not followed.
    copyFileSync(from, half, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
    chmodSync(half, MODE)
    // A command that root ran must not keep the service from its snapshot.
    giveToOwner(dataDir, folder, half)
    return schema
  })
  if (copied === undefined) return
  const name = `schema-${copied}-${new Date(now).toISOString().replaceAll(/[-:.]/g, '')}.db`
  const path = join(folder, name)
  flush(half)
  if (!isWhole({ path: half, schema: copied, madeAt: now }))
    throw new Error('The snapshot of the database is not what was copied')
  renameSync(half, path)
  syncFolder(folder)
  dropSnapshots(dataDir, keep)
  replaceFile(join(folder, MARK), name, MODE)
}

/** Says that no migration is under way. */
export const endMigration = (dataDir: string): void => rmSync(join(dataDir, FOLDER, MARK), { force: true })

/** Deletes all snapshots but the newest ones. */
function dropSnapshots(dataDir: string, keep: number): void {
  for (const { path } of listSnapshots(dataDir).slice(keep)) rmSync(path, { force: true })
}

/** Whether a migration has begun from a snapshot that is still there, and has not come to its end. */
function isUnderWay(dataDir: string, schema: number): boolean {
  const mark = join(dataDir, FOLDER, MARK)
  if (!existsSync(mark)) return false
  const name = readFileSync(mark, 'utf8')
  return listSnapshots(dataDir).some(
    (snapshot) => snapshot.path.endsWith(`/${name}`) && snapshot.schema < schema,
  )
}

const TRIES = 100

/**
 * Runs `work` while the file of a database holds everything and nobody writes to it.
 *
 * The connection is made for this alone and closed at once: when `work` closes the file, the system takes away the locks that
 * SQLite has on it in this process. The lock for writing is on another file.
 */
function copyUnwritten<Result>(
  dataDir: string,
  busyMs: number,
  work: (schema: number, path: string) => Result,
): Result {
  const db = connect(dataDir)
  try {
    db.pragma(`busy_timeout = ${busyMs}`)
    lockEmptyLog(db)
    return work(db.pragma('user_version', { simple: true }) as number, db.name)
  } finally {
    if (db.inTransaction) db.exec('ROLLBACK')
    db.close()
  }
}

/** Takes the lock for writing at a moment at which the log is empty. */
function lockEmptyLog(db: Db): void {
  for (let tries = 1; ; tries++) {
    db.pragma('wal_checkpoint(TRUNCATE)')
    db.exec('BEGIN IMMEDIATE')
    if (readFileSizes(db)?.walBytes === 0) return
    db.exec('ROLLBACK')
    if (tries === TRIES)
      throw new OperatorError(
        'Another program reads or writes the database all the time, so no snapshot can be made before its migration: stop that program.',
      )
  }
}

function demandRoom(dataDir: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(dataDir)
  const [free, needed] = [bavail * bsize, bytes + SPARE_BYTES]
  if (free >= needed) return
  throw new OperatorError(
    `The disk of ${dataDir} has ${Math.floor(free / MB)} MB free, and the snapshot of the database before its migration needs ${Math.ceil(needed / MB)} MB. Nothing was changed: free some space, or make a backup elsewhere and set SNAPSHOT_KEEP=0, which migrates without a snapshot.`,
  )
}

function flush(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
