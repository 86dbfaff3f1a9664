import { MINUTE_MS } from '../../../core/clock.ts'
import type { VisitEvent } from './counting-queries.ts'

/** A longer rest ends a visit. */
const REST_MS = 30 * MINUTE_MS
/** Products of one visit that count, the first. */
const VISIT_PRODUCTS_MAX = 15
/** Products of one visitor that count, over all visits. */
const VISITOR_PRODUCTS_MAX = 40
const VISITOR_PAIRS_MAX = 300

/** What one order or one visitor says: each product and each pair once. */
export interface Basket {
  products: ReadonlySet<string>
  /** Each in the order of the ids. */
  pairs: readonly (readonly [string, string])[]
}

/** The basket of an order. */
export const basketOf = (products: readonly string[]): Basket => ({
  products: new Set(products),
  pairs: pairUp(products),
})

/**
 * The baskets of a visitor: what was bought without the number of an order, and what was looked at or taken. Products belong
 * together within a visit, and however often somebody comes, a pair counts once: one visitor is one voice.
 */
export function readVisitor(events: readonly VisitEvent[]): { bought: Basket; seen: Basket } {
  const visits = splitVisits(events)
  const isBought = ({ action, isOfOrder }: VisitEvent) => action === 'purchase' && isOfOrder === 0
  const isSeen = ({ action }: VisitEvent) => action !== 'purchase'
  return { bought: collect(visits, isBought), seen: collect(visits, isSeen) }
}

function splitVisits(events: readonly VisitEvent[]): VisitEvent[][] {
  const visits: VisitEvent[][] = []
  let last = -Infinity
  for (const event of events.toSorted((a, b) => a.occurredAt - b.occurredAt)) {
    if (event.occurredAt - last > REST_MS) visits.push([])
    visits.at(-1)?.push(event)
    last = event.occurredAt
  }
  return visits
}

function collect(visits: readonly VisitEvent[][], isWanted: (event: VisitEvent) => boolean): Basket {
  const products = new Set<string>()
  const pairs = new Map<string, readonly [string, string]>()
  for (const visit of visits) {
    const inVisit = new Set<string>()
    for (const { productId } of visit.filter(isWanted)) {
      if (inVisit.size === VISIT_PRODUCTS_MAX) break
      if (products.size === VISITOR_PRODUCTS_MAX && !products.has(productId)) continue
      products.add(productId)
      inVisit.add(productId)
    }
    for (const pair of pairUp([...inVisit]))
      if (pairs.size < VISITOR_PAIRS_MAX) pairs.set(JSON.stringify(pair), pair)
  }
  return { products, pairs: [...pairs.values()] }
}

function pairUp(products: readonly string[]): (readonly [string, string])[] {
  const sorted = products.toSorted()
  return sorted.flatMap((one, n) => sorted.slice(n + 1).map((other) => [one, other] as const))
}
