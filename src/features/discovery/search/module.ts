import { HOUR_MS } from '../../../core/clock.ts'
import type { Guards } from '../../../http/guards.ts'
import type { ModelSet } from '../../../platform/models/model-set.ts'
import type { ProductIndexService } from '../../catalogue/product-index/module.ts'
import type { ProductsModule } from '../../catalogue/products/module.ts'
import type { Base, Module } from '../../module.ts'
import { createCategoryNames } from './category-names.ts'
import { completionQueries } from './completion-queries.ts'
import { createSearchHistory, type HistoryDeps } from './history.ts'
import { createKnownWords } from './known-words.ts'
import { createDictionaryShelf } from './meaning/shelf.ts'
import { searchQueries } from './queries.ts'
import { createQueryPictures } from './query-pictures.ts'
import { searchRoutes } from './routes.ts'
import { type SearchDeps, searchService } from './service.ts'
import { createShopperQueries } from './shopper-queries.ts'
import { createSuggestWords } from './suggested-words.ts'

export interface SearchNeeds {
  /** Only vectors of the store's model are searched. */
  models: Pick<ModelSet, 'of' | 'comingOf'>
  index: Pick<ProductIndexService, 'getWhole' | 'findComing'>
  pictures: Pick<ProductsModule['service']['pictures'], 'withUrl' | 'toPublicUrl'>
  filters: SearchDeps['filters']
  /** Products of a store that pictures do not find until they have a vector of its model. */
  countWaiting: SearchDeps['countWaiting']
  readDefaults: SearchDeps['readDefaults']
  /** Currency and language of a shop, by which words are understood. */
  readShop: SearchDeps['readShop']
  readStoreWords: SearchDeps['readStoreWords']
  findPriors: SearchDeps['findPriors']
  findFillFacts: SearchDeps['findFillFacts']
  findThumbnailUrl: SearchDeps['findThumbnailUrl']
  keepsUnmatched: SearchDeps['keepsUnmatched']
  listPopular: SearchDeps['listPopular']
  findTogether: SearchDeps['findTogether']
  findTrending: SearchDeps['findTrending']
  timeSearch: SearchDeps['timeSearch']
  /** What the rules of a store do to a search, and what learns which of them acted. */
  arrange: SearchDeps['arrange']
  noteActed: SearchDeps['noteActed']
  /** The queue in which searches and the feedback on them are written. */
  writes: HistoryDeps['writes']
  replaceKeystroke: HistoryDeps['replaceKeystroke']
  takeUnmet: HistoryDeps['takeUnmet']
  recordSearch: HistoryDeps['recordSearch']
  countRules: HistoryDeps['countRules']
  /** Days that a search stays in the history. */
  historyDays: number
}

const MINUTE_MS = 60_000

/**
 * Wires the searches. They lie above products: a search reads the product index and the pictures that products keep,
 * and nothing of products calls back.
 *
 * A search takes these steps. A verb of `service.ts` lets `query-reader.ts` check the request and read its filters,
 * picture and words. The result is a `Query`: data that says in `rankBy` what to compare. `pipeline.ts` resolves the
 * filters, lets `ranker.ts` rank the store, groups the hits, and hands the page to `answer.ts`.
 *
 * The ranker turns `rankBy` into a plan (`plan.ts`). A plan has a fusion for each list, mostly one. A fusion adds the
 * log-odds of the sides of a query (its picture, words and colours, `sides.ts`); a side has legs, which are vectors to
 * compare, and numbers that are known of every slot (`legs/`). So each product has one value, which orders the list and
 * gives its score.
 *
 * `ranking.ts` scans every vector that passes the filter with 8 bits a dimension, and a precise pass with 16 bits
 * orders the best: the search is exact under any filter. Where more than 250,000 slots pass in a large store and no
 * words count, `estimates.ts` first reads one bit a dimension and takes from the measured error of these sketches how far below the
 * list the scan must go. A store of up to 100,000 slots is scanned at once; a larger one in threads, or in slices,
 * while vectors come and go. Slots that changed meanwhile are scored again at the end, and whatever reads the scores
 * must finish in one tick.
 *
 * `second-look.ts` lets the first hits vote for words, within the tick that ranks: the vote changes the values of all places, and
 * the list is made again from them.
 *
 * Rules and sold-out products decide about the order of the list and about who is in it, never about a score (`arranging.ts`).
 *
 * `category-names.ts` embeds the category names of a store and measures on its own products how well they tell its
 * pictures apart.
 */
