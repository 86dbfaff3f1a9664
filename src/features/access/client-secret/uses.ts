import { BoundedMap } from '../../../core/bounded-map.ts'
import { type Clock, HOUR_MS, MINUTE_MS } from '../../../core/clock.ts'
import type { WriteBehind } from '../../../platform/db/write-behind.ts'

export interface SecretUseDeps {
  clock: Pick<Clock, 'now'>
  enqueueWrite: WriteBehind['enqueue']
  /** Stores when the secret of a store was last used. */
  write(storeId: string, at: number): void
}

/** Stores that memory holds, and addresses of each; the addresses are those of a store's own servers. */
const STORES_MAX = 5_000
const ADDRESSES_MAX = 100

interface Known {
  usedAt: number
  writtenAt: number
  /** When each address last used the secret, the least recent first. */
  addresses: Map<string, number>
}

export type SecretUses = ReturnType<typeof createSecretUses>

/**
 * Remembers who exchanged client secrets for tokens. A token lasts an hour at most by default, so every machine that is at work
 * comes by within the hour. When a secret was last used is written at most once a minute; addresses stay in memory.
 */
export function createSecretUses({ clock, enqueueWrite, write }: SecretUseDeps) {
  const stores = new BoundedMap<string, Known>(STORES_MAX)

  return {
    note(storeId: string, address: string): void {
      const now = clock.now()
      const known = stores.get(storeId) ?? { usedAt: 0, writtenAt: -Infinity, addresses: new Map() }
      stores.set(storeId, known)
      known.usedAt = now
      known.addresses.delete(address)
      known.addresses.set(address, now)
      for (const [oldest] of known.addresses) {
        if (known.addresses.size <= ADDRESSES_MAX) break
        known.addresses.delete(oldest)
      }
      if (now - known.writtenAt < MINUTE_MS) return
      known.writtenAt = now
      enqueueWrite(() => write(storeId, now), undefined, storeId)
    },

    /** Reads the last use that memory knows, and counts the addresses of the last hour. */
    read(storeId: string): { usedAt: number | null; addresses: number } {
      const known = stores.get(storeId)
      const since = clock.now() - HOUR_MS
      const recent = [...(known?.addresses.values() ?? [])].filter((at) => at > since)
      return { usedAt: known?.usedAt ?? null, addresses: recent.length }
    },

    forgetStore: (storeId: string): void => void stores.delete(storeId),
  }
}
