/**
 * Selects the positions of the `k` highest scores, best first; of equal scores the lower position comes first.
 *
 * Scores of -Infinity and NaN are skipped, so the result may have fewer than `k` positions. It takes one pass with a
 * heap of `k`.
 *
 * @param mask if given, only positions with a nonzero byte are considered.
 */
export function selectTop(scores: Float32Array, k: number, mask?: Uint8Array): Uint32Array {
  const capacity = Math.min(k, scores.length)
  if (capacity < 1) return new Uint32Array(0)
  const heap = new Uint32Array(capacity)
  let size = 0
  // The bar rises with the worst score in the heap, so nearly every position costs one comparison and no mask lookup.
  let bar = -Infinity
  for (let slot = 0; slot < scores.length; slot++) {
    const score = scores[slot] as number
    if (!(score > bar) || (mask && mask[slot] === 0)) continue
    if (size < capacity) siftUp(heap, scores, size++, slot)
    else siftDown(heap, scores, size, slot)
    if (size === capacity) bar = scores[heap[0] as number] as number
  }
  return heap.subarray(0, size).sort((a, b) => (scores[b] as number) - (scores[a] as number) || a - b)
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
