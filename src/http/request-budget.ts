import type { Caller } from '../core/actor.ts'
import type { Clock } from '../core/clock.ts'
import { LIMITS } from '../core/limits.ts'
import { PLANS, type PlanName } from '../core/plans.ts'
import { createRateWindow } from '../core/rate-window.ts'
import type { Purpose, Spending } from './auth.ts'

/** Counts the requests of callers, each out of the budget that it spends. A limit counts in any 60 seconds. */
export function createRequestBudget(findPlan: (storeId: string) => PlanName, clock: Clock) {
  const requests = createRateWindow(60_000)
  const take = (policy: Spending['policy'], owner: string, limit: number): Spending | undefined =>
    Number.isFinite(limit)
      ? { policy, verdict: requests.take(`${policy} ${owner}`, limit, clock.monotonic()) }
      : undefined

  return ({ kind, storeId, token }: Caller, purpose: Purpose): Spending | undefined => {
    if (purpose === 'guard' && token?.sessionId) {
      // Each sign-in has a budget of its own: a stolen one must not keep the person from ending it by another.
      return take('person', token.sessionId, LIMITS.personRequestsPerMinute)
    }
    // Only a person calls for no store.
    if (storeId === null) return undefined
    const { requestsPerMinute } = PLANS[findPlan(storeId)]
    // A store that may call without end is never told to wait.
    if (purpose === 'guard' && kind === 'machine' && Number.isFinite(requestsPerMinute)) {
      return take('security', storeId, LIMITS.machineSecurityRequestsPerMinute)
    }
    return take('plan', storeId, requestsPerMinute)
  }
}
