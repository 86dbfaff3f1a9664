import type { CallerStore } from '../../../core/actor.ts'
import { ModelSwitched } from '../../../core/switched.ts'
import type { WriteTogether } from '../../../platform/db/write-groups.ts'
import type { ModelSet } from '../../../platform/models/model-set.ts'
import type { Base } from '../../module.ts'
import type { DuplicateScan, DuplicatesService } from '../duplicates/service.ts'
import type { ProductIndexService } from '../product-index/module.ts'
import { createChangeTrace } from './change-trace.ts'
import { listAdded } from './changed-fields.ts'
import type { PictureModels } from './picture-vectors.ts'
import { getImageUrl } from './pictures.ts'
import type { ProductEvents } from './product-events.ts'
import type { PictureToSave, ProductQueries, ProductRow, SavedProduct, WritingModels } from './queries.ts'
import {
  demandStill,
  eventOriginOf,
  isNews,
  isOfDemo,
  type ProductWrite,
  type Write,
  type WriteOrigin,
} from './write.ts'

export interface ProductCommitsDeps extends Pick<Base, 'clock' | 'ids'> {
  queries: Pick<ProductQueries, 'save' | 'remove'>
  models: Pick<ModelSet, 'of' | 'comingOf'>
  index: Pick<ProductIndexService, 'put' | 'remove' | 'claimSpace'>
  events: ProductEvents
  writeTogether: WriteTogether
  /** Called with the pictures of every write inside its transaction. */
  duplicates: Pick<DuplicatesService, 'addPictures'>
  waiting: Pick<WaitingWrites, 'drop'>
  /** Learns inside its transaction of every write that may have taken places of the plan. */
  warnNearLimit(store: CallerStore): void
  /** @throws ApiError `product_limit_exceeded` when the plan has no place for one more product. */
  requirePlace(store: CallerStore): void
}

/** Writes that were acknowledged and wait to be done, such as the items of jobs. They are numbered by their arrival. */
export interface WaitingWrites {
  /** The number of the write that was acknowledged last. */
  latest(): number
  /** Drops the writes of a product that arrived up to this number; joins a transaction, or needs none when there are none. */
  drop(storeId: string, productId: string, upTo: number): void
}

/** Commits changes of products: one transaction for those that are ready together, then the index in the same tick. */
export function createProductCommits(deps: ProductCommitsDeps) {
  const { queries, models, index, events, writeTogether, duplicates, waiting, requirePlace, clock, ids } =
    deps
  const changes = createChangeTrace()

  /** Ends the waiting writes of a product that this write replaces, itself included when it waited. */
  function endWaiting(
    storeId: string,
    productId: string,
    effect: ProductWrite['effect'] | 'deleted',
    arrival: number,
    origin: WriteOrigin,
  ): void {
    const isJob = origin.kind === 'job'
    if (isJob) origin.commitWith(effect)
    waiting.drop(storeId, productId, isJob ? origin.arrival - 1 : arrival)
  }

  function putIntoIndex({ store, input }: Write, prepared: PictureToSave[], saved: SavedProduct): void {
    const storeId = store.id
    const { productId, metadata } = input
    for (const id of saved.removedPictureIds) index.remove(storeId, id)
    for (const [n, picture] of prepared.entries()) {
      const pictureId = saved.pictureIds[n] as number
      const { palette } = 'kept' in picture ? picture.kept : picture.added
      index.put(
        { storeId, productId, product: saved.id, metadata, pictureId, isFirst: n === 0, palette },
        'vector' in picture ? picture.vector : undefined,
        picture.second,
      )
    }
  }

  /** @throws ApiError `storage_full` when the vectors of the new pictures find no space in memory. */
  function claimVectorSpace(
    storeId: string,
    prepared: PictureToSave[],
    before: ProductRow | undefined,
  ): () => void {
    const kept = new Set(prepared.flatMap((picture) => ('kept' in picture ? [picture.kept.id] : [])))
    const leaving = before?.pictures.flatMap(({ id }) => (kept.has(id) ? [] : [id])) ?? []
    return index.claimSpace(storeId, prepared.length - kept.size, leaving)
  }

  /**
   * The pictures with the vectors that count at the moment of the commit. What was made for a move that is over is left out.
   *
   * @throws ModelSwitched when a new picture has no vector of the store's model, because the store was switched meanwhile.
   */
  function settle(
    storeId: string,
    prepared: PictureToSave[],
    made: PictureModels,
  ): { pictures: PictureToSave[]; writing: WritingModels } {
    const present = models.of(storeId)
    const coming = models.comingOf(storeId)
    if (made.present !== present && prepared.some((picture) => 'added' in picture)) throw new ModelSwitched()
    return {
      pictures: made.coming === coming ? prepared : prepared.map(withoutSecond),
      writing: { present, coming },
    }
  }

  return {
    endWaiting,

    changes: { latest: changes.latest, listSince: changes.listSince, forgetStore: changes.forgetStore },

    /** Writes a product with its pictures and vectors. */
    save(
      writing: Write,
      made: { prepared: PictureToSave[]; models: PictureModels },
      scan: DuplicateScan | undefined,
    ): Promise<SavedProduct> {
      const { store, input, origin, before, arrival } = writing
      const { productId, metadata } = input
      const storeId = store.id
      let prepared: PictureToSave[] = []
      let giveSpaceBack = () => {}
      return writeTogether({
        write() {
          demandStill(origin)
          const settled = settle(storeId, made.prepared, made.models)
          prepared = settled.pictures
          const product = {
            storeId,
            productId,
            metadata,
            isDemo: isOfDemo(writing),
            keepsTime: origin.kind === 'reembedding',
            imageUrl: getImageUrl(prepared[0] as PictureToSave),
            vectorId: ids.uuid(),
            now: clock.now(),
          }
          giveSpaceBack = claimVectorSpace(storeId, prepared, before)
          // Another product may have taken the last place while the pictures were on their way.
          if (!before) requirePlace(store)
          if (isNews(origin)) endWaiting(storeId, productId, before ? 'updated' : 'indexed', arrival, origin)
          const saved = queries.save(product, prepared, settled.writing)
          const eventOrigin = eventOriginOf(writing)
          events.saved({ ...product, vectorId: saved.vectorId }, prepared, before, eventOrigin)
          if (scan) events.duplicate(product, scan, eventOrigin)
          duplicates.addPictures(storeId, listAdded(prepared, saved))
          if (origin.kind !== 'reembedding') deps.warnNearLimit(store)
          return saved
        },
        undone: () => giveSpaceBack(),
        isPatient: origin.kind === 'job',
        committed(saved) {
          changes.note(storeId, saved.id)
          giveSpaceBack()
          putIntoIndex(writing, prepared, saved)
        },
      })
    },

    /** Deletes a product with its pictures and vectors. */
    erase(product: ProductRow, arrival: number, origin: WriteOrigin): Promise<void> {
      const { storeId, productId } = product
      return writeTogether({
        write() {
          demandStill(origin)
          endWaiting(storeId, productId, 'deleted', arrival, origin)
          queries.remove(product)
          events.deleted(product, clock.now())
        },
        isPatient: origin.kind === 'job',
        committed() {
          changes.note(storeId, product.id)
          for (const { id } of product.pictures) index.remove(storeId, id)
        },
      })
    },
  }
}

const withoutSecond = (picture: PictureToSave): PictureToSave => ({ ...picture, second: undefined })
