import { t } from 'elysia'
import { PLAN_NAMES } from '../../../core/plans.ts'
import { named } from '../../../http/openapi/named.ts'
import { Moment, MomentOrNull } from '../../../http/paging.ts'
import { oneOf } from '../../../http/schema.ts'

const count = (description: string) => t.Integer({ minimum: 0, description })
const limit = (description: string) => t.Union([t.Integer(), t.Null()], { description })

/** Names of the plans, for other schemas of billing. */
export const PlanName = oneOf(PLAN_NAMES)

const planTitle = t.Optional(
  t.String({ description: 'What people read in place of the name, if the operator has set it.' }),
)

/** The receiver of the money: the operator (`manual`), or Stripe. */
export const Provider = oneOf(['manual', 'stripe'])

export const CurrentPlan = named(
  'CurrentPlan',
  t.Object({
    plan_name: PlanName,
    title: planTitle,
    max_products: limit('null: unlimited.'),
    rate_per_minute: limit('Requests for products and searches. null: unlimited.'),
    storage_max_bytes: limit('Bytes of pictures that the service stores. null: unlimited.'),
    price_per_month: t.Number(),
    currency: t.String({ examples: ['USD'] }),
    /** When the provider takes the next payment; null when nothing renews by itself. */
    renews_at: MomentOrNull,
    /** When a subscription that was cancelled ends, and the store moves to the plan `free`. */
    ends_at: MomentOrNull,
    provider: Provider,
  }),
)
export type CurrentPlan = typeof CurrentPlan.static

/** The plans of this service, smallest first. */
export const PlanList = t.Array(
  named(
    'Plan',
    t.Object({
      plan_name: PlanName,
      title: planTitle,
      price_per_month: t.Number(),
      currency: t.String({ examples: ['USD'] }),
      max_products: limit('null: unlimited.'),
      rate_per_minute: limit('Requests for products and searches. null: unlimited.'),
      is_current: t.Boolean({ description: 'Whether the store is on this plan.' }),
    }),
  ),
)
export type PlanList = typeof PlanList.static

const PlanWarning = named(
  'PlanWarning',
  t.Object({
    resource: oneOf(['products', 'storage']),
    percent: t.Integer({ description: 'The highest of the marks 80 and 95 that is reached.' }),
    used: t.Integer(),
    limit: t.Integer(),
    message: t.String(),
  }),
)

export const Usage = named(
  'Usage',
  t.Object({
    api_calls: count(
      'Requests of this month that spent the budget of the plan; each entry of a batch counts. Requests that were refused with 429 do not, nor do those with which people only read, and those of widgets, feedback, billing and security.',
    ),
    products_count: count('Products of the store.'),
    max_products: limit('null: unlimited.'),
    runs_out_at: t.Union([Moment, t.Null()], {
      description:
        'When the store has as many products as its plan allows, if it goes on as in the last 30 days; now if it has them. null if it does not grow, or not within a year, and for a new store.',
    }),
    storage_bytes: count('Bytes of pictures that the service stores for the store.'),
    storage_max_bytes: limit('null: unlimited.'),
    bulk_items: count('Items of bulk requests, imports and feeds of this month.'),
    period_start: Moment,
    period_end: t.String({ format: 'date-time', description: 'The first moment of the next month, in UTC.' }),
    warnings: t.Array(PlanWarning, { description: 'The limits that the store is near to, or above.' }),
  }),
)
export type Usage = typeof Usage.static
