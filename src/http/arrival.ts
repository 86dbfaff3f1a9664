import { ApiError } from '../core/errors.ts'
import { LIMITS } from '../core/limits.ts'
import { createPace } from '../core/pace.ts'
import type { Yielding } from '../core/shares.ts'

/** A body that is arriving. It is neither slow nor under way once it has arrived or failed. */
export interface Arrival extends Yielding {
  /**
   * The pieces, as long as they arrive fast enough. They can be read once.
   *
   * @throws ApiError `invalid_request` for a body that is far too slow or breaks off; `overloaded` once it had to give way.
   */
  pieces(): AsyncGenerator<Uint8Array>
}

export interface ArrivalOptions {
  /** Time in ms. */
  monotonic(): number
  /** How long a body of which so many bytes have arrived may take until more arrive, in ms from its start. */
  patienceMs?: ((bytes: number) => number) | undefined
}

const patienceOf = (bytes: number): number =>
  LIMITS.bodyGraceMs + (Math.max(0, bytes - LIMITS.bodyGraceBytes) / LIMITS.bodyBytesPerSecondMin) * 1_000

/**
 * Follows a body as it arrives. A sender that keeps the lowest pace may finish, unless another store needs the place: one that
 * holds less while the body is slow, or one that takes of its first share while the body's store is beyond its own.
 */
export function startArrival(
  body: Request['body'],
  { monotonic, patienceMs = patienceOf }: ArrivalOptions,
): Arrival {
  const pace = createPace(LIMITS.yieldingBytesPerSecond, monotonic)
  let isArriving = true
  let failure: ApiError | undefined
  /** Ends the current read, and no other: a promise that outlived the reads would retain everything they read. */
  let endRead = (_: ApiError): void => {}

  /** @throws ApiError `invalid_request` if the read takes longer; `overloaded` once the body had to give way. */
  async function inTime<Value>(reading: Promise<Value>, waitMs: number): Promise<Value> {
    const ended = Promise.withResolvers<never>()
    endRead = ended.reject
    if (failure) endRead(failure)
    const timer = setTimeout(() => ended.reject(tooSlow()), Math.max(0, waitMs))
    // Closing the connection makes the read fail after nobody waits for it.
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
        pace.count(value.length)
        const takenAt = monotonic()
        yield value
        // The time of the disk does not count against the sender.
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
    isUnderWay: () => isArriving,
    giveWay() {
      failure = pace.isSlow() ? gaveWay() : gaveFirstShare()
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

const gaveFirstShare = (): ApiError =>
  new ApiError(
    'overloaded',
    'The bodies of this store took more than its first share, and another store needed the place of this one; send it again',
    { retryAfterSeconds: 1 },
  )
