import type { CallerStore, Identity } from '../../core/actor.ts'
import { type Clock, HOUR_MS } from '../../core/clock.ts'
import { rateLimitExceeded } from '../../core/errors.ts'
import { LIMITS } from '../../core/limits.ts'
import type { Plans } from '../../core/plans.ts'
import { createRateWindow } from '../../core/rate-window.ts'
import type { Effect, Purpose, Spending } from '../auth.ts'

export interface RequestBudgetDeps {
  plans: Plans
  clock: Clock
  /** Counts a request that spends the budget of a plan; a refused one spends nothing. */
  countCall(storeId: string): void
}

/** What one person may send in a minute instead of spending the plan, and all people of a store together. */
type PersonBudget = Record<'own' | 'all', { policy: Spending['policy']; perMinute: number }>

const REQUESTS: PersonBudget = {
  own: { policy: 'reads', perMinute: LIMITS.readsPerPersonPerMinute },
  all: { policy: 'people', perMinute: LIMITS.readsOfPeoplePerStorePerMinute },
}

const SEARCHES: PersonBudget = {
  own: { policy: 'searches', perMinute: LIMITS.portalSearchesPerPersonPerMinute },
  all: { policy: 'people_searches', perMinute: LIMITS.portalSearchesPerStorePerMinute },
}

/** The budget of a person that a request spends instead of the plan's; undefined for what costs the model, or a backend does. */
function findPersonBudget(purpose: Purpose, effect: Effect, isPortal: boolean): PersonBudget | undefined {
  if (purpose === 'search') return isPortal ? SEARCHES : undefined
  if (effect === 'read') return REQUESTS
  return isPortal && (purpose === 'settings' || effect === 'delete') ? REQUESTS : undefined
}

/** Counts each request against its budget. A limit holds for any 60 seconds; the limit of events in lists for any hour. */
export function createRequestBudget({ plans, clock, countCall }: RequestBudgetDeps) {
  const requests = createRateWindow(60_000)
  const events = createRateWindow(HOUR_MS)
  const take = (policy: Spending['policy'], owner: string, limit: number): Spending | undefined =>
    Number.isFinite(limit)
      ? { policy, verdict: requests.take(`${policy} ${owner}`, limit, clock.monotonic()) }
      : undefined

  function takeOfPlan(storeId: string, limit: number): Spending | undefined {
    const spent = take('plan', storeId, limit)
    if (spent?.verdict.isAllowed !== false) countCall(storeId)
    return spent
  }

  /** More accounts must not replace a plan, so all people of a store also share a budget. Reports the budget with less left. */
  function takeOfPerson(
    userId: string,
    storeId: string,
    { own: ownLimit, all: allLimit }: PersonBudget,
  ): Spending | undefined {
    const own = take(ownLimit.policy, userId, ownLimit.perMinute)
    if (own?.verdict.isAllowed === false) return own
    const all = take(allLimit.policy, storeId, allLimit.perMinute)
    if (all?.verdict.isAllowed === false) return all
    return (all?.verdict.remaining ?? Infinity) < (own?.verdict.remaining ?? Infinity) ? all : own
  }

  function spend(
    { kind, userId, store, token }: Pick<Identity, 'kind' | 'userId' | 'store' | 'token'>,
    purpose: Purpose,
    effect: Effect,
  ): Spending | undefined {
    const isPortal = token?.isPortal === true
    if (purpose === 'security' && token?.sessionId) {
      // Each sign-in has a budget of its own: a thief with one must not keep the person from ending it with another.
      const limit = isPortal ? LIMITS.readsPerPersonPerMinute : LIMITS.personRequestsPerMinute
      return take('person', token.sessionId, limit)
    }
    // Only a person may call without a store.
    if (store === null) return undefined
    const { requestsPerMinute } = plans[store.plan]
    if (purpose === 'feedback') return take('feedback', store.id, requestsPerMinute * LIMITS.feedbackFactor)
    if (purpose === 'security' && kind === 'machine') {
      // A store without a limit on requests is never told to wait.
      const isLimited = Number.isFinite(requestsPerMinute)
      return isLimited ? take('security', store.id, LIMITS.machineSecurityRequestsPerMinute) : undefined
    }
    const budget = kind === 'person' ? findPersonBudget(purpose, effect, isPortal) : undefined
    if (budget) return takeOfPerson(userId ?? '', store.id, budget)
    return takeOfPlan(store.id, requestsPerMinute)
  }

  return {
    /** Takes one request from the budget that it spends; undefined for no limit. */
    spend,
    /** Takes a search of a person in the portal. It spends nothing of the plan, and counts as no call. */
    spendSearchOfPerson: ({ userId, storeId }: { userId: string; storeId: string }) =>
      takeOfPerson(userId, storeId, SEARCHES),
    /**
     * Takes the events of a list from what a store may send in an hour, so that a request with a thousand events does not
     * get around its budget.
     *
     * @throws ApiError `rate_limit_exceeded`.
     */
    spendEvents({ store }: Pick<Identity, 'store'>, count: number): void {
      if (!store || count <= 1) return
      const perHour = plans[store.plan].requestsPerMinute * LIMITS.feedbackEventsPerHourFactor
      if (!Number.isFinite(perHour)) return
      const toUnits = (many: number) => Math.ceil(many / LIMITS.feedbackEventsPerUnit)
      const verdict = events.take(store.id, toUnits(perHour), clock.monotonic(), toUnits(count))
      if (verdict.isAllowed) return
      throw rateLimitExceeded(`The plan allows ${perHour} events in lists an hour`, {
        ...verdict,
        limit: perHour,
      })
    },
    /** Takes a request for work that the service does on its own for a store. @returns false while none is left. */
    spendFor: (store: CallerStore): boolean =>
      spend({ kind: 'machine', userId: null, store, token: null }, 'api', 'write')?.verdict.isAllowed ?? true,
    forgetStore(storeId: string): void {
      for (const policy of ['plan', 'people', 'people_searches', 'security', 'feedback'])
        requests.forget(`${policy} ${storeId}`)
      events.forget(storeId)
    },
  }
}
