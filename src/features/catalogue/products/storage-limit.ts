import type { CallerStore } from '../../../core/actor.ts'
import { ApiError } from '../../../core/errors.ts'
import { PLANS } from '../../../core/plans.ts'
import { decimalSize } from '../../../core/text.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { StorageQueries } from './storage-queries.ts'

export interface StorageLimitDeps {
  queries: Pick<StorageQueries, 'isKeptBy' | 'freedBy'>
  stores: Pick<StoreQueries, 'readKeptBytes'>
}

/** A picture that arrived as bytes. */
interface Arriving {
  contentHash: Buffer
  bytes: Uint8Array
}

/** What one write does to the bytes that its store keeps. */
export interface StorageChange {
  /** @throws ApiError `storage_limit_exceeded` when a picture surely finds no room. To be asked before it is embedded. */
  refuseHopeless(picture: Arriving): void
  /** Counts a picture that is registered in this same tick. @throws ApiError `storage_limit_exceeded`. */
  add(picture: Arriving): void
}

export type StorageLimit = ReturnType<typeof storageLimit>

/** Bounds the bytes of pictures that each plan keeps; what a store keeps already costs nothing again. */
export function storageLimit({ queries, stores }: StorageLimitDeps) {
  /**
   * @param present pictures of the product, all of which may leave.
   * @param leaving which of them do, known once every new picture is there.
   */
  function change(store: CallerStore, present: readonly number[], leaving: () => number[]): StorageChange {
    const storeId = store.id
    const max = PLANS[store.plan].storageBytesMax
    let added = 0

    /** A write that gives back more than it takes is welcome in a store that has too much, after a smaller plan. */
    function refuse(picture: Arriving, leavingIds: readonly number[]): void {
      if (max === Infinity) return
      const size = picture.bytes.byteLength
      const kept = stores.readKeptBytes(storeId)
      if (kept + size <= max || queries.isKeptBy(storeId, picture.contentHash)) return
      const freed = queries.freedBy(storeId, leavingIds)
      if (kept + size - freed > max && added + size >= freed) throw limitReached(store, kept)
    }

    return {
      refuseHopeless: (picture) => refuse(picture, present),
      add(picture) {
        refuse(picture, leaving())
        if (!queries.isKeptBy(storeId, picture.contentHash)) added += picture.bytes.byteLength
      },
    }
  }

  function limitReached({ plan: plan_name }: CallerStore, storage_bytes: number): ApiError {
    const storage_max_bytes = PLANS[plan_name].storageBytesMax
    return new ApiError(
      'storage_limit_exceeded',
      `The plan ${plan_name} keeps ${decimalSize(storage_max_bytes)} of pictures`,
      { details: { plan_name, storage_max_bytes, storage_bytes } },
    )
  }

  return { change }
}
