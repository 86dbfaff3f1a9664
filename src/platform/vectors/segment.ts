import { turn } from '../../core/turns.ts'
import type { Segment } from './arena.ts'
import {
  cutQueries,
  type Scanning,
  scanBlocksBeside,
  scanPlacesBeside,
  scoreSlotsAgain,
} from './scan-beside.ts'
import type { Scanner } from './scanner.ts'
import { giveScores, lengthen, ownScores } from './score-buffers.ts'
import type { ScoreRequest, SlotScores, Waiting } from './scores.ts'
import { createSketches } from './sketches.ts'
import { BLOCK_SLOTS, type BlockScores, SCAN_QUERIES_MAX } from './workspace.ts'

/** A single slot takes up to this many times as long as one among all others: its cache lines are not read ahead. */
const SLOT_COST = 8

const FREE = -1

export class StoreSegment implements Segment {
  readonly #storeId: string
  readonly #scanning: Scanning
  readonly #scanner: Scanner
  readonly #keys: number[] = []
  readonly #slotByKey = new Map<number, number>()
  readonly #blocks: number[] = []
  readonly #sketches: ReturnType<typeof createSketches>
  /** Slots of keys without a vector; they score like free ones. */
  readonly #blanks = new Set<number>()
  /** Slots that were freed. Some may have been cut off or taken since, so `#takeSlot` checks them again. */
  #freed: number[] = []
  /** One set for each scan that runs: slots that were put or removed meanwhile. */
  readonly #watches = new Set<Set<number>>()
  /** Searches that any scan of all slots may answer, in their order. */
  readonly #waiting = new Set<Waiting>()
  #isCleared = false

