import { type AnyElysia, Elysia } from 'elysia'
import type { Config } from './config.ts'
import type { ByteBudget } from './core/byte-budget.ts'
import { HOUR_MS } from './core/clock.ts'
import type { ApiError } from './core/errors.ts'
import { createKeyedLock } from './core/keyed-lock.ts'
import { isInside, parseCidrs } from './core/networks.ts'
import { storageFailure } from './core/storage.ts'
import { buildClientSecret } from './features/access/client-secret/module.ts'
import { buildMe } from './features/access/me/module.ts'
import { buildOverview } from './features/access/overview/module.ts'
import { buildSignIn } from './features/access/sign-in/module.ts'
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
import type { Chore } from './features/module.ts'
import { buildDocs } from './features/operation/docs/module.ts'
import { buildHealth } from './features/operation/health/module.ts'
import { createClientAddress } from './http/client-address.ts'
import { createDoors } from './http/doors.ts'
import { errorPlugin, lastResort } from './http/errors.ts'
import { createIdempotency } from './http/idempotency.ts'
import { createIntake, intakePlugin } from './http/intake.ts'
import { openApiPlugin } from './http/openapi.ts'
import { createRequestBudget } from './http/request-budget.ts'
import { createRequestCheck } from './http/request-check.ts'
import { requestLogPlugin } from './http/request-log.ts'
import { createRouteTable } from './http/route-table.ts'
import { createTraceOf } from './http/trace.ts'
import { createInstall, type InstallPorts } from './install.ts'
import { idempotencyKeys } from './platform/db/idempotency.ts'
import { registerModel } from './platform/db/models.ts'
import { unsynced } from './platform/db/open.ts'
import { probeWrite } from './platform/db/probe.ts'
import type { Embedder } from './platform/embedder/embedder.ts'
import type { PictureFetcher } from './platform/pictures/fetch.ts'
import type { PictureFiles } from './platform/pictures/kept.ts'
import { createStorageWatch } from './platform/storage-watch.ts'
import { createVectorArena } from './platform/vectors/arena.ts'
import { version } from './version.ts'

/** Everything that touches the world. The commands bring the real ones, tests bring their own. */
export interface Ports extends InstallPorts {
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
  const { embedder, budget, fetcher, files } = ports
  const install = createInstall(config, baseUrl, ports)
  const { ground, passwords } = install
  const { audit, mail, sessions, accounts, twoFactor, widgetKeys, apiKeys, ipList } = install.modules
  const { db, clock, ids, log } = ground
  const { stores, people } = install.services
  const storage = createStorageWatch({
    clock,
    log,
    writeRow: () => probeWrite(db, clock.now()),
    writeFile: files.probe,
    ...(ports.findDamage && { findDamage: ports.findDamage }),
  })
  const intake = createIntake(budget)
  const trusted = parseCidrs(config.TRUSTED_PROXIES)
  const addressOf = createClientAddress({
    isTrusted: (address) => isInside(address, trusted),
    // Bun does not know the peer of a connection that has been reset; such a client must not pass for this machine.
    peerOf: (request) => (http.server ? (http.server.requestIP(request)?.address ?? 'unknown') : undefined),
  })
  const personLock = createKeyedLock()
  const signIn = buildSignIn(ground, {
    ...{ stores, people },
    sessions: sessions.service,
    twoFactor: twoFactor.service,
    apiKeys: apiKeys.service,
    admitAddress: ipList.service.admit,
    pendingPassword: accounts.service.registration.pendingPassword,
    warnOfGuesses: accounts.service.warnOfGuesses,
    passwords,
    locked: personLock,
    tokenSecret: ports.tokenSecret,
    tokenLifetimeSeconds: config.TOKEN_LIFETIME_S,
    addressOf,
    noteFault: storage.note,
  })
  const me = buildMe(ground, {
    people,
    sessions: sessions.service.sessions,
    passwords,
    isTwoFactorEnabled: twoFactor.service.isEnabled,
    forgetResetLinks: accounts.service.forgetResetLinks,
    locked: personLock,
  })
  const clientSecret = buildClientSecret(ground, {
    stores,
    failures: signIn.service.clientFailures,
    tellOwners: accounts.service.tellOwners,
  })
  const overview = buildOverview(ground, {
    twoFactor: { isEnabled: twoFactor.service.isEnabled, members: twoFactor.service.membersEnabled },
    apiKeys: apiKeys.service,
    widgetKeys: widgetKeys.service,
    ipList: ipList.service,
  })
  const requests = createRequestBudget(clock)
  const doors = createDoors(
    {
      ...signIn.service,
      clock,
      traceOf: createTraceOf(addressOf),
      spendRequest: requests.spend,
      nameOwner: intake.intake.nameOwner,
    },
    signIn.service.budgets,
  )
  const { row: model, vectors } = registerModel(db, embedder.model, clock.now())
  const index = createProductIndex(createVectorArena(embedder.model.dimension))

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
    storage: storageLimit({ queries: space, stores }),
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
    schedule: ground.later,
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
  const health = buildHealth(ground, {
    embedder,
    storage,
    hasWholeIndex: () => indexFault === undefined,
    freeDiskShare: ports.freeDiskShare,
  })
  const docs = buildDocs()

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
    .use(signIn.routes(doors))
    .use(accounts.routes(doors))
    .use(me.routes(doors))
    .use(twoFactor.routes(doors))
    .use(apiKeys.routes(doors))
    .use(widgetKeys.routes(doors))
    .use(clientSecret.routes(doors))
    .use(ipList.routes(doors))
    .use(audit.routes(doors))
    .use(overview.routes(doors))
    .use(demoRoutes(doors.forStore, demo))
    .use(productRoutes(doors.forStore, products, idempotency))
    .use(pictureRoutes(pictures))
    .use(searchRoutes(doors.forStore, search))
    .use(health.routes())
    .use(docs.routes())

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
    ipList.forgetStore(storeId)
    requests.forgetStore(storeId)
    recent.forgetStore(storeId)
    index.forgetStore(storeId)
    for (const _ of entriesAndVectors(storeId));
  }

  const chores: Chore[] = [
    ...[audit, mail, sessions, accounts, signIn, me].flatMap((module) => module.chores),
    { name: 'forgetting idempotency keys', everyMs: HOUR_MS, run: idempotency.prune },
    { name: 'deleting old searches', everyMs: HOUR_MS, run: history.prune },
    { name: 'deleting old pictures', everyMs: 10_000, run: pictures.sweep },
  ]
  /** A fault that no answer tells of shows in the readiness. */
  const watched = ({ run, ...chore }: Chore): Chore => ({
    ...chore,
    async run() {
      try {
        await run()
      } catch (error) {
        storage.note(error)
        throw error
      }
    },
  })

  return {
    http,
    services: { ...install.services, demo, products, search, history },
    chores: chores.map(watched),
    loadIndex,
    loadingIndex,
    /** Whether the last loading of the index read everything. */
    hasWholeIndex: () => indexFault === undefined,
    forgetStore,
    signToken: signIn.service.tokens.sign,
    flushAudit: signIn.service.flush,
    storage,
    ground,
    passwords,
  }
}
