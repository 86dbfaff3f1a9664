import type { Role } from '../../../core/actor.ts'
import type { Db } from '../../../platform/db/open.ts'

/** Times are Unix ms. */
export interface AdminUserRow {
  id: string
  email: string
  name: string
  isSuperAdmin: boolean
  isProven: boolean
  hasTwoFactor: boolean
  signIns: number
  lastSignInAt: number | null
  createdAt: number
  stores: { id: string; slug: string; role: Role }[]
}

type Flags = 'isSuperAdmin' | 'isProven' | 'hasTwoFactor'
type StoredUser = Omit<AdminUserRow, Flags | 'stores'> & Record<Flags, 0 | 1> & { stores: string }

export interface OpenRegistration {
  id: string
  email: string
  storeName: string
  createdAt: number
  expiresAt: number
}

export type AdminPeopleQueries = ReturnType<typeof adminPeopleQueries>

const USERS = `SELECT id, email, name, is_super_admin AS isSuperAdmin, proven_at IS NOT NULL AS isProven,
    EXISTS (SELECT 1 FROM two_factor WHERE user_id = users.id AND enabled_at IS NOT NULL) AS hasTwoFactor,
    (SELECT count(*) FROM sessions WHERE user_id = users.id AND expires_at > @now) AS signIns,
    last_login_at AS lastSignInAt, created_at AS createdAt,
    (SELECT json_group_array(json_object('id', stores.id, 'slug', slug, 'role', role)
        ORDER BY memberships.created_at, slug)
      FROM memberships JOIN stores ON stores.id = store_id WHERE user_id = users.id) AS stores
  FROM users`

const REGISTRATIONS = `SELECT id, email, store_name AS storeName, created_at AS createdAt, expires_at AS expiresAt
  FROM registrations WHERE used_at IS NULL AND expires_at > @now`

/** Greater than every id. */
const END = '~'

export function adminPeopleQueries(db: Db) {
  const one = db.prepare<Record<string, unknown>, StoredUser>(`${USERS} WHERE id = @id`)
  const page = db.prepare<Record<string, unknown>, StoredUser>(`${USERS} WHERE id < @beforeId
    AND (@q IS NULL OR id = @q OR instr(email, @q) OR instr(lower(name), @q)) ORDER BY id DESC LIMIT @limit`)
  const registration = db.prepare<Record<string, unknown>, OpenRegistration>(`${REGISTRATIONS} AND id = @id`)
  const account = db.prepare<[email: string], { found: 1 }>('SELECT 1 AS found FROM users WHERE email = ?')
  const registrations = db.prepare<Record<string, unknown>, OpenRegistration>(
    `${REGISTRATIONS} AND id < @beforeId ORDER BY id DESC LIMIT @limit`,
  )

  return {
    find(id: string, now: number): AdminUserRow | undefined {
      const row = one.get({ id, now })
      return row && parse(row)
    },
    /** Newest first. @param beforeId only people who are newer here than this one. */
    listPage: (q: string | undefined, beforeId: string | null, now: number, limit: number): AdminUserRow[] =>
      page
        .all({ q: q?.toLowerCase() ?? null, beforeId: beforeId ?? END, now, limit: BigInt(limit) })
        .map(parse),
    hasAccount: (email: string): boolean => account.get(email) !== undefined,
    /** Registrations that wait for their link. */
    findRegistration: (id: string, now: number) => registration.get({ id, now }),
    listRegistrations: (beforeId: string | null, now: number, limit: number) =>
      registrations.all({ beforeId: beforeId ?? END, now, limit: BigInt(limit) }),
  }
}

const parse = ({ stores, ...row }: StoredUser): AdminUserRow => ({
  ...row,
  isSuperAdmin: row.isSuperAdmin === 1,
  isProven: row.isProven === 1,
  hasTwoFactor: row.hasTwoFactor === 1,
  stores: JSON.parse(stores),
})
