import type { CallerStore, Standing } from '../../../core/actor.ts'
import { isoTime } from '../../../core/clock.ts'
import { notFound } from '../../../core/errors.ts'
import type { EmitEvent } from '../../../core/events.ts'
import { createKeyedLock } from '../../../core/keyed-lock.ts'
import { productLimitExceeded } from '../../../core/plan-limits.ts'
import type { WriteTogether } from '../../../platform/db/write-groups.ts'
import type { Base } from '../../module.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { DuplicateLook, DuplicatesService } from '../duplicates/service.ts'
import type { ProductIndex } from '../product-index/product-index.ts'
import { isUnchanged, listAdded, listChangedFields, originOf } from './changed-fields.ts'
import { checkMetadata } from './metadata.ts'
import { getImageUrl, type PictureSource, type ProductPictures } from './pictures.ts'
import type { PictureToSave, ProductQueries, ProductRow, ProductToSave, SavedProduct } from './queries.ts'
import type { Metadata } from './schema.ts'

export interface ProductWriterDeps extends Pick<Base, 'clock' | 'ids' | 'plans' | 'baseUrl'> {
  queries: Pick<ProductQueries, 'find' | 'save' | 'remove'>
  stores: Pick<StoreQueries, 'countProducts'>
  pictures: Pick<ProductPictures, 'prepare' | 'toPublicUrl'>
  index: Pick<ProductIndex, 'put' | 'remove' | 'requireRoom' | 'claimRoom' | 'findVector'>
  writeTogether: WriteTogether
  /** Learns of every change that a client can see, inside the transaction that makes it. */
  emit?: EmitEvent | undefined
  /** Finds the product that the new first picture of another one is a copy of. */
  duplicates?: DuplicatesService | undefined
  /** Learns of every write, so that older work on the same product is not done after it. */
  waiting?: WaitingWrites | undefined
  /** Learns inside its transaction of every write that may have taken room of the plan. */
  noteGrowth?: ((store: CallerStore) => void) | undefined
}

/** Writes that were acknowledged and wait to be done, such as the items of jobs. They are numbered by their arrival. */
export interface WaitingWrites {
  /** The number of the write that was acknowledged last. */
  latest(): number
  /** Drops the writes of a product that arrived up to this number; joins a transaction, or needs none when there are none. */
  drop(storeId: string, productId: string, upTo: number): void
}

/** A write that waited, and now goes through the door. */
export interface WaitedWrite {
  /** Its number in the order of arrival. Older writes of the same product are dropped. */
  arrival: number
  /**
   * Called inside the transaction of the write, or alone when the product stays as it is. The write is undone and fails with
   * what this throws.
   */
  commitWith(effect: ProductWrite['effect'] | 'deleted'): void
}

/** On whose behalf a product is written or deleted. */
export interface WriteOrigin {
  /** For writes that wait in a job: they give way to all others. */
  waited?: WaitedWrite | undefined
  /** Whose request it is. Must still have its right in the transaction of the write, once the pictures are here. */
  author?: Standing | undefined
}

/** The content of a product, wherever it comes from. */
export interface ProductContent {
  /** At least one; the first is the main one. */
  sources: PictureSource[]
  metadata: Metadata
  /** Downloads pictures again although their addresses are known. */
  refresh?: boolean
  /** Belongs to the demo catalogue, and so never replaces a product of the store's own. */
  isDemo?: boolean
  /** Brings nothing but vectors of the present model, so it is no newer than what waits. */
  isReembedding?: boolean
}

export interface ProductInput extends ProductContent, WriteOrigin {
  productId: string
}

/** The effect of one write. */
export interface ProductWrite {
  effect: 'indexed' | 'updated' | 'unchanged'
  productId: string
  vectorId: string
}

/** What a write has found out before its transaction. */
interface CommitContext {
  before: ProductRow | undefined
  arrival: number
  look: DuplicateLook | undefined
}

export type ProductWriter = ReturnType<typeof createProductWriter>

/**
 * The one door for changes of products: requests, the demo catalogue and whatever else writes products come through it.
 *
 * Each change awaits its pictures first. One transaction then writes the product, its pictures and vectors, and the event
 * of the change, together with the other changes that are ready by then; the product index follows in the same tick.
 * Changes of one product keep the order of their arrival.
 */
