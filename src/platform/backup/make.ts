import { existsSync } from 'node:fs'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { OperatorError } from '../../core/operator-error.ts'
import { type BundleManifest, sumBytes } from '../archives/bundle.ts'
import { writeBundle } from '../archives/bundle-writer.ts'
import { tryLockBackups } from '../db/instance-lock.ts'
import { connect, DATABASE_FILE, type Db } from '../db/open.ts'
import { readFreeDisk } from '../disk.ts'
import { giveToOwner } from '../owner.ts'
import { flushFolder } from '../sync-folder.ts'
import {
  describeFile,
  FOLDERS,
  hold,
  listFiles,
  listPictures,
  namePicture,
  nameWorkFolder,
  readFile,
  sumPictures,
} from './contents.ts'
import { type BackupDetails, type DatabaseFacts, readFacts } from './facts.ts'
import { tryBackup } from './unpack.ts'

export interface BackupOrder {
  dataDir: string
  /** Where the file goes. */
  folder: string
  /** The name of the file. */
  name: string
  hasSecrets: boolean
  /** Of the program. */
  version: string
}

/** A backup that counts: it was written, opened and tried. */
export interface MadeBackup {
  path: string
  bytes: number
  sha256: string
  /** The moment of the copy, Unix ms. */
  madeAt: number
  /** Rows by table. */
  counts: Record<string, number>
}

/** What a backup is at, and how far, from 0 to 1 over all. */
export interface BackupProgress {
  step: 'copying' | 'packing' | 'trying'
  share: number
}

export interface MakeOptions {
  tell(progress: BackupProgress): void
  stop: AbortSignal
  now(): number
}

/** Shares of the whole that end each step. */
const COPIED = 0.3
const PACKED = 0.65
/** 4 MiB in one step, between which signals are handled. */
const STEP_PAGES = 1024
const MB = 1_000_000
/** For the rest of the work, and so that the disk is not filled to its end. */
const SPARE_BYTES = 64 * MB

/**
 * Makes a backup of a data folder, whether a service runs on it or not, and tries it before it gets its name. What it read of
 * the database is that of one moment.
 *
 * @throws OperatorError for what the operator can cure; other errors, and nothing is left behind.
 */
export async function makeBackup(order: BackupOrder, options: MakeOptions): Promise<MadeBackup> {
  const { dataDir, folder, name } = order
  const path = join(folder, name)
  const unlock = tryLockBackups(dataDir)
  if (!unlock) throw new OperatorError('Another backup or restore is under way: wait until it has ended.')
  const work = nameWorkFolder(folder, dataDir)
  try {
    await openFolder(folder, dataDir)
    // What a process left that was killed.
    await rm(work, { recursive: true, force: true })
    await mkdir(join(work, 'held'), { recursive: true, mode: 0o700 })
    if (existsSync(path)) throw new OperatorError(`${path} is there already.`)
    const made = await make(order, join(work, 'bundle'), work, options)
    options.stop.throwIfAborted()
    await rename(join(work, 'bundle'), path)
    giveToOwner(dataDir, path)
    await flushFolder(folder)
    return { ...made, path }
  } finally {
    await rm(work, { recursive: true, force: true }).catch(() => {})
    unlock()
  }
}

