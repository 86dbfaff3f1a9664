import type { TakenBack } from '../analytics/event-counting.ts'
import {
  type Claim,
  type Click,
  type FeedbackQueries,
  type FeedbackRow,
  originOf,
  STANDING,
  type Standing,
} from './queries.ts'

export interface ReporterDeps {
  queries: FeedbackQueries
  /** Takes an event out of the totals, in the same transaction. */
  takeBack(event: TakenBack): void
}

/** Lines of one order that count when pages report them: all of them may be replaced in one step. */
const CLAIMS_PER_ORDER_MAX = 200

/** Clicks on one result of a search within this time count as one. */
const CLICK_MS = 10_000

/** A page's purchase counts up to this value, in any currency, and up to this multiple of the highest price. */
const VALUE_MAX = 1e9
const DEAREST_TIMES_MAX = 1_000

/** Why a page is not believed. */
export interface Disbelief {
  warning: string
  /** Whether the warning reveals something about the store's prices. */
  revealsPrice: boolean
}

export type Reporters = ReturnType<typeof createReporters>

/**
 * A backend and the pages of a shop may report the same event. The backend's report replaces that of a page, whichever comes
 * first, because anybody can read a widget key (contract 3.11).
 */
export function createReporters({ queries, takeBack }: ReporterDeps) {
  /** The time within which a click repeats another. */
  function findClickTime({
    storeId,
    searchId,
    productId,
    action,
    occurredAt,
  }: FeedbackRow): Click | undefined {
    if (action !== 'click' || searchId === null) return undefined
    return { storeId, searchId, productId, from: occurredAt - CLICK_MS, to: occurredAt + CLICK_MS }
  }

  function listClaims(row: FeedbackRow): Claim[] {
    const { storeId, orderId, action } = row
    const click = findClickTime(row)
    const clicks = click ? queries.listClaimsOfClick(click) : []
    if (orderId === null) return clicks
    if (action === 'purchase') return queries.listClaimsOfOrder(storeId, orderId)
    const ofLine = queries.listClaimsOfLine({ ...row, orderId })
    return [...ofLine, ...clicks.filter(({ key }) => ofLine.every((claim) => claim.key !== key))]
  }

  /** For each currency in which the order no longer counts, the line that had counted the order. */
  function findEmptied(storeId: string, orderId: string | null, claims: readonly Claim[]): Set<Claim> {
    const first = new Map<string, Claim>()
    for (const claim of claims)
      if (claim.currency !== null && !first.has(claim.currency)) first.set(claim.currency, claim)
    const emptied = [...first].filter(
      ([currency]) => orderId !== null && !queries.hasOrder(storeId, orderId, currency),
    )
    return new Set(emptied.map(([, claim]) => claim))
  }

  /** Whether the backend has reported the same. */
  function isReported(row: FeedbackRow): boolean {
    const { storeId, orderId, action } = row
    const click = findClickTime(row)
    if (click && queries.findClick(click, 'api')) return true
    if (orderId === null) return false
    if (action === 'purchase') return queries.isReported(storeId, orderId)
    return queries.findOfOrder({ ...row, orderId }, 'api', STANDING.counted) !== undefined
  }

  return {
    /** Finds the click of the same reporter that this event repeats. */
    findClick(row: FeedbackRow) {
      const click = findClickTime(row)
      return click && queries.findClick(click, originOf(row.searchSource))
    },

    /** Checks whether the value that a page reports is plausible. @param findDearest the highest price of the store. */
    findDisbelief(
      { searchSource, orderValue }: Pick<FeedbackRow, 'searchSource' | 'orderValue'>,
      findDearest: () => number | null,
    ): Disbelief | undefined {
      if (searchSource === null || orderValue === null) return undefined
      const warn = (bound: string) =>
        `order_value is above ${bound}; the event is recorded and counts nowhere`
      if (orderValue > VALUE_MAX) return { warning: warn('1,000,000,000'), revealsPrice: false }
      const dearest = findDearest()
      if (dearest === null || dearest <= 0 || orderValue <= DEAREST_TIMES_MAX * dearest) return undefined
      return { warning: warn('1,000 times the dearest price of the store'), revealsPrice: true }
    },

    /** Decides how an event of a page counts. */
    judge(row: FeedbackRow): { standing: Standing; warning?: string } {
      if (isReported(row)) return { standing: STANDING.replaced }
      const { storeId, orderId, action } = row
      if (orderId === null || action !== 'purchase') return { standing: STANDING.counted }
      const max = CLAIMS_PER_ORDER_MAX
      if (queries.countClaims(storeId, orderId, max) < max) return { standing: STANDING.counted }
      const warning = `of one order ${max} products count that pages tell of; the event is recorded and counts nowhere`
      return { standing: STANDING.unbelieved, warning }
    },

    /** Takes back the reports of pages that an event of the backend replaces. @returns whether there were any. */
    replace(row: FeedbackRow): boolean {
      const { storeId, orderId } = row
      const claims = listClaims(row)
      for (const { key } of claims) queries.setReplaced(key)
      const emptied = findEmptied(storeId, orderId, claims)
      for (const claim of claims) {
        const { action, productId, isProductCounted, orderValue, currency, isAttributed } = claim
        takeBack({
          storeId,
          action,
          productId,
          isProductCounted,
          ...(orderValue !== null &&
            currency !== null && {
              sale: { value: orderValue, currency, isAttributed, isOrder: emptied.has(claim) },
            }),
          occurredAt: Math.min(claim.occurredAt, claim.createdAt),
        })
      }
      return claims.length > 0
    },
  }
}
