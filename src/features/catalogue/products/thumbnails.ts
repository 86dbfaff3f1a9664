import type { CallerStore } from '../../../core/actor.ts'
import { LIMITS } from '../../../core/limits.ts'
import { isStorageFault, storageFailure } from '../../../core/storage.ts'
import { hashThumbnail } from '../../../core/thumbnail-hash.ts'
import type { Base } from '../../module.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { ThumbnailAddresses } from './thumbnail-address.ts'
import type { PictureContent, ThumbnailQueries } from './thumbnail-queries.ts'

export interface ThumbnailDeps extends Pick<Base, 'plans' | 'reportFault'> {
  queries: Pick<
    ThumbnailQueries,
    'add' | 'has' | 'drop' | 'find' | 'isUsed' | 'findFirst' | 'findContent' | 'waitingState'
  >
  addresses: ThumbnailAddresses
  /** Whether the store wants thumbnails. */
  isWanted(storeId: string): boolean
  storeRows: Pick<StoreQueries, 'readStoredBytes' | 'findStore'>
}

/** A picture that was deleted. */
export interface GonePicture {
  storeId: string
  contentHash: Buffer
  /** 0 or 1. */
  precomputed: number
  /** 1 if it had a thumbnail. */
  thumbnail: number
}

export type Thumbnails = ReturnType<typeof createThumbnails>

/** The thumbnails of products: how they are kept with their pictures, and their addresses. */
export function createThumbnails(deps: ThumbnailDeps) {
  const { queries, addresses, isWanted, storeRows, plans, reportFault } = deps

  /** The address of a thumbnail. @param pictureId a picture that has one; null for none. */
  function findUrl(storeId: string, pictureId: number | null): string | null {
    if (pictureId === null || !isWanted(storeId)) return null
    return addresses.of(pictureId, () => {
      const content = queries.findContent(pictureId)
      return content && hashThumbnail(storeId, content)
    })
  }

  function hasRoom({ id, plan }: CallerStore): boolean {
    const { storageBytesMax: max } = plans[plan]
    return max === Infinity || storeRows.readStoredBytes(id) < max
  }

  return {
    findUrl,

    /** Adds `thumbnail_url` to what names products of a store: the address of their first picture's. One statement. */
    addUrls<Item extends { product_id: string | null }>(
      storeId: string,
      items: readonly Item[],
    ): (Item & { thumbnail_url: string | null })[] {
      const ids = new Set(items.flatMap(({ product_id }) => product_id ?? []))
      const pictures = ids.size > 0 && isWanted(storeId) ? queries.findFirst(storeId, [...ids]) : undefined
      return items.map((item) => {
        const picture = item.product_id === null ? undefined : pictures?.get(item.product_id)
        const url = picture && addresses.of(picture.id, () => hashThumbnail(storeId, picture))
        return { ...item, thumbnail_url: url ?? null }
      })
    },

    /** The thumbnail of a picture; undefined for none. */
    readOf: (storeId: string, picture: PictureContent): Buffer | undefined =>
      isWanted(storeId) ? read(hashThumbnail(storeId, picture))?.webp : undefined,

    /** The side of the thumbnails that a store gets; undefined for one that wants none, or whose storage is full. */
    findSide: (store: CallerStore): number | undefined =>
      isWanted(store.id) && hasRoom(store) ? LIMITS.thumbnailSide : undefined,

    /** Whether the storage of a store has room for another thumbnail, of whatever. */
    hasRoom: (storeId: string): boolean => {
      const store = storeRows.findStore(storeId)
      return store !== undefined && hasRoom(store)
    },

    /**
     * Keeps the thumbnail of a picture that is being written, in the same transaction.
     *
     * @returns the state of the picture's column `thumbnail`.
     */
    keep(storeId: string, picture: PictureContent, webp: Uint8Array | undefined): number {
      const hash = hashThumbnail(storeId, picture)
      if (webp) queries.add(storeId, picture.contentHash, hash, webp)
      return webp || queries.has(hash) ? 1 : queries.waitingState
    },

    /** Deletes the thumbnails of pictures that are gone, unless other pictures have them; joins a transaction. */
    release(gone: readonly GonePicture[]): void {
      for (const { storeId, contentHash, precomputed, thumbnail } of gone) {
        const content = { contentHash, isPrecomputed: precomputed === 1 }
        if (thumbnail === 1 && !queries.isUsed(storeId, content))
          queries.drop(hashThumbnail(storeId, content))
      }
    },

    /** The picture at a signed address; undefined for an address that was altered, has ended, or whose thumbnail is gone. */
    open(
      name: string,
      query: { until?: string; sig?: string },
    ): { webp: Buffer; seconds: number } | undefined {
      const checked = addresses.check(name, query)
      if (!checked) return undefined
      const found = read(checked.hash)
      return found && isWanted(found.storeId) ? { webp: found.webp, seconds: checked.seconds } : undefined
    },
  }

  /** A thumbnail that cannot be read is none: it can be made again. */
  function read(hash: Buffer): { storeId: string; webp: Buffer } | undefined {
    try {
      return queries.find(hash)
    } catch (error) {
      const failure = storageFailure(error)
      if (!failure || !isStorageFault(failure)) throw error
      reportFault(error)
      return undefined
    }
  }
}
