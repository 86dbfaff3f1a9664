import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { OperatorError, wrongInput } from '../../core/operator-error.ts'
import { storageFailure } from '../../core/storage.ts'
import { decimalSize } from '../../core/text.ts'
import { tryLockDownloads } from '../db/instance-lock.ts'
import { readFreeDisk } from '../disk.ts'
import { runWithDeadline } from '../outbound/deadline.ts'
import type { Egress } from '../outbound/egress.ts'
import { OutboundError } from '../outbound/failure.ts'
import { DownloadError } from '../outbound/follow.ts'
import { giveToOwner, giveTreeToOwner } from '../owner.ts'
import { flushFolder } from '../sync-folder.ts'
import { type HandFile, tellByHand } from './by-hand.ts'
import { downloadFile, findBytesHere, hashFile, isThere } from './file-download.ts'
import {
  HUB,
  HUB_LIMITS,
  type HubAccess,
  type HubFile,
  type HubLimits,
  type HubSource,
  listHubFiles,
  parseHubOrder,
  parseMirror,
} from './hub.ts'
import { clearOldDownloads, nameTaken } from './incoming.ts'
import { KNOWN_MODELS, type KnownModel } from './known.ts'
import { chooseFiles, tooLarge, USUAL_FILES } from './layout.ts'

/** A model of our list, or any export: `owner/name@COMMIT`. */
export type ModelOrder = { name: string } | { hub: string }

export interface DownloadOptions {
  /** Another server with the hub's addresses; an argument of the operator's command line. */
  mirror?: string | undefined
  /** Whether the operator trusts the hub's own hashes where none stands in the program. */
  isTrusted: boolean
  /** From {@link workFolderOf}. It is there once all files are complete, and not before. */
  folder: string
  /** A model of the same name, which need not be downloaded again if its files are the same. */
  present?: string | undefined
  /** From `createModelEgress`. */
  egress: Pick<Egress, 'send'>
  isOffline: boolean
  /** Gets the files and their hashes once, before the first is loaded. */
  show?(files: readonly HubFile[]): void
  /** @param progress `bytes` are those of all files that are here. */
  tell(progress: { file: string; bytes: number; bytesTotal: number }): void
  signal: AbortSignal
  limits?: Partial<DownloadLimits>
  /** The models that have a name; by default those of this program. */
  known?: readonly KnownModel[]
}

export interface DownloadLimits extends HubLimits {
  /** The slowest download, in bytes a second; so much time is given to all of it, and {@link extraMs}. */
  slowest: number
  extraMs: number
}

/** What the folder of a download remembers of where its files come from. */
interface SourceNote {
  base: string
  repository: string
  revision: string
  files: (HubFile & { sha256?: string })[]
}

/** An order after our list and the command line were looked at. */
interface Plan {
  name: string
  source: HubSource
  /** Undefined where the hub's listing chooses the files. */
  known: KnownModel | undefined
}

const DEFAULT_LIMITS: DownloadLimits = { ...HUB_LIMITS, slowest: 8 * 1024, extraMs: 10 * 60_000 }

/** So that a disk is not filled to its end. */
const SPARE_BYTES = 128_000_000

const NOTE_FILE = 'source.json'

/** The name that the model of an order has on this machine. @throws OperatorError for an order of no form. */
export function nameOfOrder(order: ModelOrder): string {
  if ('name' in order) {
    if (/^[a-z0-9][a-z0-9._-]{0,63}$/.test(order.name)) return order.name
    throw wrongInput(`${JSON.stringify(order.name)} is no name of a model.`)
  }
  const { repository } = parseHubOrder(order.hub)
  const [, name = ''] = repository.split('/')
  return name.toLowerCase().slice(0, 64)
}

/**
 * The folder of a download, hidden beside the models of an install.
 *
 * @throws OperatorError for an order of no form.
 */
export const workFolderOf = (modelsFolder: string, order: ModelOrder): string =>
  join(modelsFolder, `.fetched-${nameOfOrder(order)}`)

/**
 * Downloads the files of a model, each held against its hash. An interrupted download goes on where it stopped, also
 * after the program was killed.
 *
 * @returns the complete folder, which the caller adds to the models and then deletes; or the model that is `present`.
 * @throws OperatorError that says what to do, in the first line of its message; the signal's reason.
 */
export async function downloadModel(order: ModelOrder, options: DownloadOptions): Promise<string> {
  const plan = planOrder(order, options)
  if (options.isOffline && options.mirror === undefined)
    throw new OperatorError(
      `The command is offline (--offline, or OFFLINE=1), so bring the files by hand.\n\n${tellPlan(plan)}`,
    )
  const access = { egress: options.egress, hasAnswered: false }
  let unlock: (() => void) | undefined
  try {
    await makeParent(options.folder)
    unlock = tryLockDownloads(dirname(options.folder))
    if (!unlock) throw new OperatorError('Another lookalike is downloading a model: wait until it has ended.')
    return await run(plan, options, access)
  } catch (error) {
    options.signal.throwIfAborted()
    throw explain(error, plan, options, access.hasAnswered)
  } finally {
    if (unlock) giveAway(options.folder)
    unlock?.()
  }
}

