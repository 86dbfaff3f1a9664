import type { Caller } from '../core/actor.ts'
import type { Clock } from '../core/clock.ts'
import { LIMITS } from '../core/limits.ts'
import { PLANS } from '../core/plans.ts'
import { createRateWindow } from '../core/rate-window.ts'
import type { Purpose, Spending } from './auth.ts'

/** Counts the requests of callers, each out of the budget that it spends. A limit counts in any 60 seconds. */
export function createRequestBudget(clock: Clock) {
  const requests = createRateWindow(60_000)
  const take = (policy: Spending['policy'], owner: string, limit: number): Spending | undefined =>
    Number.isFinite(limit)
      ? { policy, verdict: requests.take(`${policy} ${owner}`, limit, clock.monotonic()) }
      : undefined

  function spend({ kind, store, token }: Caller, purpose: Purpose): Spending | undefined {
    if (purpose === 'guard' && token?.sessionId) {
      // Each sign-in has a budget of its own: a stolen one must not keep the person from ending it by another.
      return take('person', token.sessionId, LIMITS.personRequestsPerMinute)
    }
    // Only a person calls for no store.
    if (store === null) return undefined
    const { requestsPerMinute } = PLANS[store.plan]
    // A store that may call without end is never told to wait.
    if (purpose === 'guard' && kind === 'machine' && Number.isFinite(requestsPerMinute)) {
      return take('security', store.id, LIMITS.machineSecurityRequestsPerMinute)
    }
    return take('plan', store.id, requestsPerMinute)
  }

  return {
    /** Takes one request from the budget that it spends; undefined for no limit. */
    spend,
    forgetStore(storeId: string): void {
      for (const policy of ['plan', 'security']) requests.forget(`${policy} ${storeId}`)
    },
  }
}
