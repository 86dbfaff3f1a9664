import type { CallerStore } from '../../../core/actor.ts'
import type { Month } from '../../../core/months.ts'
import { limitOrNull } from '../../../core/plans.ts'
import type { Base } from '../../module.ts'
import type { MailOwners } from '../../stores/people/owner-mails.ts'
import { limitNearMail } from './mails.ts'
import { hasLimits, listNearLimits, type Nearness, THRESHOLDS } from './nearness.ts'
import type { StoreUse, UsageQueries } from './queries.ts'

export interface WarningDeps extends Pick<Base, 'plans' | 'baseUrl'> {
  queries: Pick<UsageQueries, 'findUse' | 'addWarning'>
  mailOwners: MailOwners
  /** Queues the event for the webhooks that ask for it, inside the transaction. */
  publish(storeId: string, event: 'plan.limit_near', data: Record<string, unknown>): void
  thisMonth(): Month
}

/**
 * Tells a store once a month that it has reached 80 or 95 % of a limit of its plan: its webhooks by `plan.limit_near`, its
 * owners by mail.
 */
export function createWarnings(deps: WarningDeps) {
  const { queries, plans, thisMonth } = deps

  function tell(storeId: string, use: StoreUse, nearness: Nearness): void {
    deps.publish(storeId, 'plan.limit_near', {
      plan_name: use.plan,
      ...nearness,
      max_products: limitOrNull(plans[use.plan].productsMax),
      products_count: use.products,
    })
    const facts = { slug: use.slug, plan: use.plan, nearness, baseUrl: deps.baseUrl() }
    deps.mailOwners(storeId, (to) => limitNearMail(to, facts))
  }

  return {
    /**
     * Call it with every write that may take more of the plan, inside its transaction: on a plan with
     * limits it reads one row, and it writes only above a threshold.
     */
    warnNearLimit({ id: storeId, plan }: CallerStore): void {
      if (!hasLimits(plans, plan)) return
      const use = queries.findUse(storeId)
      if (!use) return
      for (const nearness of listNearLimits(plans, use)) {
        const { name } = thisMonth()
        const { resource, percent } = nearness
        const isNew = queries.addWarning(storeId, name, resource, percent)
        // After some deletions, 80 % may come after 95 %, and is no news then.
        for (const lower of THRESHOLDS)
          if (lower < percent) queries.addWarning(storeId, name, resource, lower)
        if (isNew) tell(storeId, use, nearness)
      }
    },
  }
}
