import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Logger } from 'pino'
import { type App, createApp } from '../../app.ts'
import { type Config, listSettings, type ShownSetting } from '../../config.ts'
import { createByteBudget } from '../../core/byte-budget.ts'
import { systemClock as clock, DAY_MS, MINUTE_MS } from '../../core/clock.ts'
import { systemIds as ids } from '../../core/ids.ts'
import { readDemoPicture } from '../../features/catalogue/demo/assets.ts'
import { findDamage } from '../../platform/db/damage.ts'
import { isOutdated, migrateApart } from '../../platform/db/migrating.ts'
import { schemaVersion } from '../../platform/db/open.ts'
import { readFreeDisk, readFreeDiskShare } from '../../platform/disk.ts'
import type { Embedder } from '../../platform/embedder/embedder.ts'
import { sweepDownloads } from '../../platform/models/download.ts'
import { modelsFolder } from '../../platform/models/shelf.ts'
import { ownCommand, ownEnvironment } from '../../platform/native/own-command.ts'
import { unpackApart } from '../../platform/native/unpack-apart.ts'
import { createFileDownloads } from '../../platform/outbound/downloads.ts'
import { createPages } from '../../platform/outbound/pages.ts'
import { createPoster } from '../../platform/outbound/poster.ts'
import { createPictureFetcher } from '../../platform/pictures/fetch.ts'
import { createPictureFiles, type PictureFiles } from '../../platform/pictures/kept.ts'
import { markRunning } from '../../platform/running-mark.ts'
import { createWorkFiles } from '../../platform/work-files.ts'
import { examine } from '../doctor/examination.ts'
import type { OwnerRole, RoleDeps } from '../standby/role.ts'
import { ADDRESS_FILE, buildLocalAddress, publishAddress } from './addresses.ts'
import { explainFolderError, lockFolder, openForServing } from './data-folder.ts'
import { loadTokenSecret } from './data-secrets.ts'
import { createDeferredWork } from './deferred-work.ts'
import { checkDiskSpace } from './disk-space.ts'
import { createRenewal } from './domain-certificate.ts'
import { CLOSE_MS, finishRequests, runInTurns, waitAtMost } from './ending.ts'
import { logLibraries } from './libraries.ts'
import { createLog } from './log.ts'
import { createModelFetcher } from './model-fetcher.ts'
import { openNodes } from './nodes.ts'
import { openEgresses, openInstallPorts, openModel, openPaymentGateway, parseNetworks } from './open-ports.ts'
import { openShelf } from './open-shelf.ts'
import { publishOperatorKey } from './operator-key.ts'
import { partsOf } from './parts.ts'
import { openStartModel, rescueFormerModel } from './start-model.ts'
import { openListener } from './starting-listener.ts'
import { logUncaught } from './uncaught.ts'
import { findWarnings } from './warnings.ts'

/** A running service. */
export interface Running {
  app: App
  embedder: Embedder
  log: Logger
  /** The address it listens on, and the public one. */
  address: string
  baseUrl: string
  /** Resolves when another node has taken over; undefined for a node that is not copied. */
  lost: Promise<void> | undefined
  /**
   * Stops accepting requests, finishes those in flight (at most 8 s), cuts outbound work and closes everything. Takes
   * less than 10 s; anything that still hangs ends with the process.
   */
  stop(): Promise<void>
}

/** How often the start tries to load an unreadable index, and the pause in between. */
const INDEX_TRIES = 3
const INDEX_PAUSE_MS = 300

/**
 * Starts the service: listener, database, model, index, routes.
 *
 * @param stopSignal aborts when the program is told to stop.
 * @param settings the configuration as it may be shown.
 * @param variables the names of the environment's variables, among which the doctor looks for misspelt settings.
 * @returns undefined if that happens before the service listens.
 * @throws OperatorError, after stopping every part that had started.
 */
export async function startService(
  config: Config,
  stopSignal: AbortSignal = new AbortController().signal,
  settings: readonly ShownSetting[] = listSettings(config),
  variables: readonly string[] = [],
): Promise<Running | undefined> {
  try {
    return await start(config, stopSignal, settings, variables)
  } catch (error) {
    throw explainFolderError(resolve(config.DATA_DIR), error)
  }
}

