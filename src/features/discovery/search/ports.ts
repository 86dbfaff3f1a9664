import type { EmbeddedPicture, PictureFacts, PictureOptions } from '../../../platform/embedder/embedder.ts'
import type { StoreColumns } from '../../catalogue/product-index/columns.ts'
import type { IndexedStore } from '../../catalogue/product-index/product-index.ts'

/** A part of a picture: shares of its width and height, 0 to 1, origin top left, after EXIF rotation. */
export interface Box {
  x: number
  y: number
  width: number
  height: number
}

/** A part to cut out of a picture. */
export interface PictureCrop extends Box {
  unit: 'relative' | 'pixel'
  /** The share of the box that is added on each side. */
  padding?: number
}

/** A query picture as the embedder answers it. */
export interface EmbeddedQuery extends EmbeddedPicture {
  facts: PictureFacts & {
    /** The box of the object on a plain background. */
    object?: Box | null
    /** The separate objects on a plain background with their shares of all that stands on it; only if asked for. */
    regions?: { box: Box; score: number }[]
  }
  /** At most 768 pixels on the longer side. */
  preview?: Uint8Array
  /** The part that was embedded, clamped and padded. */
  crop?: Box
}

/** @throws ApiError like `Embedder.embedPicture`, and `crop_too_small`. */
export type EmbedQuery = (
  bytes: Uint8Array,
  options: PictureOptions & {
    crop?: PictureCrop | undefined
    preview?: boolean | undefined
    regions?: boolean | undefined
  },
) => Promise<EmbeddedQuery>

/** What the keyword index says of a query, by document number; valid for one tick. */
export interface WordScores {
  /** 0 where no word matches. */
  scores: Float32Array
  /** The documents with a score above 0. */
  documents: Uint32Array
  /** The greatest score, 0 without any. */
  max: number
  /** Documents whose id, SKU, GTIN or whole name is the query itself, the best kind first. */
  exact: Uint32Array
}

/** The words of a store's products. */
export interface StoreWords {
  score(query: string): WordScores
}

/** A colour in CIELAB under D65. */
export interface Lab {
  l: number
  a: number
  b: number
}

/** The main colours of a store's pictures. */
export interface StorePalettes {
  /** How well the picture in each slot has some colours, 0 to 1. */
  score(colours: readonly Lab[], slots: number): Float32Array
}

/** The searchable side of one store. A part that the index does not have takes no part in the ranking. */
export interface SearchedStore extends IndexedStore {
  columns: StoreColumns & {
    /** The document number of the product in a slot; 0 for none. */
    documentAt?(slot: number): number
  }
  words?: StoreWords
  palettes?: StorePalettes
}

/** Rows of products. */
export interface RowSet {
  has(row: number): boolean
  readonly size: number
  /** In ascending order. */
  [Symbol.iterator](): IterableIterator<number>
  /** What it holds in memory. */
  readonly bytes: number
}

export type Facet =
  | { value: string | number | boolean; count: number }[]
  | { min: number | string; max: number | string }

/** The filter language, and what it knows about the products of a store. */
export interface Filters<Filter = unknown> {
  /** @throws ApiError `filter_operator_unknown`, `filter_type_mismatch` or `validation_error`. */
  parse(input: unknown, pointer: string): Filter
  resolve(storeId: string, filter: Filter): Promise<{ rows: RowSet; warnings: string[] }>
  /** @param rows undefined for all products of the store. */
  facets(storeId: string, fields: readonly string[], rows: RowSet | undefined): Promise<Record<string, Facet>>
}
