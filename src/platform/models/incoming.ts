import { constants } from 'node:fs'
import { type FileHandle, link, lstat, mkdir, open, readdir, realpath, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { DAY_MS } from '../../core/clock.ts'
import { OperatorError, wrongInput } from '../../core/operator-error.ts'
import { readFreeDisk } from '../disk.ts'
import { flushFolder } from '../sync-folder.ts'
import type { ModelFolder } from './shelf.ts'

/** The model's library finds a folder by a name that a repository could have, so no two dots or dashes stand together in it. */
const NAME = /^(?=.{1,64}$)[a-z0-9]+([._-][a-z0-9]+)*$/
const OTHER_ENDS = /\.(git|ipynb)$/
export const MODEL_NAME_RULE =
  'a name has at most 64 small letters and digits, with single dots, dashes or underscores between them'

export const isModelName = (name: string): boolean => NAME.test(name) && !OTHER_ENDS.test(name)

/** The name that a folder gives a model: capitals become small letters, and what no name may have becomes a dash. */
export const nameAfter = (folder: string): string =>
  folder
    .toLowerCase()
    .slice(0, 64)
    .replaceAll(/[^a-z0-9._]+/g, '-')
    .replaceAll(/([._-])[._-]+/g, '$1')
    .replaceAll(/^[._-]|[._-]$/g, '')

export const nameTaken = (name: string) =>
  wrongInput(
    `There is another model ${name} here: name this one with --name, or remove the other with "lookalike model remove ${name}".`,
  )

const MB = 1_000_000
/** Weights of a large model in fp32; more would not fit into the memory of a process either. */
const WEIGHTS_BYTES_MAX = 4_000 * MB
/** The largest tokenizer of a family takes 34 MB. */
const TEXT_BYTES_MAX = 64 * MB
/** So that the disk is not filled to its end. */
const SPARE_BYTES = 64 * MB
const PIECE_BYTES = 1024 * 1024

interface CopyOrder {
  source: string
  /** The folder of all models. */
  root: string
  /** A hidden folder in it, which does not exist yet. */
  work: string
  inspect(dir: string): ModelFolder
  signal: AbortSignal
  tell(done: number, total: number): void
}

interface IncomingFile {
  path: string
  bytes: number
}

/**
 * Copies the files of a model that the program reads, and no other; all of it is on the disk afterwards.
 *
 * @throws OperatorError for a folder without them, for links, and for a disk without room.
 */
export async function copyModel({ source, root, work, inspect, signal, tell }: CopyOrder): Promise<void> {
  const place = await findSource(source, root)
  await demandPlain(place.dir)
  const files: IncomingFile[] = []
  for (const { path } of look(place.dir, inspect).files) {
    const bytes = await measure(place.dir, path)
    if (bytes !== undefined) files.push({ path, bytes })
  }
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  if (!place.isOurs) await demandRoom(root, total)
  await mkdir(join(work, 'onnx'), { recursive: true, mode: 0o700 })
  let done = 0
  const advance = (more: number): void => {
    done += more
    tell(done, total)
  }
  for (const { path, bytes } of files) {
    signal.throwIfAborted()
    if (place.isOurs) await link(join(place.dir, path), join(work, path))
    else await copyFile(join(place.dir, path), join(work, path), bytes, signal, advance)
  }
  tell(total, total)
  await flushFolder(join(work, 'onnx'))
  await flushFolder(work)
}

/** @throws OperatorError */
function look(dir: string, inspect: CopyOrder['inspect']): ModelFolder {
  try {
    return inspect(dir)
  } catch (error) {
    throw wrongInput(`${dir} holds no model that can be used: ${(error as Error).message}.`)
  }
}

/** @returns `isOurs` for a download, whose hidden folder lies beside the models: its files get a second name. */
async function findSource(source: string, root: string): Promise<{ dir: string; isOurs: boolean }> {
  const dir = await realpath(source).catch(() => {
    throw wrongInput(`There is no folder ${source}: name the one that holds config.json and onnx/.`)
  })
  if (!(await lstat(dir)).isDirectory())
    throw wrongInput(`${source} is a file: name the folder that holds config.json and onnx/.`)
  const inner = relative(await realpath(root), dir)
  const isInside = inner === '' || !inner.startsWith('..')
  if (isInside && !(inner.startsWith('.') && dirname(inner) === '.'))
    throw wrongInput(
      `${source} lies in the folder of the models themselves: move it to another place, and add it from there.`,
    )
  return { dir, isOurs: isInside }
}

/**
 * Looks at what the program might read before it reads anything: a pipe would hold up its reader for ever, and a device has no end.
 *
 * @throws OperatorError for what is no plain file, or is too large.
 */
async function demandPlain(dir: string): Promise<void> {
  for (const folder of ['', 'onnx']) {
    const names = await readdir(join(dir, folder)).catch(() => [])
    for (const name of names)
      if (/\.json$|^(text|vision)_model/.test(name)) await measure(dir, join(folder, name))
  }
}

/** @returns the bytes of a file, or undefined if it is not there. @throws OperatorError for what is no plain file. */
async function measure(dir: string, path: string): Promise<number | undefined> {
  const isWeights = path.startsWith('onnx/')
  if (isWeights && (await lstatOf(join(dir, 'onnx')))?.isSymbolicLink()) throw refuseLink('onnx')
  const stat = await lstatOf(join(dir, path))
  if (stat === undefined) return undefined
  if (!stat.isFile()) throw refuseLink(path)
  const most = isWeights ? WEIGHTS_BYTES_MAX : TEXT_BYTES_MAX
  if (stat.size > most)
    throw wrongInput(
      `${path} has ${Math.round(stat.size / MB)} MB; at most ${most / MB} MB are read of such a file.`,
    )
  return stat.size
}

const refuseLink = (path: string) =>
  wrongInput(
    `${path} is a link or no plain file, and only plain files are added: copy the folder with "cp -rL" first, and add the copy.`,
  )

async function lstatOf(path: string) {
  try {
    return await lstat(path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}

async function demandRoom(root: string, bytes: number): Promise<void> {
  const { freeBytes } = await readFreeDisk(root)
  if (freeBytes >= bytes + SPARE_BYTES) return
  throw new OperatorError(
    `The disk of ${root} has ${Math.floor(freeBytes / MB)} MB free, and the model needs ${Math.ceil((bytes + SPARE_BYTES) / MB)} MB there: free some space first.`,
  )
}

/** The file is opened once and without following a link, so that nobody can exchange it in between. */
async function copyFile(
  from: string,
  to: string,
  bytes: number,
  signal: AbortSignal,
  tell: (more: number) => void,
): Promise<void> {
  const input = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const output = await open(to, 'wx', 0o600)
    try {
      await pour(input, output, signal, tell, bytes)
      await output.sync()
    } finally {
      await output.close()
    }
  } finally {
    await input.close()
  }
}

async function pour(
  input: FileHandle,
  output: FileHandle,
  signal: AbortSignal,
  tell: (more: number) => void,
  bytes: number,
): Promise<void> {
  const piece = Buffer.allocUnsafe(PIECE_BYTES)
  let copied = 0
  for (;;) {
    signal.throwIfAborted()
    const { bytesRead } = await input.read(piece, 0, piece.length, copied)
    if (bytesRead === 0) break
    for (let at = 0; at < bytesRead; ) at += (await output.write(piece, at, bytesRead - at)).bytesWritten
    copied += bytesRead
    if (copied > bytes) break
    tell(bytesRead)
  }
  if (copied !== bytes)
    throw new OperatorError('A file of the folder changed while it was copied: try again.')
}

/** Folders of a process that was killed while it added or removed a model. */
const LEFTOVER = /^\.(adding|removing)-/

/** The caller is the only one that changes the folder. */
export async function clearLeftovers(root: string): Promise<void> {
  for (const name of await readdir(root))
    if (LEFTOVER.test(name)) await rm(join(root, name), { recursive: true, force: true })
}

/** Downloads, whole or begun. */
const DOWNLOAD = /^\.fetched-/
const DOWNLOAD_KEPT_MS = 7 * DAY_MS

/** Deletes downloads that nobody has gone on with for a week. The caller is the only one that downloads. */
export async function clearOldDownloads(root: string, now: number): Promise<void> {
  for (const name of await readdir(root)) {
    if (!DOWNLOAD.test(name)) continue
    const dir = join(root, name)
    const entries = await readdir(dir, { recursive: true }).catch(() => [])
    const times = await Promise.all(['', ...entries].map((path) => lstatOf(join(dir, path))))
    const touched = Math.max(...times.map((stat) => stat?.mtimeMs ?? 0))
    if (now - touched > DOWNLOAD_KEPT_MS) await rm(dir, { recursive: true, force: true })
  }
}

/** Says what a disk refuses. Any other error comes back as it is. */
export function explainDisk(root: string, error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new OperatorError(`The disk of ${root} is full: free some space first. Nothing was added.`)
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM')
    return new OperatorError(
      `${(error as NodeJS.ErrnoException).path ?? root} cannot be read or written: check that it belongs to this user.`,
    )
  return error
}
