import { MINUTE_MS } from '../../../core/clock.ts'
import { createStoreRows } from '../../../platform/db/store-rows.ts'
import type { Base, Module } from '../../module.ts'
import { type ErasureDeps, type ErasureService, erasureService } from './service.ts'

export interface ErasureNeeds
  extends Pick<ErasureDeps, 'storeRows' | 'dropJobs' | 'endSubscriptions' | 'forgetStore'> {
  /** Aborts when the program ends. */
  stop?: AbortSignal | undefined
}

/** Wires the deletion of stores for good. It needs the files of the data folder, so that a running service alone does it. */
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
    chores: [{ name: 'deleting stores', everyMs: MINUTE_MS, run: service.run }],
  } satisfies Module<ErasureService>
}
