import type { CallerStore } from '../../../core/actor.ts'
import { MINUTE_MS } from '../../../core/clock.ts'
import { ApiError, notFound } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { demandVersion, versionTag } from '../../../http/if-match.ts'
import { validationError } from '../../../http/validation.ts'
import type { Base } from '../../module.ts'
import { isMask, type SplitUrl, splitUrl } from './credentials.ts'
import { checkPages } from './pages.ts'
import type { FeedPresenter } from './presenter.ts'
import type { FeedQueries, FeedRow, FeedSettings } from './queries.ts'
import type { RunQueries } from './run-queries.ts'
import { computeNextRun } from './run-times.ts'
import type { DeletedFeed, Feed, FeedBody, FeedList, FeedPatch, FeedRunList, RunBody } from './schema.ts'

export interface FeedDeps extends Pick<Base, 'clock' | 'ids' | 'atomically'> {
  queries: FeedQueries
  runQueries: Pick<RunQueries, 'listRuns'>
  presenter: FeedPresenter
  /** @throws ApiError `url_not_allowed`. */
  checkUrl(url: string): void
  /** @throws ApiError `validation_error`. */
  checkMapping(mapping: NonNullable<Feed['mapping']>): void
  sealCredentials(feedId: string, userInfo: string): Buffer
  /** Something may be due. */
  wake(): void
  /** There is a feed to clear away. */
  clear(): void
}

export type FeedService = ReturnType<typeof feedService>

/** Feeds of stores (contract 2.14): what a client sees and sets. */
export function feedService(deps: FeedDeps) {
  const { queries, runQueries, presenter, checkUrl, checkMapping, sealCredentials, wake, clear } = deps
  const { atomically, clock, ids } = deps
  const { view, viewRun } = presenter

  /** @throws ApiError `not_found`, also for a feed of another store. */
  function requireOwn(storeId: string, id: string): FeedRow {
    const row = queries.findOwned(storeId, id)
    if (!row) throw notFound('feed')
    return row
  }

  /** @throws ApiError `url_not_allowed`, `validation_error`. */
  function check({ url, mapping, format }: FeedPatch, before?: FeedRow): SplitUrl | undefined {
    if (mapping) checkMapping(mapping)
    const split = url === undefined ? undefined : splitUrl(url)
    checkPages(split?.url ?? before?.url ?? '', format === undefined ? before?.format : format)
    if (split) checkUrl(split.url)
    return split
  }

  function changeUrl(before: FeedRow, split: SplitUrl): Pick<FeedSettings, 'url' | 'credentials'> {
    const { url, userInfo } = split
    if (!isMask(userInfo))
      return { url, credentials: userInfo === null ? null : sealCredentials(before.id, userInfo) }
    // A person who may change a feed must not be able to send its password to another server.
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
      const rows = [...(feed.isRunning ? [feed] : []), ...runQueries.listRuns(id)]
      const runs = rows.flatMap((row) => viewRun(row) ?? [])
      return { runs, count: runs.length }
    },

    /**
     * PATCH /v1/feeds/{id}: absent fields stay. A change of what the file is or means makes the next run read it as a whole.
     *
     * @throws ApiError `not_found`, `url_not_allowed`, `validation_error`, `conflict`.
     */
    update(storeId: string, id: string, patch: FeedPatch, ifMatch: string | null = null): Feed {
      const split = check(patch, requireOwn(storeId, id))
      const feed = atomically(() => {
        const before = requireOwn(storeId, id)
        demandVersion(ifMatch, tagOf(view(before)))
        if (Object.keys(patch).length === 0) return view(before)
        const now = clock.now()
        const intervalMinutes = patch.interval_minutes ?? before.intervalMinutes
        const row: FeedRow = {
          ...before,
          ...(split && changeUrl(before, split)),
          format: patch.format === undefined ? before.format : patch.format,
          mapping: patch.mapping === undefined ? before.mapping : patch.mapping,
          deleteMissing: patch.delete_missing ?? before.deleteMissing,
          isPaused: patch.paused ?? before.isPaused,
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
      if (patch.paused === false) wake()
      return feed
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

/** The version of what a form about a feed shows. A new password is not shown: it moves the time alone. */
export const tagOf = (feed: Feed): string =>
  versionTag([
    ...[feed.url, feed.format, feed.interval_minutes, feed.mapping, feed.delete_missing, feed.paused],
    feed.updated_at,
  ])

const NOTHING_KNOWN = { etag: null, lastModified: null, contentHash: null, trustedUntil: null }

/** Whether the same file would have another effect than before. */
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
