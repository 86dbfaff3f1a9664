import type { Accepts } from '../../../core/select.ts'
import type { SlotScores } from '../../../platform/vectors/scores.ts'
import type { SlotMask } from '../../catalogue/product-index/mask.ts'
import { createArranging, type FindBest, type FoundArranged, listParts, type Pinned } from './arranging.ts'
import { type Condition, createMask, listPassing } from './condition.ts'
import { diversify, POOL } from './diversity.ts'
import { createEstimateTrust } from './estimate-trust.ts'
import { collectProbable, measureMargin } from './estimates.ts'
import { type AddedLeg, type Fusion, type PresentFusion, presentFusion, type ScannedBy } from './fusion.ts'
import { type Loss, listLowered, lowerAll, lowerEstimates } from './lowering.ts'
import {
  type Candidates,
  type Field,
  itself,
  listNearest,
  type NearProduct,
  type NearRequest,
  type Search,
  takeCandidates,
} from './nearest.ts'
import type { SearchedStore } from './searched-store.ts'
import { castVote, VOTERS, type VotedWord, type Voter } from './second-look.ts'
import { unwantedLoss } from './unwanted.ts'
import { colourLoss } from './wanted-colours.ts'

export interface RankingRequest {
  fusion: Fusion
  condition: Condition
  /** The store's own pictures that the query names. Their products are left out. */
  ownPictureIds?: readonly number[] | undefined
  /** Least score, as it is answered. */
  threshold: number
  /** The number of products from the top of the list. */
  depth: number
  /** Compares every vector, however large the store is. */
  isExact?: boolean | undefined
  /** Ends the list where the scores drop. To find that place, `depth` must reach as deep as any page may. */
  isCut?: boolean | undefined
  /** 0 to 1: how much likeness to the products above counts against a product. */
  diversity?: number | undefined
  /** Gives every hit its legs. */
  isExplained?: boolean | undefined
  /** Gives every hit the number of the vector that it is nearest to. */
  references?: readonly Float32Array[] | undefined
  /** How the list is arranged; undefined for the best first. */
  arranged?: FoundArranged | undefined
}

/** One product, represented by its best picture. */
export interface Hit extends NearProduct {
  explanation?: Explanation
  /** The number of the nearest reference. */
  reference?: number
}

/** The shares of the legs in a value. */
export interface Explanation {
  /** The raw cosine of the first vector; null without any. */
  cosine: number | null
  legs: Record<'image' | 'text' | AddedLeg, number>
}

export interface Ranking {
  /** In the order of the answer; at most `depth`. */
  hits: Hit[]
  /** Where those begin that stand behind others because they are sold out. */
  soldOutFrom: number
  /** Hits that are not in the list, because rules give them places. */
  pinned: Pinned<Hit>[]
  /** The number of products that pass the filter, and that nothing hides. */
  candidates: number
  /** No product with a lower score is in the list. */
  cut: number
  /** Whether every vector that passes the filter was compared. Otherwise 99 of 100 of the nearest are found. */
  isExact: boolean
  /** The words that the first hits have in common, the strongest first; none where they did not vote. */
  words: readonly VotedWord[]
}

/** If the filter passes less than this share of the slots, only those are scored. */
const NARROW = 0.1

/** Longer lists are exact, because estimates cost more the deeper they reach. */
const ESTIMATED_DEPTH_MAX = 200

/** Where fewer large stores' worth of slots pass, comparing all takes no longer than estimating and comparing the best. */
const ESTIMATED_STORES = 2.5

const trust = createEstimateTrust()

/**
 * Ranks the products of a store: at once for a small store or a narrow filter, later for a large one.
 *
 * The scan reads eight bits of each dimension of every vector that passes the filter, once for each vector of the query.
 * Every picture that could be among the best `depth` goes through a precise pass with sixteen, so the order is that of the
 * float vectors. Each product counts with its best picture. Ties keep the order in which the pictures were added, so
 * pages neither repeat nor lose a product.
 *
 * In a large store, and where many pass the filter, the scan first reads one bit of each dimension to find those that are
 * worth more; see `estimates.ts`. Not so where words count: what they add to a few products hides how near the others are,
 * so estimates would leave too many in question.
 *
 * @returns undefined if the store's index was rebuilt meanwhile.
 */
