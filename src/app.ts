import { type AnyElysia, Elysia } from 'elysia'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Clock } from './core/clock.ts'
import type { Ids } from './core/ids.ts'
import { createKeyedLock } from './core/keyed-lock.ts'
import { PLANS } from './core/plans.ts'
import { createRateWindow } from './core/rate-window.ts'
import { accountQueries } from './features/accounts/queries.ts'
import { accountService } from './features/accounts/service.ts'
import { authQueries } from './features/auth/queries.ts'
import { authRoutes } from './features/auth/routes.ts'
import { authService } from './features/auth/service.ts'
import { DEMO_PRODUCTS } from './features/demo/catalogue.ts'
import { demoRoutes } from './features/demo/routes.ts'
import { demoService } from './features/demo/service.ts'
import { docsRoutes } from './features/docs/routes.ts'
import { healthRoutes } from './features/health/routes.ts'
import { healthService } from './features/health/service.ts'
import { productListQueries } from './features/products/list-queries.ts'
import { pictureRoutes } from './features/products/picture-routes.ts'
import { productPictures } from './features/products/pictures.ts'
import { productQueries } from './features/products/queries.ts'
import { productRoutes } from './features/products/routes.ts'
import { productService } from './features/products/service.ts'
import { createSearchHistory } from './features/search/history.ts'
import { createProductIndex } from './features/search/product-index.ts'
import { searchQueries } from './features/search/queries.ts'
import { createRanking } from './features/search/ranking.ts'
import { createRecentPictures } from './features/search/recent-pictures.ts'
import { searchRoutes } from './features/search/routes.ts'
import { searchService } from './features/search/service.ts'
import { securityQueries } from './features/security/queries.ts'
import { securityService } from './features/security/service.ts'
import { authPlugin } from './http/auth.ts'
import { errorPlugin, lastResort } from './http/errors.ts'
import { createIdempotency } from './http/idempotency.ts'
import { openApiPlugin } from './http/openapi.ts'
import { createRequestCheck } from './http/request-check.ts'
import { requestLogPlugin } from './http/request-log.ts'
import { createRouteTable } from './http/route-table.ts'
import { createTokens } from './http/tokens.ts'
import { idempotencyKeys } from './platform/db/idempotency.ts'
import { registerModel } from './platform/db/models.ts'
import { type Db, schemaVersion, unsynced } from './platform/db/open.ts'
import { probeVectors, probeWrite } from './platform/db/probe.ts'
import type { Embedder } from './platform/embedder/embedder.ts'
import { hashPassword, type PasswordCost, verifyPassword } from './platform/passwords.ts'
import { decodeBase64, decodeDataUri } from './platform/pictures/data-uri.ts'
import type { PictureFetcher } from './platform/pictures/fetch.ts'
import type { PictureFiles } from './platform/pictures/kept.ts'
import { hashSecret, isSecret } from './platform/secrets.ts'
import { createVectorArena } from './platform/vectors/arena.ts'
import { topSlots } from './platform/vectors/select.ts'
import { version } from './version.ts'

/** Everything that touches the world. The commands bring the real ones, tests bring their own. */
export interface Ports {
  db: Db
  clock: Clock
  ids: Ids
  log: Logger
  embedder: Embedder
  fetcher: PictureFetcher
  files: PictureFiles
  /** The encoded picture of a demo product. */
  readDemoPicture(name: string): Promise<Uint8Array>
  /** Free share of the data folder's disk, 0 to 1. */
  freeDiskShare(): Promise<number>
  /** Calls back once, later. */
  schedule(callback: () => void, delayMs: number): void
  /** What hashing a password costs; the strong default outside tests. */
  passwordCost?: PasswordCost
}

/** Beyond this Bun answers a bare 413. Each route refuses far less, in our own words and before it reads. */
const BODY_BYTES_MAX = Number.MAX_SAFE_INTEGER

export type App = ReturnType<typeof createApp>

type AdministrationPorts = Pick<Ports, 'db' | 'clock' | 'ids' | 'passwordCost'>

/** Stores, people and keys: all that the command line needs of a stopped install. */
export function createAdministration({ db, clock, ids, passwordCost }: AdministrationPorts) {
  const accounts = accountService({
    queries: accountQueries(db),
    clock,
    ids,
    hashPassword: (password) => hashPassword(password, passwordCost),
    verifyPassword,
    hashSecret,
  })
  const security = securityService({ queries: securityQueries(db), clock, ids, hashSecret })
  return { accounts, security }
}

