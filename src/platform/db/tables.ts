/** Whose rows a table holds: those of stores, or those of this install as a whole, or nobody's own. */
type Rows =
  | 'node'
  /** Written by triggers of other tables only. */
  | 'derived'
  | {
      /** The column that says whose row it is. */
      column: string
      /** The table whose row it names; without it the column holds the id of the store itself. */
      through?: string
    }

interface Table {
  /** The one feature, as wing and noun, or the one part of the platform whose SQL writes it. Triggers may write, too. */
  writer: string
  rows: Rows
}

const OF_STORE: Rows = { column: 'store_id' }

/** Every table. Code that moves or deletes a store, or that makes a backup, learns here which rows go along. */
export const TABLES: Readonly<Record<string, Table>> = {
  stores: { writer: 'stores/stores', rows: { column: 'id' } },
  // What names a store that is elsewhere; it stays when the rows of the store go.
  moved_names: { writer: 'stores/stores', rows: 'node' },
  store_settings: { writer: 'stores/settings', rows: OF_STORE },
  store_time_zones: { writer: 'stores/settings', rows: OF_STORE },
  users: { writer: 'stores/people', rows: 'node' },
  memberships: { writer: 'stores/people', rows: OF_STORE },
  user_groups: { writer: 'stores/groups', rows: OF_STORE },
  // A trigger takes a person who leaves a store out of its groups.
  user_group_members: { writer: 'stores/groups', rows: { column: 'group_id', through: 'user_groups' } },
  team_invites: { writer: 'stores/team', rows: OF_STORE },
  // A trigger takes a person's out when the person joins.
  awaited_people: { writer: 'stores/store-files', rows: OF_STORE },
  store_arrivals: { writer: 'stores/store-files', rows: OF_STORE },

  // Its store_id names the store that came of it.
  registrations: { writer: 'access/registration', rows: 'node' },
  registration_invites: { writer: 'access/registration', rows: 'node' },
  password_resets: { writer: 'access/password-reset', rows: 'node' },
  email_changes: { writer: 'access/email-change', rows: 'node' },
  sessions: { writer: 'access/sessions', rows: 'node' },
  setup_codes: { writer: 'stores/opening', rows: 'node' },
  sign_in_addresses: { writer: 'access/sign-in', rows: 'node' },
  revoked_tokens: { writer: 'access/sign-in', rows: 'node' },
  two_factor: { writer: 'access/two-factor', rows: 'node' },
  recovery_codes: { writer: 'access/two-factor', rows: 'node' },
  api_keys: { writer: 'access/api-keys', rows: OF_STORE },
  public_keys: { writer: 'access/widget-keys', rows: OF_STORE },
  widget_traces: { writer: 'access/widget-keys', rows: OF_STORE },
  ip_entries: { writer: 'access/ip-allowlist', rows: OF_STORE },
  // An event without a store concerns a person, and belongs to the node.
  audit_events: { writer: 'access/audit', rows: OF_STORE },
  outbox: { writer: 'mail/outbox', rows: 'node' },

  products: { writer: 'catalogue/products', rows: OF_STORE },
  product_words: { writer: 'catalogue/products', rows: 'derived' },
  product_levels: { writer: 'catalogue/products', rows: 'derived' },
  pictures: { writer: 'catalogue/products', rows: OF_STORE },
  kept_pictures: { writer: 'catalogue/products', rows: OF_STORE },
  released_pictures: { writer: 'catalogue/products', rows: { column: 'address', through: 'kept_pictures' } },
  thumbnails: { writer: 'catalogue/products', rows: OF_STORE },
  catalogue_reports: { writer: 'catalogue/report', rows: OF_STORE },
  reembedding_tries: { writer: 'catalogue/model-moves', rows: OF_STORE },
  model_state: { writer: 'catalogue/model-moves', rows: 'node' },
  model_moves: { writer: 'catalogue/model-moves', rows: 'node' },
  model_move_stores: { writer: 'catalogue/model-moves', rows: OF_STORE },
  store_models: { writer: 'catalogue/model-moves', rows: OF_STORE },
  leaving_models: { writer: 'catalogue/model-moves', rows: 'node' },
  jobs: { writer: 'catalogue/jobs', rows: OF_STORE },
  job_items: { writer: 'catalogue/jobs', rows: { column: 'job', through: 'jobs' } },
  feeds: { writer: 'catalogue/product-feeds', rows: OF_STORE },
  feed_products: { writer: 'catalogue/product-feeds', rows: OF_STORE },
  feed_runs: { writer: 'catalogue/product-feeds', rows: OF_STORE },
  searches: { writer: 'discovery/search', rows: OF_STORE },
  search_checks: { writer: 'discovery/search-checks', rows: OF_STORE },
  search_rules: { writer: 'discovery/rules', rows: OF_STORE },
  search_rule_counts: { writer: 'discovery/rules', rows: OF_STORE },
  store_words: { writer: 'discovery/store-words', rows: OF_STORE },
  search_replays: { writer: 'discovery/replay', rows: OF_STORE },
  replayed_searches: {
    writer: 'discovery/replay',
    rows: { column: 'job_id', through: 'search_replays' },
  },
  learned_clicks: { writer: 'discovery/learning', rows: OF_STORE },
  feedback_counts: { writer: 'discovery/feedback', rows: OF_STORE },
  feedback_events: { writer: 'discovery/feedback', rows: OF_STORE },
  weekly_mails: { writer: 'discovery/weekly-mail', rows: OF_STORE },
  weekly_mail_leavers: { writer: 'discovery/weekly-mail', rows: OF_STORE },
  search_days: { writer: 'discovery/analytics', rows: OF_STORE },
  click_positions: { writer: 'discovery/analytics', rows: OF_STORE },
  event_days: { writer: 'discovery/analytics', rows: OF_STORE },
  revenue_days: { writer: 'discovery/analytics', rows: OF_STORE },
  product_revenue: { writer: 'discovery/analytics', rows: OF_STORE },
  tally_items: { writer: 'discovery/analytics', rows: OF_STORE },
  tallies: { writer: 'discovery/analytics', rows: OF_STORE },
  tally_packs: { writer: 'discovery/analytics', rows: OF_STORE },
  engaged_searches: { writer: 'discovery/analytics', rows: OF_STORE },
  burst_searches: { writer: 'discovery/analytics', rows: OF_STORE },
  widget_pages: { writer: 'discovery/analytics', rows: OF_STORE },
  widget_page_days: { writer: 'discovery/analytics', rows: OF_STORE },
  unmet_searches: { writer: 'discovery/analytics', rows: OF_STORE },
  unmet_maps: { writer: 'discovery/analytics', rows: OF_STORE },
  together_runs: { writer: 'discovery/together', rows: OF_STORE },
  together_products: { writer: 'discovery/together', rows: OF_STORE },
  together_pairs: { writer: 'discovery/together', rows: OF_STORE },
  together_lists: { writer: 'discovery/together', rows: OF_STORE },

  change_numbers: { writer: 'delivery/change-log', rows: OF_STORE },
  changes: { writer: 'delivery/change-log', rows: OF_STORE },
  webhooks: { writer: 'delivery/webhooks', rows: OF_STORE },
  signing_secrets: { writer: 'delivery/webhooks', rows: OF_STORE },
  deliveries: { writer: 'delivery/webhooks', rows: OF_STORE },

  usage_months: { writer: 'billing/usage', rows: OF_STORE },
  product_days: { writer: 'billing/usage', rows: OF_STORE },
  plan_warnings: { writer: 'billing/usage', rows: OF_STORE },
  checkouts: { writer: 'billing/payments', rows: OF_STORE },
  invoices: { writer: 'billing/payments', rows: OF_STORE },
  invoice_numbers: { writer: 'billing/payments', rows: 'node' },
  subscriptions: { writer: 'billing/payments', rows: OF_STORE },
  provider_events: { writer: 'billing/payments', rows: 'node' },

  backups: { writer: 'operation/backups', rows: 'node' },
  model_fetches: { writer: 'operation/models', rows: 'node' },
  // Its store_id names the store that left, whose rows are gone one day.
  arriving_moves: { writer: 'nodes/arrivals', rows: 'node' },
  node_invites: { writer: 'nodes/trust', rows: 'node' },
  store_moves: { writer: 'nodes/departures', rows: 'node' },

  // Triggers write it while a store moves.
  move_changes: { writer: 'platform/db', rows: OF_STORE },
  move_people: { writer: 'platform/db', rows: OF_STORE },

  // One table for each model: vectors_1, vectors_2 and so on.
  vectors: { writer: 'platform/vectors', rows: OF_STORE },
  models: { writer: 'platform/db', rows: 'node' },
  late_writes: { writer: 'platform/db', rows: OF_STORE },
  idempotency_keys: { writer: 'platform/db', rows: OF_STORE },
  person_idempotency_keys: { writer: 'platform/db', rows: 'node' },
  throttle_events: { writer: 'platform/db', rows: 'node' },
  seals: { writer: 'platform/db', rows: 'node' },
  write_probe: { writer: 'platform/db', rows: 'node' },
  disk_samples: { writer: 'operation/disk-growth', rows: 'node' },
}
