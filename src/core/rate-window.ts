/*
 * Three ways to count requests give one verdict:
 *
 * - `createRateWindow` is exact and forgets everything at a restart. It stores a time for each allowed request, so its keys
 *   are known: plans, people, widget keys.
 * - `createTokenBuckets` stores one number a key, so its keys may be any address.
 * - `Throttle` is exact and survives a restart, because the database keeps it: passwords, codes, mails.
 */

/** Outcome of one request against its window. */
export interface RateVerdict {
  isAllowed: boolean
  limit: number
  /** Requests left in the window that ends now. */
  remaining: number
  /** Whole seconds until a refused request would pass, or until the oldest request leaves after an allowed one. */
  resetSeconds: number
}

/**
 * Creates a counter of requests in a sliding window: exactly `limit` are allowed in any `windowMs`.
 *
 * It is exact because it stores the time of every allowed request, up to `limit` numbers per key. When the clock is set
 * back, requests from the future count as made now, so no key stays blocked for longer than the window.
 */
export function createRateWindow(windowMs: number, keysMax = 100_000) {
  /** Times of the allowed requests, oldest first. */
  const allowed = new Map<string, number[]>()

  function makeRoom(now: number): void {
    for (const [key, times] of allowed) if ((times.at(-1) ?? 0) <= now - windowMs) allowed.delete(key)
    // Still full: drop the oldest keys, so that memory stays bounded under any flood of keys.
    for (const key of allowed.keys()) {
      if (allowed.size < keysMax) break
      allowed.delete(key)
    }
  }

  return {
    /** Forgets every request of a key. */
    forget: (key: string): void => void allowed.delete(key),

    /**
     * Takes requests of `key` at `now` (ms of any one clock), if the window has room for them.
     *
     * @param units more than the limit count as the limit, because the window never has room for more.
     */
    take(key: string, limit: number, now: number, units = 1): RateVerdict {
      const wanted = Math.max(1, Math.min(units, limit))
      if (!allowed.has(key) && allowed.size >= keysMax) makeRoom(now)
      const times = allowed.get(key) ?? []
      while (times.length > 0 && (times[0] as number) <= now - windowMs) times.shift()
      for (let n = times.length - 1; n >= 0 && (times[n] as number) > now; n--) times[n] = now
      const isAllowed = times.length + wanted <= limit
      if (isAllowed) for (let n = 0; n < wanted; n++) times.push(now)
      allowed.set(key, times)
      // The last request that must leave before these fit. After the limit was lowered, several must leave.
      const blocking = times[Math.max(0, times.length + wanted - 1 - limit)] ?? now
      const waitMs = (isAllowed ? (times[0] ?? now) : blocking) + windowMs - now
      return {
        isAllowed,
        limit,
        remaining: Math.max(0, limit - times.length),
        resetSeconds: Math.ceil(waitMs / 1000),
      }
    },
  }
}
