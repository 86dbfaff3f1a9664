import { readFileSync } from 'node:fs'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import {
  type Config,
  listSettings,
  loadConfig,
  type SettingName,
  Settings,
  type ShownSetting,
  toFlag,
} from '../../config.ts'
import { findNearest } from '../../core/nearest.ts'
import { wrongUsage } from '../../core/operator-error.ts'

type Env = Readonly<Record<string, string | undefined>>

/** One subcommand of `lookalike`. */
export interface Command {
  /** The words after `lookalike`: `key create`. */
  name: string
  /** One line for the list of commands. */
  summary: string
  /** Its own options, without the settings. */
  options?: readonly CommandOption[]
  /** Names of the words after the command; one in brackets, at the end, may be left out. */
  positionals?: readonly string[]
  /** Settings that apply; each is also a flag. */
  settings: readonly SettingName[]
  /** The settings that its help shows; the others are listed with `--all`. Default: every one. */
  essentials?: readonly SettingName[]
  example: string
  /** Finds further problems of its options, one sentence each; they are reported with the missing ones. */
  findProblems?(options: Call['options']): string[]
  /** @returns the exit code: 0, or 1 for a failure that it has reported. */
  run(call: Call): Promise<number>
}

export interface CommandOption {
  flag: string
  /** Names the value, as in `SLUG`; a switch has none. */
  value?: string
  meaning: string
  isRequired?: boolean
  /** It may be given several times; its values stand one a line. */
  isList?: boolean
}

/** A parsed command line. */
export interface Call {
  config: Config
  /** The same without secrets, with the source of each. */
  settings: readonly ShownSetting[]
  /** Values by flag; that of a switch is 'true'. */
  options: Readonly<Record<string, string | undefined>>
  positionals: readonly string[]
  /** The names of the variables in the environment. */
  variables: readonly string[]
  /** The environment itself. */
  env: Env
}

type Kinds = Readonly<Record<string, { type: 'string' | 'boolean' }>>

/** Parses the command line of a command. @throws OperatorError listing every problem at once, never with a value. */
export function parseCall(command: Command, argv: readonly string[], env: Env): Call {
  const kinds: Kinds = Object.fromEntries([
    ...command.settings.map((name) => [toFlag(name), { type: 'string' as const }]),
    ...(command.options ?? []).map(({ flag, value }) => [
      flag,
      { type: value ? ('string' as const) : ('boolean' as const) },
    ]),
  ])
  const lists = new Set((command.options ?? []).filter(({ isList }) => isList).map(({ flag }) => flag))
  const { values, positionals, problems, hasUnknown } = readWords(
    addSwitchValues(command, argv),
    kinds,
    lists,
  )
  for (const { flag, isRequired, value } of command.options ?? []) {
    if (isRequired && values[flag] === undefined && !problems.has(flag)) {
      problems.set(flag, `--${flag} ${value} is missing`)
    }
  }
  const all = [...problems.values(), ...(command.findProblems?.(values) ?? [])]
  // The word behind an unknown option may be its value, and secret.
  if (!hasUnknown) all.unshift(...checkPositionals(command, argv, positionals))
  if (all.length > 0) throw wrongUsage(all.join('\n'))
  const config = loadConfig(env, values, (path) => readFileSync(path, 'utf8'))
  return {
    config,
    settings: listSettings(config, env, values),
    options: values,
    positionals,
    variables: Object.keys(env),
    env,
  }
}

interface Words {
  values: Record<string, string>
  positionals: string[]
  /** By flag. */
  problems: Map<string, string>
  hasUnknown: boolean
}

function readWords(args: string[], kinds: Kinds, lists: ReadonlySet<string>): Words {
  const { tokens } = parseArgs({
    args,
    options: kinds as NonNullable<ParseArgsConfig['options']>,
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const words: Words = { values: {}, positionals: [], problems: new Map(), hasUnknown: false }
  for (const token of tokens) {
    if (token.kind === 'positional') words.positionals.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName } = token
    const type = rawName.startsWith('--') && Object.hasOwn(kinds, name) ? kinds[name]?.type : undefined
    const problem = type ? checkOption(type, token) : describeUnknown(rawName, Object.keys(kinds))
    if (problem !== undefined) words.problems.set(name, problem)
    else {
      const before = lists.has(name) ? words.values[name] : undefined
      const value = token.value ?? 'true'
      words.values[name] = before === undefined ? value : `${before}\n${value}`
    }
    if (type === undefined) words.hasUnknown = true
  }
  return words
}

function describeUnknown(written: string, known: readonly string[]): string {
  const near = written.startsWith('--') ? findNearest(written.slice(2), known) : undefined
  return `There is no option ${written}${near === undefined ? '' : `; did you mean --${near}?`}`
}

function checkOption(
  type: 'string' | 'boolean',
  {
    rawName,
    value,
    inlineValue,
  }: { rawName: string; value?: string | undefined; inlineValue?: boolean | undefined },
): string | undefined {
  if (type === 'boolean') return value === undefined ? undefined : `${rawName} takes no value`
  if (value === undefined) return `${rawName} needs a value`
  // A single dash means standard input.
  const isOption = !inlineValue && value.startsWith('-') && value !== '-'
  return isOption ? `${rawName} needs a value; write ${rawName}=… for one that begins with a dash` : undefined
}

function checkPositionals(
  command: Command,
  argv: readonly string[],
  positionals: readonly string[],
): string[] {
  const expected = command.positionals ?? []
  const least = expected.filter((word) => !word.startsWith('[')).length
  if (positionals.length >= least && positionals.length <= expected.length) return []
  const missed = findSwitchValue(command, argv)
  if (missed !== undefined && positionals.length > expected.length) return [missed]
  const takes = expected.length === 0 ? 'no arguments' : expected.join(' ')
  const got =
    positionals.length === 0 ? 'got none' : `got ${positionals.map((word) => `"${word}"`).join(', ')}`
  return [`lookalike ${command.name} takes ${takes}, but ${got}`]
}

const SWITCH_VALUE = /^(0|1|true|false)$/i

const listSwitches = ({ settings }: Command): Map<string, SettingName> =>
  new Map(
    settings
      .filter((name) => Settings.properties[name].type === 'boolean')
      .map((name) => [`--${toFlag(name)}`, name]),
  )

/** A boolean setting may stand alone: `--offline` means `--offline=1`. */
function addSwitchValues(command: Command, argv: readonly string[]): string[] {
  const switches = listSwitches(command)
  return argv.map((word, n) =>
    switches.has(word) && !SWITCH_VALUE.test(argv[n + 1] ?? '') ? `${word}=1` : word,
  )
}

/** Describes the word after a switch, if it looks like a wrong value: `--offline maybe`. */
function findSwitchValue(command: Command, argv: readonly string[]): string | undefined {
  for (const [flag, name] of listSwitches(command)) {
    const word = argv[argv.indexOf(flag) + 1]
    if (argv.includes(flag) && word !== undefined && !word.startsWith('-') && !SWITCH_VALUE.test(word)) {
      return `${flag} must ${Settings.properties[name]['must']}, but got "${word}"`
    }
  }
  return undefined
}
