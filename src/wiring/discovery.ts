import type { Config } from '../config.ts'
import { buildAnalytics } from '../features/discovery/analytics/module.ts'
import { buildFeedback } from '../features/discovery/feedback/module.ts'
import type { buildLearning } from '../features/discovery/learning/module.ts'
import { buildReplay } from '../features/discovery/replay/module.ts'
import { buildSearch } from '../features/discovery/search/module.ts'
import { buildSearchChecks } from '../features/discovery/search-checks/module.ts'
import { buildSearchLog } from '../features/discovery/search-log/module.ts'
import { buildShopPages } from '../features/discovery/shop-pages/module.ts'
import { buildShopperSessions } from '../features/discovery/shopper-sessions/module.ts'
import { buildWeeklyMail } from '../features/discovery/weekly-mail/module.ts'
import { buildWidget } from '../features/discovery/widget/module.ts'
import type { Base } from '../features/module.ts'
import type { Meters } from '../features/operation/metrics/meters.ts'
import type { Install } from '../install.ts'
import { createLateWrites, type LateWrites } from '../platform/db/late-writes.ts'
import type { ModelSet } from '../platform/models/model-set.ts'
import type { Ports } from '../ports.ts'
import type { CatalogueWing } from './catalogue.ts'
import { wireMerchandising } from './merchandising.ts'

export type DiscoveryWing = ReturnType<typeof wireDiscovery>

