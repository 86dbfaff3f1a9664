import { readFileSync } from 'node:fs'
import wasmPath from '#generated/scan.wasm' with { type: 'file' }

/** Vectors in one block of memory. Stores grow by whole blocks, so this limits the waste of a small store. */
export const BLOCK_SLOTS = 64

const PAGE_BYTES = 65_536
/** The address space of 32-bit WebAssembly: 4 GiB. */
export const MEMORY_BYTES_MAX = 65_536 * PAGE_BYTES
/** Results of one kernel call. Larger requests are split, so that the scratch space stays in the CPU cache. */
const BATCH = 64 * BLOCK_SLOTS

/** The exports of kernel/scan.ts; addresses are byte offsets in the shared memory. */
interface Kernel {
  peak(vector: number, width: number): number
  encode(vector: number, peak: number, place: number, width: number): void
  decode(place: number, width: number, vector: number): void
  release(place: number): void
  prepare(query: number, width: number, integers: number): number
  scanBlocks(
    integers: number,
    unit: number,
    blocks: number,
    count: number,
    width: number,
    scores: number,
  ): void
  scanPlaces(
    integers: number,
    unit: number,
    places: number,
    count: number,
    width: number,
    scores: number,
  ): void
  rescorePlaces(query: number, places: number, count: number, width: number, scores: number): void
}

