import { systemClock } from '../../../core/clock.ts'
import { ApiError } from '../../../core/errors.ts'
import type { Segment, VectorArena } from '../../../platform/vectors/arena.ts'
import { createColumns, type Spelling, type StoreColumns, type StoredFields } from './columns.ts'
import type { PaletteColour, PaletteColumn } from './palettes.ts'
import { readWords } from './words/fields.ts'
import { createScratch, createWordIndex, type ProductWords, type WordIndex } from './words/words.ts'

/** One picture of a product. */
interface Picture {
  pictureId: number
  /** Row of the product. */
  product: number
  /** Whether this is the product's first picture. */
  isFirst: boolean
}

export interface IndexEntry extends Picture {
  storeId: string
  /** The client's own id of the product. */
  productId: string
  metadata: Record<string, unknown>
  /** The picture's main colours; none by default. */
  palette?: readonly PaletteColour[]
}

/** A picture with what the database keeps of its product's metadata. */
export interface StoredPicture extends Picture, StoredFields {}

/** The searchable side of one store. */
export interface IndexedStore {
  segment: Segment
  columns: StoreColumns
  palettes: PaletteColumn
  /** Finds products by their words. `columns.documentAt` leads from a slot to a score. */
  words: Pick<WordIndex, 'score' | 'listUnheld'>
  /** Whether the words of all products are known; those of a store that was loaded come after its vectors. */
  hasAllWords: boolean
}

/** What belongs to one store beside its vectors. */
interface Sides {
  columns: StoreColumns
  words: WordIndex
  /** Slots below it may show products whose words were not read yet; 0 once all were. */
  unreadEnd: number
}

/** Some slots whose products' words are not known. */
export interface UnreadSlots {
  /** Rows of their products, each once. */
  products: number[]
  slots: number[]
}

export type ProductIndex = ReturnType<typeof createProductIndex>

/**
 * All pictures of all stores, ready to be searched: vectors in the arena, filter columns and words beside
 * them.
 *
 * It is a cache of the database: filled at the start, and changed in the same tick as each commit, so that the next
 * search finds every acknowledged product.
 *
 * @param now Unix ms, for what is paid at present.
 */
