import { DAY_MS } from '../../../core/clock.ts'
import { createMonths } from '../../../core/months.ts'
import type { Doors } from '../../../http/doors.ts'
import { createWriteBehind } from '../../../platform/db/write-behind.ts'
import type { Ground, Module } from '../../module.ts'
import { createCallCounts } from './calls.ts'
import { usageQueries } from './queries.ts'
import { usageRoutes } from './routes.ts'
import { type UsageDeps, usageService } from './service.ts'
import { createWarnings, type WarningDeps } from './warnings.ts'

export interface UsageNeeds
  extends Pick<UsageDeps, 'findRenewal'>,
    Pick<WarningDeps, 'people' | 'outbox' | 'publish'> {
  noteFault(error: unknown): void
}

/** Wires what stores use of their plans: the counts of requests, and the warnings before a limit. */
export function buildUsage(ground: Ground, needs: UsageNeeds) {
  const queries = usageQueries(ground.db)
  const thisMonth = createMonths(ground.clock.now)
  const writes = createWriteBehind({
    ...ground,
    name: 'counts of requests',
    schedule: ground.later,
    noteFault(error) {
      calls.keep()
      needs.noteFault(error)
    },
  })
  const calls = createCallCounts({ queries, thisMonth, later: writes.later })
  const warnings = createWarnings({ ...ground, ...needs, queries, thisMonth, schedule: ground.later })
  const usage = usageService({ ...needs, plans: ground.plans, queries, calls, thisMonth })

  return {
    service: {
      ...usage,
      /** Counts a request that spends the budget of a plan. */
      noteCall: calls.note,
      noteGrowth: warnings.noteGrowth,
    },
    routes: (doors: Doors) => usageRoutes(doors, usage),
    chores: [
      {
        name: 'deleting old notes of warnings',
        everyMs: DAY_MS,
        run: () => queries.forgetWarningsBefore(thisMonth().name),
      },
    ],
    forgetStore: calls.forgetStore,
  } satisfies Module<object>
}
