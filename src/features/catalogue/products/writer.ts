import type { CallerStore, Standing } from '../../../core/actor.ts'
import { notFound } from '../../../core/errors.ts'
import { createKeyedLock } from '../../../core/keyed-lock.ts'
import { productLimitExceeded } from '../../../core/plan-limits.ts'
import { inOneModel, ModelSwitched } from '../../../core/switched.ts'
import type { ServingModel } from '../../../platform/models/model-set.ts'
import type { Base } from '../../module.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { DuplicateScan, DuplicatesService } from '../duplicates/service.ts'
import type { ProductIndexService } from '../product-index/module.ts'
import { isUnchanged } from './changed-fields.ts'
import { createProductCommits, type ProductCommitsDeps, type WaitingWrites } from './commits.ts'
import { checkMetadata } from './metadata.ts'
import type { ProductPictures } from './pictures.ts'
import type { PictureRow, PictureToSave, ProductQueries, ProductRow } from './queries.ts'
import {
  demandStill,
  isNews,
  isOfDemo,
  type ProductContent,
  type ProductInput,
  type ProductWrite,
  type Write,
  type WriteOrigin,
} from './write.ts'

export interface ProductWriterDeps
  extends Omit<ProductCommitsDeps, 'requirePlace'>,
    Pick<Base, 'plans' | 'baseUrl'> {
  queries: Pick<ProductQueries, 'find' | 'save' | 'remove'>
  storeRows: Pick<StoreQueries, 'countProducts'>
  pictures: Pick<ProductPictures, 'prepare'>
  index: Pick<ProductIndexService, 'put' | 'remove' | 'requireSpace' | 'claimSpace' | 'findVector'>
  /** Finds the product that the new first picture of another one is a copy of. */
  duplicates: Pick<DuplicatesService, 'scan' | 'addPictures'>
  /** Called with every write, so that older work on the same product is not done after it. */
  waiting: WaitingWrites
}

const CLIENT = { kind: 'client' } as const satisfies WriteOrigin

/** Which vectors a write is for. */
interface Embedding {
  /** Those of the model that the store is moving to; it fails without them. */
  needsComing?: boolean
  /** New ones of pictures that have one. */
  isAnew?: boolean
}

/** What came of a write for new vectors. */
export type Rewrite = 'embedded' | 'unchanged'

export type ProductWriter = ReturnType<typeof createProductWriter>

/**
 * The one writer of products: requests, jobs, the demo catalogue and re-embedding use it.
 *
 * Each change awaits its pictures first. One transaction then writes the product, its pictures and vectors, and the event
 * of the change, together with the other changes that are ready by then; the product index follows in the same tick.
 * Changes of one product keep the order of their arrival.
 */
