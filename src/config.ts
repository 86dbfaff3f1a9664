import { cpus, networkInterfaces } from 'node:os'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { BUCKET_SETTINGS, findBucketProblems } from './core/bucket-settings.ts'
import { wrongSettings } from './core/operator-error.ts'
import { PLAN_NAMES, PLANS, type Plans } from './core/plans.ts'
import { isPlans, readPlansFile } from './core/plans-file.ts'
import { choice, flag, integer, list, SECRET, text } from './core/setting-kinds.ts'

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** HMAC-SHA-256 needs a key that is as long as its hash. */
const TOKEN_SECRET_BYTES_MIN = 32

/** A shorter token could be guessed. */
const METRICS_TOKEN_CHARS_MIN = 16

/** A host name with a dot that is no address. */
const DOMAIN_PATTERN =
  '^((?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9]))?$'

/**
 * Every setting of the service: its type, default and meaning. `bun scripts/reference.ts --write` prints the tables of
 * README.md and of the guide from this.
 */
export const Settings = Type.Object({
  HOST: text('Address to listen on.', '127.0.0.1'),
  PORT: integer({ preset: 8080, minimum: 0, maximum: 65_535 }, () => 'TCP port; `0` picks a free one.'),
  BASE_URL: Type.String({
    default: '',
    pattern: '^(https?://[^\\s/@]+(/[^\\s]*[^/\\s])?)?$',
    must: 'be a URL like https://search.example.com',
    description:
      'Public URL used in links. Empty: `http://HOST:PORT`, with `TLS_CERT` `https://HOST:PORT`, with `DOMAIN` `https://DOMAIN`.',
  }),
  DATA_DIR: text(
    'Folder for all persistent data: database, pictures, unpacked parts, generated secrets.',
    './data',
  ),
  JWT_SECRET: Type.String({
    default: '',
    pattern: `^(|.{${TOKEN_SECRET_BYTES_MIN},})$`,
    must: `have at least ${TOKEN_SECRET_BYTES_MIN} bytes`,
    secret: SECRET.always,
    description: `Key that signs access tokens, at least ${TOKEN_SECRET_BYTES_MIN} bytes. Empty: generated and stored in \`DATA_DIR\`.`,
  }),
  TOKEN_LIFETIME_S: integer(
    { preset: 3600, minimum: 60, maximum: 86_400 },
    (bounds) => `Lifetime of an access token in seconds, ${bounds}.`,
  ),
  REGISTRATION: choice(
    ['open', 'invite', 'closed', ''],
    '',
    'Who may register with `POST /register`: `open` for everyone, `invite` for people invited with `lookalike user invite`, `closed` for nobody. Empty: `open` until there is an owner, then `invite`.',
  ),
  STORES_PER_PERSON: integer(
    { preset: 5, minimum: 0, maximum: 10_000 },
    () =>
      'Stores that a person may own and open with `POST /v1/stores`, unless registration is `closed`; super-admins have no limit. `0`: only the operator opens stores.',
  ),
  DEFAULT_PLAN: choice(
    PLAN_NAMES,
    'free',
    `Plan of a store created with \`POST /register\`, one of ${list(PLAN_NAMES)}.`,
  ),
  PLANS_FILE: text(
    'JSON file with your own prices and limits of the plans (`currency`, and `plans` with `title`, `price_per_month`, `max_products` and `rate_per_minute` of each). Empty: the plans as they come.',
  ),
  OFFLINE: flag(
    '`1` refuses every outbound connection except to `FETCH_ALLOW_CIDRS` (pictures, feeds, mail) and `WEBHOOK_ALLOW_CIDRS` (webhooks, callbacks).',
  ),
  FETCH_ALLOW_CIDRS: text(
    'Private networks from which pictures and feeds may be fetched, comma separated. With `OFFLINE`, the mail server and the certificate authority must be in one of them too.',
  ),
  WEBHOOK_ALLOW_CIDRS: text(
    'Private networks that webhooks and callbacks may be sent to, comma separated. Receivers there may use `http:` and any port.',
  ),
  TRUSTED_PROXIES: text(
    'Networks of proxies whose `X-Forwarded-For` header is trusted, comma separated. Empty: the header is ignored.',
  ),
  TLS_CERT: text(
    'File with the certificate and those of its issuers, in PEM: the service then speaks https itself. It reads the files again on SIGHUP. Empty: http.',
  ),
  TLS_KEY: Type.String({
    default: '',
    secret: SECRET.never,
    description: 'File with the private key of `TLS_CERT`, in PEM and without a passphrase.',
  }),
  DOMAIN: Type.String({
    default: '',
    pattern: DOMAIN_PATTERN,
    must: 'be one name like search.shop.example, without port, path or wildcard',
    description:
      'Name of the service: it gets and renews a certificate for it by ACME and thereby accepts the terms of the certificate authority. It then listens on every address, on port 443 unless `PORT` says otherwise, and on `HTTP_PORT`; `BASE_URL` is `https://DOMAIN`. Empty: no certificate of its own.',
  }),
  HTTP_PORT: integer(
    { preset: 80, minimum: 1, maximum: 65_535 },
    () =>
      'TCP port on which a service with `DOMAIN` answers the certificate authority, which asks at port 80, and sends everybody else to https.',
  ),
  ACME_DIRECTORY: Type.String({
    default: 'https://acme-v02.api.letsencrypt.org/directory',
    pattern: '^https://[^\\s@]+$',
    must: 'be a URL like https://acme.example.com/directory',
    description:
      "Address of the certificate authority's ACME directory, which `DOMAIN` uses. Default: Let's Encrypt.",
  }),
  ACME_CA: text(
    'File with the certificate, in PEM, that the server of `ACME_DIRECTORY` is verified by, for an authority of your own. Empty: the public ones.',
  ),
  NODE_PORT: integer(
    { preset: 0, minimum: 0, maximum: 65_535 },
    () =>
      'TCP port on which other nodes reach this one over TLS, with a certificate that it makes itself. It serves `/v1/node/` alone. `0`: none; a node with `TLS_CERT` or `DOMAIN` needs none.',
  ),
  NODE_HOST: text('Address to listen on for other nodes, with `NODE_PORT`.', '::'),
  SMTP_URL: Type.String({
    default: '',
    pattern: '^(smtps?://[^\\s/?#]+/?)?$',
    must: 'be a URL like smtps://user:password@mail.example.com:465',
    secret: SECRET.withPassword,
    description:
      'Mail server: `smtps://user:password@host:465`, or `smtp://…:587` with STARTTLS, which a server at a public address must support. Empty: mails stay in the outbox (`lookalike outbox`).',
  }),
  MAIL_FROM: Type.String({
    default: '',
    pattern: '^([^\\s@<>",;]+@[^\\s@<>",;]+|[^<>",;@\\r\\n]* <[^\\s@<>",;]+@[^\\s@<>",;]+>)?$',
    must: 'be an address like search@shop.example or Shop search <search@shop.example>',
    description: 'Sender of mails, `address` or `Name <address>`; required with `SMTP_URL`.',
  }),
  STRIPE_SECRET_KEY: Type.String({
    default: '',
    pattern: '^[^\\s]*$',
    must: 'be a secret key of Stripe, without spaces',
    secret: SECRET.always,
    description:
      'Secret key of Stripe (`sk_…` or `rk_…`), which then takes the payments for plans. Empty: the operator confirms each plan (`lookalike billing`).',
  }),
  STRIPE_WEBHOOK_SECRET: Type.String({
    default: '',
    pattern: '^[^\\s]*$',
    must: 'be a signing secret of Stripe, without spaces',
    secret: SECRET.always,
    description:
      'Signing secret (`whsec_…`) of the endpoint at Stripe that sends events to `/v1/billing/stripe/webhook`; required with `STRIPE_SECRET_KEY`.',
  }),
  STRIPE_API_BASE: Type.String({
    default: '',
    pattern: '^(https?://[^\\s/?#@]+/?)?$',
    must: 'be a URL like http://127.0.0.1:12111',
    description: 'Address of the server that answers in place of Stripe, for tests. Empty: Stripe itself.',
  }),
  MODEL_DIR: text('Folder of another CLIP-family model. Empty: the bundled model.'),
  LIBRARY_DIR: text(
    'Folder with your own builds of native libraries, such as libvips. Each replaces the bundled library of the same file name. The folder is only read.',
  ),
  INFERENCE_THREADS: integer(
    { preset: cpus().length, minimum: 1, maximum: 64 },
    (bounds) => `Threads for the model, ${bounds}. Default: the number of cores.`,
  ),
  LOG_LEVEL: choice(
    LOG_LEVELS,
    'info',
    `Lowest level to log, one of ${list(LOG_LEVELS)}. Logs go to stderr: as readable lines on a terminal, otherwise as JSON lines.`,
  ),
  BACKUP_EVERY_H: integer(
    { preset: 24, minimum: 0, maximum: 8_760 },
    () => 'Hours from one backup that the service makes by itself to the next. `0`: none.',
  ),
  BACKUP_KEEP: integer(
    { preset: 7, minimum: 1, maximum: 1_000 },
    (bounds) =>
      `Good backups to keep in \`BACKUP_DIR\`, ${bounds}. An older one goes only when a newer one was tried.`,
  ),
  BACKUP_DIR: text('Folder for backups. Empty: `backups` in `DATA_DIR`, which is on the same disk.'),
  SNAPSHOT_KEEP: integer(
    { preset: 2, minimum: 0, maximum: 100 },
    () =>
      'Copies of the database from before its last migrations to keep in `snapshots` of `DATA_DIR`, for a way back. `0`: the next migration makes none.',
  ),
  BACKUP_TO: Type.String({
    default: '',
    pattern: `^(s3://[a-z0-9][a-z0-9.-]+[a-z0-9](/(?!\\.+(/|$))[\\w.-]+)*/?|(?!\\w+:).*)$`,
    must: 'be s3://bucket/prefix or the path of a folder',
    description:
      'Where an encrypted copy of each backup goes: `s3://bucket/prefix`, or a folder that exists, such as a mounted one. It needs the key of `lookalike backup key`. Empty: nowhere.',
  }),
  BACKUP_TO_KEEP: integer(
    { preset: 30, minimum: 1, maximum: 10_000 },
    (bounds) => `Copies of this install to keep in \`BACKUP_TO\`, ${bounds}.`,
  ),
  ...BUCKET_SETTINGS,
  METRICS_TOKEN: Type.String({
    default: '',
    pattern: `^(|[!-~]{${METRICS_TOKEN_CHARS_MIN},})$`,
    must: `have at least ${METRICS_TOKEN_CHARS_MIN} characters, without spaces`,
    secret: SECRET.always,
    description: `Bearer token that \`/metrics\` asks for from anywhere but this machine, at least ${METRICS_TOKEN_CHARS_MIN} characters. Empty: metrics are for this machine alone.`,
  }),
  MAP_TOKEN: Type.String({
    default: '',
    pattern: `^(|[!-~]{${METRICS_TOKEN_CHARS_MIN},})$`,
    must: `have at least ${METRICS_TOKEN_CHARS_MIN} characters, without spaces`,
    secret: SECRET.always,
    description: `Bearer token with which proxies and \`lookalike node map --join\` read who lives where (\`/v1/admin/map\`), at least ${METRICS_TOKEN_CHARS_MIN} characters; the same on all nodes. Empty: super-admins and commands on this machine alone.`,
  }),
  SEARCH_HISTORY_DAYS: integer(
    { preset: 90, minimum: 1, maximum: 3650 },
    (bounds) => `Days to keep individual searches, ${bounds}.`,
  ),
})

