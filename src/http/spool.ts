import { writeCollected } from '../core/collected-writes.ts'
import { ApiError } from '../core/errors.ts'
import type { Ids } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { createShares } from '../core/shares.ts'
import { sizeInWords } from '../core/text.ts'
import type { WorkFile, WorkFiles } from '../platform/work-files.ts'
import { incomplete, startArrival } from './arrival.ts'

/** A large body in a file. Its receiver disposes of it. */
export interface SpooledBody extends AsyncDisposable {
  /** The file, for libraries that read it by its name. */
  readonly path: string
  readonly sizeBytes: number
  /** SHA-256. */
  readonly hash: Buffer
  /** Reads the body from its beginning. */
  pieces(): AsyncIterable<Uint8Array>
  /** Lets the file outlive the request. @returns its name among the work files: whoever keeps it removes it. */
  keep(): string
}

export interface SpoolDeps {
  files: Pick<WorkFiles, 'create' | 'remove'>
  /** Monotonic time in ms. */
  monotonic(): number
  ids: Pick<Ids, 'uuid'>
}

export type Spool = ReturnType<typeof createSpool>

/** Receives bodies that are too large for memory: they go to the disk as they arrive. */
export function createSpool({ files, monotonic, ids }: SpoolDeps) {
  const places = createShares(LIMITS.spooledBodies)

  return {
    /**
     * Receives a request's body.
     *
     * @param owner each owner has a share of the files.
     * @throws ApiError `payload_too_large`; `overloaded` while too many bodies are in files, and for a slow body when another
     *   owner needs its place; `invalid_request` for a body that arrives too slowly or not completely; `storage_full`,
     *   `read_only` or `storage_failed`. Nothing is left then.
     */
    async receive(request: Request, owner: string, bytesMax: number): Promise<SpooledBody> {
      const announced = Number(request.headers.get('content-length') ?? Number.NaN)
      if (announced > bytesMax) throw tooLarge(bytesMax)
      const arrival = startArrival(request.body, { monotonic })
      const place = places.tryTake(owner, 1, { yields: arrival })
      if (!place) throw tooMany()
      const name = ids.uuid()
      let file: WorkFile | undefined
      let isKept = false
      const dispose = async (): Promise<void> => {
        await file?.close().catch(() => {})
        if (!isKept) await files.remove(name).catch(() => {})
        place.release()
      }
      try {
        file = await files.create(name)
        const { sizeBytes, hash } = await writeCollected(arrival.pieces(), file.append, bytesMax, tooLarge)
        if (announced !== sizeBytes && !Number.isNaN(announced)) throw incomplete()
        const keep = (): string => {
          isKept = true
          return name
        }
        return { path: file.path, sizeBytes, hash, pieces: file.pieces, keep, [Symbol.asyncDispose]: dispose }
      } catch (error) {
        await dispose()
        throw error
      }
    },
  }
}

const tooLarge = (max_bytes: number): ApiError =>
  new ApiError('payload_too_large', `The body is larger than ${sizeInWords(max_bytes)}`, {
    details: { max_bytes },
    headers: { connection: 'close' },
  })

const tooMany = (): ApiError =>
  new ApiError('overloaded', 'Too many large bodies are being received', { retryAfterSeconds: 1 })
