import type { CallerStore } from '../../../core/actor.ts'
import { createShares, type Holding } from '../../../core/shares.ts'
import type { Base } from '../../module.ts'
import { type Kind, type Prepared, SHARES } from './prepare.ts'

export interface CapacityDeps extends Pick<Base, 'plans'> {
  countProducts(storeId: string): number
}

/** For each kind of items, whether a store that waits has reserved all that falls free or only what lies beyond first shares. */
export type Reserved = Map<Kind, 'beyond' | 'all'>

/** An item in progress, as far as it takes places of its store. */
interface Taking {
  hosts: readonly string[]
  /** Whether it makes a product that is not there. */
  isNew: boolean
}

/** Items of one store in progress whose main pictures are on one host, so that a slow host does not hold up the others. */
const PER_HOST_MAX = 12
/** The same of a slow host. */
const PER_SLOW_HOST_MAX = 3

/** Bounds the items in progress: their weight for each store and for all, their hosts, and the products of a plan. */
export function createCapacity({ plans, countProducts }: CapacityDeps) {
  const shares = { fetched: createShares(SHARES.fetched), here: createShares(SHARES.here) }

  return {
    /** Whether a store may begin an item now. What it must wait for because of others, it reserves. */
    mayBegin(storeId: string, { kind, weight }: Prepared, reserved: Reserved): boolean {
      const { firstMax, max, perOwnerMax } = SHARES[kind]
      const own = shares[kind].held(storeId) + weight
      const kept = reserved.get(kind)
      if (own > perOwnerMax || kept === 'all' || (kept === 'beyond' && own > firstMax)) return false
      if (shares[kind].fits(storeId, weight)) return true
      reserved.set(kind, shares[kind].held() + weight > max ? 'all' : 'beyond')
      return false
    },

    take: (storeId: string, { kind, weight }: Prepared): Holding => shares[kind].take(storeId, weight),

    /**
     * Whether the plan of a store has a place for one more product. So the places that are left go to the first items;
     * those in progress may still fail and leave theirs.
     */
    hasPlace({ id, plan }: CallerStore, busy: readonly Taking[]): boolean {
      const max = plans[plan].productsMax
      if (max === Infinity) return true
      const coming = busy.filter(({ isNew }) => isNew).length
      return coming === 0 || countProducts(id) + coming < max
    },
  }
}

/** Whether the items in progress of a store leave no place for another one whose main picture is on a host. */
export function isHostFull(host: string | undefined, isSlow: boolean, busy: readonly Taking[]): boolean {
  if (host === undefined) return false
  return busy.filter(({ hosts }) => hosts[0] === host).length >= (isSlow ? PER_SLOW_HOST_MAX : PER_HOST_MAX)
}
