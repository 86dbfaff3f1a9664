import { cpSync, existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../../config.ts'
import { systemIds } from '../../core/ids.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { type BundleManifest, sumBytes } from '../../platform/archives/bundle.ts'
import { FOLDERS } from '../../platform/backup/contents.ts'
import { clearUnpacked, STORE_FOLDER } from '../../platform/backup/swap.ts'
import { unpackBackup } from '../../platform/backup/unpack.ts'
import { tryLockBackups } from '../../platform/db/instance-lock.ts'
import { DATABASE_FILE } from '../../platform/db/open.ts'
import { checkFolder } from '../service/data-folder.ts'
import { withInstall } from '../service/with-install.ts'
import { bringIn, openFiles } from '../store-file.ts'
import { checkRoom } from './free-space.ts'

const WANTED: readonly string[] = [DATABASE_FILE, FOLDERS.pictures, FOLDERS.secrets]

export interface StoreWish {
  /** In the backup. */
  slug: string
  /** Here; by default the same. */
  as: string | undefined
  hasNewKeys: boolean
}

/**
 * Takes one store out of a backup into an install, whether it runs or not: the backup is unpacked beside it, the store written
 * to a file there, and that brought in.
 *
 * @returns undefined when it was stopped.
 * @throws OperatorError; UnreadableFile for a backup that is not good.
 */
export async function restoreStore(
  config: Config,
  path: string,
  { parts }: BundleManifest,
  { slug, as, hasNewKeys }: StoreWish,
  stop: AbortSignal,
) {
  const dataDir = resolve(config.DATA_DIR)
  checkFolder(dataDir, { mayMake: false })
  const unlock = tryLockBackups(dataDir)
  if (!unlock)
    throw new OperatorError(`A backup of ${dataDir}, or a restore, is under way: wait until it has ended`)
  const scratch = join(dataDir, STORE_FOLDER)
  try {
    clearUnpacked(dataDir)
    const isWanted = (part: string) => WANTED.includes(part.split('/')[0] ?? '')
    // What is unpacked, the file of the store, and the store itself: at most thrice the same.
    await checkRoom(dataDir, 3 * sumBytes(parts.filter((part) => isWanted(part.path))))
    await unpackBackup(path, scratch, { stop, isWanted })
    // A backup without its keys may be one of this install.
    const secrets = join(scratch, FOLDERS.secrets)
    if (!existsSync(secrets)) cpSync(join(dataDir, FOLDERS.secrets), secrets, { recursive: true })
    const there: Config = { ...config, DATA_DIR: scratch }
    // Nobody else ever sees the file.
    const passphrase = systemIds.secret(32)
    const file = join(scratch, 'one.store')
    await withInstall(there, ({ storeFiles }) =>
      storeFiles.write(slug, file, { files: openFiles(there), passphrase, stop }),
    )
    return await bringIn(config, file, { slug: as, passphrase, hasNewKeys }, stop)
  } finally {
    clearUnpacked(dataDir)
    unlock()
  }
}
