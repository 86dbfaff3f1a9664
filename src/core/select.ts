/** Scores in one block of `tops`. */
const BLOCK = 64

/** Whether a position takes part. Asked only for those whose score is high enough. */
export type Accepts = (position: number) => boolean

/**
 * Selects the positions of the `k` highest scores, best first; of equal scores the lower position comes first.
 *
 * Scores of -Infinity and NaN are skipped, so the result may have fewer than `k` positions. It takes one pass with a
 * heap of `k`.
 *
 * @param tops if given, for each 64 scores a number that none of them exceeds; blocks below all others are passed over.
 */
export function selectTop(
  scores: Float32Array,
  k: number,
  accepts?: Accepts,
  tops?: Float32Array,
): Uint32Array {
  const capacity = Math.min(k, scores.length)
  if (capacity < 1) return new Uint32Array(0)
  const heap = new Uint32Array(capacity)
  let size = 0
  // The bar rises with the worst score in the heap, so nearly every position costs one comparison and no question.
  let bar = -Infinity
  for (let start = 0; start < scores.length; start += BLOCK) {
    if (tops && !((tops[start / BLOCK] as number) > bar)) continue
    const end = Math.min(start + BLOCK, scores.length)
    for (let slot = start; slot < end; slot++) {
      const score = scores[slot] as number
      if (!(score > bar) || (accepts && !accepts(slot))) continue
      if (size < capacity) siftUp(heap, scores, size++, slot)
      else siftDown(heap, scores, size, slot)
      if (size === capacity) bar = scores[heap[0] as number] as number
    }
  }
  return heap.subarray(0, size).sort((a, b) => (scores[b] as number) - (scores[a] as number) || a - b)
}

/** Below this a heap is faster than counting. */
const FEW = 256
const BUCKETS = 8_192

/**
 * Finds a bar that at least `k` scores reach, and not many more. It counts scores between -1 and 1 in buckets, which takes
 * the same time for any `k`.
 *
 * @returns -Infinity where fewer than `k` positions take part.
 */
export function findBar(scores: Float32Array, k: number, accepts?: Accepts, tops?: Float32Array): number {
  if (k <= FEW) {
    const best = selectTop(scores, k, accepts, tops)
    return best.length < k ? -Infinity : (scores[best.at(-1) as number] as number)
  }
  const counts = new Uint32Array(BUCKETS)
  for (let slot = 0; slot < scores.length; slot++) {
    const score = scores[slot] as number
    if (score === -Infinity || (accepts && !accepts(slot))) continue
    const bucket = Math.max(0, Math.min(BUCKETS - 1, Math.floor((score + 1) * (BUCKETS / 2))))
    counts[bucket] = (counts[bucket] as number) + 1
  }
  let found = 0
  for (let bucket = BUCKETS - 1; bucket > 0; bucket--) {
    found += counts[bucket] as number
    // A little below the bucket: adding 1 rounds a tiny negative score up into it.
    if (found >= k) return Math.fround((bucket - 0.01) / (BUCKETS / 2) - 1)
  }
  return -Infinity
}

/** Lists the positions whose score is at least `bar`, in ascending order; `tops` is that of {@link selectTop}. */
export function selectAbove(
  scores: Float32Array,
  bar: number,
  accepts?: Accepts,
  tops?: Float32Array,
): Uint32Array {
  let found = new Uint32Array(1_024)
  let size = 0
  for (let start = 0; start < scores.length; start += BLOCK) {
    if (tops && (tops[start / BLOCK] as number) < bar) continue
    if (size + BLOCK > found.length) {
      const longer = new Uint32Array(2 * found.length)
      longer.set(found)
      found = longer
    }
    const end = Math.min(start + BLOCK, scores.length)
    for (let slot = start; slot < end; slot++) {
      const score = scores[slot] as number
      if (score >= bar && score > -Infinity && (!accepts || accepts(slot))) found[size++] = slot
    }
  }
  return found.subarray(0, size)
}

/** Positions below this fit into one number beside a score. */
const PACKED_MAX = 2 ** 21

/** Lists all positions from the highest score to the lowest; equal scores are in no particular order. No score is NaN. */
export function sortDown(scores: Float32Array): Uint32Array {
  if (scores.length > PACKED_MAX)
    return Uint32Array.from(scores.keys()).sort((a, b) => (scores[b] as number) - (scores[a] as number))
  // Numbers sort ten times as fast as positions with a comparison. Adding 0 makes 0 of -0.
  const positive = scores.map((score) => score + 0)
  const bits = new Int32Array(positive.buffer)
  const packed = new Float64Array(scores.length)
  for (let n = 0; n < packed.length; n++) {
    const word = bits[n] as number
    // Without their sign, floats have the order of their bits.
    const order = word ^ ((word >> 31) & 0x7fffffff)
    packed[n] = -order * PACKED_MAX + n
  }
  packed.sort()
  const order = new Uint32Array(packed.length)
  for (let n = 0; n < order.length; n++) {
    const value = packed[n] as number
    order[n] = value - Math.floor(value / PACKED_MAX) * PACKED_MAX
  }
  return order
}

/** Whether position `a` ranks below `b`; the heap keeps the worst on top. */
const isWorse = (scores: Float32Array, a: number, b: number) => {
  const difference = (scores[a] as number) - (scores[b] as number)
  return difference < 0 || (difference === 0 && a > b)
}

function siftUp(heap: Uint32Array, scores: Float32Array, from: number, slot: number): void {
  let at = from
  while (at > 0) {
    const parent = (at - 1) >> 1
    const above = heap[parent] as number
    if (!isWorse(scores, slot, above)) break
    heap[at] = above
    at = parent
  }
  heap[at] = slot
}

/** Replaces the worst position with `slot`. */
function siftDown(heap: Uint32Array, scores: Float32Array, size: number, slot: number): void {
  let at = 0
  for (let child = 1; child < size; child = 2 * at + 1) {
    if (child + 1 < size && isWorse(scores, heap[child + 1] as number, heap[child] as number)) child++
    const below = heap[child] as number
    if (!isWorse(scores, below, slot)) break
    heap[at] = below
    at = child
  }
  heap[at] = slot
}
