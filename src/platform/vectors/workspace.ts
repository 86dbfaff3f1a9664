/** Vectors in one block of memory. Stores grow by whole blocks, so this limits the waste of a small store. */
export const BLOCK_SLOTS = 64

export const PAGE_BYTES = 65_536

/** A block's handle is the number of its memory times this plus its address. */
export const MEMORY_STEP = 2 ** 32

/** Results of one kernel call. Larger requests are split, so that the scratch space stays in the CPU cache. */
const BATCH = 64 * BLOCK_SLOTS
const BATCH_BLOCKS = BATCH / BLOCK_SLOTS

/** The most queries of one scan, which reads each block once for all of them. */
export const SCAN_QUERIES_MAX = 4

/** The exports of kernel/scan.ts; addresses are byte offsets in the memory. */
interface Kernel {
  peak(vector: number, width: number): number
  encode(vector: number, peak: number, place: number, width: number): void
  decode(place: number, width: number, vector: number): void
  release(place: number): void
  prepare(query: number, width: number, integers: number): number
  scanBlocks(
    ...parts: [integers: number, unit: number, blocks: number, count: number, width: number, scores: number]
  ): void
  scanBlocksEach(
    ...parts: [
      integers: number,
      units: number,
      queries: number,
      blocks: number,
      count: number,
      width: number,
      scores: number,
      step: number,
    ]
  ): void
  scanPlaces(
    ...parts: [integers: number, unit: number, places: number, count: number, width: number, scores: number]
  ): void
  rescorePlaces(query: number, places: number, count: number, width: number, scores: number): void
  findTops(scores: number, count: number, tops: number): void
  sketch(vector: number, mean: number, place: number, width: number): void
  prepareSketch(query: number, mean: number, width: number, levels: number): number
  scanSketches(
    ...parts: [
      levels: number,
      unit: number,
      constant: number,
      blocks: number,
      count: number,
      width: number,
      scores: number,
    ]
  ): void
}

/** Where scores of whole blocks go: 64 numbers for each block, and the highest of them. */
export interface BlockScores {
  scores: Float32Array
  tops: Float32Array
}

/** Dimensions of a vector in memory. */
export const widthOf = (dimension: number): number => Math.ceil(dimension / 64) * 64

/** Bytes of one block: for each vector a scale, two bytes per dimension and a sketch of one bit per dimension. */
export const blockBytesOf = (width: number): number => BLOCK_SLOTS * (4 + 2 * width + 8 + width / 8)

/** Bytes of the scratch space of one workspace, a multiple of 64. */
export function workspaceBytes(width: number): number {
  return layOut(0, width).end
}

function layOut(base: number, width: number) {
  const query = base
  const mean = query + 4 * width
  const integers = mean + 4 * width
  const units = integers + SCAN_QUERIES_MAX * 2 * width
  const levels = units + SCAN_QUERIES_MAX * 4
  const places = levels + width / 4 + 64
  const scores = places + 4 * BATCH
  const tops = scores + 4 * BATCH
  const end = Math.ceil((tops + 4 * BATCH_BLOCKS) / BLOCK_SLOTS) * BLOCK_SLOTS
  return { query, mean, integers, units, levels, places, scores, tops, end }
}

/**
 * The kernel in one memory, with scratch space of its own. Threads that work in one memory have a workspace each.
 *
 * A block is an address. A place is a block plus the number of a vector in it, 0 to 63. A score is a dot product, and
 * therefore a cosine for unit vectors; a free place scores -Infinity.
 */
export class Workspace {
  readonly #memory: WebAssembly.Memory
  readonly #kernel: Kernel
  readonly #dimension: number
  readonly #width: number
  readonly #at: ReturnType<typeof layOut>
  #floats: Float32Array
  #words: Uint32Array

  /** @param base address of {@link workspaceBytes} bytes, a multiple of 64. */
  constructor(module: WebAssembly.Module, memory: WebAssembly.Memory, base: number, dimension: number) {
    this.#memory = memory
    this.#dimension = dimension
    this.#width = widthOf(dimension)
    this.#at = layOut(base, this.#width)
    this.#kernel = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Kernel
    this.#floats = new Float32Array(memory.buffer)
    this.#words = new Uint32Array(memory.buffer)
  }

