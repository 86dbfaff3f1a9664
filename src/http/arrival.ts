import { ApiError } from '../core/errors.ts'
import { LIMITS } from '../core/limits.ts'
import { createPace } from '../core/pace.ts'
import type { Yielding } from '../core/shares.ts'

/** A body on its way. Once it is here, or has failed, it is slow no more. */
export interface Arrival extends Yielding {
  /**
   * The pieces, as long as they come fast enough. May be read once.
   *
   * @throws ApiError `invalid_request` for a body that is far too slow or breaks off; `overloaded` once it had to give way.
   */
  pieces(): AsyncGenerator<Uint8Array>
}

export interface ArrivalOptions {
  /** Time in ms. */
  monotonic(): number
  /** How long a body may take until so many bytes of it are here and some more come, in ms. */
  patienceMs?: ((bytes: number) => number) | undefined
}

const patienceOf = (bytes: number): number =>
  LIMITS.bodyGraceMs + (Math.max(0, bytes - LIMITS.bodyGraceBytes) / LIMITS.bodyBytesPerSecondMin) * 1_000

/**
 * Follows a body as it arrives. A sender who keeps the lowest pace is let finish, unless it is slow and another store, which
 * holds less, needs the place.
 */
export function startArrival(
  body: Request['body'],
  { monotonic, patienceMs = patienceOf }: ArrivalOptions,
): Arrival {
  const pace = createPace(LIMITS.yieldingBytesPerSecond, monotonic)
  let isArriving = true
  let failure: ApiError | undefined
  /** Ends the present read, and only that: a promise that outlived the reads would keep all they have read. */
  let endRead = (_: ApiError): void => {}

  /** @throws ApiError `invalid_request` when the reading takes longer; `overloaded` once the body had to give way. */
  async function inTime<Value>(reading: Promise<Value>, waitMs: number): Promise<Value> {
    const ended = Promise.withResolvers<never>()
    endRead = ended.reject
    if (failure) endRead(failure)
    const timer = setTimeout(() => ended.reject(tooSlow()), Math.max(0, waitMs))
    // Closing the connection makes the read fail when nobody waits for it any more.
    reading.catch(() => {})
    return Promise.race([reading, ended.promise]).finally(() => clearTimeout(timer))
  }

  async function* pieces(): AsyncGenerator<Uint8Array> {
    if (!body) return
    const reader = body.getReader()
    const start = monotonic()
    let bytes = 0
    let isOver = false
    try {
      for (;;) {
        const { done, value } = await inTime(reader.read(), start + patienceMs(bytes) - monotonic())
        isOver = done
        if (done) return
        bytes += value.length
        pace.note(value.length)
        const takenAt = monotonic()
        yield value
        // The disk's time is not the sender's.
        pace.excuse(monotonic() - takenAt)
      }
    } catch (error) {
      throw error instanceof ApiError ? error : incomplete(error)
    } finally {
      isArriving = false
      if (!isOver) await reader.cancel().catch(() => {})
    }
  }

  return {
    pieces,
    isSlow: () => isArriving && pace.isSlow(),
    giveWay() {
      failure = gaveWay()
      endRead(failure)
    },
  }
}

const tooSlow = (): ApiError =>
  new ApiError('invalid_request', 'The body arrived too slowly', { headers: { connection: 'close' } })

export const incomplete = (cause?: unknown): ApiError =>
  new ApiError('invalid_request', 'The body did not arrive completely', { cause })

const gaveWay = (): ApiError =>
  new ApiError(
    'overloaded',
    'The body arrived slowly, and another store needed its place; send it again, in smaller parts if the line is slow',
    { retryAfterSeconds: 5 },
  )
