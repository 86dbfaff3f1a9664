import { type Clock, isoTime } from '../../../core/clock.ts'
import { LIMITS } from '../../../core/limits.ts'
import { countLeft } from './accounting.ts'
import type { FailedItem, OpenFailure } from './failure-queries.ts'
import type { JobQueries, JobRow } from './queries.ts'
import type { ItemFailure, JobNotice, JobSummary, OpenFailures } from './schema.ts'

/** How the delivery of a job's callback stands. */
export interface CallbackState {
  state: string
  attempts: number
  last_status: number | null
}

/** Since when a job is worked on without a break, and how much was done before. */
interface Pace {
  since: number
  done: number
}

export type JobPresenter = ReturnType<typeof createJobPresenter>

/** Shows jobs as the API does. */
export function createJobPresenter(
  clock: Clock,
  findCallback: ((storeId: string, jobId: string) => CallbackState | undefined) | undefined,
  names: Pick<JobQueries, 'findMemberName' | 'findKeyName'>,
) {
  const paces = new Map<number, Pace>()

  function estimate(job: JobRow): number | null {
    const pace = paces.get(job.id)
    const done = countProcessed(job) - (pace?.done ?? 0)
    if (job.status !== 'processing' || !pace || done <= 0) return null
    return Math.ceil(((clock.monotonic() - pace.since) / done / 1_000) * countLeft(job))
  }

  return {
    /** Measures the pace of a job from now on. */
    startPace: (job: JobRow): void => {
      paces.set(job.id, { since: clock.monotonic(), done: countProcessed(job) })
    },
    endPace: (id: number): void => void paces.delete(id),

    summary,

    notice(job: JobRow): JobNotice {
      const { started_by: _, ...notice } = summary(job)
      return notice
    },
  }

  function summary(job: JobRow): JobSummary {
    const { jobId, status, total, succeeded, unchanged, failed, cancelled, startedAt, finishedAt } = job
    const processed = countProcessed(job)
    return {
      job_id: jobId,
      type: job.type as JobSummary['type'],
      status: status as JobSummary['status'],
      source: job.source,
      started_by: describeAuthor(job),
      ...{ total, processed, succeeded, unchanged, failed, cancelled },
      progress: total === 0 ? 1 : Math.floor((processed / total) * 10_000) / 10_000,
      eta_seconds: estimate(job),
      created_at: isoTime(job.createdAt),
      started_at: startedAt === null ? null : isoTime(startedAt),
      finished_at: finishedAt === null ? null : isoTime(finishedAt),
      // The clock may have been set back in between.
      duration_ms: finishedAt === null ? null : Math.max(0, finishedAt - (startedAt ?? finishedAt)),
      warnings: job.warnings as string[],
      errors_url: `/v1/jobs/${jobId}/errors`,
      callback: job.callbackUrl === null ? null : callback(job, job.callbackUrl),
    }
  }

  /** Somebody who has left the store is nobody's business there any more. */
  function describeAuthor(job: JobRow): JobSummary['started_by'] {
    const { storeId, authorKind: kind, authorUser, authorKey } = job
    if (kind === null) return null
    if (kind === 'key') {
      return { kind, id: authorKey, name: (authorKey && names.findKeyName(storeId, authorKey)) ?? null }
    }
    const name = kind === 'person' && authorUser ? names.findMemberName(storeId, authorUser) : undefined
    return { kind, id: name === undefined ? null : authorUser, name: name ?? null }
  }

  function callback({ storeId, jobId }: JobRow, url: string): NonNullable<JobSummary['callback']> {
    return {
      url,
      ...(findCallback?.(storeId, jobId) ?? { state: 'pending', attempts: 0, last_status: null }),
    }
  }
}

const countProcessed = ({ succeeded, unchanged, failed }: JobRow): number => succeeded + unchanged + failed

export function toFailure({
  position,
  productId,
  error,
  canRetry,
  imageUrl,
}: FailedItem): Omit<ItemFailure, 'thumbnail_url'> {
  const { details, ...what } = error
  return {
    ...{ index: position, product_id: productId, image_url: imageUrl && toAddress(imageUrl) },
    ...{ ...what, ...(details && { details }), retryable: canRetry },
  }
}

/** A picture that came within the request is no address, and neither is what is too long to be fetched. */
const toAddress = (url: string): string | null =>
  /^data:/i.test(url) || url.length > LIMITS.fetchUrlCharsMax ? null : url

export const toOpenFailure = ({
  jobId,
  jobCreatedAt,
  ...failure
}: OpenFailure): Omit<OpenFailures['failures'][number], 'thumbnail_url'> => ({
  ...toFailure(failure),
  ...{ product_id: failure.productId, job_id: jobId, job_created_at: isoTime(jobCreatedAt) },
})
