import type { Db } from '../../../platform/db/open.ts'
import { CAN_RETRY, type ItemError } from './item-queries.ts'

export interface FailedItem {
  position: number
  productId: string | null
  error: ItemError
  canRetry: boolean
  /** Address of the picture; null where none is kept, or only among much else. */
  imageUrl: string | null
}

/** A failure in the list of a store. */
export interface OpenFailure extends FailedItem {
  productId: string
  jobId: string
  /** When the job was started, Unix ms. */
  jobCreatedAt: number
}

export type FailureQueries = ReturnType<typeof failureQueries>

interface RawFailure {
  position: number
  productId: string | null
  error: string
  canRetry: number
  imageUrl: string | null
}

/** Contents may hold whole pictures. SQLite tells their length without reading them. */
const SHORT_CONTENT_BYTES = 64 * 1024
const IMAGE_URL = `CASE WHEN octet_length(content) <= ${SHORT_CONTENT_BYTES} THEN json_extract(content, '$.image_url') END AS imageUrl`

/** All SQL that lists the failed items of jobs. */
export function failureQueries(db: Db) {
  const failures = db.prepare<[bigint, bigint, bigint], RawFailure>(`
    SELECT position, product_id AS productId, error, ${CAN_RETRY} AS canRetry, ${IMAGE_URL}
    FROM job_items INDEXED BY job_items_failed
    WHERE job = ? AND state = 'failed' AND position > ? ORDER BY position LIMIT ?`)
  const OPEN = `job_items INDEXED BY job_items_open_failures`
  const IS_OPEN = `state = 'failed' AND is_overtaken = 0 AND product_id IS NOT NULL`
  const nextOpen = db.prepare<[string, string], { productId: string }>(`
    SELECT product_id AS productId FROM ${OPEN}
    WHERE store_id = ? AND product_id > ? AND ${IS_OPEN} ORDER BY product_id LIMIT 1`)
  const lastOpen = db.prepare<
    [string, string],
    RawFailure & { productId: string; jobId: string; jobCreatedAt: number }
  >(`
    SELECT position, product_id AS productId, error, ${CAN_RETRY} AS canRetry, ${IMAGE_URL}, job_id AS jobId,
      jobs.created_at AS jobCreatedAt
    FROM ${OPEN} CROSS JOIN jobs ON jobs.id = job_items.job AND jobs.status <> 'preparing'
    WHERE job_items.store_id = ? AND product_id = ? AND ${IS_OPEN} ORDER BY job_items.id DESC LIMIT 1`)

  return {
    /** The failed items after a position, in their order. */
    listFailures: (id: number, after: number, limit: number): FailedItem[] =>
      failures.all(BigInt(id), BigInt(after), BigInt(limit)).map(readFailure),
    /** The product of a store behind one, in the order of their ids, with a failure after which nobody wrote it. */
    findNextOpen: (storeId: string, after: string): string | undefined =>
      nextOpen.get(storeId, after)?.productId,
    /** The last such failure of a product; undefined while its only jobs are still being written. */
    findLastOpen(storeId: string, productId: string): OpenFailure | undefined {
      const row = lastOpen.get(storeId, productId)
      return row && readFailure(row)
    },
  }
}

const readFailure = <Row extends RawFailure>({ error, canRetry, ...item }: Row) => ({
  ...item,
  error: JSON.parse(error) as ItemError,
  canRetry: canRetry === 1,
})
