import { BoundedMap } from '../../../core/bounded-map.ts'
import type { CounterDay } from './columns/counter-queries.ts'

export interface DayLimitsDeps {
  countRows(day: CounterDay): number
}

/** Days whose numbers of rows are held in memory. */
const SIZES_MAX = 10_000

export type DayLimits = ReturnType<typeof createDayLimits>

/** Bounds how many rows of a kind a store gets in one day. A write that was undone counts until `forgetStore`. */
export function createDayLimits({ countRows }: DayLimitsDeps) {
  const sizes = new BoundedMap<string, number>(SIZES_MAX)

  function take(key: string, max: number, countNow: () => number): boolean {
    const size = sizes.get(key) ?? countNow()
    sizes.set(key, size < max ? size + 1 : size)
    return size < max
  }

  return {
    /** Takes the place of a new row. @returns false if the day has `max` rows. */
    takePlace: (day: CounterDay, max: number): boolean =>
      take(`${day.storeId} ${day.kind} ${day.day}`, max, () => countRows(day)),

    /** Does the same for a product that the store does not have. These are counted only while the program runs. */
    takeUnknownProduct: (storeId: string, day: number, max: number): boolean =>
      take(`${storeId} unknown ${day}`, max, () => 0),

    forgetStore(storeId: string): void {
      for (const key of sizes.keys()) if (key.startsWith(`${storeId} `)) sizes.delete(key)
    },
  }
}