/** The settings, and the plans of the file that one of them names. */
export type Config = Readonly<Static<typeof Settings>> & { readonly plans: Plans }
export type SettingName = keyof typeof Settings.properties

export const SETTING_NAMES = Object.keys(Settings.properties) as SettingName[]

/** The command-line flag of a setting: `DATA_DIR` becomes `data-dir`. */
export const toFlag = (name: SettingName): string => name.toLowerCase().replaceAll('_', '-')

/** Finds the flags on a command line whose values are secret; other users can read them in the process list. */
export const findSecretFlags = (flags: Source): SettingName[] =>
  SETTING_NAMES.filter((name) => {
    const secret: unknown = Settings.properties[name]['secret']
    return typeof secret === 'string' && new RegExp(secret).test(flags[toFlag(name)] ?? '')
  })

type Source = Readonly<Record<string, string | undefined>>

/**
 * Reads the settings from an environment and the flags of a command line; flags take precedence.
 *
 * `<NAME>_FILE` names a file that holds the value, such as a secret.
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
    const read = {
      flag: () => flags[toFlag(name)],
      environment: () => env[name],
      file: () => fromFile(env[`${name}_FILE`], name, readText, problems),
      default: () => undefined,
    }
    const value = read[findSource(name, env, flags)]()
    if (value) given[name] = toType(name, value.trim())
  }
  const settings = Value.Default(Settings, { ...presetsOfDomain(given['DOMAIN']), ...given })
  const bad = new Set([...Value.Errors(Settings, settings)].map(({ path }) => path.slice(1) as SettingName))
  for (const name of bad) problems.push(`${name} must ${Settings.properties[name]['must'] ?? 'be a text'}`)
  const { SMTP_URL, MAIL_FROM, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, TLS_CERT, TLS_KEY } =
    settings as Config
  if (SMTP_URL && !MAIL_FROM) problems.push('MAIL_FROM is required with SMTP_URL')
  if (STRIPE_SECRET_KEY && !STRIPE_WEBHOOK_SECRET) {
    problems.push('STRIPE_WEBHOOK_SECRET is required with STRIPE_SECRET_KEY')
  }
  if (!TLS_CERT !== !TLS_KEY) problems.push('TLS_CERT and TLS_KEY are required together')
  problems.push(...findBucketProblems(settings as Config))
  problems.push(...findDomainProblems(settings as Config))
  const plans = loadPlans((settings as Config).PLANS_FILE, readText, problems)
  if (problems.length > 0) throw wrongSettings(problems)
  return Object.freeze({ ...(settings as Config), plans })
}

/** What stands in place of other defaults where the service has a name of its own. */
const presetsOfDomain = (domain: unknown): Record<string, unknown> =>
  domain ? { HOST: hasIpv6() ? '::' : '0.0.0.0', PORT: 443, BASE_URL: `https://${domain}` } : {}

