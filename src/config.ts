import { cpus } from 'node:os'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { wrongSettings } from './core/operator-error.ts'
import { PLAN_NAMES } from './core/plans.ts'

const text = (description: string, value = '') => Type.String({ default: value, description })
const flag = (description: string) => Type.Boolean({ default: false, must: 'be 1 or 0', description })

/**
 * Values of a setting that nobody else may see, as a pattern; `loadConfig` does not care, but commands warn when such a
 * value is given as a flag.
 */
const SECRET = { always: '.', withPassword: '//[^/]*:[^/]*@' } as const

/**
 * Every setting of the service: its type, default and meaning. `bun scripts/reference.ts --write` prints the tables of
 * README.md and of the guide from this.
 */
export const Settings = Type.Object({
  HOST: text('Address to listen on.', '127.0.0.1'),
  PORT: Type.Integer({
    default: 8080,
    minimum: 0,
    maximum: 65_535,
    must: 'be a whole number from 0 to 65535',
    description: 'TCP port; 0 takes a free one.',
  }),
  BASE_URL: Type.String({
    default: '',
    pattern: '^(https?://[^\\s]+[^/\\s])?$',
    must: 'be an address like https://search.example.com',
    description: 'Public address used in links. Empty: `http://HOST:PORT`.',
  }),
  DATA_DIR: text(
    'Everything that must survive: database, pictures, unpacked parts, generated secrets.',
    './data',
  ),
  JWT_SECRET: Type.String({
    default: '',
    pattern: '^(|.{32,})$',
    must: 'have at least 32 bytes',
    secret: SECRET.always,
    description: 'Key that signs access tokens, at least 32 bytes. Empty: generated and kept in `DATA_DIR`.',
  }),
  TOKEN_LIFETIME_S: Type.Integer({
    default: 3600,
    minimum: 60,
    maximum: 86_400,
    must: 'be a whole number from 60 to 86400',
    description: 'Life of an access token in seconds, 60 to 86400.',
  }),
  REGISTRATION: Type.String({
    default: 'open',
    pattern: '^(open|invite|closed)$',
    must: 'be one of open, invite, closed',
    description:
      'Who may make an account by `POST /register`: `open` for everyone, `invite` for those whom `lookalike user invite` invited, `closed` for nobody.',
  }),
  DEFAULT_PLAN: Type.String({
    default: 'free',
    pattern: `^(${PLAN_NAMES.join('|')})$`,
    must: `be one of ${PLAN_NAMES.join(', ')}`,
    description: `Plan of a store made by \`POST /register\`, one of ${PLAN_NAMES.map((name) => `\`${name}\``).join(', ')}.`,
  }),
  OFFLINE: flag('`1` refuses every outbound connection except to `FETCH_ALLOW_CIDRS`.'),
  FETCH_ALLOW_CIDRS: text(
    'Private networks that pictures may be fetched from, comma separated; with `OFFLINE` the mail server must be in one too.',
  ),
  TRUSTED_PROXIES: text(
    'Networks of proxies whose `X-Forwarded-For` is believed, comma separated. Empty: the client is whoever connects.',
  ),
  SMTP_URL: Type.String({
    default: '',
    pattern: '^(smtps?://[^\\s/?#]+/?)?$',
    must: 'be an address like smtps://user:password@mail.example.com:465',
    secret: SECRET.withPassword,
    description:
      'Mail server: `smtps://user:password@host:465`, or `smtp://…:587` with STARTTLS, which a server at a public address must offer. Empty: mails wait for `lookalike outbox`.',
  }),
  MAIL_FROM: Type.String({
    default: '',
    pattern: '^([^\\s@<>",;]+@[^\\s@<>",;]+|[^<>",;@\\r\\n]* <[^\\s@<>",;]+@[^\\s@<>",;]+>)?$',
    must: 'be an address like search@shop.example or Shop search <search@shop.example>',
    description: 'Sender of the mails, `address` or `Name <address>`; needed with `SMTP_URL`.',
  }),
  MODEL_DIR: text('Folder of another CLIP-family model. Empty: the bundled model.'),
  LIBRARY_DIR: text(
    'Folder with libraries of your own, such as another libvips: each is used instead of the unpacked one of the same file name. Nothing is written there.',
  ),
  INFERENCE_THREADS: Type.Integer({
    default: cpus().length,
    minimum: 1,
    maximum: 64,
    must: 'be a whole number from 1 to 64',
    description: 'Threads of the model, 1 to 64. Default: the number of cores.',
  }),
  LOG_LEVEL: Type.String({
    default: 'info',
    pattern: '^(trace|debug|info|warn|error|fatal|silent)$',
    must: 'be one of trace, debug, info, warn, error, fatal, silent',
    description:
      'Least level written, one of `trace`, `debug`, `info`, `warn`, `error`, `fatal`, `silent`; logs are JSON lines on stderr.',
  }),
  SEARCH_HISTORY_DAYS: Type.Integer({
    default: 90,
    minimum: 1,
    maximum: 3650,
    must: 'be a whole number from 1 to 3650',
    description: 'Days that single searches are kept, 1 to 3650.',
  }),
})

