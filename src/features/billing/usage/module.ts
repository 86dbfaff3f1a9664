import { DAY_MS, HOUR_MS } from '../../../core/clock.ts'
import { createMonths } from '../../../core/months.ts'
import { turn } from '../../../core/turns.ts'
import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { type CallCountDeps, createCallCounts } from './calls.ts'
import { createProductPace } from './product-pace.ts'
import { usageQueries } from './queries.ts'
import { usageRoutes } from './routes.ts'
import { type UsageDeps, usageService } from './service.ts'
import { createWarnings, type WarningDeps } from './warnings.ts'

export interface UsageNeeds
  extends Pick<UsageDeps, 'findRenewal'>,
    Pick<CallCountDeps, 'enqueueWrite' | 'isHeld'>,
    Pick<WarningDeps, 'mailOwners' | 'publish'> {}

/**
 * Wires what stores use of their plans. Requests that spend a plan's budget are counted in memory, and the sums by store and
 * month are written in groups. Triggers of the database count items of jobs, products and bytes. The writer of products
 * calls `warnNearLimit` in its transaction, which warns a store at 80 and 95 % of a limit.
 */
export function buildUsage(base: Base, needs: UsageNeeds) {
  const queries = usageQueries(base.db)
  const thisMonth = createMonths(base.clock.now)
  const calls = createCallCounts({
    queries,
    thisMonth,
    enqueueWrite: needs.enqueueWrite,
    isHeld: needs.isHeld,
  })
  const warnings = createWarnings({ ...base, ...needs, queries, thisMonth })
  const pace = createProductPace({ queries, clock: base.clock, turn })
  const usage = usageService({ ...needs, plans: base.plans, queries, calls, pace, thisMonth })

  return {
    service: {
      ...usage,
      /** Counts a request that spends the budget of a plan. */
      countCall: calls.count,
      warnNearLimit: warnings.warnNearLimit,
    },
    routes: (guards: Guards) => usageRoutes(guards, usage),
    chores: [
      { name: 'noting the products of stores', everyMs: 6 * HOUR_MS, run: pace.note },
      {
        name: 'deleting old usage warnings',
        everyMs: DAY_MS,
        run: () => queries.forgetWarningsBefore(thisMonth().name),
      },
    ],
    forgetStore: calls.forgetStore,
  } satisfies Module<object>
}