export function createProductIndex(arena: VectorArena, now: () => number = systemClock.now) {
  const stores = new Map<string, Sides>()
  const scratch = createScratch()

  function open(storeId: string): Sides {
    const known = stores.get(storeId) ?? {
      ...{ columns: createColumns(now), words: createWordIndex(scratch), unreadEnd: 0 },
    }
    stores.set(storeId, known)
    return known
  }

  /** Keeps a document as long as a slot shows it. */
  function replaceDocument({ columns, words }: Sides, slot: number, document: number): void {
    const before = columns.documentAt(slot)
    if (before === document) return
    words.hold(document)
    words.release(before)
  }

  /** Vectors that stores may still put, by {@link claimRoom}; less than 1 where more leave. */
  const claims = new Map<string, number>()

  function hasRoom(storeId: string, added: number, leaving: readonly number[] = []): boolean {
    const promised = new Map(claims)
    promised.delete(storeId)
    return arena.reserve(storeId, growth(storeId, added, leaving) + (claims.get(storeId) ?? 0), promised)
  }

  const growth = (storeId: string, added: number, leaving: readonly number[]): number => {
    const segment = arena.segment(storeId)
    return added - leaving.filter((id) => segment?.findSlot(id) !== undefined).length
  }

  function requireRoom(storeId: string, added: number, leaving: readonly number[]): void {
    if (hasRoom(storeId, added, leaving)) return
    throw noRoom('The memory for the vectors of this service is full; nothing was written')
  }

  function addClaim(storeId: string, count: number): void {
    const claimed = (claims.get(storeId) ?? 0) + count
    if (claimed === 0) claims.delete(storeId)
    else claims.set(storeId, claimed)
  }

  /** The failure of what finds no room, with the numbers. */
  function noRoom(message: string): ApiError {
    const details = { memory_bytes: arena.memoryBytes, memory_max_bytes: arena.memoryBytesMax }
    return new ApiError('storage_full', message, { details, retryAfterSeconds: 60 })
  }

  return {
    /**
     * Whether the next pictures of a store find room. It stays theirs until other pictures are put.
     *
     * @param added the number of pictures that get a vector.
     * @param leaving ids of pictures that leave before.
     */
    hasRoom,
    noRoom,

    /** Refuses pictures that find no room at present; see `hasRoom`. @throws ApiError `storage_full` */
    requireRoom,

    /**
     * Keeps room for the pictures of a write until its commit, beside those of the other writes of its transaction. To be
     * called in the tick of the commit.
     *
     * @returns gives the room back: to be called once, right before the pictures are put or when the write has failed.
     * @throws ApiError `storage_full`
     */
    claimRoom(storeId: string, added: number, leaving: readonly number[]): () => void {
      requireRoom(storeId, added, leaving)
      const count = growth(storeId, added, leaving)
      addClaim(storeId, count)
      return () => addClaim(storeId, -count)
    },

    /** Adds or changes a picture. @param vector undefined when only the product's fields changed. */
    put(row: IndexEntry, vector: Float32Array | undefined): void {
      const { storeId, pictureId } = row
      const slot = vector
        ? arena.put(storeId, pictureId, vector)
        : arena.segment(storeId)?.findSlot(pictureId)
      if (slot === undefined) return
      const sides = open(storeId)
      const document = sides.words.put(row.product, readWords(row.productId, row.metadata))
      replaceDocument(sides, slot, document)
      sides.columns.set(slot, { ...row, document })
    },

    /**
     * Adds a picture from the database; `hasRoom` must have found room for it. The words of its product follow, by
     * {@link listUnread} and {@link loadWords}.
     *
     * @param spelling of a product's category and levels, by the product's row.
     */
    load(storeId: string, picture: StoredPicture, vector: Float32Array, spelling: Spelling<number>): void {
      const slot = arena.put(storeId, picture.pictureId, vector)
      const sides = open(storeId)
      replaceDocument(sides, slot, 0)
      const { product } = picture
      sides.columns.load(
        slot,
        { ...picture, document: 0 },
        {
          category: () => spelling.category(product),
          levels: () => spelling.levels(product),
        },
      )
      sides.unreadEnd = Math.max(sides.unreadEnd, slot + 1)
    },

    /** The stores that have products whose words are not known. */
    listUnreadStores: (): string[] =>
      [...stores].filter(([, { unreadEnd }]) => unreadEnd > 0).map(([storeId]) => storeId),

    /**
     * Looks among some slots of a store for pictures of products whose words are not known.
     *
     * @returns undefined behind the last slot, and for a store that is gone; its words then count as known.
     */
    listUnread(storeId: string, from: number, count: number): UnreadSlots | undefined {
      const sides = stores.get(storeId)
      if (!sides) return undefined
      if (from >= sides.unreadEnd) {
        sides.unreadEnd = 0
        return undefined
      }
      const { columns } = sides
      const segment = arena.segment(storeId)
      const end = Math.min(from + count, sides.unreadEnd, segment?.slots ?? 0)
      const slots: number[] = []
      const products = new Set<number>()
      for (let slot = from; slot < end; slot++) {
        const product = columns.productAt(slot)
        if (product === 0 || columns.documentAt(slot) > 0) continue
        slots.push(slot)
        products.add(product)
      }
      return { slots, products: [...products] }
    },

    /** Gives slots the words of their products, read from the database in the same tick as the slots were listed. */
    loadWords(
      storeId: string,
      slots: readonly number[],
      read: readonly { product: number; words: ProductWords }[],
    ): void {
      const sides = open(storeId)
      for (const { product, words } of read) sides.words.put(product, words)
      for (const slot of slots) {
        const document = sides.words.find(sides.columns.productAt(slot))
        replaceDocument(sides, slot, document)
        sides.columns.setDocument(slot, document)
      }
    },

    remove(storeId: string, pictureId: number): void {
      const slot = arena.remove(storeId, pictureId)
      const sides = stores.get(storeId)
      if (slot === undefined || !sides) return
      replaceDocument(sides, slot, 0)
      sides.columns.clear(slot)
    },

    /** Removes all pictures. */
    clear(): void {
      for (const storeId of stores.keys()) arena.removeStore(storeId)
      stores.clear()
    },

    /** Removes all pictures of a store. */
    removeStore(storeId: string): void {
      arena.removeStore(storeId)
      stores.delete(storeId)
    },

    /** Undefined for a store without vectors. */
    findStore(storeId: string): IndexedStore | undefined {
      const segment = arena.segment(storeId)
      if (!segment || arena.count(storeId) === 0) return undefined
      const { columns, words, unreadEnd } = open(storeId)
      return { segment, columns, palettes: columns.palettes, words, hasAllWords: unreadEnd === 0 }
    },

    /** The vector of an indexed picture. */
    findVector(storeId: string, pictureId: number): Float32Array | undefined {
      const segment = arena.segment(storeId)
      const slot = segment?.findSlot(pictureId)
      return slot === undefined ? undefined : segment?.vectorAt(slot)
    },
  }
}
