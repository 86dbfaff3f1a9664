import type { ModelSet } from '../../../platform/models/model-set.ts'
import type { Base, Module } from '../../module.ts'
import { duplicateQueries } from './queries.ts'
import { type DuplicatesDeps, type DuplicatesService, duplicatesService } from './service.ts'

export interface DuplicateNeeds extends Pick<DuplicatesDeps, 'index' | 'readThreshold' | 'isAskedFor'> {
  models: Pick<ModelSet, 'of'>
}

/**
 * Wires the search for duplicates. It lies between the product index, which it reads, and products, which ask it.
 *
 * A store is scanned only if a webhook asks for `product.duplicate_detected`, before the transaction of the write, one
 * scan of a store at a time; the result is checked against the database inside the transaction. Writes of one group do
 * not see each other in the index, so a scan stays open until its write has ended, and every write passes it the
 * pictures it adds.
 */
export function buildDuplicates({ db, clock, log }: Base, { models, ...needs }: DuplicateNeeds) {
  const mapOf = (storeId: string) => models.of(storeId).embedder.calibration.image_image
  const service = duplicatesService({ ...needs, mapOf, queries: duplicateQueries(db), clock, log })
  return { service } satisfies Module<DuplicatesService>
}
