import { Elysia } from 'elysia'
import { HOUR_MS } from '../../../core/clock.ts'
import { createKeyedLock } from '../../../core/keyed-lock.ts'
import type { Guards } from '../../../http/guards.ts'
import type { ModelSet } from '../../../platform/models/model-set.ts'
import type { Base, Module } from '../../module.ts'
import type { UnmetPicture } from '../search/history.ts'
import type { SearchRow } from '../search/queries.ts'
import { catalogueQueries } from './catalogue-queries.ts'
import { createColumns } from './columns/columns.ts'
import { counterQueries } from './columns/counter-queries.ts'
import { itemQueries } from './columns/item-queries.ts'
import { createDayLimits } from './day-limits.ts'
import { dayQueries, type StoreDay } from './day-queries.ts'
import { createErasing } from './erasing.ts'
import { createEventCounting } from './event-counting.ts'
import { createKeystrokeBursts } from './keystroke-bursts.ts'
import { createPopular } from './popular.ts'
import { pruneQueries } from './prune-queries.ts'
import { createReplacedSearches } from './replaced-searches.ts'
import { analyticsRoutes } from './routes.ts'
import { createSearchCounting, isCounted } from './search-counting.ts'
import { searchSourceQueries } from './search-source-queries.ts'
import { type AnalyticsDeps, analyticsService } from './service.ts'
import { createTrending } from './trending.ts'
import { unmatchedRoutes } from './unmatched-routes.ts'
import { createDemand } from './unmet/demand.ts'
import { createUnmetPictures, type UnmetPictureDeps } from './unmet/pictures.ts'
import { unmetQueries } from './unmet/unmet-queries.ts'
import { createUpkeep } from './upkeep.ts'

export interface AnalyticsNeeds {
  /** Only vectors of the store's model are compared. */
  models: Pick<ModelSet, 'of'>
  findFillFacts: AnalyticsDeps['findFillFacts']
  addThumbnailUrls: AnalyticsDeps['addThumbnailUrls']
  thumbnailAddresses: UnmetPictureDeps['thumbnailAddresses']
  keepsUnmatched: UnmetPictureDeps['keepsUnmatched']
  dayOf: StoreDay
  findTimeZone: AnalyticsDeps['findTimeZone']
  suggestWords: AnalyticsDeps['suggestWords']
  /** Writes the queued searches and events of a store. */
  flush(storeId: string): void
  /** Days that searches and events are kept. */
  historyDays: number
}

/**
 * Wires the analytics. They count searches and feedback, and read the catalogue. They read nothing of searches: no
 * report ever counts rows of the history.
 *
 * `search/history.ts` calls `recordSearch` in the transaction that writes the search, so rows and counts agree after
 * any crash. Whether a search replaces the keystroke before it is decided earlier, in memory, as it is answered
 * (`keystroke-bursts.ts`); feedback on the replaced search counts for its successor (`replaced-searches.ts`).
 *
 * Totals stand in tables by day. Whatever has many items (queries, products, sessions, bins of durations) is counted in
 * `columns/`: rows for today and yesterday, one block of columns for each earlier day, which `upkeep.ts` packs. Rows
 * that come for a packed day stand beside its block, and below zero where something was taken back. `alone` keeps
 * reader and packer of one store apart. `unmet/` groups the query pictures for which a store had nothing.
 */
