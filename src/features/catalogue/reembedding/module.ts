import type { KnownModel } from '../../../platform/db/models.ts'
import type { Embedder } from '../../../platform/embedder/embedder.ts'
import type { Base, Module } from '../../module.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { ProductsModule } from '../products/module.ts'
import { reembeddingQueries } from './queries.ts'
import { reembeddingService } from './service.ts'

export interface ReembeddingNeeds {
  storeRows: Pick<StoreQueries, 'findStore'>
  /** The model in use. */
  model: Pick<KnownModel, 'row'>
  embedder: Pick<Embedder, 'status'>
  products: Pick<ProductsModule['service'], 'writer'>
}

const WAKE_MS = 1_000

/**
 * Wires the embedding of products whose vectors are of an earlier model.
 *
 * There is no list of work: `pictures.model` names the model of each vector, and an index on it finds the others, so a
 * restart resumes where the last run ended. `writer.embedAgain` writes the new vectors and leaves the content: the product
 * keeps its time of change, it is told as indexed with the origin `reembedding`, and waiting items of jobs stay.
 */
export function buildReembedding(base: Base, needs: ReembeddingNeeds) {
  const { db } = base
  const { storeRows, model, embedder, products } = needs
  const service = reembeddingService({
    ...base,
    queries: reembeddingQueries(db, model.row),
    writer: products.writer,
    findStore: storeRows.findStore,
    isModelReady: () => embedder.status().state === 'ready',
  })
  return {
    service,
    chores: [{ name: 're-embedding products', everyMs: WAKE_MS, run: service.wake }],
    forgetStore: service.forgetStore,
  } satisfies Module<object>
}
