import { RANKING } from './parameters.ts'
import type { ScoreMap } from './score.ts'
import type { SearchedStore } from './searched-store.ts'

/*
 * The second look. The first hits of a search mostly agree on what the query shows, and their names say it in the store's
 * own words. So they vote for words: a word counts by how much more often the first hits have it than the store has it. A
 * product loses by what it lacks of the words that they agree on, as one more leg of its value, and nothing gains. So the
 * list stays the exact top of one sum, and no vote lifts a product over a threshold.
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
}

/** What the first hits agree on. Valid for one tick. */
export interface Vote {
  /** The strongest first; at most 5. */
  words: VotedWord[]
  /** Takes what products lack from values. @param slotAt the slot of a place; undefined where the places are all slots. */
  apply(values: Float32Array, slotAt?: (place: number) => number): void
}

/** Hits that vote. */
export const VOTERS = 5

/** In a smaller store a share of the products says nothing. */
const PRODUCTS_MIN = 20

/** The strongest words count. */
const WORDS_MAX = 12
const NAMED_MAX = 5

/**
 * How much a vote counts among the values of a search.
 *
 * @param weight log-odds that a product loses which has nothing of what the voters all agree on.
 */
export function scaleVote(weight: number, { slope }: ScoreMap): VoteScale {
  return {
    temperature: RANKING.voteTemperature / slope,
    loss: weight / slope,
    reach: RANKING.voteReach / slope,
  }
}

/**
 * Lets the first hits of a search vote.
 *
 * @param voters best first, each of another product.
 * @returns undefined where a vote cannot help: in a small store or one whose words are still being read, without names, and
 *   where no two hits share a word that others lack. Valid for one tick.
 */
export function castVote(store: SearchedStore, voters: readonly Voter[], scale: VoteScale): Vote | undefined {
  const { words, columns, hasAllWords } = store
  if (!hasAllWords || words.countDocuments() < PRODUCTS_MIN || voters.length < 2) return undefined
  const ballots = readBallots(store, voters, scale.temperature)
  const lifts = weighWords(store, ballots)
  const loss = scale.loss * Math.sqrt(measureAgreement(ballots, lifts))
  if (!(loss > 0)) return undefined
  const losses = listLosses(store, lifts, loss)
  const best = voters[0]?.value ?? 0
  const { reach } = scale
  const full = best - reach
  const strongest = lifts[0]?.lift ?? 1
  return {
    words: lifts.slice(0, NAMED_MAX).map(({ word, lift }) => ({
      word: words.spell(word),
      weight: lift / strongest,
    })),
    apply(values, slotAt) {
      const documents = columns.documents()
      for (let place = 0; place < values.length; place++) {
        const value = values[place] as number
        const lost = losses[documents[slotAt ? slotAt(place) : place] as number] as number
        // Most are far behind.
        if (value <= full) values[place] = value - lost
        else if (value < best) values[place] = value - (lost * (best - value)) / reach
      }
    },
  }
}

/** The words of several votes: each counts as in the one where it is strongest. */
export function joinWords(lists: readonly (readonly VotedWord[])[]): VotedWord[] {
  const weights = new Map<string, number>()
  for (const { word, weight } of lists.flat()) weights.set(word, Math.max(weight, weights.get(word) ?? 0))
  return Array.from(weights, ([word, weight]) => ({ word, weight }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, NAMED_MAX)
}

/** A product without any words besides its description loses as one that has half of the words. */
const UNNAMED = 0.5

/** What one hit says. */
interface Ballot {
  /** Its share of all votes. */
  share: number
  words: ReadonlySet<number>
}

function readBallots(
  { columns, words }: SearchedStore,
  voters: readonly Voter[],
  temperature: number,
): Ballot[] {
  const best = voters[0]?.value ?? 0
  const odds = voters.map(({ value }) => Math.exp((value - best) / temperature))
  const total = odds.reduce((sum, one) => sum + one, 0)
  return voters.map(({ slot }, n) => {
    const telling = words.listTelling(columns.documentAt(slot))
    // A word of one product says nothing of others.
    return {
      share: (odds[n] as number) / total,
      words: new Set(telling.filter((word) => words.countHolders(word) > 1)),
    }
  })
}

interface Lift {
  word: number
  /** Share of the votes. */
  share: number
  lift: number
}

/** How much more often the voters have each word than the store has it, the strongest first. */
function weighWords({ words }: SearchedStore, ballots: readonly Ballot[]): Lift[] {
  const size = words.countDocuments()
  const shares = new Map<number, number>()
  for (const ballot of ballots) {
    for (const word of ballot.words) shares.set(word, (shares.get(word) ?? 0) + ballot.share)
  }
  return Array.from(shares, ([word, share]) => ({
    word,
    share,
    lift: share * Math.log((share * size) / words.countHolders(word)),
  }))
    .filter(({ lift }) => lift > 0)
    .sort((a, b) => b.lift - a.lift || a.word - b.word)
    .slice(0, WORDS_MAX)
}

/** How probably another voter has the word that a voter has, of the word for which that is most probable: 0 to 1. */
function measureAgreement(ballots: readonly Ballot[], lifts: readonly Lift[]): number {
  let most = 0
  for (const { word, share } of lifts) {
    let agreement = 0
    for (const ballot of ballots) {
      if (ballot.words.has(word) && ballot.share < 1)
        agreement += (ballot.share * (share - ballot.share)) / (1 - ballot.share)
    }
    most = Math.max(most, agreement)
  }
  return Math.min(1, most)
}

let ownLosses = new Float32Array(0)

/** What each document loses; the next vote writes over it. @param loss of a product that has none of the words. */
function listLosses({ words }: SearchedStore, lifts: readonly Lift[], loss: number): Float32Array {
  const documents = words.lastDocument() + 1
  if (ownLosses.length < documents) ownLosses = new Float32Array(Math.ceil(documents * 1.25))
  const losses = ownLosses.subarray(0, documents).fill(0)
  // The sums of the lifts come first.
  let max = 0
  for (const { word, lift } of lifts) {
    words.visitTelling(word, (document) => {
      const sum = (losses[document] as number) + lift
      losses[document] = sum
      if (sum > max) max = sum
    })
  }
  const lengths = words.lengths()
  const scale = loss / max
  const unnamed = loss * (1 - UNNAMED)
  for (let document = 0; document < documents; document++) {
    const sum = losses[document] as number
    losses[document] = (lengths[document] ?? 0) === 0 ? unnamed : loss - scale * sum
  }
  return losses
}
