import type { Analytics } from '#generated/api.ts'

type Day = Analytics['timeseries'][number]

/** Numbers of seven days. */
export interface Week {
  searches: number
  clicks: number
  orders: number
  /** By currency; a shop may sell in several. */
  revenue: Readonly<Record<string, number>>
}

/** The days of a week. */
export const WEEK = 7

/** Adds up days. */
export function sumUp(days: readonly Day[]): Week {
  const revenue: Record<string, number> = {}
  let searches = 0
  let clicks = 0
  let orders = 0
  for (const day of days) {
    searches += day.searches
    clicks += day.clicks
    orders += day.orders ?? 0
    for (const { currency, amount } of day.revenue) revenue[currency] = (revenue[currency] ?? 0) + amount
  }
  return { searches, clicks, orders, revenue }
}

/** Cuts two weeks of days in the last one and the one before. */
export const cutInWeeks = (days: readonly Day[]): { now: readonly Day[]; before: readonly Day[] } => ({
  now: days.slice(-WEEK),
  before: days.slice(-2 * WEEK, -WEEK),
})