export type Config = Readonly<Static<typeof Settings>>
export type SettingName = keyof Config

export const SETTING_NAMES = Object.keys(Settings.properties) as SettingName[]

/** The command-line flag of a setting: `DATA_DIR` becomes `data-dir`. */
export const flagOf = (name: SettingName): string => name.toLowerCase().replaceAll('_', '-')

/** Settings among the flags of a command line whose values others can read in the process list. */
export const secretsAmong = (flags: Source): SettingName[] =>
  SETTING_NAMES.filter((name) => {
    const secret: unknown = Settings.properties[name]['secret']
    return typeof secret === 'string' && new RegExp(secret).test(flags[flagOf(name)] ?? '')
  })

type Source = Readonly<Record<string, string | undefined>>

/**
 * Reads the settings out of an environment and the flags of a command line; flags win.
 *
 * `<NAME>_FILE` names a file that holds the value, for secrets.
 *
 * @param readText reads such a file.
 * @throws OperatorError listing every bad setting at once, by name and never by value.
 */
export function loadConfig(
  env: Source,
  flags: Source = {},
  readText: (path: string) => string = noFiles,
): Config {
  const problems: string[] = []
  const given: Record<string, unknown> = {}
  for (const name of SETTING_NAMES) {
    // Empty counts as not given: compose files pass on what is not set as an empty text.
    const value = flags[flagOf(name)] || env[name] || fromFile(env[`${name}_FILE`], name, readText, problems)
    if (value) given[name] = toType(name, value.trim())
  }
  const settings = Value.Default(Settings, given)
  const bad = new Set([...Value.Errors(Settings, settings)].map(({ path }) => path.slice(1) as SettingName))
  for (const name of bad) problems.push(`${name} must ${Settings.properties[name]['must'] ?? 'be a text'}`)
  const { SMTP_URL, MAIL_FROM } = settings as Config
  if (SMTP_URL && !MAIL_FROM) problems.push('MAIL_FROM must be given with SMTP_URL')
  if (problems.length > 0) throw wrongSettings(problems)
  return Object.freeze(settings as Config)
}

function toType(name: SettingName, value: string): unknown {
  const { type } = Settings.properties[name]
  if (type === 'integer') return /^-?\d+$/.test(value) ? Number(value) : value
  if (name === 'BASE_URL') return value.replace(/\/+$/, '')
  if (type === 'boolean')
    return { '1': true, true: true, '0': false, false: false }[value.toLowerCase()] ?? value
  return value
}

function fromFile(
  path: string | undefined,
  name: string,
  readText: (path: string) => string,
  problems: string[],
): string | undefined {
  if (!path) return undefined
  try {
    const text = readText(path)
    if (text.trim() === '') problems.push(`${name}_FILE: the file is empty`)
    return text
  } catch {
    problems.push(`${name}_FILE: the file cannot be read`)
    return undefined
  }
}

const noFiles = (): string => {
  throw new Error('files are not read here')
}
