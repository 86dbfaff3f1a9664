import { calibrate } from '../../../core/calibrate.ts'
import type { LogisticMap } from '../../../platform/embedder/embedder.ts'
import { PREPOSITIONS } from './legs/category.ts'
import type { Loss } from './lowering.ts'
import { RANKING } from './parameters.ts'
import type { ScoreMap } from './score.ts'
import type { SearchedStore } from './searched-store.ts'

/*
 * The second look. The first hits of a search mostly agree on what the query shows, and their names say it in the store's
 * own words. So they vote for words: a word counts by how much more often the first hits have it than the store has it. A
 * product loses by what it lacks of the words that they agree on, as one more leg of its value, and nothing gains. So the
 * list stays the exact top of one sum, no vote lifts a product over a threshold, and only what was good enough before is lowered.
 *
 * Where nobody has shown a picture, the first hits vote for looks, too: a product loses by how much less its picture looks like
 * theirs than theirs look like each other, as far as they do. It needs no names.
 *
 * This is pseudo-relevance feedback (Rocchio; RM3 of Lavrenko and Croft), here from pictures to words.
 */

/** A hit that votes, with the value that the first look gave it. */
export interface Voter {
  slot: number
  value: number
}

/** A word that the first hits have in common. */
export interface VotedWord {
  word: string
  /** 0 to 1, as a share of the strongest. */
  weight: number
}

/** How much a vote counts in a search, in units of its values. */
export interface VoteScale {
  /** A hit counts e times as much as another one that is so much worse. */
  temperature: number
  /** What a product loses that has nothing of what the voters all agree on. */
  loss: number
  /** Products lose all of it that are so much worse than the first hit; nearer ones lose less, and the first hit nothing. */
  reach: number
  /** The vote for looks; undefined where the query has a picture, which says more than those of the hits. */
  looks?: LooksScale | undefined
}

interface LooksScale {
  /** What a product loses for each unit of cosine. */
  loss: number
  /** How probably two pictures show the same kind of thing, by their cosine. */
  alike: LogisticMap
}

/** What the first hits agree on. */
export interface Vote extends Loss {
  /** The strongest first; at most 5. */
  words: VotedWord[]
}

/** Hits that vote. */
export const VOTERS = 5

/** In a smaller store a share of the products says nothing. */
const PRODUCTS_MIN = 20

/** The strongest words count. */
const WORDS_MAX = 12
const NAMED_MAX = 5

/** Looks of voters that agree less would move no score by a hundredth, and are not worth comparing pictures for. */
const LOOKS_AGREEMENT_MIN = 0.02

/** A picture that looks less like the voters by so much of a cosine loses no more than this. */
const LOOKS_SPAN = 0.5

/**
 * How much a vote counts among the values of a search.
 *
 * @param weight log-odds that a product loses which has nothing of what the voters all agree on.
 * @param alike the model's map of two pictures' cosine, where looks count.
 */
export function scaleVote(weight: number, { slope }: ScoreMap, alike?: LogisticMap): VoteScale {
  return {
    temperature: RANKING.voteTemperature / slope,
    loss: weight / slope,
    reach: RANKING.voteReach / slope,
    looks: alike && { loss: RANKING.voteLooks / slope, alike },
  }
}

/** Adds what the pictures in some slots lose. */
type Part = (slots: Uint32Array, losses: Float32Array) => void

/**
 * Lets the first hits of a search vote.
 *
 * @param voters best first, each of another product.
 * @returns undefined where a vote cannot help: in a small store, and where no two hits share a word that others lack, or
 *   looks. Valid for one tick.
 */
export function castVote(store: SearchedStore, voters: readonly Voter[], scale: VoteScale): Vote | undefined {
  if (voters.length < 2 || store.columns.countProducts() < PRODUCTS_MIN) return undefined
  const shares = weighVoters(voters, scale.temperature)
  const byWords = store.hasAllWords ? voteForWords(store, voters, shares, scale.loss) : undefined
  const byLooks = scale.looks && voteForLooks(store, voters, shares, scale.looks)
  if (!byWords && !byLooks) return undefined
  const best = voters[0]?.value ?? 0
  const { reach } = scale
  const full = best - reach
  const lowerBy =
    (...parts: readonly (Part | undefined)[]): Vote['lower'] =>
    (values, slots) => {
      const losses = new Float32Array(slots.length)
      for (const part of parts) part?.(slots, losses)
      for (let n = 0; n < values.length; n++) {
        const value = values[n] as number
        const lost = losses[n] as number
        // Most are far behind.
        if (value <= full) values[n] = value - lost
        else if (value < best) values[n] = value - (lost * (best - value)) / reach
      }
    }
  return {
    leg: 'second_look',
    words: byWords?.words ?? [],
    lower: lowerBy(byWords?.part, byLooks),
    lowerInPart: byLooks && lowerBy(byWords?.part),
  }
}

