import { readFileSync } from 'node:fs'
import wasmPath from '#generated/scan.wasm' with { type: 'file' }
import {
  BLOCK_SLOTS,
  type BlockScores,
  blockBytesOf,
  MEMORY_STEP,
  PAGE_BYTES,
  scanParts,
  scorePlaces,
  Workspace,
  widthOf,
  workspaceBytes,
} from './workspace.ts'

/** The most pages of one memory: the address space of 32-bit WebAssembly, 4 GiB. */
const MEMORY_PAGES_MAX = 65_536
/**
 * The most pages of the first memory: 256 MiB. A memory reserves the addresses of its most pages, so small installs
 * start with little; each further memory may be four times as large.
 */
const FIRST_PAGES_MAX = 4_096
/** Below this a memory is not worth having. */
const LEAST_PAGES_MAX = 256
/** The most bytes that a memory grows by beyond what is needed. */
const SPARE_BYTES = 4_194_304

/** The most threads that scan beside the event loop. */
export const SCAN_THREADS_MAX = 4

/** A memory with what a thread needs to work in it. */
export interface SharedMemory {
  memory: WebAssembly.Memory
  /** Address of the scratch space of each thread. */
  workspaces: number[]
}

interface OwnMemory extends SharedMemory {
  own: Workspace
  pagesMax: number
  end: number
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

/** The kernel, compiled once. */
export function kernelModule(): WebAssembly.Module {
  compiled ??= new WebAssembly.Module(readFileSync(wasmPath))
  return compiled
}

/** @throws Error for a dimension outside 1 to 4,096. */
export function assertDimension(dimension: number): void {
  if (Number.isInteger(dimension) && dimension >= 1 && dimension <= 4_096) return
  throw new Error(`Vectors of ${dimension} dimensions are not supported`)
}

/** Sizes of memories, which tests make small. */
export interface MemorySizes {
  firstPagesMax?: number
  laterPagesMax?: number
}

/**
 * All blocks of vectors, in as many WebAssembly memories as they need, because one ends at 4 GiB.
 *
 * A block is a number from `takeBlock`. A place is a block plus the number of a vector in it, 0 to 63. A score is a dot
 * product, and therefore a cosine for unit vectors; a free place scores -Infinity.
 */
export class Scanner {
  readonly dimension: number
  readonly #width: number
  readonly #blockBytes: number
  readonly #workspaceBytes: number
  readonly #readBytesMax: () => number
  readonly #sizes: Required<MemorySizes>
  readonly #memories: OwnMemory[] = []
  readonly #freeBlocks: number[] = []

  /**
   * @param dimension numbers per vector, see {@link assertDimension}.
   * @param readBytesMax the most memory at the time.
   */
  constructor(dimension: number, readBytesMax: () => number, sizes: MemorySizes = {}) {
    this.dimension = dimension
    this.#width = widthOf(dimension)
    this.#blockBytes = blockBytesOf(this.#width)
    this.#workspaceBytes = workspaceBytes(this.#width)
    this.#readBytesMax = readBytesMax
    this.#sizes = { firstPagesMax: FIRST_PAGES_MAX, laterPagesMax: MEMORY_PAGES_MAX, ...sizes }
  }

  /** The memories so far; more may come, but none leaves. */
  get memories(): readonly SharedMemory[] {
    return this.#memories
  }

  /** Bytes of memory allocated so far, which are never returned to the system. */
  get memoryBytes(): number {
    return this.#memories.reduce((sum, { memory }) => sum + memory.buffer.byteLength, 0)
  }

