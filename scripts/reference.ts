/**
 * Writes `src/guide/reference.md` (settings, commands, error codes) from the sources, and the table of common settings
 * in README.md: `bun scripts/reference.ts --write`. Without `--write` it prints the reference.
 */
import { join } from 'node:path'
import type { Command } from '../src/commands/cli/command.ts'
import { COMMANDS } from '../src/commands/cli/run.ts'
import { SETTING_NAMES, type SettingName, Settings, toFlag } from '../src/config.ts'
import { ERRORS, type ErrorKind } from '../src/core/errors.ts'
import { unpackDirVariable } from '../src/platform/native/unpack-base.ts'

const REFERENCE = join(import.meta.dir, '../src/guide/reference.md')
const README = join(import.meta.dir, '../README.md')
const START = '<!-- settings: written by scripts/reference.ts -->'
const END = '<!-- end of settings -->'

/** The settings that most installs need, in the order of the README. */
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

/** Formats settings as a table in Markdown. */
function formatSettings(names: readonly SettingName[]): string {
  const rows = names.map((name) => [
    `\`${name}\`, \`--${toFlag(name)}\``,
    formatDefault(name),
    Settings.properties[name].description ?? '',
  ])
  return formatTable(['Setting', 'Default', 'Meaning'], rows)
}

function formatDefault(name: SettingName): string {
  if (name === 'INFERENCE_THREADS') return 'cores'
  const value = Settings.properties[name].default
  if (typeof value === 'boolean') return value ? '`1`' : '`0`'
  return value === '' ? 'empty' : `\`${value}\``
}

function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function formatCommand({
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
  if (own.length > 0) parts.push(formatTable(['Option', 'Meaning'], own))
  if (settings.length > 0) parts.push(`Settings: ${formatSettingList(settings)}.`)
  parts.push(`\`\`\`sh\n${example}\n\`\`\``)
  return parts.join('\n\n')
}

function formatSettingList(settings: readonly SettingName[]): string {
  const others = SETTING_NAMES.filter((name) => !settings.includes(name))
  if (others.length === 0) return 'all'
  const names = (list: readonly SettingName[]) => list.map((name) => `\`${name}\``).join(', ')
  return others.length < settings.length ? `all except ${names(others)}` : names(settings)
}

function formatErrors(): string {
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
  return `${formatTable(['Status', 'Code', 'Meaning', 'What to do'], rows)}

### Reasons

Some codes say more in \`details.reason\`:

${formatTable(['Code', 'Reason', 'Cause', 'What to do'], reasons)}`
}

/** Formats the whole text of `reference.md`. */
export const formatReference = (): string => `# Reference

<!-- Written by scripts/reference.ts from the sources; edits here are lost. -->

Every setting, every command and every error code of this version.

## Settings

Each setting comes from a flag, from the environment, or from a file that \`<NAME>_FILE\` names. The flag overrides the
environment, and the environment overrides the file. An empty value counts as missing. A switch such as \`--offline\`
needs no value. [Operating](operating.md#secrets) explains how to keep secrets out of the process list.

${formatSettings(SETTING_NAMES)}

Two variables are no settings, and have no flag: \`${unpackDirVariable}\` names the folder for the unpacked parts of the executable, for
example where the data folder is mounted \`noexec\`; \`NO_COLOR\` keeps colours out of the log on a terminal.

## Commands

\`lookalike COMMAND --help\` prints the same. Exit codes: 0 success, 1 failure, 2 wrong usage.

${COMMANDS.map(formatCommand).join('\n\n')}

## Error codes

Every error answer has \`error\` (one of these codes), \`message\` and often \`details\`. Codes never change their meaning;
messages may. The running service explains each code at \`/errors/<code>\`, as a page and as JSON.

${formatErrors()}
`

/** Renews the table between the marks of a text. @throws Error if the marks are missing. */
export function renewCommonSettings(text: string): string {
  const start = text.indexOf(START)
  const end = text.indexOf(END)
  if (start === -1 || end === -1) throw new Error('README.md lacks the marks of the settings table')
  return `${text.slice(0, start)}${START}\n${formatSettings(COMMON)}\n${text.slice(end)}`
}

if (import.meta.main) {
  if (Bun.argv.includes('--write')) {
    await Bun.write(REFERENCE, formatReference())
    await Bun.write(README, renewCommonSettings(await Bun.file(README).text()))
  } else console.log(formatReference())
}