/** The share of each voter in the vote. */
function weighVoters(voters: readonly Voter[], temperature: number): number[] {
  const best = voters[0]?.value ?? 0
  const odds = voters.map(({ value }) => Math.exp((value - best) / temperature))
  const total = odds.reduce((sum, one) => sum + one, 0)
  return odds.map((one) => one / total)
}

/** How probably another voter agrees with a voter: 0 to 1. @param agree how far two of them do. */
function measureAgreement(shares: readonly number[], agree: (one: number, other: number) => number): number {
  let agreement = 0
  for (const [one, share] of shares.entries()) {
    if (share === 1) continue
    for (const [other, weight] of shares.entries()) {
      if (other !== one) agreement += (share * weight * agree(one, other)) / (1 - share)
    }
  }
  return Math.min(1, agreement)
}

/** The words of several votes: each counts as in the one where it is strongest. */
export function joinWords(lists: readonly (readonly VotedWord[])[]): VotedWord[] {
  const weights = new Map<string, number>()
  for (const { word, weight } of lists.flat()) weights.set(word, Math.max(weight, weights.get(word) ?? 0))
  return Array.from(weights, ([word, weight]) => ({ word, weight }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, NAMED_MAX)
}

/** Scripts without spaces are read as pairs of characters. These vote, as numbers and letters do, but are no words to show. */
const CHARACTER_PAIR = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u
const isToShow = (word: string): boolean =>
  /[\p{L}\p{M}]{2}/u.test(word) && !CHARACTER_PAIR.test(word) && !PREPOSITIONS.has(word)

/** A product without any words besides its description loses as one that has half of the words. */
const UNNAMED = 0.5

interface Lift {
  word: number
  lift: number
}

function voteForWords(
  store: SearchedStore,
  voters: readonly Voter[],
  shares: readonly number[],
  most: number,
): { words: VotedWord[]; part: Part } | undefined {
  const { words, columns } = store
  const ballots = voters.map(({ slot }) => {
    const telling = words.listTelling(columns.documentAt(slot))
    // A word of one product says nothing of others.
    return new Set(telling.filter((word) => words.countHolders(word) > 1))
  })
  const lifts = weighWords(store, ballots, shares)
  const agreement = lifts.map(({ word }) =>
    measureAgreement(shares, (one, other) => Number(ballots[one]?.has(word) && ballots[other]?.has(word))),
  )
  const loss = most * Math.sqrt(Math.max(0, ...agreement))
  if (!(loss > 0)) return undefined
  const named = lifts
    .map(({ word, lift }) => ({ word: words.spell(word), lift }))
    .filter(({ word }) => isToShow(word))
    .slice(0, NAMED_MAX)
  const strongest = named[0]?.lift ?? 1
  return {
    words: named.map(({ word, lift }) => ({ word, weight: lift / strongest })),
    part: createWordsPart(store, lifts, { loss, voters: voters.map(({ slot }) => columns.documentAt(slot)) }),
  }
}

/** Lifts are multiples of this, so that their sums are the same in any order, also as 32-bit floats. */
const STEP = 2 ** -14

/** How much more often the voters have each word than the store has it, the strongest first. */
function weighWords(
  { words }: SearchedStore,
  ballots: readonly ReadonlySet<number>[],
  shares: readonly number[],
): Lift[] {
  const size = words.countDocuments()
  const held = new Map<number, number>()
  for (const [n, ballot] of ballots.entries()) {
    for (const word of ballot) held.set(word, (held.get(word) ?? 0) + (shares[n] as number))
  }
  return Array.from(held, ([word, share]) => ({
    word,
    lift: Math.round((share * Math.log((share * size) / words.countHolders(word))) / STEP) * STEP,
  }))
    .filter(({ lift }) => lift > 0)
    .sort((a, b) => b.lift - a.lift || a.word - b.word)
    .slice(0, WORDS_MAX)
}

/** Where a list of slots is longer than this share of the store, reading all holders of the words is quicker than asking. */
const ASKED_SHARE = 1 / 64

/** @param loss of a product that has none of the words; one that has as much of them as any of the voters loses nothing. */
function createWordsPart(
  { words, columns }: SearchedStore,
  lifts: readonly Lift[],
  { loss, voters }: { loss: number; voters: readonly number[] },
): Part {
  const lengths = words.lengths()
  const numbers = new Map(lifts.map(({ word, lift }) => [word, lift]))
  const sumOf = (document: number): number => words.sumTelling(document, numbers)
  const max = Math.max(...voters.map(sumOf))
  let all: Float32Array | undefined
  return (slots, losses) => {
    if (slots.length > ASKED_SHARE * words.lastDocument()) all ??= sumAll(words, lifts)
    for (let n = 0; n < slots.length; n++) {
      const document = columns.documentAt(slots[n] as number)
      const isNamed = (lengths[document] ?? 0) > 0
      const has = !isNamed ? UNNAMED : Math.min(1, (all ? (all[document] as number) : sumOf(document)) / max)
      losses[n] = (losses[n] as number) + loss * (1 - has)
    }
  }
}

let ownSums = new Float32Array(0)

/** The sum of the lifts of each document; the next vote writes over it. */
function sumAll(words: SearchedStore['words'], lifts: readonly Lift[]): Float32Array {
  const documents = words.lastDocument() + 1
  if (ownSums.length < documents) ownSums = new Float32Array(Math.ceil(documents * 1.25))
  const sums = ownSums.subarray(0, documents).fill(0)
  for (const { word, lift } of lifts) {
    words.visitTelling(word, (document) => {
      sums[document] = (sums[document] as number) + lift
    })
  }
  return sums
}

/** Products lose by how much less they look like the voters than the voters look like each other. */
function voteForLooks(
  { segment }: SearchedStore,
  voters: readonly Voter[],
  shares: readonly number[],
  { loss, alike }: LooksScale,
): Part | undefined {
  const pictures = voters.map(({ slot }) => segment.vectorAt(slot))
  if (pictures.some((picture) => picture === undefined)) return undefined
  const vectors = pictures as Float32Array[]
  const cosines = compareAll(vectors)
  const cosineOf = (one: number, other: number): number => cosines[one]?.[other] ?? 0
  const agreement = measureAgreement(shares, (one, other) => calibrate(cosineOf(one, other), alike))
  const mean = agreement < LOOKS_AGREEMENT_MIN ? undefined : average(vectors, shares)
  if (!mean) return undefined
  // No voter votes for itself.
  const own = voters.map((_voter, n) => cosineToMean(cosineOf, shares.with(n, 0), n))
  const numbers = new Map(voters.map(({ slot }, n) => [slot, own[n] as number]))
  const best = Math.max(...own)
  return (slots, losses) => {
    const found = segment.rescore(mean, slots)
    for (let n = 0; n < slots.length; n++) {
      const cosine = numbers.get(slots[n] as number) ?? (found[n] as number)
      const lack = Math.max(0, Math.min(LOOKS_SPAN, best - cosine))
      losses[n] = (losses[n] as number) + loss * agreement * lack
    }
  }
}

/** The cosine of each two vectors of length 1. */
function compareAll(vectors: readonly Float32Array[]): number[][] {
  const cosines = vectors.map(() => new Array<number>(vectors.length).fill(1))
  for (const [one, vector] of vectors.entries()) {
    for (let other = 0; other < one; other++) {
      const cosine = dot(vector, vectors[other] as Float32Array)
      ;(cosines[one] as number[])[other] = cosine
      ;(cosines[other] as number[])[one] = cosine
    }
  }
  return cosines
}

/** The cosine of a vector to the weighted mean of some, by their cosines; 0 where the mean has no direction. */
function cosineToMean(
  cosineOf: (one: number, other: number) => number,
  weights: readonly number[],
  own: number,
): number {
  let along = 0
  let square = 0
  for (const [one, weight] of weights.entries()) {
    along += weight * cosineOf(one, own)
    for (const [other, share] of weights.entries()) square += weight * share * cosineOf(one, other)
  }
  return square > 0 ? along / Math.sqrt(square) : 0
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let n = 0; n < a.length; n++) sum += (a[n] as number) * (b[n] as number)
  return sum
}

/** The direction of a weighted mean; undefined where it has none. */
function average(vectors: readonly Float32Array[], weights: readonly number[]): Float32Array | undefined {
  const [{ length } = new Float32Array(0)] = vectors
  const mean = new Float32Array(length)
  for (const [v, vector] of vectors.entries()) {
    const weight = weights[v] as number
    for (let n = 0; n < length; n++) mean[n] = (mean[n] as number) + weight * (vector[n] as number)
  }
  const size = Math.sqrt(dot(mean, mean))
  if (!(size > 0)) return undefined
  for (let n = 0; n < length; n++) mean[n] = (mean[n] as number) / size
  return mean
}
