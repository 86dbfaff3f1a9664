/**
 * Stores that are served elsewhere from now on, and which searches that are under way still read.
 *
 * @param drop drops what memory holds about a store.
 */
export function createLeaving(drop: (storeId: string) => void) {
  const leaving = new Map<string, object>()

  return {
    /** @returns drops the store, unless it has come back. */
    begin(storeId: string): () => void {
      const mark = {}
      leaving.set(storeId, mark)
      return () => {
        if (leaving.get(storeId) !== mark) return
        leaving.delete(storeId)
        drop(storeId)
      }
    },

    /** The store has come back, or is dropped already. */
    end: (storeId: string): void => void leaving.delete(storeId),
  }
}
