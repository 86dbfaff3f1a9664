import type { Config } from './config.ts'
import { HOUR_MS } from './core/clock.ts'
import { isInside, parseCidrs } from './core/networks.ts'
import { restDuringPauses, watchWork } from './core/watched-work.ts'
import type { Chore, Module } from './features/module.ts'
import { createMeters } from './features/operation/metrics/module.ts'
import { createClientAddress } from './http/client-address.ts'
import { createInstall } from './install.ts'
import { probeWrite } from './platform/db/probe.ts'
import { createModelSet } from './platform/models/model-set.ts'
import { createStorageWatch } from './platform/storage-watch.ts'
import type { Ports } from './ports.ts'
import { createServer, type Server } from './server.ts'
import { wireOwnData, wireSignIn } from './wiring/access.ts'
import { wireArrivals } from './wiring/arrivals.ts'
import { wireBilling } from './wiring/billing.ts'
import { wireCatalogue } from './wiring/catalogue.ts'
import { wireDepartures } from './wiring/departures.ts'
import { wireDiscovery } from './wiring/discovery.ts'
import { wireEntrance } from './wiring/entrance.ts'
import { wireMemory } from './wiring/memory.ts'
import { wireMoveRows } from './wiring/move-rows.ts'
import { wireOperation } from './wiring/operation.ts'
import { listModules } from './wiring/order.ts'
import { wireNotices, wireStoreLife, wireTeams } from './wiring/stores.ts'

export type App = ReturnType<typeof createApp>

/**
 * Builds the whole program and starts none of it. Read top to bottom: the wings in order of dependency, their routes,
 * their chores.
 *
 * @param baseUrl the public address, which may be known only once it listens.
 */
export function createApp(config: Config, baseUrl: () => string, given: Ports) {
  const meters = createMeters()
  const ports = { ...given, mapToken: config.MAP_TOKEN, poster: meters.watchPoster(given.poster) }
  const { db, clock, log, files } = ports
  const storage = createStorageWatch({
    clock,
    log,
    writeRow: () => probeWrite(db, clock.now()),
    writeFile: files.probe,
    findDamage: ports.findDamage,
  })
  const trusted = parseCidrs(config.TRUSTED_PROXIES)
  const findAddress = createClientAddress({
    isTrusted: (address) => isInside(address, trusted),
    // Bun does not know the peer of a connection that has been reset; such a client must not pass for this machine.
    findPeer: (request) =>
      ports.nodeDoor?.findPeer(request) ??
      (http.server ? (http.server.requestIP(request)?.address ?? 'unknown') : undefined),
  })

  const models = createModelSet(ports)
  const install = createInstall(config, baseUrl, ports, storage.report)
  const signIn = wireSignIn(install, {
    tokenSecret: ports.tokenSecret,
    tokenLifetimeSeconds: config.TOKEN_LIFETIME_S,
    findAddress,
  })
  const teams = wireTeams(install, config, signIn)
  const billing = wireBilling(install, signIn)
  const entrance = wireEntrance(install, { ...ports, models }, signIn, billing, findAddress)
  const catalogue = wireCatalogue(install, ports, models, billing, entrance, meters, {
    onStoreMoving: (storeId) => discovery.searchChecks.service.moves.onStoreMoving(storeId),
    isChecking: (storeId) => discovery.searchChecks.service.moves.isChecking(storeId),
    prepare: (storeId) => discovery.search.service.prepareSwitch(storeId),
    onStoreMoved: (storeId) => discovery.searchChecks.service.moves.onStoreMoved(storeId),
  })
  const discovery = wireDiscovery(config, install, ports, models, catalogue, meters)
  const { drainStore, forgetStore, dropStore, leaveStore, forgetCaches } = wireMemory(
    { install, models, signIn, entrance, catalogue, discovery },
    () => modules,
  )
  const ownData = wireOwnData(install, ports, discovery)
  const storeLife = wireStoreLife(install, ports, catalogue, discovery, dropStore)
  const notices = wireNotices(install, billing, catalogue, discovery)
  const rows = wireMoveRows(install, ports, catalogue)
  const wings = { catalogue, discovery, rows }
  const departures = wireDepartures(install, ports, models, wings, meters, leaveStore)
  const nodes = wireArrivals(install, ports, models, { ...wings, storeLife }, forgetCaches)
  const operation = wireOperation(
    config,
    install,
    { ...ports, models },
    catalogue,
    discovery,
    departures?.service.listJobs ?? (() => []),
    storage,
    meters,
    findAddress,
    () => http.routes,
  )

  const { foundation } = install
  const modules: readonly Module<unknown>[] = listModules({
    install,
    signIn,
    ownData,
    teams,
    storeLife,
    billing,
    catalogue,
    discovery,
    notices,
    operation,
    departures,
    nodes,
  })
  const http: Server = createServer({
    acknowledgement: ports.acknowledgement,
    modules,
    guards: entrance.guards,
    intake: entrance.intake,
    requestGate: entrance.requestGate,
    clock,
    ids: ports.ids,
    log,
    keepCall: signIn.recentRequests.calls.add,
    countRequest: meters.countRequest,
    baseUrl,
    reportFault: storage.report,
    liveness: operation.health.livenessRoutes(),
  })
  const chores: Chore[] = [
    ...modules.flatMap((module) => module.chores ?? []),
    { name: 'deleting old idempotency keys', everyMs: HOUR_MS, run: entrance.idempotency.prune },
    { name: 'deleting old throttle events', everyMs: HOUR_MS, run: foundation.pruneThrottles },
  ]

  const { productIndex, products, filters, jobs, modelMoves, feeds, demo } = catalogue
  return {
    http,
    /** The verbs that commands use of an install, whether a service runs or not. */
    install: install.services,
    /** The verbs of a running service. */
    services: {
      demo: demo.service,
      productIndex: productIndex.service,
      products: products.service,
      filters: filters.service,
      jobs: jobs.service,
      modelMoves: modelMoves.service,
      feeds: feeds.service,
      search: discovery.search.service,
      history: discovery.search.service.history,
      checkMoves: discovery.searchChecks.service.moves,
      modelDesk: operation.models.service,
      departures: departures?.service,
    },
    chores: watchWork(restDuringPauses(chores, foundation.gate), storage.report),
    gate: foundation.gate,
    drainStore,
    loadIndex(): number {
      discovery.writes.recover()
      for (const _ of products.service.foldOld());
      return productIndex.service.load()
    },
    *loadingIndex(): Generator<void, number> {
      discovery.writes.recover()
      yield* products.service.foldOld()
      return yield* productIndex.service.loadInSteps()
    },
    /** Whether the last loading of the index read everything. */
    hasWholeIndex: productIndex.service.isWhole,
    forgetStore,
    signToken: signIn.signIn.service.tokens.sign,
    flushAudit: signIn.signIn.service.flush,
    storage,
    models,
    base: foundation.base,
    passwords: foundation.passwords,
  }
}