export function createProductWriter(deps: ProductWriterDeps) {
  const { queries, models, pictures, index, duplicates, waiting } = deps
  const commits = createProductCommits({ ...deps, requirePlace })
  const locked = createKeyedLock()

  const lockProduct = <Result>(
    storeId: string,
    productId: string,
    work: (arrival: number) => Promise<Result>,
  ) => {
    const arrival = waiting.latest()
    return locked(`${storeId}/${productId}`, () => inOneModel(() => work(arrival)))
  }

  /** @throws ApiError `product_limit_exceeded` when the plan has no place for one more product. */
  function requirePlace(store: CallerStore): void {
    const max = deps.plans[store.plan].productsMax
    if (max === Infinity) return
    const count = deps.storeRows.countProducts(store.id)
    if (count >= max) throw productLimitExceeded(deps.plans, store, count, deps.baseUrl())
  }

  function leaveUnchanged({ store, origin, arrival }: Write, product: ProductRow): ProductWrite {
    const { productId, vectorId } = product
    demandStill(origin)
    if (isNews(origin)) commits.endWaiting(store.id, productId, 'unchanged', arrival, origin)
    return { effect: 'unchanged', productId, vectorId }
  }

  async function write(
    writing: Write,
    { needsComing = false, isAnew = false }: Embedding = {},
  ): Promise<ProductWrite> {
    const { store, input, origin, before } = writing
    const { productId, sources, metadata, refresh = false } = input
    checkMetadata(metadata)
    if (before && origin.kind === 'demo' && !before.isDemo) return leaveUnchanged(writing, before)
    if (!before) {
      requirePlace(store)
      index.requireSpace(store.id, 1, [])
    }
    const priority = origin.kind === 'job' || origin.kind === 'reembedding' ? 'bulk' : 'index'
    const made = { present: models.of(store.id), coming: models.comingOf(store.id), needsComing }
    const prepared = await pictures.prepare(store, sources, before, {
      refresh,
      isAnew,
      priority,
      models: made,
    })
    const isDemo = isOfDemo(writing)
    if (before && isUnchanged(before, { metadata, isDemo, pictures: prepared }))
      return leaveUnchanged(writing, before)
    const scan = isNews(origin)
      ? await scanForDuplicates(store.id, prepared, before, made.present)
      : undefined
    const { vectorId } = await commits
      .save(writing, { prepared, models: made }, scan)
      .finally(() => scan?.close())
    return { effect: before ? 'updated' : 'indexed', productId, vectorId }
  }

  /** Writes a product as it is, for new vectors, if one of its pictures needs them. */
  const rewrite = (
    store: CallerStore,
    productId: string,
    isNeeded: (picture: PictureRow) => boolean,
    how?: Embedding,
  ): Promise<Rewrite> =>
    lockProduct(store.id, productId, async (arrival) => {
      const before = queries.find(store.id, productId)
      if (!before?.pictures.some(isNeeded)) return 'unchanged'
      const sources = before.pictures.map(({ imageUrl }) => ({ url: imageUrl }))
      const input = { productId, sources, metadata: before.metadata }
      await write({ store, input, origin: { kind: 'reembedding' }, before, arrival }, how)
      return 'embedded'
    })

  /** Scans for products like the first picture of a write, unless the product has shown it before. */
  async function scanForDuplicates(
    storeId: string,
    [first]: PictureToSave[],
    before: ProductRow | undefined,
    model: ServingModel,
  ): Promise<DuplicateScan | undefined> {
    if (!first) return undefined
    const { contentHash } = 'kept' in first ? first.kept : first.added
    if (before && !before.isDemo && before.pictures[0]?.contentHash.equals(contentHash)) return undefined
    if (models.of(storeId) !== model) throw new ModelSwitched()
    const vector = 'kept' in first ? index.findVector(storeId, first.kept.id) : first.vector
    return vector && duplicates.scan(storeId, vector)
  }

  return {
    /** The changes of products by this writer. */
    changes: commits.changes,

    /**
     * Indexes one product, in place of an older one with the same id.
     *
     * @throws ApiError `product_limit_exceeded` before anything is downloaded, `validation_error` for the metadata,
     *   `storage_limit_exceeded`, `storage_full` without space for a vector, and the codes of the fetcher and of the embedder.
     */
    put: (
      store: CallerStore,
      input: ProductInput,
      origin: Exclude<WriteOrigin, { kind: 'reembedding' }> = CLIENT,
    ): Promise<ProductWrite> =>
      lockProduct(store.id, input.productId, async (arrival) =>
        write({ store, input, origin, before: queries.find(store.id, input.productId), arrival }),
      ),

    /**
     * Changes a product, depending on its present state.
     *
     * @param edit makes the new content of the present one; nothing is written if it throws.
     * @throws ApiError `not_found`, and the codes of `put`.
     */
    edit: (
      store: CallerStore,
      productId: string,
      edit: (product: ProductRow) => ProductContent,
      author?: Standing,
    ): Promise<ProductWrite> =>
      lockProduct(store.id, productId, async (arrival) => {
        const before = queries.find(store.id, productId)
        if (!before) throw notFound('product')
        const input = { ...edit(before), productId }
        return write({ store, input, origin: { kind: 'client', author }, before, arrival })
      }),

    /**
     * Embeds the pictures of a product that have no vector of the model of the store. The content of the product stays, and so
     * does the time of its last change. A product that is gone, or has all vectors, is left alone.
     *
     * @throws ApiError as `put` does.
     */
    embedAgain: (store: CallerStore, productId: string): Promise<Rewrite> =>
      rewrite(store, productId, ({ hasVector }) => !hasVector),

    /**
     * Makes the vectors of the model that the store is moving to, where pictures of a product lack them. A picture whose
     * content has changed at its address is written as a refresh does. It is told as {@link embedAgain} tells it.
     *
     * @returns `unchanged` for a product that is gone or has them all, and for a store that is not moving.
     * @throws ApiError as `put` does.
     */
    embedComing: (store: CallerStore, productId: string): Promise<Rewrite> =>
      rewrite(store, productId, ({ isAwaited }) => isAwaited, { needsComing: true }),

    /**
     * Embeds all pictures of a product again. It is told as {@link embedAgain} tells it; a product that is gone is left alone.
     *
     * @throws ApiError as `put` does.
     */
    embedAnew: (store: CallerStore, productId: string): Promise<Rewrite> =>
      rewrite(store, productId, () => true, { isAnew: true }),

    /**
     * Deletes a product with its pictures and vectors.
     *
     * @param mayRemove decides by the product's present state.
     * @returns whether there was such a product.
     */
    remove: (
      storeId: string,
      productId: string,
      mayRemove: (product: ProductRow) => boolean = () => true,
      origin: Extract<WriteOrigin, { kind: 'client' | 'job' }> = CLIENT,
    ): Promise<boolean> =>
      lockProduct(storeId, productId, async (arrival) => {
        const product = queries.find(storeId, productId)
        if (product && !mayRemove(product)) return false
        if (!product) {
          demandStill(origin)
          // A write that waits would bring the product back.
          commits.endWaiting(storeId, productId, 'unchanged', arrival, origin)
          return false
        }
        await commits.erase(product, arrival, origin)
        return true
      }),
  }
}
