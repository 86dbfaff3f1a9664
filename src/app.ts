import { type AnyElysia, Elysia } from 'elysia'
import { createAccess } from './access.ts'
import { type AdministrationPorts, createAdministration } from './administration.ts'
import type { Config } from './config.ts'
import type { ByteBudget } from './core/byte-budget.ts'
import type { ApiError } from './core/errors.ts'
import { createKeyedLock } from './core/keyed-lock.ts'
import { StorageProblem, storageFailure } from './core/storage.ts'
import { DEMO_PRODUCTS } from './features/catalogue/demo/catalogue.ts'
import { demoRoutes } from './features/catalogue/demo/routes.ts'
import { demoService } from './features/catalogue/demo/service.ts'
import { productListQueries } from './features/catalogue/products/list-queries.ts'
import { pictureRoutes } from './features/catalogue/products/picture-routes.ts'
import { productPictures } from './features/catalogue/products/pictures.ts'
import { productQueries } from './features/catalogue/products/queries.ts'
import { productRoutes } from './features/catalogue/products/routes.ts'
import { productService } from './features/catalogue/products/service.ts'
import { storageLimit } from './features/catalogue/products/storage-limit.ts'
import { storageQueries } from './features/catalogue/products/storage-queries.ts'
import { createSearchHistory } from './features/discovery/search/history.ts'
import { createProductIndex, type IndexEntry } from './features/discovery/search/product-index.ts'
import { searchQueries } from './features/discovery/search/queries.ts'
import { createRecentPictures } from './features/discovery/search/recent-pictures.ts'
import { searchRoutes } from './features/discovery/search/routes.ts'
import { searchService } from './features/discovery/search/service.ts'
import { docsRoutes } from './features/operation/docs/routes.ts'
import { healthRoutes } from './features/operation/health/routes.ts'
import { healthService } from './features/operation/health/service.ts'
import { errorPlugin, lastResort } from './http/errors.ts'
import { createIdempotency } from './http/idempotency.ts'
import { createIntake, intakePlugin } from './http/intake.ts'
import { openApiPlugin } from './http/openapi.ts'
import { createRequestCheck } from './http/request-check.ts'
import { requestLogPlugin } from './http/request-log.ts'
import { createRouteTable } from './http/route-table.ts'
import { idempotencyKeys } from './platform/db/idempotency.ts'
import { registerModel } from './platform/db/models.ts'
import { schemaVersion, unsynced } from './platform/db/open.ts'
import { probeVectors, probeWrite } from './platform/db/probe.ts'
import type { Embedder } from './platform/embedder/embedder.ts'
import type { PictureFetcher } from './platform/pictures/fetch.ts'
import type { PictureFiles } from './platform/pictures/kept.ts'
import { createStorageWatch } from './platform/storage-watch.ts'
import { createVectorArena } from './platform/vectors/arena.ts'
import { version } from './version.ts'

/** Everything that touches the world. The commands bring the real ones, tests bring their own. */
export interface Ports extends Omit<AdministrationPorts, 'baseUrl' | 'config'> {
  embedder: Embedder
  /** Bounds the bodies and pictures that are in memory at a time; the fetcher takes from it, too. */
  budget: ByteBudget
  fetcher: PictureFetcher
  files: PictureFiles
  /** The encoded picture of a demo product. */
  readDemoPicture(name: string): Promise<Uint8Array>
  /** Free share of the data folder's disk, 0 to 1. */
  freeDiskShare(): Promise<number>
  /** Looks through the whole database without holding anybody up. @returns what is wrong with it. */
  findDamage?(): Promise<string[]>
  /** Signs the access tokens. */
  tokenSecret: string
}

/** Beyond this Bun answers a bare 413. Each route refuses far less, in our own words and before it reads. */
const BODY_BYTES_MAX = Number.MAX_SAFE_INTEGER

export type App = ReturnType<typeof createApp>

/**
 * Builds the whole program and starts none of it. Read top to bottom: storage, services, routes.
 *
 * @param baseUrl the public address, which may be known only once it listens.
 */
