/** What one request finds in its window. */
export interface RateVerdict {
  isAllowed: boolean
  limit: number
  /** Requests left in the window that ends now. */
  remaining: number
  /** Whole seconds until a refused request would be allowed, or until the window is empty again. */
  resetSeconds: number
}

/**
 * Counts requests in a sliding window: never more than `limit` are allowed in any `windowMs`, and never fewer.
 *
 * Exact, because every allowed request keeps its own time: `limit` numbers a key. A clock that was set back keeps nobody
 * out for longer than the window: requests of the future become requests of now.
 */
export function createRateWindow(windowMs: number, keysMax = 100_000) {
  /** Times of the allowed requests, oldest first. */
  const allowed = new Map<string, number[]>()

  function makeRoom(now: number): void {
    for (const [key, times] of allowed) if ((times.at(-1) ?? 0) <= now - windowMs) allowed.delete(key)
    // Still full: the key that came first gives way, so memory stays bounded under any flood of keys.
    for (const key of allowed.keys()) {
      if (allowed.size < keysMax) break
      allowed.delete(key)
    }
  }

  return {
    /** Forgets every request of a key. */
    forget: (key: string): void => void allowed.delete(key),

    /** Takes one request of `key` at `now` (ms of any one clock), if the window has room for it. */
    take(key: string, limit: number, now: number): RateVerdict {
      if (!allowed.has(key) && allowed.size >= keysMax) makeRoom(now)
      const times = allowed.get(key) ?? []
      while (times.length > 0 && (times[0] as number) <= now - windowMs) times.shift()
      for (let n = times.length - 1; n >= 0 && (times[n] as number) > now; n--) times[n] = now
      const isAllowed = times.length < limit
      if (isAllowed) times.push(now)
      allowed.set(key, times)
      // The request that must leave the window before one more fits; a lowered limit may need several to go.
      const blocking = times[Math.max(0, times.length - limit)] ?? now
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
