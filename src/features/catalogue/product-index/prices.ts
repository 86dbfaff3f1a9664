import { nextTurn, type Prices, paidAt } from '../../../core/sale.ts'

export type PriceColumn = ReturnType<typeof createPriceColumn>

/**
 * The prices that are paid for the products of a store, by slot. Sales with dates begin and end by themselves: a read after a
 * date has passed computes the column again, for the products with such sales only.
 *
 * @param now Unix ms.
 */
export function createPriceColumn(now: () => number) {
  let column: Float64Array = new Float64Array(0)
  /** By slot, the regular prices; undefined as long as none differs from what is paid. */
  let regular: Float64Array | undefined
  /** By slot, the prices that change with time. */
  const dated = new Map<number, Prices>()
  let turnsAt = Infinity
  let turnedAt = Infinity

  function grow(slot: number): void {
    if (slot < column.length) return
    const length = Math.max(64, 2 * slot)
    column = lengthen(column, length)
    regular = regular && lengthen(regular, length)
  }

  function clear(slot: number): void {
    if (slot < column.length) column[slot] = Number.NaN
    if (regular && slot < regular.length) regular[slot] = Number.NaN
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
      if (prices.sale !== null) regular ??= column.slice()
      if (regular) regular[slot] = prices.price ?? Number.NaN
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

    /** The same of the regular prices, whatever sales hold. */
    readRegular: (): Float64Array => regular ?? column,
  }
}

function lengthen(from: Float64Array, length: number): Float64Array {
  const longer = new Float64Array(length).fill(Number.NaN)
  longer.set(from)
  return longer
}
