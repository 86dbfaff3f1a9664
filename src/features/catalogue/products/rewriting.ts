import type { CallerStore } from '../../../core/actor.ts'
import type { PictureRow, ProductQueries } from './queries.ts'
import type { Write } from './write.ts'

/** Which vectors a write is for. */
export interface Embedding {
  /** Those of the model that the store is moving to; it fails without them. */
  needsComing?: boolean
  /** New ones of pictures that have one. */
  isAnew?: boolean
}

/** What came of a write for new vectors. */
export type Rewrite = 'embedded' | 'unchanged'

interface RewritingDeps {
  queries: Pick<ProductQueries, 'find'>
  /** Runs a write of a product after those that came before. */
  lockProduct<Result>(
    storeId: string,
    productId: string,
    work: (arrival: number) => Promise<Result>,
  ): Promise<Result>
  write(writing: Write, how?: Embedding): Promise<unknown>
}

/** Writes products as they are, for new vectors of their pictures. */
export function createRewriting({ queries, lockProduct, write }: RewritingDeps) {
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

  return {
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
  }
}
