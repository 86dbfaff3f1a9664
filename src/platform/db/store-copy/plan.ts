/** What a text of a row must hold, where the program reads it as JSON. */
export type JsonShape = 'object' | 'objects' | 'texts'

/** A table whose rows travel in the file of a store, unchanged except for what these fields say. The store's id never travels. */
export interface CopiedTable {
  /** Columns that stay behind; the rows get the default of the column. */
  without?: readonly string[]
  /** Rows that travel; by default all of the store. */
  where?: string
  /** Columns that travel as another value: an expression over the row. */
  out?: Readonly<Record<string, string>>
  /** How that value, `@column`, becomes the one of the target; `@store_id` is the store there. */
  in?: Readonly<Record<string, string>>
  /** How rows are named by others: by a new UUID each, or by the number that SQLite gives. At most {@link NAMED_ROWS_MAX}. */
  named?: 'uuid' | 'number'
  /** Columns that name a row of another table which travels, by that table, or null. */
  refs?: Readonly<Record<string, string>>
  /** Columns that hold JSON. */
  json?: Readonly<Record<string, JsonShape>>
  /** Columns that travel besides those of the table: `out` has an expression for each, or code fills it. */
  extra?: readonly string[]
  /** Whether its rows travel in the order in which they were made, which decides between equal scores. They have a numeric `id`. */
  inOrder?: boolean
}

/** How the rows of a table come into the file of a store. */
export type Journey =
  | { copied: CopiedTable }
  /** They travel in a form of their own. */
  | { as: string }
  /** Why they stay. */
  | { stays: string }

const OF_INSTALL = 'It belongs to the install, not to a store.'
const HISTORY = 'It tells what happened on this install; the next one begins its own.'
const SINGLE = 'Single searches and events belong to shoppers; only sums of them travel.'
const MONEY = 'It belongs to the install that was paid.'
const PASSING = 'It is forgotten within a day or so anyway.'

/** Of the two models that a picture may have vectors of, that of its store. */
export const MODEL_OF_PICTURE = `CASE WHEN second_model = coalesce(
    (SELECT store_models.model FROM store_models WHERE store_models.store_id = pictures.store_id),
    (SELECT in_use FROM model_state)) THEN second_model ELSE pictures.model END`

const copied = (table: CopiedTable = {}): Journey => ({ copied: table })

/**
 * What becomes of each table when a store travels in a file. Tables that are copied are written in this order, so those that
 * others name come first.
 */
