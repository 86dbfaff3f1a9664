import { resolve } from 'node:path'
import type { Config, SettingName, ShownSetting } from '../../config.ts'
import { wrongInput } from '../../core/operator-error.ts'
import { parseUnitFile } from '../cli/unit-file.ts'
import { PATHS } from './unit.ts'

/** Makes the paths among the settings absolute. A data folder that nobody has chosen is that of the unit. */
export function settleConfig(config: Config, settings: readonly ShownSetting[], dataDir: string): Config {
  const isChosen = settings.some(({ name, source }) => name === 'DATA_DIR' && source !== 'default')
  // The service runs in another folder than the command.
  const settle = (value: string): string =>
    value === '' || value.startsWith('s3://') ? value : resolve(value)
  const paths = PATHS.map((name) => [name, settle(String(config[name]))])
  return { ...config, ...Object.fromEntries(paths), DATA_DIR: isChosen ? resolve(config.DATA_DIR) : dataDir }
}

/**
 * Writes the settings of the service as systemd reads them. What the file has already stays: comments, settings that this command does
 * not name, and variables that are no settings.
 *
 * @param before the file as it is, or an empty text.
 * @throws OperatorError for a value that no line can hold.
 */
export function formatSettingsFile(
  config: Config,
  settings: readonly ShownSetting[],
  before: string,
): string {
  const known = parseUnitFile(before)
  const given = settings
    .filter(({ name, source }) => source !== 'default' || name === 'DATA_DIR')
    // The file names another one, which holds the value.
    .filter(({ name, source }) => !(source === 'file' && known[`${name}_FILE`]))
    .map(({ name }) => [name, String(config[name as SettingName])] as const)
    .filter(([name, value]) => known[name] !== value)
  const replaced = new Set(given.flatMap(([name]) => [name, `${name}_FILE`]))
  const kept = joinLines(before).filter((line) => !replaced.has(line.slice(0, line.indexOf('=')).trim()))
  const head =
    before === ''
      ? ['# Settings of the service, one a line. Restart it after a change: systemctl restart lookalike']
      : []
  return [...head, ...kept, ...given.map(([name, value]) => `${name}=${quoteValue(name, value)}`), ''].join(
    '\n',
  )
}

/** The lines of a file; one that goes on behind a backslash stays whole. */
const joinLines = (text: string): string[] => {
  const lines = text.match(/(?:[^\\\n]|\\[\s\S]|\\$)*(?:\n|$)/g) ?? []
  return lines.map((line) => line.replace(/\r?\n$/, '')).filter((line) => line !== '')
}

/** Values that need no quotes. */
const PLAIN = /^[\w./:@,+=-]*$/

function quoteValue(name: string, value: string): string {
  if (/\p{Cc}/u.test(value)) {
    throw wrongInput(
      `${name} has a line break or a control character, which the file of settings cannot hold: put it into a file and name that with ${name}_FILE.`,
    )
  }
  return PLAIN.test(value) ? value : `"${value.replace(/["\\$`]/g, '\\$&')}"`
}
