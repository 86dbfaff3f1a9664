import { writeCollected } from '../core/collected-writes.ts'
import { ApiError } from '../core/errors.ts'
import type { Ids } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { sizeInWords } from '../core/text.ts'
import type { WorkFile, WorkFiles } from '../platform/work-files.ts'

/** A large body that lies in a file. Whoever received it disposes of it. */
export interface SpooledBody extends AsyncDisposable {
  /** The file, for libraries that read it by its name. */
  readonly path: string
  readonly sizeBytes: number
  /** SHA-256. */
  readonly hash: Buffer
  /** Reads the body from its beginning. */
  pieces(): AsyncIterable<Uint8Array>
}

export interface SpoolDeps {
  files: Pick<WorkFiles, 'create' | 'remove'>
  /** Monotonic time in ms. */
  monotonic(): number
  ids: Pick<Ids, 'uuid'>
}

/** Bodies in files at a time, of all stores and of one. */
const BODIES_MAX = 16
const BODIES_PER_OWNER_MAX = 4

export type Spool = ReturnType<typeof createSpool>

/** Takes in bodies that are too large for the memory: they go to the disk as they arrive. */
export function createSpool({ files, monotonic, ids }: SpoolDeps) {
  const owners = new Map<string, number>()
  let bodies = 0

  function take(owner: string): () => void {
    const own = owners.get(owner) ?? 0
    if (bodies >= BODIES_MAX || own >= BODIES_PER_OWNER_MAX) throw tooMany()
    bodies++
    owners.set(owner, own + 1)
    return () => {
      bodies--
      const left = (owners.get(owner) ?? 1) - 1
      if (left === 0) owners.delete(owner)
      else owners.set(owner, left)
    }
  }

  return {
    /**
     * Receives a request's body.
     *
     * @param owner whose body it is: each has a share of the files.
     * @throws ApiError `payload_too_large`; `overloaded` while too many bodies are in files; `invalid_request` for a body that
     *   arrives too slowly or not completely; `storage_full`, `read_only` or `storage_failed`. Nothing is left then.
     */
    async receive(request: Request, owner: string, bytesMax: number): Promise<SpooledBody> {
      const announced = Number(request.headers.get('content-length') ?? Number.NaN)
      if (announced > bytesMax) throw tooLarge(bytesMax)
      const release = take(owner)
      const name = ids.uuid()
      let file: WorkFile | undefined
      const dispose = async (): Promise<void> => {
        await file?.close().catch(() => {})
        await files.remove(name).catch(() => {})
        release()
      }
      try {
        file = await files.create(name)
        const pieces = arriving(request.body, monotonic)
        const { sizeBytes, hash } = await writeCollected(pieces, file.append, bytesMax, tooLarge)
        if (announced !== sizeBytes && !Number.isNaN(announced)) throw incomplete()
        return { path: file.path, sizeBytes, hash, pieces: file.pieces, [Symbol.asyncDispose]: dispose }
      } catch (error) {
        await dispose()
        throw error
      }
    },
  }
}

/** The pieces of a body, as long as they come fast enough. */
async function* arriving(body: Request['body'], monotonic: () => number): AsyncGenerator<Uint8Array> {
  if (!body) return
  const reader = body.getReader()
  const start = monotonic()
  let bytes = 0
  let isOver = false
  try {
    for (;;) {
      const patienceMs = LIMITS.bodyGraceMs + (bytes / LIMITS.bodyBytesPerSecondMin) * 1_000
      const { done, value } = await inTime(reader.read(), start + patienceMs - monotonic())
      isOver = done
      if (done) return
      bytes += value.length
      yield value
    }
  } catch (error) {
    throw error instanceof ApiError ? error : incomplete(error)
  } finally {
    if (!isOver) await reader.cancel().catch(() => {})
  }
}

async function inTime<Value>(reading: Promise<Value>, patienceMs: number): Promise<Value> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(tooSlow()), Math.max(0, patienceMs))
  // Closing the connection makes the read fail when nobody waits for it any more.
  reading.catch(() => {})
  return Promise.race([reading, late.promise]).finally(() => clearTimeout(timer))
}

const tooSlow = (): ApiError =>
  new ApiError('invalid_request', 'The body arrived too slowly', { headers: { connection: 'close' } })

const incomplete = (cause?: unknown): ApiError =>
  new ApiError('invalid_request', 'The body did not arrive completely', { cause })

const tooLarge = (max_bytes: number): ApiError =>
  new ApiError('payload_too_large', `The body is larger than ${sizeInWords(max_bytes)}`, {
    details: { max_bytes },
    headers: { connection: 'close' },
  })

const tooMany = (): ApiError =>
  new ApiError('overloaded', 'Too many large bodies are being received', { retryAfterSeconds: 1 })
