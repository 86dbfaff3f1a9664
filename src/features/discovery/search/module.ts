import { HOUR_MS } from '../../../core/clock.ts'
import type { Doors } from '../../../http/doors.ts'
import type { KnownModel } from '../../../platform/db/models.ts'
import type { WriteBehind } from '../../../platform/db/write-behind.ts'
import type { Embedder } from '../../../platform/embedder/embedder.ts'
import type { ProductIndexService } from '../../catalogue/product-index/module.ts'
import type { ProductsModule } from '../../catalogue/products/module.ts'
import type { Base, Module } from '../../module.ts'
import { createCategoryNames } from './category-names.ts'
import { createSearchHistory, type HistoryDeps } from './history.ts'
import { createKnownWords } from './known-words.ts'
import { searchQueries } from './queries.ts'
import { createQueryPictures } from './query-pictures.ts'
import { searchRoutes } from './routes.ts'
import { type SearchDeps, searchService } from './service.ts'

export interface SearchNeeds {
  /** The model in use; only its vectors are searched. */
  model: KnownModel
  index: Pick<ProductIndexService, 'getWhole'>
  pictures: Pick<ProductsModule['service']['pictures'], 'withUrl' | 'toPublicUrl'>
  embedder: Pick<Embedder, 'model' | 'calibration' | 'embedText' | 'embedPicture'>
  filters: SearchDeps['filters']
  /** Products of a store that searches miss until they have a vector of the model in use. */
  countWaiting: SearchDeps['countWaiting']
  readDefaults: SearchDeps['readDefaults']
  findFillFacts: SearchDeps['findFillFacts']
  listPopular: SearchDeps['listPopular']
  /** Counts each search. */
  note: HistoryDeps['note']
  /** Writes the searches; feedback and the counts of both join it. */
  writes: WriteBehind
  /** Days that a search stays in the history. */
  historyDays: number
}

const MINUTE_MS = 60_000

/**
 * Wires the searches. They lie above products: a search reads the product index and the pictures that products keep, and
 * nothing of products calls back.
 */
export function buildSearch(base: Base, needs: SearchNeeds) {
  const { db, clock, ids, log, noteFault, withoutFsync } = base
  const { model, index, pictures, embedder, filters, countWaiting, note } = needs
  const { readDefaults, findFillFacts, listPopular, historyDays } = needs
  const queries = searchQueries(db, model.row)
  const history = createSearchHistory({
    queries: {
      record: queries.record,
      findSearch: queries.findSearch,
      forgetBefore: (before, limit) => withoutFsync(() => queries.forgetBefore(before, limit)),
    },
    writes: needs.writes,
    note,
    clock,
    days: historyDays,
  })
  const queryPictures = createQueryPictures({ ids, clock })
  const words = createKnownWords({ embedder })
  const names = createCategoryNames({ embedder, monotonic: clock.monotonic })
  const search = searchService({
    queries,
    getIndex: index.getWhole,
    history,
    pictures: queryPictures,
    words,
    names,
    embedder,
    filters,
    countWaiting,
    withPicture: pictures.withUrl,
    toPublicUrl: pictures.toPublicUrl,
    readDefaults,
    findFillFacts,
    listPopular,
    noteFault(error) {
      log.error({ err: error }, 'an entry of a batch failed')
      noteFault(error)
    },
    clock,
    ids,
  })

  return {
    service: {
      ...search,
      history,
      /** Searches of one shopper's session, to be erased. */
      ofSession: { findEnd: queries.findEnd, list: queries.listOfSession, remove: queries.remove },
    },
    routes: (doors: Doors) => searchRoutes(doors, search),
    chores: [
      { name: 'deleting old searches', everyMs: HOUR_MS, run: history.prune },
      { name: 'dropping old query pictures', everyMs: MINUTE_MS, run: queryPictures.prune },
    ],
    forgetStore(storeId: string): void {
      queryPictures.forgetStore(storeId)
      words.forgetStore(storeId)
      names.forgetStore(storeId)
    },
  } satisfies Module<object>
}
