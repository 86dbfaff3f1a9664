import type { CallerStore } from '../../../core/actor.ts'
import { storageLimitExceeded } from '../../../core/plan-limits.ts'
import type { Base } from '../../module.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { StorageQueries } from './storage-queries.ts'

export interface StorageLimitDeps extends Pick<Base, 'plans' | 'baseUrl'> {
  queries: Pick<StorageQueries, 'isKeptBy' | 'countFreedBytes'>
  storeRows: Pick<StoreQueries, 'readStoredBytes'>
}

/** A picture that arrived as bytes. */
interface Arriving {
  contentHash: Buffer
  bytes: Uint8Array
}

/** The effect of one write on the bytes that its store keeps. */
export interface StorageChange {
  /** Refuses a picture that surely does not fit, before it is embedded. @throws ApiError `storage_limit_exceeded`. */
  refuseHopeless(picture: Arriving): void
  /** Counts a picture that is registered in this same tick. @throws ApiError `storage_limit_exceeded`. */
  add(picture: Arriving): void
}

export type StorageLimit = ReturnType<typeof createStorageLimit>

/** Bounds the bytes of the pictures that a store keeps, by its plan. A picture that it already keeps costs nothing. */
export function createStorageLimit({ queries, storeRows, plans, baseUrl }: StorageLimitDeps) {
  /**
   * Starts one write of a product.
   *
   * @param present ids of the product's pictures, all of which may leave.
   * @param listLeaving ids of those that do leave, known once every new picture is there.
   */
  function startChange(
    store: CallerStore,
    present: readonly number[],
    listLeaving: () => number[],
  ): StorageChange {
    const storeId = store.id
    const max = plans[store.plan].storageBytesMax
    let added = 0

    /** A store above the limit of a smaller plan may still write, as long as a write frees more than it takes. */
    function refuse(picture: Arriving, leavingIds: readonly number[]): void {
      if (max === Infinity) return
      const size = picture.bytes.byteLength
      const kept = storeRows.readStoredBytes(storeId)
      if (kept + size <= max || queries.isKeptBy(storeId, picture.contentHash)) return
      const freed = queries.countFreedBytes(storeId, leavingIds)
      if (kept + size - freed > max && added + size >= freed) {
        throw storageLimitExceeded(plans, store, kept, baseUrl())
      }
    }

    return {
      refuseHopeless: (picture) => refuse(picture, present),
      add(picture) {
        refuse(picture, listLeaving())
        if (!queries.isKeptBy(storeId, picture.contentHash)) added += picture.bytes.byteLength
      },
    }
  }

  return { startChange }
}