/** Runs work that takes memory from the machine. @returns false where the machine refuses. */
export function takesMemory(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

let compiled: WebAssembly.Module | undefined

/** @throws Error for a dimension outside 1 to 4,096. */
export function assertDimension(dimension: number): void {
  if (Number.isInteger(dimension) && dimension >= 1 && dimension <= 4_096) return
  throw new Error(`Vectors of ${dimension} dimensions are not supported`)
}

/**
 * The kernel and its memory.
 *
 * A block is an address from `takeBlock`. A place is a block plus the number of a vector in it, 0 to 63. A score is a
 * dot product, and therefore a cosine for unit vectors; a free place scores -Infinity.
 */
export class Scanner {
  readonly dimension: number
  /** Bytes of one block: for each vector a scale and two bytes per dimension. */
  readonly blockBytes: number
  readonly #width: number
  readonly #pagesMax: number
  readonly #memory: WebAssembly.Memory
  readonly #kernel: Kernel
  readonly #query: number
  readonly #integers: number
  readonly #places: number
  readonly #scores: number
  readonly #freeBlocks: number[] = []
  #end: number
  #floats: Float32Array
  #words: Uint32Array

  /**
   * @param dimension numbers per vector, see {@link assertDimension}.
   * @param bytesMax the most memory, at most 4 GiB.
   * @throws RangeError where the machine refuses the memory.
   */
  constructor(dimension: number, bytesMax: number) {
    this.dimension = dimension
    this.#width = Math.ceil(dimension / 16) * 16
    this.blockBytes = BLOCK_SLOTS * (4 + 2 * this.#width)
    this.#query = 0
    this.#integers = 4 * this.#width
    this.#places = this.#integers + 2 * this.#width
    this.#scores = this.#places + 4 * BATCH
    // A place holds a vector's number in the low six bits of the block's address.
    this.#end = Math.ceil((this.#scores + 4 * BATCH) / BLOCK_SLOTS) * BLOCK_SLOTS
    this.#pagesMax = Math.floor(Math.min(bytesMax, MEMORY_BYTES_MAX) / PAGE_BYTES)
    const initial = Math.ceil(this.#end / PAGE_BYTES)
    this.#memory = new WebAssembly.Memory({ initial, maximum: this.#pagesMax })
    this.#floats = new Float32Array(this.#memory.buffer)
    this.#words = new Uint32Array(this.#memory.buffer)
    compiled ??= new WebAssembly.Module(readFileSync(wasmPath))
    const instance = new WebAssembly.Instance(compiled, { env: { memory: this.#memory } })
    this.#kernel = instance.exports as unknown as Kernel
  }

  /**
   * Makes sure that the next `count` calls of `takeBlock` succeed. Memory that nothing was written to costs nothing.
   *
   * @returns false where that is impossible.
   */
  reserveBlocks(count: number): boolean {
    return this.#ensureBytes(this.#end + Math.max(0, count - this.#freeBlocks.length) * this.blockBytes)
  }

  /** @throws Error when the vectors of this process would exceed the limit. */
  takeBlock(): number {
    const block = this.#freeBlocks.pop() ?? this.#appendBlock()
    for (let slot = 0; slot < BLOCK_SLOTS; slot++) this.#kernel.release(block + slot)
    return block
  }

  giveBlock(block: number): void {
    this.#freeBlocks.push(block)
  }

  /** Bytes of memory allocated so far, which are never returned to the system. */
  get memoryBytes(): number {
    return this.#memory.buffer.byteLength
  }

  /**
   * Reads a vector in for `write` and returns the magnitude of its largest component.
   *
   * @throws Error when the dimension differs or a component is not a finite number.
   */
  read(vector: Float32Array): number {
    if (vector.length !== this.dimension)
      throw new Error(`The vector has ${vector.length} dimensions, not ${this.dimension}`)
    this.#floats.set(vector, this.#query / 4)
    const peak = this.#kernel.peak(this.#query, this.#width)
    if (!Number.isFinite(peak)) throw new Error('The vector has components that are not finite numbers')
    return peak
  }

  /** Stores the vector that was `read` last in a place; `peak` is the magnitude of its largest component. */
  write(peak: number, place: number): void {
    this.#kernel.encode(this.#query, peak, place, this.#width)
  }

  /** Frees a place; its block stays allocated. */
  release(place: number): void {
    this.#kernel.release(place)
  }

  vectorAt(place: number): Float32Array {
    this.#kernel.decode(place, this.#width, this.#query)
    return this.#floats.slice(0, this.dimension)
  }

  /** Computes approximate scores for every place of `blocks`, in order, up to the length of `into`. */
  scanBlocks(query: Float32Array, blocks: readonly number[], into: Float32Array): void {
    const unit = this.#prepare(query)
    const step = BATCH / BLOCK_SLOTS
    for (let start = 0; start < blocks.length; start += step) {
      const count = Math.min(step, blocks.length - start)
      for (let i = 0; i < count; i++) this.#words[this.#places / 4 + i] = blocks[start + i] ?? 0
      this.#kernel.scanBlocks(this.#integers, unit, this.#places, count, this.#width, this.#scores)
      this.#copyScores(into, start * BLOCK_SLOTS, count * BLOCK_SLOTS)
    }
  }

  /** Computes approximate scores for `count` places; `placeAt` gives the place of a result. */
  scanPlaces(query: Float32Array, count: number, placeAt: (index: number) => number): Float32Array {
    const unit = this.#prepare(query)
    return this.#scoreBatches(count, placeAt, (length) =>
      this.#kernel.scanPlaces(this.#integers, unit, this.#places, length, this.#width, this.#scores),
    )
  }

  /** Computes precise scores for `count` places; `placeAt` gives the place of a result. */
  rescorePlaces(query: Float32Array, count: number, placeAt: (index: number) => number): Float32Array {
    this.read(query)
    return this.#scoreBatches(count, placeAt, (length) =>
      this.#kernel.rescorePlaces(this.#query, this.#places, length, this.#width, this.#scores),
    )
  }

  #prepare(query: Float32Array): number {
    this.read(query)
    return this.#kernel.prepare(this.#query, this.#width, this.#integers)
  }

  #scoreBatches(
    count: number,
    placeAt: (index: number) => number,
    score: (length: number) => void,
  ): Float32Array {
    const into = new Float32Array(count)
    for (let start = 0; start < count; start += BATCH) {
      const length = Math.min(BATCH, count - start)
      for (let i = 0; i < length; i++) this.#words[this.#places / 4 + i] = placeAt(start + i)
      score(length)
      this.#copyScores(into, start, length)
    }
    return into
  }

  #copyScores(into: Float32Array, start: number, count: number): void {
    const from = this.#scores / 4
    into.set(this.#floats.subarray(from, from + Math.min(count, into.length - start)), start)
  }

  #appendBlock(): number {
    const block = this.#end
    if (!this.#ensureBytes(block + this.blockBytes)) throw new Error('The vectors do not fit into memory')
    this.#end = block + this.blockBytes
    return block
  }

  #ensureBytes(bytes: number): boolean {
    const needed = Math.ceil(bytes / PAGE_BYTES)
    const pages = this.#memory.buffer.byteLength / PAGE_BYTES
    return needed <= pages || this.#grow(pages, needed)
  }

  /** Grows by an eighth, because growing may copy. Pages that were never written take no physical memory. */
  #grow(pages: number, needed: number): boolean {
    if (needed > this.#pagesMax) return false
    const wanted = Math.min(this.#pagesMax, Math.max(needed, Math.ceil(pages * 1.125)))
    const grown = [wanted, needed].some((size) => takesMemory(() => this.#memory.grow(size - pages)))
    this.#floats = new Float32Array(this.#memory.buffer)
    this.#words = new Uint32Array(this.#memory.buffer)
    return grown
  }
}
