import { readFileSync } from 'node:fs'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { type Config, loadConfig, SETTING_NAMES, Settings, toFlag } from '../config.ts'
import { wrongUsage } from '../core/operator-error.ts'

type Env = Readonly<Record<string, string | undefined>>

/** One subcommand of `lookalike`. */
export interface Command {
  /** The words after `lookalike`: `key create`. */
  name: string
  /** One line for the list of commands. */
  summary: string
  /** Its own options, without the settings. */
  options?: readonly { flag: string; value?: string; meaning: string; isRequired?: boolean }[]
  /** Names of the words after the command; one in brackets, at the end, may be left out. */
  positionals?: readonly string[]
  /** Settings that apply; each is also a flag. */
  settings: readonly (keyof Config)[]
  example: string
  /** @returns the exit code: 0, or 1 for a failure that it has reported. */
  run(call: Call): Promise<number>
}

/** A parsed command line. */
export interface Call {
  config: Config
  /** Values by flag; that of a switch is 'true'. */
  options: Readonly<Record<string, string | undefined>>
  positionals: readonly string[]
}

/** Parses the command line of a command. @throws OperatorError */
export function parseCall(command: Command, argv: readonly string[], env: Env): Call {
  const options = Object.fromEntries([
    ...command.settings.map((name) => [toFlag(name), { type: 'string' as const }]),
    ...(command.options ?? []).map(({ flag, value }) => [
      flag,
      { type: value ? ('string' as const) : ('boolean' as const) },
    ]),
  ]) satisfies NonNullable<ParseArgsConfig['options']>
  const { values, positionals } = parseWords(addSwitchValues(argv), options)
  const expected = command.positionals ?? []
  const least = expected.filter((word) => !word.startsWith('[')).length
  if (positionals.length < least || positionals.length > expected.length) {
    const takes = expected.length === 0 ? 'no arguments' : expected.join(' ')
    const got =
      positionals.length === 0 ? 'got none' : `got ${positionals.map((word) => `"${word}"`).join(', ')}`
    throw wrongUsage(`lookalike ${command.name} takes ${takes}, but ${got}`)
  }
  for (const { flag, isRequired } of command.options ?? []) {
    if (isRequired && values[flag] === undefined) throw wrongUsage(`--${flag} is missing`)
  }
  const given = Object.fromEntries(Object.entries(values).map(([flag, value]) => [flag, String(value)]))
  const config = loadConfig(env, given, (path) => readFileSync(path, 'utf8'))
  return { config, options: given, positionals }
}

function parseWords(args: string[], options: NonNullable<ParseArgsConfig['options']>) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true })
  } catch (error) {
    const message =
      error instanceof Error ? (error.message.split('. ', 1)[0] ?? error.message) : String(error)
    throw wrongUsage(message)
  }
}

const SWITCHES: ReadonlySet<string> = new Set(
  SETTING_NAMES.filter((name) => Settings.properties[name].type === 'boolean').map(
    (name) => `--${toFlag(name)}`,
  ),
)

/** A boolean setting may stand alone: `--offline` means `--offline=1`. */
const addSwitchValues = (argv: readonly string[]): string[] =>
  argv.map((word, n) =>
    SWITCHES.has(word) && !/^(0|1|true|false)$/.test(argv[n + 1] ?? '') ? `${word}=1` : word,
  )

/** Formats the text of `lookalike <command> --help`. */
export function formatHelp(command: Command): string {
  const words = (command.positionals ?? []).map((word) => ` ${word}`).join('')
  const own = (command.options ?? []).map(({ flag, value, meaning, isRequired }) => [
    `--${flag}${value ? ` ${value}` : ''}`,
    isRequired ? `${meaning} (required)` : meaning,
  ])
  const settings = command.settings.map((name) => [
    `--${toFlag(name)}${{ integer: ' N', boolean: '', string: ' VALUE' }[Settings.properties[name].type]}`,
    `${stripMarkup(Settings.properties[name].description ?? '')} [${name}]`,
  ])
  const blocks = [`lookalike ${command.name}${words}: ${command.summary}`]
  if (own.length > 0) blocks.push(`Options\n${formatTable(own)}`)
  if (settings.length > 0) blocks.push(`Settings, as flags or from the environment\n${formatTable(settings)}`)
  blocks.push(`Example\n  ${command.example}`)
  return blocks.join('\n\n')
}

const stripMarkup = (text: string): string => text.replaceAll('`', '')

function formatTable(rows: readonly (readonly string[])[]): string {
  const width = Math.max(...rows.map(([left = '']) => left.length))
  return rows.map(([left = '', right = '']) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}
