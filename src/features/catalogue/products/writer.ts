import type { CallerStore, Standing } from '../../../core/actor.ts'
import { notFound } from '../../../core/errors.ts'
import type { EventOrigin } from '../../../core/events.ts'
import { createKeyedLock } from '../../../core/keyed-lock.ts'
import { productLimitExceeded } from '../../../core/plan-limits.ts'
import type { WriteTogether } from '../../../platform/db/write-groups.ts'
import type { Base } from '../../module.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { DuplicateScan, DuplicatesService } from '../duplicates/service.ts'
import type { ProductIndex } from '../product-index/product-index.ts'
import { isUnchanged, listAdded } from './changed-fields.ts'
import { checkMetadata } from './metadata.ts'
import { getImageUrl, type PictureSource, type ProductPictures } from './pictures.ts'
import type { ProductEvents } from './product-events.ts'
import type { PictureToSave, ProductQueries, ProductRow, SavedProduct } from './queries.ts'
import type { Metadata } from './schema.ts'

export interface ProductWriterDeps extends Pick<Base, 'clock' | 'ids' | 'plans' | 'baseUrl'> {
  queries: Pick<ProductQueries, 'find' | 'save' | 'remove'>
  stores: Pick<StoreQueries, 'countProducts'>
  pictures: Pick<ProductPictures, 'prepare'>
  index: Pick<ProductIndex, 'put' | 'remove' | 'requireSpace' | 'claimSpace' | 'findVector'>
  events: ProductEvents
  writeTogether: WriteTogether
  /** Finds the product that the new first picture of another one is a copy of. */
  duplicates: Pick<DuplicatesService, 'scan' | 'addPictures'>
  /** Learns of every write, so that older work on the same product is not done after it. */
  waiting: WaitingWrites
  /** Learns inside its transaction of every write that may have taken places of the plan. */
  noteGrowth(store: CallerStore): void
}

/** Writes that were acknowledged and wait to be done, such as the items of jobs. They are numbered by their arrival. */
export interface WaitingWrites {
  /** The number of the write that was acknowledged last. */
  latest(): number
  /** Drops the writes of a product that arrived up to this number; joins a transaction, or needs none when there are none. */
  drop(storeId: string, productId: string, upTo: number): void
}

/** Where a write or a deletion comes from. */
export type WriteOrigin =
  /** The author must still have the right in the transaction of the write, once the pictures are here. */
  | { kind: 'client'; author?: Standing | undefined }
  /** Of the demo catalogue, which never replaces a product of the store's own, not even one that waits. */
  | { kind: 'demo'; author?: Standing | undefined }
  /** A write that waited in a job. It gives way to all others. */
  | {
      kind: 'job'
      /** Its number in the order of arrival. Older writes of the same product are dropped. */
      arrival: number
      /**
       * Called inside the transaction of the write, or alone when the product stays as it is. The write is undone and fails
       * with what this throws.
       */
      commitWith(effect: ProductWrite['effect'] | 'deleted'): void
    }
  /** Brings only vectors of the present model, so it is no newer than what waits. */
  | { kind: 'reembedding' }

/** The content of a product, wherever it comes from. */
export interface ProductContent {
  /** At least one; the first is the main one. */
  sources: PictureSource[]
  metadata: Metadata
  /** Downloads pictures again although their addresses are known. */
  refresh?: boolean
}

export interface ProductInput extends ProductContent {
  productId: string
}

/** The effect of one write. */
export interface ProductWrite {
  effect: 'indexed' | 'updated' | 'unchanged'
  productId: string
  vectorId: string
}

/** A write that has its turn. */
interface Write {
  store: CallerStore
  input: ProductInput
  origin: WriteOrigin
  before: ProductRow | undefined
  /** The number of the write that was acknowledged last when this one arrived. */
  arrival: number
}

const CLIENT = { kind: 'client' } as const satisfies WriteOrigin

export type ProductWriter = ReturnType<typeof createProductWriter>

/**
 * The one door for changes of products: requests, jobs, the demo catalogue and embedding again come through it.
 *
 * Each change awaits its pictures first. One transaction then writes the product, its pictures and vectors, and the event
 * of the change, together with the other changes that are ready by then; the product index follows in the same tick.
 * Changes of one product keep the order of their arrival.
 */
