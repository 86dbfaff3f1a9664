import { ApiError } from './errors.ts'
import { LIMITS } from './limits.ts'

/** Bytes reserved for one owner. */
export interface Room {
  readonly bytes: number
  /** Returns the bytes above `bytes`; does nothing when fewer are held. */
  shrinkTo(bytes: number): void
  /** Returns all bytes; a second call does nothing. */
  release(): void
}

export interface ByteBudgetOptions {
  bytesMax: number
  /** Most bytes that one owner may hold. */
  perOwnerMax: number
}

export type ByteBudget = ReturnType<typeof createByteBudget>

const RETRY_AFTER_SECONDS = 1

/** The error for a body or picture that does not fit into the budget. */
export const noRoom = () =>
  new ApiError('overloaded', 'Too many request bodies and pictures are in progress', {
    // The connection stays open. Closing it would cost a client that is still sending its answer.
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })

const OPTIONS: ByteBudgetOptions = {
  bytesMax: LIMITS.bytesInFlightMax,
  perOwnerMax: LIMITS.bytesInFlightPerStoreMax,
}

/** Creates a budget that bounds the bytes of all requests together and of each owner. It never waits. */
export function createByteBudget({ bytesMax, perOwnerMax }: ByteBudgetOptions = OPTIONS) {
  const owners = new Map<string, number>()
  const listeners: (() => void)[] = []
  let held = 0

  function count(owner: string, bytes: number): void {
    held += bytes
    const own = (owners.get(owner) ?? 0) + bytes
    if (own === 0) owners.delete(owner)
    else owners.set(owner, own)
    if (bytes < 0) for (const listener of listeners) listener()
  }

  /** @param ceiling refuses the reservation when all bytes held, including these, would exceed it. */
  function tryTake(owner: string, bytes: number, ceiling = bytesMax): Room | undefined {
    const fits = held + bytes <= Math.min(ceiling, bytesMax)
    if (!fits || (owners.get(owner) ?? 0) + bytes > perOwnerMax) return undefined
    let size = bytes
    count(owner, size)
    const shrinkTo = (wanted: number): void => {
      const freed = size - wanted
      if (freed <= 0) return
      size = wanted
      count(owner, -freed)
    }
    return {
      get bytes() {
        return size
      },
      shrinkTo,
      release: () => shrinkTo(0),
    }
  }

  return {
    tryTake,

    /** @throws ApiError `overloaded` when there is no room. */
    take(owner: string, bytes: number, ceiling?: number): Room {
      const room = tryTake(owner, bytes, ceiling)
      if (!room) throw noRoom()
      return room
    },

    /** Calls `listener` whenever bytes are returned. */
    onFreed(listener: () => void): void {
      listeners.push(listener)
    },

    /** Bytes held by one owner, or by all owners. */
    held: (owner?: string): number => (owner === undefined ? held : (owners.get(owner) ?? 0)),
  }
}
