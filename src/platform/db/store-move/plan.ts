/** A table whose rows travel with a store that moves to another node while it is served. */
export interface MovedTable {
  /**
   * Local columns that name a row within its store and by which rows are read in steps, without `store_id`. The same columns
   * name it on the line; where they are numbers of this database, `out` makes them names that the target knows.
   */
  key: readonly string[]
  /** The columns of the unique index that a row of the target is found by. */
  unique: readonly string[]
  /** Columns of the key that hold bytes. */
  bytes?: readonly string[]
  /** Columns that stay behind. */
  without?: readonly string[]
  /** Rows that travel; by default all of the store. */
  where?: string
  /** Columns that travel as another value: an expression over the row. */
  out?: Readonly<Record<string, string>>
  /** How that value, `@column`, becomes the one of the target; `@store_id` is the store. */
  in?: Readonly<Record<string, string>>
  /** Columns with values that only this node can open. */
  sealed?: readonly string[]
  /** Columns whose change alone says nothing to the target. */
  capturedColumns?: readonly string[]
  /** Triggers change it when rows of other tables go: it is written once they are gone. */
  isLast?: boolean
  /** Rows that cannot change: what the target has already is left as it is. */
  isAppendOnly?: boolean
}

/** What becomes of a table when a store moves to another node. */
export type Passage =
  | { moves: MovedTable }
  /** They travel in a form of their own, or follow from other rows. */
  | { as: string }
  /** Why they stay. */
  | { stays: string }

const OF_NODE = 'It belongs to the node, not to a store.'
const MADE_ANEW = 'It is made anew on the target.'

const moves = (key: readonly string[], table: Omit<MovedTable, 'key' | 'unique'> = {}): Passage => ({
  moves: { key, unique: ['store_id', ...key], ...table },
})
/** Rows that have one name on all nodes. */
const named = (key: readonly string[], table: Omit<MovedTable, 'key' | 'unique'> = {}): Passage => ({
  moves: { key, unique: key, ...table },
})

/** People are known by their addresses: an account of the target has another id. */
const addressOf = (table: string, column: string): string =>
  `(SELECT email FROM users WHERE users.id = ${table}.${column})`
/** The same for whoever did something once, and may have left. */
const memberOf = (table: string, column: string): string =>
  `(SELECT email FROM users JOIN memberships ON memberships.user_id = users.id
    WHERE users.id = ${table}.${column} AND memberships.store_id = ${table}.store_id)`
const personOf = (column: string): string => `(SELECT id FROM users WHERE email = @${column})`

/** Pages of a widget are numbered by each node. */
const pageOf = (table: string, column: string): string =>
  `(SELECT key_id || ' ' || origin FROM widget_pages WHERE widget_pages.id = ${table}.${column})`
const pageHere = (column: string): string =>
  `(SELECT id FROM widget_pages WHERE store_id = @store_id AND key_id || ' ' || origin = @${column})`

const modelOf = (table: string): string => `(SELECT hash FROM models WHERE models.id = ${table}.model)`
const MODEL_HERE = '(SELECT id FROM models WHERE hash = @model)'

/**
 * What becomes of each table when a store moves. Rows are written in this order, so those that others name come first; rows
 * that are gone are deleted in the opposite order.
 */