/** Builds searches, what counts them, and what shoppers tell of their results. */
export function wireDiscovery(
  { SEARCH_HISTORY_DAYS: historyDays }: Pick<Config, 'SEARCH_HISTORY_DAYS'>,
  { foundation, mail, stores: { settings, storeRows, people }, keys }: Install,
  { pages, stop }: Pick<Ports, 'pages' | 'stop'>,
  models: ModelSet,
  { writeTogether, productIndex, products, filters, modelMoves, jobs }: CatalogueWing,
  { timeSearch }: Pick<Meters, 'timeSearch'>,
) {
  const { base } = foundation
  // Searches and feedback write to it, and analytics flush it before they count.
  const writes = createLateWrites({
    ...base,
    writes: foundation.writes,
    name: 'searches and feedback',
    isHeld: foundation.gate.isHeld,
    undone: (storeId) => analytics.service.forgetSizes(storeId),
  })
  const analytics = buildAnalytics(base, {
    models,
    findFillFacts: settings.service.findFillFacts,
    addThumbnailUrls: products.service.thumbnails.addUrls,
    thumbnailAddresses: products.service.thumbnails.addresses,
    keepsUnmatched: (storeId) => settings.service.read(storeId).unmatched_thumbnails,
    dayOf: settings.service.dayOf,
    suggestWords: (storeId, query) => search.service.suggestWords(storeId, query),
    findTimeZone: (storeId) => settings.service.read(storeId).time_zone,
    flush: writes.flushStore,
    historyDays,
  })
  const { rules, storeWords, together, learning } = wireMerchandising(
    { foundation, stores: { settings }, keys },
    { stop },
    { productIndex, filters },
    { historyDays, flush: writes.flushStore, findGain: (storeId) => replay.service.findGain(storeId) },
  )
  const search = buildSearch(base, {
    arrange: rules.service.arrange,
    noteActed: (...noted) => search.service.history.noteActed(...noted),
    readStoreWords: storeWords.service.readQuery,
    models,
    index: productIndex.service,
    filters: filters.service,
    countWaiting: modelMoves.service.countWaiting,
    pictures: products.service.pictures,
    readDefaults(storeId) {
      const { search_defaults, sold_out } = settings.service.read(storeId)
      return { ...search_defaults, sold_out }
    },
    readShop: settings.service.read,
    findPriors: learning.service.findPriors,
    findFillFacts: settings.service.findFillFacts,
    findThumbnailUrl: products.service.thumbnails.findUrl,
    keepsUnmatched: (storeId) =>
      settings.service.read(storeId).unmatched_thumbnails && products.service.thumbnails.hasRoom(storeId),
    replaceKeystroke: analytics.service.replaceKeystroke,
    takeUnmet: analytics.service.takeUnmet,
    recordSearch: analytics.service.recordSearch,
    countRules: rules.rows.countUses,
    timeSearch,
    listPopular: analytics.service.listPopular,
    findTogether: together.service.find,
    findTrending: analytics.service.findTrending,
    writes,
    historyDays,
  })
  const searchChecks = buildSearchChecks(base, {
    models,
    stop,
    search: search.service,
    hasProduct: products.service.has,
    jobs: jobs.service.foreign,
  })
  const feedback = buildFeedback(base, {
    history: search.service.history,
    endKeystrokeBurst: analytics.service.endKeystrokeBurst,
    countEvent: analytics.service.countEvent,
    countRules: rules.rows.countClick,
    takeBack: analytics.service.takeBack,
    hidesPrices: (storeId) =>
      settings.service.read(storeId).private_metadata.some((key) => /^(metadata\.)?(sale_)?price$/.test(key)),
    writeTogether,
    days: historyDays,
  })
  const searchLog = buildSearchLog(base, {
    flush: writes.flushStore,
    toPublicUrl: products.service.pictures.toPublicUrl,
    addThumbnailUrls: products.service.thumbnails.addUrls,
    digest: foundation.secretBox.digest,
  })
  const shopperSessions = buildShopperSessions(base, {
    history: search.service.history,
    searches: search.service.ofSession,
    feedback: feedback.service.ofSession,
    analytics: analytics.service.erasing,
    forgetTogether: together.service.forgetSession,
  })
  const widget = buildWidget({
    search: search.service,
    listPrivateKeys: (storeId) => settings.service.read(storeId).private_metadata,
    recordFeedback: feedback.service.record,
    listPopular: analytics.service.listPopular,
    see: keys.widgetKeys.service.traces.see,
    clock: base.clock,
    ids: base.ids,
  })
  const replay = wireReplay(base, { models, stop, keys, search, widget, learning, jobs, writes })
  const shopPages = buildShopPages(base, {
    keys: keys.widgetKeys.rows,
    readSightings: keys.widgetKeys.service.traces.readStore,
    pages,
    readTemplate: settings.service.readTemplate,
    listProductIds: products.service.listIds,
    findMetadata: (storeId, productId) => products.service.findRow(storeId, productId)?.metadata,
  })
  const weeklyMail = buildWeeklyMail(base, {
    ...{ storeRows, people },
    outbox: mail.service,
    secretBox: foundation.secretBox,
    analytics: analytics.service,
    readSettings: settings.service.read,
  })
  return {
    analytics,
    weeklyMail,
    rules,
    storeWords,
    search,
    searchChecks,
    feedback,
    searchLog,
    shopperSessions,
    together,
    widget,
    learning,
    replay,
    shopPages,
    writes,
  }
}

interface ReplayParts extends Pick<Ports, 'stop'> {
  models: ModelSet
  keys: Install['keys']
  search: ReturnType<typeof buildSearch>
  widget: ReturnType<typeof buildWidget>
  learning: ReturnType<typeof buildLearning>
  jobs: CatalogueWing['jobs']
  writes: LateWrites
}

/** Builds what makes searches of the log again, each as whoever made it. */
const wireReplay = (
  base: Base,
  { models, stop, keys, search, widget, learning, jobs, writes }: ReplayParts,
) =>
  buildReplay(base, {
    models,
    stop,
    search: search.service,
    findSearcher(storeId, keyId, origin) {
      if (keyId === null || origin === null) return { storeId }
      const key = keys.widgetKeys.rows.findById(storeId, keyId)
      const searcher = widget.service.seeAs(storeId, key?.forcedFilters ?? null)
      return { ...searcher, owner: keyId, searchSource: { keyId, origin } }
    },
    jobs: jobs.service.foreign,
    trainUntil: learning.service.trainUntil,
    flush: writes.flushStore,
  })