function findDomainProblems({ DOMAIN, TLS_CERT, BASE_URL, PORT, HTTP_PORT }: Config): string[] {
  if (!DOMAIN) return []
  return [
    ...(TLS_CERT ? ['DOMAIN gets a certificate by itself: leave out TLS_CERT and TLS_KEY'] : []),
    ...(BASE_URL.startsWith('http:') ? ['BASE_URL must begin with https:// when DOMAIN is set'] : []),
    ...(PORT === HTTP_PORT ? ['PORT and HTTP_PORT must differ'] : []),
  ]
}

const hasIpv6 = (): boolean =>
  Object.values(networkInterfaces()).some((all) => all?.some(({ family }) => family === 'IPv6'))

/** Reads the operator's plans, and lists what is wrong with them by its place in the file. */
function loadPlans(path: string, readText: (path: string) => string, problems: string[]): Plans {
  if (path === '') return PLANS
  try {
    const read = readPlansFile(readText(path))
    if (isPlans(read)) return read
    for (const problem of read) problems.push(`PLANS_FILE: ${problem}`)
  } catch {
    problems.push('PLANS_FILE: the file cannot be read')
  }
  return PLANS
}

/** Where the value of a setting comes from. */
export const SETTING_SOURCES = ['default', 'environment', 'file', 'flag'] as const
export type SettingSource = (typeof SETTING_SOURCES)[number]

