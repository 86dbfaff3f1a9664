import { Type } from '@sinclair/typebox'
import { notFound } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { Cell } from '../../../http/csv.ts'
import { CursorId, createCursors } from '../../../http/paging.ts'
import type { Thumbnails } from '../products/thumbnails.ts'
import type { FailedItem, FailureQueries, OpenFailure } from './failure-queries.ts'
import { type JobPresenter, toFailure, toOpenFailure } from './presenter.ts'
import type { JobQueries, JobRow } from './queries.ts'
import type {
  AdminJobList,
  FailuresQuery,
  Job,
  JobErrors,
  JobErrorsQuery,
  JobList,
  JobListQuery,
  JobSummary,
  NodeJob,
  OpenFailures,
} from './schema.ts'

export interface JobReaderDeps {
  queries: Pick<JobQueries, 'findByJobId' | 'list' | 'listOfAll'>
  failures: FailureQueries
  presenter: Pick<JobPresenter, 'summary'>
  addThumbnailUrls: Thumbnails['addUrls']
}

/** Lists jobs of the node. @param beforeId only older ones. */
export type ListNodeJobs = (
  status: NodeJob['status'] | undefined,
  beforeId: string | undefined,
  limit: number,
) => NodeJob[]

export type JobReader = ReturnType<typeof createJobReader>

/** Reads jobs for the clients of a store. */
export function createJobReader({ queries, failures, presenter, addThumbnailUrls }: JobReaderDeps) {
  /** @throws ApiError `not_found`, also for a job of another store. */
  function require(storeId: string, jobId: string): JobRow {
    const job = queries.findByJobId(storeId, jobId)
    if (!job) throw notFound('job')
    return job
  }

  function* listRows(job: number): Generator<Cell[][]> {
    for (let after = -1; ; ) {
      const found = failures.listFailures(job, after, ROWS_AT_ONCE)
      const last = found.at(-1)
      if (!last) return
      yield found.map(toRow)
      after = last.position
    }
  }

  return {
    require,

    /** GET /v1/jobs/{job_id}. @throws ApiError `not_found`. */
    find(storeId: string, jobId: string): Job {
      const job = require(storeId, jobId)
      const found = failures.listFailures(job.id, -1, LIMITS.jobErrorsInline + 1)
      return {
        ...presenter.summary(job),
        errors: addThumbnailUrls(storeId, found.slice(0, LIMITS.jobErrorsInline).map(toFailure)),
        errors_truncated: found.length > LIMITS.jobErrorsInline || job.errorsDropped > 0,
      }
    },

    /** A job without its errors. @throws ApiError `not_found`. */
    summarise: (storeId: string, jobId: string): JobSummary => presenter.summary(require(storeId, jobId)),

    /** GET /v1/jobs. @throws ApiError `invalid_cursor`. */
    list(storeId: string, { limit = LIMITS.jobsPageDefault, cursor, status }: JobListQuery): JobList {
      const found = queries.list(storeId, { status, after: JOBS.read(cursor), limit: limit + 1 })
      const { rows, nextCursor } = JOBS.page(found, limit, ({ createdAt, jobId }) => ({
        at: createdAt,
        id: jobId,
      }))
      return { jobs: rows.map(presenter.summary), count: rows.length, next_cursor: nextCursor }
    },

    /**
     * GET /v1/admin/jobs: those of all stores, and those of the node.
     *
     * @param listOfNode lists the jobs of the node, the newest first.
     * @throws ApiError `invalid_cursor`.
     */
    listForOperator(
      { limit = LIMITS.jobsPageDefault, cursor, status }: JobListQuery,
      listOfNode: ListNodeJobs,
    ): AdminJobList {
      const beforeId = ALL_JOBS.read(cursor)?.id
      const ofStores = queries.listOfAll(status, beforeId, limit + 1).map((row) => ({
        store: { id: row.storeId, slug: row.slug },
        ...presenter.summary(row),
      }))
      const found = [...ofStores, ...listOfNode(status, beforeId, limit + 1)]
      // The ids grow with time.
      found.sort((a, b) => (a.job_id < b.job_id ? 1 : -1))
      const { rows, nextCursor } = ALL_JOBS.page(found, limit, ({ job_id }) => ({ id: job_id }))
      return { jobs: rows, count: rows.length, next_cursor: nextCursor }
    },

    /** GET /v1/jobs/{job_id}/errors. @throws ApiError `not_found`, `invalid_cursor`. */
    listErrors(
      storeId: string,
      jobId: string,
      { limit = LIMITS.jobErrorsPageDefault, cursor }: JobErrorsQuery,
    ): JobErrors {
      const job = require(storeId, jobId)
      const after = ERRORS.read(cursor)?.index ?? -1
      const found = failures.listFailures(job.id, after, limit + 1)
      const { rows, nextCursor } = ERRORS.page(found, limit, ({ position }) => ({ index: position }))
      const errors = addThumbnailUrls(storeId, rows.map(toFailure))
      return { errors, count: rows.length, next_cursor: nextCursor }
    },

    /** Reads all errors of a job as rows of a table, some at a time. @throws ApiError `not_found`. */
    listErrorRows(storeId: string, jobId: string): Generator<Cell[][]> {
      const job = require(storeId, jobId)
      return listRows(job.id)
    },

    /**
     * GET /v1/jobs/failures: of each product the last failure since which nobody has written it. A page looks at so many
     * products as it may hold, however many items wait or failed.
     *
     * @throws ApiError `invalid_cursor`.
     */
    listOpenFailures(
      storeId: string,
      { limit = LIMITS.openFailuresPageDefault, cursor }: FailuresQuery,
    ): OpenFailures {
      const found: { productId: string; failure: OpenFailure | undefined }[] = []
      let next = failures.findNextOpen(storeId, FAILURES.read(cursor)?.after ?? '')
      for (; next !== undefined && found.length <= limit; next = failures.findNextOpen(storeId, next)) {
        found.push({ productId: next, failure: failures.findLastOpen(storeId, next) })
      }
      const { rows, nextCursor } = FAILURES.page(found, limit, ({ productId }) => ({ after: productId }))
      const shown = rows.flatMap(({ failure }) => (failure ? [toOpenFailure(failure)] : []))
      return {
        failures: addThumbnailUrls(storeId, shown),
        ...{ count: shown.length, next_cursor: nextCursor },
      }
    },
  }
}

/** Errors that are read in one step: the products of some are long. */
const ROWS_AT_ONCE = 50

/** The columns of a table of errors: one who mends it can import it again. */
export const ERROR_HEADINGS: readonly string[] = [
  ...['index', 'product_id', 'image_url', 'error', 'message', 'retryable', 'details'],
]

function toRow(item: FailedItem): Cell[] {
  const { index, product_id, image_url, error, message, retryable, details } = toFailure(item)
  return [
    ...[index, product_id, image_url, error, message],
    ...[String(retryable), details === undefined ? null : JSON.stringify(details)],
  ]
}

const FAILURES = createCursors({ list: 'failures' }, { after: Type.String() })
const JOBS = createCursors({ list: 'jobs' }, { at: Type.Number(), id: CursorId })
const ALL_JOBS = createCursors({ list: 'admin_jobs' }, { id: CursorId })
const ERRORS = createCursors({ list: 'job_errors' }, { index: Type.Integer() })