/**
 * Builds the whole program and starts none of it. Read top to bottom: storage, services, routes.
 *
 * @param secret signs the access tokens. @param baseUrl the public address, which may be known only once it listens.
 */
export function createApp(config: Config, secret: string, baseUrl: () => string, ports: Ports) {
  const { db, clock, ids, log, embedder, fetcher, files } = ports
  const { row: model, vectors } = registerModel(db, embedder.model, clock.now())
  const index = createProductIndex(createVectorArena(embedder.model.dimension))
  const tokens = createTokens(secret, clock)

  const auth = authService({
    queries: authQueries(db),
    tokens,
    clock,
    ids,
    tokenLifetimeSeconds: config.TOKEN_LIFETIME_S,
    isSecret,
  })
  const queries = productQueries(db, vectors, model)
  const pictures = productPictures({
    // A kept picture is on the disk once the product that names it is, which is committed after it.
    queries: { ...queries, keepPicture: (picture) => unsynced(db, () => queries.keepPicture(picture)) },
    embedder,
    fetcher,
    files,
    vectorOf: index.vectorOf,
    decodeDataUri,
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
    planOf: auth.planOf,
    clock,
    ids,
  })
  const demo = demoService({
    catalogue: DEMO_PRODUCTS,
    readPicture: ports.readDemoPicture,
    products,
    queries,
    planOf: auth.planOf,
  })
  const found = searchQueries(db, model)
  const history = createSearchHistory({
    queries: { record: (searches) => unsynced(db, () => found.record(searches)) },
    log,
    schedule: ports.schedule,
  })
  const search = searchService({
    queries: found,
    index,
    rank: createRanking(topSlots),
    history,
    recent: createRecentPictures(ids),
    embedder,
    readPicture: pictures.read,
    decodeBase64,
    publicUrl: pictures.publicUrl,
    clock,
    ids,
  })
  const health = healthService({
    version,
    schemaVersion,
    embedder,
    probeDatabase: () => probeWrite(db),
    probeVectors: () => probeVectors(db),
    freeDiskShare: ports.freeDiskShare,
  })
  const { accounts, security } = createAdministration(ports)

  const requests = createRateWindow(60_000)
  const signedIn = authPlugin({
    tokens,
    clock,
    actorFor: auth.actorFor,
    spendRequest: (storeId) => {
      const { requestsPerMinute } = PLANS[auth.planOf(storeId)]
      return Number.isFinite(requestsPerMinute)
        ? requests.take(storeId, requestsPerMinute, clock.now())
        : undefined
    },
  })
  const idempotency = createIdempotency(idempotencyKeys(db), clock)
  const routes = createRouteTable(() => http.routes)
  const requestCheck = createRequestCheck(() => http.routes)

  const http = new Elysia({ name: 'app', serve: { maxRequestBodySize: BODY_BYTES_MAX, ...lastResort(log) } })
    .use(requestLogPlugin({ clock, ids, version, log }))
    .use(errorPlugin({ log, methodsOf: routes.methodsOf, problemsOf: requestCheck.problemsOf, baseUrl }))
    .use(requestCheck.plugin)
    .use(openApiPlugin(version, (): AnyElysia => http))
    .use(authRoutes(auth))
    .use(demoRoutes(signedIn, demo))
    .use(productRoutes(signedIn, products, idempotency))
    .use(pictureRoutes(pictures))
    .use(searchRoutes(signedIn, search))
    .use(healthRoutes(health))
    .use(docsRoutes())

  /** Fills the search index from the database. @returns the number of pictures. */
  function loadIndex(): number {
    const entries = new Map([...found.entries()].map((entry) => [entry.pictureId, entry]))
    vectors.each((pictureId, vector) => {
      const entry = entries.get(pictureId)
      if (entry) index.put(entry, vector)
    })
    return entries.size
  }

  /** What has to be done from time to time: old keys, old tokens, pictures that nobody uses. */
  async function tidy(): Promise<void> {
    idempotency.prune()
    auth.pruneRevoked()
    await pictures.sweep()
  }

  return {
    http,
    accounts,
    security,
    demo,
    products,
    search,
    history,
    loadIndex,
    tidy,
    signToken: tokens.sign,
    db,
    log,
  }
}
