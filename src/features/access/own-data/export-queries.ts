import { isoTime } from '../../../core/clock.ts'
import type { Db } from '../../../platform/db/open.ts'

/** One line of an export: what kind of record it is, and its fields as they go out. */
export type ExportRow = { type: string } & Record<string, unknown>

/** Rows that are read at a time. */
const PAGE = 50

type Fields = Record<string, unknown>
type Row = Fields & { key: string }

export type ExportQueries = ReturnType<typeof exportQueries>

/** Columns that hold JSON, which goes out as such. */
const JSON_COLUMNS: ReadonlySet<string> = new Set([
  ...['details', 'scopes', 'amr', 'results', 'parameters', 'groups', 'sign_ins'],
])
const FLAGS: ReadonlySet<string> = new Set(['is_super_admin', 'two_factor_enabled'])

/**
 * All SQL of the exports of data about people. It reads tables of many features and writes none. Every list is read in
 * pages along an index, so that no step holds the event loop.
 */
export function exportQueries(db: Db) {
  /**
   * Prepares a list in pages.
   *
   * @param sql selects `key` and the fields of the rows whose key is greater than `@after`, in the order of the key; `@id`
   *   is the store or the person.
   */
  function list(type: string, sql: string) {
    const page = db.prepare<{ id: string; after: string; limit: bigint }, Row>(`${sql} LIMIT @limit`)
    return function* rows(id: string): Generator<ExportRow, void> {
      for (let after = ''; ; ) {
        const found = page.all({ id, after, limit: BigInt(PAGE) })
        for (const row of found) yield toLine(type, row)
        const last = found.at(-1)
        if (!last || found.length < PAGE) return
        after = last.key
      }
    }
  }

  const auditEvent =
    'id AS key, id, action, actor_kind, user_id, key_id, details, address AS ip_address, request_id, created_at FROM audit_events'
  const apiKey = `id AS key, id, name, prefix, scopes, created_by, created_at, expires_at, last_used_at,
    last_used_ip FROM api_keys`
  const ipEntry = 'id AS key, id, cidr AS ip_address, description, created_by, created_at FROM ip_entries'
  const groupsOf = (person: string, store: string) => `
    (SELECT json_group_array(user_groups.name) FROM user_group_members JOIN user_groups ON user_groups.id = group_id
      WHERE user_id = ${person} AND user_groups.store_id = ${store}) AS groups`

  const feedbackFields = `feedback_events.id, session_id, search_id, product_id, action, position, order_id,
    order_value, currency, quantity, origin, occurred_at`
  const ofSession = (table: string, fields: string) => ({
    next: db
      .prepare<{ id: string; after: string }, string | null>(
        `SELECT min(session_id) FROM ${table} WHERE store_id = @id AND session_id > @after`,
      )
      .pluck(),
    rows: db.prepare<{ id: string; session: string; after: number; limit: bigint }, Fields & { key: number }>(
      `SELECT rowid AS key, ${fields} FROM ${table}
      WHERE store_id = @id AND session_id = @session AND rowid > @after ORDER BY rowid LIMIT @limit`,
    ),
  })
  const searches = ofSession(
    'searches',
    'id, session_id, searches.type AS search_type, query, parameters, results, created_at',
  )
  const feedback = ofSession('feedback_events', feedbackFields)
  // Feedback need not repeat the session of its search.
  const feedbackOfSearches = db.prepare<{ id: string; searches: string }, Fields>(`
    SELECT ${feedbackFields} FROM json_each(@searches) AS wanted CROSS JOIN feedback_events
      ON store_id = @id AND search_id = wanted.value
    WHERE session_id IS NULL`)

  /** The rows of one session after another, some at a time. */
  function* walk(id: string, { next, rows }: ReturnType<typeof ofSession>) {
    for (let session = next.get({ id, after: '' }); typeof session === 'string'; ) {
      for (let after = 0; ; ) {
        const found = rows.all({ id, session, after, limit: BigInt(PAGE) })
        if (found.length > 0) yield found
        if (found.length < PAGE) break
        after = found.at(-1)?.key ?? after
      }
      session = next.get({ id, after: session })
    }
  }

  const storeLists = [
    list(
      'member',
      `SELECT users.id AS key, users.id, email, users.name, role, memberships.created_at AS joined_at,
        memberships.last_used_at, last_login_at AS last_sign_in_at,
        EXISTS (SELECT 1 FROM two_factor WHERE user_id = users.id AND enabled_at IS NOT NULL) AS two_factor_enabled,
        ${groupsOf('users.id', '@id')},
        (SELECT json_group_array(json_object('ip_address', address, 'user_agent', user_agent,
            'last_used_at', strftime('%Y-%m-%dT%H:%M:%fZ', sessions.last_used_at / 1000.0, 'unixepoch')))
          FROM sessions WHERE user_id = users.id) AS sign_ins
      FROM memberships CROSS JOIN users ON users.id = user_id
      WHERE memberships.store_id = @id AND user_id > @after ORDER BY user_id`,
    ),
    list(
      'invite',
      `SELECT id AS key, id, email, role, invited_by, created_at, expires_at, accepted_at, cancelled_at
      FROM team_invites WHERE store_id = @id AND id > @after ORDER BY id`,
    ),
    list('api_key', `SELECT ${apiKey} WHERE store_id = @id AND id > @after ORDER BY id`),
    list('ip_entry', `SELECT ${ipEntry} WHERE store_id = @id AND id > @after ORDER BY id`),
    list('audit_event', `SELECT ${auditEvent} WHERE store_id = @id AND id > @after ORDER BY id`),
  ]

  const personLists = [
    list(
      'account',
      `SELECT id AS key, id, email, name, is_super_admin, created_at, password_changed_at,
        last_login_at AS last_sign_in_at, proven_at,
        (SELECT enabled_at FROM two_factor WHERE user_id = users.id) AS two_factor_enabled_at
      FROM users WHERE id = @id AND id > @after`,
    ),
    list(
      'membership',
      `SELECT store_id AS key, store_id, slug, stores.name, role, memberships.created_at AS joined_at,
        memberships.last_used_at, ${groupsOf('@id', 'stores.id')}
      FROM memberships CROSS JOIN stores ON stores.id = store_id
      WHERE memberships.user_id = @id AND store_id > @after ORDER BY store_id`,
    ),
    list(
      'sign_in',
      `SELECT id AS key, id, address AS ip_address, user_agent, amr, created_at, last_used_at, expires_at FROM sessions
      WHERE user_id = @id AND id > @after ORDER BY id`,
    ),
    list(
      'known_address',
      `SELECT address AS key, address AS ip_address, last_at AS last_sign_in_at FROM sign_in_addresses
      WHERE user_id = @id AND address > @after ORDER BY address`,
    ),
    list(
      'email_change',
      `SELECT user_id AS key, new_email, created_at AS requested_at, approved_at, confirmed_at, expires_at
      FROM email_changes WHERE user_id = @id AND user_id > @after`,
    ),
    list(
      'registration',
      `SELECT registrations.id AS key, registrations.email, store_name, registrations.created_at, used_at
      FROM users CROSS JOIN registrations ON registrations.email = users.email
      WHERE users.id = @id AND registrations.id > @after ORDER BY registrations.id`,
    ),
    list(
      'invite',
      `SELECT team_invites.id AS key, store_id, team_invites.email, role, team_invites.created_at, expires_at,
        accepted_at, cancelled_at
      FROM users CROSS JOIN team_invites ON team_invites.email = users.email
      WHERE users.id = @id AND team_invites.id > @after ORDER BY team_invites.id`,
    ),
    list(
      'waiting_mail',
      `SELECT outbox.id AS key, recipient, subject, outbox.created_at
      FROM users CROSS JOIN outbox ON outbox.recipient = users.email
      WHERE users.id = @id AND outbox.id > @after ORDER BY outbox.id`,
    ),
    list('api_key', `SELECT store_id, ${apiKey} WHERE created_by = @id AND id > @after ORDER BY id`),
    list('ip_entry', `SELECT store_id, ${ipEntry} WHERE created_by = @id AND id > @after ORDER BY id`),
    list(
      'audit_event',
      `SELECT ${auditEvent} WHERE user_id = @id AND store_id IS NULL AND id > @after ORDER BY id`,
    ),
    list(
      'audit_event',
      `SELECT store_id, ${auditEvent} WHERE user_id = @id AND store_id IS NOT NULL AND id > @after ORDER BY id`,
    ),
  ]

  return {
    /** What a store holds about its members. */
    *ofStore(storeId: string): Generator<ExportRow, void> {
      for (const rows of storeLists) yield* rows(storeId)
    },

    /** What the service holds about a person. */
    *ofPerson(userId: string): Generator<ExportRow, void> {
      for (const rows of personLists) yield* rows(userId)
    },

    /** Searches of shoppers with a session, those of one session together, and the feedback about them. */
    *ofShoppers(storeId: string): Generator<ExportRow, void> {
      for (const rows of walk(storeId, searches)) {
        for (const row of rows) yield toLine('search', row)
        const sessions = new Map(rows.map((row) => [row['id'], row['session_id']]))
        const wanted = JSON.stringify([...sessions.keys()])
        for (const row of feedbackOfSearches.all({ id: storeId, searches: wanted }))
          yield toLine('feedback', { ...row, session_id: sessions.get(row['search_id']) })
      }
      for (const rows of walk(storeId, feedback)) for (const row of rows) yield toLine('feedback', row)
    },
  }
}

function toLine(type: string, { key: _key, ...fields }: Fields): ExportRow {
  const line: ExportRow = { type }
  for (const [name, value] of Object.entries(fields)) {
    if (JSON_COLUMNS.has(name) && typeof value === 'string') line[name] = JSON.parse(value)
    else if (FLAGS.has(name)) line[name] = value === 1
    else line[name] = name.endsWith('_at') && typeof value === 'number' ? isoTime(value) : value
  }
  return line
}
