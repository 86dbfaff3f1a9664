import { LIMITS } from '../../core/limits.ts'
import type { AddressThrottle } from '../../core/throttle.ts'
import type { Db } from './open.ts'
import { createThrottle, type ThrottleOptions } from './throttle.ts'

/** What an address on the network is counted by: itself, and the network around it. */
export interface AddressKeys {
  own: string
  network: string
}

/** An address throttle whose events lie in the database. */
export interface KeptAddressThrottle extends AddressThrottle {
  /** Forgets events whose window is over. */
  prune(now: number): void
}

/**
 * Counts requests of one address, and of the network around it at ten times the limit: whoever has a whole network must
 * not count as each of its addresses. A request that is refused by either counts for neither.
 */
export function createAddressThrottle(
  db: Db,
  options: ThrottleOptions,
  keysOf: (address: string) => AddressKeys,
): KeptAddressThrottle {
  const own = createThrottle(db, options)
  const network = createThrottle(db, {
    ...options,
    bucket: `${options.bucket}.network`,
    limit: options.limit * LIMITS.networkFactor,
  })

  return {
    take(address, now) {
      const keys = keysOf(address)
      const around = network.look(keys.network, now)
      if (around.isAllowed) {
        const verdict = own.take(keys.own, now)
        if (verdict.isAllowed) network.add(keys.network, now)
        return verdict
      }
      const alone = own.look(keys.own, now)
      return !alone.isAllowed && alone.resetSeconds > around.resetSeconds ? alone : around
    },

    prune(now) {
      own.prune(now)
      network.prune(now)
    },
  }
}