export const STORE_FILE: Readonly<Record<string, Journey>> = {
  stores: { as: 'Name, slug, plan and age stand in the manifest. The client secret is new.' },
  store_settings: copied({ json: { settings: 'object' } }),
  store_time_zones: copied(),
  users: { stays: 'Accounts belong to the install; nobody’s password travels.' },
  memberships: { as: 'Members travel as invitations: their address, role and groups.' },
  user_groups: copied({ named: 'uuid', json: { permission_names: 'texts' } }),
  user_group_members: { as: 'With the members; the group is joined with the store.' },
  team_invites: { as: 'Open invitations become new ones.' },

  registrations: { stays: OF_INSTALL },
  registration_invites: { stays: OF_INSTALL },
  password_resets: { stays: OF_INSTALL },
  email_changes: { stays: OF_INSTALL },
  sessions: { stays: OF_INSTALL },
  setup_codes: { stays: OF_INSTALL },
  sign_in_addresses: { stays: OF_INSTALL },
  revoked_tokens: { stays: OF_INSTALL },
  two_factor: { stays: OF_INSTALL },
  recovery_codes: { stays: OF_INSTALL },
  // The maker travels by address, and gets the key again by joining.
  api_keys: copied({
    named: 'uuid',
    without: ['created_by', 'last_used_ip'],
    json: { scopes: 'texts' },
  }),
  public_keys: copied({
    named: 'uuid',
    without: ['refused_day', 'refused'],
    json: { origins: 'texts', allowed: 'texts' },
  }),
  widget_traces: copied({ refs: { key_id: 'public_keys' } }),
  ip_entries: copied({ named: 'uuid', without: ['created_by'] }),
  audit_events: { stays: 'The audit log stays with the install that has seen the acts.' },
  awaited_people: { stays: 'It is made from the members and makers of the file.' },
  move_changes: { stays: 'It tells of a move that is under way here.' },
  move_people: { stays: 'It tells of a move that is under way here.' },
  moved_names: { stays: 'It names what stores elsewhere had here.' },
  store_arrivals: { stays: 'It tells of an import that is under way here.' },
  outbox: { stays: OF_INSTALL },
  weekly_mails: { stays: HISTORY },
  weekly_mail_leavers: { stays: 'People stay; those who come anew are asked anew.' },
  backups: { stays: OF_INSTALL },
  model_fetches: { stays: OF_INSTALL },
  arriving_moves: { stays: 'It tells which stores other nodes sent here.' },
  node_invites: { stays: 'They let other nodes in here.' },
  store_moves: { stays: 'It tells how far a move of this install has come.' },
  disk_samples: { stays: OF_INSTALL },

  // Products name them by their addresses.
  kept_pictures: copied(),
  thumbnails: copied({ without: ['id'], extra: ['is_given'] }),
  products: copied({
    inOrder: true,
    without: ['id'],
    json: { metadata: 'object', levels: 'texts' },
  }),
  product_words: { stays: 'Triggers write it from the products.' },
  product_levels: { stays: 'Triggers write it from the products.' },
  pictures: copied({
    inOrder: true,
    // The vector of the second model stays: where the file arrives, one model is in use.
    without: ['id', 'second_model'],
    out: {
      product: '(SELECT product_id FROM products WHERE products.id = pictures.product)',
      model: `(SELECT hash FROM models WHERE models.id = ${MODEL_OF_PICTURE})`,
    },
    in: {
      product: '(SELECT id FROM products WHERE store_id = @store_id AND product_id = @product)',
      model: '(SELECT id FROM models WHERE hash = @model)',
    },
    json: { palette: 'objects' },
    extra: ['vector'],
  }),
  released_pictures: { stays: 'It names files of this install that may go.' },
  reembedding_tries: { stays: HISTORY },
  model_state: { stays: OF_INSTALL },
  model_moves: { stays: OF_INSTALL },
  model_move_stores: { stays: 'It tells how far a move of this install has come.' },
  store_models: { stays: 'The manifest names the models of the vectors.' },
  leaving_models: { stays: OF_INSTALL },
  catalogue_reports: { stays: 'The next night makes a new one.' },
  jobs: { stays: HISTORY },
  job_items: { stays: HISTORY },
  // The logins travel sealed, or not at all; the next run reads the whole file again.
  feeds: copied({
    named: 'uuid',
    without: [
      ...[
        'credentials',
        'asked',
        'consecutive_failures',
        'etag',
        'last_modified',
        'content_hash',
        'trusted_until',
      ],
      ...[
        'is_running',
        'run_status',
        'run_job_id',
        'run_deleted',
        'run',
        'reading_hash',
        'readings',
        'run_added',
      ],
      'deleted_at',
    ],
    where: 'deleted_at IS NULL',
    json: { mapping: 'object' },
    extra: ['has_login'],
    out: { has_login: 'credentials IS NOT NULL' },
  }),
  feed_products: copied({
    where: 'feed_id IN (SELECT id FROM feeds WHERE store_id = @storeId AND deleted_at IS NULL)',
    refs: { feed_id: 'feeds' },
  }),
  feed_runs: { stays: HISTORY },
  searches: { stays: SINGLE },
  search_checks: copied({
    named: 'uuid',
    without: ['waiting_for', 'last_job'],
    json: { expected: 'texts', last_result: 'object', before_result: 'object' },
  }),
  // A rule whose widget key is gone meets no search; without the key it would meet all of them.
  search_rules: copied({
    named: 'uuid',
    refs: { key_id: 'public_keys' },
    out: {
      key_id: '(SELECT id FROM public_keys WHERE public_keys.id = search_rules.key_id)',
      active: 'active AND (key_id IS NULL OR key_id IN (SELECT id FROM public_keys))',
    },
    json: { conditions: 'object', actions: 'objects' },
  }),
  search_rule_counts: copied({ refs: { rule_id: 'search_rules' } }),
  store_words: copied({ json: { entry: 'object' } }),
  search_replays: { stays: HISTORY },
  replayed_searches: { stays: HISTORY },
  learned_clicks: { stays: 'The next night learns it anew, where there are clicks.' },
  feedback_counts: { stays: SINGLE },
  feedback_events: { stays: SINGLE },
  search_days: copied(),
  click_positions: copied(),
  event_days: copied(),
  revenue_days: copied(),
  product_revenue: copied(),
  tally_items: copied(),
  tallies: copied(),
  tally_packs: copied(),
  engaged_searches: { stays: SINGLE },
  burst_searches: { stays: SINGLE },
  widget_pages: copied({ named: 'number', refs: { key_id: 'public_keys' } }),
  widget_page_days: copied({ refs: { page: 'widget_pages' } }),
  unmet_searches: { stays: SINGLE },
  unmet_maps: { stays: SINGLE },
  together_runs: { stays: 'It tells how far a count of this install has come.' },
  together_products: { stays: 'It is empty but during a count.' },
  together_pairs: { stays: 'It is empty but during a count.' },
  together_lists: { stays: 'They are counted from single events, which do not travel.' },

  change_numbers: { stays: 'The log of changes begins anew, as the id of the store is new.' },
  changes: { stays: 'The log of changes begins anew, as the id of the store is new.' },
  webhooks: copied({
    named: 'uuid',
    without: ['consecutive_failures', 'failing_since', 'last_delivery_at', 'last_status', 'deleted_at'],
    where: 'deleted_at IS NULL',
    json: { events: 'texts' },
  }),
  signing_secrets: {
    as: 'Sealed by the passphrase; without one, webhooks get new secrets and are switched off.',
  },
  deliveries: { stays: HISTORY },

  usage_months: { stays: 'What was used counts where it was used.' },
  product_days: { stays: HISTORY },
  plan_warnings: { stays: HISTORY },
  checkouts: { stays: MONEY },
  invoices: { stays: MONEY },
  invoice_numbers: { stays: OF_INSTALL },
  subscriptions: { stays: MONEY },
  provider_events: { stays: OF_INSTALL },

  vectors: { as: 'With their pictures.' },
  models: { as: 'The manifest names the models of the vectors.' },
  late_writes: { stays: 'What a running service counted in the last half minute is not in its tables yet.' },
  idempotency_keys: { stays: PASSING },
  person_idempotency_keys: { stays: OF_INSTALL },
  throttle_events: { stays: PASSING },
  seals: { stays: OF_INSTALL },
  write_probe: { stays: OF_INSTALL },
}

/** Rows of a table whose new names memory holds while a store arrives: far more than any store has of keys, feeds or pages. */
export const NAMED_ROWS_MAX = 20_000

/** The tables whose rows are copied, in the order in which they are written. */
export const COPIED_TABLES: readonly string[] = Object.keys(STORE_FILE).filter(
  (table) => 'copied' in (STORE_FILE[table] as Journey),
)

/** @throws Error for a table whose rows are not copied. */
export function findCopied(table: string): CopiedTable {
  const journey = STORE_FILE[table]
  if (!journey || !('copied' in journey)) throw new Error(`${table} is not copied`)
  return journey.copied
}