/** Finds where a value comes from. Empty counts as unset, because compose files pass unset variables on as empty strings. */
function findSource(name: SettingName, env: Source, flags: Source): SettingSource {
  if (flags[toFlag(name)]) return 'flag'
  if (env[name]) return 'environment'
  return env[`${name}_FILE`] ? 'file' : 'default'
}

/** A setting as it may be shown. */
export interface ShownSetting {
  name: string
  /** null: it is a secret that is set. A user and password within a URL are replaced by `***`. */
  value: string | number | boolean | null
  source: SettingSource
}

/** Names that no setting has whose value may be shown, whatever its declaration says. */
const SECRET_NAME = /(SECRET|PASSWORD|_TOKEN|_KEY)$/

/** Lists every setting with its value and where that comes from, without any secret. */
export const listSettings = (config: Config, env: Source = {}, flags: Source = {}): ShownSetting[] =>
  SETTING_NAMES.map((name) => ({
    name,
    value: hideSecret(name, config[name]),
    source: findSource(name, env, flags),
  }))

function hideSecret(name: SettingName, value: Config[SettingName]): ShownSetting['value'] {
  if (typeof value !== 'string' || value === '') return value
  if (Settings.properties[name]['secret'] === SECRET.always || SECRET_NAME.test(name)) return null
  // The user of a mail server can be a secret, too.
  const start = value.indexOf('//')
  const end = value.lastIndexOf('@')
  return start >= 0 && start < end ? `${value.slice(0, start)}//***${value.slice(end)}` : value
}

function toType(name: SettingName, value: string): unknown {
  const { type } = Settings.properties[name]
  if (type === 'integer') return /^-?\d+$/.test(value) ? Number(value) : value
  if (name === 'DOMAIN') return value.toLowerCase().replace(/\.$/, '')
  if (name === 'BASE_URL') return value.replace(/(?<!\/)\/+$/, '')
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
