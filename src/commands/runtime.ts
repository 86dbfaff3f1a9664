import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import { join, resolve } from 'node:path'
import pino, { type Logger } from 'pino'
import { type Administration, createAdministration } from '../administration.ts'
import { type App, createApp } from '../app.ts'
import { type Config, ConfigError, Settings } from '../config.ts'
import { type Clock, systemClock } from '../core/clock.ts'
import { type Ids, systemIds } from '../core/ids.ts'
import { readDemoPicture } from '../features/demo/assets.ts'
import { InstanceRunningError, lockInstance } from '../platform/db/instance-lock.ts'
import { type Db, openDatabase } from '../platform/db/open.ts'
import { freeDiskShare } from '../platform/disk.ts'
import { createEmbedder } from '../platform/embedder/child-embedder.ts'
import type { Embedder } from '../platform/embedder/embedder.ts'
import { createMailer, type Mailer } from '../platform/mail/mailer.ts'
import { bundledModelDir, bundledModelHash } from '../platform/native/model-folder.ts'
import { ownCommand, ownEnvironment } from '../platform/native/own-command.ts'
import { parseCidrs } from '../platform/network/addresses.ts'
import { createPictureFetcher } from '../platform/pictures/fetch.ts'
import { createPictureFiles } from '../platform/pictures/kept.ts'
import { CommandError } from './command.ts'
import { checkFolder, dataSecretOf, resetDataSecret, tokenSecretOf } from './install.ts'
import { tellLibraries } from './libraries.ts'

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
  work: (install: Administration) => Result | Promise<Result>,
  { mayMake = false } = {},
): Promise<Result> {
  const dataDir = resolve(config.DATA_DIR)
  checkFolder(dataDir, { mayMake })
  makeFolder(config.DATA_DIR)
  const log = pino({ level: 'warn', base: null }, pino.destination({ fd: 2, sync: true }))
  const db = tellingStorage(dataDir, () => openDatabase(dataDir))
  try {
    const ports = { ...administrationPorts(config, dataDir, log, db), baseUrl: () => addressOf(config) }
    return await work(createAdministration(ports))
  } finally {
    db.close()
  }
}

/** What administration needs of the world, except the address. */
const administrationPorts = (config: Config, dataDir: string, log: Logger, db: Db) => ({
  db,
  clock,
  ids,
  log,
  config,
  mailer: mailerOf(config),
  dataSecret: tellingStorage(dataDir, () => dataSecretOf(db, dataDir, ids)),
  schedule: (callback: () => void, delayMs: number) => void setTimeout(callback, delayMs),
})

