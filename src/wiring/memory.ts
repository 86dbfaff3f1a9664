import type { Module } from '../features/module.ts'
import type { Install } from '../install.ts'
import type { ModelSet } from '../platform/models/model-set.ts'
import type { SignInWing } from './access.ts'
import type { CatalogueWing } from './catalogue.ts'
import type { DiscoveryWing } from './discovery.ts'
import type { Entrance } from './entrance.ts'

/** Far longer than a search takes: what is under way ends well. */
const LEAVING_MS = 30_000

/**
 * Reaches what memory holds about a store, wherever it lies.
 *
 * @param listModules all modules, once they are built.
 */
export function wireMemory(
  {
    install: {
      foundation: { base, gate, writes },
    },
    models,
    signIn,
    entrance,
    catalogue,
    discovery,
  }: {
    install: Pick<Install, 'foundation'>
    models: Pick<ModelSet, 'forgetStore'>
    signIn: SignInWing
    entrance: Entrance
    catalogue: CatalogueWing
    discovery: DiscoveryWing
  },
  listModules: () => readonly Module<unknown>[],
) {
  /** The same as `forgetStore` for a store that has just been read into the index. */
  function forgetCaches(storeId: string): void {
    models.forgetStore(storeId)
    entrance.forgetStore(storeId)
    for (const module of listModules()) if (module !== catalogue.productIndex) module.forgetStore?.(storeId)
  }

  return {
    /** Writes what memory has counted of a store: searches, feedback, requests. For a store that is paused. */
    drainStore(storeId: string): void {
      gate.drain(storeId, () => {
        discovery.writes.flushStore(storeId)
        writes.flush()
        signIn.signIn.service.flush()
        discovery.writes.flushStore(storeId)
      })
    },

    /** Drops everything that memory holds about a store, so that the next request reads it again. */
    forgetStore(storeId: string): void {
      discovery.writes.forgetStore(storeId)
      forgetCaches(storeId)
      catalogue.productIndex.forgetStore(storeId)
    },

    /** The same for a store that is gone: nothing of it is read again. */
    dropStore(storeId: string): void {
      discovery.writes.forgetStore(storeId)
      forgetCaches(storeId)
      catalogue.productIndex.service.dropStore(storeId)
    },

    /** The same for a store that is served elsewhere from now on, after the searches that are under way. */
    leaveStore(storeId: string): void {
      discovery.writes.forgetStore(storeId)
      forgetCaches(storeId)
      base.defer(catalogue.productIndex.service.beginLeaving(storeId), LEAVING_MS)
    },

    forgetCaches,
  }
}
