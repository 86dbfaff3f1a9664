import { isDeepStrictEqual } from 'node:util'
import type { CallerStore } from '../../../core/actor.ts'
import { type Clock, isoTime } from '../../../core/clock.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import type { Ids } from '../../../core/ids.ts'
import type { createKeyedLock } from '../../../core/keyed-lock.ts'
import { LIMITS } from '../../../core/limits.ts'
import { PLANS } from '../../../core/plans.ts'
import { fold } from '../../../core/text.ts'
import { UploadedFile } from '../../../http/schema.ts'
import { problemsOf, validationError } from '../../../http/validation.ts'
import type { IndexEntry } from '../../discovery/search/product-index.ts'
import type { ProductCursor, ProductListQueries } from './list-queries.ts'
import { checkMetadata, mergePatch } from './metadata.ts'
import type { PictureSource, ProductPictures } from './pictures.ts'
import {
  NoRoomError,
  type PictureToSave,
  type ProductQueries,
  type ProductRow,
  type SavedProduct,
} from './queries.ts'
import {
  type DeletedProduct,
  type IndexedProduct,
  type IndexedProductView,
  Metadata,
  PRODUCT_SORTS,
  type ProductBody,
  type ProductList,
  type ProductListQuery,
  type ProductPatch,
  type ProductReplacement,
} from './schema.ts'

/** The searchable side of a product; it follows every commit in the same tick. */
export interface ProductIndexWriter {
  put(entry: IndexEntry, vector: Float32Array | undefined): void
  remove(storeId: string, pictureId: number): void
}

export interface ProductDeps {
  queries: ProductQueries
  lists: ProductListQueries
  pictures: ProductPictures
  index: ProductIndexWriter
  locked: ReturnType<typeof createKeyedLock>
  clock: Clock
  ids: Ids
}

/** A product on its way in, whatever door it came through. */
export interface ProductInput {
  productId: string
  sources: PictureSource[]
  metadata: Metadata
  refresh?: boolean
  /** A demo product never replaces one of the store's own. */
  isDemo?: boolean
}

/** What a write did, with the answer that the client gets. */
export interface Indexed {
  isNew: boolean
  answer: IndexedProduct
}

export type ProductService = ReturnType<typeof productService>

