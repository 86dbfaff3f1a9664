import { assertDimension, BLOCK_SLOTS, Scanner } from './scanner.ts'

/**
 * The vectors of one store. A vector keeps its slot until it is removed, so callers can hold further columns by slot.
 *
 * Scores are cosines, because vectors and queries have Euclidean length 1; other lengths give plain dot products.
 */
export interface Segment {
  /** One past the highest slot in use: the length of a column by slot. */
  readonly slots: number
  /** The key in a slot, or -1 when the slot is free. */
  keyAt(slot: number): number
  slotOf(key: number): number | undefined
  /** The vector in a slot, each component within 1/64,000 of the vector's largest one. Undefined when free. */
  vectorAt(slot: number): Float32Array | undefined
  /**
   * Approximate score of every slot (8 bits a dimension, off by about 0.0005); a free slot scores -Infinity.
   *
   * @param into taken for the answer if it is long enough, to spare an allocation.
   * @returns `slots` numbers.
   */
  scanAll(query: Float32Array, into?: Float32Array): Float32Array
  /** The same scores of some slots, in their order. Cheaper than `scanAll` for less than about a quarter of them. */
  scanSlots(query: Float32Array, slots: ArrayLike<number>): Float32Array
  /**
   * Precise scores of some slots, in their order; -Infinity for a free slot. The standard error is the vector's largest
   * component / 112,000: at 512 dimensions about 1.5e-6, and no error of 1e-5 was met.
   */
  rescore(query: Float32Array, slots: ArrayLike<number>): Float32Array
}

/**
 * The vectors of all stores in memory: the cache that answers searches, rebuilt from SQLite at start.
 *
 * Every method throws a plain Error for a vector of another dimension or with components that are not finite.
 */
export interface VectorArena {
  readonly dimension: number
  /** Bytes asked of the system so far; freed blocks are used again, but never given back. */
  readonly memoryBytes: number
  /**
   * Adds a vector of length 1 to a store, or replaces the one with the same key, which keeps its slot.
   *
   * @param key a positive safe integer, unique within the store.
   * @returns the slot, which may be one that was freed before.
   * @throws Error when all vectors together would pass 4 GiB; nothing has changed then.
   */
  put(storeId: string, key: number, vector: Float32Array): number
  /** Takes a vector out and gives the slot it had; a key that is not there is ignored. */
  remove(storeId: string, key: number): number | undefined
  removeStore(storeId: string): void
  /** Number of vectors of a store. */
  count(storeId: string): number
  /** Undefined for a store that has never had a vector. The object lives on while the store changes. */
  segment(storeId: string): Segment | undefined
}

/** @param dimension numbers in a vector, 1 to 4,096. */
export function createVectorArena(dimension: number): VectorArena {
  assertDimension(dimension)
  /** Made for the first vector: reserving its address space takes longer than all else that the service does at start. */
  let scanner: Scanner | undefined
  const segments = new Map<string, StoreSegment>()
  const segmentFor = (storeId: string, by: Scanner) => {
    const segment = segments.get(storeId) ?? new StoreSegment(by)
    segments.set(storeId, segment)
    return segment
  }
  return {
    dimension,
    get memoryBytes() {
      return scanner?.memoryBytes ?? 0
    },
    put(storeId, key, vector) {
      if (!Number.isSafeInteger(key) || key < 1) throw new Error(`${key} cannot be the key of a vector`)
      scanner ??= new Scanner(dimension)
      const peak = scanner.read(vector)
      return segmentFor(storeId, scanner).put(key, peak)
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

class StoreSegment implements Segment {
  readonly #scanner: Scanner
  readonly #keys: number[] = []
  readonly #slotByKey = new Map<number, number>()
  readonly #blocks: number[] = []
  /** Slots that were freed; some may have been cut off or taken since, so `#takeSlot` looks again. */
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

  keyAt(slot: number): number {
    return this.#keys[slot] ?? FREE
  }

  slotOf(key: number): number | undefined {
    return this.#slotByKey.get(key)
  }

  vectorAt(slot: number): Float32Array | undefined {
    return this.keyAt(slot) === FREE ? undefined : this.#scanner.vectorAt(this.#placeOf(slot))
  }

  scanAll(query: Float32Array, into?: Float32Array): Float32Array {
    const scores =
      into && into.length >= this.slots ? into.subarray(0, this.slots) : new Float32Array(this.slots)
    this.#scanner.scanBlocks(query, this.#blocks, scores)
    return scores
  }

  scanSlots(query: Float32Array, slots: ArrayLike<number>): Float32Array {
    return this.#scanner.scanPlaces(query, slots.length, (index) => this.#placeOf(slots[index] ?? FREE))
  }

  rescore(query: Float32Array, slots: ArrayLike<number>): Float32Array {
    return this.#scanner.rescorePlaces(query, slots.length, (index) => this.#placeOf(slots[index] ?? FREE))
  }

  /** Stores the vector that the scanner has just read. */
  put(key: number, peak: number): number {
    const slot = this.#slotByKey.get(key) ?? this.#takeSlot()
    this.#scanner.write(peak, this.#placeOf(slot))
    this.#keys[slot] = key
    this.#slotByKey.set(key, slot)
    return slot
  }

  remove(key: number): number | undefined {
    const slot = this.#slotByKey.get(key)
    if (slot === undefined) return undefined
    this.#scanner.release(this.#placeOf(slot))
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

  /** Forgets free slots at the end and hands back the blocks that held only those. */
  #shrink(): void {
    while (this.#keys.at(-1) === FREE) this.#keys.pop()
    if (this.#keys.length === 0) this.#freed = []
    while (this.#blocks.length > Math.ceil(this.#keys.length / BLOCK_SLOTS)) {
      const block = this.#blocks.pop()
      if (block !== undefined) this.#scanner.giveBlock(block)
    }
  }

  /** @throws Error for a slot that the segment does not have. */
  #placeOf(slot: number): number {
    const block = this.#blocks[Math.floor(slot / BLOCK_SLOTS)]
    if (block === undefined) throw new Error(`There is no slot ${slot}`)
    return block + (slot % BLOCK_SLOTS)
  }
}