export function buildSearch(base: Base, needs: SearchNeeds) {
  const { db, clock, ids, log, reportFault, withoutFsync } = base
  const { models, index, pictures, filters, countWaiting } = needs
  const embedderOf = (storeId: string) => models.of(storeId).embedder
  const { readDefaults, findFillFacts, findThumbnailUrl, listPopular, historyDays } = needs
  const { writes, replaceKeystroke, takeUnmet, recordSearch } = needs
  const queries = searchQueries(db, (storeId) => models.of(storeId).row)
  const history = createSearchHistory({
    queries: {
      record: queries.record,
      findSearch: queries.findSearch,
      findRow: queries.findRow,
      forgetBefore: (before, limit) => withoutFsync(() => queries.forgetBefore(before, limit)),
    },
    writes,
    replaceKeystroke,
    takeUnmet,
    recordSearch,
    countRules: needs.countRules,
    clock,
    days: historyDays,
  })
  const queryPictures = createQueryPictures({ ids, clock })
  const words = createKnownWords({ embedderOf })
  const names = createCategoryNames({ embedderOf, monotonic: clock.monotonic })
  const completions = completionQueries(db)
  const shopperQueries = createShopperQueries({
    queries: completions,
    clock,
    reportFault(error) {
      log.error({ err: error }, 'the queries of shoppers could not be read')
      reportFault(error)
    },
  })
  const search = searchService({
    queries,
    shopperQueries,
    completionQueries: completions,
    getIndex: index.getWhole,
    history,
    pictures: queryPictures,
    words,
    names,
    models,
    filters,
    countWaiting,
    withPicture: pictures.withUrl,
    toPublicUrl: pictures.toPublicUrl,
    findThumbnailUrl,
    keepsUnmatched: needs.keepsUnmatched,
    readDefaults,
    readShop: needs.readShop,
    getDictionary: createDictionaryShelf((reason) =>
      log.error({ reason }, 'the dictionary is not whole, so no query is translated'),
    ),
    readStoreWords: needs.readStoreWords,
    findPriors: needs.findPriors,
    findFillFacts,
    listPopular,
    findTogether: needs.findTogether,
    findTrending: needs.findTrending,
    timeSearch: needs.timeSearch,
    arrange: needs.arrange,
    noteActed: needs.noteActed,
    reportFault(error) {
      log.error({ err: error }, 'an entry of a batch failed')
      reportFault(error)
    },
    clock,
    ids,
  })

  return {
    service: {
      ...search,
      suggestWords: createSuggestWords(search),
      /** Reads the category names of a store with the model that it is about to be switched to. */
      async prepareSwitch(storeId: string): Promise<void> {
        const store = index.findComing(storeId)
        const model = models.comingOf(storeId)
        if (store && model) await names.prepare(storeId, store, model.embedder)
      },
      history,
      /** Searches of one shopper's session, to be erased. */
      ofSession: { findEnd: queries.findEnd, list: queries.listOfSession, remove: queries.remove },
    },
    routes: (guards: Guards) => searchRoutes(guards, search),
    chores: [
      { name: 'deleting old searches', everyMs: HOUR_MS, run: history.prune },
      { name: 'dropping old query pictures', everyMs: MINUTE_MS, reach: 'none', run: queryPictures.prune },
    ],
    forgetStore(storeId: string): void {
      queryPictures.forgetStore(storeId)
      words.forgetStore(storeId)
      names.forgetStore(storeId)
      shopperQueries.forgetStore(storeId)
    },
  } satisfies Module<object>
}
