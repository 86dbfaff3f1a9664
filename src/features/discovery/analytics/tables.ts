import { toCsv } from '../../../http/csv.ts'
import type { Analytics, PopularProducts, Suggestions } from './schema.ts'

const listAmounts = (revenue: readonly { currency: string; amount: number }[]): string =>
  revenue.map(({ currency, amount }) => `${currency} ${amount}`).join('; ')

/** One day a row. */
export const analyticsTable = ({ timeseries }: Analytics): string =>
  toCsv(
    ['date', 'searches', 'ctr', 'conversion_rate', 'zero_result_rate', 'clicks', 'orders', 'revenue'],
    timeseries.map((day) => [
      ...[day.date, day.searches, day.ctr, day.conversion_rate, day.zero_result_rate, day.clicks, day.orders],
      listAmounts(day.revenue),
    ]),
  )

/** One product a row, with its revenue in all currencies in one cell. */
export const popularTable = ({ products }: PopularProducts): string =>
  toCsv(
    ['product_id', 'score', 'clicks', 'add_to_cart', 'purchases', 'revenue'],
    products.map(({ product_id, score, clicks, add_to_cart, purchases, revenue }) => [
      ...[product_id, score, clicks, add_to_cart, purchases],
      listAmounts(revenue),
    ]),
  )

export const suggestionsTable = ({ suggestions }: Suggestions): string =>
  toCsv(
    ['query', 'count', 'results_count', 'source'],
    suggestions.map(({ query, count, results_count, source }) => [query, count, results_count, source]),
  )