  /** Call it after the memory has grown. Only this side's own scratch space is read, which lies at its start. */
  refresh(): void {
    this.#floats = new Float32Array(this.#memory.buffer)
    this.#words = new Uint32Array(this.#memory.buffer)
  }

  /**
   * Reads a vector in for `write` and returns the magnitude of its largest component.
   *
   * @throws Error when the dimension differs or a component is not a finite number.
   */
  read(vector: Float32Array): number {
    if (vector.length !== this.#dimension)
      throw new Error(`The vector has ${vector.length} dimensions, not ${this.#dimension}`)
    this.#floats.set(vector, this.#at.query / 4)
    const peak = this.#kernel.peak(this.#at.query, this.#width)
    if (!Number.isFinite(peak)) throw new Error('The vector has components that are not finite numbers')
    return peak
  }

  /** Stores the vector that was `read` last in a place; `peak` is the magnitude of its largest component. */
  write(peak: number, place: number): void {
    this.#kernel.encode(this.#at.query, peak, place, this.#width)
  }

  release(place: number): void {
    this.#kernel.release(place)
  }

  vectorAt(place: number, into: Float32Array = new Float32Array(this.#dimension)): Float32Array {
    this.#kernel.decode(place, this.#width, this.#at.query)
    const from = this.#at.query / 4
    for (let n = 0; n < this.#dimension; n++) into[n] = this.#floats[from + n] as number
    return into
  }

  /** Writes the sketch of a taken place. */
  sketch(place: number, mean: Float32Array): void {
    this.#kernel.decode(place, this.#width, this.#at.query)
    this.#floats.set(mean, this.#at.mean / 4)
    this.#kernel.sketch(this.#at.query, this.#at.mean, place, this.#width)
  }

  /**
   * Scores all places of some blocks with eight bits a dimension.
   *
   * @param queries at most {@link SCAN_QUERIES_MAX}.
   * @param from the first of `blocks` that is scored; scores and tops start at the same block. Scores beyond the end of
   *   `into` are left out.
   * @param into for each query.
   */
  scanBlocks(
    queries: readonly Float32Array[],
    blocks: ArrayLike<number>,
    from: number,
    to: number,
    into: readonly BlockScores[],
  ): void {
    const { integers, units, places, scores } = this.#at
    const [width, count] = [this.#width, queries.length]
    for (const [n, query] of queries.entries())
      this.#floats[units / 4 + n] = this.#prepare(query, integers + 2 * width * n)
    const unit = this.#floats[units / 4] as number
    this.#eachBatch(blocks, from, to, into, (blocks, step) => {
      if (count === 1) this.#kernel.scanBlocks(integers, unit, places, blocks, width, scores)
      else this.#kernel.scanBlocksEach(integers, units, count, places, blocks, width, scores, step)
    })
  }

  /** Estimates the scores of all places of some blocks from their sketches, like {@link scanBlocks}. */
  scanSketches(
    query: Float32Array,
    mean: Float32Array,
    blocks: ArrayLike<number>,
    from: number,
    to: number,
    into: BlockScores,
  ): void {
    const { levels, places, scores } = this.#at
    this.read(query)
    this.#floats.set(mean, this.#at.mean / 4)
    const unit = this.#kernel.prepareSketch(this.#at.query, this.#at.mean, this.#width, levels)
    const constant = mean.reduce((sum, m, i) => sum + ((query[i] as number) - m) * m, 0)
    this.#eachBatch(blocks, from, to, [into], (count) =>
      this.#kernel.scanSketches(levels, unit, constant, places, count, this.#width, scores),
    )
  }

  /** Scores single places with eight bits a dimension. */
  scanPlaces(query: Float32Array, places: ArrayLike<number>, into: Float32Array): void {
    const unit = this.#prepare(query)
    this.#eachPlaces(places, into, (count) =>
      this.#kernel.scanPlaces(this.#at.integers, unit, this.#at.places, count, this.#width, this.#at.scores),
    )
  }

