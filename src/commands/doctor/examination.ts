import { join, resolve } from 'node:path'
import type { Config } from '../../config.ts'
import { systemClock } from '../../core/clock.ts'
import { systemIds } from '../../core/ids.ts'
import { findRecipient } from '../../platform/backup/copies/key-files.ts'
import { findDamage } from '../../platform/db/damage.ts'
import { schemaVersion } from '../../platform/db/open.ts'
import { openReadOnly } from '../../platform/db/read-only.ts'
import type { Embedder } from '../../platform/embedder/embedder.ts'
import { modelsFolder } from '../../platform/models/shelf.ts'
import { ownCommand, ownEnvironment } from '../../platform/native/own-command.ts'
import { countMissingBytes } from '../../platform/native/parts.ts'
import { version } from '../../version.ts'
import { findRunningService } from '../service/data-folder.ts'
import { findSecretFault } from '../service/data-secrets.ts'
import { createLog } from '../service/log.ts'
import { createConfiguredEmbedder, openEgresses, openModel } from '../service/open-ports.ts'
import { partsOf } from '../service/parts.ts'
import { findFolder } from '../service/start-model.ts'
import { findWarnings } from '../service/warnings.ts'
import { checkAddress, checkProxies } from './address-checks.ts'
import { checkBackupPlaces } from './backup-places.ts'
import { checkBucket } from './bucket-check.ts'
import { checkCertificate } from './certificate-check.ts'
import { type Check, error, ok, warning } from './check.ts'
import { checkDisk, checkDiskSpeed } from './disk-checks.ts'
import { checkClock, checkDataFolder, checkPort, checkService, toFault } from './host-checks.ts'
import {
  checkBackups,
  checkCopies,
  checkDamage,
  checkFeeds,
  checkPictures,
  checkSchema,
  checkVectors,
  checkWebhooks,
} from './install-checks.ts'
import { type InstallQueries, installQueries } from './install-queries.ts'
import { checkMail } from './mail-checks.ts'
import { findNearSettings } from './near-settings.ts'
import { findRegistrationDoubts } from './registration.ts'

export interface ExaminationOptions {
  /** The names of the environment's variables. */
  variables: readonly string[]
  /** Where the service answers that asks this of itself; by default, a running one is looked for. */
  address?: string
  /** Whether to read the whole database and to measure the disk, which takes time from a service. */
  isThorough: boolean
  /** Who gets a test mail. */
  mailTo?: string | undefined
}

/**
 * Looks through an install, and at the service if one runs on it. It changes nothing, and creates no install; in the bucket of a
 * standby it writes a small object, and deletes it.
 */
export async function* examine(
  config: Config,
  { variables, address, isThorough, mailTo }: ExaminationOptions,
): AsyncGenerator<Check> {
  const dataDir = resolve(config.DATA_DIR)
  yield* checkSettings(config, variables)
  yield* checkProxies(config)
  const folder = checkDataFolder(dataDir, address !== undefined)
  yield folder
  const install = await readInstall(dataDir, folder)
  const samples = install.read?.((queries) => queries.listDiskSamples()) ?? []
  const missingBytes = countMissingBytes(partsOf(config))
  const disk = await checkDisk(dataDir, missingBytes, samples, systemClock.now())
  yield disk
  yield* install.checks
  if (install.read) yield checkSecrets(dataDir, config.JWT_SECRET)
  if (isThorough) yield* checkThoroughly(dataDir, install)
  const running = address ?? findService(config, folder)
  if (typeof running === 'object') yield running
  if (typeof running === 'string') yield await checkService(running)
  else {
    yield checkPort(config.HOST, config.PORT)
    // A trial would unpack what the disk has no room for.
    yield disk.state === 'error' && missingBytes > 0
      ? warning(
          'model',
          'It was not tried, for lack of space on the disk',
          'Free space, and run the doctor again',
        )
      : await checkModel(config, dataDir, install)
  }
  yield checkClock(dataDir, systemClock.now())
  const certificate = checkCertificate(config, systemClock.now())
  if (certificate) yield certificate
  const { main } = openEgresses(config)
  if (typeof running === 'string' && config.BASE_URL !== '')
    yield* await checkAddress(config, version, main, systemClock.now)
  yield await checkMail(config, main, mailTo)
  const bucket = await checkBucket(config)
  if (bucket) yield bucket
  yield* checkBackupPlaces(config)
  if (install.read) {
    const hasKey = findRecipient(dataDir) !== undefined
    yield* install.read((queries) => checkWork(queries, config, hasKey))
  }
}

/** A public address without TLS. */
const OPEN = /^http:\/\/(?!localhost|127\.|\[::1\])/

/** The values have been checked when the command line was read. */
function checkSettings(config: Config, variables: readonly string[]): Check[] {
  const near = findNearSettings(variables).map(({ given, meant }) =>
    warning(
      'settings',
      `${given} is set, but no setting has that name; did you mean ${meant}?`,
      `Rename it to ${meant}, or remove it`,
    ),
  )
  const doubts = [
    ...findWarnings(config),
    ...findRegistrationDoubts(config),
    ...(OPEN.test(config.BASE_URL)
      ? ['BASE_URL begins with http: passwords and tokens travel unencrypted. Serve it with https']
      : []),
  ].map((doubt) => {
    const [, text = doubt, cure] = /^(.*?)\. ([^.]+)$/s.exec(doubt) ?? []
    return warning('settings', text, cure ?? cureOf(doubt))
  })
  const all = [...near, ...doubts]
  return all.length === 0 ? [ok('settings', 'Every setting has a valid value')] : all
}