export function productService({ queries, lists, pictures, index, locked, clock, ids }: ProductDeps) {
  function limitReached({ id, plan: plan_name }: CallerStore): ApiError {
    const max_products = PLANS[plan_name].productsMax
    return new ApiError('product_limit_exceeded', `The plan ${plan_name} holds ${max_products} products`, {
      details: { plan_name, max_products, products_count: queries.count(id) },
    })
  }

  function commit(store: CallerStore, input: ProductInput, prepared: PictureToSave[]): SavedProduct {
    const storeId = store.id
    try {
      const saved = queries.save(
        {
          storeId,
          productId: input.productId,
          vectorId: ids.uuid(),
          imageUrl: urlOf(prepared[0]),
          metadata: input.metadata,
          isDemo: input.isDemo ?? false,
          now: clock.now(),
        },
        prepared,
        PLANS[store.plan].productsMax,
      )
      for (const id of saved.removedPictureIds) index.remove(storeId, id)
      for (const [n, picture] of prepared.entries()) {
        const pictureId = saved.pictureIds[n] as number
        const entry = { storeId, pictureId, product: saved.id, isFirst: n === 0, metadata: input.metadata }
        index.put(entry, 'vector' in picture ? picture.vector : undefined)
      }
      return saved
    } catch (error) {
      if (error instanceof NoRoomError) throw limitReached(store)
      throw error
    }
  }

  async function write(store: CallerStore, input: ProductInput): Promise<Indexed> {
    const storeId = store.id
    checkMetadata(input.metadata)
    const before = queries.find(storeId, input.productId)
    if (before && input.isDemo && !before.isDemo) {
      return { isNew: false, answer: answer(input.productId, before.vectorId, 'unchanged') }
    }
    if (!before && queries.count(storeId) >= PLANS[store.plan].productsMax) throw limitReached(store)
    const prepared = await pictures.prepare(store, input.sources, before, input.refresh ?? false)
    if (before && isUnchanged(before, input, prepared)) {
      return { isNew: false, answer: answer(input.productId, before.vectorId, 'unchanged') }
    }
    const { vectorId } = commit(store, input, prepared)
    return { isNew: !before, answer: answer(input.productId, vectorId, before ? 'updated' : 'indexed') }
  }

  /**
   * Indexes one product, replacing an older one of the same id (spec §4.2). Writes of one product keep the order of
   * their arrival.
   *
   * @throws ApiError `product_limit_exceeded` before anything is downloaded; the codes of pictures and of metadata.
   */
  const indexProduct = (store: CallerStore, input: ProductInput): Promise<Indexed> =>
    locked(`${store.id}/${input.productId}`, () => write(store, input))

  /** Takes a product out of the database and out of the index; false when it is not there. */
  function erase(storeId: string, productId: string): boolean {
    const pictureIds = queries.remove(storeId, productId)
    for (const id of pictureIds ?? []) index.remove(storeId, id)
    return pictureIds !== undefined
  }

  const view = (row: ProductRow): IndexedProductView => {
    const [first, ...others] = row.pictures
    return {
      product_id: row.productId,
      image_url: pictures.publicUrl(row.imageUrl),
      additional_image_urls: others.map(({ imageUrl }) => pictures.publicUrl(imageUrl)),
      metadata: row.metadata,
      status: 'indexed',
      vector_id: row.vectorId,
      indexed_at: isoTime(row.indexedAt),
      updated_at: isoTime(row.updatedAt),
      image: {
        width: first?.width ?? 0,
        height: first?.height ?? 0,
        bytes: first?.bytes ?? 0,
        content_type: first?.contentType ?? '',
        phash: first?.phash ?? '',
        palette: first?.palette ?? [],
      },
      error: null,
    }
  }

  return {
    index: indexProduct,

    /** POST /v1/products. */
    create: async (store: CallerStore, body: ProductBody): Promise<Indexed> =>
      indexProduct(store, toInput(body.product_id, body)),

    /** PUT /v1/products/{product_id}. */
    async replace(store: CallerStore, productId: string, body: ProductReplacement): Promise<Indexed> {
      if (body.product_id !== undefined && body.product_id !== productId) {
        throw validationError([
          { in: 'body', pointer: '/product_id', code: 'mismatch', message: 'must be the id of the path' },
        ])
      }
      return indexProduct(store, toInput(productId, body))
    },

    /** PATCH /v1/products/{product_id}: what is absent stays as it is. */
    patch: (store: CallerStore, productId: string, patch: ProductPatch): Promise<Indexed> =>
      locked(`${store.id}/${productId}`, () => {
        const before = queries.find(store.id, productId)
        if (!before) throw notFound('product')
        const metadata = mergePatch(before.metadata, patch.metadata ?? {})
        const problems = problemsOf(Metadata, metadata, 'body')
        if (problems.length > 0) {
          throw validationError(
            problems.map((problem) => ({ ...problem, pointer: `/metadata${problem.pointer}` })),
          )
        }
        const others = before.pictures.slice(1).map(({ imageUrl }) => imageUrl)
        const urls = [patch.image_url ?? before.imageUrl, ...(patch.additional_image_urls ?? others)]
        const sources = urls.map((url) => ({ url }))
        return write(store, { productId, sources, metadata, refresh: patch.refresh ?? false })
      }),

    find(storeId: string, productId: string): IndexedProductView {
      const row = queries.find(storeId, productId)
      if (!row) throw notFound('product')
      return view(row)
    },

    remove: (storeId: string, productId: string): Promise<DeletedProduct> =>
      locked(`${storeId}/${productId}`, async () => {
        if (!erase(storeId, productId)) throw notFound('product')
        return { status: 'deleted', product_id: productId }
      }),

    /** Deletes a product if it is one of the demo catalogue; whether it was. */
    removeDemo: (storeId: string, productId: string): Promise<boolean> =>
      locked(`${storeId}/${productId}`, async () => {
        const isDemo = queries.find(storeId, productId)?.isDemo === true
        return isDemo && erase(storeId, productId)
      }),

    /** GET /v1/products. @throws ApiError `invalid_cursor`. */
    list(storeId: string, query: ProductListQuery): ProductList {
      const sort = query.sort ?? 'newest'
      const after = query.cursor === undefined ? undefined : readCursor(query.cursor, sort)
      if (query.status !== undefined && query.status !== 'indexed') {
        return { products: [], count: 0, total: 0, next_cursor: null }
      }
      const filter = {
        storeId,
        // A form's empty field asks for nothing.
        category: (query.category && fold(query.category)) || undefined,
        brand: (query.brand && fold(query.brand)) || undefined,
        q: query.q?.trim(),
        updatedSince: query.updated_since === undefined ? undefined : momentOf(query.updated_since),
      }
      const page = lists.page(filter, sort, query.limit ?? LIMITS.productsPageDefault, after)
      const next_cursor = page.last ? Buffer.from(JSON.stringify(page.last)).toString('base64url') : null
      return {
        products: page.products.map(view),
        count: page.products.length,
        total: page.total,
        next_cursor,
      }
    },
  }
}

