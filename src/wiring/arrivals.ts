import { buildArrivingMoves } from '../features/nodes/arrivals/module.ts'
import { buildTrust } from '../features/nodes/trust/module.ts'
import type { NodeDoor } from '../http/node-door.ts'
import type { Install } from '../install.ts'
import type { ModelSet } from '../platform/models/model-set.ts'
import type { Ports } from '../ports.ts'
import type { CatalogueWing } from './catalogue.ts'
import type { DiscoveryWing } from './discovery.ts'
import type { wireMoveRows } from './move-rows.ts'
import { createProofSearch } from './proof-search.ts'
import type { StoreLifeWing } from './stores.ts'

/** For a program that no other node reaches. */
const CLOSED: NodeDoor = {
  isSecure: () => false,
  findPeer: () => undefined,
  readFingerprint: () => undefined,
  readAddress: () => '',
}

/**
 * Builds the trust between nodes, and the target side of a store's move.
 *
 * @param forgetCaches drops what memory holds about a store, but its index.
 */
export function wireArrivals(
  {
    foundation: { base, secretBox },
    stores: { stores, storeRows },
    delivery: { webhooks },
    storeFiles,
  }: Install,
  {
    files,
    moveWorld,
    nodeDoor: door = CLOSED,
    readNodeSecrets = async () => [],
  }: Pick<Ports, 'files' | 'moveWorld' | 'nodeDoor' | 'readNodeSecrets'>,
  models: ModelSet,
  {
    catalogue: { feeds, productIndex },
    discovery: { search },
    storeLife: { erasure },
    rows: { capture, digest },
  }: {
    catalogue: CatalogueWing
    discovery: DiscoveryWing
    storeLife: StoreLifeWing
    rows: ReturnType<typeof wireMoveRows>
  },
  forgetCaches: (storeId: string) => void,
) {
  const trust = buildTrust(base, { door, readSecrets: readNodeSecrets })
  const proofSearch = createProofSearch(search.service)
  const arrivals = buildArrivingMoves(base, {
    ...{ trust: trust.service, storeRows, models, files, capture, digest, door, forgetCaches },
    leases: storeFiles.rows,
    comeBack: stores.comeBack,
    erasure: erasure.service,
    index: productIndex.service,
    readFreeDiskBytes: moveWorld.machine.readFreeDiskBytes,
    search: proofSearch,
    hooksOf: (storeId) => ({
      check: storeFiles.service.checkRow,
      seal(table, row, plain) {
        if (table === 'feeds') return feeds.service.sealCredentials(String(row['id']), plain)
        return webhooks.service.secrets.seal(storeId, String(row['owner']), Number(row['number']), plain)
      },
      sealFactor: (userId, secret) => secretBox.seal(secret, userId),
      newId: base.ids.uuid,
    }),
  })
  return { trust, arrivals }
}
