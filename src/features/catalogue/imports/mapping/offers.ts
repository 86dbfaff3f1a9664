import { isNoDate, readDate } from './dates.ts'
import type { Losses } from './losses.ts'
import type { Field, Platform, Role } from './mapping.ts'
import { type Price, readNumber, readPrice } from './values.ts'

/** The price of a product or a variant. */
export interface Offer {
  /** The regular price. */
  price?: number | undefined
  /** The price within the dates; always below `price`. */
  sale?: number | undefined
  from?: string | undefined
  until?: string | undefined
  currency?: string | undefined
}

/** Finds the first value of a field in the cells of a product, trimmed. */
export type FindCell = (name: Field | Role) => string | undefined

/** Reads the price of a product. A sale that is not below the price, or whose dates cannot be read, is left out and counted. */
export function readOffer(find: FindCell, platform: Platform, losses: Losses): Offer {
  const readCell = (name: Field | Role): Price | undefined => {
    const cell = find(name)
    return cell === undefined ? undefined : readPrice(cell)
  }
  const price = readCell('price')
  const compareAt = readCell('compare_at')
  const named = readCell('sale_price')
  const currency = price?.currency ?? named?.currency
  const all = (offer: Offer): Offer => ({ ...offer, ...(currency !== undefined && { currency }) })
  if (price === undefined) return all({ price: named?.amount })
  const regular = compareAt && compareAt.amount > price.amount ? compareAt.amount : price.amount
  const sale = regular > price.amount ? price.amount : (named?.amount ?? readDiscounted(find, price.amount))
  if (sale === undefined) return all({ price: regular })
  if (sale >= regular) {
    losses.saleNotBelow++
    return all({ price: regular })
  }
  const dates = readSaleDates(find, platform)
  if (dates === undefined) {
    losses.saleWithoutDates++
    return all({ price: regular })
  }
  return all({ price: regular, sale, ...dates })
}

function readDiscounted(find: FindCell, price: number): number | undefined {
  const amount = readNumber(find('discount_amount') ?? '') ?? 0
  const percent = readNumber((find('discount_percent') ?? '').replace('%', '')) ?? 0
  if (amount <= 0 && percent <= 0) return undefined
  const sale = amount > 0 ? price - amount : price * (1 - percent / 100)
  return Math.max(0, Math.round(sale * 100) / 100)
}

function readSaleDates(find: FindCell, platform: Platform): Pick<Offer, 'from' | 'until'> | undefined {
  const both = find('sale_dates')?.slice(0, 200).split('/') ?? []
  const cells = [find('sale_price_from') ?? both[0] ?? '', find('sale_price_until') ?? both[1] ?? '']
  const [from, until] = cells.map((cell, n) =>
    isNoDate(cell) ? null : readDate(cell, n === 0 ? 'start' : 'end', platform === 'magento'),
  )
  if (from === undefined || until === undefined) return undefined
  if (from !== null && until !== null && Date.parse(until) < Date.parse(from)) return undefined
  return { ...(from !== null && { from }), ...(until !== null && { until }) }
}

export function paidAt({ price, sale, from, until }: Offer, now: number): number | undefined {
  const holds =
    (from === undefined || Date.parse(from) <= now) && (until === undefined || now <= Date.parse(until))
  return sale !== undefined && holds ? sale : price
}

/** The offers of the variants of one product, added one by one. */
export interface OfferRange {
  best?: Offer
  /** The highest price that is paid. */
  max?: number
}

/** Takes an offer in: the cheapest counts, and of equals the one with a price before the sale. */
export function addOffer(range: OfferRange, offer: Offer, now: number): void {
  const paid = paidAt(offer, now)
  if (paid === undefined) return
  range.max = Math.max(range.max ?? paid, paid)
  const least = range.best === undefined ? Number.POSITIVE_INFINITY : (paidAt(range.best, now) as number)
  const isReduced = (each: Offer | undefined) => each?.sale !== undefined && paidAt(each, now) === each.sale
  if (paid < least || (paid === least && isReduced(offer) && !isReduced(range.best))) range.best = offer
}
