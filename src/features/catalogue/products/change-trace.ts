/** Changes of one store that are remembered. */
const KEPT_MAX = 512

/** Remembers which products of each store changed last, so that what was read of a store can be brought to the present. */
export function createChangeTrace() {
  /** By store: how often its products have changed since the start, and the rows of the last ones, by number modulo `KEPT_MAX`. */
  const stores = new Map<string, { number: number; rows: number[] }>()

  return {
    /** Call it in the tick in which the change of a product is committed. */
    note(storeId: string, row: number): void {
      const store = stores.get(storeId) ?? { number: 0, rows: [] }
      stores.set(storeId, store)
      store.rows[store.number++ % KEPT_MAX] = row
    },

    /** The number of the last change of a product of the store. */
    latest: (storeId: string): number => stores.get(storeId)?.number ?? 0,

    /** The rows of the products that changed after a change, each once; undefined where that was too long ago. */
    listSince(storeId: string, number: number): number[] | undefined {
      const store = stores.get(storeId)
      const missed = (store?.number ?? 0) - number
      if (missed < 0 || missed > KEPT_MAX) return undefined
      if (!store || missed === 0) return []
      const rows = new Set<number>()
      for (let n = number; n < store.number; n++) rows.add(store.rows[n % KEPT_MAX] as number)
      return [...rows]
    },

    /** For a store that was erased: one that lives must keep its numbers. */
    forgetStore: (storeId: string): void => void stores.delete(storeId),
  }
}
