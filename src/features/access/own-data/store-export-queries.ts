import type { Db } from '../../../platform/db/open.ts'
import {
  API_KEY,
  AUDIT_EVENT,
  createExportList,
  type ExportRow,
  groupsOf,
  IP_ENTRY,
} from './export-rows-queries.ts'

/** The SQL of the lists of what a store holds about its members. */
export function storeExportQueries(db: Db) {
  const list = createExportList(db)
  const lists = [
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
    list(
      'awaited_person',
      `SELECT email || ' ' || kind || of_id AS key, email, kind, of_id FROM awaited_people
      WHERE store_id = @id AND email || ' ' || kind || of_id > @after ORDER BY email || ' ' || kind || of_id`,
    ),
    list('api_key', `SELECT ${API_KEY} WHERE store_id = @id AND id > @after ORDER BY id`),
    list('ip_entry', `SELECT ${IP_ENTRY} WHERE store_id = @id AND id > @after ORDER BY id`),
    list('audit_event', `SELECT ${AUDIT_EVENT} WHERE store_id = @id AND id > @after ORDER BY id`),
  ]

  return function* ofStore(storeId: string): Generator<ExportRow, void> {
    for (const rows of lists) yield* rows(storeId)
  }
}
