import { type Config, listSettings } from '../config.ts'
import type { ListNodeJobs } from '../features/catalogue/jobs/reader.ts'
import { buildAdmin } from '../features/operation/admin/module.ts'
import { buildDiskGrowth } from '../features/operation/disk-growth/module.ts'
import { buildDocs } from '../features/operation/docs/module.ts'
import { buildHealth } from '../features/operation/health/module.ts'
import { buildMetrics, type MetricsNeeds } from '../features/operation/metrics/module.ts'
import { buildModels } from '../features/operation/models/module.ts'
import { buildPortal } from '../features/operation/portal/module.ts'
import { buildWidgetFiles } from '../features/operation/widget-files/module.ts'
import type { Install } from '../install.ts'
import { KNOWN_MODELS } from '../platform/models/known.ts'
import type { ModelSet } from '../platform/models/model-set.ts'
import type { StorageWatch } from '../platform/storage-watch.ts'
import type { Ports } from '../ports.ts'
import type { Server } from '../server.ts'
import type { CatalogueWing } from './catalogue.ts'
import type { DiscoveryWing } from './discovery.ts'

export type OperationWing = ReturnType<typeof wireOperation>

/** Builds what operators see of the node and do to it, and the pages and files that it serves to everyone. */
export function wireOperation(
  config: Config,
  {
    foundation: { base, audit },
    mail,
    stores: { stores, storeRows, people },
    accounts,
    delivery,
    payments,
    backups,
  }: Install,
  {
    models: modelSet,
    readFreeDiskShare,
    examine,
    settings,
    shelf,
    fetchModel,
    readCopies,
    stop,
  }: Ports & {
    models: ModelSet
  },
  { productIndex, jobs, modelMoves }: CatalogueWing,
  { writes }: DiscoveryWing,
  listStoreMoves: ListNodeJobs,
  storage: StorageWatch,
  meters: MetricsNeeds['meters'],
  findAddress: MetricsNeeds['findAddress'],
  listRoutes: () => Server['routes'],
) {
  const health = buildHealth(base, {
    models: modelSet,
    storage,
    hasWholeIndex: productIndex.service.isWhole,
    readFreeDiskShare,
    findBackupWarning: backups.service.findWarning,
    readCopies,
  })
  const moves = modelMoves.service
  const models = buildModels(base, {
    ...{ moves, shelf, storeRows, known: KNOWN_MODELS },
    bring: fetchModel,
    readDimension: () => modelSet.inUse.embedder.model.dimension,
    isModelDirSet: config.MODEL_DIR !== '',
    isOffline: config.OFFLINE,
    stop: stop ?? new AbortController().signal,
  })
  const admin = buildAdmin(base, {
    people,
    stores,
    operator: accounts.operator,
    deleteByOperator: accounts.deletion.deleteByOperator,
    resetTwoFactor: accounts.twoFactor.service.reset,
    failures: accounts.sessions.service.failures,
    outbox: mail.service,
    health: health.service,
    flushSearches: writes.flush,
    listAudit: audit.service.listForOperator,
    readFreeDiskShare,
    examine,
    desk: payments.service.desk,
    work: {
      listJobs: (query) =>
        jobs.service.listForOperator(query, (...asked) => [
          ...models.service.listJobs(...asked),
          ...listStoreMoves(...asked),
        ]),
      listDeliveries: delivery.webhooks.service.listForOperator,
    },
    settings: [...(settings ?? listSettings(config))],
  })
  const metrics = buildMetrics(base, {
    meters,
    models: modelSet,
    readFreeDiskShare,
    readCopies,
    findLastBackup: backups.service.findLastGood,
    findMove: () => moves.status().move,
    token: config.METRICS_TOKEN,
    findAddress,
  })
  const docs = buildDocs({ hasOwner: people.hasSuperAdmin, listRoutes })
  return {
    health,
    metrics,
    diskGrowth: buildDiskGrowth(base, { readFreeDiskShare }),
    admin,
    models,
    docs,
    portal: buildPortal(),
    widgetFiles: buildWidgetFiles(base),
  }
}