/** Deletes downloads that nobody goes on with, unless one is under way. */
export async function sweepDownloads(modelsFolder: string, now: number): Promise<void> {
  if (!existsSync(modelsFolder)) return
  const unlock = tryLockDownloads(modelsFolder)
  if (!unlock) return
  try {
    await clearOldDownloads(modelsFolder, now)
  } finally {
    unlock()
  }
}

/** Root may download for a service of another user, which must then be able to read, go on with and delete the files. */
function giveAway(folder: string): void {
  for (const one of [folder, `${folder}.partial`]) if (existsSync(one)) giveTreeToOwner(dirname(folder), one)
}

async function makeParent(folder: string): Promise<void> {
  const models = dirname(folder)
  const made = await mkdir(models, { recursive: true, mode: 0o700 })
  if (made !== undefined) giveToOwner(dirname(models), models)
}

async function run(
  plan: Plan,
  options: DownloadOptions,
  shared: Pick<HubAccess, 'egress' | 'hasAnswered'>,
): Promise<string> {
  const { slowest, extraMs, ...limits } = { ...DEFAULT_LIMITS, ...options.limits }
  const withAccess = <Value>(ms: number, work: (access: HubAccess) => Promise<Value>): Promise<Value> =>
    runWithDeadline(ms, options.signal, (signal) => work(Object.assign(shared, { signal, limits })))
  const files = await withAccess(extraMs, (access) => findFiles(plan, access))
  options.show?.(files)
  const bytesTotal = sumOf(files)
  const note: SourceNote = { ...plan.source, files }
  if (options.present !== undefined) {
    if (await hasFiles(options.present, files)) return options.present
    throw nameTaken(basename(options.present))
  }
  if (await isComplete(options.folder, note)) return options.folder
  await rm(options.folder, { recursive: true, force: true })
  const partial = `${options.folder}.partial`
  await preparePartial(partial, note)
  giveTreeToOwner(dirname(partial), partial)
  await demandRoom(partial, files)
  await withAccess(extraMs + (bytesTotal / slowest) * 1_000, async (access) => {
    let done = 0
    for (const file of files) {
      const tell = (bytes: number) => options.tell({ file: file.path, bytes: done + bytes, bytesTotal })
      const target = join(partial, file.path)
      if (!(await isThere(target, file)))
        await downloadFile({ source: plan.source, file, target, tell }, access)
      access.signal.throwIfAborted()
      tell(file.bytes)
      done += file.bytes
    }
  })
  await finish(partial, options.folder, note)
  return options.folder
}

function demandKnown(name: string, models = KNOWN_MODELS): KnownModel {
  const known = models.find((model) => model.name === name)
  if (known) return known
  const names = models.map((model) => model.name).join(', ')
  throw wrongInput(
    `${JSON.stringify(name)} is no model that this program knows: it knows ${names}; any other takes --hub owner/name@COMMIT.`,
  )
}

/** @throws OperatorError for an order that names no model, or one that the operator has not said to trust. */
function planOrder(order: ModelOrder, { mirror, isTrusted, known: models }: DownloadOptions): Plan {
  const base = mirror === undefined ? HUB : parseMirror(mirror)
  const name = nameOfOrder(order)
  if ('hub' in order) {
    const plan: Plan = { name, source: { base, ...parseHubOrder(order.hub) }, known: undefined }
    if (isTrusted) return plan
    throw wrongInput(
      `No hash of ${order.hub} stands in this program, so only the server says what its files are: look at the model's page, and add --trust if you trust it.`,
    )
  }
  const known = demandKnown(order.name, models)
  const { repository, revision, status } = known
  if (revision === null) {
    throw wrongInput(
      `No export of ${name} could be confirmed: find one for transformers.js with ONNX files, and name it with --hub owner/name@COMMIT --trust.`,
    )
  }
  if (status === 'unconfirmed' && !isTrusted) {
    throw wrongInput(
      `The hashes of ${name} are unconfirmed, so only the server says what its files are: look at ${HUB}/${repository}, and add --trust if you trust it.`,
    )
  }
  return { name, source: { base, repository, revision }, known }
}

/** The files with their lengths and hashes: our own where we have them, else the server's. */
async function findFiles({ source, known }: Plan, access: HubAccess): Promise<HubFile[]> {
  const confirmed = known?.files.map(toHubFile).filter((file) => file !== undefined)
  if (known && confirmed?.length === known.files.length) return confirmed
  const listed = await listHubFiles(access, source)
  if (!known) return chooseFiles(listed, source.repository)
  return known.files.map((wanted) => {
    const file = toHubFile(wanted) ?? listed.get(wanted.path)
    if (!file)
      throw new OperatorError(`${source.repository} has no ${wanted.path} at commit ${source.revision}.`)
    if (file.bytes > wanted.bytes) throw tooLarge(wanted.path, file.bytes, wanted.bytes)
    return file
  })
}