export function rank(store: SearchedStore, request: RankingRequest): Ranking | Promise<Ranking | undefined> {
  const { segment, columns } = store
  const vectors = request.fusion.legs.map(({ vector }) => vector)
  const [vector] = vectors
  const version = columns.version()
  const mask = createMask(store, request.condition)
  if (mask && mask.passing <= Math.max(64, Math.min(segment.slots * NARROW, segment.largeSlots))) {
    const slots = listPassing(mask)
    return segment.scoreSlots(vectors, slots, (scores) => {
      if (version === columns.version()) return createRanking(store, request, mask).ofPlaces(scores, slots)
      const present = createMask(store, request.condition) as SlotMask
      const passing = listPassing(present)
      const moved = moveScores(segment, vectors, { slots, scores }, passing)
      return createRanking(store, request, present).ofPlaces(moved, passing)
    })
  }
  if (!vector) return createRanking(store, request, mask).ofSlots([])

  const finish = (scores: SlotScores[]): Ranking | undefined => {
    const present = version === columns.version() ? mask : createMask(store, request.condition)
    return createRanking(store, request, present, scores).ofSlots(scores)
  }
  if (vectors.length > 1) return segment.scoreEach(vectors, finish) as Ranking | Promise<Ranking>
  const mayEstimate =
    !request.isExact &&
    segment.canEstimate &&
    depthOf(request) <= ESTIMATED_DEPTH_MAX &&
    (mask?.passing ?? segment.slots) > ESTIMATED_STORES * segment.largeSlots &&
    !request.fusion.hasKeywords(store) &&
    trust.mayTry(segment)
  const finishOne = (scores: SlotScores): Ranking | undefined => {
    if (!scores.isEstimated) return finish([scores])
    const present = version === columns.version() ? mask : createMask(store, request.condition)
    const ranking = createRanking(store, request, present).ofEstimates(scores)
    trust.note(segment, ranking !== undefined)
    return ranking
  }
  const ranked = segment.score({ query: vector, mayEstimate }, finishOne)
  if (!(ranked instanceof Promise)) return ranked as Ranking
  // Estimates that leave too many in question are no answer.
  return ranked.then((ranking) => ranking ?? segment.score({ query: vector }, finishOne))
}

/** How many products must be found: diversity chooses among more than it gives. */
const depthOf = ({ depth, diversity }: RankingRequest): number => (diversity ? Math.max(depth, POOL) : depth)

