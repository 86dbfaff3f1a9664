import type { Example, ReplayResult } from './schema.ts'

/** One search, made twice. */
export interface Pair {
  query: string | null
  productId: string | null
  /** Ids of products, best first. */
  before: readonly string[]
  after: readonly string[]
  /** The products that were clicked in its results, each once. */
  clicked: readonly string[]
}

export const NO_RESULT: ReplayResult = {
  ...{ searches: 0, changed: 0, changed_top: 0 },
  clicks: { rise: 0, fall: 0, same: 0, gain: null },
  examples: [],
}

const TOP = 10
const SHOWN = 5
const EXAMPLES_MAX = 20

/** Adds a search to what the others have shown. */
export function addPair(result: ReplayResult, pair: Pair): ReplayResult {
  const { before, after, clicked } = pair
  const hasNewFirst = before[0] !== after[0]
  const hasNewTop = !isSame(before.slice(0, TOP), after.slice(0, TOP))
  const moves = clicked.map((id) => Math.sign(placeOf(before, id) - placeOf(after, id)))
  const gains = clicked.map((id) => 1 / placeOf(after, id) - 1 / placeOf(before, id))
  const countMoves = (sign: number) => moves.filter((move) => move === sign).length
  return {
    searches: result.searches + 1,
    changed: result.changed + Number(hasNewFirst),
    changed_top: result.changed_top + Number(hasNewTop),
    clicks: {
      rise: result.clicks.rise + countMoves(1),
      fall: result.clicks.fall + countMoves(-1),
      same: result.clicks.same + countMoves(0),
      gain: addMean(result.clicks, gains),
    },
    examples: hasNewTop ? addExample(result.examples, toExample(pair)) : result.examples,
  }
}

/** The mean gain of the clicks so far and of some more. */
function addMean({ rise, fall, same, gain }: ReplayResult['clicks'], more: readonly number[]): number | null {
  const count = rise + fall + same
  if (count + more.length === 0) return null
  return (count * (gain ?? 0) + more.reduce((sum, one) => sum + one, 0)) / (count + more.length)
}

/** From 1; behind all others where it is not found, so that two lists without it are alike. */
const placeOf = (ids: readonly string[], id: string): number => {
  const place = ids.indexOf(id)
  return place === -1 ? LAST : place + 1
}

/** More than any list is long. */
const LAST = 1_000_000

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((id, n) => id === other[n])

const toExample = ({ query, productId, before, after }: Pair): Example => ({
  ...{ query, product_id: productId },
  ...{ before: before.slice(0, SHOWN), after: after.slice(0, SHOWN) },
})

/** Shows each search once, and another first result rather than other changes. */
function addExample(examples: readonly Example[], one: Example): Example[] {
  const isKnown = examples.some(
    ({ query, product_id }) => query === one.query && product_id === one.product_id,
  )
  if (isKnown) return [...examples]
  const isStrong = ({ before, after }: Example) => before[0] !== after[0]
  const strong = examples.filter(isStrong)
  const weak = examples.filter((example) => !isStrong(example))
  return (isStrong(one) ? [...strong, one, ...weak] : [...examples, one]).slice(0, EXAMPLES_MAX)
}
