import { type Basket, basketOf, readVisitor } from './baskets.ts'
import type { Count } from './counting-queries.ts'
import type { Run, TogetherQueries } from './queries.ts'

/** Lines of an order that count. */
const LINES_MAX = 25
/** A session with more events is that of a robot, and says nothing. */
const ROBOT_EVENTS = 500
/** Products of a store that are counted, the first that are met. */
const PRODUCTS_MAX = 200_000

export interface CounterDeps {
  queries: TogetherQueries
  /** Pairs of a store that a count holds. */
  pairsMax: number
}

/**
 * Counts baskets, one at a time. The rows of a store stay bounded by lossy counting (Manku and Motwani 2002, "Approximate Frequency
 * Counts over Data Streams"): with too many pairs the rarest are dropped, and each pair knows how often that may have met it, so
 * that a frequent one stays however late it comes.
 */
export function createCounter({ queries, pairsMax }: CounterDeps) {
  /** @returns the number of a product; undefined for one that the store does not have, or that has no room. */
  function findNumber(storeId: string, run: Run, productId: string): number | undefined {
    const known = queries.findNumber(storeId, productId)
    if (known !== undefined || run.products >= PRODUCTS_MAX) return known
    return queries.addProduct(storeId, productId, run.products) ? run.products++ : undefined
  }

  /** @returns whether the basket holds any product of the store. */
  function count(storeId: string, run: Run, { products, pairs }: Basket, as: Count): boolean {
    const numbers = new Map<string, number>()
    for (const productId of products) {
      const number = findNumber(storeId, run, productId)
      if (number === undefined) continue
      numbers.set(productId, number)
      queries.countProduct(storeId, number, as)
    }
    for (const [a, b] of pairs) {
      const [first, second] = [numbers.get(a), numbers.get(b)]
      if (first === undefined || second === undefined) continue
      const [one, other] = first < second ? [first, second] : [second, first]
      if (queries.countPair(storeId, one, other, as)) continue
      queries.addPair(storeId, one, other, as, run.sweeps)
      run.pairs++
    }
    if (numbers.size > 0) run[as]++
    return numbers.size > 0
  }

  return {
    /** Counts the next order. @returns false after the last one. */
    countOrder(storeId: string, run: Run): boolean {
      const orderId = queries.findNextOrder(storeId, run.after)
      if (orderId === null) return false
      count(storeId, run, basketOf(queries.listLines(storeId, orderId, LINES_MAX)), 'orders')
      run.after = orderId
      return true
    },

    /** Counts the next visitor. @returns false after the last one. */
    countVisitor(storeId: string, run: Run): boolean {
      const sessionId = queries.findNextSession(storeId, run.after)
      if (sessionId === null) return false
      const events = queries.listEvents(storeId, sessionId, ROBOT_EVENTS + 1)
      if (events.length <= ROBOT_EVENTS) {
        const { bought, seen } = readVisitor(events)
        count(storeId, run, bought, 'orders')
        count(storeId, run, seen, 'visitors')
      }
      run.after = sessionId
      return true
    },

    /** Whether rare pairs must go before more are counted. */
    isFull: ({ pairs }: Run): boolean => pairs > pairsMax,

    /** Drops rare pairs among the next ones. A sweep ends when enough are gone, or begins again and drops more. */
    sweep(storeId: string, run: Run, limit: number): void {
      if (run.sweepOne === null) {
        run.sweeps++
        Object.assign(run, { sweepOne: -1, sweepOther: -1 })
      }
      const swept = queries.sweep(storeId, run.sweepOne ?? -1, run.sweepOther ?? -1, run.sweeps, limit)
      Object.assign(run, { sweepOne: swept?.one ?? null, sweepOther: swept?.other ?? null })
      run.pairs -= swept?.dropped ?? 0
      const isEnough = run.pairs <= SWEPT_SHARE * pairsMax
      if (!swept && !isEnough) {
        run.sweeps++
        Object.assign(run, { sweepOne: -1, sweepOther: -1 })
      }
    },
  }
}

/** The share of all pairs that a sweep leaves at most, so that the next one is far. */
const SWEPT_SHARE = 0.75
