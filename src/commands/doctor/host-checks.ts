import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { OperatorError } from '../../core/operator-error.ts'
import { findInstallFiles } from '../../platform/db/install-files.ts'
import { DATABASE_FILE } from '../../platform/db/open.ts'
import { readFreeDisk } from '../../platform/disk.ts'
import { commit } from '../../version.ts'
import { readReadiness } from '../healthcheck.ts'
import { explainListening } from '../service/addresses.ts'
import { type Check, failed, ok, warning } from './check.ts'

/** Looks at the data folder without opening its database, which would migrate it. */
export function checkDataFolder(dataDir: string): Check {
  const name = 'folder'
  const place = findExisting(dataDir)
  try {
    accessSync(place, constants.R_OK | constants.W_OK | constants.X_OK)
    const { hasDatabase, others } = findInstallFiles(dataDir)
    if (hasDatabase) return ok(name, `${dataDir} holds an install`)
    if (others.length > 0)
      return failed(name, `${dataDir} has lost its database beside ${others.join(' and ')}: restore a backup`)
    return ok(name, `${dataDir} holds no install yet; "lookalike serve" and "lookalike setup" create one`)
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    return failed(name, `${place} cannot be read and written (${code}): check that it belongs to this user`)
  }
}

/** The folder itself, or the nearest one above it that exists. */
function findExisting(folder: string): string {
  let place = resolve(folder)
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place)
  return place
}

const MB = 1_000_000

/** Below this share of the disk the service says that it is not ready. */
const SHARE_MIN = 0.05

/** @param neededBytes what the next start unpacks. */
export async function checkDisk(dataDir: string, neededBytes: number): Promise<Check> {
  const { freeBytes, share } = await readFreeDisk(findExisting(dataDir))
  const free = `${Math.floor(freeBytes / MB)} MB are free`
  if (freeBytes < neededBytes)
    return failed('disk', `${free}, and the first start unpacks ${Math.ceil(neededBytes / MB)} MB`)
  if (share < SHARE_MIN) return warning('disk', `${free}, less than ${SHARE_MIN * 100} % of the disk`)
  return ok('disk', free)
}

/** Tries to listen for a moment. */
export function checkPort(host: string, port: number): Check {
  try {
    const listener = Bun.listen({ hostname: host, port, exclusive: true, socket: { data() {} } })
    listener.stop(true)
    return ok('port', port === 0 ? `${host} can be listened on` : `${host}:${port} is free`)
  } catch (error) {
    return failed('port', `Cannot listen on ${host}:${port}: ${explainListening(error, port)}`)
  }
}

/** A clock may be that much behind the one that wrote a file. */
const CLOCK_TOLERANCE_MS = 60_000

/** Sign-ins, codes and links count on the clock. @param now Unix ms. */
export function checkClock(dataDir: string, now: number): Check {
  const time = new Date(now).toISOString()
  const built = Date.parse(commit.date)
  if (now < built)
    return failed('clock', `The clock says ${time}, before this program was made (${commit.date})`)
  const written = statSync(join(dataDir, DATABASE_FILE), { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (now + CLOCK_TOLERANCE_MS < written)
    return failed('clock', `The clock says ${time}, before the last change of the database: set it right`)
  return ok('clock', time)
}

/** Asks a running service how it is. @param address where it answers on this machine. */
export async function checkService(address: string): Promise<Check> {
  try {
    const { isReady, faults } = await readReadiness(address)
    return isReady
      ? ok('service', `It runs at ${address} and is ready`)
      : failed('service', `It runs at ${address} and is not ready: ${faults.join('; ')}`)
  } catch {
    return failed('service', `It runs, but ${address} does not answer as it should`)
  }
}

/** Explains why no service was found. @throws any error that is not a fault of the install. */
export function toFault(name: string, error: unknown): Check {
  if (error instanceof OperatorError) return failed(name, error.message)
  throw error
}
