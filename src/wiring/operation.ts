import { type Config, listSettings } from '../config.ts'
import { buildAdminNode } from '../features/operation/admin-node/module.ts'
import { buildAdminPeople } from '../features/operation/admin-people/module.ts'
import { buildAdminStores } from '../features/operation/admin-stores/module.ts'
import { buildDocs } from '../features/operation/docs/module.ts'
import { buildHealth } from '../features/operation/health/module.ts'
import { buildWidgetFiles } from '../features/operation/widget-files/module.ts'
import type { Install } from '../install.ts'
import type { StorageWatch } from '../platform/storage-watch.ts'
import type { Ports } from '../ports.ts'
import type { Server } from '../server.ts'
import type { CatalogueWing } from './catalogue.ts'

export type OperationWing = ReturnType<typeof wireOperation>

/** Builds what operators see of the node and do to it, and the pages and files that it serves to everyone. */
export function wireOperation(
  config: Config,
  { foundation: { base, audit }, mail, stores: { rows, stores, people }, accounts }: Install,
  { embedder, readFreeDiskShare, settings }: Ports,
  { productIndex }: CatalogueWing,
  storage: StorageWatch,
  listRoutes: () => Server['routes'],
) {
  const health = buildHealth(base, {
    embedder,
    storage,
    hasWholeIndex: productIndex.service.isWhole,
    readFreeDiskShare,
  })
  const adminStores = buildAdminStores(base, { people, stores })
  const adminPeople = buildAdminPeople(base, {
    operator: accounts.operator,
    resetTwoFactor: accounts.twoFactor.service.reset,
    failures: accounts.sessions.service.failures,
  })
  const adminNode = buildAdminNode(base, {
    outbox: mail.service,
    health: health.service,
    listAudit: audit.service.listForOperator,
    readFreeDiskShare,
    settings: [...(settings ?? listSettings(config))],
  })
  const docs = buildDocs({ hasStore: rows.hasStore, listRoutes })
  return { health, adminStores, adminPeople, adminNode, docs, widgetFiles: buildWidgetFiles(base) }
}
