import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { OperatorError } from '../../core/operator-error.ts'
import { findInstallFiles } from '../../platform/db/install-files.ts'
import { DATABASE_FILE } from '../../platform/db/open.ts'
import { loadDatabaseLibrary } from '../../platform/db/read-only.ts'
import { commit } from '../../version.ts'
import { readReadiness } from '../healthcheck.ts'
import { explainListening } from '../service/addresses.ts'
import { type Check, error, ok } from './check.ts'

/**
 * Looks at the data folder without opening its database, which would migrate it.
 *
 * @param isServing whether this process has the database open: to read the file and close it would drop the locks of the process on it (fcntl(2)).
 */
export function checkDataFolder(dataDir: string, isServing = false): Check {
  const name = 'folder'
  const place = findExisting(dataDir)
  try {
    accessSync(place, constants.R_OK | constants.W_OK | constants.X_OK)
    const { hasDatabase, others } =
      isServing && existsSync(join(dataDir, DATABASE_FILE))
        ? { hasDatabase: true, others: [] }
        : findInstallFiles(dataDir)
    if (hasDatabase) return ok(name, `${dataDir} holds an install`)
    if (others.length > 0)
      return error(
        name,
        `${dataDir} has lost its database beside ${others.join(' and ')}`,
        'Restore a backup, or move what is left elsewhere to start afresh',
      )
    // Nothing else of the doctor opens a database then.
    loadDatabaseLibrary()
    return ok(name, `${dataDir} holds no install yet; "lookalike serve" and "lookalike setup" create one`)
  } catch (fault) {
    const { code = 'unknown error' } = fault as NodeJS.ErrnoException
    return error(
      name,
      `${place} cannot be read and written (${code})`,
      'Run the doctor as the user of the service, and check that the folder belongs to that user',
    )
  }
}

/** The folder itself, or the nearest one above it that exists. */
export function findExisting(folder: string): string {
  let place = resolve(folder)
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place)
  return place
}

/** Tries to listen for a moment. */
export function checkPort(host: string, port: number): Check {
  try {
    const listener = Bun.listen({ hostname: host, port, exclusive: true, socket: { data() {} } })
    listener.stop(true)
    return ok('port', port === 0 ? `${host} can be listened on` : `${host}:${port} is free`)
  } catch (fault) {
    // The explanation ends with what to do.
    const [reason = '', cure = 'Choose another with --host or --port'] = explainListening(fault, port).split(
      /\. /,
    )
    return error('port', `Cannot listen on ${host}:${port}: ${reason}`, cure.replace(/\.$/, ''))
  }
}

/** A clock may be that much behind the one that wrote a file. */
const CLOCK_TOLERANCE_MS = 60_000

const SET_CLOCK = 'Set it right, and keep it so with NTP (timedatectl set-ntp true)'

/** Sign-ins, codes and links count on the clock. @param now Unix ms. */
export function checkClock(dataDir: string, now: number): Check {
  const time = new Date(now).toISOString()
  const built = Date.parse(commit.date)
  if (now < built)
    return error('clock', `The clock says ${time}, before this program was made (${commit.date})`, SET_CLOCK)
  const written = readChange(join(dataDir, DATABASE_FILE))
  if (now + CLOCK_TOLERANCE_MS < written)
    return error('clock', `The clock says ${time}, before the last change of the database`, SET_CLOCK)
  return ok('clock', time)
}

/** @returns Unix ms; 0 where there is no file, or none that may be looked at, which another finding tells. */
function readChange(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  } catch {
    return 0
  }
}

const READ_LOG = 'The other findings and the log of the service tell why; a restart helps where it hangs'

/** Asks a running service how it is. @param address where it answers on this machine. */
export async function checkService(address: string): Promise<Check> {
  try {
    const { isReady, faults } = await readReadiness(address)
    return isReady
      ? ok('service', `It runs at ${address} and is ready`)
      : error('service', `It runs at ${address} and is not ready: ${faults.join('; ')}`, READ_LOG)
  } catch {
    return error('service', `It runs, but ${address} does not answer as it should`, READ_LOG)
  }
}

/** Explains why no service was found. @throws any error that is not a fault of the install. */
export function toFault(name: string, fault: unknown): Check {
  if (fault instanceof OperatorError) return error(name, fault.message, 'Do as the finding says')
  throw fault
}