  /**
   * Makes sure that the next `count` calls of `takeBlock` succeed. Memory that nothing was written to costs nothing.
   *
   * @returns false where that is impossible.
   */
  reserveBlocks(count: number): boolean {
    const missing = () => count - this.#freeBlocks.length - this.#roomBlocks()
    for (let more = missing(); more > 0; more = missing()) {
      const growth = this.#growLast(more)
      if (growth === 'refused' || (growth === 'full' && !this.#openMemory())) return false
    }
    return true
  }

  /** @throws Error when the vectors of this process would exceed the limit. */
  takeBlock(): number {
    const block = this.#freeBlocks.pop() ?? this.#appendBlock()
    const { own } = this.#memoryOf(block)
    const address = block % MEMORY_STEP
    for (let slot = 0; slot < BLOCK_SLOTS; slot++) own.release(address + slot)
    return block
  }

  giveBlock(block: number): void {
    this.#freeBlocks.push(block)
  }

  /**
   * Stores a vector in the place that `takePlace` names, which is asked only when the vector was found good.
   *
   * @throws Error when the dimension differs or a component is not a finite number, and what `takePlace` throws.
   */
  put(vector: Float32Array, takePlace: () => number): void {
    const peak = this.#first().own.read(vector)
    const place = takePlace()
    const { own } = this.#memoryOf(place)
    if (own !== this.#first().own) own.read(vector)
    own.write(peak, place % MEMORY_STEP)
  }

  /** Checks a query. @throws Error when the dimension differs or a component is not a finite number. */
  check(query: Float32Array): void {
    this.#first().own.read(query)
  }

  /** Writes the sketch of the vector in a place. */
  sketch(place: number, mean: Float32Array): void {
    this.#memoryOf(place).own.sketch(place % MEMORY_STEP, mean)
  }

  /** Frees a place; its block stays allocated. */
  release(place: number): void {
    this.#memoryOf(place).own.release(place % MEMORY_STEP)
  }

  vectorAt(place: number, into?: Float32Array): Float32Array {
    return this.#memoryOf(place).own.vectorAt(place % MEMORY_STEP, into)
  }

  /** Scores all places of `blocks[from]` to `blocks[to - 1]`, in order; see {@link scanParts}. */
  scanBlocks(
    queries: readonly Float32Array[],
    mean: Float32Array | undefined,
    blocks: ArrayLike<number>,
    from: number,
    to: number,
    into: readonly BlockScores[],
  ): void {
    scanParts(this.#workspaces(), queries, mean, blocks, from, to, into)
  }

  /** Computes approximate scores for `count` places; `placeAt` gives the place of a result. */
  scanPlaces(query: Float32Array, count: number, placeAt: (index: number) => number): Float32Array {
    return this.#scorePlaces(count, placeAt, (own, places, into) => own.scanPlaces(query, places, into))
  }

  /** Computes precise scores for `count` places; `placeAt` gives the place of a result. */
  rescorePlaces(query: Float32Array, count: number, placeAt: (index: number) => number): Float32Array {
    return this.#scorePlaces(count, placeAt, (own, places, into) => own.rescorePlaces(query, places, into))
  }

  /** Scores places memory by memory. */
  #scorePlaces(
    count: number,
    placeAt: (index: number) => number,
    score: (own: Workspace, places: Float64Array, into: Float32Array) => void,
  ): Float32Array {
    const places = new Float64Array(count)
    for (let n = 0; n < count; n++) places[n] = placeAt(n)
    const into = new Float32Array(count)
    this.#first()
    scorePlaces(this.#workspaces(), places, into, score)
    return into
  }

  #workspaces(): Workspace[] {
    return this.#memories.map(({ own }) => own)
  }

  #memoryOf(block: number): OwnMemory {
    return this.#memories[Math.floor(block / MEMORY_STEP)] as OwnMemory
  }

  /** @throws Error where the limit, or the machine, allows no memory at all. */
  #first(): OwnMemory {
    if (this.#memories.length === 0 && !this.#openMemory())
      throw new Error('The vectors do not fit into memory')
    return this.#memories[0] as OwnMemory
  }

  #appendBlock(): number {
    if (!this.reserveBlocks(1)) throw new Error('The vectors do not fit into memory')
    const n = this.#memories.findIndex((memory) => this.#roomIn(memory) > 0)
    const memory = this.#memories[n] as OwnMemory
    const block = n * MEMORY_STEP + memory.end
    memory.end += this.#blockBytes
    return block
  }

  /** Blocks that fit into a memory without growing it. */
  #roomIn({ memory, end }: OwnMemory): number {
    return Math.floor((memory.buffer.byteLength - end) / this.#blockBytes)
  }

  #roomBlocks(): number {
    return this.#memories.reduce((sum, memory) => sum + this.#roomIn(memory), 0)
  }

  /**
   * Grows the last memory to take `blocks` more, or as many as it can. Growing moves nothing, and pages that were never
   * written take no physical memory.
   *
   * @returns `full` when it cannot take one more, `refused` when the machine does not give what it may take.
   */
  #growLast(blocks: number): 'grown' | 'full' | 'refused' {
    const last = this.#memories.at(-1)
    if (!last) return 'full'
    const bytes = last.memory.buffer.byteLength
    const room = Math.min(last.pagesMax * PAGE_BYTES, bytes + this.#readBytesMax() - this.memoryBytes)
    const before = this.#roomIn(last)
    const most = Math.floor(room / PAGE_BYTES)
    const needed = Math.min(most, Math.ceil((last.end + (before + blocks) * this.#blockBytes) / PAGE_BYTES))
    if (Math.floor((needed * PAGE_BYTES - last.end) / this.#blockBytes) <= before) return 'full'
    const spare = Math.ceil(Math.min(bytes / 8, SPARE_BYTES) / PAGE_BYTES)
    const grown = [Math.min(most, needed + spare), needed].some((pages) =>
      takesMemory(() => last.memory.grow(pages - bytes / PAGE_BYTES)),
    )
    last.own.refresh()
    return grown ? 'grown' : 'refused'
  }

  /** Opens a further memory. @returns false where the limit, or the machine, allows none that holds a block. */
  #openMemory(): boolean {
    const workspaces = Array.from({ length: 1 + SCAN_THREADS_MAX }, (_, n) => n * this.#workspaceBytes)
    // A place holds a vector's number in the low six bits of the block's address; scratch space takes multiples of 64.
    const end = workspaces.length * this.#workspaceBytes
    const initial = Math.ceil(end / PAGE_BYTES)
    const room = Math.floor((this.#readBytesMax() - this.memoryBytes) / PAGE_BYTES)
    const wanted = this.#sizes.firstPagesMax * 4 ** this.#memories.length
    const least = Math.ceil((end + this.#blockBytes) / PAGE_BYTES)
    if (room < least) return false
    let pagesMax = Math.max(least, Math.min(wanted, this.#sizes.laterPagesMax, MEMORY_PAGES_MAX))
    for (; ; pagesMax = Math.ceil(pagesMax / 4)) {
      const opened = takesMemory(() => {
        const memory = new WebAssembly.Memory({ initial, maximum: pagesMax, shared: true })
        const own = new Workspace(kernelModule(), memory, 0, this.dimension)
        this.#memories.push({ memory, own, workspaces: workspaces.slice(1), end, pagesMax })
      })
      if (opened) return true
      if (pagesMax <= Math.max(least, LEAST_PAGES_MAX)) return false
    }
  }
}