export function createProductWriter(deps: ProductWriterDeps) {
  const { queries, stores, pictures, index, writeTogether, emit, duplicates, waiting, clock, ids } = deps
  const locked = createKeyedLock()
  /** How often the products of a store have changed since the start. */
  const versions = new Map<string, number>()
  const noteChange = (storeId: string) => versions.set(storeId, (versions.get(storeId) ?? 0) + 1)

  /** @param work gets the number of the write that was acknowledged last when this one arrived. */
  const lockProduct = <Result>(
    storeId: string,
    productId: string,
    work: (arrival: number) => Promise<Result>,
  ) => {
    const arrival = waiting?.latest() ?? 0
    return locked(`${storeId}/${productId}`, () => work(arrival))
  }

  /** Settles the waiting writes of a product that this write replaces, itself included when it waited. */
  function settleWaiting(
    storeId: string,
    productId: string,
    effect: Parameters<WaitedWrite['commitWith']>[0],
    arrival: number,
    waited: WaitedWrite | undefined,
  ): void {
    waited?.commitWith(effect)
    waiting?.drop(storeId, productId, waited ? waited.arrival - 1 : arrival)
  }

  /** @throws ApiError `product_limit_exceeded` when the plan has no room for one more product. */
  function requireRoom(store: CallerStore): void {
    const max = deps.plans[store.plan].productsMax
    if (max === Infinity) return
    const count = stores.countProducts(store.id)
    if (count >= max) throw productLimitExceeded(deps.plans, store, count, deps.baseUrl())
  }

  async function write(
    store: CallerStore,
    input: ProductInput,
    before: ProductRow | undefined,
    arrival: number,
  ): Promise<ProductWrite> {
    const {
      productId,
      sources,
      metadata,
      refresh = false,
      isDemo = false,
      isReembedding = false,
      waited,
      author,
    } = input
    checkMetadata(metadata)
    const unchanged = (product: ProductRow): ProductWrite => {
      author?.demandStill()
      if (!isDemo && !isReembedding) settleWaiting(store.id, productId, 'unchanged', arrival, waited)
      return { effect: 'unchanged', productId, vectorId: product.vectorId }
    }
    if (before && isDemo && !before.isDemo) return unchanged(before)
    if (!before) {
      requireRoom(store)
      index.requireRoom(store.id, 1, [])
    }
    const priority = waited || isReembedding ? 'bulk' : 'index'
    const prepared = await pictures.prepare(store, sources, before, { refresh, priority })
    if (before && isUnchanged(before, { metadata, isDemo, pictures: prepared })) return unchanged(before)
    const isQuiet = isDemo || isReembedding
    const look = isQuiet ? undefined : await lookForDuplicates(store.id, prepared, before)
    const saving = commit(store, input, prepared, { before, arrival, look })
    const { vectorId } = await saving.finally(() => look?.close())
    return { effect: before ? 'updated' : 'indexed', productId, vectorId }
  }

  function commit(
    store: CallerStore,
    { productId, metadata, isDemo = false, isReembedding = false, waited, author }: ProductInput,
    prepared: PictureToSave[],
    { before, arrival, look }: CommitContext,
  ): Promise<SavedProduct> {
    const storeId = store.id
    let giveRoomBack = () => {}
    return writeTogether({
      write() {
        author?.demandStill()
        const product = {
          ...{ storeId, productId, metadata, isDemo, isReembedding },
          imageUrl: getImageUrl(prepared[0] as PictureToSave),
          vectorId: ids.uuid(),
          now: clock.now(),
        }
        giveRoomBack = claimVectorRoom(storeId, prepared, before)
        // Another product may have taken the last place while the pictures were on their way.
        if (!before) requireRoom(store)
        // A demo product stands back behind the store's own, also behind one that waits.
        if (!isDemo && !isReembedding)
          settleWaiting(storeId, productId, before ? 'updated' : 'indexed', arrival, waited)
        const saved = queries.save(product, prepared)
        emitSaved({ ...product, vectorId: saved.vectorId }, prepared, before)
        if (look) emitDuplicate(product, look)
        duplicates?.note(storeId, listAdded(prepared, saved))
        if (!isReembedding) deps.noteGrowth?.(store)
        return saved
      },
      undone: () => giveRoomBack(),
      isPatient: waited !== undefined,
      committed(saved) {
        noteChange(storeId)
        giveRoomBack()
        for (const id of saved.removedPictureIds) index.remove(storeId, id)
        const where = { storeId, productId, product: saved.id, metadata }
        for (const [n, picture] of prepared.entries()) {
          const pictureId = saved.pictureIds[n] as number
          const { palette } = 'kept' in picture ? picture.kept : picture.added
          const entry = { ...where, pictureId, isFirst: n === 0, palette }
          index.put(entry, 'vector' in picture ? picture.vector : undefined)
        }
      },
    })
  }

  /** @throws ApiError `storage_full` when the vectors of the new pictures find no room in memory. */
  function claimVectorRoom(
    storeId: string,
    prepared: PictureToSave[],
    before: ProductRow | undefined,
  ): () => void {
    const kept = new Set(prepared.flatMap((picture) => ('kept' in picture ? [picture.kept.id] : [])))
    const leaving = before?.pictures.flatMap(({ id }) => (kept.has(id) ? [] : [id])) ?? []
    return index.claimRoom(storeId, prepared.length - kept.size, leaving)
  }

  function emitSaved(
    product: ProductToSave,
    prepared: PictureToSave[],
    before: ProductRow | undefined,
  ): void {
    if (!emit) return
    const { storeId, productId: product_id, metadata } = product
    const origin = originOf(product)
    const image_url = pictures.toPublicUrl(product.imageUrl)
    const moment = isoTime(product.now)
    const changes = before ? listChangedFields(before, { metadata, pictures: prepared }) : []
    const isIndexedAgain = product.isReembedding === true && changes.length === 0
    // Webhooks have not heard of the demo product that this one replaces.
    if (!before || before.isDemo !== product.isDemo || isIndexedAgain) {
      const data = { product_id, vector_id: product.vectorId, image_url, metadata, indexed_at: moment }
      emit({ name: 'product.indexed', storeId, origin, data })
      return
    }
    // A new model changes vectors only, which no client sees.
    if (changes.length === 0) return
    const hasNewUrl = before.imageUrl !== product.imageUrl
    const data = {
      product_id,
      changes,
      previous_image_url: hasNewUrl ? pictures.toPublicUrl(before.imageUrl) : null,
      new_image_url: hasNewUrl ? image_url : null,
      updated_at: moment,
    }
    emit({ name: 'product.updated', storeId, origin, data })
  }

  /** Looks for products like the first picture of a write, unless the product has shown it before. */
  async function lookForDuplicates(
    storeId: string,
    [first]: PictureToSave[],
    before: ProductRow | undefined,
  ): Promise<DuplicateLook | undefined> {
    if (!duplicates || !first) return undefined
    const { contentHash } = 'kept' in first ? first.kept : first.added
    if (before && !before.isDemo && before.pictures[0]?.contentHash.equals(contentHash)) return undefined
    const vector = 'kept' in first ? index.findVector(storeId, first.kept.id) : first.vector
    return vector && duplicates.look(storeId, vector)
  }

  function emitDuplicate(product: ProductToSave, look: DuplicateLook): void {
    const { storeId, productId, metadata, imageUrl, now } = product
    const group = metadata['variant_group']
    const variantGroup = typeof group === 'string' && group !== '' ? group : null
    const found = look.find({ storeId, productId, variantGroup })
    if (!found) return
    const data = {
      new_product_id: productId,
      existing_product_id: found.productId,
      similarity_score: found.similarity,
      new_image_url: pictures.toPublicUrl(imageUrl),
      existing_image_url: pictures.toPublicUrl(found.imageUrl),
      detected_at: isoTime(now),
    }
    emit?.({ name: 'product.duplicate_detected', storeId, origin: originOf(product), data })
  }

  function erase(
    storeId: string,
    product: ProductRow,
    arrival: number,
    { waited, author }: WriteOrigin,
  ): Promise<void> {
    const { productId: product_id } = product
    return writeTogether({
      write() {
        author?.demandStill()
        settleWaiting(storeId, product_id, 'deleted', arrival, waited)
        queries.remove(product)
        const data = { product_id, deleted_at: isoTime(clock.now()) }
        emit?.({ name: 'product.deleted', storeId, origin: originOf(product), data })
      },
      isPatient: waited !== undefined,
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
     *   `storage_limit_exceeded`, `storage_full` without room for a vector, and the codes of the fetcher and of the embedder.
     */
    put: (store: CallerStore, input: ProductInput): Promise<ProductWrite> =>
      lockProduct(store.id, input.productId, async (arrival) =>
        write(store, input, queries.find(store.id, input.productId), arrival),
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
      origin: WriteOrigin = {},
    ): Promise<ProductWrite> =>
      lockProduct(store.id, productId, async (arrival) => {
        const before = queries.find(store.id, productId)
        if (!before) throw notFound('product')
        return write(store, { ...edit(before), ...origin, productId }, before, arrival)
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
        const { metadata, isDemo } = before
        await write(store, { productId, sources, metadata, isDemo, isReembedding: true }, before, arrival)
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
      origin: WriteOrigin = {},
    ): Promise<boolean> =>
      lockProduct(storeId, productId, async (arrival) => {
        const product = queries.find(storeId, productId)
        if (product && !mayRemove(product)) return false
        if (!product) {
          origin.author?.demandStill()
          // What waits would bring the product back.
          settleWaiting(storeId, productId, 'unchanged', arrival, origin.waited)
          return false
        }
        await erase(storeId, product, arrival, origin)
        return true
      }),
  }
}
