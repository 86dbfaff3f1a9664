import { type AnyElysia, Elysia } from 'elysia'
import { createAccess } from './access.ts'
import { type AdministrationPorts, createAdministration } from './administration.ts'
import type { Config } from './config.ts'
import type { ByteBudget } from './core/byte-budget.ts'
import { StorageProblem } from './core/storage.ts'
import { buildDemo } from './features/catalogue/demo/module.ts'
import { buildProductIndex } from './features/catalogue/product-index/module.ts'
import { buildProducts } from './features/catalogue/products/module.ts'
import { buildSearch } from './features/discovery/search/module.ts'
import type { Ground } from './features/module.ts'
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
import { schemaVersion } from './platform/db/open.ts'
import { probeVectors, probeWrite } from './platform/db/probe.ts'
import type { Embedder } from './platform/embedder/embedder.ts'
import type { PictureFetcher } from './platform/pictures/fetch.ts'
import type { PictureFiles } from './platform/pictures/kept.ts'
import { createStorageWatch } from './platform/storage-watch.ts'
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
  const model = registerModel(db, embedder.model, clock.now())
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
  const { signedIn, planOf } = access

  const { atomically, record } = administration
  const ground: Ground = { db, clock, ids, log, atomically, record, later: ports.schedule, baseUrl }
  const noteFault = storage.note
  const idempotency = createIdempotency(idempotencyKeys(db), clock)
  const { dimension } = embedder.model
  const { service: index } = buildProductIndex(ground, { model, dimension, noteFault })
  const products = buildProducts(ground, {
    ...{ model, index, embedder, fetcher, files, budget, planOf, idempotency },
  })
  const demo = buildDemo(ground, {
    readPicture: ports.readDemoPicture,
    products: products.service,
    planOf,
  })
  const search = buildSearch(ground, {
    ...{ model, index, embedder, noteFault },
    pictures: products.service.pictures,
    historyDays: config.SEARCH_HISTORY_DAYS,
  })
  const health = healthService({
    version,
    schemaVersion,
    embedder,
    probeDatabase: storage.probeDatabase,
    probeFiles: storage.probeFiles,
    probeVectors() {
      if (!index.isWhole()) throw new StorageProblem('the vectors could not be read at the start')
      probeVectors(db)
    },
    freeDiskShare: ports.freeDiskShare,
  })

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
    .use(demo.routes(signedIn))
    .use(products.routes(signedIn))
    .use(search.routes(signedIn))
    .use(healthRoutes(health))
    .use(docsRoutes())

  const chores = [...products.chores, ...search.chores]

  /** Deletes old keys, tokens and searches, and unused pictures. */
  async function tidy(): Promise<void> {
    const works = [idempotency.prune, access.tidy, ...chores.map(({ run }) => run)]
    const results = await Promise.allSettled(works.map(async (work) => work()))
    const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    for (const error of errors) storage.note(error)
    // A fault of one must not keep the others from running.
    if (errors.length > 0) throw errors[0]
  }

  return {
    ...administration,
    http,
    demo: demo.service,
    products: products.service,
    search: search.service,
    history: search.service.history,
    loadIndex: index.load,
    loadingIndex: index.loadInSteps,
    hasWholeIndex: index.isWhole,
    tidy,
    sweepPictures: products.service.pictures.sweep,
    signToken: access.signToken,
    flushAudit: access.flush,
    storage,
    db,
    log,
  }
}
