import { ApiError } from './errors.ts'
import { LIMITS } from './limits.ts'

/** Bytes that somebody holds. */
export interface Room {
  readonly bytes: number
  /** Gives a part back; more than is held changes nothing. */
  shrinkTo(bytes: number): void
  /** Gives everything back; a second time changes nothing. */
  release(): void
}

export interface ByteBudgetOptions {
  bytesMax: number
  /** Most that one owner holds. */
  perOwnerMax: number
}

export type ByteBudget = ReturnType<typeof createByteBudget>

/** A caller whose body or picture finds no room tries again after this. */
const RETRY_AFTER_SECONDS = 1

/** Too much is under way for one more body or picture. */
export const noRoom = () =>
  new ApiError('overloaded', 'Too many bodies and pictures are under way already', {
    // The connection stays open: a client that is still sending would lose the answer with it.
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })

/** The limits of the contract. */
const OPTIONS: ByteBudgetOptions = {
  bytesMax: LIMITS.bytesInFlightMax,
  perOwnerMax: LIMITS.bytesInFlightPerStoreMax,
}

/** Bounds the bytes that all requests hold together, and those of each owner. It never waits. */
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

  /** @param ceiling the room is given only while everybody's bytes, these included, stay below it. */
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

    /** Calls back whenever room has come free. */
    onFreed(listener: () => void): void {
      listeners.push(listener)
    },

    /** Bytes that are held, by everybody or by one owner. */
    held: (owner?: string): number => (owner === undefined ? held : (owners.get(owner) ?? 0)),
  }
}
