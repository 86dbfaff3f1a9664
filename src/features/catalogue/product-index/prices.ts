import { nextTurn, type Prices, paidAt } from '../../../core/sale.ts'

export type PriceColumn = ReturnType<typeof createPriceColumn>

/**
 * The prices that are paid for the products of a store, by slot. Sales with dates begin and end by themselves: a read after a
 * date has passed computes the column again, for the products with such sales only.
 *
 * @param now Unix ms.
 */
export function createPriceColumn(now: () => number) {
  let column = new Float64Array(0)
  /** By slot, the prices that change with time. */
  const dated = new Map<number, Prices>()
  let turnsAt = Infinity
  let turnedAt = Infinity

  function grow(slot: number): void {
    if (slot < column.length) return
    const grown = new Float64Array(Math.max(64, 2 * slot)).fill(Number.NaN)
    grown.set(column)
    column = grown
  }

  function clear(slot: number): void {
    if (slot < column.length) column[slot] = Number.NaN
    dated.delete(slot)
  }

  function turn(time: number): void {
    turnsAt = Infinity
    turnedAt = time
    for (const [slot, prices] of dated) {
      column[slot] = paidAt(prices, time) ?? Number.NaN
      turnsAt = Math.min(turnsAt, nextTurn(prices, time) ?? Infinity)
    }
  }

  return {
    set(slot: number, prices: Prices): void {
      grow(slot)
      clear(slot)
      if (prices.sale !== null && (prices.from !== null || prices.until !== null)) {
        dated.set(slot, prices)
        turnsAt = -Infinity
      } else column[slot] = prices.sale ?? prices.price ?? Number.NaN
    },
    clear,

    /** By slot, NaN without a price; valid for one tick, and too short for slots that never had one. */
    read(): Float64Array {
      const time = now()
      // A clock may also be set back.
      if (time >= turnsAt || time < turnedAt) turn(time)
      return column
    },
  }
}
