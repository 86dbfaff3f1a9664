import type { Db } from '../../../platform/db/open.ts'

/** What the tables tell of the node as a whole. */
export interface NodeCounts {
  storesActive: number
  storesSuspended: number
  products: number
  jobs: number
  /** Items of jobs that are not over. */
  items: number
  feeds: number
  feedsFailing: number
  webhooksFailing: number
  webhooksDisabled: number
  /** Deliveries that wait, counted up to {@link BACKLOG_MAX}. */
  backlog: number
  mails: number
}

/** Longer queues are not counted to their end. */
const BACKLOG_MAX = 10_000

export type MetricsQueries = ReturnType<typeof metricsQueries>

export function metricsQueries(db: Db) {
  const counts = db.prepare<[], NodeCounts>(`
    WITH s AS (
      SELECT count(*) FILTER (WHERE suspended_at IS NULL) AS active,
        count(*) FILTER (WHERE suspended_at IS NOT NULL) AS suspended, total(product_count) AS products
      FROM stores WHERE erasing_at IS NULL),
    j AS (
      SELECT count(*) AS jobs, total(total - succeeded - unchanged - failed - cancelled) AS items
      FROM jobs INDEXED BY jobs_unfinished WHERE finished_at IS NULL),
    f AS (
      SELECT count(*) AS feeds, count(*) FILTER (WHERE consecutive_failures > 0 AND is_paused = 0) AS failing
      FROM feeds WHERE deleted_at IS NULL),
    w AS (
      SELECT count(*) FILTER (WHERE enabled = 1 AND failing_since IS NOT NULL) AS failing,
        count(*) FILTER (WHERE disabled_reason IN ('receiver_gone', 'always_failing')) AS disabled
      FROM webhooks WHERE deleted_at IS NULL)
    SELECT s.active AS storesActive, s.suspended AS storesSuspended, s.products, j.jobs, j.items, f.feeds,
      f.failing AS feedsFailing, w.failing AS webhooksFailing, w.disabled AS webhooksDisabled,
      (SELECT count(*) FROM (SELECT 1 FROM deliveries INDEXED BY deliveries_due WHERE state = 'pending'
        LIMIT ${BACKLOG_MAX})) AS backlog,
      (SELECT count(*) FROM outbox) AS mails
    FROM s, j, f, w`)

  return { count: (): NodeCounts => counts.get() as NodeCounts }
}
