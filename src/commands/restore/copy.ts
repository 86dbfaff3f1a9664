import { type FileHandle, open, readFile, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Config } from '../../config.ts'
import { OperatorError, wrongUsage } from '../../core/operator-error.ts'
import { decimalSize } from '../../core/text.ts'
import { decrypt, readIdentities } from '../../platform/backup/copies/age.ts'
import { listKeys } from '../../platform/backup/copies/bucket-place.ts'
import { isBucketAddress, openBucketOf } from '../../platform/backup/copies/target.ts'
import { tryLockBackups } from '../../platform/db/instance-lock.ts'
import { readFreeDisk } from '../../platform/disk.ts'
import { makeFolder } from '../service/data-folder.ts'
import { parseNetworks } from '../service/open-ports.ts'

/** The decrypted copy, until it was restored. The next restore deletes what a kill has left of it. */
const PLAIN_FILE = 'restore-decrypted'
const KEY_FILE_BYTES_MAX = 64 * 1024
/** How every file of age begins. */
const AGE_MARK = 'age-encryption.org/'
const LISTED_MAX = 20
const SPARE_BYTES = 64_000_000

/** A file to restore, which may be a decrypted copy that goes when the work is done. */
export interface Opened extends AsyncDisposable {
  path: string
}

interface Source {
  /** How people call it. */
  name: string
  bytes: number
  content: AsyncIterable<Uint8Array>
}

/**
 * Brings the file that a restore is given: a backup as it is, or a copy from a file or a bucket, decrypted.
 *
 * @param keyFile the file with the key of the copy.
 * @throws OperatorError
 */
export async function openSource(
  given: string,
  keyFile: string | undefined,
  config: Config,
  stop: AbortSignal,
): Promise<Opened> {
  const isRemote = isBucketAddress(given)
  if (keyFile === undefined) {
    if (isRemote) throw wrongUsage('A copy in a bucket is encrypted: give its key with --key-file')
    const path = resolve(given)
    if (await isEncrypted(path))
      throw wrongUsage(`${given} is an encrypted copy: give its key with --key-file`)
    return { path, async [Symbol.asyncDispose]() {} }
  }
  const identities = await readKeyFile(keyFile)
  const source = isRemote ? await findInBucket(given, config, stop) : await findInFolder(given)
  const dataDir = resolve(config.DATA_DIR)
  makeFolder(dataDir)
  const path = join(dataDir, PLAIN_FILE)
  const remove = () => rm(path, { force: true })
  const unlock = tryLockBackups(dataDir)
  if (!unlock)
    throw new OperatorError(`A backup of ${dataDir}, or a restore, is under way: wait until it has ended.`)
  try {
    await remove()
    await checkRoom(dataDir, source)
    const content = showing(source, stop)
    await write(path, decrypt(content, identities, { file: source.name, keyFile }))
  } catch (error) {
    await remove()
    if (stop.aborted) throw new OperatorError('Stopped. Nothing was changed.')
    throw error
  } finally {
    unlock()
  }
  return { path, [Symbol.asyncDispose]: remove }
}

async function readKeyFile(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new OperatorError(`Cannot read ${path}: ${error.message}`)
  })
  const identities = text.length > KEY_FILE_BYTES_MAX ? [] : readIdentities(text)
  if (identities.length > 0) return identities
  throw new OperatorError(
    `There is no key in ${path}: it must hold the AGE-SECRET-KEY-… line that "lookalike backup key" printed.`,
  )
}

async function isEncrypted(path: string): Promise<boolean> {
  try {
    await using file = await open(path, 'r')
    const { buffer } = await file.read(Buffer.alloc(AGE_MARK.length), 0, AGE_MARK.length, 0)
    return buffer.toString('latin1') === AGE_MARK
  } catch {
    // Whoever reads it next says why.
    return false
  }
}

async function findInFolder(given: string): Promise<Source> {
  const path = resolve(given)
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(
      error.code === 'ENOENT' ? `There is no file ${given}` : `Cannot read ${given}: ${error.message}`,
    )
  })
  if (!found.isFile()) throw new OperatorError(`${given} is not a file`)
  return { name: given, bytes: found.size, content: readPieces(path) }
}

async function* readPieces(path: string): AsyncGenerator<Uint8Array> {
  await using file: FileHandle = await open(path, 'r')
  for await (const piece of file.createReadStream({ autoClose: false })) yield piece as Uint8Array
}

async function findInBucket(address: string, config: Config, stop: AbortSignal): Promise<Source> {
  const { bucket, path, name } = openBucketOf(address, config, parseNetworks(config, 'FETCH_ALLOW_CIDRS'), {
    stop,
  })
  if (!path.endsWith('.age')) {
    const copies = (await listKeys(bucket, path === '' ? '' : `${path}/`)).filter((key) =>
      key.endsWith('.age'),
    )
    throw new OperatorError(describeCopies(address, name, copies))
  }
  const { headers } = await bucket.ask({ method: 'HEAD', key: path })
  return { name: address, bytes: Number(headers['content-length'] ?? 0), content: bucket.read(path) }
}

/** The names end in their time. */
const byName = (a: string, b: string): number => timeOf(b).localeCompare(timeOf(a))
const timeOf = (key: string): string => key.slice(key.lastIndexOf('/') + 1)

function describeCopies(address: string, bucket: string, keys: string[]): string {
  if (keys.length === 0) return `There are no copies in ${address}.`
  const newest = keys.toSorted(byName).slice(0, LISTED_MAX)
  return `Choose one of the ${keys.length} copies in ${address}; the newest are:
${newest.map((key) => `  s3://${bucket}/${key}`).join('\n')}`
}

async function checkRoom(dataDir: string, { bytes }: Source): Promise<void> {
  const { freeBytes } = await readFreeDisk(dataDir)
  if (freeBytes >= bytes + SPARE_BYTES) return
  throw new OperatorError(
    `The disk of ${dataDir} has ${decimalSize(freeBytes)} free, and the copy has ${decimalSize(bytes)}. Nothing was changed: free some space first.`,
  )
}

/** Shows on a terminal how much was read. */
async function* showing({ content, bytes }: Source, stop: AbortSignal): AsyncGenerator<Uint8Array> {
  let read = 0
  const show = (text: string): void => {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
  }
  try {
    for await (const piece of content) {
      stop.throwIfAborted()
      read += piece.length
      show(`${Math.floor((read / Math.max(bytes, 1)) * 100)} % of ${decimalSize(bytes)} read and decrypted`)
      yield piece
    }
  } finally {
    show('')
  }
}

async function write(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  await using file = await open(path, 'wx', 0o600)
  for await (const piece of content)
    for (let at = 0; at < piece.length; ) at += (await file.write(piece, at)).bytesWritten
}