/** Ranks in one tick, with the scores of this moment. */
function createRanking(
  store: SearchedStore,
  request: RankingRequest,
  mask: SlotMask | undefined,
  scanned: readonly SlotScores[] = [],
) {
  const { segment, columns } = store
  const { fusion, threshold, diversity = 0 } = request
  const scannedBy: ScannedBy = (vector) =>
    scanned[fusion.legs.findIndex((leg) => leg.vector === vector)]?.scores
  const present = presentFusion(fusion, store, scannedBy)
  const { colours, unwanted } = fusion
  /** What the products lack, in the order in which it is taken. */
  let losses: readonly Loss[] = [
    colours && colourLoss(store, colours.wanted, colours.map),
    unwanted && unwantedLoss(store, unwanted, fusion.map),
  ].filter((loss) => loss !== undefined)
  let words: VotedWord[] = []
  const near = { map: fusion.map, threshold, depth: depthOf(request) }
  const toVote = { ...near, depth: VOTERS, threshold: 0 }
  const ownSlots = new Set((request.ownPictureIds ?? []).flatMap((id) => segment.findSlot(id) ?? []))
  const ownProducts = new Set(Array.from(ownSlots, columns.productAt))
  /** Whether a slot that passes the filter takes part; undefined where all do. */
  const isForeign =
    ownProducts.size === 0 ? undefined : (slot: number): boolean => !ownProducts.has(columns.productAt(slot))
  /** Whether a slot takes part; undefined where all do. */
  const accepts =
    mask === undefined
      ? isForeign
      : (slot: number): boolean => mask.bytes[slot] === 1 && (!isForeign || isForeign(slot))

  const { condition, arranged } = request
  const arranging = createArranging(store, arranged, { condition, accepts, near })

  function countCandidates(): number {
    const all = arranging?.countShown() ?? mask?.products ?? columns.countProducts()
    const isCounted = (slot: number) =>
      columns.isFirst(slot) && (arranging ? arranging.isShown(slot) : mask?.bytes[slot] !== 0)
    return all - Array.from(ownSlots).filter(isCounted).length
  }

  function toRanking(find: FindBest, isExact: boolean): Ranking | undefined {
    const list = listParts(find, near, { accepts, isCut: request.isCut, arranging })
    if (!list) return undefined
    const parts: Hit[][] =
      diversity > 0
        ? list.parts.map((part) => diversify(segment, part, diversity, request.depth, arranging?.worthOf))
        : list.parts
    const hits = parts.flat().slice(0, request.depth)
    const pinned: Pinned<Hit>[] = arranging?.pinHits(lowerAll(present.valuesAt, losses)) ?? []
    const all = pinned.length > 0 ? [...hits, ...pinned.map(({ hit }) => hit)] : hits
    if (request.isExplained) explain(segment, all, fusion, present, losses)
    if (request.references) matchReferences(store, all, request.references)
    const soldOutFrom = Math.min(hits.length, parts[0]?.length ?? 0)
    return { hits, soldOutFrom, pinned, candidates: countCandidates(), cut: list.cut, isExact, words }
  }

  /** Whether a place takes part, by whether its slot does. Places in a list are those of slots that pass. */
  function acceptsOf({ slotAt }: Field, among: Accepts | undefined): Accepts | undefined {
    if (slotAt === itself) return among
    const test = among === accepts ? isForeign : among
    return test && ((place) => test(slotAt(place)))
  }

  const searchIn = (field: Field, among: Accepts | undefined): Search => ({
    ...{ store, field, precise: present.valuesAt, accepts: acceptsOf(field, among) },
  })

  /** The nearest products by the losses so far. */
  const findBest = (search: Search, request: NearRequest, first: Candidates): NearProduct[] =>
    losses.length > 0
      ? listLowered({ ...search, request, losses }, first)
      : listNearest(search, request, first)

  function rankField(field: Field, isExact: boolean): Ranking {
    const search = searchIn(field, accepts)
    const first = takeCandidates(search, Math.max(near.depth, VOTERS))
    if (fusion.vote) castVoteOf(findBest(search, toVote, first))
    const find: FindBest = (wanted, among) => {
      if (among === accepts) return findBest(search, wanted, first)
      const lane = searchIn(field, among)
      return findBest(lane, wanted, takeCandidates(lane, wanted.depth))
    }
    return toRanking(find, isExact) as Ranking
  }

  /** Lets the first hits vote, which may be one loss more. */
  function castVoteOf(voters: readonly Voter[]): void {
    const vote = fusion.vote && castVote(store, voters, fusion.vote)
    if (!vote) return
    words = vote.words
    losses = [...losses, vote]
  }

  /** The values of some places. */
  function toField(scores: readonly Float32Array[], slotAt: Field['slotAt'], places: number): Field {
    if (present.isPlain) return { values: scores[0] as Float32Array, slotAt }
    const values = ownValues(places)
    present.valuesOf(scores, slotAt, values)
    return { values, tops: findTops(values), slotAt }
  }

  function fieldOf(scores: readonly SlotScores[]): Field {
    const field = toField(
      scores.map((one) => one.scores),
      itself,
      segment.slots,
    )
    return present.isPlain ? { ...field, tops: scores[0]?.tops } : field
  }

  return {
    /** From the scores of some slots, which are all that can pass. */
    ofPlaces: (scores: readonly Float32Array[], slots: Uint32Array): Ranking =>
      rankField(
        toField(scores, (place) => slots[place] as number, slots.length),
        true,
      ),

    /** From the scores of all slots, by vector. */
    ofSlots: (scores: readonly SlotScores[]): Ranking => rankField(fieldOf(scores), true),

    /** From estimates of all slots. @returns undefined when they leave too many in question. */
    ofEstimates(estimates: SlotScores): Ranking | undefined {
      const margin = measureMargin(fieldOf([estimates]).values, present.valuesAt)
      const findProbable: FindBest = (request, among) => {
        // What was found before lies in the same memory.
        const field = fieldOf([estimates])
        const [upper, over] =
          losses.length > 0
            ? [lowerEstimates({ ...searchIn(field, among), request, losses }, margin), 0]
            : [field, margin]
        const precise = lowerAll(present.valuesAt, losses)
        const probable = collectProbable(store, request, upper, over, precise, acceptsOf(upper, among))
        if (!probable) return undefined
        const scores = fusion.legs.map(({ vector }) => segment.scanSlots(vector, probable))
        const search = searchIn(
          toField(scores, (place) => probable[place] as number, probable.length),
          among,
        )
        return findBest(search, request, takeCandidates(search, request.depth))
      }
      const voters = fusion.vote && findProbable(toVote, accepts)
      if (fusion.vote && !voters) return undefined
      if (voters) castVoteOf(voters)
      return toRanking(findProbable, false)
    },
  }
}

