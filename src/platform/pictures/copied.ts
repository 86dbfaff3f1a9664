import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createBackoff } from '../../core/backoff.ts'
import type { PictureFiles } from './kept.ts'

/** The objects that the pictures of an install are, under one prefix. */
export interface PictureObjects {
  put(key: string, bytes: Uint8Array): Promise<void>
  /** @returns all of an object; throws if it is not there. */
  read(key: string): Promise<Uint8Array>
  /** Lists the keys that begin so. */
  list(prefix: string): Promise<string[]>
}

/** Pictures that wait to be sent. Those beyond are found by the next look at all. */
const WAITING_MAX = 10_000
/** Sent at a time; the service comes first. */
const AT_A_TIME = 3
const WAITS = [1_000, 5_000, 30_000, 300_000] as const
/** The names of the folders that pictures lie in: the first byte of their hash. */
const FOLDERS = Array.from({ length: 256 }, (_, n) => n.toString(16).padStart(2, '0'))
const HASH = /^[0-9a-f]{64}$/

export interface CopiedPictures {
  /** The same files; what is written also goes into the bucket, later. */
  files: PictureFiles
  /** Pictures that are known to be missing in the bucket. */
  countWaiting(): number
}

export interface CopiedPicturesDeps {
  /** The folder of {@link PictureFiles}. */
  dir: string
  files: PictureFiles
  objects: PictureObjects
  /** Without a slash at its end. */
  prefix: string
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void }
  stop: AbortSignal
}

const keyOf = (prefix: string, hash: string): string => `${prefix}/${hash}`

/**
 * Copies pictures into a bucket when they are kept: first those that it lacks, and then each new one. A picture that was deleted
 * here stays there, because a copy of the database that is restored later may name it.
 */
export function copyPictures({ dir, files, objects, prefix, log, stop }: CopiedPicturesDeps): CopiedPictures {
  const waiting = new Set<string>()
  const backoff = createBackoff({ waits: [...WAITS] })
  let isOverfull = false
  let wake = (): void => {}

  function add(hash: string): void {
    if (waiting.size >= WAITING_MAX) isOverfull = true
    else waiting.add(hash)
    wake()
  }

  async function send(hash: string): Promise<void> {
    const bytes = await files.read(hash)
    // It has been deleted meanwhile.
    if (bytes !== undefined) await objects.put(keyOf(prefix, hash), bytes)
  }

  /** Sends what waits, a few at a time. @throws the first fault, and what was not sent still waits. */
  async function sendWaiting(): Promise<void> {
    while (waiting.size > 0) {
      stop.throwIfAborted()
      const some = [...waiting].slice(0, AT_A_TIME)
      const ended = await Promise.allSettled(some.map(send))
      for (const [n, { status }] of ended.entries())
        if (status === 'fulfilled') waiting.delete(some[n] as string)
      const failed = ended.find(({ status }) => status === 'rejected')
      if (failed) throw (failed as PromiseRejectedResult).reason
    }
  }

  /** Compares both sides, folder by folder. */
  async function sendMissing(): Promise<void> {
    let sent = 0
    for (const folder of FOLDERS) {
      stop.throwIfAborted()
      const here = await listHashes(join(dir, folder))
      if (here.length === 0) continue
      const there = new Set(await objects.list(keyOf(prefix, folder)))
      for (const hash of here) {
        if (there.has(keyOf(prefix, hash))) continue
        add(hash)
        if (waiting.size >= WAITING_MAX) await sendWaiting()
        sent++
      }
      await sendWaiting()
    }
    if (sent > 0) log.info({ pictures: sent }, 'pictures that were missing in the bucket were sent')
  }

  async function work(): Promise<void> {
    let isComplete = false
    for (let failures = 0; !stop.aborted; ) {
      try {
        if (!isComplete || isOverfull) {
          isOverfull = false
          await sendMissing()
          isComplete = true
        }
        const woken = new Promise<void>((resolve) => {
          wake = resolve
        })
        await sendWaiting()
        failures = 0
        await Promise.race([woken, aborted(stop)])
      } catch (error) {
        if (stop.aborted) return
        if (failures === 0)
          log.warn({ reason: (error as Error).message }, 'pictures were not copied; they are sent later')
        await sleep(backoff(failures++), undefined, { signal: stop }).catch(() => {})
      }
    }
  }

  void work()
  return {
    files: {
      ...files,
      async write(hash, bytes) {
        await files.write(hash, bytes)
        add(hash)
      },
    },
    countWaiting: () => waiting.size,
  }
}

/**
 * Brings the pictures here that a bucket has and this disk lacks.
 *
 * @param limit at most so many in this call.
 * @returns how many came, and whether there are more.
 */
export async function fetchPictures(
  { dir, files, objects, prefix, stop }: Omit<CopiedPicturesDeps, 'log'>,
  limit: number,
): Promise<{ fetched: number; isComplete: boolean }> {
  let fetched = 0
  for (const folder of FOLDERS) {
    const here = new Set(await listHashes(join(dir, folder)))
    for (const key of await objects.list(keyOf(prefix, folder))) {
      const hash = key.slice(prefix.length + 1)
      if (!HASH.test(hash) || here.has(hash)) continue
      stop.throwIfAborted()
      if (fetched >= limit) return { fetched, isComplete: false }
      const bytes = await objects.read(key)
      // Whoever may write in the bucket must not put another picture in the place of one.
      if (createHash('sha256').update(bytes).digest('hex') !== hash) continue
      await files.write(hash, bytes)
      fetched++
    }
  }
  return { fetched, isComplete: true }
}

async function listHashes(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => HASH.test(name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

const aborted = (stop: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (stop.aborted) resolve()
    else stop.addEventListener('abort', () => resolve(), { once: true })
  })
