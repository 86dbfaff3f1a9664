import { existsSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import type { Config, ShownSetting } from '../../config.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { findInstallFiles } from '../../platform/db/install-files.ts'
import { replaceByCopy, replaceFile } from '../../platform/replace-file.ts'
import type { UnitHost } from './host.ts'
import { UNIT_NAME, type UnitPlaces } from './places.ts'
import { formatSettingsFile, settleConfig } from './settings-file.ts'
import { formatUnit } from './unit.ts'

/** A service of systemd: of the machine, or of one user. */
export interface Unit {
  isOfUser: boolean
  places: UnitPlaces
}

/** Only systemd and root read the settings. */
const SETTINGS_MODE = 0o600
const UNIT_MODE = 0o644
const EXECUTABLE_MODE = 0o755

/** The unit as `service install` writes it. */
export function printUnit(
  unit: Unit,
  config: Config,
  settings: readonly ShownSetting[],
  host: UnitHost,
): string {
  const { isOfUser, places } = unit
  const settled = settleConfig(config, settings, places.dataDir)
  return formatUnit({
    isOfUser,
    places: { ...places, executable: placeExecutable(unit, host) },
    config: settled,
  })
}

/**
 * Makes what a service needs, starts it and waits until it is ready. It can be run again, with other settings or as another version.
 *
 * @throws OperatorError
 */
export function installUnit(
  unit: Unit,
  config: Config,
  settings: readonly ShownSetting[],
  host: UnitHost,
): void {
  demandManager(unit, host)
  const { isOfUser, places } = unit
  const settled = settleConfig(config, settings, places.dataDir)
  const executable = placeExecutable(unit, host)
  if (host.executable === undefined) {
    throw new OperatorError(
      'Only the executable can be installed: make it with "bun build.ts", then run dist/lookalike service install.',
    )
  }
  const { DATA_DIR: dataDir } = settled
  const text = formatSettingsFile(settled, settings, readText(places.settings))
  demandOwnFolder(dataDir)
  if (executable !== host.executable) replaceByCopy(executable, host.executable, EXECUTABLE_MODE)
  if (!isOfUser) makeUser(dataDir, host)
  runOrFail(host, makeFolder(unit, dataDir))
  // The files of an install that somebody ran by hand become the service's.
  if (!isOfUser && findInstallFiles(dataDir).hasDatabase) {
    runOrFail(host, ['chown', '-R', `${UNIT_NAME}:${UNIT_NAME}`, dataDir])
  }
  const { BACKUP_DIR: backupDir } = settled
  // One that exists keeps its owner: other things may lie there.
  if (backupDir !== '' && !existsSync(backupDir)) runOrFail(host, makeFolder(unit, backupDir))
  replaceFile(places.settings, text, SETTINGS_MODE)
  replaceFile(
    places.unit,
    formatUnit({ isOfUser, places: { ...places, executable }, config: settled }),
    UNIT_MODE,
  )
  runOrFail(host, systemctl(unit, 'daemon-reload'))
  runOrFail(host, systemctl(unit, 'enable', '--quiet', UNIT_NAME))
  start(unit, host)
}

/** Stops a service and removes its unit; the data, the settings and the executable stay. @returns false if there was none. */
export function uninstallUnit(unit: Unit, host: UnitHost): boolean {
  demandManager(unit, host)
  if (!existsSync(unit.places.unit)) return false
  runOrFail(host, systemctl(unit, 'disable', '--now', '--quiet', UNIT_NAME))
  rmSync(unit.places.unit)
  runOrFail(host, systemctl(unit, 'daemon-reload'))
  return true
}

export const systemctl = ({ isOfUser }: Pick<Unit, 'isOfUser'>, ...words: string[]): string[] => [
  'systemctl',
  ...(isOfUser ? ['--user'] : []),
  ...words,
]

function demandManager({ isOfUser }: Unit, { uid, isManaged }: UnitHost): void {
  if (!isManaged(isOfUser)) {
    throw new OperatorError(
      isOfUser
        ? 'systemd does not run services of this user here: sign in as that user (not by su or sudo), or install a service of the machine without --user.'
        : 'systemd does not run here: run "lookalike serve" under what starts services on this machine, or write the unit for another one with --print.',
    )
  }
  if (!isOfUser && uid !== 0)
    throw new OperatorError(
      'Only root may change the services of the machine: run the command with sudo, or with --user for a service of your own.',
    )
  if (isOfUser && uid === 0)
    throw new OperatorError(
      '--user is for a service of a user other than root: run the command as that user, or without --user.',
    )
}

/** A program that lies where the system keeps programs stays there; from anywhere else it is copied. */
function placeExecutable({ places }: Unit, { executable }: UnitHost): string {
  if (executable === undefined) return places.executable
  const isSettled = /^\/(usr|opt)\//.test(executable)
  const isSame = existsSync(places.executable) && realpathSync(places.executable) === realpathSync(executable)
  return isSettled || isSame ? executable : places.executable
}

const readText = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '')

/** Refuses a folder that holds something else: its owner is about to change. */
function demandOwnFolder(dataDir: string): void {
  const { hasDatabase, others } = findInstallFiles(dataDir)
  if (hasDatabase || others.length > 0 || !existsSync(dataDir)) return
  const strange = readdirSync(dataDir).find((name) => name !== 'unpacked')
  if (strange !== undefined)
    throw new OperatorError(
      `${dataDir} is not empty and holds no install (it has ${JSON.stringify(strange)}): choose another folder with --data-dir.`,
    )
}

function makeUser(home: string, host: UnitHost): void {
  if (host.run(['id', '-u', UNIT_NAME]).code === 0) return
  const kind = ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin']
  runOrFail(host, ['useradd', ...kind, '--home-dir', home, UNIT_NAME])
}

const makeFolder = ({ isOfUser }: Unit, folder: string): string[] => [
  ...['install', '-d', '-m', '700'],
  ...(isOfUser ? [] : ['-o', UNIT_NAME, '-g', UNIT_NAME]),
  folder,
]

function start(unit: Unit, host: UnitHost): void {
  const { code, said } = host.run(systemctl(unit, 'restart', UNIT_NAME))
  if (code === 0) return
  const journal = ['journalctl', ...(unit.isOfUser ? ['--user'] : []), '-u', UNIT_NAME]
  const { said: lines } = host.run([...journal, '-n', '8', '-o', 'cat', '--no-pager'])
  throw new OperatorError(
    `The service is installed, but it did not start: look with "${journal.join(' ')}", mend ${unit.places.settings}, and run "${systemctl(unit, 'restart', UNIT_NAME).join(' ')}".\n${lines || said}`,
  )
}

function runOrFail({ run }: UnitHost, words: readonly string[]): void {
  const { code, said } = run(words)
  if (code !== 0) throw new OperatorError(`"${words.join(' ')}" failed: ${said || `exit code ${code}`}`)
}
