import { createHash, type Hash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { writeCollected } from '../../core/collected-writes.ts'
import { OperatorError } from '../../core/operator-error.ts'
import type { ResponseHead } from '../outbound/exchange.ts'
import { OutboundError } from '../outbound/failure.ts'
import { giveToOwner } from '../owner.ts'
import { addressOf, explainStatus, getFromHub, type HubAccess, type HubFile, type HubSource } from './hub.ts'

export interface FileOrder {
  source: HubSource
  file: HubFile
  /** Where the file will be once it is complete and its hash is right. */
  target: string
  /** Takes the bytes that are there. */
  tell(bytes: number): void
}

/** What lies in a `.part` file. */
interface Begun {
  sizeBytes: number
  /** Has taken these bytes in. */
  hash: Hash
}

/** A status that may be another one in a while. */
class BusyServer extends Error {}
/** The server cannot go on where the part ends. */
class NoSuchRange extends Error {}
/** The server sends something else than the file. */
class WrongFile extends OperatorError {}

const PIECE_BYTES = 1024 * 1024
const MARK_CHARS_MAX = 1_000

/** 500 bytes in each at least; a connection has 1,400. */
const piecesMaxOf = (bytes: number): number => Math.ceil(bytes / 500) + 1_000

const createFileHash = ({ hash, bytes }: HubFile): Hash =>
  hash.algorithm === 'sha256' ? createHash('sha256') : createHash('sha1').update(`blob ${bytes}\0`)

/** Whether a file is there with the right length and hash. */
export const isThere = async (target: string, file: HubFile): Promise<boolean> =>
  (await findLength(target)) === file.bytes && (await readHash(target, file)) === file.hash.hex

/** The SHA-256 of a file, to write down. */
export const hashFile = (target: string): Promise<string> =>
  readHash(target, { path: '', bytes: Infinity, hash: { algorithm: 'sha256', hex: '' } })

/** The bytes of a file that need not be downloaded any more. */
export const findBytesHere = async (target: string): Promise<number> =>
  (await findLength(target)) ?? (await findLength(`${target}.part`)) ?? 0

/**
 * Downloads one file under a temporary name, which a later run goes on with, and renames it once its length and its hash
 * are right.
 *
 * @throws OperatorError for another file than expected; OutboundError, DownloadError; errors of the disk.
 */
export async function downloadFile(order: FileOrder, access: HubAccess): Promise<void> {
  const { file, target, source } = order
  const part = `${target}.part`
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  for (let isSecond = false; ; isSecond = true) {
    const { hex, wasResumed } = await loadAll(order, part, access)
    if (hex === file.hash.hex) break
    await removePart(part)
    // A power cut, or another version on the server, may have spoilt what was there before.
    if (wasResumed && !isSecond) continue
    throw new OperatorError(
      `${new URL(source.base).host} sent another ${file.path} than expected (${file.hash.algorithm} ${hex} instead of ${file.hash.hex}): nothing of it was kept; try another server with --url.`,
    )
  }
  await rename(part, target)
  await rm(markOf(part), { force: true })
}

/** Loads what is missing of a part, again and again while that brings something. */
async function loadAll(
  order: FileOrder,
  part: string,
  access: HubAccess,
): Promise<{ hex: string; wasResumed: boolean }> {
  const { file } = order
  let begun = await readBegun(part, file)
  let wasResumed = begun.sizeBytes > 0
  for (let failures = 0; begun.sizeBytes < file.bytes; ) {
    const before = begun.sizeBytes
    try {
      return { hex: await load(order, part, begun, access), wasResumed }
    } catch (error) {
      access.signal.throwIfAborted()
      if (error instanceof NoSuchRange || error instanceof WrongFile) await removePart(part)
      if (!isPassing(error, access)) throw error
      begun = await readBegun(part, file)
      wasResumed ||= begun.sizeBytes > 0
      failures = begun.sizeBytes > before ? 1 : failures + 1
      const pause = access.limits.retryMs[failures - 1]
      if (pause === undefined) throw toFailure(error, order.source)
      await wait(pause, access.signal)
    }
  }
  return { hex: begun.hash.digest('hex'), wasResumed }
}

/** @returns the hash of the part, which is complete then. */
async function load(order: FileOrder, part: string, begun: Begun, access: HubAccess): Promise<string> {
  const { file, source } = order
  const { body, status } = await getFromHub(access, addressOf(source, file.path), {
    headers: begun.sizeBytes > 0 ? await resumeHeaders(part, begun) : {},
    piecesMax: piecesMaxOf(file.bytes),
    read: async (head, pieces) => {
      if (head.status === 416) throw new NoSuchRange()
      if (head.status !== 200 && head.status !== 206) return undefined
      return save(order, part, checkHead(head, file, begun), pieces, head.headers.etag)
    },
  })
  if (body !== undefined) return body
  const message = explainStatus(status, source)
  throw status === 429 || status >= 500 ? new BusyServer(message) : new OperatorError(message)
}

/** @returns what the answer continues: the part, or nothing. */
function checkHead({ status, headers }: ResponseHead, file: HubFile, begun: Begun): Begun {
  if (!/^(identity)?$/i.test(headers['content-encoding'] ?? '')) {
    throw new OperatorError(
      `The server packs ${file.path}, although the request did not allow it: try another one with --url.`,
    )
  }
  if (status === 206) {
    const [, start, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers['content-range'] ?? '') ?? []
    if (Number(start) !== begun.sizeBytes || (total !== '*' && Number(total) !== file.bytes))
      throw new NoSuchRange()
    return begun
  }
  const length = headers['content-length']
  if (length !== undefined && Number(length) !== file.bytes)
    throw wrongLength(file, `${length} bytes instead of ${file.bytes}`)
  return { sizeBytes: 0, hash: createFileHash(file) }
}

async function save(
  { file, tell }: FileOrder,
  part: string,
  from: Begun,
  pieces: AsyncIterable<Uint8Array>,
  etag: string | undefined,
): Promise<string> {
  const handle = await openPart(part)
  try {
    if (from.sizeBytes === 0) await handle.truncate(0)
    await keepMark(part, etag)
    let here = from.sizeBytes
    const append = async (bytes: Uint8Array) => {
      await handle.appendFile(bytes)
      here += bytes.length
      tell(here)
    }
    tell(here)
    const tooLong = () => wrongLength(file, `more than its ${file.bytes} bytes`)
    const { sizeBytes, hash } = await writeCollected(pieces, append, file.bytes, tooLong, from)
    if (sizeBytes < file.bytes) throw new OutboundError('connect', 'The connection ended too early')
    await handle.sync()
    return hash.toString('hex')
  } finally {
    await handle.close()
  }
}

/** No link is followed, whoever has put it there. A later run of the folder's owner can go on with what root has begun. */
async function openPart(part: string): Promise<FileHandle> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW
  const handle = await open(part, flags, 0o600)
  giveToOwner(dirname(part), part)
  return handle
}

