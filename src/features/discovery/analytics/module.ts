import { HOUR_MS } from '../../../core/clock.ts'
import { createKeyedLock } from '../../../core/keyed-lock.ts'
import type { Doors } from '../../../http/doors.ts'
import type { KnownModel } from '../../../platform/db/models.ts'
import type { Embedder } from '../../../platform/embedder/embedder.ts'
import type { Base, Module } from '../../module.ts'
import type { AnsweredSearch } from '../search/history.ts'
import { createBursts } from './bursts.ts'
import { catalogueQueries } from './catalogue-queries.ts'
import { createCounting } from './counting.ts'
import { dayQueries } from './day-queries.ts'
import { createErasing } from './erasing.ts'
import { createPacking } from './packing.ts'
import { pageQueries } from './page-queries.ts'
import { createPopular } from './popular.ts'
import { pruneQueries } from './prune-queries.ts'
import { analyticsRoutes } from './routes.ts'
import { type AnalyticsDeps, analyticsService } from './service.ts'
import { createSumming } from './sums.ts'
import { tallyQueries } from './tally-queries.ts'
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
  const tallies = tallyQueries(db)
  const pages = pageQueries(db)
  const catalogue = catalogueQueries(db)
  const unmet = unmetQueries(db, model.row)
  const counting = createCounting({ days, tallies, pages, bursts: createBursts() })
  const locked = createKeyedLock()
  const packing = createPacking({
    ...{ tallies, clock, atomically, historyDays, log },
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
    ...{ days, tallies, demand, clock, ids, atomically },
    forgetLast: counting.forgetSession,
    withoutFsync,
    alone: locked,
  })
  const service = analyticsService({
    ...{ days, tallies, pages, catalogue, unmet, findFillFacts, clock, flush },
    sums: createSumming({ tallies, clock }),
    alone: locked,
  })

  const popular = createPopular({ findPopular: service.popular, clock })

  return {
    service: {
      ...service,
      /** Ids of the products that shoppers clicked and bought, best first; at most a minute old. */
      listPopular: popular.list,
      /** Learns of a search as it is answered. @returns the write that counts it, for the group of its row. */
      note(search: AnsweredSearch): () => void {
        const writes = [counting.note(search), demand.note(search)]
        return () => {
          for (const write of writes) write()
        }
      },
      erasing,
      noteFeedback: counting.noteFeedback,
      countEvent: counting.countEvent,
      takeBack: counting.takeBack,
    },
    routes: (doors: Doors) => analyticsRoutes(doors, service),
    chores: [
      { name: 'compacting the counts of past days', everyMs: 6 * HOUR_MS, run: packing.run },
      { name: 'mapping unmet demand', everyMs: HOUR_MS, run: demand.run },
    ],
    forgetStore(storeId: string): void {
      counting.forgetStore(storeId)
      demand.forgetStore(storeId)
      popular.forgetStore(storeId)
    },
  } satisfies Module<object>
}
