import { DAY_MS } from '../../../core/clock.ts'
import { turn } from '../../../core/turns.ts'
import { BUCKETS, bucketOf, fitRates, toPrior, weighAge } from './priors.ts'
import { type LearningQueries, LOG_PARTS, type ShownSearch } from './queries.ts'

export interface TrainerDeps {
  queries: Pick<LearningQueries, 'listShown' | 'findClicked'>
  /** Days of the log that are read. */
  days: number
}

/** Searches that one step reads, which takes a few milliseconds. */
const STEP = 200
/** The newest searches of each kind, of widgets and of backends, that are read. */
const SEARCHES_MAX = 20_000
/** Products of a store that may gain, those with most clicks first. */
const PRODUCTS_MAX = 5_000
/** Clicked products that are counted on the way there. */
const COUNTED_MAX = 20_000
/** Searches of one session and day that count: no person makes more. */
const SESSION_SEARCHES_MAX = 50
/** Sessions and days that are told apart; what comes beyond them does not count. */
const SESSIONS_MAX = 200_000

/** A product as it is counted; each number is weighed by its age. */
interface Counted {
  clicks: number
  shown: Float32Array
}

export type Trainer = ReturnType<typeof createTrainer>

/**
 * Learns from the log of a store, in small steps: its cost follows the searches of the last months, at most a bounded number of them,
 * and never the size of the store. It writes nothing.
 *
 * A page can tell anything, so of its tales little counts: a click on something that the search has shown, each product once a
 * session and day, and few searches of a session. Clicks of pages without a session count as those of one.
 */
export function createTrainer({ queries, days }: TrainerDeps) {
  /** Walks along the log of a store twice: for its clicks, and for what it has shown. */
  async function* walk(storeId: string, before: number): AsyncGenerator<readonly ShownSearch[]> {
    const isWithin = createSessionBudget()
    const since = before - days * DAY_MS
    for (const part of LOG_PARTS) {
      let place = { at: before, id: '' }
      for (let read = 0; read < SEARCHES_MAX; read += STEP) {
        const searches = queries.listShown(part, { storeId, before: place, since, limit: STEP })
        yield searches.filter((search) => search.isCounted && isWithin(search))
        const last = searches.at(-1)
        if (!last || searches.length < STEP) break
        place = { at: last.at, id: last.id }
        await turn()
      }
    }
  }

  /** Counts the clicks by product, and by bucket. */
  async function countClicks(storeId: string, before: number) {
    const products = new Map<string, Counted>()
    const byBucket = new Float64Array(BUCKETS)
    const seen = new Set<string>()
    for await (const searches of walk(storeId, before)) {
      const ids = searches.map(({ id }) => id)
      const clicked = ids.length > 0 ? queries.findClicked(storeId, ids) : new Map<string, string[]>()
      for (const search of searches) {
        for (const product of clicked.get(search.id) ?? []) {
          const bucket = findBucket(search, product)
          const name = `${nameSession(search)} ${product}`
          if (bucket === -1 || seen.has(name) || seen.size >= SESSIONS_MAX) continue
          seen.add(name)
          const known = products.get(product) ?? { clicks: 0, shown: new Float32Array(BUCKETS) }
          if (!products.has(product) && products.size >= COUNTED_MAX) continue
          products.set(product, known)
          const weight = weighAge((before - search.at) / DAY_MS)
          known.clicks += weight
          byBucket[bucket] = (byBucket[bucket] as number) + weight
        }
      }
    }
    return { products, byBucket }
  }

  return {
    /**
     * What products gain by the clicks on searches before a moment, by product id.
     *
     * @param before Unix ms; the searches at this moment are not read.
     */
    async train(storeId: string, before: number): Promise<Map<string, number>> {
      const { products, byBucket } = await countClicks(storeId, before)
      if (products.size === 0) return new Map()
      const shown = new Float64Array(BUCKETS)
      for await (const searches of walk(storeId, before)) {
        for (const { results, offset, at } of searches) {
          const weight = weighAge((before - at) / DAY_MS)
          for (const [n, product] of results.entries()) {
            const bucket = bucketOf(offset + n + 1)
            if (bucket === -1) break
            shown[bucket] = (shown[bucket] as number) + weight
            const counted = products.get(product)?.shown
            if (counted) counted[bucket] = (counted[bucket] as number) + weight
          }
        }
      }
      const rates = fitRates(shown, byBucket)
      return rank(products, (counted) => toPrior(counted.clicks, expect(counted.shown, rates)))
    },
  }
}

/** The clicks that any product would have had in its places. */
const expect = (shown: Float32Array, rates: Float64Array): number =>
  shown.reduce((sum, times, bucket) => sum + times * (rates[bucket] as number), 0)

function rank(
  products: ReadonlyMap<string, Counted>,
  toGain: (counted: Counted) => number,
): Map<string, number> {
  const gains = Array.from(products, ([product, counted]) => ({ product, counted, gain: toGain(counted) }))
    .filter(({ gain }) => gain > 0)
    .sort((a, b) => b.counted.clicks - a.counted.clicks)
    .slice(0, PRODUCTS_MAX)
  return new Map(gains.map(({ product, gain }) => [product, gain]))
}

/** Where a search has shown a product; -1 for nowhere, or too far down. */
function findBucket({ results, offset }: ShownSearch, product: string): number {
  const place = results.indexOf(product)
  return place === -1 ? -1 : bucketOf(offset + place + 1)
}

/** A session on a day. A backend that names none vouches for each of its searches; pages without one are taken for one visitor. */
function nameSession({ id, at, keyId, sessionId }: ShownSearch): string {
  const day = Math.floor(at / DAY_MS)
  if (sessionId !== null) return `${day} ${keyId ?? ''} of ${sessionId}`
  return keyId === null ? id : `${day} ${keyId}`
}

/** Tells whether a search is one of the first that its session has made on its day. */
function createSessionBudget(): (search: ShownSearch) => boolean {
  const counts = new Map<string, number>()
  return (search) => {
    if (search.sessionId === null && search.keyId === null) return true
    const name = nameSession(search)
    const count = counts.get(name) ?? 0
    if (count >= SESSION_SEARCHES_MAX || (count === 0 && counts.size >= SESSIONS_MAX)) return false
    counts.set(name, count + 1)
    return true
  }
}