/** @throws ApiError `image_source_invalid` when a form carries a file and an address, `validation_error` for neither. */
function toInput(productId: string, body: ProductBody | ProductReplacement): ProductInput {
  const upload = 'image' in body && body.image instanceof UploadedFile ? body.image : undefined
  const url = 'image_url' in body ? body.image_url : undefined
  if (upload && url !== undefined) {
    throw new ApiError('image_source_invalid', 'Send image or image_url, not both', {
      details: { allowed: ['image', 'image_url'] },
    })
  }
  if (!upload && url === undefined) {
    throw validationError([
      { in: 'body', pointer: '/image', code: 'required', message: 'or image_url is required' },
    ])
  }
  const first: PictureSource = upload ? { upload } : { url: url as string }
  const others = (body.additional_image_urls ?? []).map((url) => ({ url }))
  const refresh = 'refresh' in body && body.refresh === true
  return { productId, sources: [first, ...others], metadata: body.metadata ?? {}, refresh }
}

function isUnchanged(before: ProductRow, input: ProductInput, prepared: PictureToSave[]): boolean {
  return (
    before.isDemo === (input.isDemo ?? false) &&
    before.pictures.length === prepared.length &&
    before.pictures.every((picture, n) => {
      const after = prepared[n]
      return (
        after && 'kept' in after && after.kept.id === picture.id && after.kept.imageUrl === picture.imageUrl
      )
    }) &&
    isDeepStrictEqual(before.metadata, input.metadata)
  )
}

function urlOf(picture: PictureToSave | undefined): string {
  if (!picture) throw new Error('a product has at least one picture')
  return 'kept' in picture ? picture.kept.imageUrl : picture.added.imageUrl
}

const answer = (
  product_id: string,
  vector_id: string,
  message: IndexedProduct['message'],
): IndexedProduct => ({
  status: 'indexed',
  product_id,
  vector_id,
  message,
})

/** Unix ms. @throws ApiError `validation_error` for a day or an hour that does not exist. */
function momentOf(text: string): number {
  const moment = Date.parse(text.replace(' ', '+'))
  if (Number.isNaN(moment)) {
    const message = 'must be a moment that exists'
    throw validationError([{ in: 'query', pointer: '/updated_since', code: 'format', message }])
  }
  return moment
}

function readCursor(text: string, sort: string): ProductCursor {
  try {
    const cursor = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as ProductCursor
    const isWhole =
      Number.isSafeInteger(cursor.id) && typeof cursor.value === (sort === 'name' ? 'string' : 'number')
    if (isWhole && cursor.sort === sort && PRODUCT_SORTS.includes(cursor.sort)) return cursor
  } catch {
    // Falls through to the one answer for everything that is not ours.
  }
  throw new ApiError('invalid_cursor', 'The cursor does not belong to this list')
}
