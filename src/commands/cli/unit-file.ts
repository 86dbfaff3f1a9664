import { readFileSync } from 'node:fs'
import { SETTING_NAMES } from '../../config.ts'
import { listSettingsFiles } from '../systemd/places.ts'

type Env = Readonly<Record<string, string | undefined>>

/** A file with more characters than this is not one of settings. */
const CHARS_MAX = 64 * 1024

/** Commands that have an install of their own, or none. */
const APART: ReadonlySet<string> = new Set(['demo', 'openapi', 'licences', 'version', 'help'])

/**
 * Gives the commands on this machine the settings of the unit's service (`EnvironmentFile`), so that they find its folder.
 *
 * @param env receives the unit's settings.
 * @param paths the files that may hold them, the first that exists counts.
 * @returns what to tell whoever may not read the file, if the command finds no install.
 */
export function useUnitSettings(
  argv: readonly string[],
  env: Record<string, string | undefined>,
  paths: readonly string[] = listSettingsFiles(env, process.getuid?.()),
): string | undefined {
  if (APART.has(argv[0] ?? 'help')) return undefined
  for (const path of paths) {
    try {
      const text = readFileSync(path, 'utf8')
      if (text.length <= CHARS_MAX) Object.assign(env, addUnitSettings(env, parseUnitFile(text)))
      return undefined
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EACCES' || code === 'EPERM')
        return `${path} holds the settings of the service, but this user may not read it: run the command with sudo.`
    }
  }
  return undefined
}

/**
 * Chooses the settings of the unit that the environment does not have. A setting of the environment also stands for the file of
 * the same setting, and the other way round.
 */
function addUnitSettings(env: Env, unit: Env): Record<string, string> {
  const added: Record<string, string> = {}
  for (const name of SETTING_NAMES) {
    if (env[name] || env[`${name}_FILE`]) continue
    for (const each of [name, `${name}_FILE`]) {
      const value = unit[each]
      if (value) added[each] = value
    }
  }
  return added
}

/**
 * Reads assignments as systemd does: one a line, comments behind `#` or `;` at its beginning, values in single or double
 * quotes or none. Source: systemd.exec(5), `EnvironmentFile=`. Lines that go on behind a backslash are joined.
 */
export function parseUnitFile(text: string): Env {
  const values: Record<string, string> = {}
  for (const line of text.replace(/\\\r?\n/g, ' ').split(/\r?\n/)) {
    const bare = line.trim()
    const end = bare.indexOf('=')
    if (end < 1 || bare.startsWith('#') || bare.startsWith(';')) continue
    const name = bare.slice(0, end).trim()
    if (/^[A-Z][A-Z0-9_]*$/.test(name)) values[name] = unquote(bare.slice(end + 1).trim())
  }
  return values
}

function unquote(value: string): string {
  const quote = value[0]
  const isQuoted = value.length > 1 && (quote === '"' || quote === "'") && value.endsWith(quote)
  if (!isQuoted) return value
  const inner = value.slice(1, -1)
  return quote === '"' ? inner.replace(/\\(["\\$`])/g, '$1') : inner
}
