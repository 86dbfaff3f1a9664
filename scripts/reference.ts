/**
 * Writes `src/guide/reference.md` (settings, commands, error codes) from the sources, and the table of common settings
 * in README.md: `bun scripts/reference.ts --write`. Without `--write` it prints the reference.
 */
import { join } from 'node:path'
import type { Command } from '../src/commands/command.ts'
import { COMMANDS } from '../src/commands/run.ts'
import { SETTING_NAMES, type SettingName, Settings, toFlag } from '../src/config.ts'
import { ERRORS, type ErrorKind } from '../src/core/errors.ts'

const REFERENCE = join(import.meta.dir, '../src/guide/reference.md')
const README = join(import.meta.dir, '../README.md')
const START = '<!-- settings: written by scripts/reference.ts -->'
const END = '<!-- end of settings -->'

/** The settings that most installs need, in the order of README.md. */
const COMMON: readonly SettingName[] = [
  'HOST',
  'PORT',
  'BASE_URL',
  'DATA_DIR',
  'TRUSTED_PROXIES',
  'REGISTRATION',
  'SMTP_URL',
  'MAIL_FROM',
  'FETCH_ALLOW_CIDRS',
  'OFFLINE',
]

/** Settings as a table in Markdown. */
function settingsTable(names: readonly SettingName[]): string {
  const rows = names.map((name) => [
    `\`${name}\`, \`--${toFlag(name)}\``,
    defaultOf(name),
    Settings.properties[name].description ?? '',
  ])
  return table(['Setting', 'Default', 'Meaning'], rows)
}

function defaultOf(name: SettingName): string {
  if (name === 'INFERENCE_THREADS') return 'cores'
  const value = Settings.properties[name].default
  if (typeof value === 'boolean') return value ? '`1`' : '`0`'
  return value === '' ? 'empty' : `\`${value}\``
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function commandSection({
  name,
  summary,
  positionals = [],
  options = [],
  settings,
  example,
}: Command): string {
  const words = positionals.map((word) => ` ${word}`).join('')
  const own = options.map(({ flag, value, meaning, isRequired }) => [
    `\`--${flag}${value ? ` ${value}` : ''}\``,
    isRequired ? `${meaning} (required)` : meaning,
  ])
  const parts = [`### ${name}`, `\`lookalike ${name}${words}\`: ${summary}.`]
  if (own.length > 0) parts.push(table(['Option', 'Meaning'], own))
  if (settings.length > 0) parts.push(`Settings: ${settingList(settings)}.`)
  parts.push(`\`\`\`sh\n${example}\n\`\`\``)
  return parts.join('\n\n')
}

function settingList(settings: readonly SettingName[]): string {
  const others = SETTING_NAMES.filter((name) => !settings.includes(name))
  if (others.length === 0) return 'all'
  const names = (list: readonly SettingName[]) => list.map((name) => `\`${name}\``).join(', ')
  return others.length < settings.length ? `all but ${names(others)}` : names(settings)
}

function errorSection(): string {
  const errors: readonly [string, ErrorKind][] = Object.entries(ERRORS)
  const rows = errors.map(([code, { status, meaning, advice }]) => [
    String(status),
    `\`${code}\``,
    meaning,
    advice,
  ])
  const reasons = errors.flatMap(([code, { reasons = {} }]) =>
    Object.entries(reasons).map(([reason, { cause, cure }]) => [`\`${code}\``, `\`${reason}\``, cause, cure]),
  )
  return `${table(['Status', 'Code', 'Meaning', 'What to do'], rows)}

### Reasons

Some codes say more in \`details.reason\`:

${table(['Code', 'Reason', 'Cause', 'What to do'], reasons)}`
}

/** The whole of `reference.md`. */
export const reference = (): string => `# Reference

<!-- Written by scripts/reference.ts from the sources; edits here are lost. -->

Every setting, every command and every error code of this version.

## Settings

Each setting comes from a flag, from the environment, or from a file that \`<NAME>_FILE\` names; the flag wins over the
environment, the environment over the file. An empty value counts as not given. A switch such as \`--offline\` may stand
without a value. [Operating](operating.md#secrets) says how to keep secrets out of the process list.

${settingsTable(SETTING_NAMES)}

## Commands

\`lookalike COMMAND --help\` prints the same. Exit codes: 0 done, 1 failed, 2 wrong use.

${COMMANDS.map(commandSection).join('\n\n')}

## Error codes

Every error answer has \`error\` (one of these codes), \`message\` and often \`details\`. Codes never change their meaning;
messages may. The running service explains each at \`/errors/<code>\`, as a page and as JSON.

${errorSection()}
`

/** A text with the table between its marks renewed. @throws Error when the marks are missing. */
export function withCommonSettings(text: string): string {
  const start = text.indexOf(START)
  const end = text.indexOf(END)
  if (start === -1 || end === -1) throw new Error('README.md has lost the marks of the settings table')
  return `${text.slice(0, start)}${START}\n${settingsTable(COMMON)}\n${text.slice(end)}`
}

if (import.meta.main) {
  if (Bun.argv.includes('--write')) {
    await Bun.write(REFERENCE, reference())
    await Bun.write(README, withCommonSettings(await Bun.file(README).text()))
  } else console.log(reference())
}
