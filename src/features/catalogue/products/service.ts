import { type TNumber, type TString, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import type { CallerStore, Standing } from '../../../core/actor.ts'
import { isoTime } from '../../../core/clock.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { fold } from '../../../core/text.ts'
import { demandVersion, versionTag } from '../../../http/if-match.ts'
import { CursorId, createCursors, readMoment } from '../../../http/paging.ts'
import { UploadedFile } from '../../../http/schema.ts'
import { findProblems, validationError } from '../../../http/validation.ts'
import type { Reads } from '../../../platform/db/reads.ts'
import type { ModelSet } from '../../../platform/models/model-set.ts'
import type { ProductLists } from './lists.ts'
import { checkMetadata, mergePatch } from './metadata.ts'
import type { PictureSource } from './picture-loader.ts'
import { findPrecomputed } from './precomputed.ts'
import type { ProductRow } from './queries.ts'
import type { Sales } from './sales.ts'
import {
  type DeletedProduct,
  type IndexedProduct,
  type IndexedProductView,
  Metadata,
  type Precomputed,
  Product,
  type ProductBody,
  type ProductList,
  type ProductListQuery,
  type ProductPatch,
  type ProductReplacement,
  type ProductSort,
} from './schema.ts'
import type { ShownProduct, ShownQueries } from './shown-queries.ts'
import type { Thumbnails } from './thumbnails.ts'
import { toWords } from './words.ts'
import type { ProductContent, ProductInput, ProductWrite } from './write.ts'
import type { ProductWriter } from './writer.ts'

export interface ProductDeps {
  rememberSeen: Reads['rememberSeen']
  queries: Pick<ShownQueries, 'findShown' | 'listShown'>
  lists: ProductLists
  writer: ProductWriter
  sales: Pick<Sales, 'refresh'>
  thumbnails: Pick<Thumbnails, 'findUrl'>
  /** The public form of a saved address. */
  toPublicUrl(url: string): string
  models: Pick<ModelSet, 'of'>
}

/** The effect of a write, with the answer that the client gets. */
export interface Indexed {
  isNew: boolean
  answer: IndexedProduct
}

export type ProductService = ReturnType<typeof productService>

/** The products of a store, as the API reads and writes them. */
export function productService(deps: ProductDeps) {
  const { rememberSeen, queries, lists, writer, sales, toPublicUrl, thumbnails, models } = deps
  const toView = (storeId: string, row: ShownProduct): IndexedProductView => {
    const { width, height, bytes, contentType, phash, palette } = row.picture
    return {
      product_id: row.productId,
      image_url: toPublicUrl(row.imageUrl),
      thumbnail_url: thumbnails.findUrl(storeId, row.thumbnail),
      additional_image_urls: row.otherUrls.map(toPublicUrl),
      metadata: row.metadata,
      status: 'indexed',
      vector_id: row.vectorId,
      indexed_at: isoTime(row.indexedAt),
      updated_at: isoTime(row.updatedAt),
      image: { width, height, bytes, content_type: contentType, phash, palette },
      error: null,
    }
  }

  return {
    /** POST /v1/products. */
    create: async (store: CallerStore, body: ProductBody, author?: Standing): Promise<Indexed> =>
      toIndexed(await writer.put(store, toInput(body.product_id, body), { kind: 'client', author })),

    /**
     * Reads a product that did not come as the body of a request, such as an item of a bulk request.
     *
     * @returns what is to be written, with the fields of the API alone.
     * @throws ApiError `validation_error` with all problems.
     */
    check(value: unknown): Product {
      const problems = isProduct.Check(value) ? [] : findProblems(Product, value, 'body')
      if (problems.length > 0) throw validationError(problems)
      const { product_id, image_url, metadata, additional_image_urls, refresh } = value as Product
      if (metadata) checkMetadata(metadata)
      return {
        product_id,
        image_url,
        ...(metadata && { metadata }),
        ...(additional_image_urls && { additional_image_urls }),
        ...(refresh && { refresh }),
      }
    },

    /** The vectors that came with a product; see {@link findPrecomputed}. */
    findPrecomputed: (storeId: string, value: object) =>
      findPrecomputed(value, models.of(storeId).embedder.model),

    /**
     * Builds the input of `writer.put` for a product.
     *
     * @param precomputed vectors that came with it. They count if they are of the store's model when they are read.
     */
    toInput: (product: Product, precomputed?: Precomputed): ProductInput => {
      const input = toInput(product.product_id, product)
      if (!precomputed) return input
      const byUrl = new Map(precomputed.pictures.map((picture) => [picture.image_url, picture]))
      const withPrecomputed = (source: PictureSource) =>
        'url' in source
          ? { url: source.url, precomputed: byUrl.get(source.url), ofModel: precomputed.model }
          : source
      return { ...input, sources: input.sources.map(withPrecomputed) }
    },

    /** PUT /v1/products/{product_id}. */
    async replace(
      store: CallerStore,
      productId: string,
      body: ProductReplacement,
      author?: Standing,
    ): Promise<Indexed> {
      if (body.product_id !== undefined && body.product_id !== productId) {
        throw validationError([
          { in: 'body', pointer: '/product_id', code: 'mismatch', message: 'must be the id in the path' },
        ])
      }
      return toIndexed(await writer.put(store, toInput(productId, body), { kind: 'client', author }))
    },

    /** PATCH /v1/products/{product_id}: absent fields stay as they are. */
    patch: async (
      store: CallerStore,
      productId: string,
      patch: ProductPatch,
      author?: Standing,
      ifMatch: string | null = null,
    ): Promise<Indexed> => {
      const edit = (product: ProductRow) => {
        demandVersion(ifMatch, tagOf(product))
        return applyPatch(product, patch)
      }
      return toIndexed(await writer.edit(store, productId, edit, author))
    },

    /** The version of a product as it was just read. */
    tagOf: ({ updated_at, metadata }: IndexedProductView): string =>
      tagOf({ updatedAt: Date.parse(updated_at), metadata }),

    /** GET /v1/products/{product_id}, behind a guard (see `rememberSeen`). @throws ApiError `not_found`. */
    find(storeId: string, productId: string): IndexedProductView {
      // Pages of a shop ask for the same products again and again.
      const row = rememberSeen(`product ${storeId} ${productId}`, () => queries.findShown(storeId, productId))
      if (!row) throw notFound('product')
      return toView(storeId, row)
    },

    /** DELETE /v1/products/{product_id}. @throws ApiError `not_found`. */
    async remove(storeId: string, productId: string, author?: Standing): Promise<DeletedProduct> {
      if (!(await writer.remove(storeId, productId, undefined, { kind: 'client', author })))
        throw notFound('product')
      return { status: 'deleted', product_id: productId }
    },

    /** GET /v1/products. @throws ApiError `invalid_cursor`. */
    async list(storeId: string, query: ProductListQuery): Promise<ProductList> {
      const sort = query.sort ?? 'newest'
      const cursors = CURSORS[sort]
      const after = cursors.read(query.cursor)
      const filter = {
        storeId,
        // An empty field of a form is no filter.
        ...(query.category?.trim() && lists.inCategory(storeId, query.category)),
        brand: (query.brand && fold(query.brand)) || undefined,
        words: query.q === undefined ? undefined : toWords(query.q),
        updatedSince:
          query.updated_since === undefined ? undefined : readMoment('updated_since', query.updated_since),
      }
      const limit = query.limit ?? LIMITS.productsPageDefault
      if (sort === 'price_asc' || sort === 'price_desc') await sales.refresh(storeId)
      const { found, total, isExact } = lists.list({ filter, sort, limit: limit + 1, after })
      const { rows, nextCursor } = cursors.page(found, limit, ({ value, id }) => ({ value, id }))
      return {
        products: queries.listShown(rows.map(({ product }) => product)).map((row) => toView(storeId, row)),
        count: rows.length,
        total,
        total_is_exact: isExact,
        next_cursor: nextCursor,
      }
    },
  }
}

/** Each write of a client moves the time of the last change; but two that change the metadata may share a millisecond. */
const tagOf = ({ updatedAt, metadata }: Pick<ProductRow, 'updatedAt' | 'metadata'>): string =>
  versionTag([updatedAt, metadata])

const isProduct = TypeCompiler.Compile(Product)

/** @throws ApiError `image_source_invalid` for a form with both a file and an address, `validation_error` for neither. */
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

/** @throws ApiError `validation_error` when the merged metadata breaks the schema or is nested too deep. */
function applyPatch(product: ProductRow, patch: ProductPatch): ProductContent {
  const metadata = mergePatch(product.metadata, patch.metadata ?? {})
  const problems = findProblems(Metadata, metadata, 'body')
  if (problems.length > 0) {
    throw validationError(problems.map((problem) => ({ ...problem, pointer: `/metadata${problem.pointer}` })))
  }
  const others = product.pictures.slice(1).map(({ imageUrl }) => imageUrl)
  const urls = [patch.image_url ?? product.imageUrl, ...(patch.additional_image_urls ?? others)]
  return { sources: urls.map((url) => ({ url })), metadata, refresh: patch.refresh ?? false }
}

const toIndexed = ({ effect, productId, vectorId }: ProductWrite): Indexed => ({
  isNew: effect === 'indexed',
  answer: { status: 'indexed', product_id: productId, vector_id: vectorId, message: effect },
})

const createSortCursors = (sort: ProductSort, value: TNumber | TString) =>
  createCursors({ list: 'products', sort }, { value, id: CursorId })

/** A cursor works for the sort that it was issued for. */
const CURSORS: Readonly<Record<ProductSort, ReturnType<typeof createSortCursors>>> = {
  newest: createSortCursors('newest', Type.Number()),
  oldest: createSortCursors('oldest', Type.Number()),
  updated: createSortCursors('updated', Type.Number()),
  name: createSortCursors('name', Type.String()),
  price_asc: createSortCursors('price_asc', Type.Number()),
  price_desc: createSortCursors('price_desc', Type.Number()),
}
