import { systemClock } from '../../../core/clock.ts'
import type { Segment, VectorArena } from '../../../platform/vectors/arena.ts'
import { createColumns, type Spelling, type StoreColumns, type StoredFields } from './columns.ts'
import type { PaletteColour, PaletteColumn } from './palettes.ts'
import { createVectorSpace } from './vector-space.ts'
import { readWords } from './words/fields.ts'
import { createScratch } from './words/scratch.ts'
import { createWordIndex, type ProductWords, type WordIndex } from './words/words.ts'

/** One picture of a product. */
interface Picture {
  pictureId: number
  /** Row of the product. */
  product: number
  /** The client's own id of the product. */
  productId: string
  /** Whether this is the product's first picture. */
  isFirst: boolean
}

export interface IndexEntry extends Picture {
  storeId: string
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
  words: Pick<
    WordIndex,
    | 'score'
    | 'hasAny'
    | 'matcher'
    | 'listUnheld'
    | 'complete'
    | 'correct'
    | 'listTelling'
    | 'sumTelling'
    | 'visitTelling'
    | 'listHoldersOfAll'
    | 'holderTest'
    | 'findExact'
    | 'countHolders'
    | 'countDocuments'
    | 'lengths'
    | 'spell'
    | 'lastDocument'
  >
  /** Whether the words of all products are known; those of a store that was loaded come after its vectors. */
  hasAllWords: boolean
}

/** The parts of a store besides its vectors. */
interface Sides {
  columns: StoreColumns
  /** Made once it is needed: without a word it takes 45 KB, and most stores of a service are idle. */
  words: WordIndex | undefined
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
 * @param now Unix ms, for the price that is paid now.
 */
export function createProductIndex(arena: VectorArena, now: () => number = systemClock.now) {
  const stores = new Map<string, Sides>()
  const scratch = createScratch()

  function open(storeId: string): Sides {
    const known = stores.get(storeId) ?? { columns: createColumns(now), words: undefined, unreadEnd: 0 }
    stores.set(storeId, known)
    return known
  }

  function wordsOf(sides: Sides): WordIndex {
    sides.words ??= createWordIndex(scratch)
    return sides.words
  }

  /** Keeps a document as long as a slot shows it. */
  function replaceDocument(sides: Sides, slot: number, document: number): void {
    const before = sides.columns.documentAt(slot)
    if (before === document) return
    const words = wordsOf(sides)
    words.retain(document)
    words.release(before)
  }

  function fill(slot: number, row: IndexEntry): void {
    const sides = open(row.storeId)
    const document = wordsOf(sides).put(row.product, readWords(row.productId, row.metadata))
    replaceDocument(sides, slot, document)
    sides.columns.set(slot, { ...row, document })
  }

  return {
    ...createVectorSpace(arena),

    /** Adds or changes a picture. @param vector undefined when only the product's fields changed. */
    put(row: IndexEntry, vector: Float32Array | undefined): void {
      const { storeId, pictureId } = row
      const slot = vector
        ? arena.put(storeId, pictureId, vector)
        : arena.segment(storeId)?.findSlot(pictureId)
      if (slot !== undefined) fill(slot, row)
    },

    /** Adds a picture without a vector: words and filters find its product, and pictures do not. */
    putBlank: (row: IndexEntry): void => fill(arena.putBlank(row.storeId, row.pictureId), row),

    /**
     * Adds a picture from the database; `hasSpace` must have found space for it. The words of its product follow, by
     * {@link listUnread} and {@link loadWords}.
     *
     * @param vector undefined for a picture without one; see {@link putBlank}.
     * @param spelling of a product's category and levels, by the product's row.
     */
    load(
      storeId: string,
      picture: StoredPicture,
      vector: Float32Array | undefined,
      spelling: Spelling<number>,
    ): void {
      const { pictureId, product } = picture
      const slot = vector ? arena.put(storeId, pictureId, vector) : arena.putBlank(storeId, pictureId)
      const sides = open(storeId)
      replaceDocument(sides, slot, 0)
      sides.columns.load(
        slot,
        { ...picture, document: 0 },
        { category: () => spelling.category(product), levels: () => spelling.levels(product) },
      )
      sides.unreadEnd = Math.max(sides.unreadEnd, slot + 1)
    },

    /** The stores that may have products whose words are not known, in more slots than a number. */
    listUnreadStores: (slots: number): string[] =>
      [...stores].filter(([, { unreadEnd }]) => unreadEnd > slots).map(([storeId]) => storeId),

    /** Slots of a store below which products may be whose words are not known. */
    countUnread: (storeId: string): number => stores.get(storeId)?.unreadEnd ?? 0,

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
      return listUnreadSlots(sides, arena.segment(storeId), from, count)
    },

    /** Gives slots the words of their products, read from the database in the same tick as the slots were listed. */
    loadWords(
      storeId: string,
      slots: readonly number[],
      read: readonly { product: number; words: ProductWords }[],
    ): void {
      const sides = open(storeId)
      const index = wordsOf(sides)
      for (const { product, words } of read) index.put(product, words)
      for (const slot of slots) {
        const document = index.find(sides.columns.productAt(slot))
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

    /** Whether no store has anything here. */
    isEmpty: (): boolean => stores.size === 0,

    /** Removes all pictures of a store. */
    removeStore(storeId: string): void {
      arena.removeStore(storeId)
      stores.delete(storeId)
    },

    /** Undefined for a store without vectors. */
    findStore(storeId: string): IndexedStore | undefined {
      const segment = arena.segment(storeId)
      if (!segment || arena.count(storeId) === 0) return undefined
      const sides = open(storeId)
      const { columns, unreadEnd } = sides
      const words = wordsOf(sides)
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

function listUnreadSlots(
  { columns, unreadEnd }: Sides,
  segment: Segment | undefined,
  from: number,
  count: number,
): UnreadSlots {
  const end = Math.min(from + count, unreadEnd, segment?.slots ?? 0)
  const slots: number[] = []
  const products = new Set<number>()
  for (let slot = from; slot < end; slot++) {
    const product = columns.productAt(slot)
    // A free slot still has the row of its last product.
    if (segment?.keyAt(slot) === -1 || product === 0 || columns.documentAt(slot) > 0) continue
    slots.push(slot)
    products.add(product)
  }
  return { slots, products: [...products] }
}