  constructor(storeId: string, scanning: Scanning) {
    this.#storeId = storeId
    this.#scanning = scanning
    this.#scanner = scanning.scanner
    this.#sketches = createSketches(scanning.largeSlots, {
      takenSlots: () => this.#keys.length,
      vectorAt: (slot) => this.vectorAt(slot),
      write: (slot, mean) => {
        if (this.hasVector(slot)) this.#scanner.sketch(this.#findPlace(slot), mean)
      },
    })
  }

  get slots(): number {
    return this.#keys.length
  }

  /** Vectors. */
  get count(): number {
    return this.#slotByKey.size - this.#blanks.size
  }

  get hasBlanks(): boolean {
    return this.#blanks.size > 0
  }

  /** The number of vectors that fit without another block. */
  get freeSlots(): number {
    return this.#blocks.length * BLOCK_SLOTS - this.#slotByKey.size
  }

  get canEstimate(): boolean {
    return this.slots > this.#scanning.largeSlots && 2 * this.#sketches.done > this.slots
  }

  get largeSlots(): number {
    return this.#scanning.largeSlots
  }

  keyAt(slot: number): number {
    return this.#keys[slot] ?? FREE
  }

  findSlot(key: number): number | undefined {
    return this.#slotByKey.get(key)
  }

  hasVector(slot: number): boolean {
    return this.keyAt(slot) !== FREE && !this.#blanks.has(slot)
  }

  vectorAt(slot: number, into?: Float32Array): Float32Array | undefined {
    return !this.hasVector(slot) ? undefined : this.#scanner.vectorAt(this.#findPlace(slot), into)
  }

  score<Result>(
    request: ScoreRequest,
    use: (scores: SlotScores) => Result,
  ): Result | Promise<Result | undefined> {
    this.#scanner.check(request.query)
    if (this.#isCleared) return Promise.resolve(undefined)
    if (this.slots > this.#scanning.largeSlots)
      return request.mayEstimate && this.canEstimate
        ? this.#estimateLater(request.query, use)
        : this.#scoreLater(request.query, use)
    const into = ownScores(this.#blocks.length, 0)
    this.#scanner.scanBlocks([request.query], undefined, this.#blocks, 0, this.#blocks.length, [into])
    return use({ ...this.#cut(into), isEstimated: false })
  }

  scoreEach<Result>(
    queries: readonly Float32Array[],
    use: (scores: SlotScores[]) => Result,
  ): Result | Promise<Result | undefined> {
    for (const query of queries) this.#scanner.check(query)
    if (this.slots > this.#scanning.largeSlots) return this.#scoreEachLater(queries, use)
    const all = queries.map((_, n) => ownScores(this.#blocks.length, n))
    for (const [from, to] of cutQueries(queries)) {
      const into = all.slice(from, to)
      this.#scanner.scanBlocks(queries.slice(from, to), undefined, this.#blocks, 0, this.#blocks.length, into)
    }
    return use(all.map((into) => ({ ...this.#cut(into), isEstimated: false })))
  }

  scoreSlots<Result>(
    queries: readonly Float32Array[],
    slots: Uint32Array,
    use: (scores: Float32Array[]) => Result,
  ): Result | Promise<Result | undefined> {
    for (const query of queries) this.#scanner.check(query)
    if (SLOT_COST * slots.length * queries.length > this.#scanning.largeSlots)
      return this.#scoreSlotsLater(queries, slots, use)
    return use(queries.map((query) => this.scanSlots(query, slots)))
  }

  scanAll(query: Float32Array): Float32Array {
    const scores = new Float32Array(this.slots)
    const into = { scores, tops: new Float32Array(this.#blocks.length) }
    this.#scanner.check(query)
    this.#scanner.scanBlocks([query], undefined, this.#blocks, 0, this.#blocks.length, [into])
    return scores
  }

  scanSlots(query: Float32Array, slots: ArrayLike<number>): Float32Array {
    return this.#scanner.scanPlaces(query, slots.length, (index) => this.#findPlace(slots[index] ?? FREE))
  }

  rescore(query: Float32Array, slots: ArrayLike<number>): Float32Array {
    return this.#scanner.rescorePlaces(query, slots.length, (index) => this.#findPlace(slots[index] ?? FREE))
  }

  /** @throws Error for a vector that cannot be stored or does not fit; nothing changes then. */
  put(key: number, vector: Float32Array): number {
    let slot = this.#slotByKey.get(key)
    this.#scanner.put(vector, () => {
      slot ??= this.#takeSlot()
      return this.#findPlace(slot)
    })
    const taken = slot as number
    this.#keys[taken] = key
    this.#slotByKey.set(key, taken)
    this.#blanks.delete(taken)
    this.#sketches.follow(taken)
    this.#note(taken)
    return taken
  }

  /** Gives a key a slot and no vector. @throws Error where no slot is free and the limit allows no more. */
  putBlank(key: number): number {
    const slot = this.#slotByKey.get(key) ?? this.#takeSlot()
    this.#scanner.release(this.#findPlace(slot))
    this.#keys[slot] = key
    this.#slotByKey.set(key, slot)
    this.#blanks.add(slot)
    this.#note(slot)
    return slot
  }

  remove(key: number): number | undefined {
    const slot = this.#slotByKey.get(key)
    if (slot === undefined) return undefined
    this.#blanks.delete(slot)
    this.#scanner.release(this.#findPlace(slot))
    this.#slotByKey.delete(key)
    this.#keys[slot] = FREE
    this.#freed.push(slot)
    this.#note(slot)
    this.#shrink()
    return slot
  }

  /** Gives everything back. The segment is not used again. */
  clear(): void {
    this.#isCleared = true
    this.#slotByKey.clear()
    this.#blanks.clear()
    this.#keys.length = 0
    this.#shrink()
  }

  #note(slot: number): void {
    for (const changed of this.#watches) changed.add(slot)
  }

  /**
   * Scans beside the event loop, while vectors come and go. A thread may therefore read a vector that is half written, or
   * one of another store, whose block this one gave back: the slot was put or removed then, and is scored again at the end.
   *
   * Each search waits for its own turn in the queue; where no other store waits, a turn also answers the next ones of this
   * store, whose turns are then over at once. So a batch reads the vectors once for several of its searches.
   */
  #scoreLater<Result>(query: Float32Array, use: (scores: SlotScores) => Result): Promise<Result | undefined> {
    return new Promise((resolve, reject) => {
      const own: Waiting = {
        query,
        use: (scores) => resolve(use(scores)),
        end: () => resolve(undefined),
        fail: reject,
      }
      this.#waiting.add(own)
      this.#scanning.queue
        .run(this.#storeId, async () => {
          if (!this.#waiting.has(own)) return
          // A turn takes twice as long with them, which only this store may wait for.
          const isAlone = !this.#scanning.queue.isWantedByOthers(this.#storeId)
          const others = isAlone ? [...this.#waiting].filter((one) => one !== own) : []
          await this.#answer([own, ...others.slice(0, SCAN_QUERIES_MAX - 1)])
        })
        .catch((error) => {
          // The queue refused the turn; but an earlier one may answer the search already.
          if (this.#waiting.delete(own)) reject(error)
        })
    })
  }

  /** Answers some waiting searches by one scan, each in a tick of its own. */
  async #answer(searches: readonly Waiting[]): Promise<void> {
    for (const one of searches) this.#waiting.delete(one)
    const changed = new Set<number>()
    this.#watches.add(changed)
    try {
      const queries = searches.map(({ query }) => query)
      const scanned = this.#isCleared ? [] : await this.#scanLarge(queries, undefined)
      for (const [n, { query, use, end, fail }] of searches.entries()) {
        if (n > 0) await turn()
        const into = scanned[n]
        if (!into || this.#isCleared) {
          end()
          continue
        }
        const present = this.#scoreAgain(query, changed, into)
        try {
          use({ ...this.#cut(present), isEstimated: false })
        } catch (error) {
          fail(error)
        }
        giveScores(present)
      }
    } catch (error) {
      for (const { fail } of searches) fail(error)
    } finally {
      this.#watches.delete(changed)
    }
  }

  /** Like {@link StoreSegment.#scoreLater}, with estimates as long as the store has sketches. */
  #estimateLater<Result>(
    query: Float32Array,
    use: (scores: SlotScores) => Result,
  ): Promise<Result | undefined> {
    return this.#scanning.queue.run(this.#storeId, async () => {
      for (;;) {
        if (this.#isCleared) return undefined
        const mean = this.canEstimate ? this.#sketches.mean : undefined
        const changed = new Set<number>()
        this.#watches.add(changed)
        let into: BlockScores
        try {
          into = (await this.#scanLarge([query], mean))[0] as BlockScores
        } finally {
          this.#watches.delete(changed)
        }
        if (this.#isCleared) return undefined
        // Sketches rebuilt with another mean do not fit queries prepared before.
        if (mean && mean !== this.#sketches.mean) continue
        into = this.#scoreAgain(query, changed, into)
        const result = use({ ...this.#cut(into), isEstimated: mean !== undefined })
        giveScores(into)
        return result
      }
    })
  }

  #scoreEachLater<Result>(
    queries: readonly Float32Array[],
    use: (scores: SlotScores[]) => Result,
  ): Promise<Result | undefined> {
    return this.#scanning.queue.run(this.#storeId, async () => {
      const changed = new Set<number>()
      const scanned: BlockScores[] = []
      this.#watches.add(changed)
      try {
        for (const [from, to] of cutQueries(queries)) {
          if (this.#isCleared) return undefined
          scanned.push(...(await this.#scanLarge(queries.slice(from, to), undefined)))
        }
      } finally {
        this.#watches.delete(changed)
      }
      if (this.#isCleared) return undefined
      const present = scanned.map((into, n) => this.#scoreAgain(queries[n] as Float32Array, changed, into))
      const result = use(present.map((into) => ({ ...this.#cut(into), isEstimated: false })))
      for (const into of present) giveScores(into)
      return result
    })
  }

  /** Scores slots beside the event loop, like {@link StoreSegment.#scoreLater}. */
  async #scoreSlotsLater<Result>(
    queries: readonly Float32Array[],
    slots: Uint32Array,
    use: (scores: Float32Array[]) => Result,
  ): Promise<Result | undefined> {
    const places = Float64Array.from(slots, (slot) => this.#findPlace(slot))
    // Slots may also come and go while this waits for its turn.
    const changed = new Set<number>()
    this.#watches.add(changed)
    try {
      return await this.#scanning.queue.run(this.#storeId, async () => {
        const scanned: BlockScores[] = []
        for (const query of queries) {
          if (this.#isCleared) return undefined
          scanned.push(await scanPlacesBeside(this.#scanning, query, places))
        }
        if (this.#isCleared) return undefined
        const scores = scanned.map((into) => into.scores.subarray(0, slots.length))
        scoreSlotsAgain(this, queries, slots, changed, scores)
        const result = use(scores)
        for (const into of scanned) giveScores(into)
        return result
      })
    } finally {
      this.#watches.delete(changed)
    }
  }

  /** @param mean of the sketches to estimate with, as far as the store has them; undefined to compare in full. */
  #scanLarge(queries: readonly Float32Array[], mean: Float32Array | undefined): Promise<BlockScores[]> {
    const blocks = Float64Array.from(this.#blocks)
    const sketched = mean ? Math.min(blocks.length, Math.floor(this.#sketches.done / BLOCK_SLOTS)) : 0
    return scanBlocksBeside(this.#scanning, queries, blocks, [
      { from: 0, to: sketched, mean },
      { from: sketched, to: blocks.length, mean: undefined },
    ])
  }

  /** Brings scores to the present: those of slots that changed during the scan. */
  #scoreAgain(query: Float32Array, changed: ReadonlySet<number>, into: BlockScores): BlockScores {
    const slots = Float64Array.from(changed).filter((slot) => slot < this.slots)
    if (slots.length === 0) return into
    const present = into.tops.length < this.#blocks.length ? lengthen(into, this.#blocks.length) : into
    const scores = this.scanSlots(query, slots)
    for (const [n, slot] of slots.entries()) {
      const block = Math.floor(slot / BLOCK_SLOTS)
      present.scores[slot] = scores[n] as number
      present.tops[block] = Math.max(present.tops[block] as number, scores[n] as number)
    }
    return present
  }

  #cut({ scores, tops }: BlockScores): BlockScores {
    return { scores: scores.subarray(0, this.slots), tops: tops.subarray(0, this.#blocks.length) }
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
