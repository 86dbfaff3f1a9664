import { parseNodeCode, toBase32 } from '../core/node-code.ts'
import { buildDepartures } from '../features/nodes/departures/module.ts'
import type { Meters } from '../features/operation/metrics/meters.ts'
import type { Install } from '../install.ts'
import { schemaVersion } from '../platform/db/open.ts'
import type { ModelSet } from '../platform/models/model-set.ts'
import type { Ports } from '../ports.ts'
import { version } from '../version.ts'
import type { CatalogueWing } from './catalogue.ts'
import type { DiscoveryWing } from './discovery.ts'
import type { wireMoveRows } from './move-rows.ts'
import { createProofSearch } from './proof-search.ts'

interface MoveWings {
  catalogue: CatalogueWing
  discovery: DiscoveryWing
  rows: ReturnType<typeof wireMoveRows>
}

/**
 * Builds the source side of a store's move to another node.
 *
 * @param leaveStore drops what memory holds about a store that is served elsewhere from now on.
 */
export function wireDepartures(
  {
    foundation: { base, writes: counts, secretBox, gate },
    stores: { stores, storeRows, mailOwners },
  }: Install,
  { files, stop, openNode: openClient }: Pick<Ports, 'files' | 'stop' | 'openNode'>,
  models: ModelSet,
  { catalogue: { modelMoves, productIndex }, discovery: { search, writes }, rows }: MoveWings,
  { countStoreMove: countMove }: Pick<Meters, 'countStoreMove'>,
  leaveStore: (storeId: string) => void,
) {
  if (!openClient) return undefined
  const departures = buildDepartures(base, {
    ...rows,
    ...{ openClient, files, secretBox, mailOwners, leaveStore, countMove, gate, version, schemaVersion },
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
    parseCode(text) {
      const code = parseNodeCode(text)
      return (
        code && { secret: toBase32(code.secret), fingerprint: Buffer.from(code.fingerprint).toString('hex') }
      )
    },
    isModelMoving: () => modelMoves.service.status().move?.state === 'running',
    hasWords: productIndex.service.areWordsReadOrFew,
    drain(storeId) {
      counts.flush()
      writes.flushStore(storeId)
    },
    search: createProofSearch(search.service),
  })
  return departures
}
