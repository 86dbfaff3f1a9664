import { DAY_MS } from './clock.ts'
import { readTime } from './moments.ts'

/** The price of a product, and the sale with its dates. */
export interface Prices {
  /** The regular price; null without one. */
  price: number | null
  /** The price of a sale, if it is below the regular one. */
  sale: number | null
  /** Unix ms; null for a sale that has begun. */
  from: number | null
  /** Unix ms, from which on the sale is over; null for a sale without an end. */
  until: number | null
}

/** Reads the prices of a product's metadata. A sale with a date that nobody can read never holds. */
export function readPrices(metadata: Record<string, unknown>): Prices {
  const { price: given, sale_price: sale, sale_price_from, sale_price_until } = metadata
  const price = typeof given === 'number' ? given : null
  const none = { price, sale: null, from: null, until: null }
  if (price === null || typeof sale !== 'number' || sale >= price) return none
  const from = readDate(sale_price_from)
  const until = readDate(sale_price_until)
  if (from === undefined || until === undefined) return none
  // A day alone is over when the next one begins.
  const end = until !== null && String(sale_price_until).length === DAY_CHARS ? until + DAY_MS : until
  return { price, sale, from, until: end }
}

const DAY_CHARS = '2030-01-01'.length

/** Null for no date, undefined for one that cannot be read. */
function readDate(value: unknown): number | null | undefined {
  if (value === undefined || value === null || value === '') return null
  return typeof value === 'string' ? readTime(value) : undefined
}

/** Whether a sale holds at a moment. */
const isOn = ({ from, until }: Prices, now: number): boolean =>
  (from === null || from <= now) && (until === null || until > now)

/** Computes the price to pay at a moment; null without a price. */
export const paidAt = (prices: Prices, now: number): number | null =>
  prices.sale !== null && isOn(prices, now) ? prices.sale : prices.price

/** When what is paid changes next; null for never. */
export function nextTurn({ sale, from, until }: Prices, now: number): number | null {
  if (sale === null || (until !== null && until <= now)) return null
  return from !== null && from > now && (until === null || from < until) ? from : until
}
