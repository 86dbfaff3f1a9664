import type { KeptRowSet } from './rows.ts'

/** The state of a store's products. */
export interface StoreState {
  /** The number of their last change by this process. */
  change: number
  /** Changes with those by other processes. */
  others: number
}

/** The products that a filter lets pass, with warnings for the client that sent it. */
export interface Resolved {
  rows: KeptRowSet
  warnings: string[]
}

/** What a filter lets pass in a state of its store. */
export interface KeptResult {
  state: StoreState
  resolved: Resolved
}

interface Entry extends KeptResult {
  bytes: number
}

interface Shelf {
  bytes: number
  /** By filter, the least recently used first. */
  entries: Map<string, Entry>
}

/** Of all stores together. */
const BYTES_MAX = 16 * 1024 * 1024
/** A larger entry is not kept: the rows of sixteen million products. */
const ENTRY_BYTES_MAX = 2 * 1024 * 1024
/** An entry besides its rows and warnings: its key, objects, and the counts of ten fields. */
const ENTRY_OVERHEAD_BYTES = 16 * 1024

export type KeptRows = ReturnType<typeof createKeptRows>

/**
 * Keeps what recent filters let pass, for the next pages and for searches that repeat. When all stores together hold too much, the one that holds most loses what it used least recently.
 */
export function createKeptRows(bytesMax = BYTES_MAX) {
  const shelves = new Map<string, Shelf>()
  let held = 0

  function drop(storeId: string, shelf: Shelf, key: string): void {
    const bytes = shelf.entries.get(key)?.bytes ?? 0
    shelf.entries.delete(key)
    shelf.bytes -= bytes
    held -= bytes
    if (shelf.entries.size === 0) shelves.delete(storeId)
  }

  function forgetStore(storeId: string): void {
    held -= shelves.get(storeId)?.bytes ?? 0
    shelves.delete(storeId)
  }

  function evict(): void {
    while (held > bytesMax) {
      let most: [string, Shelf] | undefined
      for (const candidate of shelves) if (!most || candidate[1].bytes > most[1].bytes) most = candidate
      if (!most) return
      const [oldest = ''] = most[1].entries.keys()
      drop(...most, oldest)
    }
  }

  return {
    find(storeId: string, key: string): KeptResult | undefined {
      const shelf = shelves.get(storeId)
      const entry = shelf?.entries.get(key)
      if (!shelf || !entry) return undefined
      shelf.entries.delete(key)
      shelf.entries.set(key, entry)
      return entry
    },

    keep(storeId: string, key: string, { state, resolved }: KeptResult): void {
      const words = resolved.warnings.reduce((sum, text) => sum + 2 * text.length, 0)
      const bytes = resolved.rows.bytes + words + ENTRY_OVERHEAD_BYTES
      const known = shelves.get(storeId)
      if (known) drop(storeId, known, key)
      if (bytes > ENTRY_BYTES_MAX) return
      const shelf = shelves.get(storeId) ?? { bytes: 0, entries: new Map() }
      shelves.set(storeId, shelf)
      shelf.entries.set(key, { state, resolved, bytes })
      shelf.bytes += bytes
      held += bytes
      evict()
    },

    forgetStore,

    /** Counts the bytes held now, of all stores together. */
    countBytes: (): number => held,
  }
}
