import type { Db } from '../../../platform/db/open.ts'

export type OwnerNoticeQueries = ReturnType<typeof ownerNoticeQueries>

/** Owners beyond these are told by the audit log alone. */
const OWNERS_MAX = 20

/** SQL about whom to tell what happened to a store. */
export function ownerNoticeQueries(db: Db) {
  const owners = db.prepare<[storeId: string], { email: string }>(`
    SELECT email FROM memberships JOIN users ON users.id = user_id
    WHERE store_id = ? AND role = 'owner' ORDER BY memberships.created_at, email LIMIT ${OWNERS_MAX}`)
  const slug = db.prepare<[storeId: string], { slug: string }>('SELECT slug FROM stores WHERE id = ?')
  const email = db.prepare<[userId: string], { email: string }>('SELECT email FROM users WHERE id = ?')
  return {
    /** Mail addresses of the owners of a store, the oldest members first. */
    ownersOf: (storeId: string): string[] => owners.all(storeId).map(({ email }) => email),
    slugOf: (storeId: string): string | undefined => slug.get(storeId)?.slug,
    emailOf: (userId: string): string | undefined => email.get(userId)?.email,
  }
}