async function openFolder(folder: string, dataDir: string): Promise<void> {
  try {
    if ((await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined) giveToOwner(dataDir, folder)
  } catch (error) {
    throw new OperatorError(`Cannot make the folder ${folder} for backups: ${(error as Error).message}`)
  }
}

async function make(
  { dataDir, folder, hasSecrets, version }: BackupOrder,
  bundle: string,
  work: string,
  { tell, stop, now }: MakeOptions,
): Promise<Omit<MadeBackup, 'path'>> {
  const copy = join(work, DATABASE_FILE)
  tell({ step: 'copying', share: 0 })
  const { facts, madeAt } = await copyDatabase(dataDir, copy, folder, stop, now, (share) =>
    tell({ step: 'copying', share: share * COPIED }),
  )
  const held = await holdFiles(copy, dataDir, work, hasSecrets)
  demandPictures(dataDir, held)
  const files = [{ path: DATABASE_FILE, at: copy }, ...held]
  tell({ step: 'packing', share: COPIED })
  const parts: BundleManifest['parts'] = []
  for (const file of files) {
    stop.throwIfAborted()
    parts.push(await describeFile(file))
  }
  const { schema, counts, models, answers } = facts
  const details: BackupDetails = { has_secrets: hasSecrets, models, answers }
  const manifest: BundleManifest = {
    ...{ format: 1, kind: 'backup', version, schema, counts, parts, details },
    model: models[0]?.name ?? '',
    made_at: new Date(madeAt).toISOString(),
  }
  const places = new Map(files.map(({ path, at }) => [path, at]))
  const total = Math.max(sumBytes(parts), 1)
  const written = await writeBundle(
    bundle,
    manifest,
    ({ path, bytes }) => readFile(places.get(path) as string, bytes),
    {
      stop,
      onBytes: (bytes) => tell({ step: 'packing', share: COPIED + (bytes / total) * (PACKED - COPIED) }),
    },
  )
  await rm(copy)
  await tryBackup(bundle, join(work, 'trial'), {
    stop,
    onBytes: (bytes) => tell({ step: 'trying', share: PACKED + (bytes / total) * (1 - PACKED) * 0.5 }),
  })
  return { ...written, madeAt, counts }
}

/**
 * Copies the database as it is at one moment, in steps. The read transaction that is open meanwhile keeps other processes'
 * writes from starting the copy again, and keeps nobody from writing.
 */
async function copyDatabase(
  dataDir: string,
  to: string,
  folder: string,
  stop: AbortSignal,
  now: () => number,
  onShare: (share: number) => void,
): Promise<{ facts: DatabaseFacts; madeAt: number }> {
  const db = connect(dataDir)
  try {
    db.exec('BEGIN')
    // The first read decides the moment.
    const facts = readFacts(db)
    const madeAt = now()
    await checkRoom(db, folder)
    await db.backup(to, {
      progress({ totalPages, remainingPages }) {
        stop.throwIfAborted()
        onShare(1 - remainingPages / Math.max(totalPages, 1))
        return STEP_PAGES
      },
    })
    db.exec('COMMIT')
    return { facts, madeAt }
  } finally {
    db.close()
  }
}

/** The copy and the file are there at a time, and later the file and what it unpacks to. */
async function checkRoom(db: Db, folder: string): Promise<void> {
  const pages = db.pragma('page_count', { simple: true }) as number
  const database = pages * (db.pragma('page_size', { simple: true }) as number)
  const neededBytes = 2 * database + sumPictures(db) + SPARE_BYTES
  const { freeBytes } = await readFreeDisk(folder)
  if (freeBytes >= neededBytes) return
  throw new OperatorError(
    `The disk of ${folder} has ${Math.floor(freeBytes / MB)} MB free, and a backup needs ${Math.ceil(neededBytes / MB)} MB there: free some space, or name a folder on another disk in BACKUP_DIR.`,
  )
}

async function holdFiles(copy: string, dataDir: string, work: string, hasSecrets: boolean) {
  const db = new Database(copy, { readonly: true, fileMustExist: true })
  try {
    return await hold(await listFiles(db, dataDir, hasSecrets), join(work, 'held'))
  } finally {
    db.close()
    for (const end of ['-wal', '-shm']) await rm(copy + end, { force: true })
  }
}

/** The share of the kept pictures that may be missing: more is a folder that is lost, and not a file. */
const MISSING_MAX = 0.2

/**
 * A backup without the pictures must not count, because the good ones before it would be deleted.
 *
 * @throws OperatorError if too many files of kept pictures are missing. What was deleted while the database was copied is not.
 */
function demandPictures(dataDir: string, held: readonly { path: string }[]): void {
  const there = new Set(held.map(({ path }) => path))
  const db = connect(dataDir)
  try {
    const kept = listPictures(db)
    const missing = kept.filter((hash) => {
      const path = namePicture(hash)
      // One that came after the copy was made is no part of it.
      return !there.has(path) && !existsSync(join(dataDir, path))
    })
    if (missing.length <= kept.length * MISSING_MAX) return
    throw new OperatorError(
      `${missing.length} of ${kept.length} kept pictures have no file in ${join(dataDir, FOLDERS.pictures)}, so this backup would not count: put the folder back, or restore a backup that has them.`,
    )
  } finally {
    db.close()
  }
}

/** Whether there is a file of this size. */
export const isThere = (path: string, bytes: number): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile() && found.size === bytes,
    () => false,
  )
