import { join } from 'node:path'

/** Where a unit of systemd and what belongs to it lie. */
export interface UnitPlaces {
  unit: string
  /** The settings of its service (`EnvironmentFile=`). */
  settings: string
  executable: string
  dataDir: string
}

/** The name of the unit, and of the user that the service of the machine runs as. */
export const UNIT_NAME = 'lookalike'

/** The package of Debian: its program, and the list by which dpkg knows that it is installed. */
export const DEBIAN_PACKAGE = {
  executable: '/usr/bin/lookalike',
  list: '/var/lib/dpkg/info/lookalike.list',
} as const

type Env = Readonly<Record<string, string | undefined>>

/** The places of the service of the whole machine. */
export const SYSTEM_PLACES: UnitPlaces = {
  unit: `/etc/systemd/system/${UNIT_NAME}.service`,
  settings: '/etc/lookalike/env',
  executable: '/usr/local/bin/lookalike',
  dataDir: '/var/lib/lookalike',
}

/** The places of a user's own service. @returns undefined for a user without a home. */
export function userPlaces({ HOME, XDG_CONFIG_HOME, XDG_DATA_HOME }: Env): UnitPlaces | undefined {
  if (!HOME?.startsWith('/')) return undefined
  const config = XDG_CONFIG_HOME?.startsWith('/') ? XDG_CONFIG_HOME : join(HOME, '.config')
  const data = XDG_DATA_HOME?.startsWith('/') ? XDG_DATA_HOME : join(HOME, '.local/share')
  return {
    unit: join(config, `systemd/user/${UNIT_NAME}.service`),
    settings: join(config, 'lookalike/env'),
    executable: join(HOME, '.local/bin/lookalike'),
    dataDir: join(data, 'lookalike'),
  }
}

/**
 * The files in which the commands of a user look for the settings of a service, the first one first. Root reads no file of a user:
 * a setting can name native code.
 */
export function listSettingsFiles(env: Env, uid: number | undefined): string[] {
  const own = uid === 0 ? undefined : userPlaces(env)
  return [...(own ? [own.settings] : []), SYSTEM_PLACES.settings]
}
