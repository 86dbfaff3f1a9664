import type { Db } from '../../../platform/db/open.ts'

export interface SignIns {
  /** Sessions whose token is valid or can still be refreshed. */
  sessions: number
  /** Unix ms; null if no member has ever signed in. */
  lastLoginAt: number | null
}

export type OverviewQueries = ReturnType<typeof overviewQueries>

/** SQL of the overview that belongs to no other feature. */
export function overviewQueries(db: Db) {
  const signIns = db.prepare<{ storeId: string; now: number }, SignIns>(`
    SELECT
      (SELECT count(*) FROM memberships JOIN sessions USING (user_id)
        WHERE store_id = @storeId AND expires_at > @now) AS sessions,
      (SELECT max(last_login_at) FROM memberships JOIN users ON users.id = user_id
        WHERE store_id = @storeId) AS lastLoginAt`)
  return {
    /** Summarizes the sign-ins of the members of a store. @param now Unix ms. */
    summarizeSignIns: (storeId: string, now: number): SignIns => signIns.get({ storeId, now }) as SignIns,
  }
}