/**
 * Takes the scores of slots that were scored already, and scores the few others: those of products that began to pass meanwhile.
 *
 * @param slots in ascending order, as the slots of `known`.
 */
function moveScores(
  segment: SearchedStore['segment'],
  vectors: readonly Float32Array[],
  known: { slots: Uint32Array; scores: readonly Float32Array[] },
  slots: Uint32Array,
): Float32Array[] {
  const from = new Int32Array(slots.length)
  const fresh: number[] = []
  for (let n = 0, k = 0; n < slots.length; n++) {
    const slot = slots[n] as number
    while (k < known.slots.length && (known.slots[k] as number) < slot) k++
    from[n] = known.slots[k] === slot ? k : -1 - (fresh.push(slot) - 1)
  }
  return vectors.map((vector, v) => {
    const scored = segment.scanSlots(vector, fresh)
    const scores = known.scores[v] as Float32Array
    return Float32Array.from(from, (k) => (k < 0 ? scored[-1 - k] : scores[k]) as number)
  })
}

/** Places for one entry of `tops`. */
const BLOCK = 64

let ownPlaces = new Float32Array(0)
let ownBlocks = new Float32Array(0)

/** Values that are used within this tick; the next ranking writes over them. */
function ownValues(places: number): Float32Array {
  if (ownPlaces.length < places) ownPlaces = new Float32Array(Math.ceil(places * 1.25))
  return ownPlaces.subarray(0, places)
}

/** The largest value of each block; the next ranking writes over them. */
function findTops(values: Float32Array): Float32Array {
  const blocks = Math.ceil(values.length / BLOCK)
  if (ownBlocks.length < blocks) ownBlocks = new Float32Array(Math.ceil(blocks * 1.25))
  const tops = ownBlocks.subarray(0, blocks)
  for (let block = 0; block < blocks; block++) {
    let top = -Infinity
    const end = Math.min(BLOCK * (block + 1), values.length)
    for (let n = BLOCK * block; n < end; n++) top = Math.max(top, values[n] as number)
    tops[block] = top
  }
  return tops
}

const slotsOf = (hits: readonly Hit[]): Uint32Array => Uint32Array.from(hits, ({ slot }) => slot)

function explain(
  segment: SearchedStore['segment'],
  hits: readonly Hit[],
  { legs }: Fusion,
  present: PresentFusion,
  losses: readonly Loss[],
): void {
  const slots = slotsOf(hits)
  const { cosines, added } = present.explain(slots)
  const values = present.valuesAt(slots)
  for (const { leg, lower } of losses) {
    const before = values.slice()
    lower(values, slots)
    for (const [n, legs] of added.entries()) legs[leg] += (values[n] as number) - (before[n] as number)
  }
  for (const [n, hit] of hits.entries()) {
    const parts = { image: 0, text: 0, ...(added[n] as Record<AddedLeg, number>) }
    for (const [leg, { name, weight }] of legs.entries()) parts[name] += weight * (cosines[leg]?.[n] ?? 0)
    hit.explanation = {
      // A picture without a vector has the cosine of an average one.
      cosine: segment.hasVector(hit.slot) ? (cosines[0]?.[n] ?? null) : null,
      legs: parts,
    }
  }
}

function matchReferences(
  { segment }: SearchedStore,
  hits: readonly Hit[],
  references: readonly Float32Array[],
): void {
  const slots = slotsOf(hits)
  const cosines = references.map((reference) => segment.rescore(reference, slots))
  for (const [n, hit] of hits.entries()) {
    let best = 0
    for (let one = 1; one < cosines.length; one++) {
      if ((cosines[one]?.[n] as number) > (cosines[best]?.[n] as number)) best = one
    }
    hit.reference = best
  }
}
