import type { Db } from '../../../platform/db/open.ts'
import {
  API_KEY,
  AUDIT_EVENT,
  createExportList,
  type ExportRow,
  groupsOf,
  IP_ENTRY,
} from './export-rows-queries.ts'

/** The SQL of the lists of what the service holds about a person. */
export function personExportQueries(db: Db) {
  const list = createExportList(db)
  const lists = [
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
    // Who belonged to a store that came in a file, and has not joined it here.
    list(
      'awaited_person',
      `SELECT store_id || kind || of_id AS key, store_id, awaited_people.email, kind, of_id
      FROM users CROSS JOIN awaited_people ON awaited_people.email = users.email
      WHERE users.id = @id AND store_id || kind || of_id > @after ORDER BY store_id || kind || of_id`,
    ),
    list(
      'waiting_mail',
      `SELECT outbox.id AS key, recipient, subject, outbox.created_at
      FROM users CROSS JOIN outbox ON outbox.recipient = users.email
      WHERE users.id = @id AND outbox.id > @after ORDER BY outbox.id`,
    ),
    list('api_key', `SELECT store_id, ${API_KEY} WHERE created_by = @id AND id > @after ORDER BY id`),
    list('ip_entry', `SELECT store_id, ${IP_ENTRY} WHERE created_by = @id AND id > @after ORDER BY id`),
    list(
      'audit_event',
      `SELECT ${AUDIT_EVENT} WHERE user_id = @id AND store_id IS NULL AND id > @after ORDER BY id`,
    ),
    list(
      'audit_event',
      `SELECT store_id, ${AUDIT_EVENT} WHERE user_id = @id AND store_id IS NOT NULL AND id > @after ORDER BY id`,
    ),
  ]

  return function* ofPerson(userId: string): Generator<ExportRow, void> {
    for (const rows of lists) yield* rows(userId)
  }
}
