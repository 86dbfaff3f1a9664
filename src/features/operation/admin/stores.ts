import type { Caller } from '../../../core/actor.ts'
import { describeOperation, operatorAct } from '../../../core/audit.ts'
import { DAY_MS, isoTime, isoTimeOrNull, MINUTE_MS } from '../../../core/clock.ts'
import { notFound } from '../../../core/errors.ts'
import { limitOrNull } from '../../../core/plans.ts'
import type { Base } from '../../module.ts'
import type { PeopleQueries } from '../../stores/people/queries.ts'
import type { StoreService } from '../../stores/stores/service.ts'
import { createPages } from './pages.ts'
import type {
  AdminStore,
  AdminStoreList,
  AdminStoreQuery,
  DeleteStoreBody,
  StoreOpened,
  StorePatch,
  SuspendBody,
} from './schema.ts'
import type { AdminStoreQueries, AdminStoreRow } from './store-queries.ts'

export interface AdminStoreDeps extends Pick<Base, 'clock' | 'plans' | 'atomically' | 'record'> {
  queries: AdminStoreQueries
  people: Pick<PeopleQueries, 'listOwners'>
  stores: Pick<StoreService, 'suspend' | 'resume' | 'setPlan' | 'rename' | 'planDeletion'>
  /** Counts the searches that wait. */
  flushSearches(): void
}

const SEARCH_DAYS = 30
const OWNERS_MAX = 10
/** How long a page lets a super-admin act for a store before it asks again. */
const OPEN_MS = 30 * MINUTE_MS

const readPage = createPages('admin_stores')

function viewFeed(json: string): AdminStore['last_feed'] {
  const { finishedAt, ...run } = JSON.parse(json) as { feed_id: string; status: string; finishedAt: number }
  return { ...run, finished_at: isoTime(finishedAt) }
}

export type AdminStoreService = ReturnType<typeof adminStoreService>

/** The stores of this service, for super-admins. Every function with an id throws ApiError `not_found`. */
export function adminStoreService(deps: AdminStoreDeps) {
  const { queries, people, stores, plans, clock, flushSearches } = deps
  const findDays = () => {
    const today = Math.floor(clock.now() / DAY_MS)
    return { since: today - SEARCH_DAYS + 1, today }
  }

  const view = (row: AdminStoreRow): AdminStore => ({
    id: row.id,
    slug: row.slug,
    name: row.name,
    plan: row.plan,
    status: row.suspendedAt === null ? 'active' : row.deleteAt === null ? 'suspended' : 'deletion_planned',
    products: row.products,
    max_products: limitOrNull(plans[row.plan].productsMax),
    searches: row.searches,
    searches_today: row.searchesToday,
    last_feed: row.lastFeed === null ? null : viewFeed(row.lastFeed),
    storage_bytes: row.storageBytes,
    members: row.members,
    owners: people.listOwners(row.id, OWNERS_MAX).map(({ email }) => email),
    created_at: isoTime(row.createdAt),
    suspended_at: isoTimeOrNull(row.suspendedAt),
    suspended_reason: row.suspendedReason,
    delete_at: isoTimeOrNull(row.deleteAt),
  })

  function read(id: string): AdminStore {
    flushSearches()
    const row = queries.find(id, findDays())
    if (!row) throw notFound('store')
    return view(row)
  }

  return {
    read,

    /** @throws ApiError `invalid_cursor`. */
    list({ q, status, ...page }: AdminStoreQuery): AdminStoreList {
      flushSearches()
      const days = findDays()
      const { rows, nextCursor } = readPage(page, (beforeId, limit) =>
        queries.listPage({ q, status, beforeId, ...days }, limit),
      )
      return { stores: rows.map(view), count: rows.length, next_cursor: nextCursor }
    },

    suspend(by: Caller, id: string, { reason }: SuspendBody): AdminStore {
      stores.suspend(id, reason.trim(), by)
      return read(id)
    },

    /** @throws ApiError `conflict` if it is not suspended. */
    resume(by: Caller, id: string): AdminStore {
      stores.resume(id, by)
      return read(id)
    },

    /** Moves a store to another plan, renames it, or does both at once. */
    change: (by: Caller, id: string, { plan, name }: StorePatch): AdminStore =>
      deps.atomically(() => {
        if (name !== undefined) stores.rename(id, name.trim(), operatorAct(by))
        if (plan !== undefined) stores.setPlan(id, plan, operatorAct(by))
        return read(id)
      }),

    /**
     * Says in the logs of the store and of the node that a super-admin begins to act for a store. It gives no right: super-admins
     * have it, and each of their changes is logged, too.
     */
    open: (by: Caller, id: string): StoreOpened =>
      deps.atomically(() => {
        const row = queries.find(id, findDays())
        if (!row) throw notFound('store')
        const until = isoTime(clock.now() + OPEN_MS)
        const { slug } = row
        deps.record(describeOperation(by, id, 'store.opened_as_operator', { until }))
        deps.record(describeOperation(by, null, 'store.opened_as_operator', { store_id: id, slug, until }))
        return { slug, until }
      }),

    /** @throws ApiError `validation_error` for a wrong slug, `conflict` if the deletion is planned already. */
    delete(by: Caller, id: string, { confirm }: DeleteStoreBody): AdminStore {
      stores.planDeletion(id, confirm, by)
      return read(id)
    },
  }
}
