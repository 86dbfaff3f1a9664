import { isoTime } from '../../../core/clock.ts'
import type { Db } from '../../../platform/db/open.ts'

/** One line of an export: what kind of record it is, and its fields as they go out. */
export type ExportRow = { type: string } & Record<string, unknown>

/** Rows that are read at a time. */
export const PAGE = 50

export type Fields = Record<string, unknown>
type Row = Fields & { key: string }

/** Columns that hold JSON, which goes out as such. */
const JSON_COLUMNS: ReadonlySet<string> = new Set([
  ...['details', 'scopes', 'amr', 'results', 'parameters', 'groups', 'sign_ins'],
])
const FLAGS: ReadonlySet<string> = new Set(['is_super_admin', 'two_factor_enabled'])

/**
 * Prepares lists in pages, so that no step holds the event loop.
 *
 * @returns a function that takes the type of a list and its SQL, which selects `key` and the fields of the rows whose key is
 *   greater than `@after`, in the order of the key; `@id` is the store or the person.
 */
export const createExportList = (db: Db) =>
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

export const AUDIT_EVENT =
  'id AS key, id, action, actor_kind, user_id, key_id, details, address AS ip_address, request_id, created_at FROM audit_events'
export const API_KEY = `id AS key, id, name, prefix, scopes, created_by, created_at, expires_at, last_used_at,
  last_used_ip FROM api_keys`
export const IP_ENTRY =
  'id AS key, id, cidr AS ip_address, description, created_by, created_at FROM ip_entries'
export const groupsOf = (person: string, store: string) => `
  (SELECT json_group_array(user_groups.name) FROM user_group_members JOIN user_groups ON user_groups.id = group_id
    WHERE user_id = ${person} AND user_groups.store_id = ${store}) AS groups`

/** Converts a row for the export. */
export function toLine(type: string, { key: _key, ...fields }: Fields): ExportRow {
  const line: ExportRow = { type }
  for (const [name, value] of Object.entries(fields)) {
    if (JSON_COLUMNS.has(name) && typeof value === 'string') line[name] = JSON.parse(value)
    else if (FLAGS.has(name)) line[name] = value === 1
    else line[name] = name.endsWith('_at') && typeof value === 'number' ? isoTime(value) : value
  }
  return line
}
