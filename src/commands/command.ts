import { readFileSync } from 'node:fs'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { type Config, loadConfig, SETTING_NAMES, Settings, toFlag } from '../config.ts'

type Env = Readonly<Record<string, string | undefined>>

/** One subcommand of `lookalike`. */
export interface Command {
  /** How it is called, behind `lookalike`: `key create`. */
  name: string
  /** One line for the list of commands. */
  summary: string
  /** Arguments and options of its own, one line each, without the settings. */
  options?: readonly { flag: string; value?: string; meaning: string; isRequired?: boolean }[]
  /** Names of the words behind the command. */
  positionals?: readonly string[]
  /** Settings that make sense here; each is also a flag. */
  settings: readonly (keyof Config)[]
  example: string
  /** @returns the exit code: 0, or 1 for a failure that was told. */
  run(call: Call): Promise<number>
}

/** What a command line said. */
export interface Call {
  config: Config
  /** Options by flag; a switch is 'true'. */
  options: Readonly<Record<string, string | undefined>>
  positionals: readonly string[]
}

/** The command line was wrong: told with a hint, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** A failure that needs no stack trace: told as it is, exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/** Reads a command line against its command. @throws UsageError, ConfigError. */
export function parseCall(command: Command, argv: readonly string[], env: Env): Call {
  const options = Object.fromEntries([
    ...command.settings.map((name) => [toFlag(name), { type: 'string' as const }]),
    ...(command.options ?? []).map(({ flag, value }) => [
      flag,
      { type: value ? ('string' as const) : ('boolean' as const) },
    ]),
  ]) satisfies NonNullable<ParseArgsConfig['options']>
  const { values, positionals } = parsed(withSwitchValues(argv), options)
  const expected = command.positionals ?? []
  if (positionals.length !== expected.length) {
    const takes = expected.length === 0 ? 'no words' : expected.join(' ')
    const got =
      positionals.length === 0 ? 'got none' : `got ${positionals.map((word) => `"${word}"`).join(', ')}`
    throw new UsageError(`lookalike ${command.name} takes ${takes}, but ${got}`)
  }
  for (const { flag, isRequired } of command.options ?? []) {
    if (isRequired && values[flag] === undefined) throw new UsageError(`--${flag} is missing`)
  }
  const given = Object.fromEntries(Object.entries(values).map(([flag, value]) => [flag, String(value)]))
  const config = loadConfig(env, given, (path) => readFileSync(path, 'utf8'))
  return { config, options: given, positionals }
}

function parsed(args: string[], options: NonNullable<ParseArgsConfig['options']>) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true })
  } catch (error) {
    const message =
      error instanceof Error ? (error.message.split('. ', 1)[0] ?? error.message) : String(error)
    throw new UsageError(message)
  }
}

const SWITCHES: ReadonlySet<string> = new Set(
  SETTING_NAMES.filter((name) => Settings.properties[name].type === 'boolean').map(
    (name) => `--${toFlag(name)}`,
  ),
)

/** A setting that is a switch may stand alone: `--offline` means `--offline=1`. */
const withSwitchValues = (argv: readonly string[]): string[] =>
  argv.map((word, n) =>
    SWITCHES.has(word) && !/^(0|1|true|false)$/.test(argv[n + 1] ?? '') ? `${word}=1` : word,
  )

/** The text of `lookalike <command> --help`. */
export function helpOf(command: Command): string {
  const words = (command.positionals ?? []).map((word) => ` ${word}`).join('')
  const own = (command.options ?? []).map(({ flag, value, meaning, isRequired }) => [
    `--${flag}${value ? ` ${value}` : ''}`,
    isRequired ? `${meaning} (required)` : meaning,
  ])
  const settings = command.settings.map((name) => [
    `--${toFlag(name)}${{ integer: ' N', boolean: '', string: ' VALUE' }[Settings.properties[name].type]}`,
    `${plain(Settings.properties[name].description ?? '')} [${name}]`,
  ])
  const blocks = [`lookalike ${command.name}${words}: ${command.summary}`]
  if (own.length > 0) blocks.push(`Options\n${table(own)}`)
  if (settings.length > 0) blocks.push(`Settings, as flags or from the environment\n${table(settings)}`)
  blocks.push(`Example\n  ${command.example}`)
  return blocks.join('\n\n')
}

const plain = (text: string): string => text.replaceAll('`', '')

function table(rows: readonly (readonly string[])[]): string {
  const width = Math.max(...rows.map(([left = '']) => left.length))
  return rows.map(([left = '', right = '']) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}
