import { mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Logger } from 'pino'
import { type App, createApp } from '../app.ts'
import { type Config, listSettings, type ShownSetting } from '../config.ts'
import { createByteBudget } from '../core/byte-budget.ts'
import { type Clock, systemClock } from '../core/clock.ts'
import { type Ids, systemIds } from '../core/ids.ts'
import { parseCidrs } from '../core/networks.ts'
import { OperatorError, wrongSettings } from '../core/operator-error.ts'
import { readDemoPicture } from '../features/catalogue/demo/assets.ts'
import { createInstall, type Install } from '../install.ts'
import { findDamage } from '../platform/db/damage.ts'
import { lockInstance, tryLockInstance } from '../platform/db/instance-lock.ts'
import { type Db, openDatabase } from '../platform/db/open.ts'
import { readFreeDiskShare } from '../platform/disk.ts'
import { createEmbedder } from '../platform/embedder/child-embedder.ts'
import type { Embedder } from '../platform/embedder/embedder.ts'
import { createMailer, type Mailer } from '../platform/mail/mailer.ts'
import type { PartName } from '../platform/native/embedded.ts'
import { bundledModelDir, bundledModelHash } from '../platform/native/model-folder.ts'
import { ownCommand, ownEnvironment } from '../platform/native/own-command.ts'
import { unpackApart } from '../platform/native/unpack-apart.ts'
import { createFileDownloads } from '../platform/outbound/downloads.ts'
import { createEgress, type Egress } from '../platform/outbound/egress.ts'
import { createPoster } from '../platform/outbound/poster.ts'
import type { PaymentGateway } from '../platform/payments/gateway.ts'
import { createStripeGateway } from '../platform/payments/stripe.ts'
import { createPictureFetcher } from '../platform/pictures/fetch.ts'
import { createPictureFiles } from '../platform/pictures/kept.ts'
import { markRunning } from '../platform/running-mark.ts'
import { createWorkFiles } from '../platform/work-files.ts'
import {
  ADDRESS_FILE,
  buildLocalAddress,
  findAddress,
  listen,
  publishAddress,
  readAddresses,
} from './addresses.ts'
import { explainFolderError } from './data-folder.ts'
import { CLOSE_MS, finishRequests, runInTurns, waitAtMost } from './ending.ts'
import { checkFolder, loadDataSecret, loadTokenSecret, readTokenSecret, resetDataSecret } from './install.ts'
import { createLater, type Later } from './later.ts'
import { logLibraries } from './libraries.ts'
import { createLog } from './log.ts'
import { checkRoom } from './room.ts'
import { logUncaught } from './uncaught.ts'
import { findWarnings } from './warnings.ts'

const clock: Clock = systemClock
const ids: Ids = systemIds

/**
 * Works on the install in a data folder without serving it. A service may run at the same time.
 *
 * @param mayMake whether to create the install if there is none.
 * @throws OperatorError if there is no install, or if the folder is incomplete.
 */
export async function withInstall<Result>(
  config: Config,
  work: (services: Install['services'], secrets: InstallSecrets) => Result | Promise<Result>,
  { mayMake = false } = {},
): Promise<Result> {
  const dataDir = resolve(config.DATA_DIR)
  const log = createLog('warn')
  const later = createLater(log)
  try {
    checkFolder(dataDir, { mayMake })
    makeFolder(dataDir)
    await using opened = new AsyncDisposableStack()
    const db = openDatabase(dataDir)
    opened.defer(() => void db.close())
    opened.defer(later.finish)
    const egresses = openEgresses(config)
    // Only a service sends webhooks: two senders would send everything twice.
    const poster = createPoster({ egress: egresses.webhooks, stop: AbortSignal.abort() })
    const ports = { ...installPorts(config, dataDir, log, db, later, egresses), poster }
    return await work(
      createInstall(
        config,
        () => findAddress(config),
        ports,
        () => {},
      ).services,
      {
        readTokenSecret: () => readTokenSecret(db, dataDir, ids, config.JWT_SECRET),
      },
    )
  } catch (error) {
    throw explainFolderError(dataDir, error)
  }
}

export interface InstallSecrets {
  /** What the service signs its tokens with. @throws OperatorError if that cannot be known. */
  readTokenSecret(): string
}

/** The parts of the world that an install needs. */
const installPorts = (
  config: Config,
  dataDir: string,
  log: Logger,
  db: Db,
  later: Later,
  egresses: Egresses,
  stop?: AbortSignal,
) => ({
  db,
  clock,
  ids,
  log,
  mailer: createConfiguredMailer(config, egresses.main, stop),
  poster: createPoster({ egress: egresses.webhooks, stop }),
  dataSecret: loadDataSecret(db, dataDir, ids),
  defer: later.defer,
})

/** The ways to other servers. */
interface Egresses {
  /** For pictures, feeds and mails. */
  main: Egress
  /** For webhooks and callbacks, whose messages must not be read on the way. */
  webhooks: Egress
}

