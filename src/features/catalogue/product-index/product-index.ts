import type { Segment, VectorArena } from '../../../platform/vectors/arena.ts'
import { createColumns, type StoreColumns } from './columns.ts'

export interface IndexEntry {
  storeId: string
  pictureId: number
  /** Row of the product. */
  product: number
  /** Whether this is the product's first picture. */
  isFirst: boolean
  metadata: Record<string, unknown>
}

/** The searchable side of one store. */
export interface IndexedStore {
  segment: Segment
  columns: StoreColumns
}

export type ProductIndex = ReturnType<typeof createProductIndex>

/**
 * All pictures of all stores, ready to be searched: vectors in the arena, filter columns beside them.
 *
 * It is a cache of the database: filled at the start, and changed in the same tick as each commit, so that the next
 * search finds every acknowledged product.
 */
export function createProductIndex(arena: VectorArena) {
  const stores = new Map<string, StoreColumns>()

  function openColumns(storeId: string): StoreColumns {
    const known = stores.get(storeId) ?? createColumns()
    stores.set(storeId, known)
    return known
  }

  return {
    /** Adds or changes a picture. @param vector undefined when only the product's fields changed. */
    put({ storeId, pictureId, ...row }: IndexEntry, vector: Float32Array | undefined): void {
      const slot = vector
        ? arena.put(storeId, pictureId, vector)
        : arena.segment(storeId)?.findSlot(pictureId)
      if (slot !== undefined) openColumns(storeId).set(slot, row)
    },

    remove(storeId: string, pictureId: number): void {
      const slot = arena.remove(storeId, pictureId)
      if (slot !== undefined) stores.get(storeId)?.clear(slot)
    },

    /** Removes all pictures of a store. */
    removeStore(storeId: string): void {
      arena.removeStore(storeId)
      stores.delete(storeId)
    },

    /** Undefined for a store without vectors. */
    findStore(storeId: string): IndexedStore | undefined {
      const segment = arena.segment(storeId)
      return segment && arena.count(storeId) > 0 ? { segment, columns: openColumns(storeId) } : undefined
    },

    /** The vector of an indexed picture. */
    findVector(storeId: string, pictureId: number): Float32Array | undefined {
      const segment = arena.segment(storeId)
      const slot = segment?.findSlot(pictureId)
      return slot === undefined ? undefined : segment?.vectorAt(slot)
    },
  }
}
