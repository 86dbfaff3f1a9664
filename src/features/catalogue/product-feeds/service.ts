import type { CallerStore } from '../../../core/actor.ts'
import { isoTime, MINUTE_MS } from '../../../core/clock.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { validationError } from '../../../http/validation.ts'
import type { Base } from '../../module.ts'
import type { JobSummary } from '../jobs/schema.ts'
import { isMask, maskUrl, type SplitUrl, splitUrl } from './credentials.ts'
import type { FeedQueries, FeedRow, FeedSettings, KeptRun } from './queries.ts'
import { computeNextRun } from './schedule.ts'
import type {
  DeletedFeed,
  Feed,
  FeedBody,
  FeedCounts,
  FeedList,
  FeedPatch,
  FeedRun,
  FeedRunList,
  RunBody,
} from './schema.ts'

export interface FeedDeps extends Pick<Base, 'clock' | 'ids' | 'atomically'> {
  queries: FeedQueries
  /** @throws ApiError `url_not_allowed`. */
  checkUrl(url: string): void
  /** @throws ApiError `validation_error`. */
  checkMapping(mapping: NonNullable<Feed['mapping']>): void
  sealCredentials(feedId: string, userInfo: string): Buffer
  /** The job of a store; undefined once it is forgotten. */
  findJob(storeId: string, jobId: string): JobSummary | undefined
  /** Something may be due. */
  wake(): void
  /** There is a feed to clear away. */
  clear(): void
}

export type FeedService = ReturnType<typeof feedService>

