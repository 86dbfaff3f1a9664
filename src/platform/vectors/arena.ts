import { vectorBytesMax } from './machine-memory.ts'
import type { Scanning } from './scan-beside.ts'
import { createScanQueue, type ScanQueue } from './scan-queue.ts'
import { countScanThreads, createScanThreads, type ScanThreads, type StartThread } from './scan-threads.ts'
import { assertDimension, type MemorySizes, Scanner, takesMemory } from './scanner.ts'
import type { ScoreRequest, SlotScores } from './scores.ts'
import { StoreSegment } from './segment.ts'
import { BLOCK_SLOTS } from './workspace.ts'

/**
 * The vectors of one store. A vector keeps its slot until it is removed, so callers can store more columns by slot.
 *
 * Scores are cosines, because vectors and queries have Euclidean length 1. With other lengths they are dot products.
 */
export interface Segment {
  /** One past the highest slot in use: the length of a column by slot. */
  readonly slots: number
  /** Stores of more slots are scanned beside the event loop. */
  readonly largeSlots: number
  /** Whether scores can be estimated: the store is large, and its sketches are made. */
  readonly canEstimate: boolean
  /** Whether some slots have a key and no vector. They score -Infinity, as free ones do. */
  readonly hasBlanks: boolean
  /** Whether there is a vector in a slot. */
  hasVector(slot: number): boolean
  /** The key in a slot, or -1 when the slot is free. */
  keyAt(slot: number): number
  findSlot(key: number): number | undefined
  /**
   * The vector in a slot, each component exact to 1/64,000 of the vector's largest one. Undefined for a slot
   * without one.
   *
   * @param into a vector of the caller's, who reads many.
   */
  vectorAt(slot: number, into?: Float32Array): Float32Array | undefined
  /**
   * Scores every slot and hands the scores to `use`: at once for a small store; for a large one later, when threads
   * have scanned it. They are the scores of the moment in which `use` runs, whatever was put and removed before.
   *
   * @param use must read what it needs in one go: the arrays are used again afterwards.
   * @returns what `use` returns; undefined when the store was removed meanwhile.
   * @throws ApiError `overloaded` (the promise) when too many scans of large stores wait.
   */
  score<Result>(
    request: ScoreRequest,
    use: (scores: SlotScores) => Result,
  ): Result | Promise<Result | undefined>
  /**
   * Scores every slot for each of some queries, and hands all scores to `use` together; they are of one moment. Otherwise
   * like {@link score}, without estimates.
   */
  scoreEach<Result>(
    queries: readonly Float32Array[],
    use: (scores: SlotScores[]) => Result,
  ): Result | Promise<Result | undefined>
  /**
   * The scores of {@link scanSlots} for each of some queries, all of one moment: at once for few slots; for many of a
   * store later, when threads have scanned them. Otherwise like {@link score}.
   *
   * @param slots each once.
   */
  scoreSlots<Result>(
    queries: readonly Float32Array[],
    slots: Uint32Array,
    use: (scores: Float32Array[]) => Result,
  ): Result | Promise<Result | undefined>
  /** Approximate score of every slot (8 bits per dimension, error about 0.0005); a free slot scores -Infinity. */
  scanAll(query: Float32Array): Float32Array
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
  /** Gives a key a slot without a vector, and takes the one that it had; otherwise like {@link VectorArena.put}. */
  putBlank(storeId: string, key: number): number
  /**
   * Makes sure that a store can take `count` more vectors, unless others are put before.
   *
   * @param count less than 1 for a store that loses as many as it takes.
   * @param promised counts by store of further vectors that must fit as well; this store is not one of them.
   * @returns false if they do not fit.
   */
  reserve(storeId: string, count: number, promised?: ReadonlyMap<string, number>): boolean
  /** Removes a vector and returns its former slot; ignores an unknown key. */
  remove(storeId: string, key: number): number | undefined
  removeStore(storeId: string): void
  /** Number of vectors of a store. */
  count(storeId: string): number
  /** Undefined for a store that never had a vector. The object stays valid while the store changes. */
  segment(storeId: string): Segment | undefined
  /** Ends the threads. Scans still answer, more slowly. */
  close(): void
}

export interface ArenaOptions {
  /** The most memory, at any time; by default what the machine can give. */
  memoryBytesMax?: number | (() => number) | undefined
  sizes?: MemorySizes
  /** Stores of more slots are scanned beside the event loop. */
  largeSlots?: number
  /** Threads of a scan; 0 for slices on the event loop. */
  threads?: number
  startThread?: StartThread
  /** Scans that may wait. */
  waitingMax?: number
}

const NOTHING: ReadonlyMap<string, number> = new Map()

/** A scan of this many vectors takes about 3 ms of one core. */
const LARGE_SLOTS = 100_000

/** @param dimension numbers per vector, 1 to 4,096. */
export function createVectorArena(dimension: number, options: ArenaOptions = {}): VectorArena {
  assertDimension(dimension)
  const { largeSlots = LARGE_SLOTS, threads = countScanThreads(), startThread } = options
  const given = options.memoryBytesMax ?? vectorBytesMax()
  const readMax = typeof given === 'number' ? () => given : given
  const scanner = new Scanner(dimension, readMax, options.sizes)
  const segments = new Map<string, StoreSegment>()
  const pool: ScanThreads | undefined =
    threads > 0
      ? createScanThreads({
          ...{ dimension, memories: scanner.memories, count: threads },
          ...(startThread && { start: startThread }),
        })
      : undefined
  const queue: ScanQueue = createScanQueue(options.waitingMax)
  const scanning: Scanning = { scanner, pool, queue, largeSlots }
  /** New blocks that `count` more vectors of a store take. */
  const countBlocks = (storeId: string, count: number): number =>
    Math.ceil(Math.max(0, count - (segments.get(storeId)?.freeSlots ?? 0)) / BLOCK_SLOTS)

  function putInto(storeId: string, key: number, put: (segment: StoreSegment) => number): number {
    if (!Number.isSafeInteger(key) || key < 1) throw new Error(`${key} cannot be the key of a vector`)
    const segment = segments.get(storeId) ?? new StoreSegment(storeId, scanning)
    const slot = put(segment)
    segments.set(storeId, segment)
    return slot
  }

  return {
    dimension,
    get memoryBytesMax() {
      return readMax()
    },
    get memoryBytes() {
      return scanner.memoryBytes
    },
    put: (storeId, key, vector) => putInto(storeId, key, (segment) => segment.put(key, vector)),
    putBlank: (storeId, key) => putInto(storeId, key, (segment) => segment.putBlank(key)),
    reserve(storeId, count, promised = NOTHING) {
      const own = countBlocks(storeId, count)
      if (own === 0) return true
      let blocks = own
      for (const [other, theirs] of promised) blocks += countBlocks(other, theirs)
      let isRoom = false
      const asked = () => {
        isRoom = scanner.reserveBlocks(blocks)
      }
      return takesMemory(asked) && isRoom
    },
    remove: (storeId, key) => segments.get(storeId)?.remove(key),
    removeStore(storeId) {
      segments.get(storeId)?.clear()
      segments.delete(storeId)
    },
    count: (storeId) => segments.get(storeId)?.count ?? 0,
    segment: (storeId) => segments.get(storeId),
    close: () => pool?.close(),
  }
}
