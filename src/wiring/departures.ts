import { buildDepartures } from '../features/nodes/departures/module.ts'
import type { ProofSearch } from '../features/nodes/departures/world.ts'
import type { Meters } from '../features/operation/metrics/meters.ts'
import type { Install } from '../install.ts'
import { schemaVersion } from '../platform/db/open.ts'
import type { ModelSet } from '../platform/models/model-set.ts'
import type { Ports } from '../ports.ts'
import { version } from '../version.ts'
import type { CatalogueWing } from './catalogue.ts'
import type { DiscoveryWing } from './discovery.ts'

/**
 * Builds the source side of a store's move to another node.
 *
 * @param forgetStore drops what memory holds about a store.
 */
export function wireDepartures(
  {
    foundation: { base, writes: counts, secretBox, gate },
    stores: { stores, storeRows, mailOwners },
  }: Install,
  { files, stop, moveParts }: Pick<Ports, 'files' | 'stop' | 'moveParts'>,
  models: ModelSet,
  { modelMoves }: CatalogueWing,
  { search, writes }: DiscoveryWing,
  { countStoreMove: countMove }: Pick<Meters, 'countStoreMove'>,
  forgetStore: (storeId: string) => void,
) {
  if (!moveParts) return undefined
  const departures = buildDepartures(base, {
    ...moveParts,
    ...{ files, secretBox, mailOwners, forgetStore, countMove, gate, version, schemaVersion },
    stop: stop ?? new AbortController().signal,
    setMoveState: stores.setMoveState,
    findMoved: storeRows.findMoved,
    findState: storeRows.findState,
    countProducts: storeRows.countProducts,
    readStoredBytes: storeRows.readStoredBytes,
    listModels(storeId) {
      const { id, hash, dimension } = models.of(storeId).embedder.model
      return [{ id, hash, dimension }]
    },
    isModelMoving: () => modelMoves.service.status().move?.state === 'running',
    drain(storeId) {
      counts.flush()
      writes.flushStore(storeId)
    },
    async search(storeId: string, body: ProofSearch) {
      const searcher = { storeId, isUnlogged: true }
      const common = { limit: body.limit, fields: [], analytics: false }
      const { results } =
        'query' in body
          ? await search.service.byText(searcher, { ...common, query: body.query })
          : await search.service.bySimilar(searcher, body.product_id, common)
      return results
    },
  })
  return departures
}
