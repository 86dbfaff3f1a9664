import type { Accepts } from '../../../core/select.ts'
import type { Segment } from '../../../platform/vectors/arena.ts'
import type { Arrangement, Pin, Shift } from './arrangement.ts'
import { type Condition, createMask } from './condition.ts'
import type { NearProduct, NearRequest, Precise } from './nearest.ts'
import type { CommonSearch } from './schema.ts'
import { findCutoff, TAIL, toLogOdds, toProbability, toScore } from './score.ts'
import type { SearchedStore } from './searched-store.ts'

/*
 * What a merchant does to a list: rules hide, move and pin products, and sold-out ones stand last. Scores, the vote of the first hits and
 * the cut are those of the list without all that; the arrangement only decides about the order and about who is in it.
 *
 * So the list is made of lanes: products in stock and sold-out ones, and of each those that the rules move equally far. A lane is
 * ranked as a list of its own, exactly as without rules, and the lanes are merged.
 */

/** What happens to products that are sold out. */
export type SoldOut = Exclude<CommonSearch['sold_out'], undefined>

/** A pin with the pictures of its product. */
export interface FoundPin extends Pin {
  pictureIds: readonly number[]
}

/** How a list is arranged. */
export interface Arranged extends Omit<Arrangement, 'hidings'> {
  /** What a product must meet to be listed: the condition of the search itself where nothing is hidden. */
  shown: Condition
  soldOut: SoldOut
}

/** The same for one ranking. */
export interface FoundArranged extends Arranged {
  pins: readonly FoundPin[]
}

/**
 * Finds the nearest products among the slots that take part, where `among` says which; undefined where estimates leave too many in
 * question.
 */
export type FindBest = (request: NearRequest, among: Accepts | undefined) => NearProduct[] | undefined

/** Steps of a shift in one unit of log-odds. All strengths of rules are whole numbers of steps. */
const STEPS = 20
/** However many rules act on a product, they move it no further. */
const SHIFT_MAX = 3
const STEPS_MAX = SHIFT_MAX * STEPS

/** By slot, how far the product is moved: `STEPS_MAX` for not at all. */
interface Moves {
  steps: Uint8Array
  /** Those that occur. */
  present: number[]
}

interface KeptMoves extends Moves {
  shifts: readonly Shift[]
  version: number
  slots: number
}

/** Most searches of a store are moved by the same few rules. */
const KEPT_MAX = 4
const kept = new WeakMap<Pick<Segment, 'slots'>, KeptMoves[]>()

/** @returns undefined where nothing is moved. Valid for one tick. */
function readMoves({ segment, columns }: SearchedStore, shifts: readonly Shift[]): Moves | undefined {
  if (shifts.length === 0) return undefined
  const version = columns.version()
  const { slots } = segment
  const known = (kept.get(segment) ?? []).filter((one) => one.version === version && one.slots === slots)
  const same = known.find((one) => areSame(one.shifts, shifts))
  const moves = same ?? { ...measureMoves(columns, slots, shifts), shifts, version, slots }
  kept.set(segment, [moves, ...known.filter((one) => one !== same)].slice(0, KEPT_MAX))
  return moves.present.length === 1 && moves.present[0] === STEPS_MAX ? undefined : moves
}

const areSame = (one: readonly Shift[], other: readonly Shift[]): boolean =>
  one.length === other.length &&
  one.every(({ rows, by }, n) => rows === other[n]?.rows && by === other[n]?.by)

function measureMoves(columns: SearchedStore['columns'], slots: number, shifts: readonly Shift[]): Moves {
  const { product } = columns.readFields()
  const used = Math.min(slots, product.length)
  const sums = new Int32Array(slots)
  for (const { rows, by } of shifts) {
    const more = Math.round(by * STEPS)
    if (rows.size === 0 || more === 0) continue
    for (let slot = 0; slot < used; slot++)
      if (rows.has(product[slot] as number)) sums[slot] = (sums[slot] as number) + more
  }
  const steps = new Uint8Array(slots)
  const counts = new Uint32Array(2 * STEPS_MAX + 1)
  for (let slot = 0; slot < slots; slot++) {
    const step = STEPS_MAX + Math.max(-STEPS_MAX, Math.min(STEPS_MAX, sums[slot] as number))
    steps[slot] = step
    counts[step] = (counts[step] as number) + 1
  }
  return { steps, present: Array.from(counts.keys()).filter((step) => counts[step] !== 0) }
}

