import { ApiError } from './errors.ts'
import { LIMITS } from './limits.ts'
import { createShares, type ShareLimits, type Yielding } from './shares.ts'

/** Bytes reserved for one owner. */
export interface Reservation {
  readonly bytes: number
  /** Returns the bytes above `bytes`; does nothing when fewer are held. */
  shrinkTo(bytes: number): void
  /** Returns all bytes; a second call does nothing. */
  release(): void
}

export interface ReserveOptions {
  /** Refuses the reservation when the bytes that are held below a ceiling, including these, would exceed it. */
  ceiling?: number | undefined
  /** Lets another owner take these bytes while this one is slow. */
  yields?: Yielding | undefined
}

export type ByteBudget = ReturnType<typeof createByteBudget>

const RETRY_AFTER_SECONDS = 1

/** The error for a body or picture that does not fit into the budget. */
export const budgetExhausted = () =>
  new ApiError('overloaded', 'Too many request bodies and pictures are in progress', {
    // The connection stays open. Closing it would cost a client that is still sending its answer.
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })

/** Creates a budget that bounds the bytes of all requests together and of each owner. It never waits. */
export function createByteBudget(limits: Partial<ShareLimits> = {}) {
  const listeners: (() => void)[] = []
  const shares = createShares({ ...LIMITS.bytesInFlight, ...limits }, () => {
    for (const listener of listeners) listener()
  })

  function tryTake(owner: string, bytes: number, options: ReserveOptions = {}): Reservation | undefined {
    const held = shares.tryTake(owner, bytes, options)
    return (
      held && {
        get bytes() {
          return held.size
        },
        shrinkTo: held.shrinkTo,
        release: held.release,
      }
    )
  }

  return {
    tryTake,

    /** @throws ApiError `overloaded` when the budget is exhausted. */
    take(owner: string, bytes: number, options?: ReserveOptions): Reservation {
      const reservation = tryTake(owner, bytes, options)
      if (!reservation) throw budgetExhausted()
      return reservation
    },

    /** Calls `listener` whenever bytes are returned. */
    onFreed(listener: () => void): void {
      listeners.push(listener)
    },

    /** Bytes held by one owner, or by all owners. */
    held: shares.held,
  }
}