/** Loads what copies and takes over, which other nodes never do. @returns undefined if the program is to stop. */
async function takeNodeRole(
  deps: Omit<RoleDeps, 'tell'>,
  { wait, enter }: Pick<ReturnType<typeof openListener>, 'wait' | 'enter'>,
): Promise<OwnerRole | undefined> {
  const { takeRole } = await import('../standby/role.ts')
  const since = new Date(clock.now()).toISOString()
  const role = await takeRole({
    ...deps,
    tell: ({ copiedAt, epoch, problem }) =>
      wait({
        ...{ since, epoch, problem: problem ?? null },
        copy_age_seconds: copiedAt === undefined ? null : Math.round((clock.now() - copiedAt) / 1_000),
      }),
  })
  enter('loading')
  return role
}

/** Ends the work that goes on beside requests. */
function drain({ services: { departures, jobs, modelDesk, modelMoves, products } }: App): Promise<void> {
  modelMoves.stop()
  products.thumbnails.stop()
  const busy = [jobs, modelDesk, modelMoves, departures, products.thumbnails]
  return waitAtMost(CLOSE_MS, Promise.all(busy.map((one) => one?.drain())))
}

/** What the application gets of a node that is copied. */
const listCopiedPorts = (role: OwnerRole | undefined, files: PictureFiles) =>
  role === undefined
    ? { files }
    : {
        files: role.copyFiles(files),
        readCopies: role.readState,
        acknowledgement: { may: role.mayAcknowledge, untilCopied: role.waitUntilCopied },
      }

/** @returns the number of pictures; undefined if the program is to stop. */
async function loadIndex(app: App, stop: AbortSignal): Promise<number | undefined> {
  let pictures = await runInTurns(app.loadingIndex(), stop)
  // A fault may be temporary, and once the service answers requests the index cannot be reloaded.
  for (let tries = 1; pictures !== undefined && !app.hasWholeIndex() && tries < INDEX_TRIES; tries++) {
    await Bun.sleep(INDEX_PAUSE_MS)
    pictures = await runInTurns(app.loadingIndex(), stop)
  }
  return pictures
}

