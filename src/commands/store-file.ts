import { lstat, open, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { systemIds } from '../core/ids.ts'
import { OperatorError, wrongUsage } from '../core/operator-error.ts'
import { counted, decimalSize } from '../core/text.ts'
import { turn } from '../core/turns.ts'
import { UnreadableFile } from '../core/unreadable-file.ts'
import type { ExportReport } from '../features/stores/store-files/export.ts'
import type { ImportReport } from '../features/stores/store-files/import.ts'
import { PASSPHRASE_CHARS_MIN } from '../features/stores/store-files/sealing.ts'
import { tryLockInstance } from '../platform/db/instance-lock.ts'
import { readFreeDisk } from '../platform/disk.ts'
import { bundledModelHash } from '../platform/native/model-folder.ts'
import { createPictureFiles } from '../platform/pictures/kept.ts'
import { flushFolder } from '../platform/sync-folder.ts'
import type { Command } from './cli/command.ts'
import { JSON_OPTION } from './cli/options.ts'
import { readGivenPassword } from './cli/password-input.ts'
import { createProgress } from './cli/progress.ts'
import { createStopSignal } from './cli/stop-signal.ts'
import { makeVisible } from './cli/table.ts'
import { readAddresses } from './service/addresses.ts'
import { withInstall } from './service/with-install.ts'

const PASSPHRASE_FILE = 'passphrase-file'

export const exportStore: Command = {
  name: 'store export',
  summary: 'write a store with its products, pictures, settings and keys to one file, for another install',
  positionals: ['SLUG', 'FILE'],
  options: [
    {
      flag: PASSPHRASE_FILE,
      value: 'PATH',
      meaning: `file with a passphrase of at least ${PASSPHRASE_CHARS_MIN} characters, which seals the secrets of webhooks and the logins of feeds; without it they stay here`,
    },
    { flag: 'force', meaning: 'replace FILE if it is there' },
    JSON_OPTION,
  ],
  settings: ['DATA_DIR'],
  example: 'lookalike store export my-shop my-shop.store --passphrase-file passphrase.txt',
  async run({ config, options, positionals: [slug = '', name = ''] }) {
    const passphrase = await readPassphrase(options[PASSPHRASE_FILE])
    const path = await checkTarget(name, options['force'] !== undefined)
    const part = `${path}.${systemIds.uuid()}.part`
    const stop = createStopSignal()
    const progress = watch()
    try {
      const report = await withInstall(config, ({ storeFiles }) =>
        storeFiles.write(slug, part, {
          files: openFiles(config),
          passphrase,
          stop,
          onProgress: progress.show,
        }),
      )
      await rename(part, path)
      await flushFolder(dirname(path))
      progress.end()
      console.log(options['json'] ? JSON.stringify({ ...report, file: path }) : describeExport(report, name))
      return 0
    } catch (error) {
      progress.end()
      await rm(part, { force: true })
      if (!stop.aborted) throw explain(name, error)
      console.error(`Stopped. ${name} was not written.`)
      return 1
    }
  },
}

export const importStore: Command = {
  name: 'store import',
  summary: 'bring a store in that "store export" has written, on this install or another',
  positionals: ['FILE'],
  options: [
    { flag: 'as', value: 'SLUG', meaning: 'the slug that the store gets; by default that in the file' },
    {
      flag: PASSPHRASE_FILE,
      value: 'PATH',
      meaning: 'file with the passphrase that opens the secrets in the file',
    },
    {
      flag: 'new-keys',
      meaning:
        'give widget keys and API keys new values, for a copy beside the store that has the present ones',
    },
    JSON_OPTION,
  ],
  settings: ['DATA_DIR', 'HOST', 'PORT', 'BASE_URL', 'SMTP_URL', 'MAIL_FROM', 'MODEL_DIR'],
  essentials: ['DATA_DIR'],
  example: 'lookalike store import my-shop.store --passphrase-file passphrase.txt',
  async run({ config, options, positionals: [name = ''] }) {
    const passphrase = await readPassphrase(options[PASSPHRASE_FILE])
    const report = await bringIn(config, name, {
      slug: options['as'],
      passphrase,
      hasNewKeys: options['new-keys'] !== undefined,
    })
    if (!report) return 1
    console.log(options['json'] ? JSON.stringify(report) : describeImport(report))
    return 0
  },
}

export interface BringingIn {
  slug: string | undefined
  passphrase: string | undefined
  hasNewKeys: boolean
}

/** A step that must not hold a running service up leaves it as much time as it took, within this. */
const PAUSE_MS_MAX = 250
/** So that the disk is not filled to its end. */
const SPARE_BYTES = 64 * 1_000_000
/** How often a command looks whether the running service has opened its store. */
const OPENED_MS = 200

/**
 * Brings a store in from a file. While no service runs, the folder is locked so that none starts; a running one reads the
 * store into its index and opens it.
 *
 * @returns undefined when it was stopped.
 * @throws OperatorError
 */
export async function bringIn(
  config: Config,
  name: string,
  wanted: BringingIn,
  stop: AbortSignal = createStopSignal(),
): Promise<ImportReport | undefined> {
  const dataDir = resolve(config.DATA_DIR)
  const progress = watch()
  try {
    return await withInstall(config, async ({ storeFiles, storeRows }) => {
      let unlock = tryLockInstance(dataDir)
      // A service tells where it listens; what a restore replaces would be lost.
      if (!unlock && readAddresses(dataDir).length === 0)
        throw new OperatorError(
          `Another command, such as a restore, works on ${dataDir}. Nothing was brought in: try again when it has ended.`,
        )
      try {
        const isServed = unlock === undefined
        const report = await storeFiles.read(resolve(name), {
          ...wanted,
          files: openFiles(config),
          isServed,
          roomBytes: Math.max((await readFreeDisk(dataDir)).freeBytes - SPARE_BYTES, 0),
          ownModelHash: config.MODEL_DIR ? undefined : (storeFiles.findModelHash() ?? bundledModelHash()),
          pause: (ms) => (isServed ? Bun.sleep(Math.min(ms, PAUSE_MS_MAX)) : turn()),
          stop,
          onProgress: progress.show,
        })
        progress.end()
        while (isServed && storeFiles.isArriving(report.store_id)) {
          await Bun.sleep(OPENED_MS)
          unlock = tryLockInstance(dataDir)
          // The service has ended in the meantime.
          if (unlock) storeFiles.open({ storeId: report.store_id, slug: report.slug })
        }
        return { ...report, slug: storeRows.findStore(report.store_id)?.slug ?? report.slug }
      } finally {
        unlock?.()
      }
    })
  } catch (error) {
    progress.end()
    if (!stop.aborted) throw explain(name, error)
    console.error('Stopped. Nothing was brought in.')
    return undefined
  }
}

/** The kept pictures of an install that may be in use. */
export const openFiles = (config: Config) =>
  createPictureFiles(join(resolve(config.DATA_DIR), 'pictures'), systemIds.uuid, { isShared: true })

/** @returns undefined without a file. @throws OperatorError */
async function readPassphrase(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined
  const passphrase = await readGivenPassword({ 'password-file': file })
  if (passphrase !== undefined && passphrase.length >= PASSPHRASE_CHARS_MIN) return passphrase
  throw wrongUsage(`The passphrase in ${file} needs at least ${PASSPHRASE_CHARS_MIN} characters`)
}

/** @throws OperatorError for a file that must not be replaced, and for a folder that cannot be written to. */
async function checkTarget(name: string, mayReplace: boolean): Promise<string> {
  const path = resolve(name)
  const found = await lstat(path).catch(() => undefined)
  if (found && !found.isFile()) throw new OperatorError(`${name} is not a file`)
  if (found && !mayReplace) throw new OperatorError(`${name} is there already: --force replaces it`)
  const folder = await open(dirname(path), 'r').catch((error) => {
    throw explain(name, error)
  })
  await folder.close()
  return path
}

/** How often the progress is drawn again. */
const SHOWN_MS = 200

/** Draws the progress of a work that tells its share. */
function watch() {
  const progress = createProgress()
  let shownAt = performance.now()
  return {
    show(share: number): void {
      if (performance.now() - shownAt < SHOWN_MS) return
      shownAt = performance.now()
      progress.say(`${Math.floor(100 * share)} %`)
    },
    end: progress.end,
  }
}

/** Turns what is wrong with a file into a sentence about it. */
function explain(name: string, error: unknown): unknown {
  if (error instanceof UnreadableFile) return new OperatorError(`${name} cannot be used. ${error.message}`)
  const { syscall, message } = error as NodeJS.ErrnoException
  return syscall === undefined ? error : new OperatorError(`${name} cannot be read or written: ${message}`)
}

function describeExport(report: ExportReport, name: string): string {
  const { slug, bytes, products, pictures, members, lost, secretsLeftOut, unfinishedJobs } = report
  const notes = [
    secretsLeftOut > 0 &&
      `${counted(secretsLeftOut, 'secret')} of webhooks, callbacks and feeds stayed here: --passphrase-file takes them along, sealed.`,
    lost > 0 && `${counted(lost, 'picture')} could not be taken along, because the file is missing here.`,
    unfinishedJobs > 0 &&
      `${counted(unfinishedJobs, 'job')} of the store had not finished: what they were still to write is not in the file.`,
  ].filter((note) => note !== false)
  return [
    `${slug} is in ${name}: ${counted(products, 'product')}, ${counted(pictures, 'picture')}, ${counted(members, 'member')}; ${decimalSize(bytes)}.`,
    ...notes,
    'Bring it in elsewhere with: lookalike store import FILE',
  ].join('\n')
}

const SECRETS_IN_WORDS: Readonly<Record<ImportReport['secrets'], string>> = {
  opened: 'Secrets of webhooks, callbacks and feeds were opened.',
  closed:
    'The file holds secrets of webhooks, callbacks and feeds, which stayed closed without --passphrase-file.',
  absent: 'The file holds no secrets of webhooks, callbacks and feeds.',
}

export function describeImport(report: ImportReport): string {
  const { slug, name, plan, products, products_max: max, client_id, client_secret, invites } = report
  const notes = [
    max !== null &&
      products > max &&
      `The plan ${plan} allows ${counted(max, 'product')} here, so the store takes no new ones: lookalike store set-plan ${slug} PLAN`,
    SECRETS_IN_WORDS[report.secrets],
    report.webhooks_off > 0 &&
      `${counted(report.webhooks_off, 'webhook')} ${report.webhooks_off === 1 ? 'is' : 'are'} switched off. One that came without its secret has a new one: rotate it, tell the receiver, and enable the webhook.`,
    report.feeds_paused > 0 &&
      `${counted(report.feeds_paused, 'feed')} ${report.feeds_paused === 1 ? 'is' : 'are'} paused. One that came without its login needs its address with the login again.`,
    report.is_reembedded &&
      'Another model made the vectors: the service embeds the pictures anew while it runs.',
  ].filter((note) => note !== false)
  return `${slug} (${makeVisible(name)}) is here: ${counted(products, 'product')}, plan ${plan}.

  client_id      ${client_id}
  client_secret  ${client_secret}   (shown only now)

${notes.join('\n')}
${describeInvites(invites)}`
}

function describeInvites(invites: ImportReport['invites']): string {
  if (invites.length === 0) return 'The file names no members.'
  const lines = invites.map(
    ({ email, role, accept_url }) => `  ${email} (${role})  ${accept_url ?? 'by mail'}`,
  )
  return `Invitations, for 7 days; API keys work again once their makers have joined:\n${lines.join('\n')}`
}
