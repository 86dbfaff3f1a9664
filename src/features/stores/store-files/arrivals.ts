import { findFreeSlug } from '../../../core/slugs.ts'
import type { Base } from '../../module.ts'
import type { StoreQueries } from '../stores/queries.ts'
import type { Arrival, StoreFileQueries } from './queries.ts'

export interface OpenerDeps extends Pick<Base, 'ids' | 'atomically'> {
  queries: Pick<StoreFileQueries, 'endArrival'>
  storeRows: Pick<StoreQueries, 'findStoreBySlug' | 'findMovedBySlug' | 'openArrived'>
}

/** Shows a store that has arrived. If another one took its slug meanwhile, it gets the next free one. */
export const createOpener =
  ({ queries, storeRows, atomically, ids }: OpenerDeps) =>
  ({ storeId, slug }: Arrival): void =>
    atomically(() => {
      const isFree = (wanted: string) =>
        !storeRows.findStoreBySlug(wanted) && !storeRows.findMovedBySlug(wanted)
      if (storeRows.openArrived(storeId, isFree(slug) ? slug : findFreeSlug(slug, isFree, ids.uuid)))
        queries.endArrival(storeId)
    })

export interface ArrivalDeps extends Pick<Base, 'log'> {
  queries: Pick<StoreFileQueries, 'listWhole'>
  open(arrival: Arrival): void
  /** Reads the products of a store that nobody can search yet into the index. */
  loadIndex(storeId: string): Promise<void>
}

/** Opens the stores that commands have brought in beside this service. Call it every second; a call during another joins it. */
export function createArrivals({ queries, open, loadIndex, log }: ArrivalDeps): () => Promise<void> {
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    for (const arrival of queries.listWhole()) {
      await loadIndex(arrival.storeId)
      open(arrival)
      log.info({ store_id: arrival.storeId }, 'a store was brought in from a file')
    }
  }

  return () => {
    running ??= run().finally(() => {
      running = undefined
    })
    return running
  }
}
