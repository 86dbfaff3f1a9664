/** Which slots show a product that is sold out. It takes no memory before there is one. */
export function createSoldOutColumn() {
  let column = new Uint8Array(0)
  /** Its sum. */
  let count = 0

  function clear(slot: number): void {
    if (column[slot] !== 1) return
    column[slot] = 0
    count--
  }

  return {
    set(slot: number, isSoldOut: boolean): void {
      clear(slot)
      if (!isSoldOut) return
      if (slot >= column.length) {
        const grown = new Uint8Array(Math.max(64, 2 * slot))
        grown.set(column)
        column = grown
      }
      column[slot] = 1
      count++
    },
    clear,

    /** By slot, 1 where the product is sold out; undefined where none is. Valid for one tick, and too short for slots that never were. */
    read: (): Uint8Array | undefined => (count > 0 ? column : undefined),
  }
}
