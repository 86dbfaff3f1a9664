import { assertDimension, BLOCK_SLOTS, MEMORY_BYTES_MAX, Scanner, takesMemory } from './scanner.ts'

/**
 * The vectors of one store. A vector keeps its slot until it is removed, so callers can store more columns by slot.
 *
 * Scores are cosines, because vectors and queries have Euclidean length 1. With other lengths they are dot products.
 */
export interface Segment {
  /** One past the highest slot in use: the length of a column by slot. */
  readonly slots: number
  /** The key in a slot, or -1 when the slot is free. */
  keyAt(slot: number): number
  findSlot(key: number): number | undefined
  /** The vector in a slot, each component exact to 1/64,000 of the vector's largest one. Undefined for a free slot. */
  vectorAt(slot: number): Float32Array | undefined
  /**
   * Approximate score of every slot (8 bits per dimension, error about 0.0005); a free slot scores -Infinity.
   *
   * @param into reused for the result if it is long enough, to save an allocation.
   * @returns `slots` numbers.
   */
  scanAll(query: Float32Array, into?: Float32Array): Float32Array
  /** The same scores for some slots, in their order. Cheaper than `scanAll` for less than about a quarter of them. */
  scanSlots(query: Float32Array, slots: ArrayLike<number>): Float32Array
  /**
   * Precise scores for some slots, in their order; -Infinity for a free slot. The standard error is the vector's
   * largest component / 112,000. At 512 dimensions it is about 1.5e-6, and no measured error reached 1e-5.
   */
  rescore(query: Float32Array, slots: ArrayLike<number>): Float32Array
}

/**
 * The vectors of all stores in memory. This cache answers searches and is rebuilt from SQLite at startup.
 *
 * Every method throws a plain Error for a vector of another dimension or with components that are not finite.
 */
export interface VectorArena {
  readonly dimension: number
  /** Bytes allocated so far; freed blocks are reused but never returned to the system. */
  readonly memoryBytes: number
  /** The most bytes that all vectors together may take. */
  readonly memoryBytesMax: number
  /**
   * Adds a vector of length 1 to a store, or replaces the vector with the same key in its slot.
   *
   * @param key a positive safe integer, unique within the store.
   * @returns the slot, which may have been freed earlier.
   * @throws Error when all vectors together would exceed `memoryBytesMax`; nothing changes then.
   */
  put(storeId: string, key: number, vector: Float32Array): number
  /**
   * Makes sure that a store can take `count` more vectors, unless others are put before.
   *
   * @param count less than 1 for a store that loses as many as it takes.
   * @param promised counts of further vectors that must find room besides, by their stores; this store is not one of them.
   * @returns false where they find no room.
   */
  reserve(storeId: string, count: number, promised?: ReadonlyMap<string, number>): boolean
  /** Removes a vector and returns its former slot; ignores an unknown key. */
  remove(storeId: string, key: number): number | undefined
  removeStore(storeId: string): void
  /** Number of vectors of a store. */
  count(storeId: string): number
  /** Undefined for a store that never had a vector. The object stays valid while the store changes. */
  segment(storeId: string): Segment | undefined
}

/**
 * @param dimension numbers per vector, 1 to 4,096.
 * @param memoryBytesMax at most 4 GiB.
 */
export function createVectorArena(dimension: number, memoryBytesMax = MEMORY_BYTES_MAX): VectorArena {
  assertDimension(dimension)
  /** Created for the first vector, because reserving its address space takes longer than the rest of the startup. */
  let scanner: Scanner | undefined
  const segments = new Map<string, StoreSegment>()
  const openScanner = (): Scanner => {
    scanner ??= new Scanner(dimension, memoryBytesMax)
    return scanner
  }
  const ensureSegment = (storeId: string, scanner: Scanner) => {
    const segment = segments.get(storeId) ?? new StoreSegment(scanner)
    segments.set(storeId, segment)
    return segment
  }
  /** New blocks that so many more vectors of a store take. */
  const countBlocks = (storeId: string, count: number): number =>
    Math.ceil(Math.max(0, count - (segments.get(storeId)?.freeSlots ?? 0)) / BLOCK_SLOTS)

  return {
    dimension,
    memoryBytesMax,
    get memoryBytes() {
      return scanner?.memoryBytes ?? 0
    },
    put(storeId, key, vector) {
      if (!Number.isSafeInteger(key) || key < 1) throw new Error(`${key} cannot be the key of a vector`)
      const scanner = openScanner()
      const peak = scanner.read(vector)
      return ensureSegment(storeId, scanner).put(key, peak)
    },
    reserve(storeId, count, promised = NOTHING) {
      const own = countBlocks(storeId, count)
      if (own === 0) return true
      let blocks = own
      for (const [other, theirs] of promised) blocks += countBlocks(other, theirs)
      return takesMemory(openScanner) && openScanner().reserveBlocks(blocks)
    },
    remove: (storeId, key) => segments.get(storeId)?.remove(key),
    removeStore(storeId) {
      segments.get(storeId)?.clear()
      segments.delete(storeId)
    },
    count: (storeId) => segments.get(storeId)?.count ?? 0,
    segment: (storeId) => segments.get(storeId),
  }
}

