import { type Actor, type CallerStore, may, type Permission, type StorePower } from '../../../core/actor.ts'
import { DAY_MS, isoTime } from '../../../core/clock.ts'
import { shareRun } from '../../../core/share-run.ts'
import type { Turn } from '../../../core/turns.ts'
import type { ApiKeyService } from '../../access/api-keys/service.ts'
import type { TwoFactorService } from '../../access/two-factor/service.ts'
import type { UsageService } from '../../billing/usage/service.ts'
import type { StoreFields } from '../../catalogue/filters/fields/schema.ts'
import type { ModelMoves } from '../../catalogue/model-moves/service.ts'
import type { UnmetDemand } from '../../discovery/analytics/schema.ts'
import type { SearchLogService } from '../../discovery/search-log/service.ts'
import type { Base } from '../../module.ts'
import type { SettingsService } from '../settings/service.ts'
import type { StoreQueries } from '../stores/queries.ts'
import { listNodeNotices } from './node-notices.ts'
import { type Facts, listNotices, type SearchHealth } from './notices.ts'
import type { NoticeQueries } from './queries.ts'
import {
  type ChecklistItem,
  type NodeOverview,
  type Notice,
  SEVERITIES,
  type StoreOverview,
} from './schema.ts'

export interface NoticeDeps extends Pick<Base, 'clock'> {
  queries: NoticeQueries
  settings: Pick<SettingsService, 'read'>
  storeRows: Pick<StoreQueries, 'findStore' | 'countProducts'>
  /** @param maxAgeMs how old the counts may be although products have changed since. */
  readFields(storeId: string, maxAgeMs: number): Promise<StoreFields>
  /** Counts that are there already; undefined without any. */
  findFields(storeId: string): StoreFields | undefined
  readHealth(storeId: string, days: number): SearchHealth
  readUnmet(storeId: string): UnmetDemand
  listSearches: SearchLogService['list']
  usage: Pick<UsageService, 'show'>
  /** The move to another model. */
  moves: Pick<ModelMoves, 'status'>
  twoFactor: Pick<TwoFactorService, 'isEnabled' | 'countMembers'>
  apiKeys: Pick<ApiKeyService, 'countByState' | 'countByFormerMembers'>
  /** Writes the queued searches and events of a store. */
  flush(storeId: string): void
  turn: Turn
}

/** How old the counts of fields may be: no line changes much in an hour. */
const FIELDS_AGE_MS = 3_600_000
const HEALTH_DAYS = 7
/** Days that failures of a job are news. */
const JOB_DAYS = 7

/** Of all stores: how old the list may be, how much of it is answered, and how many stores one turn looks at. */
const NODE_AGE_MS = 60_000
const NODE_NOTICES_MAX = 300
const NOTICES_A_STORE = 3
const STORES_AT_ONCE = 5
/** Making the list takes at most this share of the time. */
const NODE_DUTY = 20

/** What is wrong in the stores. */
type OfStores = Omit<NodeOverview, 'of_node'>

export type NoticeService = ReturnType<typeof noticeService>

