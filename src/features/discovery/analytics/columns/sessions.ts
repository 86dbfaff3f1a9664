import { estimateDistinct, placeHash, REGISTERS as REGISTER_COUNT } from '../../../../core/distinct.ts'
import type { Days } from '../day-queries.ts'
import type { CounterQueries, CounterRow } from './counter-queries.ts'
import { REGISTERS, SESSIONS } from './kinds.ts'
import { readItems, type Walk } from './walk.ts'

/** Hashes of a period that are counted one by one; with more of them the number is estimated. */
const HASHES_MAX = 20_000

export interface SessionsDeps {
  counters: Pick<CounterQueries, 'isCounted' | 'addOnce' | 'raise'>
  walk: Walk
}

/** Counts distinct sessions by their hashes. Days and periods with too many of them are sketches (HyperLogLog). */
export function createSessions({ counters, walk }: SessionsDeps) {
  return {
    hasSession: (storeId: string, day: number, hash: number): boolean =>
      counters.isCounted({ storeId, kind: SESSIONS, day }, hash),

    /** @param isExact whether the day still keeps the hash itself. */
    addSession(storeId: string, day: number, hash: number, isExact: boolean): void {
      const { register, rank } = placeHash(hash)
      if (isExact) counters.addOnce({ storeId, kind: SESSIONS, day }, hash)
      else counters.raise({ storeId, kind: REGISTERS, day }, register, rank)
    },

    /** Distinct sessions of a period: exact up to 20,000, then an estimate. */
    async countSessions(days: Days): Promise<number> {
      const ranks = new Uint8Array(REGISTER_COUNT)
      const raise = (register: number, rank: number) => {
        if ((ranks[register] as number) < rank) ranks[register] = rank
      }
      const place = (hash: number) => {
        const { register, rank } = placeHash(hash)
        raise(register, rank)
      }
      let hashes: Set<number> | undefined = new Set()
      const spill = () => {
        for (const hash of hashes ?? []) place(hash)
        hashes = undefined
      }
      const see = (hash: number) => {
        if (!hashes) return place(hash)
        hashes.add(hash)
        if (hashes.size > HASHES_MAX) spill()
      }
      await walk(days, SESSIONS, {
        visitBlock: (block) => readItems(block, see),
        visitRow: ([hash]) => see(hash),
      })
      await walk(days, REGISTERS, {
        visitBlock(block) {
          spill()
          readItems(block, raise)
        },
        visitRow([register, rank]) {
          spill()
          raise(register, rank)
        },
      })
      return hashes ? hashes.size : Math.round(estimateDistinct(ranks))
    },
  }
}

/** The registers that some hashes make, in order. */
export function toRegisters(hashes: Float64Array): CounterRow[] {
  const ranks = new Map<number, number>()
  for (const hash of hashes) {
    const { register, rank } = placeHash(hash)
    ranks.set(register, Math.max(rank, ranks.get(register) ?? 0))
  }
  return [...ranks].sort(([a], [b]) => a - b).map(([register, rank]) => [register, rank, 0, 0, 0])
}
