import type { Clock } from '../../core/clock.ts'
import { rateLimitExceeded } from '../../core/errors.ts'
import { LIMITS } from '../../core/limits.ts'
import type { PlanName, Plans } from '../../core/plans.ts'
import { createRateWindow, type RateVerdict } from '../../core/rate-window.ts'
import { throttleKey } from '../../core/throttle-keys.ts'
import { createTokenBuckets } from '../../core/token-buckets.ts'
import { rateHeaders } from './rate-headers.ts'

/** The widget key whose budget a request spends. */
export interface WidgetKeyBudget {
  storeId: string
  keyId: string
  plan: PlanName
  /** null: the limit of the plan. */
  ratePerMinute: number | null
}

/** What a request of a widget is counted as. Each kind has a budget of its own. */
export type WidgetWork = 'search' | 'feedback' | 'suggestions'

/** How many times as many requests of a kind are allowed as searches. */
const FACTORS: Readonly<Record<WidgetWork, number>> = {
  search: 1,
  feedback: LIMITS.widgetFeedbackFactor,
  suggestions: LIMITS.widgetSuggestionFactor,
}

interface Headers {
  headers: Record<string, string | number | undefined>
}

const WINDOW_MS = 60_000

/**
 * Counts the requests of widgets: by the visitor's address over all keys, and by the key. They spend nothing of the store's
 * plan, so that no shopper stops the shop's own backend. Feedback has its own budgets, where a list counts as its events, and so
 * have suggestions: who types spends no search.
 */
export function createWidgetBudget(clock: Pick<Clock, 'monotonic'>, plans: Plans) {
  const visitorBuckets = (work: WidgetWork) =>
    createTokenBuckets({
      perMinute: LIMITS.visitorRequestsPerMinute * FACTORS[work],
      burst: LIMITS.visitorBurst * FACTORS[work],
    })
  const visitors = {
    search: visitorBuckets('search'),
    feedback: visitorBuckets('feedback'),
    suggestions: visitorBuckets('suggestions'),
  }
  /** By store. */
  const keys = new Map<string, ReturnType<typeof createRateWindow>>()

  function takeOfKey(
    { storeId, keyId, plan, ratePerMinute }: WidgetKeyBudget,
    work: WidgetWork,
    units: number,
  ): RateVerdict {
    const window = keys.get(storeId) ?? createRateWindow(WINDOW_MS)
    keys.set(storeId, window)
    const rate = ratePerMinute ?? plans[plan].widgetRequestsPerMinute
    const limit = rate * FACTORS[work]
    // Each request has already taken one unit, so a list that asked for the whole limit would never pass.
    return window.take(`${keyId} ${work}`, limit, clock.monotonic(), Math.min(units, limit - 1))
  }

  return {
    /**
     * Takes one request of a visitor and of a key, and writes what is left into the headers of the answer: both budgets into
     * `RateLimit`, that of the key into the older `X-RateLimit-*`.
     *
     * @param units of work, one for a request.
     * @throws ApiError `rate_limit_exceeded`. A request that the visitor's budget refuses takes nothing of the key's.
     */
    spend(key: WidgetKeyBudget, work: WidgetWork, address: string, set: Headers, units = 1): void {
      const visitor = visitors[work].take(throttleKey(address), clock.monotonic(), units)
      const ofVisitor = rateHeaders('visitor', visitor)
      if (!visitor.isAllowed) {
        Object.assign(set.headers, ofVisitor)
        throw rateLimitExceeded(`A visitor may make ${visitor.limit} such requests a minute`, visitor)
      }
      const verdict = takeOfKey(key, work, units)
      const ofKey = rateHeaders('widget', verdict)
      Object.assign(set.headers, ofKey)
      for (const name of ['ratelimit-policy', 'ratelimit'])
        set.headers[name] = `${ofKey[name]}, ${ofVisitor[name]}`
      if (!verdict.isAllowed) {
        throw rateLimitExceeded(`The widget key allows ${verdict.limit} such requests a minute`, verdict)
      }
    },

    /** Forgets what the keys of a store have spent. */
    forgetStore: (storeId: string): void => void keys.delete(storeId),
  }
}

export type WidgetBudget = ReturnType<typeof createWidgetBudget>
