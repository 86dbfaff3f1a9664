import type { CallerStore } from '../../../core/actor.ts'
import { isoTime } from '../../../core/clock.ts'
import type { Month } from '../../../core/months.ts'
import { CURRENCY, PLANS } from '../../../core/plans.ts'
import type { CallCounts } from './calls.ts'
import { describeNearness, listNearLimits } from './nearness.ts'
import type { UsageQueries } from './queries.ts'
import type { CurrentPlan, Usage } from './schema.ts'

/** What is known of the payments for a store's plan. Moments are Unix ms. */
export interface Renewal {
  provider: CurrentPlan['provider']
  /** When the next payment is taken; null when none is. */
  renewsAt: number | null
  /** When a cancelled subscription ends; null when none does. */
  endsAt: number | null
}

export interface UsageDeps {
  queries: Pick<UsageQueries, 'findUse' | 'readMonth'>
  calls: Pick<CallCounts, 'read'>
  thisMonth(): Month
  findRenewal(storeId: string): Renewal
}

export type UsageService = ReturnType<typeof usageService>

/** What a store may use, and what it uses (contract 6.6). Every answer takes constant time. */
export function usageService({ queries, calls, thisMonth, findRenewal }: UsageDeps) {
  return {
    /** GET /v1/billing/current-plan. */
    showPlan({ id, plan }: CallerStore): CurrentPlan {
      const { productsMax, requestsPerMinute, storageBytesMax, pricePerMonth } = PLANS[plan]
      const { provider, renewsAt, endsAt } = findRenewal(id)
      return {
        plan_name: plan,
        max_products: orNull(productsMax),
        rate_per_minute: orNull(requestsPerMinute),
        storage_max_bytes: orNull(storageBytesMax),
        price_per_month: pricePerMonth,
        currency: CURRENCY,
        renews_at: renewsAt === null ? null : isoTime(renewsAt),
        ends_at: endsAt === null ? null : isoTime(endsAt),
        provider,
      }
    },

    /** GET /v1/billing/usage. */
    show({ id, slug, plan }: CallerStore): Usage {
      const { productsMax, storageBytesMax } = PLANS[plan]
      const { name, start, end } = thisMonth()
      const use = queries.findUse(id) ?? { plan, slug, products: 0, storageBytes: 0 }
      return {
        api_calls: calls.read(id, name),
        products_count: use.products,
        max_products: orNull(productsMax),
        storage_bytes: use.storageBytes,
        storage_max_bytes: orNull(storageBytesMax),
        bulk_items: queries.readMonth(id, name).bulkItems,
        period_start: isoTime(start),
        period_end: isoTime(end),
        warnings: listNearLimits(use).map((nearness) => ({
          ...nearness,
          message: describeNearness(nearness),
        })),
      }
    },
  }
}

/** The form of a limit on the wire. */
const orNull = (limit: number): number | null => (limit === Infinity ? null : limit)
