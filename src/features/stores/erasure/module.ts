import { MINUTE_MS } from '../../../core/clock.ts'
import { createStoreRows } from '../../../platform/db/store-rows.ts'
import type { Base, Module } from '../../module.ts'
import { type ErasureDeps, type ErasureService, erasureService } from './service.ts'

export interface ErasureNeeds
  extends Pick<ErasureDeps, 'storeRows' | 'dropJobs' | 'endSubscriptions' | 'dropStore'> {
  /** Aborts when the program ends. */
  stop?: AbortSignal | undefined
}

/**
 * Wires the deletion of stores for good. It needs the files of the data folder, so only a running service does it.
 *
 * A store is first marked as being erased, after which no query finds it. Then its rows go from every table that
 * `platform/db/tables.ts` declares, children first, and the row of the store last. A new table needs only its line there,
 * and an index by its store.
 */
export function buildErasure(base: Base, { stop, ...needs }: ErasureNeeds) {
  const { db } = base
  const service = erasureService({
    ...base,
    ...needs,
    rows: createStoreRows(db),
    isStopping: () => stop?.aborted ?? false,
  })
  return {
    service,
    chores: [{ name: 'deleting stores', everyMs: MINUTE_MS, reach: 'none', run: service.run }],
  } satisfies Module<ErasureService>
}
