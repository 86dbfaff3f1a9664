import type { Caller, CallerStore } from '../core/actor.ts'
import type { Clock } from '../core/clock.ts'
import { LIMITS } from '../core/limits.ts'
import { PLANS } from '../core/plans.ts'
import { createRateWindow } from '../core/rate-window.ts'
import type { Purpose, Spending } from './auth.ts'

export interface RequestBudgetDeps {
  clock: Clock
  /** Learns of each request that spends the budget of a plan; a refused one spends nothing. */
  noteCall(storeId: string): void
}

/** Counts each request against its budget. A limit holds for any 60 seconds. */
export function createRequestBudget({ clock, noteCall }: RequestBudgetDeps) {
  const requests = createRateWindow(60_000)
  const take = (policy: Spending['policy'], owner: string, limit: number): Spending | undefined =>
    Number.isFinite(limit)
      ? { policy, verdict: requests.take(`${policy} ${owner}`, limit, clock.monotonic()) }
      : undefined

  function takeOfPlan(storeId: string, limit: number): Spending | undefined {
    const spent = take('plan', storeId, limit)
    if (spent?.verdict.isAllowed !== false) noteCall(storeId)
    return spent
  }

  function spend(
    { kind, store, token }: Pick<Caller, 'kind' | 'store' | 'token'>,
    purpose: Purpose,
  ): Spending | undefined {
    if (purpose === 'guard' && token?.sessionId) {
      // Each sign-in has a budget of its own: a thief with one must not keep the person from ending it with another.
      return take('person', token.sessionId, LIMITS.personRequestsPerMinute)
    }
    // Only a person may call without a store.
    if (store === null) return undefined
    const { requestsPerMinute } = PLANS[store.plan]
    if (purpose === 'tell') return take('feedback', store.id, requestsPerMinute * LIMITS.feedbackFactor)
    if (purpose === 'guard' && kind === 'machine') {
      // A store without a limit on requests is never told to wait.
      const isLimited = Number.isFinite(requestsPerMinute)
      return isLimited ? take('security', store.id, LIMITS.machineSecurityRequestsPerMinute) : undefined
    }
    return takeOfPlan(store.id, requestsPerMinute)
  }

  return {
    /** Takes one request from the budget that it spends; undefined for no limit. */
    spend,
    /** Takes a request for work that the service does on its own for a store. @returns false while none is left. */
    spendFor: (store: CallerStore): boolean =>
      spend({ kind: 'machine', store, token: null }, 'use')?.verdict.isAllowed ?? true,
    forgetStore(storeId: string): void {
      for (const policy of ['plan', 'security', 'feedback']) requests.forget(`${policy} ${storeId}`)
    },
  }
}
