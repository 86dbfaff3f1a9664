import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { link, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type BundlePart, isPartPath } from '../archives/bundle.ts'
import { DATABASE_FILE, type Db } from '../db/open.ts'

/** What an install holds beside its database, and a backup with it. Each is replaced as a whole by a restore. */
export const FOLDERS = { secrets: 'secrets', pictures: 'pictures', jobs: 'jobs' } as const

const KNOWN = new RegExp(
  `^(${DATABASE_FILE.replace('.', '\\.')}|${FOLDERS.secrets}/[\\w-]+|${FOLDERS.pictures}/[0-9a-f]{2}/[0-9a-f]{64}|${FOLDERS.jobs}/[\\w.-]+)$`,
)

/** Whether a part of this path belongs into a backup. */
export const isBackupPart = (path: string): boolean => KNOWN.test(path)

/** A file that goes into a backup. */
export interface SourceFile {
  /** Its path in the backup, and in the data folder. */
  path: string
  /** Where it is read. */
  at: string
}

/** Lists the files beside the database that belong to it. @param db the copy, not the original. */
export async function listFiles(db: Db, dataDir: string, hasSecrets: boolean): Promise<SourceFile[]> {
  const paths: string[] = []
  // `secrets/data.before-…` and halves of files have a dot in their names.
  if (hasSecrets)
    for (const name of await listNames(join(dataDir, FOLDERS.secrets)))
      paths.push(`${FOLDERS.secrets}/${name}`)
  for (const name of await listNames(join(dataDir, FOLDERS.jobs))) paths.push(`${FOLDERS.jobs}/${name}`)
  for (const hash of listPictures(db)) paths.push(namePicture(hash))
  return paths
    .filter((path) => isBackupPart(path) && isPartPath(path))
    .map((path) => ({ path, at: join(dataDir, path) }))
}

async function listNames(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Where a kept picture lies in a data folder. */
export const namePicture = (hash: string): string => `${FOLDERS.pictures}/${hash.slice(0, 2)}/${hash}`

/** Hashes of the pictures that a database says are kept. */
export const listPictures = (db: Db): string[] =>
  db
    .prepare<[], string>('SELECT DISTINCT lower(hex(content_hash)) FROM kept_pictures ORDER BY 1')
    .pluck()
    .all()

/** Bytes of the pictures that a database says are kept. */
export const sumPictures = (db: Db): number =>
  db
    .prepare<[], number>(
      'SELECT coalesce(sum(bytes), 0) FROM (SELECT max(bytes) AS bytes FROM kept_pictures GROUP BY content_hash)',
    )
    .pluck()
    .get() as number

/**
 * Takes hold of files that the service may delete while they are packed: by a second name, where the disk can do that.
 *
 * @param folder exists, and lies on the disk of the backup.
 * @returns the files that are there. One that is gone belongs to a picture that nothing uses any more, or to a job that has
 *   ended.
 */
export async function hold(files: readonly SourceFile[], folder: string): Promise<SourceFile[]> {
  const held: SourceFile[] = []
  for (const [n, { path, at }] of files.entries()) {
    const second = join(folder, String(n))
    try {
      await link(at, second)
      held.push({ path, at: second })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue
      if (await exists(at)) held.push({ path, at })
    }
  }
  return held
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

/** Measures a file as it is now; what is appended to it later is left out. */
export async function describeFile({ path, at }: SourceFile): Promise<BundlePart> {
  const { size } = await stat(at)
  const hash = createHash('sha256')
  for await (const piece of readFile(at, size)) hash.update(piece)
  return { path, bytes: size, sha256: hash.digest('hex') }
}

/** Reads the first bytes of a file. */
export async function* readFile(path: string, bytes: number): AsyncGenerator<Uint8Array> {
  if (bytes === 0) return
  yield* createReadStream(path, { end: bytes - 1, highWaterMark: 256 * 1024 }) as AsyncIterable<Uint8Array>
}

/** The folder in which a backup is made before it has its name. One install makes one at a time. */
export const nameWorkFolder = (folder: string, dataDir: string): string =>
  join(folder, `.lookalike-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`)
