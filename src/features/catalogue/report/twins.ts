import { calibrate } from '../../../core/calibrate.ts'
import type { LogisticMap } from '../../../platform/embedder/embedder.ts'
import type { IndexedStore } from '../product-index/product-index.ts'
import { type Breathe, createFound, type Found } from './found.ts'
import type { Prints } from './prints.ts'
import type { ReportQueries } from './queries.ts'

/** Products with a twin that are looked at. */
const TWINS_MAX = 10_000
const AT_ONCE = 200

export interface TwinOptions {
  prints: Prints
  map: LogisticMap
  /** Numbers of a vector. */
  dimension: number
  /** The similarity from which on two pictures show the same product. */
  threshold: number
  /** Products that share a picture with many; it says nothing of them. */
  shared: ReadonlySet<string>
}

/**
 * Finds products whose first picture is that of an older product: their prints propose them, and the model confirms it.
 * Variants of one product may look alike.
 */
export async function findTwins(
  queries: Pick<ReportQueries, 'findTwins'>,
  { segment }: Pick<IndexedStore, 'segment'>,
  { prints, map, dimension, threshold, shared }: TwinOptions,
  breathe: Breathe,
): Promise<Found> {
  const { found, add } = createFound('near_duplicate')
  const [first, second] = [new Float32Array(dimension), new Float32Array(dimension)]
  const twins = new Map<number, { older: number; similarity: number }>()
  /** The picture whose vector `first` holds; it often meets many others. */
  let heldId: number | undefined
  await prints.pair((older, newer) => {
    if (twins.has(newer.row)) return true
    const similarity = compare(older.pictureId, newer.pictureId)
    if (similarity >= threshold) twins.set(newer.row, { older: older.row, similarity })
    return twins.size < TWINS_MAX
  }, breathe)
  const pairs = [...twins]
  for (let start = 0; start < pairs.length; start += AT_ONCE) {
    const some = pairs.slice(start, start + AT_ONCE)
    const rows = queries.findTwins(some.flatMap(([row, { older }]) => [row, older]))
    for (const [row, { older, similarity }] of some) {
      const [one, other] = [rows.get(row), rows.get(older)]
      if (!one || !other || shared.has(one.productId)) continue
      if (one.variantGroup !== null && one.variantGroup === other.variantGroup) continue
      add(one.productId, { other_product_id: other.productId, similarity: round(similarity) })
    }
    await breathe()
  }
  return found

  /** 0 where a picture has gone. */
  function compare(one: number, other: number): number {
    return hold(one) && read(other, second) ? calibrate(dot(first, second), map) : 0
  }

  function hold(id: number): boolean {
    if (heldId !== id) heldId = read(id, first) ? id : undefined
    return heldId === id
  }

  function read(id: number, into: Float32Array): boolean {
    const slot = segment.findSlot(id)
    return slot !== undefined && segment.vectorAt(slot, into) !== undefined
  }
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let n = 0; n < a.length; n++) sum += (a[n] as number) * (b[n] as number)
  return sum
}

const round = (score: number): number => Math.round(score * 1e3) / 1e3
