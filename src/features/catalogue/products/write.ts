import type { CallerStore, Standing } from '../../../core/actor.ts'
import type { EventOrigin } from '../../../core/events.ts'
import type { PictureSource } from './picture-loader.ts'
import type { ProductRow } from './queries.ts'
import type { Metadata } from './schema.ts'

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
export interface Write {
  store: CallerStore
  input: ProductInput
  origin: WriteOrigin
  before: ProductRow | undefined
  /** The number of the write that was acknowledged last when this one arrived. */
  arrival: number
}

/** @throws ApiError when the author of a write has lost the right to it. */
export const demandStill = (origin: WriteOrigin): void => {
  if ('author' in origin) origin.author?.demandStill()
}

/** Whether a write brings what a client wants now, so that it takes the place of older writes that wait. */
export const isNews = ({ kind }: WriteOrigin): boolean => kind === 'client' || kind === 'job'

export const isOfDemo = ({ origin, before }: Write): boolean =>
  origin.kind === 'demo' || (origin.kind === 'reembedding' && before?.isDemo === true)

export const eventOriginOf = ({ origin: { kind } }: Write): EventOrigin => (kind === 'job' ? 'client' : kind)
