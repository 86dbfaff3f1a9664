import { LIMITS } from '../../core/limits.ts'
import type { AddressThrottle } from '../../core/throttle.ts'
import type { Db } from './open.ts'
import { createThrottle, type ThrottleOptions } from './throttle.ts'

/** The keys that count a network address: its own, and that of its network. */
export interface AddressKeys {
  own: string
  network: string
}

/** An address throttle that stores its events in the database. */
export interface KeptAddressThrottle extends AddressThrottle {
  /** Deletes events whose window is over. */
  prune(now: number): void
}

/**
 * Counts the requests of an address, and those of its network at ten times the limit, because one client may own a whole
 * network. A request that either refuses counts for neither.
 */
export function createAddressThrottle(
  db: Db,
  options: ThrottleOptions,
  toKeys: (address: string) => AddressKeys,
): KeptAddressThrottle {
  const own = createThrottle(db, options)
  const network = createThrottle(db, {
    ...options,
    bucket: `${options.bucket}.network`,
    limit: options.limit * LIMITS.networkFactor,
  })

  return {
    take(address, now) {
      const keys = toKeys(address)
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