const toHubFile = ({ path, bytes, sha256 }: KnownModel['files'][number]): HubFile | undefined =>
  sha256 === null ? undefined : { path, bytes, hash: { algorithm: 'sha256', hex: sha256 } }

const sumOf = (files: readonly HubFile[]): number => files.reduce((sum, { bytes }) => sum + bytes, 0)

/** Whether an earlier run has left the whole folder, which nobody has added. */
async function isComplete(folder: string, note: SourceNote): Promise<boolean> {
  return isSame(await readNote(folder), note) && hasFiles(folder, note.files)
}

async function hasFiles(folder: string, files: readonly HubFile[]): Promise<boolean> {
  for (const file of files) if (!(await isThere(join(folder, file.path), file))) return false
  return true
}

/** Keeps what an earlier run has left of the same files, and nothing else. */
async function preparePartial(partial: string, note: SourceNote): Promise<void> {
  if (!isSame(await readNote(partial), note)) await rm(partial, { recursive: true, force: true })
  await mkdir(join(partial, 'onnx'), { recursive: true, mode: 0o700 })
  await writeNote(partial, note)
}

/** Another server may go on with the files: their hashes are the same. */
const isSame = (found: SourceNote | undefined, { repository, revision, files }: SourceNote): boolean =>
  found !== undefined &&
  found.repository === repository &&
  found.revision === revision &&
  JSON.stringify(found.files.map(identify)) === JSON.stringify(files.map(identify))

const identify = ({ path, bytes, hash }: HubFile) => [path, bytes, hash.algorithm, hash.hex]

async function readNote(folder: string): Promise<SourceNote | undefined> {
  try {
    const note = JSON.parse(await readFile(join(folder, NOTE_FILE), 'utf8'))
    return Array.isArray(note?.files) ? note : undefined
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

const writeNote = (folder: string, note: SourceNote): Promise<void> =>
  writeFile(join(folder, NOTE_FILE), `${JSON.stringify(note, null, 2)}\n`, { mode: 0o600 })

async function demandRoom(partial: string, files: readonly HubFile[]): Promise<void> {
  let missing = 0
  for (const { path, bytes } of files)
    missing += Math.max(0, bytes - (await findBytesHere(join(partial, path))))
  const { freeBytes } = await readFreeDisk(partial)
  if (freeBytes >= missing + SPARE_BYTES) return
  throw new OperatorError(
    `The disk of ${dirname(partial)} has ${decimalSize(freeBytes)} free, and the download needs ${decimalSize(missing + SPARE_BYTES)}: free some space first.`,
  )
}

/** The folder appears as a whole. What each file hashes to is written down, also where only git's hash was known. */
async function finish(partial: string, folder: string, note: SourceNote): Promise<void> {
  const files = await Promise.all(
    note.files.map(async (file) => ({ ...file, sha256: await hashFile(join(partial, file.path)) })),
  )
  await writeNote(partial, { ...note, files })
  await flushFolder(join(partial, 'onnx'))
  await flushFolder(partial)
  await rename(partial, folder)
  await flushFolder(dirname(folder))
}

/** @returns the error for the operator; errors of this program's own come back as they are. */
function explain(error: unknown, plan: Plan, options: DownloadOptions, hasAnswered: boolean): unknown {
  const again = 'run the same command again; it goes on where it stopped'
  const server = new URL(plan.source.base).host
  if (error instanceof OperatorError) return error
  if (error instanceof OutboundError) {
    const isNetwork = ['dns', 'connect', 'timeout', 'tls'].includes(error.reason)
    if (!isNetwork) return new OperatorError(`${error.message}: nothing was loaded from there.`)
    if (hasAnswered) return new OperatorError(`${error.message}: ${again}.`)
    return new OperatorError(
      `${server} cannot be reached (${error.message}), so bring the files by hand.\n\n${tellPlan(plan)}`,
    )
  }
  if (error instanceof DownloadError)
    return new OperatorError(`${error.message}: try another server with --url.`)
  const models = dirname(options.folder)
  const fault = storageFailure(error)
  if (fault?.code === 'storage_full')
    return new OperatorError(`The disk of ${models} is full: free some space, and ${again}.`)
  if (fault || (error as NodeJS.ErrnoException | undefined)?.syscall)
    return new OperatorError(
      `${models} cannot be written (${(error as Error).message}): check the disk and whom the folder belongs to, and ${again}.`,
    )
  // The deadline of the whole download.
  if ((error as Error | undefined)?.name === 'AbortError')
    return new OperatorError(`${server} is too slow: ${again}, or try another server with --url.`)
  return error
}

/** What a person brings by hand; only the server knows the lengths and hashes that stand nowhere here. */
function tellPlan({ name, source, known }: Plan): string {
  const files: HandFile[] = known
    ? known.files.map((file) => ({
        path: file.path,
        bytes: toHubFile(file)?.bytes,
        hash: toHubFile(file)?.hash,
      }))
    : USUAL_FILES.map((path) => ({ path, bytes: undefined, hash: undefined }))
  return tellByHand({ name, source, files })
}