function mailerOf(config: Config): Mailer {
  const allowCidrs = networks(config, 'FETCH_ALLOW_CIDRS')
  const { SMTP_URL: smtpUrl, MAIL_FROM: from, OFFLINE: isOffline } = config
  try {
    return createMailer({ smtpUrl, from, allowCidrs, isOffline })
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
  /** Stops taking requests, finishes those in flight (at most 8 s) and closes everything. */
  stop(): Promise<void>
}

/** Longest wait for requests in flight when the service stops: `docker stop` kills after 10 s, and closing takes a moment. */
const STOP_MS = 8_000

/** Idle connections are closed after this; the longest download takes less. */
const IDLE_SECONDS = 60

const TIDY_MS = 3_600_000

/** How often kept pictures that products let go are looked at; such a one is deleted after a minute. */
const SWEEP_MS = 10_000

/** How often mails that failed are looked at. */
const MAIL_MS = 60_000

/**
 * Starts the service: database, model, index, listener.
 *
 * @throws CommandError, ConfigError; whatever had been started by then is stopped again.
 */
export async function startService(config: Config): Promise<Running> {
  const allowCidrs = networks(config, 'FETCH_ALLOW_CIDRS')
  networks(config, 'TRUSTED_PROXIES')
  const log = pino({ level: config.LOG_LEVEL, base: null }, pino.destination({ fd: 2, sync: true }))
  tellLibraries(config, log)
  const dataDir = resolve(config.DATA_DIR)
  // Closed in the reverse order, at the end or when a later part cannot start.
  await using started = new AsyncDisposableStack()

  const { db, unlock } = openForServing(dataDir)
  started.defer(unlock)
  started.defer(() => void db.close())
  const embedder = embedderOf(config, log)
  started.defer(() => embedder.close())
  let baseUrl = config.BASE_URL
  const app = createApp(config, () => baseUrl, {
    ...administrationPorts(config, dataDir, log, db),
    tokenSecret: tellingStorage(dataDir, () => tokenSecretOf(db, dataDir, ids, config.JWT_SECRET, log)),
    embedder,
    fetcher: createPictureFetcher({ allowCidrs, isOffline: config.OFFLINE, clock }),
    files: createPictureFiles(join(dataDir, 'pictures'), ids.uuid),
    readDemoPicture,
    freeDiskShare: () => freeDiskShare(dataDir),
  })
  started.defer(() => app.history.flush())
  started.defer(() => app.flushAudit())
  const pictures = app.loadIndex()
  log.info({ pictures, data_dir: dataDir, model: embedder.model.id }, 'index loaded')
  const address = listen(app, config)
  started.defer(() => finishRequests(app))
  baseUrl ||= address
  started.defer(publishAddress(dataDir, baseUrl))
  const tidying = setInterval(
    () => void app.tidy().catch((err) => log.error({ err }, 'tidying failed')),
    TIDY_MS,
  )
  started.defer(() => clearInterval(tidying))
  const sweeping = setInterval(
    () => void app.sweepPictures().catch((err) => log.error({ err }, 'deleting old pictures failed')),
    SWEEP_MS,
  )
  started.defer(() => clearInterval(sweeping))
  const mailing = setInterval(
    () => void app.outbox.retryDue().catch((err) => log.error({ err }, 'sending mails failed')),
    MAIL_MS,
  )
  started.defer(() => clearInterval(mailing))
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
  return tellingStorage(dataDir, () => {
    const unlock = lockInstance(dataDir)
    try {
      return { db: openDatabase(dataDir), unlock }
    } catch (error) {
      unlock()
      throw error
    }
  })
}

/**
 * Makes a new secret for what is sealed, in the place of a lost one, on an install that no service is using.
 *
 * @returns e-mail addresses of those whose second factor is lost with it.
 */
export function resetSecret(config: Config): string[] {
  const dataDir = resolve(config.DATA_DIR)
  const { db, unlock } = openForServing(dataDir, { mayMake: false })
  try {
    return resetDataSecret(db, dataDir, ids)
  } finally {
    db.close()
    unlock()
  }
}

/** What is wrong with a data folder, by SQLite's code, in words for its operator. */
const STORAGE_PROBLEMS: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: 'holds a file that is no database of ours: restore a backup, or name another folder',
  SQLITE_CORRUPT: 'holds a damaged database: restore a backup, or name another folder',
  SQLITE_CANTOPEN: 'cannot be opened: does it belong to this user?',
  SQLITE_READONLY: 'cannot be written: does it belong to this user, on a disk that is not read-only?',
  SQLITE_FULL: 'lies on a full disk',
  SQLITE_BUSY: 'is being written by another program: try again',
}

function tellingStorage<Result>(dataDir: string, open: () => Result): Result {
  try {
    return open()
  } catch (error) {
    if (error instanceof InstanceRunningError) throw new CommandError(error.message)
    const code = String((error as { code?: unknown }).code)
    const problem = Object.entries(STORAGE_PROBLEMS).find(([known]) => code.startsWith(known))?.[1]
    if (problem) throw new CommandError(`The data folder ${dataDir} ${problem}`)
    throw error
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

async function finishRequests(app: App): Promise<void> {
  const { server } = app.http
  if (!server) return
  void server.stop()
  const deadline = clock.monotonic() + STOP_MS
  while (server.pendingRequests > 0 && clock.monotonic() < deadline) await Bun.sleep(10)
  await server.stop(true)
}