async function start(
  config: Config,
  stopSignal: AbortSignal,
  settings: readonly ShownSetting[],
  variables: readonly string[],
): Promise<Running | undefined> {
  const egresses = openEgresses(config)
  parseNetworks(config, 'TRUSTED_PROXIES')
  const log = createLog(config.LOG_LEVEL)
  for (const warning of findWarnings(config)) log.warn(warning)
  logLibraries(config, log)
  const dataDir = resolve(config.DATA_DIR)
  // Closed in reverse order, at the end or when a later part fails to start.
  await using started = new AsyncDisposableStack()

  const isCopied = config.COPIES_TO !== '' || config.STANDBY !== ''
  started.defer(lockFolder(dataDir, { mayLackDatabase: isCopied }))
  // A service that was killed left its own.
  rmSync(join(dataDir, ADDRESS_FILE), { force: true })
  // Before anything can be heard of the service: a signal that nobody handles ends the process, perhaps in the middle of a migration.
  // Without a certificate too: a tool that rotates logs, or a terminal that closes, sends it to any service.
  const renewCertificate = () => listener.renewCertificate()
  process.on('SIGHUP', renewCertificate)
  started.defer(() => void process.off('SIGHUP', renewCertificate))
  const listener = openListener(config, { log, clock, ids })
  started.defer(listener.close)
  const { address } = listener
  const baseUrl = config.BASE_URL || address
  const role = isCopied ? await takeNodeRole({ config, dataDir, log, stop: stopSignal }, listener) : undefined
  if (isCopied && !role) return undefined
  // After the database, whose last changes it sends.
  if (role) started.defer(role.close)
  if (isOutdated(dataDir)) {
    log.info({ data_dir: dataDir, schema: schemaVersion }, 'the database is being migrated')
    listener.enter('migrating')
    const migrated = { dataDir, keep: config.SNAPSHOT_KEEP }
    await migrateApart(ownCommand('database-migration'), ownEnvironment(), migrated, stopSignal)
    if (stopSignal.aborted) return undefined
    listener.enter('loading')
  }
  const db = openForServing(dataDir)
  role?.begin(db)
  const mark = markRunning(dataDir)
  // The next start checks a database that may be damaged.
  let isSound = () => !mark.wasUnclean
  started.defer(() => {
    if (isSound()) mark.remove()
  })
  started.defer(() => void db.close())
  logUncaught(log, () => !db.open || !db.inTransaction, clock.monotonic)
  await checkDiskSpace(dataDir, partsOf(config))
  rescueFormerModel({ db, dataDir, log })
  await unpackApart(partsOf(config))
  const { embedder, ...startModel } = openStartModel({ config, db, dataDir, log, warm: role?.warm })
  const shelf = openShelf(dataDir)
  started.defer(() => waitAtMost(CLOSE_MS, embedder.close()))
  const deferred = createDeferredWork(log)
  started.defer(() => waitAtMost(CLOSE_MS, deferred.finish()))
  // Aborts all outbound work.
  const stop = new AbortController()
  started.defer(() => stop.abort())
  const operator = publishOperatorKey(dataDir, ids)
  started.defer(operator.remove)
  const nodes = openNodes(config, dataDir, {
    ...{ baseUrl, readCertificate: listener.readShown, egress: egresses.main },
  })
  const budget = createByteBudget()
  const bodyFiles = createWorkFiles(join(dataDir, 'bodies'), { isKept: false })
  const app = createApp(config, () => baseUrl, {
    ...openInstallPorts(config, {
      db,
      dataDir,
      log,
      defer: deferred.defer,
      egress: egresses.main,
      poster: createPoster({ egress: egresses.webhooks, stop: stop.signal }),
      stop: stop.signal,
    }),
    paymentGateway: await openPaymentGateway(config, { egress: egresses.main, log, stop: stop.signal }),
    ...nodes.ports,
    tokenSecret: loadTokenSecret(db, dataDir, ids, config.JWT_SECRET, log),
    operatorKey: operator.key,
    embedder,
    shelf,
    fetchModel: createModelFetcher(config, dataDir, shelf),
    openModel: (folder) => openModel(config, log, folder),
    moveWorld: {
      ...startModel,
      find: shelf.find,
      machine: {
        readFreeDiskBytes: async () => (await readFreeDisk(dataDir)).freeBytes,
        readFreeMemoryBytes: () => process.availableMemory(),
      },
    },
    budget,
    stop: stop.signal,
    settings,
    fetcher: createPictureFetcher({ egress: egresses.main, budget, clock, stop: stop.signal }),
    ...listCopiedPorts(role, createPictureFiles(join(dataDir, 'pictures'), ids.uuid)),
    downloads: createFileDownloads({ egress: egresses.main, files: bodyFiles, ids, stop: stop.signal }),
    pages: createPages({ egress: egresses.main, stop: stop.signal }),
    bodyFiles,
    jobFiles: createWorkFiles(join(dataDir, 'jobs'), { isKept: true }),
    readDemoPicture,
    readFreeDiskShare: () => readFreeDiskShare(dataDir),
    examine: () => {
      const address = buildLocalAddress(app.http, config)
      return Array.fromAsync(examine(config, { variables, address, isThorough: false }))
    },
    findDamage: () => findDamage(ownCommand('database-check'), ownEnvironment(), dataDir, stop.signal),
  })
  started.defer(() =>
    waitAtMost(CLOSE_MS, Promise.all(app.models.listRunning().map((model) => model.embedder.close()))),
  )
  const pictures = await loadIndex(app, stopSignal)
  if (pictures === undefined) return undefined
  log.info({ pictures, data_dir: dataDir, model: embedder.model.id }, 'index loaded')
  listener.handOver(app.http)
  nodes.listen(app.http)
  started.defer(nodes.close)
  if (config.DOMAIN) {
    const { show } = listener
    const renewal = createRenewal(config, { log, clock, show, address: baseUrl, stop: stop.signal })
    started.defer(renewal.close)
    const tryNow = () => void renewal.tryNow()
    process.on('SIGHUP', tryNow)
    started.defer(() => void process.off('SIGHUP', tryNow))
    deferred.every(MINUTE_MS, 'the renewal of the certificate', renewal.tick)
  }
  // After the requests, and after what they wait for was cut.
  started.defer(() => drain(app))
  started.defer(() => waitAtMost(CLOSE_MS, app.services.feeds.drain()))
  started.defer(() =>
    finishRequests(listener.whole(), () => {
      stop.abort()
      for (const model of app.models.listRunning()) void model.embedder.close()
    }),
  )
  started.defer(app.services.jobs.stop)
  // Writes during the stop must not wait.
  started.defer(() => void db.pragma('busy_timeout = 0'))
  started.defer(publishAddress(dataDir, baseUrl, buildLocalAddress(app.http, config)))
  deferred.every(DAY_MS, 'old downloads', () => sweepDownloads(modelsFolder(dataDir), clock.now()))
  for (const { name, everyMs, run } of app.chores) deferred.every(everyMs, name, run)
  if (mark.wasUnclean) void app.storage.inspect()
  isSound = app.storage.isSound
  const running = started.move()
  return { app, embedder, log, address, baseUrl, lost: role?.lost, stop: () => running.disposeAsync() }
}
