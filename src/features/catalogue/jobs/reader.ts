import { Type } from '@sinclair/typebox'
import { notFound } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { CursorId, createCursors } from '../../../http/paging.ts'
import type { Thumbnails } from '../products/thumbnails.ts'
import type { ItemQueries } from './item-queries.ts'
import { type JobPresenter, toFailure } from './presenter.ts'
import type { JobQueries, JobRow } from './queries.ts'
import type { Job, JobErrors, JobErrorsQuery, JobList, JobListQuery, JobSummary } from './schema.ts'

export interface JobReaderDeps {
  queries: Pick<JobQueries, 'findByJobId' | 'list'>
  items: Pick<ItemQueries, 'listFailures'>
  presenter: Pick<JobPresenter, 'summary'>
  addThumbnailUrls: Thumbnails['addUrls']
}

export type JobReader = ReturnType<typeof createJobReader>

/** Reads jobs for the clients of a store. */
export function createJobReader({ queries, items, presenter, addThumbnailUrls }: JobReaderDeps) {
  /** @throws ApiError `not_found`, also for a job of another store. */
  function require(storeId: string, jobId: string): JobRow {
    const job = queries.findByJobId(storeId, jobId)
    if (!job) throw notFound('job')
    return job
  }

  return {
    require,

    /** GET /v1/jobs/{job_id}. @throws ApiError `not_found`. */
    find(storeId: string, jobId: string): Job {
      const job = require(storeId, jobId)
      const found = items.listFailures(job.id, -1, LIMITS.jobErrorsInline + 1)
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

    /** GET /v1/jobs/{job_id}/errors. @throws ApiError `not_found`, `invalid_cursor`. */
    listErrors(
      storeId: string,
      jobId: string,
      { limit = LIMITS.jobErrorsPageDefault, cursor }: JobErrorsQuery,
    ): JobErrors {
      const job = require(storeId, jobId)
      const after = ERRORS.read(cursor)?.index ?? -1
      const found = items.listFailures(job.id, after, limit + 1)
      const { rows, nextCursor } = ERRORS.page(found, limit, ({ position }) => ({ index: position }))
      const errors = addThumbnailUrls(storeId, rows.map(toFailure))
      return { errors, count: rows.length, next_cursor: nextCursor }
    },
  }
}

const JOBS = createCursors({ list: 'jobs' }, { at: Type.Number(), id: CursorId })
const ERRORS = createCursors({ list: 'job_errors' }, { index: Type.Integer() })
