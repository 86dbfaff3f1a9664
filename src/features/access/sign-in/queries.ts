import type { Permission, Role } from '../../../core/actor.ts'
import type { PlanName } from '../../../core/plans.ts'
import type { Db } from '../../../platform/db/open.ts'

export interface CredentialRow {
  id: string
  slug: string
  name: string
  plan: PlanName
  clientSecretHash: Buffer
  /** Counts up with each new secret. */
  secretGeneration: number
  /** The one token of an older secret that goes on: the one that asked for the new secret. */
  keptJti: string | null
}

export interface PersonRow {
  id: string
  email: string
  name: string
  passwordHash: string
  isSuperAdmin: boolean
}

export interface MembershipRow {
  storeId: string
  slug: string
  name: string
  role: Role
  plan: PlanName
  joinedAt: number
  lastUsedAt: number | null
}

export interface SessionRow {
  id: string
  userId: string
  /** Of the one token that is valid now. */
  jti: string
  amr: string[]
  address: string
  userAgent: string | null
  createdAt: number
  lastUsedAt: number
  /** Unix ms after which its token could not be refreshed. */
  expiresAt: number
}

export type AuthQueries = ReturnType<typeof signInQueries>

/** All SQL about who signs in: stores' secrets, people, memberships and ended tokens. */
export function signInQueries(db: Db) {
  const storeColumns = `id, slug, name, plan, client_secret_hash AS clientSecretHash,
    secret_generation AS secretGeneration, kept_jti AS keptJti`
  const credential = db.prepare<[id: string], CredentialRow>(
    `SELECT ${storeColumns} FROM stores WHERE id = ?`,
  )
  const storeBySlug = db.prepare<[slug: string], CredentialRow>(
    `SELECT ${storeColumns} FROM stores WHERE slug = ?`,
  )
  type StoredPerson = Omit<PersonRow, 'isSuperAdmin'> & { isSuperAdmin: number }
  const personColumns =
    'id, email, name, password_hash AS passwordHash, is_super_admin AS isSuperAdmin FROM users'
  const personById = db.prepare<[id: string], StoredPerson>(`SELECT ${personColumns} WHERE id = ?`)
  const personByEmail = db.prepare<[email: string], StoredPerson>(`SELECT ${personColumns} WHERE email = ?`)
  const memberships = db.prepare<[userId: string], MembershipRow>(`
    SELECT store_id AS storeId, slug, name, role, plan, memberships.created_at AS joinedAt, last_used_at AS lastUsedAt
    FROM memberships JOIN stores ON stores.id = store_id WHERE user_id = ? ORDER BY name, slug`)
  const groups = db.prepare<[userId: string, storeId: string], { permissionNames: string }>(`
    SELECT permission_names AS permissionNames
    FROM user_group_members JOIN user_groups ON user_groups.id = group_id
    WHERE user_id = ? AND store_id = ?`)
  const touchMembership = db.prepare(
    'UPDATE memberships SET last_used_at = ? WHERE user_id = ? AND store_id = ?',
  )
  const setPassword = db.prepare('UPDATE users SET password_hash = ?, password_changed_at = ? WHERE id = ?')
  const rehash = db.prepare('UPDATE users SET password_hash = ? WHERE id = ? AND password_hash = ?')
  const setLastLogin = db.prepare('UPDATE users SET last_login_at = ? WHERE id = ?')
  const revoked = db.prepare<[jti: string], { found: 1 }>(
    'SELECT 1 AS found FROM revoked_tokens WHERE jti = ?',
  )
  const revoke = db.prepare('INSERT OR IGNORE INTO revoked_tokens (jti, expires_at) VALUES (?, ?)')
  const prune = db.prepare('DELETE FROM revoked_tokens WHERE expires_at < ?')

  const person = (row: StoredPerson | undefined): PersonRow | undefined =>
    row && { ...row, isSuperAdmin: row.isSuperAdmin === 1 }

  return {
    credential: (clientId: string) => credential.get(clientId),
    storeBySlug: (slug: string) => storeBySlug.get(slug),
    personById: (id: string) => person(personById.get(id)),
    personByEmail: (email: string) => person(personByEmail.get(email)),
    membershipsOf: (userId: string) => memberships.all(userId),
    /** The permissions of each group of the store that the person is in. */
    groupsOf: (userId: string, storeId: string): Permission[][] =>
      groups.all(userId, storeId).map(({ permissionNames }) => JSON.parse(permissionNames)),
    touchMembership: (userId: string, storeId: string, now: number): void =>
      void touchMembership.run(BigInt(now), userId, storeId),
    setPassword: (userId: string, passwordHash: string, now: number): void =>
      void setPassword.run(passwordHash, BigInt(now), userId),
    /** Replaces a hash of the same password, unless the password was changed meanwhile. */
    rehash: (userId: string, before: string, after: string): void => void rehash.run(after, userId, before),
    setLastLogin: (userId: string, now: number): void => void setLastLogin.run(BigInt(now), userId),

    isRevoked: (jti: string): boolean => revoked.get(jti) !== undefined,
    /**
     * Ends a token before its time; of several at once exactly one is told that it did.
     *
     * @param keepUntil Unix ms after which the token could not be refreshed either.
     */
    revoke: (jti: string, keepUntil: number): boolean => revoke.run(jti, BigInt(keepUntil)).changes > 0,
    pruneRevoked: (now: number): void => void prune.run(BigInt(now)),
  }
}
