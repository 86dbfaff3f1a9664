import type { PlanName } from '../../../core/plans.ts'
import type { Db } from '../../../platform/db/open.ts'
import type { STORE_STATUSES } from './schema.ts'

/** Times are Unix ms. */
export interface AdminStoreRow {
  id: string
  slug: string
  name: string
  plan: PlanName
  products: number
  storageBytes: number
  searches: number
  searchesToday: number
  /** JSON of `last_feed`. */
  lastFeed: string | null
  members: number
  createdAt: number
  suspendedAt: number | null
  suspendedReason: string | null
  deleteAt: number | null
}

export interface AdminStoreFilter {
  q: string | undefined
  status: (typeof STORE_STATUSES)[number] | undefined
  /** Only stores that are older than this one. */
  beforeId: string | null
  /** The first day whose searches count, and the present one. */
  since: number
  today: number
}

export type AdminStoreQueries = ReturnType<typeof adminStoreQueries>

const STORES = `SELECT id, slug, name, plan, product_count AS products, kept_bytes + thumbnail_bytes AS storageBytes,
    (SELECT coalesce(sum(searches), 0) FROM search_days WHERE store_id = stores.id AND day >= @since) AS searches,
    (SELECT coalesce(sum(searches), 0) FROM search_days WHERE store_id = stores.id AND day >= @today) AS searchesToday,
    (SELECT json_object('feed_id', feed_id, 'status', status, 'finishedAt', run ->> '$.finishedAt')
      FROM feed_runs WHERE store_id = stores.id AND run ->> '$.finishedAt' IS NOT NULL
      ORDER BY run ->> '$.finishedAt' DESC LIMIT 1) AS lastFeed,
    (SELECT count(*) FROM memberships WHERE store_id = stores.id) AS members,
    created_at AS createdAt, suspended_at AS suspendedAt, suspended_reason AS suspendedReason, delete_at AS deleteAt
  FROM stores WHERE erasing_at IS NULL`

const STATUS = `iif(suspended_at IS NULL, 'active', iif(delete_at IS NULL, 'suspended', 'deletion_planned'))`

/** Greater than every id. */
const END = '~'

export function adminStoreQueries(db: Db) {
  const one = db.prepare<Record<string, unknown>, AdminStoreRow>(`${STORES} AND id = @id`)
  const page = db.prepare<Record<string, unknown>, AdminStoreRow>(`${STORES} AND id < @beforeId
    AND (@status IS NULL OR ${STATUS} = @status)
    AND (@q IS NULL OR id = @q OR instr(slug, @q) OR instr(lower(name), @q) OR EXISTS (
      SELECT 1 FROM memberships JOIN users ON users.id = user_id
      WHERE store_id = stores.id AND role = 'owner' AND instr(email, @q)))
    ORDER BY id DESC LIMIT @limit`)

  return {
    find: (id: string, days: Pick<AdminStoreFilter, 'since' | 'today'>) => one.get({ id, ...days }),
    /** Newest first. */
    listPage: ({ q, status, beforeId, since, today }: AdminStoreFilter, limit: number): AdminStoreRow[] =>
      page.all({
        q: q?.toLowerCase() ?? null,
        status: status ?? null,
        since,
        today,
        beforeId: beforeId ?? END,
        limit: BigInt(limit),
      }),
  }
}
