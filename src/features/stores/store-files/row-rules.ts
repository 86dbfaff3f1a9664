import { type TSchema, Type } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { PERMISSIONS } from '../../../core/actor.ts'
import { LIMITS } from '../../../core/limits.ts'
import { readNetwork } from '../../../core/networks.ts'
import { findRedirectFault } from '../../../core/redirect-url.ts'
import { malformed, type Row, type Value } from '../../../core/row-lines.ts'
import { oneOf } from '../../../http/schema.ts'
import { LINE, text } from '../../../http/text-schema.ts'
import { KEYS_PER_STORE_MAX, KeyName } from '../../access/api-keys/schema.ts'
import { IP_ENTRIES_MAX } from '../../access/ip-allowlist/schema.ts'
import { FORCED_FILTERS_CHARS_MAX, WidgetKeyBody } from '../../access/widget-keys/schema.ts'
import { FeedBody } from '../../catalogue/product-feeds/schema.ts'
import { Metadata } from '../../catalogue/products/schema.ts'
import { WebhookBody } from '../../delivery/webhooks/schema.ts'
import {
  isRuleAction,
  listMisfits,
  type RuleAction,
  RuleActions,
  RuleName,
  StoredConditions,
} from '../../discovery/rules/schema.ts'
import { CheckBody, SearchCheck } from '../../discovery/search-checks/schema.ts'
import { WordRow } from '../../discovery/store-words/schema.ts'
import { GroupBody } from '../groups/schema.ts'
import { type SettingsPatch, StoreSettings } from '../settings/schema.ts'
import type { SettingsService } from '../settings/service.ts'

/** What the API holds of the rows of a table. Columns with JSON are checked as what they hold. */
interface RowRule {
  columns: Record<string, TSchema>
  /** Rows that a store may have. */
  max?: number
  /** What no schema can state. */
  isSound?(row: Readonly<Record<string, unknown>>): boolean
}

export type SettingsCheck = Pick<SettingsService, 'couldSave'>

