import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import { join, resolve } from 'node:path'
import type { Logger } from 'pino'
import { type App, createApp } from '../app.ts'
import { type Config, ConfigError, Settings } from '../config.ts'
import { createByteBudget } from '../core/byte-budget.ts'
import { type Clock, systemClock } from '../core/clock.ts'
import { type Ids, systemIds } from '../core/ids.ts'
import { parseCidrs } from '../core/networks.ts'
import { readDemoPicture } from '../features/catalogue/demo/assets.ts'
import { createInstall, type Install } from '../install.ts'
import { findDamage } from '../platform/db/damage.ts'
import { lockInstance } from '../platform/db/instance-lock.ts'
import { type Db, openDatabase } from '../platform/db/open.ts'
import { freeDiskShare } from '../platform/disk.ts'
import { createEmbedder } from '../platform/embedder/child-embedder.ts'
import type { Embedder } from '../platform/embedder/embedder.ts'
import { createMailer, type Mailer } from '../platform/mail/mailer.ts'
import { bundledModelDir, bundledModelHash } from '../platform/native/model-folder.ts'
import { ownCommand, ownEnvironment } from '../platform/native/own-command.ts'
import { createPictureFetcher } from '../platform/pictures/fetch.ts'
import { createPictureFiles } from '../platform/pictures/kept.ts'
import { markRunning } from '../platform/running-mark.ts'
import { CommandError } from './command.ts'
import { toldOfFolder } from './data-folder.ts'
import { CLOSE_MS, finishRequests, inTurns, within } from './ending.ts'
import { checkFolder, dataSecretOf, resetDataSecret, tokenSecretOf } from './install.ts'
import { createLater, type Later } from './later.ts'
import { tellLibraries } from './libraries.ts'
import { createLog } from './log.ts'
import { logUncaught } from './uncaught.ts'
import { warningsAbout } from './warnings.ts'

const clock: Clock = systemClock
const ids: Ids = systemIds

/**
 * Works on the install in a data folder without serving it; for commands that run beside a service, too.
 *
 * @param mayMake makes the install where there is none.
 * @throws CommandError when there is none, or when the folder is not whole.
 */
export async function withInstall<Result>(
  config: Config,
  work: (services: Install['services']) => Result | Promise<Result>,
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
    const ports = installPorts(config, dataDir, log, db, later)
    return await work(createInstall(config, () => addressOf(config), ports).services)
  } catch (error) {
    throw toldOfFolder(dataDir, error)
  }
}

/** The parts of the world that an install needs. */
const installPorts = (
  config: Config,
  dataDir: string,
  log: Logger,
  db: Db,
  later: Later,
  stop?: AbortSignal,
) => ({
  db,
  clock,
  ids,
  log,
  mailer: mailerOf(config, stop),
  dataSecret: dataSecretOf(db, dataDir, ids),
  later: later.schedule,
})

function mailerOf(config: Config, stop: AbortSignal | undefined): Mailer {
  const allowCidrs = networks(config, 'FETCH_ALLOW_CIDRS')
  const { SMTP_URL: smtpUrl, MAIL_FROM: from, OFFLINE: isOffline } = config
  try {
    return createMailer({ smtpUrl, from, allowCidrs, isOffline, stop })
  } catch (error) {
    throw new ConfigError(`Bad settings:\n  SMTP_URL ${(error as Error).message}`)
  }
}

/** A service that answers requests. */
export interface Running {
  app: App
  embedder: Embedder
  /** The address it listens on, and the public one. */
  address: string
  baseUrl: string
  /**
   * Stops taking requests, finishes those in flight (at most 8 s), cuts all work for the outside and closes everything.
   * Takes less than 10 s; what hangs even then ends with the process.
   */
  stop(): Promise<void>
}

/** Idle connections are closed after this; the longest download takes less. */
const IDLE_SECONDS = 60

/** How often the start tries to load an index that cannot be read, and how long it waits between. */
const INDEX_TRIES = 3
const INDEX_PAUSE_MS = 300

/** Longest wait of a write of the service for a write of another program. */
const BUSY_MS = 500

/**
 * Starts the service: database, model, index, listener.
 *
 * @param told aborts when the program is told to stop.
 * @returns undefined when that comes before the service listens.
 * @throws CommandError, ConfigError; whatever had been started by then is stopped again.
 */
export async function startService(config: Config, told?: AbortSignal): Promise<Running | undefined> {
  try {
    return await start(config, told)
  } catch (error) {
    throw toldOfFolder(resolve(config.DATA_DIR), error)
  }
}

