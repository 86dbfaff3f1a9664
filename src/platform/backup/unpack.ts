import { mkdir, open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Value } from '@sinclair/typebox/value'
import { UnreadableFile } from '../../core/unreadable-file.ts'
import type { BundleManifest } from '../archives/bundle.ts'
import { type BundleWish, readBundle } from '../archives/bundle-reader.ts'
import { DATABASE_FILE } from '../db/open.ts'
import { flushFolder } from '../sync-folder.ts'
import { isBackupPart } from './contents.ts'
import { BackupDetails, findFault } from './facts.ts'

export interface UnpackOptions {
  stop?: AbortSignal | undefined
  /** Learns how many bytes of the parts were read so far. */
  onBytes?: (bytes: number) => void
}

/** What a reader of backups asks for. */
export const BACKUP: BundleWish = { kind: 'backup', isKnown: isBackupPart }

/** What a backup says of itself. @throws UnreadableFile */
export function readDetails({ details, parts }: Pick<BundleManifest, 'details' | 'parts'>): BackupDetails {
  if (!Value.Check(BackupDetails, details) || !parts.some(({ path }) => path === DATABASE_FILE))
    throw new UnreadableFile('The manifest of the file is malformed')
  return details
}

/**
 * Reads a backup to its end, unpacks its database into a scratch folder, and tries that. The folder is gone afterwards.
 *
 * @throws UnreadableFile
 */
export async function tryBackup(path: string, scratch: string, options: UnpackOptions = {}): Promise<void> {
  try {
    await unpackBackup(path, scratch, { ...options, isWanted: (part) => part === DATABASE_FILE })
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/**
 * Unpacks a backup into a new folder, waits for the disk, and tries the database.
 *
 * @param isWanted whether to write a part; the others are read and compared with the manifest alone.
 * @throws UnreadableFile for a file that is not whole, or whose database is not what it should be; the error of the disk.
 */
export async function unpackBackup(
  path: string,
  folder: string,
  { stop, onBytes, isWanted = () => true }: UnpackOptions & { isWanted?: (part: string) => boolean },
): Promise<BundleManifest> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const folders = new Set([folder])
  let bytes = 0
  const count = (length: number): void => {
    bytes += length
    onBytes?.(bytes)
  }
  const manifest = await readBundle(
    path,
    { ...BACKUP, stop },
    {
      begin: (manifest) => void readDetails(manifest),
      async take(part, content) {
        if (!isWanted(part.path)) {
          for await (const piece of content) count(piece.length)
          return
        }
        const target = join(folder, part.path)
        for (let at = dirname(target); !folders.has(at); at = dirname(at)) folders.add(at)
        await mkdir(dirname(target), { recursive: true, mode: 0o700 })
        await writePart(target, content, count)
      },
    },
  )
  for (const each of folders) await flushFolder(each)
  const { models, answers } = readDetails(manifest)
  const { schema, counts } = manifest
  const fault = findFault(join(folder, DATABASE_FILE), { schema, counts, models, answers })
  if (fault) throw new UnreadableFile(`The backup is not good: ${fault}`)
  return manifest
}

async function writePart(
  path: string,
  content: AsyncIterable<Uint8Array>,
  count: (length: number) => void,
): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const piece of content) {
      for (let at = 0; at < piece.length; ) at += (await file.write(piece, at)).bytesWritten
      count(piece.length)
    }
    await file.sync()
  } finally {
    await file.close()
  }
}
