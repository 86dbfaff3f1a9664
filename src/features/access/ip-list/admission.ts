import { ApiError } from '../../../core/errors.ts'
import { createNetworkMatcher } from '../../../core/networks.ts'
import type { IpWhitelistQueries } from './queries.ts'

export interface AdmissionDeps {
  queries: Pick<IpWhitelistQueries, 'ofStore' | 'foreignChange'>
}

/** What is kept in memory of a store: the whole list as a test, and what it said. */
interface KnownList {
  holds(address: string): boolean
  verdicts: Map<string, boolean>
}

/** Bounds of what is remembered: some megabytes. */
const STORES_MAX = 1_000
const VERDICTS_PER_STORE_MAX = 100

/**
 * Enforces the IP lists of stores. It is asked with every request, so lists are read once and kept until they change,
 * here or in another process.
 */
export function createAdmission({ queries }: AdmissionDeps) {
  /** null for a store without a list: everybody may come. */
  const known = new Map<string, KnownList | null>()
  let seenChange = queries.foreignChange()

  function listOf(storeId: string): KnownList | null {
    const change = queries.foreignChange()
    if (change !== seenChange) known.clear()
    seenChange = change
    const remembered = known.get(storeId)
    if (remembered !== undefined) return remembered
    if (known.size >= STORES_MAX) known.clear()
    const networks = queries.ofStore(storeId).map(({ network }) => network)
    const list = networks.length === 0 ? null : { holds: createNetworkMatcher(networks), verdicts: new Map() }
    known.set(storeId, list)
    return list
  }

  function isHeld({ holds, verdicts }: KnownList, address: string): boolean {
    const verdict = verdicts.get(address) ?? holds(address)
    if (verdicts.size >= VERDICTS_PER_STORE_MAX) verdicts.clear()
    verdicts.set(address, verdict)
    return verdict
  }

  return {
    /** @throws ApiError `ip_not_allowed` when the store has a list that does not hold the address. */
    admit(storeId: string, address: string): void {
      const list = listOf(storeId)
      if (list === null || isHeld(list, address)) return
      throw new ApiError('ip_not_allowed', `The store does not allow calls from ${address}`, {
        details: { address },
      })
    },

    /** To be called when this process has changed the list of a store. */
    forgetStore: (storeId: string): void => void known.delete(storeId),
  }
}
