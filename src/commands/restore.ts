import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { systemClock } from '../core/clock.ts'
import { OperatorError, wrongUsage } from '../core/operator-error.ts'
import { sizeInWords } from '../core/text.ts'
import { UnreadableFile } from '../core/unreadable-file.ts'
import { forgetRunning } from '../features/operation/backups/queries.ts'
import { type BundleManifest, sumBytes } from '../platform/archives/bundle.ts'
import { readManifest } from '../platform/archives/bundle-reader.ts'
import { changeCopy } from '../platform/backup/facts.ts'
import { clearUnpacked, finishSwap, listOldStates, NEW_FOLDER, swapIn } from '../platform/backup/swap.ts'
import { BACKUP, readDetails, tryBackup, unpackBackup } from '../platform/backup/unpack.ts'
import { tryLockBackups, tryLockInstance } from '../platform/db/instance-lock.ts'
import { DATABASE_FILE, schemaVersion } from '../platform/db/open.ts'
import { giveTreeToOwner } from '../platform/owner.ts'
import type { Call, Command } from './cli/command.ts'
import { confirm } from './cli/confirm.ts'
import { createStopSignal } from './cli/stop-signal.ts'
import { makeVisible } from './cli/table.ts'
import { describeBackup, formatComparison, readPresent } from './restore/comparison.ts'
import { openSource } from './restore/copy.ts'
import { checkRoom } from './restore/free-space.ts'
import { tellMissingModels } from './restore/missing-models.ts'
import { restoreStore } from './restore/one-store.ts'
import { readAddresses } from './service/addresses.ts'
import { explainFolderError, makeFolder } from './service/data-folder.ts'
import { describeImport } from './store-file.ts'