/** Says what a store should do next, and what needs its attention (contract 4.16), from what is counted already. */
export function noticeService(deps: NoticeDeps) {
  const { queries, settings, storeRows, usage, twoFactor, apiKeys, clock } = deps
  let node: { at: number; took: number; list: OfStores } | undefined

  /** @param userId the person who asks. */
  function gather(store: CallerStore, fields: StoreFields | undefined, userId: string | null): Facts {
    const { id } = store
    const now = clock.now()
    const { product_url_template } = settings.read(id)
    return {
      failedJob: queries.findFailedJob(id, now - JOB_DAYS * DAY_MS),
      lastImport: queries.findLastImport(id, now - JOB_DAYS * DAY_MS),
      report: queries.findReport(id),
      feeds: queries.countFeeds(id),
      webhooks: queries.countWebhooks(id),
      health: deps.readHealth(id, HEALTH_DAYS),
      unmet: deps.readUnmet(id),
      fields,
      hasAddresses: product_url_template !== null,
      usage: usage.show(store),
      keys: apiKeys.countByState(id, now),
      keysOfFormerMembers: apiKeys.countByFormerMembers(id, now),
      members: twoFactor.countMembers(id),
      isOwnFactorOn: userId === null ? null : twoFactor.isEnabled(userId),
    }
  }

  function listSteps(storeId: string, { members, isOwnFactorOn }: Facts): ChecklistItem[] {
    const { isSearched, isWidgetSeen, isClicked } = queries.findSteps(storeId)
    const item = (key: ChecklistItem['key'], is_done: boolean, link: string) => ({ key, is_done, link })
    return [
      item('products', storeRows.countProducts(storeId) > 0, '/v1/products/import'),
      item('first_search', isSearched === 1, '/v1/search/text'),
      item('shop_address', settings.read(storeId).shop_url !== null, '/v1/store/settings'),
      item('widget_seen', isWidgetSeen === 1, '/v1/security/public-keys'),
      item('first_click', isClicked === 1, '/v1/search/feedback'),
      item('second_factor', isOwnFactorOn ?? members.enabled > 0, '/v1/security/2fa/setup'),
    ]
  }

  const look = shareRun(async (): Promise<OfStores> => {
    const began = clock.monotonic()
    const found: OfStores['attention'] = []
    let [stores, concerned] = [0, 0]
    for (let after = ''; ; ) {
      await deps.turn()
      const some = queries.listStores(after, STORES_AT_ONCE)
      for (const { id, slug, name } of some) {
        const notices = listForOperator(id)
        stores++
        if (notices.length > 0) concerned++
        found.push(...notices.map((notice) => ({ ...notice, store: { id, slug, name } })))
      }
      const last = some.at(-1)
      if (!last || some.length < STORES_AT_ONCE) break
      after = last.id
    }
    const list = {
      attention: found.sort(bySeverity).slice(0, NODE_NOTICES_MAX),
      ...{ stores, stores_with_attention: concerned, made_at: isoTime(clock.now()) },
    }
    node = { at: clock.now(), took: clock.monotonic() - began, list }
    return list
  })

  /** What a store asks for itself is left out: advice without urgency, and what it has hidden. */
  function listForOperator(storeId: string): Notice[] {
    const store = storeRows.findStore(storeId)
    if (!store) return []
    const { hidden } = settings.read(storeId)
    return listNotices(gather(store, deps.findFields(storeId), null), () => true)
      .filter(({ kind, severity }) => severity !== 'info' && !hidden.includes(kind))
      .slice(0, NOTICES_A_STORE)
  }

  return {
    /** GET /v1/store/overview. @param searches how many of the latest searches to show. */
    async show(actor: Actor, searches = 0): Promise<StoreOverview> {
      const { storeId, store, userId } = actor
      const mayRead = (right: Permission | StorePower) => may(actor, right)
      const fields = mayRead('products:read') ? await deps.readFields(storeId, FIELDS_AGE_MS) : undefined
      deps.flush(storeId)
      const facts = gather(store, fields, userId)
      const { hidden } = settings.read(storeId)
      return {
        checklist: hidden.includes('checklist') ? [] : listSteps(storeId, facts),
        attention: listNotices(facts, mayRead).filter(({ kind }) => !hidden.includes(kind)),
        hidden: [...hidden],
        ...(searches > 0 &&
          mayRead('search:read') && {
            latest_searches: deps.listSearches(storeId, { limit: searches }).searches,
          }),
      }
    },

    /** GET /v1/admin/overview: a list that is a minute old at most; requests that come together wait for one. */
    async showAll(): Promise<NodeOverview> {
      const isFresh = node && clock.now() - node.at < Math.max(NODE_AGE_MS, NODE_DUTY * node.took)
      const list = node && isFresh ? node.list : await look()
      return { ...list, of_node: listNodeNotices(deps.moves.status()) }
    },
  }
}

const bySeverity = (a: Notice, b: Notice): number =>
  SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity)
