import { HOUR_MS } from '../../../core/clock.ts'
import { createKeyedLock } from '../../../core/keyed-lock.ts'
import type { Doors } from '../../../http/doors.ts'
import type { KnownModel } from '../../../platform/db/models.ts'
import type { Embedder } from '../../../platform/embedder/embedder.ts'
import type { Base, Module } from '../../module.ts'
import type { AnsweredSearch } from '../search/history.ts'
import type { SearchRow } from '../search/queries.ts'
import { createKeystrokeBursts } from './keystroke-bursts.ts'
import { catalogueQueries } from './catalogue-queries.ts'
import { createCounting } from './counting.ts'
import { dayQueries } from './day-queries.ts'
import { createErasing } from './erasing.ts'
import { createPacking } from './packing.ts'
import { searchSourceQueries } from './search-source-queries.ts'
import { createPopular } from './popular.ts'
import { pruneQueries } from './prune-queries.ts'
import { analyticsRoutes } from './routes.ts'
import { type AnalyticsDeps, analyticsService } from './service.ts'
import { createSumming } from './sums.ts'
import { counterQueries } from './counter-queries.ts'
import { createDemand } from './unmet/demand.ts'
import { unmetQueries } from './unmet/unmet-queries.ts'

export interface AnalyticsNeeds {
  /** The model in use; only its vectors are compared. */
  model: KnownModel
  embedder: Pick<Embedder, 'model' | 'embedText'>
  findFillFacts: AnalyticsDeps['findFillFacts']
  /** Writes the searches and events that wait. */
  flush(): void
  /** Days that searches and events are kept. */
  historyDays: number
}

/** Wires the analytics. Searches and feedback are counted by it; it reads the catalogue, and nothing of searches. */
export function buildAnalytics(
  { db, clock, ids, log, atomically, withoutFsync }: Base,
  needs: AnalyticsNeeds,
) {
  const { model, embedder, findFillFacts, flush, historyDays } = needs
  const days = dayQueries(db)
  const counters = counterQueries(db)
  const searchSources = searchSourceQueries(db)
  const catalogue = catalogueQueries(db)
  const unmet = unmetQueries(db, model.row)
  const counting = createCounting({ days, counters, searchSources, keystrokeBursts: createKeystrokeBursts() })
  const locked = createKeyedLock()
  const packing = createPacking({
    ...{ counters, clock, atomically, historyDays, log },
    prune: pruneQueries(db),
    withoutFsync,
    alone: locked,
  })
  const demand = createDemand({
    queries: unmet,
    listCategories: catalogue.listCategories,
    ...{ embedder, clock, log },
    withoutFsync,
    days: historyDays,
  })
  const erasing = createErasing({
    ...{ days, counters, demand, clock, ids, atomically },
    forgetLast: counting.forgetSession,
    withoutFsync,
    alone: locked,
  })
  const service = analyticsService({
    ...{ days, counters, searchSources, catalogue, unmet, findFillFacts, clock, flush },
    sums: createSumming({ counters, clock }),
    alone: locked,
  })

  const popular = createPopular({ findPopular: service.popular, clock })

  return {
    service: {
      ...service,
      /** Ids of the products that shoppers clicked and bought, best first; at most a minute old. */
      listPopular: popular.list,
      replaceKeystroke: counting.replaceKeystroke,
      /** Counts a search, in the transaction that writes its row. @param replaced the keystroke whose place it takes. */
      recordSearch(search: AnsweredSearch, replaced: SearchRow | undefined): void {
        counting.recordSearch(search, replaced)
        demand.recordSearch(search)
      },
      erasing,
      noteFeedback: counting.noteFeedback,
      countEvent: counting.countEvent,
      takeBack: counting.takeBack,
    },
    routes: (doors: Doors) => analyticsRoutes(doors, service),
    chores: [
      { name: 'packing the counts of past days', everyMs: 6 * HOUR_MS, run: packing.run },
      { name: 'drawing the map of unmet demand', everyMs: HOUR_MS, run: demand.run },
    ],
    forgetStore(storeId: string): void {
      counting.forgetStore(storeId)
      demand.forgetStore(storeId)
      popular.forgetStore(storeId)
    },
  } satisfies Module<object>
}