export function buildAnalytics(base: Base, needs: AnalyticsNeeds) {
  const { db, clock, ids, log, atomically, withoutFsync } = base
  const { models, findFillFacts, addThumbnailUrls, dayOf, findTimeZone, flush, historyDays } = needs
  const { thumbnailAddresses, keepsUnmatched } = needs
  const days = dayQueries(db)
  const counters = counterQueries(db)
  const items = itemQueries(db)
  const searchSources = searchSourceQueries(db)
  const catalogue = catalogueQueries(db)
  const unmet = unmetQueries(db, (storeId) => models.of(storeId).row)
  const alone = createKeyedLock()
  const columns = createColumns({ counters, items, clock, atomically, withoutFsync })
  const limits = createDayLimits({ countRows: columns.countRows })
  const keystrokeBursts = createKeystrokeBursts()
  const countSearch = createSearchCounting({ days, columns, items, searchSources, limits, dayOf })
  const findStanding = createReplacedSearches({ days, searchSources, dayOf })
  const eventCounting = createEventCounting({
    days,
    columns,
    items,
    searchSources,
    limits,
    dayOf,
    findStanding,
  })
  const prune = pruneQueries(db)
  const upkeep = createUpkeep({
    columns,
    items,
    prune,
    clock,
    log,
    atomically,
    withoutFsync,
    alone,
    historyDays,
  })
  const unmetPictures = createUnmetPictures({ queries: unmet, thumbnailAddresses, keepsUnmatched, clock })
  const demand = createDemand({
    queries: unmet,
    listCategories: catalogue.listCategories,
    embedderOf: (storeId) => models.of(storeId).embedder,
    clock,
    log,
    withoutFsync,
    days: historyDays,
    pictures: unmetPictures,
  })
  const erasing = createErasing({
    days,
    columns,
    demand,
    ids,
    atomically,
    withoutFsync,
    alone,
    forgetLast: keystrokeBursts.forgetSession,
  })
  const service = analyticsService({
    days,
    columns,
    items,
    searchSources,
    catalogue,
    unmet,
    findFillFacts,
    addThumbnailUrls,
    unmetPictures,
    dayOf,
    findTimeZone,
    suggestWords: needs.suggestWords,
    clock,
    flush,
    alone,
  })
  const popular = createPopular({ findPopular: service.popular, clock })
  const trending = createTrending({ columns, items, dayOf, flush, alone, clock })

  return {
    service: {
      ...service,
      /** Ids of the products that shoppers clicked and bought, best first; at most a minute old. */
      listPopular: popular.list,
      /** What shoppers click and buy more and more of; at most a minute old. */
      findTrending: trending.find,
      /** Decides which search of its session a search replaces. Call it as the search is answered. */
      replaceKeystroke: (search: SearchRow): SearchRow | undefined =>
        isCounted(search) ? keystrokeBursts.take(search) : undefined,
      /** Takes a query picture for which the store has nothing. Call it as the search is answered. */
      takeUnmet: demand.takeUnmet,
      /**
       * Counts a search, in the transaction that writes its row.
       *
       * @param replaced the keystroke whose place it takes.
       * @param unmet what `takeUnmet` took.
       */
      recordSearch(
        search: SearchRow,
        replaced: SearchRow | undefined,
        unmet: UnmetPicture | undefined,
      ): void {
        if (isCounted(search)) countSearch(search, replaced)
        if (unmet) demand.recordSearch(search, unmet)
      },
      /** Drops the sizes that writes of a store have counted in memory: a transaction of theirs was undone. */
      forgetSizes(storeId: string): void {
        limits.forgetStore(storeId)
        demand.forgetStore(storeId)
      },
      /** Ends the keystroke burst of a search that receives feedback: the next one of the session stands for itself. */
      endKeystrokeBurst: keystrokeBursts.end,
      countEvent: eventCounting.countEvent,
      takeBack: eventCounting.takeBack,
      erasing,
    },
    routes: (guards: Guards) =>
      new Elysia({ name: 'analytics' })
        .use(analyticsRoutes(guards, service))
        .use(unmatchedRoutes(unmetPictures)),
    chores: [
      { name: 'compacting the counts of past days', everyMs: 6 * HOUR_MS, run: upkeep.run },
      { name: 'mapping unmet demand', everyMs: HOUR_MS, run: demand.run },
    ],
    forgetStore(storeId: string): void {
      keystrokeBursts.forgetStore(storeId)
      limits.forgetStore(storeId)
      demand.forgetStore(storeId)
      popular.forgetStore(storeId)
      trending.forgetStore(storeId)
    },
  } satisfies Module<object>
}