/** Feeds of stores (contract 2.14): what a client sees and sets. */
export function feedService(deps: FeedDeps) {
  const { queries, checkUrl, checkMapping, sealCredentials, findJob, wake, clear } = deps
  const { atomically, clock, ids } = deps

  /** @throws ApiError `not_found`, also for a feed of another store. */
  function requireOwn(storeId: string, id: string): FeedRow {
    const row = queries.findOwned(storeId, id)
    if (!row) throw notFound('feed')
    return row
  }

  function countProducts(row: KeptRun): FeedCounts {
    const { run, runJobId, runDeleted, storeId } = row
    // The numbers of a job that is not over are those of the moment.
    const job = row.isRunning && runJobId !== null ? findJob(storeId, runJobId) : undefined
    const { total, succeeded, unchanged, failed, cancelled } = job ?? run?.counts ?? NO_COUNTS
    return { total, succeeded, unchanged, failed, cancelled, missing: run?.missing ?? 0, deleted: runDeleted }
  }

  function viewRun(row: KeptRun): FeedRun | null {
    const { run, runStatus: status, runJobId: job_id } = row
    if (!run || status === null) return null
    return {
      ...{ status, job_id, job_url: job_id === null ? null : `/v1/jobs/${job_id}` },
      started_at: isoTime(run.startedAt),
      finished_at: run.finishedAt === null ? null : isoTime(run.finishedAt),
      ...{ bytes: run.bytes, etag: run.etag, last_modified: run.lastModified },
      counts: countProducts(row),
      error: run.error,
    }
  }

  function view(row: FeedRow): Feed {
    const isQueued = row.asked !== null || row.nextRunAt <= clock.now()
    return {
      id: row.id,
      url: maskUrl(row.url, row.credentials !== null),
      format: row.format,
      interval_minutes: row.intervalMinutes,
      mapping: row.mapping,
      delete_missing: row.deleteMissing,
      status: row.isRunning ? 'running' : isQueued ? 'queued' : 'waiting',
      next_run_at: row.isRunning ? null : isoTime(row.nextRunAt),
      consecutive_failures: row.consecutiveFailures,
      created_at: isoTime(row.createdAt),
      updated_at: isoTime(row.updatedAt),
      last_run: viewRun(row),
    }
  }

  /** @throws ApiError `url_not_allowed`, `validation_error`. */
  function check({ url, mapping }: FeedPatch): SplitUrl | undefined {
    if (mapping) checkMapping(mapping)
    if (url === undefined) return undefined
    const split = splitUrl(url)
    checkUrl(split.url)
    return split
  }

  function changeUrl(before: FeedRow, split: SplitUrl): Pick<FeedSettings, 'url' | 'credentials'> {
    const { url, userInfo } = split
    if (!isMask(userInfo))
      return { url, credentials: userInfo === null ? null : sealCredentials(before.id, userInfo) }
    // Whoever may change a feed must not send its password to another server.
    if (before.credentials === null || new URL(url).origin !== new URL(before.url).origin)
      throw lostCredentials()
    return { url, credentials: before.credentials }
  }

  return {
    /**
     * POST /v1/feeds. Its first run begins at once.
     *
     * @throws ApiError `url_not_allowed`, `validation_error` for the mapping, `conflict` when the store has all its feeds.
     */
    create(store: CallerStore, body: FeedBody): Feed {
      const split = check(body) as SplitUrl
      if (isMask(split.userInfo)) throw lostCredentials()
      const id = ids.uuid()
      const row = {
        ...{ id, storeId: store.id, url: split.url, now: clock.now() },
        credentials: split.userInfo === null ? null : sealCredentials(id, split.userInfo),
        format: body.format ?? null,
        intervalMinutes: body.interval_minutes ?? LIMITS.feedIntervalMinutesDefault,
        mapping: body.mapping ?? null,
        deleteMissing: body.delete_missing ?? false,
      }
      const feed = atomically(() => {
        if (queries.listByStore(store.id).length >= LIMITS.feedsPerStoreMax) throw tooMany()
        queries.add(row)
        return view(requireOwn(store.id, id))
      })
      wake()
      return feed
    },

    /** GET /v1/feeds. */
    list(storeId: string): FeedList {
      const feeds = queries.listByStore(storeId).map(view)
      return { feeds, count: feeds.length }
    },

    /** GET /v1/feeds/{id}. @throws ApiError `not_found`. */
    read: (storeId: string, id: string): Feed => view(requireOwn(storeId, id)),

    /** GET /v1/feeds/{id}/runs. @throws ApiError `not_found`. */
    listRuns(storeId: string, id: string): FeedRunList {
      const feed = requireOwn(storeId, id)
      const rows = [...(feed.isRunning ? [feed] : []), ...queries.listRuns(id)]
      const runs = rows.flatMap((row) => viewRun(row) ?? [])
      return { runs, count: runs.length }
    },

    /**
     * PATCH /v1/feeds/{id}: absent fields stay. A change of what the file is or means makes the next run read it as a whole.
     *
     * @throws ApiError `not_found`, `url_not_allowed`, `validation_error`.
     */
    update(storeId: string, id: string, patch: FeedPatch): Feed {
      requireOwn(storeId, id)
      const split = check(patch)
      return atomically(() => {
        const before = requireOwn(storeId, id)
        if (Object.keys(patch).length === 0) return view(before)
        const now = clock.now()
        const intervalMinutes = patch.interval_minutes ?? before.intervalMinutes
        const row: FeedRow = {
          ...before,
          ...(split && changeUrl(before, split)),
          format: patch.format === undefined ? before.format : patch.format,
          mapping: patch.mapping === undefined ? before.mapping : patch.mapping,
          deleteMissing: patch.delete_missing ?? before.deleteMissing,
          ...{ intervalMinutes, updatedAt: now },
        }
        if (intervalMinutes !== before.intervalMinutes && before.run && before.consecutiveFailures === 0) {
          const intervalMs = intervalMinutes * MINUTE_MS
          const { startedAt } = before.run
          const times = { feedId: id, runNumber: before.runNumber, startedAt, intervalMs, failures: 0 }
          if (before.asked === null) row.nextRunAt = computeNextRun(times, now)
        }
        if (hasNewMeaning(before, row)) {
          Object.assign(row, NOTHING_KNOWN, { revision: before.revision + 1, consecutiveFailures: 0 })
        }
        queries.update(row)
        return view(requireOwn(storeId, id))
      })
    },

    /** DELETE /v1/feeds/{id}. Its products stay. @throws ApiError `not_found`. */
    remove(storeId: string, id: string): DeletedFeed {
      requireOwn(storeId, id)
      queries.markDeleted(id, clock.now())
      clear()
      return { status: 'deleted', id }
    },

    /**
     * POST /v1/feeds/{id}/run: makes a run due at once.
     *
     * @throws ApiError `not_found`; `conflict` while one is in progress, and for `force_delete` of a feed that deletes nothing.
     */
    run(storeId: string, id: string, { full = false, force_delete = false }: RunBody): Feed {
      const row = requireOwn(storeId, id)
      if (row.isRunning) throw new ApiError('conflict', 'A run of the feed is in progress')
      if (force_delete && !row.deleteMissing) {
        throw new ApiError('conflict', 'The feed deletes nothing: set delete_missing first')
      }
      const wish = {
        isFull: full || force_delete || (row.asked?.isFull ?? false),
        forceDelete: force_delete || (row.asked?.forceDelete ?? false),
      }
      queries.ask(id, wish, clock.now())
      const feed = view(requireOwn(storeId, id))
      wake()
      return feed
    },
  }
}

const NO_COUNTS = { total: 0, succeeded: 0, unchanged: 0, failed: 0, cancelled: 0 }
const NOTHING_KNOWN = { etag: null, lastModified: null, contentHash: null, trustedUntil: null }

/** Whether the same file would do something else than before. */
const hasNewMeaning = (before: FeedRow, after: FeedRow): boolean =>
  before.url !== after.url ||
  before.credentials !== after.credentials ||
  before.format !== after.format ||
  JSON.stringify(before.mapping) !== JSON.stringify(after.mapping) ||
  before.deleteMissing !== after.deleteMissing

const tooMany = () =>
  new ApiError('conflict', `A store may have ${LIMITS.feedsPerStoreMax} feeds`, {
    details: { limit: LIMITS.feedsPerStoreMax },
  })

const lostCredentials = () =>
  validationError([
    {
      ...{ in: 'body', pointer: '/url', code: 'credentials' },
      message:
        'must have the user name and the password themselves: those that are kept belong to another server',
    },
  ])