/** @throws OperatorError for networks that are malformed. */
export const openEgresses = (config: Config): Egresses => ({
  main: createEgress({
    allowCidrs: parseNetworks(config, 'FETCH_ALLOW_CIDRS'),
    setting: 'FETCH_ALLOW_CIDRS',
    isOffline: config.OFFLINE,
    clock,
  }),
  webhooks: createEgress({
    allowCidrs: parseNetworks(config, 'WEBHOOK_ALLOW_CIDRS'),
    setting: 'WEBHOOK_ALLOW_CIDRS',
    isOffline: config.OFFLINE,
    isTlsRequired: true,
    clock,
  }),
})

function createConfiguredMailer(
  { SMTP_URL: smtpUrl, MAIL_FROM: from }: Config,
  egress: Egress,
  stop: AbortSignal | undefined,
): Mailer {
  try {
    return createMailer({ smtpUrl, from, egress, stop })
  } catch (error) {
    throw wrongSettings([`SMTP_URL ${(error as Error).message}`])
  }
}

/** @returns undefined where the operator takes the payments. */
async function openPaymentGateway(
  config: Config,
  { egress, log, stop }: { egress: Egress; log: Logger; stop: AbortSignal },
): Promise<PaymentGateway | undefined> {
  if (config.STRIPE_SECRET_KEY === '') return undefined
  return createStripeGateway({
    ...{ egress, log, stop },
    secretKey: config.STRIPE_SECRET_KEY,
    webhookSecret: config.STRIPE_WEBHOOK_SECRET,
    apiBase: config.STRIPE_API_BASE,
  })
}

/** A running service. */
export interface Running {
  app: App
  embedder: Embedder
  /** The address it listens on, and the public one. */
  address: string
  baseUrl: string
  /**
   * Stops accepting requests, finishes those in flight (at most 8 s), cuts outbound work and closes everything. Takes
   * less than 10 s; anything that still hangs ends with the process.
   */
  stop(): Promise<void>
}

/** The parts of the executable that a service needs besides those of every command. */
export const partsOf = ({ MODEL_DIR }: Config): PartName[] => [
  ...(MODEL_DIR ? [] : ['model' as const]),
  'sharp',
  'onnxruntime',
]

/** How often the start tries to load an unreadable index, and the pause in between. */
const INDEX_TRIES = 3
const INDEX_PAUSE_MS = 300

/** Longest wait for another program that writes to the database. */
const BUSY_MS = 500

/**
 * Starts the service: database, model, index, listener.
 *
 * @param told aborts when the program is told to stop.
 * @param settings the configuration as it may be shown.
 * @returns undefined if that happens before the service listens.
 * @throws OperatorError, after stopping every part that had started.
 */
export async function startService(
  config: Config,
  told?: AbortSignal,
  settings: readonly ShownSetting[] = listSettings(config),
): Promise<Running | undefined> {
  try {
    return await start(config, told, settings)
  } catch (error) {
    throw explainFolderError(resolve(config.DATA_DIR), error)
  }
}

async function start(
  config: Config,
  told: AbortSignal | undefined,
  settings: readonly ShownSetting[],
): Promise<Running | undefined> {
  const egresses = openEgresses(config)
  parseNetworks(config, 'TRUSTED_PROXIES')
  const log = createLog(config.LOG_LEVEL)
  for (const warning of findWarnings(config)) log.warn(warning)
  logLibraries(config, log)
  const dataDir = resolve(config.DATA_DIR)
  // Closed in reverse order, at the end or when a later part fails to start.
  await using started = new AsyncDisposableStack()

  const { db, unlock } = openForServing(dataDir)
  started.defer(unlock)
  // A service that was killed left its own.
  rmSync(join(dataDir, ADDRESS_FILE), { force: true })
  const mark = markRunning(dataDir)
  // The next start checks a database that may be damaged.
  let isSound = () => !mark.wasUnclean
  started.defer(() => {
    if (isSound()) mark.remove()
  })
  started.defer(() => void db.close())
  logUncaught(log, () => !db.open || !db.inTransaction, clock.monotonic)
  await checkRoom(dataDir, partsOf(config))
  unpackApart(partsOf(config))
  const embedder = createConfiguredEmbedder(config, log)
  started.defer(() => waitAtMost(CLOSE_MS, embedder.close()))
  const later = createLater(log)
  started.defer(() => waitAtMost(CLOSE_MS, later.finish()))
  // Aborts all outbound work.
  const stop = new AbortController()
  started.defer(() => stop.abort())
  let baseUrl = config.BASE_URL
  const budget = createByteBudget()
  const bodyFiles = createWorkFiles(join(dataDir, 'bodies'), { isKept: false })
  const app = createApp(config, () => baseUrl, {
    ...installPorts(config, dataDir, log, db, later, egresses, stop.signal),
    paymentGateway: await openPaymentGateway(config, { egress: egresses.main, log, stop: stop.signal }),
    tokenSecret: loadTokenSecret(db, dataDir, ids, config.JWT_SECRET, log),
    embedder,
    budget,
    stop: stop.signal,
    settings,
    fetcher: createPictureFetcher({ egress: egresses.main, budget, clock, stop: stop.signal }),
    files: createPictureFiles(join(dataDir, 'pictures'), ids.uuid),
    downloads: createFileDownloads({ egress: egresses.main, files: bodyFiles, ids, stop: stop.signal }),
    bodyFiles,
    jobFiles: createWorkFiles(join(dataDir, 'jobs'), { isKept: true }),
    readDemoPicture,
    readFreeDiskShare: () => readFreeDiskShare(dataDir),
    findDamage: () => findDamage(ownCommand('database-check'), ownEnvironment(), dataDir, stop.signal),
  })
  let pictures = await runInTurns(app.loadingIndex(), told)
  // A fault may be temporary, and once the service answers requests the index cannot be reloaded.
  for (let tries = 1; pictures !== undefined && !app.hasWholeIndex() && tries < INDEX_TRIES; tries++) {
    await Bun.sleep(INDEX_PAUSE_MS)
    pictures = await runInTurns(app.loadingIndex(), told)
  }
  if (pictures === undefined) return undefined
  log.info({ pictures, data_dir: dataDir, model: embedder.model.id }, 'index loaded')
  const address = listen(app, config)
  // After the requests, and after what they wait for was cut.
  started.defer(() => {
    app.services.reembedding.stop()
    return waitAtMost(CLOSE_MS, Promise.all([app.services.jobs.drain(), app.services.reembedding.drain()]))
  })
  started.defer(() => waitAtMost(CLOSE_MS, app.services.feeds.drain()))
  started.defer(() =>
    finishRequests(app.http.server, () => {
      stop.abort()
      void embedder.close()
    }),
  )
  started.defer(app.services.jobs.stop)
  // Writes during the stop must not wait.
  started.defer(() => void db.pragma('busy_timeout = 0'))
  baseUrl ||= address
  started.defer(publishAddress(dataDir, baseUrl, buildLocalAddress(app, config)))
  for (const { name, everyMs, run } of app.chores) later.every(everyMs, name, run)
  if (mark.wasUnclean) void app.storage.inspect()
  isSound = app.storage.isSound
  const running = started.move()
  return { app, embedder, address, baseUrl, stop: () => running.disposeAsync() }
}