async function start(config: Config, told: AbortSignal | undefined): Promise<Running | undefined> {
  const allowCidrs = networks(config, 'FETCH_ALLOW_CIDRS')
  networks(config, 'TRUSTED_PROXIES')
  const log = createLog(config.LOG_LEVEL)
  for (const warning of warningsAbout(config)) log.warn(warning)
  tellLibraries(config, log)
  const dataDir = resolve(config.DATA_DIR)
  // Closed in the reverse order, at the end or when a later part cannot start.
  await using started = new AsyncDisposableStack()

  const { db, unlock } = openForServing(dataDir)
  started.defer(unlock)
  const mark = markRunning(dataDir)
  // A database that may be damaged is looked through at the next start, too.
  let isSound = () => !mark.wasUnclean
  started.defer(() => {
    if (isSound()) mark.remove()
  })
  started.defer(() => void db.close())
  logUncaught(log, () => !db.open || !db.inTransaction, clock.monotonic)
  const embedder = embedderOf(config, log)
  started.defer(() => within(CLOSE_MS, embedder.close()))
  const later = createLater(log)
  started.defer(() => within(CLOSE_MS, later.finish()))
  // Ends whatever waits for other servers.
  const stop = new AbortController()
  started.defer(() => stop.abort())
  let baseUrl = config.BASE_URL
  const budget = createByteBudget()
  const app = createApp(config, () => baseUrl, {
    ...installPorts(config, dataDir, log, db, later, stop.signal),
    tokenSecret: tokenSecretOf(db, dataDir, ids, config.JWT_SECRET, log),
    embedder,
    budget,
    fetcher: createPictureFetcher({
      budget,
      allowCidrs,
      isOffline: config.OFFLINE,
      clock,
      stop: stop.signal,
    }),
    files: createPictureFiles(join(dataDir, 'pictures'), ids.uuid),
    readDemoPicture,
    freeDiskShare: () => freeDiskShare(dataDir),
    findDamage: () => findDamage(ownCommand('database-check'), ownEnvironment(), dataDir, stop.signal),
  })
  started.defer(() => app.services.history.flush())
  started.defer(() => app.flushAudit())
  let pictures = await inTurns(app.loadingIndex(), told)
  // A fault may pass. Later, while the service answers, the index could not be loaded again.
  for (let tries = 1; pictures !== undefined && !app.hasWholeIndex() && tries < INDEX_TRIES; tries++) {
    await Bun.sleep(INDEX_PAUSE_MS)
    pictures = await inTurns(app.loadingIndex(), told)
  }
  if (pictures === undefined) return undefined
  log.info({ pictures, data_dir: dataDir, model: embedder.model.id }, 'index loaded')
  const address = listen(app, config)
  started.defer(() =>
    finishRequests(app.http.server, () => {
      stop.abort()
      void embedder.close()
    }),
  )
  // What is written while it stops waits for nobody.
  started.defer(() => void db.pragma('busy_timeout = 0'))
  baseUrl ||= address
  started.defer(publishAddress(dataDir, baseUrl))
  for (const { name, everyMs, run } of app.chores) later.every(everyMs, name, run)
  if (mark.wasUnclean) void app.storage.inspect()
  isSound = app.storage.isSound
  const running = started.move()
  return { app, embedder, address, baseUrl, stop: () => running.disposeAsync() }
}

function embedderOf(config: Config, log: Logger): Embedder {
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
    throw new CommandError(
      `The model in ${modelDir} cannot be used: ${error instanceof Error ? error.message : error}`,
    )
  }
}

/** Opens the data folder for this process alone. */
function openForServing(dataDir: string, { mayMake = true } = {}): { db: Db; unlock: () => void } {
  checkFolder(dataDir, { mayMake })
  makeFolder(dataDir)
  const unlock = lockInstance(dataDir)
  try {
    const db = openDatabase(dataDir)
    // Waiting for another writer holds the event loop. A command holds the lock for milliseconds.
    db.pragma(`busy_timeout = ${BUSY_MS}`)
    return { db, unlock }
  } catch (error) {
    unlock()
    throw error
  }
}

/**
 * Makes a new secret for what is sealed, in the place of a lost one, on an install that no service is using.
 *
 * @returns e-mail addresses of those whose second factor is lost with it.
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
    throw toldOfFolder(dataDir, error)
  }
}

/** Everything below the data folder is for its owner alone: it holds password hashes and keys. */
function makeFolder(path: string): void {
  process.umask(0o077)
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new CommandError(`The data folder ${path} cannot be made: ${(error as Error).message}`)
  }
}

function networks(config: Config, name: 'FETCH_ALLOW_CIDRS' | 'TRUSTED_PROXIES') {
  try {
    return parseCidrs(config[name])
  } catch (error) {
    throw new ConfigError(`Bad settings:\n  ${name}: ${(error as Error).message}`)
  }
}

function listen(app: App, { HOST, PORT }: Config): string {
  try {
    // Without this a second service would share the port, and half of the requests would go astray.
    app.http.listen({ hostname: HOST, port: PORT, idleTimeout: IDLE_SECONDS, reusePort: false })
  } catch (error) {
    const reason =
      (error as { code?: string }).code === 'EADDRINUSE' ? 'the port is taken' : (error as Error).message
    throw new CommandError(`Cannot listen on ${HOST}:${PORT}: ${reason}`)
  }
  const host = isIPv6(HOST) ? `[${HOST}]` : HOST
  return `http://${host}:${app.http.server?.port ?? PORT}`
}

/** File in the data folder that names the public address while the service runs. */
const ADDRESS_FILE = 'address'

/** Leaves the address for commands beside the service. @returns takes it away again. */
function publishAddress(dataDir: string, address: string): () => void {
  const path = join(dataDir, ADDRESS_FILE)
  writeFileSync(path, `${address}\n`)
  return () => rmSync(path, { force: true })
}

/** Where the service of a data folder answers, or would answer with these settings. */
export function addressOf({ DATA_DIR, BASE_URL, HOST, PORT }: Config): string {
  const path = join(DATA_DIR, ADDRESS_FILE)
  const published = existsSync(path) ? readFileSync(path, 'utf8').trim() : ''
  // A port that is chosen at the start is not known before it.
  return published || BASE_URL || `http://${HOST}:${PORT || Settings.properties.PORT.default}`
}