const FREE = -1
const NOTHING: ReadonlyMap<string, number> = new Map()

class StoreSegment implements Segment {
  readonly #scanner: Scanner
  readonly #keys: number[] = []
  readonly #slotByKey = new Map<number, number>()
  readonly #blocks: number[] = []
  /** Slots that were freed. Some may have been cut off or taken since, so `#takeSlot` checks them again. */
  #freed: number[] = []

  constructor(scanner: Scanner) {
    this.#scanner = scanner
  }

  get slots(): number {
    return this.#keys.length
  }

  get count(): number {
    return this.#slotByKey.size
  }

  /** The number of vectors that find room without another block. */
  get freeSlots(): number {
    return this.#blocks.length * BLOCK_SLOTS - this.count
  }

  keyAt(slot: number): number {
    return this.#keys[slot] ?? FREE
  }

  findSlot(key: number): number | undefined {
    return this.#slotByKey.get(key)
  }

  vectorAt(slot: number): Float32Array | undefined {
    return this.keyAt(slot) === FREE ? undefined : this.#scanner.vectorAt(this.#findPlace(slot))
  }

  scanAll(query: Float32Array, into?: Float32Array): Float32Array {
    const scores =
      into && into.length >= this.slots ? into.subarray(0, this.slots) : new Float32Array(this.slots)
    this.#scanner.scanBlocks(query, this.#blocks, scores)
    return scores
  }

  scanSlots(query: Float32Array, slots: ArrayLike<number>): Float32Array {
    return this.#scanner.scanPlaces(query, slots.length, (index) => this.#findPlace(slots[index] ?? FREE))
  }

  rescore(query: Float32Array, slots: ArrayLike<number>): Float32Array {
    return this.#scanner.rescorePlaces(query, slots.length, (index) => this.#findPlace(slots[index] ?? FREE))
  }

  /** Stores the vector that the scanner has just read. */
  put(key: number, peak: number): number {
    const slot = this.#slotByKey.get(key) ?? this.#takeSlot()
    this.#scanner.write(peak, this.#findPlace(slot))
    this.#keys[slot] = key
    this.#slotByKey.set(key, slot)
    return slot
  }

  remove(key: number): number | undefined {
    const slot = this.#slotByKey.get(key)
    if (slot === undefined) return undefined
    this.#scanner.release(this.#findPlace(slot))
    this.#slotByKey.delete(key)
    this.#keys[slot] = FREE
    this.#freed.push(slot)
    this.#shrink()
    return slot
  }

  clear(): void {
    this.#slotByKey.clear()
    this.#keys.length = 0
    this.#shrink()
  }

  #takeSlot(): number {
    for (let slot = this.#freed.pop(); slot !== undefined; slot = this.#freed.pop()) {
      if (this.#keys[slot] === FREE) return slot
    }
    const slot = this.#keys.length
    if (slot === this.#blocks.length * BLOCK_SLOTS) this.#blocks.push(this.#scanner.takeBlock())
    return slot
  }

  /** Drops free slots at the end and returns the blocks that held no others. */
  #shrink(): void {
    while (this.#keys.at(-1) === FREE) this.#keys.pop()
    if (this.#keys.length === 0) this.#freed = []
    while (this.#blocks.length > Math.ceil(this.#keys.length / BLOCK_SLOTS)) {
      const block = this.#blocks.pop()
      if (block !== undefined) this.#scanner.giveBlock(block)
    }
  }

  /** @throws Error for a slot outside the segment. */
  #findPlace(slot: number): number {
    const block = this.#blocks[Math.floor(slot / BLOCK_SLOTS)]
    if (block === undefined) throw new Error(`Slot ${slot} does not exist`)
    return block + (slot % BLOCK_SLOTS)
  }
}