/** @throws OperatorError if the folder holds no model. */
export function createConfiguredEmbedder(config: Config, log: Logger): Embedder {
  const modelDir = config.MODEL_DIR || bundledModelDir()
  try {
    return createEmbedder({
      modelDir,
      modelHash: config.MODEL_DIR ? undefined : bundledModelHash(),
      command: ownCommand('embedder-process'),
      env: ownEnvironment(),
      inferenceThreads: config.INFERENCE_THREADS,
      log,
    })
  } catch (error) {
    throw new OperatorError(
      `Cannot use the model in ${modelDir}: ${error instanceof Error ? error.message : error}`,
    )
  }
}

/** Opens the data folder for this process alone. */
function openForServing(dataDir: string, { mayMake = true } = {}): { db: Db; unlock: () => void } {
  checkFolder(dataDir, { mayMake })
  makeFolder(dataDir)
  const unlock = lockInstance(dataDir, readAddresses(dataDir)[0])
  try {
    const db = openDatabase(dataDir)
    // Waiting for another writer blocks the event loop; a command holds the lock for milliseconds only.
    db.pragma(`busy_timeout = ${BUSY_MS}`)
    return { db, unlock }
  } catch (error) {
    unlock()
    throw error
  }
}

/**
 * Replaces the lost secret of an install that no service is using.
 *
 * @returns e-mail addresses of the people whose second factor is lost.
 */
export function resetSecret(config: Config): string[] {
  const dataDir = resolve(config.DATA_DIR)
  try {
    const { db, unlock } = openForServing(dataDir, { mayMake: false })
    try {
      return resetDataSecret(db, dataDir, ids)
    } finally {
      db.close()
      unlock()
    }
  } catch (error) {
    throw explainFolderError(dataDir, error)
  }
}

/** Creates the data folder, accessible to its owner only: it contains password hashes and keys. */
function makeFolder(path: string): void {
  process.umask(0o077)
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new OperatorError(`Cannot create the data folder ${path}: ${(error as Error).message}`)
  }
}

function parseNetworks(
  config: Config,
  name: 'FETCH_ALLOW_CIDRS' | 'WEBHOOK_ALLOW_CIDRS' | 'TRUSTED_PROXIES',
) {
  try {
    return parseCidrs(config[name])
  } catch (error) {
    throw wrongSettings([`${name}: ${(error as Error).message}`])
  }
}

/**
 * Finds the service that runs on a data folder.
 *
 * @returns its local address, or undefined if none runs.
 * @throws OperatorError while it starts or stops, or if there is no install.
 */
export function findRunningService(config: Config): string | undefined {
  const dataDir = resolve(config.DATA_DIR)
  try {
    checkFolder(dataDir, { mayMake: false })
    const unlock = tryLockInstance(dataDir)
    unlock?.()
    if (unlock) return undefined
  } catch (error) {
    throw explainFolderError(dataDir, error)
  }
  const [, local] = readAddresses(dataDir)
  if (local) return local
  throw new OperatorError(`The service on ${dataDir} is starting or stopping. Try again in a moment.`)
}