export function createApp(config: Config, baseUrl: () => string, ports: Ports) {
  const { db, clock, ids, log, embedder, budget, fetcher, files } = ports
  const storage = createStorageWatch({
    clock,
    log,
    writeRow: () => probeWrite(db, clock.now()),
    writeFile: files.probe,
    ...(ports.findDamage && { findDamage: ports.findDamage }),
  })
  const { row: model, vectors } = registerModel(db, embedder.model, clock.now())
  const index = createProductIndex(createVectorArena(embedder.model.dimension))
  const administrationPorts = { ...ports, baseUrl, config }
  const administration = createAdministration(administrationPorts)
  const intake = createIntake(budget)
  const access = createAccess({
    ports: administrationPorts,
    administration,
    config,
    tokenSecret: ports.tokenSecret,
    nameOwner: intake.intake.nameOwner,
    // Bun does not know the peer of a connection that has been reset; whoever does that must not pass for this machine.
    peerOf: (request) => (http.server ? (http.server.requestIP(request)?.address ?? 'unknown') : undefined),
  })
  const { signedIn } = access

  const queries = productQueries(db, vectors, model)
  const space = storageQueries(db)
  const pictures = productPictures({
    // A kept picture is on the disk once the product that names it is, which is committed after it.
    queries: {
      ...queries,
      ...space,
      keepPicture: (picture) => unsynced(db, () => queries.keepPicture(picture)),
      noteReleased: (now, limit) => unsynced(db, () => space.noteReleased(now, limit)),
      dropReleased: (before, now, limit) => unsynced(db, () => space.dropReleased(before, now, limit)),
      forgetReleased: (address) => unsynced(db, () => space.forgetReleased(address)),
    },
    storage: storageLimit({ queries: space, stores: administration.stores }),
    embedder,
    fetcher,
    files,
    budget,
    vectorOf: index.vectorOf,
    baseUrl,
    clock,
    ids,
  })
  const products = productService({
    queries,
    lists: productListQueries(db, queries),
    pictures,
    index,
    locked: createKeyedLock(),
    clock,
    ids,
  })
  const demo = demoService({
    catalogue: DEMO_PRODUCTS,
    readPicture: ports.readDemoPicture,
    products,
    queries,
  })
  const found = searchQueries(db, model)
  /** For what nobody is answered about. */
  const noted = <Result>(work: () => Result): Result => {
    try {
      return work()
    } catch (error) {
      storage.note(error)
      throw error
    }
  }
  const history = createSearchHistory({
    queries: {
      record: (searches) => noted(() => unsynced(db, () => found.record(searches))),
      forgetBefore: (before, limit) => unsynced(db, () => found.forgetBefore(before, limit)),
    },
    clock,
    days: config.SEARCH_HISTORY_DAYS,
    log,
    schedule: ports.schedule,
  })
  /** Why the index could not be loaded: without all of it a search would leave products out. */
  let indexFault: ApiError | undefined
  const wholeIndex = () => {
    if (indexFault) throw indexFault
    return index
  }
  const recent = createRecentPictures(ids)
  const search = searchService({
    queries: found,
    index: {
      ...index,
      store: (storeId) => wholeIndex().store(storeId),
      vectorOf: (storeId, pictureId) => wholeIndex().vectorOf(storeId, pictureId),
    },
    history,
    recent,
    embedder,
    withPicture: pictures.withUrl,
    publicUrl: pictures.publicUrl,
    clock,
    ids,
  })
  const health = healthService({
    version,
    schemaVersion,
    embedder,
    probeDatabase: storage.probeDatabase,
    probeFiles: storage.probeFiles,
    probeVectors() {
      if (indexFault) throw new StorageProblem('the vectors could not be read at the start')
      probeVectors(db)
    },
    freeDiskShare: ports.freeDiskShare,
  })

  const idempotency = createIdempotency(idempotencyKeys(db), clock)
  const routes = createRouteTable(() => http.routes)
  const requestCheck = createRequestCheck(() => http.routes)

  const http = new Elysia({ name: 'app', serve: { maxRequestBodySize: BODY_BYTES_MAX, ...lastResort(log) } })
    .use(requestLogPlugin({ clock, ids, version, log }))
    .use(intakePlugin(intake))
    .use(
      errorPlugin({
        log,
        methodsOf: routes.methodsOf,
        problemsOf: requestCheck.problemsOf,
        baseUrl,
        noteFault: storage.note,
      }),
    )
    .use(requestCheck.plugin)
    .use(openApiPlugin(version, (): AnyElysia => http))
    .use(access.routes)
    .use(demoRoutes(signedIn, demo))
    .use(productRoutes(signedIn, products, idempotency))
    .use(pictureRoutes(pictures))
    .use(searchRoutes(signedIn, search))
    .use(healthRoutes(health))
    .use(docsRoutes())

  /** @param storeId reads this store only. */
  function* entriesAndVectors(storeId?: string): Generator<void, number> {
    const entries = new Map<number, IndexEntry>()
    for (const entry of found.entries(storeId)) {
      entries.set(entry.pictureId, entry)
      yield
    }
    yield* vectors.eachWithPauses((pictureId, vector) => {
      const entry = entries.get(pictureId)
      if (entry) index.put(entry, vector)
    }, storeId)
    return entries.size
  }

  /**
   * Fills the search index from the database, piece by piece. Where that cannot be read, everything but searching works.
   *
   * @returns the number of pictures.
   */
  function* loadingIndex(): Generator<void, number> {
    indexFault = undefined
    try {
      return yield* entriesAndVectors()
    } catch (error) {
      indexFault = storageFailure(error)
      if (!indexFault) throw error
      storage.note(error)
      return 0
    }
  }

  /** The same at one go. */
  function loadIndex(): number {
    const loading = loadingIndex()
    for (;;) {
      const { done, value } = loading.next()
      if (done) return value
    }
  }

  /**
   * Drops everything that memory holds about a store, so that the next request reads it again. Its search index is read
   * at once.
   */
  function forgetStore(storeId: string): void {
    access.forgetStore(storeId)
    recent.forgetStore(storeId)
    index.forgetStore(storeId)
    for (const _ of entriesAndVectors(storeId));
  }

  /** What has to be done from time to time: old keys, old tokens, old searches, pictures that nobody uses. */
  async function tidy(): Promise<void> {
    const works = [idempotency.prune, access.tidy, pictures.sweep, history.prune]
    const results = await Promise.allSettled(works.map(async (work) => work()))
    const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    for (const error of errors) storage.note(error)
    // What one of them cannot do is no reason to leave the others undone.
    if (errors.length > 0) throw errors[0]
  }

  return {
    ...administration,
    http,
    demo,
    products,
    search,
    history,
    loadIndex,
    loadingIndex,
    /** Whether the last loading of the index read everything. */
    hasWholeIndex: () => indexFault === undefined,
    forgetStore,
    tidy,
    sweepPictures: pictures.sweep,
    signToken: access.signToken,
    flushAudit: access.flush,
    storage,
    db,
    log,
  }
}
