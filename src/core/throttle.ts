import { LIMITS } from './limits.ts'
import type { RateVerdict } from './rate-window.ts'
import { networkKey, throttleKey } from './throttle-keys.ts'

/** Counts the events of a key in an exact sliding window that survives a restart (contract 5.6). Times are Unix ms. */
export interface Throttle {
  /** Counts one event if the window has room for it. Concurrent calls never exceed the limit. */
  take(key: string, now: number): RateVerdict
  /** The verdict that {@link take} would give, without counting. */
  peek(key: string, now: number): RateVerdict
  /** Counts one event regardless of the limit. */
  add(key: string, now: number): void
  /** Deletes every event of the key. */
  reset(key: string): void
}

/** Counts requests by their network address. */
export interface AddressThrottle {
  /** Counts one request if the windows of its address and of the surrounding network have room for it. */
  take(address: string, now: number): RateVerdict
}

/**
 * Counts the requests of an address, and those of its network at ten times the limit, because one client may own a whole
 * network. A request that either refuses counts for neither.
 */
export function createAddressThrottle(
  createThrottle: (bucket: string, limit: number, windowMs: number) => Throttle,
  bucket: string,
  limit: number,
  windowMs: number,
): AddressThrottle {
  const own = createThrottle(bucket, limit, windowMs)
  const network = createThrottle(`${bucket}.network`, limit * LIMITS.networkFactor, windowMs)

  return {
    take(address, now) {
      const around = network.peek(networkKey(address), now)
      if (around.isAllowed) {
        const verdict = own.take(throttleKey(address), now)
        if (verdict.isAllowed) network.add(networkKey(address), now)
        return verdict
      }
      const alone = own.peek(throttleKey(address), now)
      return !alone.isAllowed && alone.resetSeconds > around.resetSeconds ? alone : around
    },
  }
}
