import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../../config.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { isServed } from '../../platform/db/instance-lock.ts'
import { parseUnitFile } from '../cli/unit-file.ts'
import type { ServiceVersion } from '../healthcheck.ts'
import { formatAddress } from '../service/addresses.ts'
import { toLocalHost } from '../service/local-host.ts'
import type { UnitHost } from '../systemd/host.ts'
import { systemctl, type Unit } from '../systemd/install.ts'
import { UNIT_NAME } from '../systemd/places.ts'
import { type Surroundings, tryService, waitUntilReady } from './program.ts'

/** What runs the program that is upgraded. */
export interface Site {
  /** The file of the program. */
  installed: string
  /** Starts what lies at `installed` on the data folder until it is ready. @throws OperatorError if it does not become so. */
  start(limitMs: number, stop: AbortSignal): Promise<ServiceVersion>
  /** Stops the service, if it runs. */
  stop(): void
  /** Whether systemd runs it, which goes on after the command. */
  isManaged: boolean
}

/**
 * Finds the service of systemd that serves a data folder; without one, the program that runs this command is upgraded.
 *
 * @throws OperatorError while the folder is served by something that this command must not stop.
 */
export function findSite(unit: Unit | undefined, config: Config, host: UnitHost, around: Surroundings): Site {
  const managed = unit && servesFolder(unit, around.dataDir, host) ? unit : undefined
  if (managed) return siteOfUnit(managed, config, host)
  if (isServed(around.dataDir)) {
    throw new OperatorError(
      `A service uses ${around.dataDir} that "lookalike service install" did not set up, so this command can neither stop nor start it. Stop it yourself, run the command again, and start it. Nothing was changed.`,
    )
  }
  if (host.executable === undefined)
    throw new OperatorError('Only an installed executable can be upgraded; this one runs from its sources.')
  const installed = realpathSync(host.executable)
  return {
    installed,
    start: (limitMs, stop) => tryService(installed, { ...around, stop }, limitMs),
    stop: () => {},
    isManaged: false,
  }
}

function servesFolder({ isOfUser, places }: Unit, dataDir: string, host: UnitHost): boolean {
  if (!existsSync(places.unit) || !host.isManaged(isOfUser)) return false
  if (!isOfUser && host.uid !== 0)
    throw new OperatorError('Only root may upgrade the service of the machine: run the command with sudo.')
  const settings = existsSync(places.settings) ? readFileSync(places.settings, 'utf8') : ''
  return resolve(parseUnitFile(settings)['DATA_DIR'] ?? places.dataDir) === dataDir
}

function siteOfUnit(unit: Unit, config: Config, host: UnitHost): Site {
  const found = /^ExecStart=(?:"([^"]+)"|(\S+))/m.exec(readFileSync(unit.places.unit, 'utf8'))
  const path = (found?.[1] ?? found?.[2])?.replaceAll('%%', '%')
  if (path === undefined || !existsSync(path))
    throw new OperatorError(
      `${unit.places.unit} names no program that exists: run "lookalike service install".`,
    )
  const ask = (...words: string[]) => host.run(systemctl(unit, ...words))
  const address = formatAddress({ ...config, HOST: toLocalHost(config.HOST) })
  return {
    installed: realpathSync(path),
    async start(limitMs, stop) {
      ask('reset-failed', UNIT_NAME)
      const { code, said } = ask('start', '--no-block', UNIT_NAME)
      if (code !== 0) throw new OperatorError(said)
      return await waitUntilReady([address], stop, limitMs, () =>
        ask('is-failed', '--quiet', UNIT_NAME).code === 0
          ? `the service failed: journalctl -u ${UNIT_NAME}`
          : undefined,
      )
    },
    stop() {
      const { code, said } = ask('stop', UNIT_NAME)
      if (code !== 0) throw new OperatorError(`The service does not stop: ${said}`)
    },
    isManaged: true,
  }
}
