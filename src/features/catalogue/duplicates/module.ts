import type { Embedder } from '../../../platform/embedder/embedder.ts'
import type { Base, Module } from '../../module.ts'
import { duplicateQueries } from './queries.ts'
import { type DuplicatesDeps, type DuplicatesService, duplicatesService } from './service.ts'

export interface DuplicateNeeds extends Pick<DuplicatesDeps, 'index' | 'readThreshold' | 'isAskedFor'> {
  embedder: Pick<Embedder, 'calibration'>
}

/** Wires the search for duplicates. It lies between the product index, which it reads, and products, which ask it. */
export function buildDuplicates({ db, clock, log }: Base, { embedder, ...needs }: DuplicateNeeds) {
  const map = embedder.calibration.image_image
  const service = duplicatesService({ ...needs, map, queries: duplicateQueries(db), clock, log })
  return { service } satisfies Module<DuplicatesService>
}