export type Arranging = Exclude<ReturnType<typeof createArranging>, undefined>

/** Products that rules move equally far, best first. */
interface Lane {
  products: readonly NearProduct[]
  by: number
}

/** Scores are rounded to six digits. */
const SLACK = 2e-6

interface Listed {
  condition: Condition
  /** Whether a slot takes part in the search; undefined where all do. */
  accepts: Accepts | undefined
  near: NearRequest
}

/** Arranges the list of a search in one tick; undefined where it stays as it is. */
export function createArranging(store: SearchedStore, arranged: FoundArranged | undefined, listed: Listed) {
  if (!arranged) return undefined
  const { segment, columns } = store
  const { shown, shifts, pins } = arranged
  const { condition, accepts, near } = listed
  const { map, depth } = near
  const moves = readMoves(store, shifts)
  const gone = arranged.soldOut === 'last' ? columns.readSoldOut() : undefined
  if (shown === condition && !moves && !gone && pins.length === 0) return undefined
  const mask = createMask(store, shown)
  const isListed = (slot: number): boolean => mask?.bytes[slot] !== 0 && (!accepts || accepts(slot))
  const standing = findStanding()
  const pinned = new Set(standing.map(({ product }) => product))
  const isFree = (slot: number): boolean =>
    isListed(slot) && (pinned.size === 0 || !pinned.has(columns.productAt(slot)))
  // The lane of all that is not moved mostly tells how near products of the others must be.
  const steps = (moves?.present ?? [STEPS_MAX]).toSorted(
    (a, b) => Number(b === STEPS_MAX) - Number(a === STEPS_MAX) || b - a,
  )
  const isGone = (slot: number): boolean => gone?.[slot] === 1
  const stepAt = (slot: number): number => moves?.steps[slot] ?? STEPS_MAX

  /** The pins that hold, with the slots of their products: the first one for a place, and the first one of a product. */
  function findStanding(): { pin: Pin; product: number; slots: Uint32Array }[] {
    const places = new Set<number>()
    const products = new Set<number>()
    return pins.flatMap((pin) => {
      if (places.has(pin.position)) return []
      const slots = pin.pictureIds.flatMap((id) => segment.findSlot(id) ?? []).filter(isListed)
      const product = columns.productAt(slots[0] ?? -1)
      if (slots.length === 0 || products.has(product)) return []
      places.add(pin.position)
      products.add(product)
      return [{ pin, product, slots: Uint32Array.from(slots) }]
    })
  }

  /** Merges lists of products, each of which its rules move equally far. */
  function merge(lanes: readonly Lane[], wanted: number): NearProduct[] {
    const [only, ...others] = lanes
    if (only && others.length === 0) return only.products.slice(0, wanted)
    const next = lanes.map(() => 0)
    const merged: NearProduct[] = []
    while (merged.length < wanted) {
      let best: { lane: number; product: NearProduct; odds: number } | undefined
      for (const [lane, { products, by }] of lanes.entries()) {
        const product = products[next[lane] as number]
        if (!product) continue
        const odds = toLogOdds(product.value, map) + by
        if (!best || odds > best.odds || (odds === best.odds && product.pictureId < best.product.pictureId))
          best = { lane, product, odds }
      }
      if (!best) break
      next[best.lane] = (next[best.lane] as number) + 1
      merged.push(best.product)
    }
    return merged
  }

  /** The least score with which a product of another lane comes among the wanted ones. */
  function findReach(lanes: readonly Lane[], by: number, wanted: number): number {
    const last = lanes.length === 0 ? undefined : merge(lanes, wanted)[wanted - 1]
    if (!last) return 0
    return toProbability(toLogOdds(last.value, map) + shiftOf(stepAt(last.slot)) - by) - SLACK
  }

  return {
    standing,
    /** Whether a product is sold out, and stands behind others for it. */
    isGone,
    /** How far a product is moved, as a number that orders products. */
    stepAt,

    /** The number of products that may be listed. */
    countShown: (): number => mask?.products ?? columns.countProducts(),
    isShown: (slot: number): boolean => mask?.bytes[slot] !== 0,

    /** How near a product counts where diversity chooses. */
    worthOf({ slot, value, score }: NearProduct): number {
      const by = shiftOf(stepAt(slot))
      return by === 0 ? score : toProbability(toLogOdds(value, map) + by)
    },

    /** The pinned products, each by its best picture. @param precise values as they count in the list. */
    pinHits: (precise: Precise): Pinned<NearProduct>[] =>
      standing.map(({ pin, product, slots }) => {
        const values = precise(slots)
        const best = values.reduce((best, value, n) => (value > (values[best] as number) ? n : best), 0)
        const slot = slots[best] as number
        const value = values[best] as number
        return {
          pin,
          hit: { slot, pictureId: segment.keyAt(slot), product, value, score: toScore(value, map) },
        }
      }),

    /** Lists products without those that are pinned; those in stock and those that are sold out apart. */
    list(find: FindBest, threshold: number): NearProduct[][] | undefined {
      const parts: NearProduct[][] = []
      let count = 0
      for (const wanted of gone ? [false, true] : [undefined]) {
        if (count >= depth) break
        const lanes: Lane[] = []
        for (const step of steps) {
          const by = shiftOf(step)
          const products = find(
            {
              ...{ map, depth: depth - count },
              threshold: Math.max(threshold, findReach(lanes, by, depth - count)),
            },
            (slot) =>
              (wanted === undefined || isGone(slot) === wanted) && stepAt(slot) === step && isFree(slot),
          )
          if (!products) return undefined
          lanes.push({ products, by })
        }
        const part = merge(lanes, depth - count)
        parts.push(part)
        count += part.length
      }
      return parts
    },

    /** The same for some products that are all that may be listed. */
    order(products: readonly NearProduct[]): NearProduct[][] {
      const free = products.filter(({ slot }) => isFree(slot))
      return [false, true].map((wanted) => {
        const part = free.filter(({ slot }) => isGone(slot) === wanted)
        const lanes = steps.map((step) => ({
          products: part.filter(({ slot }) => stepAt(slot) === step),
          by: shiftOf(step),
        }))
        return merge(lanes, depth)
      })
    },
  }
}

