import pLimit from 'p-limit'
import type { CallerStore } from '../../../core/actor.ts'
import type { QueuePriority } from '../../../platform/embedder/embedder.ts'
import type { Base } from '../../module.ts'
import { isKeptPath, type KeptPictures } from './kept-pictures.ts'
import { type PictureLoader, type PictureModels, type PictureSource, take } from './picture-loader.ts'
import type { PictureRow, PictureToSave, ProductRow } from './queries.ts'
import type { ReadyAddress, ReadyPicture } from './ready-picture.ts'
import type { StorageChange, StorageLimit } from './storage-limit.ts'
import { UNUSED_AFTER_MS } from './sweeper.ts'
import type { Thumbnails } from './thumbnails.ts'

export interface PictureDeps extends Pick<Base, 'clock'> {
  kept: Pick<KeptPictures, 'toStored' | 'retain' | 'keep' | 'copy'>
  loader: Pick<PictureLoader, 'load' | 'complete'>
  storage: StorageLimit
  thumbnails: Pick<Thumbnails, 'findSide'>
}

/** How the pictures of a product are read. */
export interface PreparingOptions {
  /** Downloads pictures again although their addresses are known. */
  refresh: boolean
  /** Embeds pictures again although their content is known. */
  isAnew?: boolean
  /** `bulk` gives way to everything else, downloads included. */
  priority: Exclude<QueuePriority, 'search'>
  models: PictureModels
}

/** Pictures of one product that are downloaded and embedded at the same time; each may hold 10 MiB. */
const LOADING_MAX = 4

export type ProductPictures = ReturnType<typeof productPictures>

/** Turns the pictures that clients give into pictures that a product can be saved with. */
export function productPictures(deps: PictureDeps) {
  const { kept, loader, storage, thumbnails, clock } = deps

  /** Writes what the address of a picture needs. @returns the picture as the product can be saved with it. */
  async function write(
    storeId: string,
    { address, content }: ReadyPicture,
    change: StorageChange,
  ): Promise<PictureToSave> {
    const { contentHash, contentType } = 'own' in content ? content.own : content.added
    const imageUrl = await saveAddress(storeId, address, { contentHash, contentType }, change)
    return 'own' in content
      ? { kept: { ...content.own, imageUrl }, second: content.second }
      : { ...content, added: { ...content.added, imageUrl } }
  }

  async function saveAddress(
    storeId: string,
    address: ReadyAddress,
    content: { contentHash: Buffer; contentType: string },
    change: StorageChange,
  ): Promise<string> {
    switch (address.kind) {
      case 'final':
        return address.url
      case 'retained':
        await kept.retain(address.path)
        return address.path
      case 'uploaded':
        return kept.keep(storeId, { bytes: address.bytes, ...content }, change)
      case 'copied':
        return kept.copy(storeId, address.kept, change)
    }
  }

  return {
    /**
     * Prepares the pictures of one product, in their order. A picture whose address or content the product already has
     * is neither downloaded nor embedded again.
     *
     * @throws ApiError of the fetcher and of the embedder, `storage_limit_exceeded`; nothing is saved then.
     */
    async prepare(
      store: CallerStore,
      sources: PictureSource[],
      product: ProductRow | undefined,
      { refresh, isAnew = false, priority, models }: PreparingOptions,
    ): Promise<PictureToSave[]> {
      const storeId = store.id
      const present = product?.pictures ?? []
      const free = present.filter(({ hasVector }) => hasVector)
      // Pictures that no source has taken leave, and so do those whose vectors are of another model.
      const listLeaving = () =>
        [...free, ...present.filter(({ hasVector }) => !hasVector)].map(({ id }) => id)
      const change = storage.startChange(
        store,
        present.map(({ id }) => id),
        listLeaving,
      )
      const reader = { storeId, priority, models, thumbnail: thumbnails.findSide(store) }
      const preparation = { reader, free, change, isAnew }
      // Known addresses come first, so that a new address with the same content cannot take their picture.
      const planned = sources.map((source) => {
        const isKnown = ({ imageUrl }: PictureRow) =>
          'url' in source && imageUrl === kept.toStored(source.url)
        return { source, known: refresh || isAnew ? undefined : take(free, isKnown) }
      })
      const limited = pLimit(LOADING_MAX)
      const ready = await limited
        .map(planned, async ({ source, known }) => {
          if (!known) return loader.load(preparation, refresh || isAnew ? withoutPrecomputed(source) : source)
          return models.needsComing && known.isAwaited ? loader.complete(preparation, known) : asItIs(known)
        })
        .finally(limited.clearQueue)
      // Nothing is written before every picture is known to be good.
      const start = clock.monotonic()
      const pictures = await Promise.all(ready.map((picture) => write(storeId, picture, change)))
      // On a slow disk the first pictures might be swept before the last one is written.
      if (clock.monotonic() - start > UNUSED_AFTER_MS / 2) {
        await Promise.all(pictures.map(getImageUrl).filter(isKeptPath).map(kept.retain))
      }
      return pictures
    },
  }
}

/** The address that a picture is saved with. */
export const getImageUrl = (picture: PictureToSave): string =>
  'kept' in picture ? picture.kept.imageUrl : picture.added.imageUrl

const asItIs = (own: PictureRow): ReadyPicture => ({
  address: { kind: 'final', url: own.imageUrl },
  content: { own },
})

const withoutPrecomputed = (source: PictureSource): PictureSource =>
  'url' in source ? { url: source.url } : source
