import type { PlanName } from '../../../core/plans.ts'
import type { Db } from '../../../platform/db/open.ts'

export interface StoreRow {
  id: string
  slug: string
  name: string
  plan: PlanName
}

export interface NewStore extends StoreRow {
  clientSecretHash: Buffer
  createdAt: number
}

export interface NewUser {
  id: string
  email: string
  name: string
  passwordHash: string
  isSuperAdmin: boolean
  /** Unix ms at which mailbox and password were proved to belong to one person; null when they were not. */
  provenAt: number | null
  createdAt: number
}

export type AccountQueries = ReturnType<typeof accountQueries>

/** All SQL about stores, people and who belongs where. */
export function accountQueries(db: Db) {
  const storeBySlug = db.prepare<[slug: string], StoreRow>(
    'SELECT id, slug, name, plan FROM stores WHERE slug = ?',
  )
  const storeById = db.prepare<[id: string], StoreRow>('SELECT id, slug, name, plan FROM stores WHERE id = ?')
  const userByEmail = db.prepare<[email: string], { id: string; email: string; passwordHash: string }>(
    'SELECT id, email, password_hash AS passwordHash FROM users WHERE email = ?',
  )
  const superAdmins = db.prepare<[], { count: number }>(
    'SELECT count(*) AS count FROM users WHERE is_super_admin = 1',
  )
  const insertStore = db.prepare(`
    INSERT INTO stores (id, slug, name, plan, client_secret_hash, created_at)
    VALUES (@id, @slug, @name, @plan, @clientSecretHash, @createdAt)`)
  const insertUser = db.prepare(`
    INSERT INTO users (id, email, name, password_hash, is_super_admin, verified_at, proven_at, created_at)
    VALUES (@id, @email, @name, @passwordHash, @superAdmin, @createdAt, @provenAt, @createdAt)`)
  const insertMembership = db.prepare(`
    INSERT INTO memberships (user_id, store_id, role, created_at) VALUES (?, ?, 'owner', ?)`)
  const prove = db.prepare('UPDATE users SET proven_at = @now WHERE id = @userId AND proven_at IS NULL')
  const soleStores = db.prepare<[userId: string], { id: string }>(`
    SELECT store_id AS id FROM memberships AS own WHERE user_id = ? AND role = 'owner'
      AND NOT EXISTS (SELECT 1 FROM memberships WHERE store_id = own.store_id AND user_id <> own.user_id)`)
  const renewSecret = db.prepare(`
    UPDATE stores SET client_secret_hash = ?, secret_generation = secret_generation + 1, kept_jti = NULL
    WHERE id = ?`)
  const ofPerson = ['two_factor', 'recovery_codes'].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE user_id = ?`),
  )
  const ofStore = ['api_keys', 'public_keys', 'ip_entries'].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE store_id = ?`),
  )
  const setPlan = db.prepare('UPDATE stores SET plan = ? WHERE slug = ?')

  return {
    storeBySlug: (slug: string) => storeBySlug.get(slug),
    storeById: (id: string) => storeById.get(id),
    userByEmail: (email: string) => userByEmail.get(email),
    /** Notes that mailbox and password belong to one person. @returns false when that was known. */
    prove: (userId: string, now: number): boolean => prove.run({ userId, now }).changes > 0,
    /**
     * Ends all that lets somebody in beside the password: the second factor of a person, and the keys, the client secret
     * and the IP list of the stores that have no other member. To be called in a transaction.
     *
     * @param newSecretHash gives the hash of a secret that nobody knows.
     */
    takeOver(userId: string, newSecretHash: () => Buffer): void {
      for (const statement of ofPerson) statement.run(userId)
      for (const { id } of soleStores.all(userId)) {
        for (const statement of ofStore) statement.run(id)
        renewSecret.run(newSecretHash(), id)
      }
    },
    hasSuperAdmin: (): boolean => (superAdmins.get()?.count ?? 0) > 0,
    setPlan: (slug: string, plan: PlanName): void => void setPlan.run(plan, slug),

    /** Writes a store with its owner; the owner may exist already. */
    addStore: db.transaction((store: NewStore, owner: NewUser | { id: string }) => {
      insertStore.run(store)
      if ('email' in owner) insertUser.run({ ...owner, superAdmin: owner.isSuperAdmin ? 1 : 0 })
      insertMembership.run(owner.id, store.id, store.createdAt)
    }),
  }
}