const shiftOf = (step: number): number => (step - STEPS_MAX) / STEPS

/**
 * Lists the products of a search, in the parts that are ordered apart, with the least score of the list.
 *
 * @param accepts what takes part in the search.
 * @param isCut whether the list ends where the scores of the list without an arrangement drop.
 */
export function listParts(
  find: FindBest,
  near: NearRequest,
  {
    accepts,
    isCut = false,
    arranging,
  }: {
    accepts: Accepts | undefined
    isCut?: boolean | undefined
    arranging: Arranging | undefined
  },
): { parts: NearProduct[][]; cut: number } | undefined {
  const { threshold } = near
  const found = isCut || !arranging ? find(near, accepts) : []
  if (!found) return undefined
  const kept = isCut ? found.slice(0, findCutoff(found.map(({ score }) => score))) : found
  const hasEnd = kept.length < found.length
  const cut = hasEnd ? (kept.at(-1)?.score ?? threshold) : threshold
  if (!arranging) return { parts: [kept], cut }
  if (hasEnd) return { parts: arranging.order(kept), cut }
  // Behind the depth of a list that drops nowhere stand more, and no cut leaves those out that are good enough.
  const tail = isCut ? TAIL * (found[0]?.score ?? 0) : 0
  const parts = arranging.list(find, Math.max(threshold, tail))
  return parts && { parts, cut }
}

/** A hit at a place that a rule gives it. */
export interface Pinned<Hit> {
  pin: Pin
  hit: Hit
}

/** Puts pinned hits at their places in a list; what has its place behind the end stands last. */
export function placePinned<Hit>(hits: readonly Hit[], pinned: readonly Pinned<Hit>[]): Hit[] {
  if (pinned.length === 0) return [...hits]
  const placed: Hit[] = []
  let next = 0
  for (const { pin, hit } of pinned.toSorted((a, b) => a.pin.position - b.pin.position)) {
    while (placed.length < pin.position - 1 && next < hits.length) placed.push(hits[next++] as Hit)
    placed.push(hit)
  }
  return [...placed, ...hits.slice(next)]
}
