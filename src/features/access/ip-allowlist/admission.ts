import { BoundedMap } from '../../../core/bounded-map.ts'
import { ApiError } from '../../../core/errors.ts'
import { createNetworkMatcher } from '../../../core/networks.ts'
import type { Reads } from '../../../platform/db/reads.ts'
import type { IpAllowlistQueries } from './queries.ts'

export interface AdmissionDeps {
  queries: Pick<IpAllowlistQueries, 'listByStore'>
  readDataVersion: Reads['readDataVersion']
}

/** The list of a store in memory: a test for addresses, and its last verdicts. */
interface KnownList {
  holds(address: string): boolean
  verdicts: Map<string, boolean>
}

/** Bounds of the memory: some megabytes. */
const STORES_MAX = 1_000
const VERDICTS_PER_STORE_MAX = 100

/**
 * Enforces the IP lists of stores. Every request needs a verdict, so a list is read once and kept until it changes, in this
 * process or in another.
 */
export function createAdmission({ queries, readDataVersion }: AdmissionDeps) {
  /** null for a store without a list: every address may call. */
  const known = new BoundedMap<string, KnownList | null>(STORES_MAX)
  let seenVersion = readDataVersion()

  function findList(storeId: string): KnownList | null {
    const version = readDataVersion()
    if (version !== seenVersion) known.clear()
    seenVersion = version
    const remembered = known.get(storeId)
    if (remembered !== undefined) return remembered
    const networks = queries.listByStore(storeId).map(({ network }) => network)
    const list =
      networks.length === 0
        ? null
        : {
            holds: createNetworkMatcher(networks),
            verdicts: new BoundedMap<string, boolean>(VERDICTS_PER_STORE_MAX),
          }
    known.set(storeId, list)
    return list
  }

  function isHeld({ holds, verdicts }: KnownList, address: string): boolean {
    const verdict = verdicts.get(address) ?? holds(address)
    verdicts.set(address, verdict)
    return verdict
  }

  return {
    /** @throws ApiError `ip_not_allowed` if the store has a list that does not contain the address. */
    admit(storeId: string, address: string): void {
      const list = findList(storeId)
      if (list === null || isHeld(list, address)) return
      throw new ApiError('ip_not_allowed', `The store does not allow requests from ${address}`, {
        details: { address },
      })
    },

    /** Forgets the list of a store. Call it when this process has changed the list. */
    forgetStore: (storeId: string): void => void known.delete(storeId),
  }
}
