import type { Db } from '../../../platform/db/open.ts'

/** A product that a feed brought. */
export interface BroughtProduct {
  productId: string
  /** The last run whose file named it. */
  seenRun: number
  /** The run that made it. */
  broughtIn: number
}

export type FeedProductQueries = ReturnType<typeof feedProductQueries>

/** All SQL about the products that feeds name and bring. */
export function feedProductQueries(db: Db) {
  const see = db.prepare(`
    INSERT INTO feed_products (feed_id, store_id, product_id, seen_run) VALUES (?, ?, ?, ?)
    ON CONFLICT (feed_id, product_id) DO UPDATE SET seen_run = excluded.seen_run`)
  const bring = db.prepare(`
    INSERT INTO feed_products (feed_id, store_id, product_id, seen_run, brought_in)
    SELECT id, store_id, @productId, run_number, run_number FROM feeds INDEXED BY feeds_job
    WHERE run_job_id = @jobId AND deleted_at IS NULL
    ON CONFLICT (feed_id, product_id) DO UPDATE SET brought_in = excluded.brought_in`)
  const countAdded = db.prepare(
    'UPDATE feeds INDEXED BY feeds_job SET run_added = run_added + 1 WHERE run_job_id = ?',
  )
  const brought = db.prepare<[string, string, bigint], BroughtProduct>(`
    SELECT product_id AS productId, seen_run AS seenRun, brought_in AS broughtIn
    FROM feed_products INDEXED BY feed_products_brought
    WHERE feed_id = ? AND brought_in IS NOT NULL AND product_id > ? ORDER BY product_id LIMIT ?`)
  const one = db.prepare<[string, string], { seenRun: number; broughtIn: number | null }>(
    'SELECT seen_run AS seenRun, brought_in AS broughtIn FROM feed_products WHERE feed_id = ? AND product_id = ?',
  )
  // A feed no longer names a product that it last named before its last complete run.
  const elsewhere = db.prepare<Record<string, unknown>, { feedId: string }>(`
    SELECT feed_id AS feedId FROM feed_products INDEXED BY feed_products_product
      CROSS JOIN feeds ON feeds.id = feed_id AND deleted_at IS NULL AND seen_run >= complete_run
    WHERE feed_products.store_id = @storeId AND product_id = @productId AND feed_id <> @feedId LIMIT 1`)
  const release = db.prepare(
    'UPDATE feed_products SET brought_in = NULL WHERE feed_id = ? AND product_id = ?',
  )
  const takeOver = db.prepare(`
    UPDATE feed_products SET brought_in = seen_run WHERE feed_id = ? AND product_id = ? AND brought_in IS NULL`)
  const forget = db.prepare(`
    DELETE FROM feed_products WHERE (feed_id, product_id) IN (
      SELECT feed_id, product_id FROM feed_products INDEXED BY feed_products_seen
      WHERE feed_id = ? AND brought_in IS NULL AND seen_run < ? LIMIT ?)`)
  const forgetAll = db.prepare(`
    DELETE FROM feed_products WHERE (feed_id, product_id) IN (
      SELECT feed_id, product_id FROM feed_products WHERE feed_id = ? LIMIT ?)`)

  return {
    /** Notes that the file of a run names a product. */
    see: (feedId: string, storeId: string, productId: string, run: number): void =>
      void see.run(feedId, storeId, productId, run),
    /** Notes that the job of a feed has made a product that was not there. */
    bring(jobId: string, productId: string): void {
      bring.run({ jobId, productId })
      countAdded.run(jobId)
    },
    /** Products that a feed brought and that are there, by their ids. */
    listBrought: (feedId: string, after: string, limit: number): BroughtProduct[] =>
      brought.all(feedId, after, BigInt(limit)),
    find: (feedId: string, productId: string) => one.get(feedId, productId),
    /** Finds another feed of the store that names a product. */
    findOther: (feedId: string, storeId: string, productId: string): string | undefined =>
      elsewhere.get({ feedId, storeId, productId })?.feedId,
    /** Lets another feed stand for having brought a product. */
    handOver(feedId: string, productId: string, to: string): void {
      release.run(feedId, productId)
      takeOver.run(to, productId)
    },
    /** Forgets products that a feed named but did not bring, and no longer names. @returns how many. */
    forgetUnseen: (feedId: string, run: number, limit: number): number =>
      forget.run(feedId, run, BigInt(limit)).changes,
    /** Forgets products of a feed. @returns how many. */
    forgetAll: (feedId: string, limit: number): number => forgetAll.run(feedId, BigInt(limit)).changes,
  }
}
