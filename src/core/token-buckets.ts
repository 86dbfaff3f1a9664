import type { RateVerdict } from './rate-window.ts'

/**
 * Creates buckets of tokens by key: a full one holds `burst`, and fills with `perMinute` tokens a minute.
 *
 * Each key costs one number, the time at which its bucket is full again (the generic cell rate algorithm), so that
 * a flood of addresses takes little memory. Without room the key that was used longest ago starts anew.
 */
export function createTokenBuckets(
  { perMinute, burst }: { perMinute: number; burst: number },
  keysMax = 100_000,
) {
  const intervalMs = 60_000 / perMinute
  /** By key, the least recently used first. */
  const fullAt = new Map<string, number>()

  function makeRoom(now: number): void {
    for (const [key, time] of fullAt) {
      if (time > now && fullAt.size < keysMax) return
      fullAt.delete(key)
    }
  }

  return {
    /**
     * Takes tokens of `key` at `now` (ms of a monotonic clock), if there are so many. The limit of the verdict is that of a
     * minute.
     *
     * @param units at most what a full bucket holds.
     */
    take(key: string, now: number, units = 1): RateVerdict {
      const known = fullAt.get(key) ?? now
      const before = Math.min(Math.max(known, now), now + burst * intervalMs)
      const after = before + units * intervalMs
      const isAllowed = after - now <= burst * intervalMs
      const full = isAllowed ? after : before
      fullAt.delete(key)
      makeRoom(now)
      fullAt.set(key, full)
      const waitMs = isAllowed ? full - now : after - now - burst * intervalMs
      return {
        isAllowed,
        limit: perMinute,
        remaining: Math.floor(burst - (full - now) / intervalMs),
        resetSeconds: Math.ceil(waitMs / 1000),
      }
    },
  }
}
