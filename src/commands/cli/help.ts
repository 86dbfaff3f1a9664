import { type SettingName, Settings, toFlag } from '../../config.ts'
import type { Command } from './command.ts'
import type { CommandGroup } from './run.ts'

/** Widest text, in columns: longer lines are hard to read. */
const COLUMNS_MAX = 120

/** Narrowest column of meanings; where less is left, each meaning gets a line of its own. */
const MEANING_COLUMNS_MIN = 32

/** Columns of the terminal that shows the output, or 80 where it goes elsewhere. */
export const readColumns = (out: { columns?: number } = process.stdout): number =>
  Math.min(out.columns || 80, COLUMNS_MAX)

/**
 * Formats the text of `lookalike <command> --help`.
 *
 * @param all whether to list every setting, also those that few people need.
 */
export function formatHelp(command: Command, columns = readColumns(), all = false): string {
  const words = (command.positionals ?? []).map((word) => ` ${word}`).join('')
  const shown = all ? command.settings : (command.essentials ?? command.settings)
  const own = (command.options ?? []).map(({ flag, value, meaning, isRequired }) => [
    `--${flag}${value ? ` ${value}` : ''}`,
    isRequired ? `${meaning} (required)` : meaning,
  ])
  const blocks = [wrap(`lookalike ${command.name}${words}: ${command.summary}`, columns)]
  if (own.length > 0) blocks.push(`Options\n${formatRows(own, columns)}`)
  if (shown.length > 0) {
    const rows = formatRows(shown.map(describeSetting), columns)
    blocks.push(`Settings, as flags or from the environment\n${rows}`)
  }
  if (shown.length < command.settings.length) {
    const others = command.settings.length - shown.length
    blocks.push(wrap(`${others} more settings apply: lookalike ${command.name} --help --all`, columns))
  }
  blocks.push(`Example\n  ${command.example}`)
  return blocks.join('\n\n')
}

function describeSetting(name: SettingName): string[] {
  const setting = Settings.properties[name]
  const value = { integer: ' N', boolean: '', string: ' VALUE' }[setting.type]
  const meaning = (setting.description ?? '').replaceAll('`', '')
  return [`--${toFlag(name)}${value}`, `${meaning} [${name}${formatDefault(name)}]`]
}

/** Nothing for an empty default, and for one that the meaning tells. */
function formatDefault(name: SettingName): string {
  const { default: value, description = '' } = Settings.properties[name]
  if (value === '' || / Default: /.test(description)) return ''
  return `, default ${typeof value === 'boolean' ? Number(value) : value}`
}

/** Formats the list of commands. */
export function formatCommands(commands: readonly Command[], columns = readColumns()): string {
  return formatRows(
    commands.map(({ name, summary }) => [name, summary]),
    columns,
  )
}

/** Formats the list of all commands under the titles of their groups, with one width of columns for all of them. */
export function formatGroups(groups: readonly CommandGroup[], columns = readColumns()): string {
  const width = Math.max(...groups.flatMap(({ commands }) => commands.map(({ name }) => name.length)))
  return groups
    .map(({ title, commands }) => {
      const rows = commands.map(({ name, summary }) => [name.padEnd(width), summary])
      return `${title}\n${formatRows(rows, columns)}`
    })
    .join('\n\n')
}

/** Formats two columns; the second one is wrapped. */
function formatRows(rows: readonly (readonly string[])[], columns: number): string {
  const width = Math.max(...rows.map(([left = '']) => left.length))
  const isNarrow = columns - width - 4 < MEANING_COLUMNS_MIN
  const indent = isNarrow ? 6 : width + 4
  return rows
    .map(([left = '', right = '']) => {
      const lines = wrap(right, columns - indent).split('\n')
      const first = isNarrow ? `  ${left}\n${' '.repeat(indent)}` : `  ${left.padEnd(width)}  `
      return first + lines.join(`\n${' '.repeat(indent)}`)
    })
    .join('\n')
}

/**
 * Breaks the long lines of a text where a terminal shows it; a program that reads the output gets them whole.
 *
 * @param indent of the lines that follow the first.
 */
export function wrapForTerminal(text: string, indent = 0, columns = process.stdout.columns): string {
  if (!columns) return text
  const next = `\n${' '.repeat(indent)}`
  const fit = (line: string) =>
    line.length <= columns ? line : wrap(line, columns - indent).replaceAll('\n', next)
  return text.split('\n').map(fit).join('\n')
}

/** Breaks a text between words into lines of at most `columns` characters; a longer word keeps a line of its own. */
export function wrap(text: string, columns: number): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].join('\n')
}