export function createProductWriter(deps: ProductWriterDeps) {
  const { queries, pictures, index, events, writeTogether, duplicates, waiting, clock, ids } = deps
  const locked = createKeyedLock()
  /** How often the products of a store have changed since the start. */
  const versions = new Map<string, number>()
  const noteChange = (storeId: string) => versions.set(storeId, (versions.get(storeId) ?? 0) + 1)

  const lockProduct = <Result>(
    storeId: string,
    productId: string,
    work: (arrival: number) => Promise<Result>,
  ) => {
    const arrival = waiting.latest()
    return locked(`${storeId}/${productId}`, () => work(arrival))
  }

  /** Settles the waiting writes of a product that this write replaces, itself included when it waited. */
  function settleWaiting(
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

  /** @throws ApiError `product_limit_exceeded` when the plan has no place for one more product. */
  function requirePlace(store: CallerStore): void {
    const max = deps.plans[store.plan].productsMax
    if (max === Infinity) return
    const count = deps.stores.countProducts(store.id)
    if (count >= max) throw productLimitExceeded(deps.plans, store, count, deps.baseUrl())
  }

  function leaveUnchanged({ store, origin, arrival }: Write, product: ProductRow): ProductWrite {
    const { productId, vectorId } = product
    demandStill(origin)
    if (isNews(origin)) settleWaiting(store.id, productId, 'unchanged', arrival, origin)
    return { effect: 'unchanged', productId, vectorId }
  }

  async function write(writing: Write): Promise<ProductWrite> {
    const { store, input, origin, before } = writing
    const { productId, sources, metadata, refresh = false } = input
    checkMetadata(metadata)
    if (before && origin.kind === 'demo' && !before.isDemo) return leaveUnchanged(writing, before)
    if (!before) {
      requirePlace(store)
      index.requireSpace(store.id, 1, [])
    }
    const priority = origin.kind === 'job' || origin.kind === 'reembedding' ? 'bulk' : 'index'
    const prepared = await pictures.prepare(store, sources, before, { refresh, priority })
    const isDemo = isOfDemo(writing)
    if (before && isUnchanged(before, { metadata, isDemo, pictures: prepared }))
      return leaveUnchanged(writing, before)
    const scan = isNews(origin) ? await scanForDuplicates(store.id, prepared, before) : undefined
    const { vectorId } = await commit(writing, prepared, scan).finally(() => scan?.close())
    return { effect: before ? 'updated' : 'indexed', productId, vectorId }
  }

  function commit(
    writing: Write,
    prepared: PictureToSave[],
    scan: DuplicateScan | undefined,
  ): Promise<SavedProduct> {
    const { store, input, origin, before, arrival } = writing
    const { productId, metadata } = input
    const storeId = store.id
    let giveSpaceBack = () => {}
    return writeTogether({
      write() {
        demandStill(origin)
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
        if (isNews(origin)) settleWaiting(storeId, productId, before ? 'updated' : 'indexed', arrival, origin)
        const saved = queries.save(product, prepared)
        const eventOrigin = eventOriginOf(writing)
        events.saved({ ...product, vectorId: saved.vectorId }, prepared, before, eventOrigin)
        if (scan) events.duplicate(product, scan, eventOrigin)
        duplicates.addPictures(storeId, listAdded(prepared, saved))
        if (origin.kind !== 'reembedding') deps.noteGrowth(store)
        return saved
      },
      undone: () => giveSpaceBack(),
      isPatient: origin.kind === 'job',
      committed(saved) {
        noteChange(storeId)
        giveSpaceBack()
        putIntoIndex(writing, prepared, saved)
      },
    })
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

  /** Scans for products like the first picture of a write, unless the product has shown it before. */
  async function scanForDuplicates(
    storeId: string,
    [first]: PictureToSave[],
    before: ProductRow | undefined,
  ): Promise<DuplicateScan | undefined> {
    if (!first) return undefined
    const { contentHash } = 'kept' in first ? first.kept : first.added
    if (before && !before.isDemo && before.pictures[0]?.contentHash.equals(contentHash)) return undefined
    const vector = 'kept' in first ? index.findVector(storeId, first.kept.id) : first.vector
    return vector && duplicates.scan(storeId, vector)
  }

  function erase(product: ProductRow, arrival: number, origin: WriteOrigin): Promise<void> {
    const { storeId, productId } = product
    return writeTogether({
      write() {
        demandStill(origin)
        settleWaiting(storeId, productId, 'deleted', arrival, origin)
        queries.remove(product)
        events.deleted(product, clock.now())
      },
      isPatient: origin.kind === 'job',
      committed() {
        noteChange(storeId)
        for (const { id } of product.pictures) index.remove(storeId, id)
      },
    })
  }

  return {
    /** A number that changes with every change of a product of the store. */
    version: (storeId: string): number => versions.get(storeId) ?? 0,

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
     * Embeds the pictures of a product that have no vector of the present model. The content of the product stays, and so
     * does the time of its last change. A product that is gone, or has all vectors, is left alone.
     *
     * @throws ApiError as `put` does.
     */
    embedAgain: (store: CallerStore, productId: string): Promise<void> =>
      lockProduct(store.id, productId, async (arrival) => {
        const before = queries.find(store.id, productId)
        if (!before || before.pictures.every(({ hasVector }) => hasVector)) return
        const sources = before.pictures.map(({ imageUrl }) => ({ url: imageUrl }))
        const input = { productId, sources, metadata: before.metadata }
        await write({ store, input, origin: { kind: 'reembedding' }, before, arrival })
      }),

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
          settleWaiting(storeId, productId, 'unchanged', arrival, origin)
          return false
        }
        await erase(product, arrival, origin)
        return true
      }),
  }
}

/** @throws ApiError when the author of a write has lost the right to it. */
const demandStill = (origin: WriteOrigin): void => {
  if ('author' in origin) origin.author?.demandStill()
}

/** Whether a write brings what a client wants now, so that it takes the place of older writes that wait. */
const isNews = ({ kind }: WriteOrigin): boolean => kind === 'client' || kind === 'job'

const isOfDemo = ({ origin, before }: Write): boolean =>
  origin.kind === 'demo' || (origin.kind === 'reembedding' && before?.isDemo === true)

const eventOriginOf = ({ origin: { kind } }: Write): EventOrigin => (kind === 'job' ? 'client' : kind)