/** Reads a part that an earlier run has left; one that is too long is thrown away. */
async function readBegun(path: string, file: HubFile): Promise<Begun> {
  const begun: Begun = { sizeBytes: 0, hash: createFileHash(file) }
  const length = await findLength(path)
  if (length === undefined) return begun
  if (length > file.bytes) {
    await removePart(path)
    return begun
  }
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const piece = Buffer.allocUnsafe(PIECE_BYTES)
    for (;;) {
      const { bytesRead } = await handle.read(piece, 0, piece.length, begun.sizeBytes)
      if (bytesRead === 0) return begun
      begun.hash.update(piece.subarray(0, bytesRead))
      begun.sizeBytes += bytesRead
    }
  } finally {
    await handle.close()
  }
}

const readHash = async (path: string, file: HubFile): Promise<string> =>
  (await readBegun(path, file)).hash.digest('hex')

const markOf = (part: string): string => `${part}.etag`

async function removePart(part: string): Promise<void> {
  await rm(part, { force: true })
  await rm(markOf(part), { force: true })
}

/** A strong mark lets the server see that the part is of another version; the hash would tell only at the end. */
async function resumeHeaders(part: string, { sizeBytes }: Begun): Promise<Record<string, string>> {
  const mark = await readFile(markOf(part), 'utf8').catch(() => '')
  return { Range: `bytes=${sizeBytes}-`, ...(mark !== '' && { 'If-Range': mark }) }
}

async function keepMark(part: string, etag: string | undefined): Promise<void> {
  const isStrong = etag !== undefined && etag.length <= MARK_CHARS_MAX && /^"[\x21\x23-\x7e]*"$/.test(etag)
  await rm(markOf(part), { force: true })
  if (!isStrong) return
  await writeFile(markOf(part), etag, { mode: 0o600, flag: 'wx' })
  giveToOwner(dirname(part), markOf(part))
}

async function findLength(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path)
    return found.isFile() ? found.size : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Whether it may go well at another try. Before anything has answered, the network itself is missing. */
const isPassing = (error: unknown, { hasAnswered }: HubAccess): boolean =>
  error instanceof BusyServer ||
  error instanceof NoSuchRange ||
  (error instanceof OutboundError &&
    hasAnswered &&
    ['connect', 'timeout', 'dns', 'tls'].includes(error.reason))

function toFailure(error: unknown, { base }: HubSource): unknown {
  const server = new URL(base).host
  if (error instanceof NoSuchRange) {
    return new OperatorError(
      `${server} answers requests for a part of a file with another part: try another one with --url.`,
    )
  }
  if (error instanceof BusyServer) return new OperatorError(error.message)
  return new OperatorError(
    `${(error as Error).message}: run the same command again; it goes on where it stopped.`,
  )
}

const wrongLength = ({ path }: HubFile, what: string): WrongFile =>
  new WrongFile(
    `The server has another ${path} than expected (${what}): nothing of it was kept; try another server with --url.`,
  )

const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
