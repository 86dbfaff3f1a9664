import { LIMITS } from './limits.ts'
import type { AddressThrottle, Throttle } from './throttle.ts'
import { networkKey, throttleKey } from './throttle-keys.ts'

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