const orNull = (schema: TSchema) => Type.Union([schema, Type.Null()])
const ORIGIN = /^https?:\/\/[^\s/\\?#@*%]+$/i
/** More than any store has of what the API does not count. */
const ROWS_MAX = 1_000
const ORIGINS_MAX = 10_000
const PREFIX = text({ maxLength: 20, pattern: LINE })
const Origin = text({ maxLength: 300, pattern: ORIGIN.source })

const { callback_secret_hint: _, hidden: __, ...SETTINGS } = StoreSettings.properties
// A later version may know other lines to hide.
const Settings = Type.Partial(
  Type.Object({ ...SETTINGS, hidden: Type.Array(text({ maxLength: 100 }), { maxItems: 50 }) }),
)
const { name, expect, within, query } = CheckBody.properties
const [LastRun] = SearchCheck.properties.last_run.anyOf
const { passed, found, error } = LastRun.properties
const CheckRun = orNull(Type.Object({ passed, found, error }))
const ModelName = orNull(text({ maxLength: 200, pattern: LINE }))

/**
 * The rules of the API for the rows that a file brings: whoever wrote it may have written what no request could, and the
 * program trusts its own tables.
 */
const RULES: Readonly<Record<string, RowRule>> = {
  store_settings: { columns: { settings: Settings } },
  store_time_zones: { columns: { time_zone: text({ maxLength: 64, pattern: LINE }) }, max: ROWS_MAX },
  user_groups: { columns: GroupBody.properties, max: LIMITS.groupsPerStoreMax },
  api_keys: {
    columns: { name: KeyName, prefix: PREFIX, scopes: Type.Array(oneOf(PERMISSIONS)) },
    max: KEYS_PER_STORE_MAX,
  },
  public_keys: {
    columns: {
      ...{ name: KeyName, prefix: PREFIX, origins: Type.Array(Origin, { maxItems: 20 }) },
      allowed: Type.Unsafe({ ...WidgetKeyBody.properties.allowed }),
      rate_per_minute: Type.Unsafe({ ...WidgetKeyBody.properties.rate_per_minute }),
      forced_filters: orNull(text({ maxLength: FORCED_FILTERS_CHARS_MAX })),
    },
    max: KEYS_PER_STORE_MAX,
  },
  widget_traces: { columns: { origin: Origin }, max: ORIGINS_MAX },
  widget_pages: { columns: { origin: Origin }, max: ORIGINS_MAX },
  ip_entries: {
    columns: { cidr: text({ maxLength: 100 }), description: text({ maxLength: 200, pattern: LINE }) },
    max: IP_ENTRIES_MAX,
    isSound: ({ cidr }) => readNetwork(String(cidr)) === cidr,
  },
  products: {
    columns: { metadata: Metadata },
    isSound: ({ metadata }) => !isDeeper(metadata, LIMITS.metadataDepthMax),
  },
  feeds: {
    columns: {
      url: FeedBody.properties.url,
      format: Type.Unsafe({ ...FeedBody.properties.format }),
      interval_minutes: Type.Integer({
        minimum: LIMITS.feedIntervalMinutesMin,
        maximum: LIMITS.feedIntervalMinutesMax,
      }),
      mapping: Type.Unsafe({ ...FeedBody.properties.mapping }),
    },
    max: LIMITS.feedsPerStoreMax,
    isSound: ({ url }) => isPlainUrl(String(url)),
  },
  webhooks: {
    columns: {
      url: WebhookBody.properties.url,
      events: WebhookBody.properties.events,
      description: orNull(text({ maxLength: 200, pattern: LINE })),
    },
    max: LIMITS.webhooksPerStoreMax,
    isSound: ({ url }) => isPlainUrl(String(url)),
  },
  search_checks: {
    columns: {
      ...{ name, expected: expect, within },
      query: orNull(Type.Unsafe({ ...query })),
      ...{ last_model: ModelName, before_model: ModelName },
      ...{ last_result: CheckRun, before_result: CheckRun },
    },
    max: LIMITS.checksPerStore,
  },
  search_rules: {
    columns: {
      ...{ name: RuleName, conditions: StoredConditions, actions: RuleActions },
      ...{ starts_at: orNull(Type.Integer()), ends_at: orNull(Type.Integer()) },
    },
    max: LIMITS.rulesPerStore,
    isSound: ({ conditions, actions }) => isSoundRule(conditions, actions as RuleAction[]),
  },
  store_words: {
    columns: { kind: oneOf(['synonyms', 'redirect', 'ignore'] as const), entry: WordRow },
    max: LIMITS.synonymGroupsPerStore + LIMITS.redirectsPerStore + LIMITS.ignoredWordsPerStore,
    isSound: ({ kind, entry }) => isWordEntry(kind, entry as { words: unknown; url?: unknown }),
  },
}

/** The filters are read when the rule first acts, as if the program did not know them any more. */
const isSoundRule = (conditions: unknown, actions: readonly RuleAction[]): boolean =>
  JSON.stringify([conditions, actions]).length <= LIMITS.ruleJsonBytesMax &&
  actions.every((action) => isRuleAction(action.action) && listMisfits(action).length === 0)

/** Columns of those rules that hold JSON. Others with JSON are not read before a search names them. */
const JSON_COLUMNS: ReadonlySet<string> = new Set([
  ...['settings', 'permission_names', 'scopes', 'origins', 'allowed', 'metadata', 'mapping', 'events'],
  ...['expected', 'last_result', 'conditions', 'actions', 'entry'],
])

/** Tables whose rows are checked. */
export const RULED_TABLES: readonly string[] = Object.keys(RULES)

/** Creates the check of the rows of one file. @returns throws UnreadableFile for a row that the API would refuse. */
export function createRowCheck(settings: SettingsCheck): (table: string, row: Row) => void {
  const seen = new Map<string, number>()
  return (table, row) => {
    const rule = RULES[table]
    if (!rule) return
    const count = (seen.get(table) ?? 0) + 1
    seen.set(table, count)
    if (count > (rule.max ?? Infinity)) throw malformed(`there are more than ${rule.max} rows of ${table}`)
    const read: Record<string, unknown> = {}
    for (const column of Object.keys(rule.columns)) read[column] = readValue(column, row[column])
    const isSound = compile(table, rule).Check(read) && (rule.isSound?.(read) ?? true)
    if (isSound && (table !== 'store_settings' || settings.couldSave(read['settings'] as SettingsPatch)))
      return
    throw malformed(`a row of ${table} breaks a rule for what it says`)
  }
}

const compiled = new Map<string, TypeCheck<TSchema>>()

function compile(table: string, { columns }: RowRule): TypeCheck<TSchema> {
  const known = compiled.get(table) ?? TypeCompiler.Compile(Type.Object(columns))
  compiled.set(table, known)
  return known
}

/** The writer has checked already that it is JSON. */
const readValue = (column: string, value: Value | undefined): unknown =>
  typeof value === 'string' && JSON_COLUMNS.has(column) ? JSON.parse(value) : (value ?? null)

function isWordEntry(kind: unknown, { words, url }: { words: unknown; url?: unknown }): boolean {
  if (kind === 'synonyms') return Array.isArray(words)
  if (kind === 'ignore') return typeof words === 'string'
  return typeof words === 'string' && typeof url === 'string' && findRedirectFault(url) === undefined
}

/** A name and a password stand apart, sealed. */
function isPlainUrl(address: string): boolean {
  const url = /^https?:\/\//.test(address) ? URL.parse(address) : null
  return url !== null && url.username === '' && url.password === ''
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1))
}
