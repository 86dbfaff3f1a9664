import type { Clock } from '../../../core/clock.ts'
import type { Ids } from '../../../core/ids.ts'
import type { Box } from '../../../platform/embedder/embedder.ts'
import type { Searcher } from './searcher.ts'

/** A part of a picture, with its share of all that stands on the background. */
export interface Region {
  box: Box
  score: number
}

/** How long a query picture can be named again. */
const KEPT_MS = 15 * 60_000

/** Pictures and vectors of all stores together. */
const BYTES_MAX = 64 * 1024 * 1024

/** The bytes of an entry besides its picture and its vector. */
const ENTRY_OVERHEAD_BYTES = 1_024

/** A query picture that can be named again. */
export interface QueryPictureEntry {
  /** Of the whole picture, in pixels. */
  width: number
  height: number
  /** Its parts that are worth a search of their own. */
  regions: readonly Region[]
  /** The picture itself, at most 768 pixels on the longer side; undefined where the embedder gave none. */
  preview: Uint8Array | undefined
  /** The vector that was asked for last, with the crop that it is of. */
  seen: SeenPart
}

export interface SeenPart {
  /** Names the crop as it was asked for; empty for the whole picture. */
  key: string
  /** Row in `models` of the one that made the vector. */
  model: number
  vector: Float32Array
  /** As applied; null for the whole picture. */
  crop: Box | null
}

interface Kept extends QueryPictureEntry {
  /** The widget key that it came with. */
  owner: string | undefined
  bytes: number
  /** Monotonic ms. */
  until: number
}

export type QueryPictures = ReturnType<typeof createQueryPictures>

/**
 * Keeps the last query pictures in memory, so that the next page, or a moved crop box, needs no second upload (`image_id`).
 *
 * Each lives for 15 minutes. When all stores together hold too much, the store that holds most loses its oldest one.
 */
export function createQueryPictures({
  ids,
  clock,
  bytesMax = BYTES_MAX,
}: {
  ids: Ids
  clock: Pick<Clock, 'monotonic'>
  bytesMax?: number
}) {
  /** By store, and there by id, the oldest first. */
  const shelves = new Map<string, Map<string, Kept>>()
  const bytesOf = new Map<string, number>()
  let held = 0

  function add(storeId: string, bytes: number): void {
    held += bytes
    bytesOf.set(storeId, (bytesOf.get(storeId) ?? 0) + bytes)
  }

  function drop(storeId: string, id: string): void {
    const shelf = shelves.get(storeId)
    const entry = shelf?.get(id)
    if (!shelf || !entry) return
    shelf.delete(id)
    add(storeId, -entry.bytes)
    if (shelf.size === 0) forgetStore(storeId)
  }

  function evict(): void {
    while (held > bytesMax) {
      const [largest] = [...bytesOf].reduce((most, one) => (one[1] > most[1] ? one : most))
      const [oldest = ''] = shelves.get(largest)?.keys() ?? []
      drop(largest, oldest)
    }
  }

  function forgetStore(storeId: string): void {
    held -= bytesOf.get(storeId) ?? 0
    bytesOf.delete(storeId)
    shelves.delete(storeId)
  }

  return {
    /** @returns the image_id. */
    remember(searcher: Searcher, entry: QueryPictureEntry): string {
      const id = ids.uuid()
      const bytes = (entry.preview?.byteLength ?? 0) + entry.seen.vector.byteLength + ENTRY_OVERHEAD_BYTES
      const shelf = shelves.get(searcher.storeId) ?? new Map<string, Kept>()
      shelves.set(searcher.storeId, shelf)
      shelf.set(id, { ...entry, owner: searcher.owner, bytes, until: clock.monotonic() + KEPT_MS })
      add(searcher.storeId, bytes)
      evict()
      return id
    },

    /** Undefined for a forgotten picture, and for one that is not the searcher's. */
    recall({ storeId, owner }: Searcher, id: string): QueryPictureEntry | undefined {
      const entry = shelves.get(storeId)?.get(id)
      if (!entry || entry.until <= clock.monotonic()) return undefined
      return owner === undefined || entry.owner === owner ? entry : undefined
    },

    /** Drops the expired pictures. */
    prune(): void {
      const now = clock.monotonic()
      for (const [storeId, shelf] of shelves) {
        for (const [id, { until }] of shelf) {
          if (until > now) break
          drop(storeId, id)
        }
      }
    },

    forgetStore,

    /** Counts the bytes held now, of all stores together. */
    countBytes: (): number => held,
  }
}