export const PASSAGES: Readonly<Record<string, Passage>> = {
  stores: {
    moves: {
      key: ['id'],
      unique: ['id'],
      // The slug is taken when the store opens. Triggers count products and bytes.
      without: [
        ...['slug', 'kept_jti', 'kept_bytes', 'product_count', 'thumbnail_bytes', 'suspended_at'],
        ...['suspended_reason', 'delete_at', 'delete_asked_by', 'erasing_at'],
        ...['move_state', 'moved_to', 'moved_at', 'emptied_at'],
      ],
      capturedColumns: ['name', 'plan', 'client_secret_hash', 'secret_generation', 'secret_made_at'],
    },
  },
  store_settings: moves([]),
  store_time_zones: moves(['after']),
  // With the account of each member.
  memberships: moves(['user_id'], {
    out: { user_id: addressOf('memberships', 'user_id') },
    in: { user_id: personOf('user_id') },
  }),
  users: { as: 'Accounts travel with their memberships.' },
  two_factor: { as: 'Second factors travel with the account.' },
  recovery_codes: { stays: 'They are hashed with a key of this node; their owner makes new ones.' },
  user_groups: named(['id']),
  user_group_members: named(['group_id', 'user_id'], {
    out: { user_id: addressOf('user_group_members', 'user_id') },
    in: { user_id: personOf('user_id') },
  }),
  team_invites: named(['id'], {
    out: { invited_by: memberOf('team_invites', 'invited_by') },
    in: { invited_by: personOf('invited_by') },
  }),
  awaited_people: moves(['email', 'kind', 'of_id']),
  api_keys: named(['id'], {
    out: { created_by: memberOf('api_keys', 'created_by') },
    in: { created_by: personOf('created_by') },
  }),
  public_keys: named(['id']),
  widget_traces: named(['key_id', 'origin']),
  ip_entries: named(['id'], {
    out: { created_by: memberOf('ip_entries', 'created_by') },
    in: { created_by: personOf('created_by') },
  }),
  audit_events: named(['id'], { isAppendOnly: true }),

  kept_pictures: named(['address']),
  thumbnails: { moves: { key: ['hash'], unique: ['hash'], bytes: ['hash'], without: ['id'] } },
  // With its pictures and their vectors.
  products: moves(['product_id'], { without: ['id'] }),
  pictures: { as: 'They travel with their product.' },
  vectors: { as: 'They travel with their pictures.' },
  product_words: { as: 'Triggers write it from the products.' },
  product_levels: { as: 'Triggers write it from the products.' },
  jobs: {
    moves: {
      key: ['job_id'],
      unique: ['job_id'],
      without: ['id'],
      out: { author_user: memberOf('jobs', 'author_user') },
      in: { author_user: personOf('author_user') },
    },
  },
  job_items: {
    moves: {
      key: ['job', 'position'],
      unique: ['job', 'position'],
      // What lies in a file of the job travels in the row; nobody works on it here any more.
      without: ['id', 'file_offset', 'file_bytes', 'lease', 'leased_until', 'is_begun'],
      out: {
        job: '(SELECT job_id FROM jobs WHERE jobs.id = job_items.job)',
        state: "iif(state = 'running', 'pending', state)",
      },
      in: { job: '(SELECT id FROM jobs WHERE job_id = @job AND store_id = @store_id)' },
    },
  },
  feeds: named(['id'], { without: ['is_running'], sealed: ['credentials'] }),
  feed_products: named(['feed_id', 'product_id']),
  feed_runs: named(['feed_id', 'run_number']),
  searches: named(['id']),
  search_checks: named(['id'], { without: ['waiting_for', 'last_job'] }),
  search_rules: named(['id']),
  search_rule_counts: named(['rule_id']),
  store_words: moves(['kind', 'place']),
  learned_clicks: moves([]),
  feedback_counts: moves(['origin'], { isLast: true }),
  feedback_events: named(['id']),
  weekly_mails: moves([]),
  weekly_mail_leavers: moves(['user_id'], {
    where:
      'user_id IN (SELECT user_id FROM memberships WHERE memberships.store_id = weekly_mail_leavers.store_id)',
    out: { user_id: addressOf('weekly_mail_leavers', 'user_id') },
    in: { user_id: personOf('user_id') },
  }),
  search_days: moves(['day', 'type']),
  click_positions: moves(['day', 'bucket']),
  event_days: moves(['day', 'action']),
  revenue_days: moves(['day', 'currency']),
  product_revenue: moves(['product', 'day', 'currency']),
  tally_items: moves(['kind', 'number']),
  tallies: moves(['kind', 'day', 'item']),
  tally_packs: moves(['kind', 'day']),
  widget_pages: moves(['key_id', 'origin'], { without: ['id'] }),
  widget_page_days: moves(['day', 'page'], {
    where: 'page IN (SELECT id FROM widget_pages WHERE widget_pages.store_id = widget_page_days.store_id)',
    out: { page: pageOf('widget_page_days', 'page') },
    in: { page: pageHere('page') },
  }),
  engaged_searches: named(['search_id']),
  burst_searches: named(['search_id'], {
    out: { into_page: pageOf('burst_searches', 'into_page') },
    in: { into_page: pageHere('into_page') },
  }),
  unmet_searches: named(['search_id'], {
    out: { model: modelOf('unmet_searches') },
    in: { model: MODEL_HERE },
  }),
  unmet_maps: { stays: MADE_ANEW },
  together_runs: moves([]),
  together_products: moves(['number']),
  together_pairs: moves(['one', 'other']),
  together_lists: moves(['product_id']),

  changes: moves(['number'], { without: ['id'] }),
  change_numbers: moves([], { isLast: true }),
  webhooks: named(['id']),
  signing_secrets: moves(['owner', 'number'], { sealed: ['sealed'] }),
  deliveries: moves(['id'], { without: ['row'] }),

  usage_months: moves(['month']),
  product_days: moves(['day']),
  plan_warnings: moves(['month', 'resource', 'percent']),
  checkouts: named(['id']),
  invoices: named(['id']),
  subscriptions: named(['id']),
  // A repeated request is known on the target, too, unless its answer held a secret, which is sealed.
  idempotency_keys: moves(['key'], { where: "status IS NOT NULL AND body NOT LIKE 'sealed:%'" }),

  store_arrivals: { stays: OF_NODE },
  registrations: { stays: OF_NODE },
  registration_invites: { stays: OF_NODE },
  password_resets: { stays: OF_NODE },
  email_changes: { stays: OF_NODE },
  sessions: { stays: 'Sign-ins end with the move.' },
  setup_codes: { stays: OF_NODE },
  sign_in_addresses: { stays: OF_NODE },
  revoked_tokens: { stays: OF_NODE },
  outbox: { stays: OF_NODE },
  released_pictures: { stays: 'It names files of this node that may go.' },
  catalogue_reports: { stays: MADE_ANEW },
  reembedding_tries: { stays: MADE_ANEW },
  model_state: { stays: OF_NODE },
  model_moves: { stays: OF_NODE },
  model_move_stores: { stays: OF_NODE },
  store_models: { stays: 'The target has a model of its own; each vector names its model.' },
  leaving_models: { stays: OF_NODE },
  search_replays: { stays: 'A replay is started anew.' },
  replayed_searches: { stays: 'A replay is started anew.' },
  invoice_numbers: { stays: OF_NODE },
  provider_events: { stays: OF_NODE },
  backups: { stays: OF_NODE },
  model_fetches: { stays: OF_NODE },
  models: { as: 'The announcement of the move names the models.' },
  late_writes: { stays: 'It is written to its tables before the last rows are sent.' },
  person_idempotency_keys: { stays: OF_NODE },
  throttle_events: { stays: OF_NODE },
  seals: { stays: OF_NODE },
  write_probe: { stays: OF_NODE },
  disk_samples: { stays: OF_NODE },
  store_moves: { stays: OF_NODE },
  arriving_moves: { stays: OF_NODE },
  node_invites: { stays: OF_NODE },
  moved_names: { stays: OF_NODE },
  move_changes: { stays: 'It tells of the move itself.' },
  move_people: { stays: 'It tells of the move itself.' },
}

/**
 * What a change in a table may change of how rows of other tables travel, without a note of the capture: pages and people are
 * named by their rows, and the members of a group go with it.
 */
export const NAMED_BY: Readonly<Record<string, readonly string[]>> = {
  user_groups: ['user_group_members'],
  widget_pages: ['widget_page_days', 'burst_searches'],
  memberships: ['team_invites', 'api_keys', 'ip_entries', 'jobs', 'weekly_mail_leavers'],
}

/** The tables whose rows travel, in the order in which they are written. */
export const MOVED_TABLES: readonly string[] = Object.keys(PASSAGES).filter(
  (table) => 'moves' in (PASSAGES[table] as Passage),
)

/** @throws Error for a table whose rows do not travel. */
export function findMovedTable(table: string): MovedTable {
  const passage = Object.hasOwn(PASSAGES, table) ? PASSAGES[table] : undefined
  if (!passage || !('moves' in passage)) throw new Error(`${table} does not move`)
  return passage.moves
}
