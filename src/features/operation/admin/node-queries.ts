import type { PlanName } from '../../../core/plans.ts'
import type { Db } from '../../../platform/db/open.ts'

interface Counts {
  active: number
  suspended: number
  deletionPlanned: number
  jobs: number
  items: number
  deliveries: number
  databaseBytes: number
}

export type AdminNodeQueries = ReturnType<typeof adminNodeQueries>

export function adminNodeQueries(db: Db) {
  const byPlan = db.prepare<[], { plan: PlanName; stores: number }>(
    'SELECT plan, count(*) AS stores FROM stores WHERE erasing_at IS NULL GROUP BY plan',
  )
  const counts = db.prepare<[], Counts>(`
    SELECT count(*) FILTER (WHERE suspended_at IS NULL) AS active,
      count(*) FILTER (WHERE suspended_at IS NOT NULL AND delete_at IS NULL) AS suspended,
      count(*) FILTER (WHERE delete_at IS NOT NULL) AS deletionPlanned,
      (SELECT count(*) FROM jobs INDEXED BY jobs_unfinished WHERE finished_at IS NULL) AS jobs,
      (SELECT count(*) FROM job_items INDEXED BY job_items_due WHERE state = 'pending') AS items,
      (SELECT count(*) FROM deliveries INDEXED BY deliveries_due WHERE state = 'pending') AS deliveries,
      (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size) AS databaseBytes
    FROM stores WHERE erasing_at IS NULL`)

  return {
    countByPlan: (): Map<PlanName, number> => new Map(byPlan.all().map(({ plan, stores }) => [plan, stores])),
    count: (): Counts => counts.get() as Counts,
  }
}
