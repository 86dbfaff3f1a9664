import { buildDemo } from '../features/catalogue/demo/module.ts'
import { buildDuplicates } from '../features/catalogue/duplicates/module.ts'
import { buildExports } from '../features/catalogue/exports/module.ts'
import { buildFilters } from '../features/catalogue/filters/module.ts'
import { buildImports } from '../features/catalogue/imports/module.ts'
import { buildJobs, type JobsModule } from '../features/catalogue/jobs/module.ts'
import { buildModelMoves } from '../features/catalogue/model-moves/module.ts'
import type { StoreMoves } from '../features/catalogue/model-moves/world.ts'
import { buildFeeds, type FeedsModule } from '../features/catalogue/product-feeds/module.ts'
import { buildProductIndex } from '../features/catalogue/product-index/module.ts'
import { buildProducts } from '../features/catalogue/products/module.ts'
import { buildCatalogueReport } from '../features/catalogue/report/module.ts'
import type { Meters } from '../features/operation/metrics/meters.ts'
import { createSpool } from '../http/spool.ts'
import type { Install } from '../install.ts'
import { createWriteGroups } from '../platform/db/write-groups.ts'
import type { ModelSet } from '../platform/models/model-set.ts'
import type { Ports } from '../ports.ts'
import type { BillingWing } from './billing.ts'
import type { Entrance } from './entrance.ts'

export type CatalogueWing = ReturnType<typeof wireCatalogue>

/** Builds products and all that writes them: clients, jobs, imports, feeds, a new model. */
export function wireCatalogue(
  { foundation: { base, reads, secretBox }, stores: { storeRows, settings }, delivery }: Install,
  ports: Ports,
  models: ModelSet,
  { usage }: BillingWing,
  { requests }: Entrance,
  { countItems }: Pick<Meters, 'countItems'>,
  storeMoves: StoreMoves,
) {
  const { db, clock, ids } = base
  const { stop } = ports
  const { webhooks, changes } = delivery
  const writeTogether = createWriteGroups(db, clock)
  const productIndex = buildProductIndex(base, {
    models,
    memoryBytesMax: ports.vectorMemoryBytesMax,
    stop,
  })
  const duplicates = buildDuplicates(base, {
    index: productIndex.service,
    models,
    readThreshold: (storeId) => settings.service.read(storeId).duplicate_threshold,
    isAskedFor: (storeId) => webhooks.service.isAskedFor(storeId, 'product.duplicate_detected'),
  })
  const products = buildProducts(base, {
    storeRows,
    models,
    index: productIndex.service,
    reads,
    fetcher: ports.fetcher,
    wantsThumbnails: (storeId) => settings.service.read(storeId).thumbnails,
    thumbnailKey: secretBox.digest('addresses', 'thumbnails'),
    files: ports.files,
    budget: ports.budget,
    writeTogether,
    duplicates: duplicates.service,
    warnNearLimit: usage.service.warnNearLimit,
    emit: changes.service.emit,
    // A circle: jobs write products, and what clients write takes precedence over what jobs still have to write.
    waiting: {
      latest: () => jobs.service.waiting.latest(),
      drop: (storeId, productId, upTo) => jobs.service.waiting.drop(storeId, productId, upTo),
    },
  })
  const spool = createSpool({ files: ports.bodyFiles, monotonic: clock.monotonic, ids })
  const jobs: JobsModule = buildJobs(base, {
    storeRows,
    models,
    products: products.service,
    spool,
    countItems,
    files: ports.jobFiles,
    callbacks: {
      check: webhooks.service.checkCallbackUrl,
      send: webhooks.service.sendCallback,
      find: webhooks.service.findCallback,
    },
    onFinished(storeId, job) {
      if (job.status === 'completed' || job.status === 'failed')
        webhooks.service.publish(storeId, `job.${job.status}`, { ...job })
      // The run goes on at once, instead of waiting for the next poll.
      if (job.type === 'feed') base.defer(feeds.service.wake, 0)
    },
    // A circle: feeds start jobs, and learn which products these make.
    onBroughtByFeed: (jobId, productId) => feeds.service.noteBrought(jobId, productId),
  })
  const imports = buildImports(base, {
    spool,
    models,
    files: ports.bodyFiles,
    products: products.service,
    jobs: jobs.service,
    findMapping: (storeId) => settings.service.read(storeId).feed_mapping,
    findFacts: settings.service.read,
    readFreeDiskShare: ports.readFreeDiskShare,
  })
  const feeds: FeedsModule = buildFeeds(base, {
    storeRows,
    stop,
    downloads: ports.downloads,
    products: products.service,
    imports: imports.service,
    jobs: jobs.service,
    secretBox,
    spend: requests.spendFor,
  })
  const filters = buildFilters(base, {
    reads,
    storeRows,
    index: productIndex.service,
    products: products.service,
  })
  const exported = buildExports(base, {
    stop,
    filters: filters.service,
    products: products.service,
    models,
  })
  const modelMoves = buildModelMoves(base, {
    storeRows,
    models,
    index: productIndex.service,
    products,
    world: ports.moveWorld,
    storeMoves,
    vectorMemoryBytesMax: ports.vectorMemoryBytesMax,
  })
  const report = buildCatalogueReport(base, {
    index: productIndex.service,
    models,
    stop,
    readThreshold: (storeId) => settings.service.read(storeId).duplicate_threshold,
    dayOf: settings.service.dayOf,
    addThumbnailUrls: products.service.thumbnails.addUrls,
  })
  return {
    writeTogether,
    productIndex,
    duplicates,
    products,
    jobs,
    imports,
    feeds,
    exported,
    report,
    modelMoves,
    filters,
    demo: buildDemo(base, { readPicture: ports.readDemoPicture, products: products.service }),
  }
}
