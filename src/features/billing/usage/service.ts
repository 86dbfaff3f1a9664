import type { CallerStore } from '../../../core/actor.ts'
import { isoTime, isoTimeOrNull } from '../../../core/clock.ts'
import type { Month } from '../../../core/months.ts'
import { limitOrNull, PLAN_NAMES } from '../../../core/plans.ts'
import type { Base } from '../../module.ts'
import type { CallCounts } from './calls.ts'
import { describeNearness, listNearLimits } from './nearness.ts'
import type { ProductPace } from './product-pace.ts'
import type { UsageQueries } from './queries.ts'
import type { CurrentPlan, PlanList, Usage } from './schema.ts'

/** The payments for a store's plan, as far as they are known. Moments are Unix ms. */
export interface Renewal {
  provider: CurrentPlan['provider']
  /** When the next payment is taken; null when none is. */
  renewsAt: number | null
  /** When a cancelled subscription ends; null when none does. */
  endsAt: number | null
}

export interface UsageDeps extends Pick<Base, 'plans'> {
  queries: Pick<UsageQueries, 'findUse' | 'readMonth'>
  calls: Pick<CallCounts, 'read'>
  pace: Pick<ProductPace, 'findEnd'>
  thisMonth(): Month
  findRenewal(storeId: string): Renewal
}

export type UsageService = ReturnType<typeof usageService>

/** The limits of a store and its use of them (contract 6.6). Every answer takes constant time. */
export function usageService({ queries, calls, pace, plans, thisMonth, findRenewal }: UsageDeps) {
  return {
    /** GET /v1/billing/current-plan. */
    showPlan({ id, plan }: CallerStore): CurrentPlan {
      const { productsMax, requestsPerMinute, storageBytesMax, pricePerMonth, title } = plans[plan]
      const { provider, renewsAt, endsAt } = findRenewal(id)
      return {
        plan_name: plan,
        ...(title !== null && { title }),
        max_products: limitOrNull(productsMax),
        rate_per_minute: limitOrNull(requestsPerMinute),
        storage_max_bytes: limitOrNull(storageBytesMax),
        price_per_month: pricePerMonth,
        currency: plans.currency,
        renews_at: renewsAt === null ? null : isoTime(renewsAt),
        ends_at: endsAt === null ? null : isoTime(endsAt),
        provider,
      }
    },

    /** GET /v1/billing/plans. */
    listPlans: ({ plan: present }: CallerStore): PlanList =>
      PLAN_NAMES.map((plan_name) => {
        const { title, pricePerMonth, productsMax, requestsPerMinute } = plans[plan_name]
        return {
          plan_name,
          ...(title !== null && { title }),
          price_per_month: pricePerMonth,
          currency: plans.currency,
          max_products: limitOrNull(productsMax),
          rate_per_minute: limitOrNull(requestsPerMinute),
          is_current: plan_name === present,
        }
      }),

    /** GET /v1/billing/usage. */
    show({ id, slug, plan }: CallerStore): Usage {
      const { productsMax, storageBytesMax } = plans[plan]
      const { name, start, end } = thisMonth()
      const use = queries.findUse(id) ?? { plan, slug, products: 0, storageBytes: 0 }
      return {
        api_calls: calls.read(id, name),
        products_count: use.products,
        max_products: limitOrNull(productsMax),
        runs_out_at: isoTimeOrNull(pace.findEnd(id, use.products, productsMax)),
        storage_bytes: use.storageBytes,
        storage_max_bytes: limitOrNull(storageBytesMax),
        bulk_items: queries.readMonth(id, name).bulkItems,
        period_start: isoTime(start),
        period_end: isoTime(end),
        warnings: listNearLimits(plans, use).map((nearness) => ({
          ...nearness,
          message: describeNearness(nearness),
        })),
      }
    },
  }
}