/** `lookalike restore`. */
export const restore: Command = {
  name: 'restore',
  summary: 'put the state of a backup in the place of the present one; stop the service first',
  positionals: ['[FILE]'],
  options: [
    {
      flag: 'key-file',
      value: 'PATH',
      meaning:
        'file with the key of "backup key", for an encrypted copy: FILE.age or s3://bucket/prefix/FILE.age',
    },
    { flag: 'dry-run', meaning: 'read and try the file, show what it would replace, and change nothing' },
    { flag: 'yes', meaning: 'do not ask; needed where there is no terminal and something is replaced' },
    { flag: 'undo', meaning: 'instead of FILE: go back to the state before the last restore' },
    {
      flag: 'store',
      value: 'SLUG',
      meaning:
        'take this store alone out of FILE, into an install that may be running; its client secret is new',
    },
    { flag: 'as', value: 'SLUG', meaning: 'with --store: the slug that the store gets' },
    {
      flag: 'new-keys',
      meaning:
        'with --store: give its keys new values, for a copy beside the store that has the present ones',
    },
  ],
  settings: [
    ...(['DATA_DIR', 'HOST', 'PORT', 'BASE_URL', 'SMTP_URL', 'MAIL_FROM', 'MODEL_DIR'] as const),
    ...(['S3_ENDPOINT', 'S3_REGION', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const),
    ...(['OFFLINE', 'FETCH_ALLOW_CIDRS'] as const),
  ],
  essentials: ['DATA_DIR'],
  example:
    'lookalike restore /mnt/backups/lookalike-20261127T020000000Z.tar.zst --data-dir /var/lib/lookalike',
  findProblems: ({ store, as, undo, ...options }) => [
    ...(undo !== undefined && options['key-file'] !== undefined ? ['--key-file goes with FILE'] : []),
    ...(store !== undefined && (undo !== undefined || options['dry-run'] !== undefined)
      ? ['--store goes neither with --undo nor with --dry-run']
      : []),
    ...(store === undefined && (as !== undefined || options['new-keys'] !== undefined)
      ? ['--as and --new-keys go with --store']
      : []),
  ],
  async run(call) {
    const dataDir = resolve(call.config.DATA_DIR)
    const [file] = call.positionals
    if ((file === undefined) !== (call.options['undo'] !== undefined))
      throw wrongUsage('Give the FILE of a backup, or --undo')
    try {
      if (file === undefined) return await undo(dataDir, call)
      const { store, 'key-file': keyFile } = call.options
      const stop = createStopSignal()
      await using source = await openSource(file, keyFile, call.config, stop)
      return store === undefined
        ? await restoreFile(dataDir, source.path, call, stop)
        : await takeStore(source.path, store, call, stop)
    } catch (error) {
      if (error instanceof UnreadableFile)
        throw new OperatorError(`${error.message}. Nothing was changed: choose another backup.`)
      throw explainFolderError(dataDir, error)
    }
  },
}

async function takeStore(
  path: string,
  slug: string,
  { config, options }: Call,
  stop: AbortSignal,
): Promise<number> {
  const manifest = await openManifest(path)
  const wish = { slug, as: options['as'], hasNewKeys: options['new-keys'] !== undefined }
  const report = await restoreStore(config, path, manifest, wish, stop)
  if (report) console.log(describeImport(report))
  return report ? 0 : 1
}

async function restoreFile(
  dataDir: string,
  path: string,
  { options, config }: Call,
  stop: AbortSignal,
): Promise<number> {
  const manifest = await openManifest(path)
  const { has_secrets: hasSecrets, models } = readDetails(manifest)
  const isTrial = options['dry-run'] !== undefined
  using _lock = lockForRestore(dataDir, { isTrial })
  const present = readPresent(dataDir)
  console.log(formatComparison(dataDir, present, describeBackup(manifest)))
  const unpacked = join(dataDir, NEW_FOLDER)
  if (isTrial) {
    await checkRoom(dataDir, sumBytes(manifest.parts))
    await withProgress(manifest, (onBytes) => tryBackup(path, unpacked, { stop, onBytes }))
    console.log(
      `\nThe backup was opened and tried, and it is good. Nothing was changed.${await tellMissingModels(dataDir, config.MODEL_DIR, models)}`,
    )
    return 0
  }
  if (present && !(await mayReplace(options))) {
    console.log('Nothing was changed.')
    return 1
  }
  await checkRoom(dataDir, sumBytes(manifest.parts))
  try {
    await withProgress(manifest, (onBytes) => unpackBackup(path, unpacked, { stop, onBytes }))
    stop.throwIfAborted()
    changeCopy(join(unpacked, DATABASE_FILE), 'backups', forgetRunning)
    giveTreeToOwner(dataDir, unpacked)
  } catch (error) {
    rmSync(unpacked, { recursive: true, force: true })
    if (stop.aborted) throw new OperatorError('Stopped. Nothing was changed.')
    throw error
  }
  const old = swapIn(dataDir, NEW_FOLDER, systemClock.now())
  console.log(
    formatDone(dataDir, present ? old : undefined, hasSecrets) +
      (await tellMissingModels(dataDir, config.MODEL_DIR, models)),
  )
  return 0
}

async function undo(dataDir: string, { options }: Call): Promise<number> {
  using _lock = lockForRestore(dataDir, { isTrial: options['dry-run'] !== undefined })
  const last = listOldStates(dataDir).at(-1)
  if (last === undefined)
    throw new OperatorError(`There is no state before a restore in ${dataDir}. Nothing was changed.`)
  const before = readPresent(join(dataDir, last))
  console.log(formatComparison(dataDir, readPresent(dataDir), before ?? {}))
  if (options['dry-run'] !== undefined) return 0
  if (!(await mayReplace(options))) {
    console.log('Nothing was changed.')
    return 1
  }
  const old = swapIn(dataDir, last, systemClock.now())
  console.log(formatDone(dataDir, old, true))
  return 0
}

/** @throws OperatorError for a file that cannot be read, and for one of a newer program. */
async function openManifest(path: string): Promise<BundleManifest> {
  const manifest = await readFirst(path)
  if (manifest.schema <= schemaVersion) return manifest
  throw new OperatorError(
    `lookalike ${makeVisible(manifest.version)} made this backup, whose schema ${manifest.schema} is newer than ${schemaVersion}, the one that this program knows. Nothing was changed: use the newer lookalike.`,
  )
}

async function readFirst(path: string): Promise<BundleManifest> {
  try {
    return await readManifest(path, BACKUP)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (error instanceof UnreadableFile || code === undefined) throw error
    throw new OperatorError(
      code === 'ENOENT' ? `There is no file ${path}` : `Cannot read ${path}: ${message}`,
    )
  }
}

/**
 * Takes the data folder for this process alone, and finishes what an earlier restore began.
 *
 * @throws OperatorError while a service, a backup or another restore uses it.
 */
function lockForRestore(dataDir: string, { isTrial }: { isTrial: boolean }): Disposable {
  makeFolder(dataDir)
  // A trial changes nothing, so the service may go on.
  const unlockInstance = isTrial ? () => {} : tryLockInstance(dataDir)
  if (!unlockInstance) {
    const [address] = readAddresses(dataDir)
    throw new OperatorError(
      `A service uses ${dataDir}${address ? `: it listens on ${address}` : ''}. Stop it, then restore: systemctl stop lookalike`,
    )
  }
  const unlockBackups = tryLockBackups(dataDir)
  if (!unlockBackups) {
    unlockInstance()
    throw new OperatorError(`A backup of ${dataDir}, or a restore, is under way: wait until it has ended.`)
  }
  finishSwap(dataDir)
  clearUnpacked(dataDir)
  return {
    [Symbol.dispose]() {
      unlockBackups()
      unlockInstance()
    },
  }
}

const mayReplace = (options: Call['options']): Promise<boolean> =>
  confirm('Replace the present state by this? It is kept beside.', 'This replaces the present state', options)

/** Shows how far it is, on a terminal alone. */
async function withProgress<Result>(
  { parts }: BundleManifest,
  work: (onBytes: (bytes: number) => void) => Promise<Result>,
): Promise<Result> {
  const total = Math.max(sumBytes(parts), 1)
  const isShown = process.stderr.isTTY
  try {
    return await work((bytes) => {
      if (isShown)
        process.stderr.write(
          `\r\x1b[K${Math.floor((bytes / total) * 100)} % of ${sizeInWords(total)} unpacked and checked`,
        )
    })
  } finally {
    if (isShown) process.stderr.write('\r\x1b[K')
  }
}

const formatDone = (dataDir: string, old: string | undefined, hasSecrets: boolean): string =>
  `
Restored into ${dataDir}. Start the service: systemctl start lookalike${
    old === undefined
      ? ''
      : `
The state before is kept in ${old}.
Go back to it with "lookalike restore --undo"; when the service has answered rightly, delete it with: rm -r ${old}`
  }${
    hasSecrets
      ? ''
      : `
The backup has no keys. Those in ${join(dataDir, 'secrets')} stay: they must be the ones of that install, or "lookalike secret reset" makes new ones.`
  }`