  /** Scores single places with sixteen bits a dimension. */
  rescorePlaces(query: Float32Array, places: ArrayLike<number>, into: Float32Array): void {
    this.read(query)
    this.#eachPlaces(places, into, (count) =>
      this.#kernel.rescorePlaces(this.#at.query, this.#at.places, count, this.#width, this.#at.scores),
    )
  }

  #prepare(query: Float32Array, integers = this.#at.integers): number {
    this.read(query)
    return this.#kernel.prepare(this.#at.query, this.#width, integers)
  }

  #eachBatch(
    blocks: ArrayLike<number>,
    from: number,
    to: number,
    into: readonly BlockScores[],
    score: (count: number, step: number) => void,
  ): void {
    const { places, scores, tops } = this.#at
    const most = Math.floor(BATCH_BLOCKS / into.length)
    /** Bytes from the scores of a query to those of the next. */
    const step = 4 * BLOCK_SLOTS * most
    for (let start = from; start < to; start += most) {
      const count = Math.min(most, to - start)
      for (let i = 0; i < count; i++) this.#words[places / 4 + i] = blocks[start + i] as number
      score(count, step)
      for (const [n, one] of into.entries()) {
        const own = scores + step * n
        this.#kernel.findTops(own, count, tops)
        this.#copy(own, one.scores, start * BLOCK_SLOTS, count * BLOCK_SLOTS)
        this.#copy(tops, one.tops, start, count)
      }
    }
  }

  #eachPlaces(places: ArrayLike<number>, into: Float32Array, score: (count: number) => void): void {
    for (let start = 0; start < places.length; start += BATCH) {
      const count = Math.min(BATCH, places.length - start)
      // Storing a place as an address of 32 bits drops the number of the memory.
      for (let i = 0; i < count; i++) this.#words[this.#at.places / 4 + i] = places[start + i] as number
      score(count)
      this.#copy(this.#at.scores, into, start, count)
    }
  }

  #copy(address: number, into: Float32Array, start: number, count: number): void {
    const from = address / 4
    into.set(this.#floats.subarray(from, from + Math.min(count, into.length - start)), start)
  }
}

/**
 * Scores places of several memories, memory by memory; the results stand in the order of the places.
 *
 * @param score is called at least once, so that it can check its query.
 */
export function scorePlaces(
  workspaces: readonly Workspace[],
  places: Float64Array,
  into: Float32Array,
  score: (workspace: Workspace, places: Float64Array, into: Float32Array) => void,
): void {
  for (const [n, workspace] of workspaces.entries()) {
    const indices = listIn(places, n)
    if (indices.length === places.length) {
      score(workspace, places, into)
      return
    }
    if (indices.length === 0 && n > 0) continue
    const part = new Float32Array(indices.length)
    const own = new Float64Array(indices.length)
    for (let i = 0; i < own.length; i++) own[i] = places[indices[i] as number] as number
    score(workspace, own, part)
    for (let i = 0; i < part.length; i++) into[indices[i] as number] = part[i] as number
  }
}

/** The indices of the places in the n-th memory. */
function listIn(places: Float64Array, n: number): Uint32Array {
  const first = n * MEMORY_STEP
  const indices = new Uint32Array(places.length)
  let count = 0
  for (let i = 0; i < places.length; i++) {
    const place = places[i] as number
    if (place >= first && place < first + MEMORY_STEP) indices[count++] = i
  }
  return indices.subarray(0, count)
}

/**
 * Scores all places of `blocks[from]` to `blocks[to - 1]`, in order, each block in its memory: from sketches with the
 * `mean` that they were made with, with eight bits a dimension without.
 *
 * @param queries at most {@link SCAN_QUERIES_MAX}.
 * @param into for each query.
 */
export function scanParts(
  workspaces: readonly Workspace[],
  queries: readonly Float32Array[],
  mean: Float32Array | undefined,
  blocks: ArrayLike<number>,
  from: number,
  to: number,
  into: readonly BlockScores[],
): void {
  for (let start = from, end = from; start < to; start = end) {
    const n = Math.floor((blocks[start] as number) / MEMORY_STEP)
    while (end < to && Math.floor((blocks[end] as number) / MEMORY_STEP) === n) end++
    const workspace = workspaces[n] as Workspace
    // Storing a handle as an address of 32 bits drops the number of the memory.
    if (!mean) workspace.scanBlocks(queries, blocks, start, end, into)
    else {
      for (const [n, query] of queries.entries())
        workspace.scanSketches(query, mean, blocks, start, end, into[n] as BlockScores)
    }
  }
}
