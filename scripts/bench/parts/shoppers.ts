import { DAY_MS } from '../../../src/core/clock.ts'
import type { AnsweredSearch } from '../../../src/features/discovery/search/history.ts'
import { seededRandom } from '../../../test/robustness/random.ts'

/** What shoppers do in a shop of a bench. */
export interface ShopOptions {
  storeId: string
  products: number
  /** Results of a search. */
  results: number
  /** Dimension of the vectors of pictures. */
  dimension: number
}

/** A search with the feedback on it, in its order. */
export interface Visit {
  search: AnsweredSearch
  events: Record<string, unknown>[]
}

const QUERIES = 50_000
/** Half of the searches come from it, and all feedback. */
export const PAGE = { keyId: '01900000-0000-7000-8000-000000000002', origin: 'https://www.shop.example' }
/** Pictures of things that the shop does not have: some kinds of them, each with its own vector. */
const UNMET_KINDS = 400
const CURRENCIES = ['EUR', 'EUR', 'EUR', 'EUR', 'USD'] as const
const SEARCHES_OF_SESSION = 2.5

/** What the analytics must answer in the end, counted one by one. */
export interface Naive {
  rows: number
  searches: number
  zero: number
  clicked: number
  carted: number
  purchased: number
  orders: Record<string, number>
  cents: Record<string, number>
  unattributedCents: Record<string, number>
}

/**
 * Makes up the shoppers of a shop. A third searches by picture, the rest by words; words, products and positions follow Zipf's
 * law. A tenth of the searches by words is a keystroke of the next one, 3 % find nothing. A quarter gets a click, a fifth of
 * these a product in a cart, three of ten of these a purchase; one purchase in ten names no search.
 */
export function createShoppers({ storeId, products, results, dimension }: ShopOptions) {
  const random = seededRandom(1)
  const chance = (share: number) => random.below(2 ** 20) < share * 2 ** 20
  /** A number below, small ones more often: about 1 / n. */
  const zipf = (below: number): number => Math.floor(below ** (random.below(2 ** 30) / 2 ** 30)) - 1
  const kinds = Array.from({ length: UNMET_KINDS }, () =>
    Float32Array.from({ length: dimension }, () => random.below(2_001) / 1_000 - 1),
  )
  const add = (sums: Record<string, number>, currency: string, amount: number) => {
    sums[currency] = (sums[currency] ?? 0) + amount
  }
  const naive: Naive = {
    ...{ rows: 0, searches: 0, zero: 0, clicked: 0, carted: 0, purchased: 0 },
    ...{ orders: {}, cents: {}, unattributedCents: {} },
  }

  function search(now: number, sessionId: string, query: number | null): AnsweredSearch {
    const first = zipf(products)
    const isZero = query !== null && query % 33 === 7
    const isUnmet = query === null && chance(0.1)
    const step = 1 + ((query ?? first) % 90)
    return {
      id: Bun.randomUUIDv7(),
      storeId,
      type: query === null ? 'upload' : 'text',
      query: query === null ? null : `words of query ${query}`,
      parameters: { limit: results },
      results: isZero
        ? []
        : Array.from({ length: results }, (_, n) => `product-${(first * 7 + n * step) % products}`),
      topScore: isZero ? null : isUnmet ? 0.3 : 0.5 + random.below(100) / 250,
      durationMs: 5 + zipf(400),
      isTracked: true,
      searchSource: chance(0.5) ? PAGE : null,
      sessionId,
      createdAt: now,
      vector: isUnmet ? kinds[zipf(UNMET_KINDS)] : undefined,
    }
  }

  /** What a shopper does with the results. */
  function act({ id, results: shown, sessionId }: AnsweredSearch): Record<string, unknown>[] {
    if (shown.length === 0 || !chance(0.25)) return []
    const result_product_id = shown[Math.min(zipf(shown.length), shown.length - 1)] ?? shown[0]
    const events: Record<string, unknown>[] = []
    const event = (action: string, more: Record<string, unknown> = { search_id: id }) =>
      events.push({ result_product_id, action, session_id: sessionId, ...more })
    event('click')
    naive.clicked++
    if (!chance(0.2)) return events
    event('add_to_cart')
    naive.carted++
    if (!chance(0.3)) return events
    const currency = CURRENCIES[random.below(CURRENCIES.length)] as string
    const cents = 500 + zipf(20_000)
    const isAttributed = !chance(0.1)
    const order = { order_value: cents / 100, currency, order_id: `order-${id}`, quantity: 1 }
    event('purchase', isAttributed ? { search_id: id, ...order } : order)
    if (isAttributed) naive.purchased++
    else add(naive.unattributedCents, currency, cents)
    add(naive.cents, currency, cents)
    add(naive.orders, currency, 1)
    return events
  }

  return {
    naive,
    /**
     * The next searches of a day, with their feedback.
     *
     * @param from of the searches of the day, from 0; @param ofDay all of them.
     */
    visit(begin: number, from: number, count: number, ofDay: number): Visit[] {
      const visits: Visit[] = []
      const sessions = Math.max(1, Math.ceil(ofDay / SEARCHES_OF_SESSION))
      for (let n = from; n < from + count; n++) {
        const now = begin + Math.floor((n * DAY_MS) / ofDay)
        const sessionId = `session-${Math.floor(begin / DAY_MS)}-${n % sessions}`
        const query = chance(1 / 3) ? null : zipf(QUERIES)
        // A keystroke takes the place of a search, and the next one stands for both.
        if (query !== null && n + 1 < from + count && chance(0.1)) {
          visits.push({ search: search(now, sessionId, query), events: [] })
          naive.rows++
          n++
        }
        const found = search(now, sessionId, query)
        naive.rows++
        naive.searches++
        if (found.results.length === 0) naive.zero++
        visits.push({ search: found, events: act(found) })
      }
      return visits
    },
  }
}