const cureOf = (doubt: string): string =>
  doubt.includes('BASE_URL is empty')
    ? 'Set BASE_URL to the address by which browsers reach the service'
    : 'Set OFFLINE=0, or add the network to FETCH_ALLOW_CIDRS'

/** An install that can be read, or what is wrong with its database. */
interface ReadInstall {
  checks: Check[]
  /** Opens the database for the time of a reading; undefined where that cannot be done. */
  read?: <Result>(work: (queries: InstallQueries) => Result) => Result
}

async function readInstall(dataDir: string, folder: Check): Promise<ReadInstall> {
  if (folder.state !== 'ok' || folder.text.includes('no install')) return { checks: [] }
  const read = <Result>(work: (queries: InstallQueries) => Result): Result => {
    const db = openReadOnly(dataDir)
    try {
      return work(installQueries(db))
    } finally {
      db.close()
    }
  }
  try {
    const schema = read((queries) => checkSchema(queries, schemaVersion))
    // What is read beside the checks, so that a damaged page is found here and ends none of them.
    read((queries) => [queries.listDiskSamples(), queries.findChosenModel()])
    // An older database lacks tables that are read below; the next start brings them.
    const isCurrent = read((queries) => queries.schemaVersion()) === schemaVersion
    return isCurrent ? { checks: [schema], read } : { checks: [schema] }
  } catch (fault) {
    return { checks: [toDatabaseFault(fault)] }
  }
}

const toDatabaseFault = (fault: unknown): Check => checkDamage([(fault as Error).message])

/** Whether a service would take the secrets. */
function checkSecrets(dataDir: string, given: string): Check {
  try {
    const db = openReadOnly(dataDir)
    try {
      const fault = findSecretFault(db, dataDir, systemIds, given)
      if (!fault) return ok('secrets', 'They belong to this install')
      const [text = '', cure = 'Do as the finding says'] = fault.message.split('\n')
      return error('secrets', text.replace(/\.$/, ''), cure)
    } finally {
      db.close()
    }
  } catch (fault) {
    return toDatabaseFault(fault)
  }
}

/** What reads whole files, and so takes its time. */
async function* checkThoroughly(dataDir: string, { read, checks }: ReadInstall): AsyncGenerator<Check> {
  if (checks.length === 0) return
  try {
    const never = new AbortController().signal
    const problems = await findDamage(ownCommand('database-check'), ownEnvironment(), dataDir, never)
    yield checkDamage(problems)
    if (problems.length === 0 && read) {
      yield read(checkVectors)
      yield read((queries) => checkPictures(queries, dataDir))
    }
  } catch (fault) {
    yield toDatabaseFault(fault)
  }
  yield checkDiskSpeed(dataDir, systemClock.monotonic)
}

/** What stores have the service do for them. */
function checkWork(queries: InstallQueries, config: Config, hasKey: boolean): Check[] {
  try {
    const backup = checkBackups(queries, config.BACKUP_EVERY_H, systemClock.now())
    const copies = checkCopies(queries, config.BACKUP_TO, hasKey)
    return [checkWebhooks(queries), checkFeeds(queries), backup, copies].filter(
      (check) => check !== undefined,
    )
  } catch (fault) {
    return [toDatabaseFault(fault)]
  }
}

/** @returns the address of the service on this folder, undefined if none runs, or what is wrong. */
function findService(config: Config, folder: Check): string | Check | undefined {
  if (folder.state === 'error') return undefined
  try {
    return findRunningService(config)
  } catch (fault) {
    return folder.text.includes('no install') ? undefined : toFault('service', fault)
  }
}

/** How long the model may take to load, and the pause between two looks. */
const MODEL_WAIT_MS = 60_000
const MODEL_LOOK_MS = 50

/** Starts the model, whose processes compare known pictures and words with known vectors first. */
async function checkModel(config: Config, dataDir: string, { read }: ReadInstall): Promise<Check> {
  const chosen = config.MODEL_DIR === '' ? read?.((queries) => queries.findChosenModel()) : undefined
  const dir = chosen && findFolder(dataDir, chosen)
  if (chosen && dir === undefined) {
    return error(
      'model',
      `The files of ${chosen.name}, which is in use, are gone or have changed`,
      `Put its folder back as ${join(modelsFolder(dataDir), chosen.name)}`,
    )
  }
  const cure = chosen
    ? `Look at it with "lookalike model check ${chosen.name}", and free memory`
    : config.MODEL_DIR === ''
      ? 'Start the program anew; if that does not help, delete "unpacked" in the data folder, or free memory'
      : 'Check the folder that MODEL_DIR names, or leave MODEL_DIR empty for the bundled model'
  let embedder: Embedder
  try {
    const log = createLog('silent')
    embedder =
      chosen && dir !== undefined
        ? openModel(config, log, { dir, hash: chosen.hash })
        : createConfiguredEmbedder(config, log)
  } catch (fault) {
    return { ...toFault('model', fault), cure }
  }
  try {
    const until = systemClock.monotonic() + MODEL_WAIT_MS
    let status = embedder.status()
    while (status.state === 'starting' && systemClock.monotonic() < until) {
      await Bun.sleep(MODEL_LOOK_MS)
      status = embedder.status()
    }
    if (status.state === 'ready') return ok('model', `${embedder.model.id} has passed its self-test`)
    const reason = status.state === 'failed' ? status.reason : 'it does not get ready'
    return error('model', `${embedder.model.id}: ${reason}`, cure)
  } finally {
    await embedder.close()
  }
}
