import type { StoreState } from '../../stores/stores/queries.ts'
import type { Analytics, PopularProducts, UnmetDemand } from '../analytics/schema.ts'

/** What the mail says, before it is put into words. */
export interface Week {
  slug: string
  /** The first and the last day, as `2030-01-31`. */
  from: string
  to: string
  searches: Compared
  /** Searches with a click. */
  clicks: Compared
  /** By currency, the greatest first. */
  revenue: readonly { currency: string; amount: number; before: number | null; orders: number }[]
  /** Words for which nothing was found. */
  missed: readonly { words: string; searches: number }[]
  /** What photos without a close match show; null where the model cannot tell. */
  photos: readonly { shows: string | null; searches: number }[]
  soldOut: readonly { name: string; clicks: number }[]
  advice: Advice
}

export interface Compared {
  now: number
  before: number
}

/** What helps the store most, with the page that does it. */
export type Advice = 'track-clicks' | 'restock' | 'name-missed' | 'photos' | 'track-purchases' | 'try'

export interface WeekSources {
  store: Pick<StoreState, 'slug'>
  analytics: Analytics
  popular: PopularProducts['products']
  unmet: UnmetDemand['clusters']
  isSoldOut(metadata: Record<string, unknown>): boolean
}

const MISSED_MAX = 5
const PHOTOS_MAX = 3
const SOLD_OUT_MAX = 5
const NAME_CHARS_MAX = 60

/** Gathers what a week was like. @returns undefined where nobody searched, this week or the week before. */
export function gatherWeek({ store, analytics, popular, unmet, isSoldOut }: WeekSources): Week | undefined {
  const { period, searches, engagement, previous, revenue } = analytics
  const before = previous?.searches.total ?? 0
  if (searches.total === 0 && before === 0) return undefined
  const clicks = engagement.searches_with_click
  const orders = revenue.reduce((sum, one) => sum + one.orders, 0)
  const missed = analytics.zero_result_queries
    .filter(({ query }) => isHarmless(query))
    .slice(0, MISSED_MAX)
    .map(({ query, searches }) => ({ words: query, searches }))
  const photos = unmet
    .filter(({ last_searched_at }) => last_searched_at.slice(0, 10) >= period.from)
    .slice(0, PHOTOS_MAX)
    .map(({ shows, searches }) => ({ shows: shows[0]?.name ?? null, searches }))
  const soldOut = popular
    .filter(({ clicks, metadata }) => clicks > 0 && metadata !== null && isSoldOut(metadata))
    .slice(0, SOLD_OUT_MAX)
    .map(({ product_id, metadata, clicks }) => ({ name: nameOf(metadata, product_id), clicks }))
  return {
    slug: store.slug,
    from: period.from,
    to: period.to,
    searches: { now: searches.total, before },
    clicks: { now: clicks, before: previous?.engagement.searches_with_click ?? 0 },
    revenue: revenue
      .filter(({ total }) => total > 0)
      .map(({ currency, total, orders }) => ({
        ...{ currency, amount: total, orders },
        before: previous?.revenue.find((one) => one.currency === currency)?.total ?? null,
      })),
    missed,
    photos,
    soldOut,
    advice: chooseAdvice({ searches: searches.total, clicks, orders, missed, photos, soldOut }),
  }
}

/** Without clicks no figure means anything, so that comes first; then what costs sales now. */
function chooseAdvice({
  searches,
  clicks,
  orders,
  missed,
  photos,
  soldOut,
}: Pick<Week, 'missed' | 'photos' | 'soldOut'> & Record<'searches' | 'clicks' | 'orders', number>): Advice {
  if (searches >= SEARCHES_MIN && clicks === 0) return 'track-clicks'
  if (soldOut.length > 0) return 'restock'
  if (missed.length > 0) return 'name-missed'
  if (photos.length > 0) return 'photos'
  if (clicks >= SEARCHES_MIN && orders === 0) return 'track-purchases'
  return 'try'
}

/** Fewer searches say nothing about what is missing. */
const SEARCHES_MIN = 20

/**
 * Strangers type what shoppers search for, and programs that show mail turn addresses into links. Whoever could put one here would
 * write to the owners in the name of this service.
 */
const isHarmless = (query: string): boolean =>
  query.length <= NAME_CHARS_MAX && !/[@/\\]|\p{L}\.\p{L}|www|\d{6}/iu.test(query)

function nameOf(metadata: Record<string, unknown> | null, productId: string): string {
  const name = metadata?.['name']
  const text = typeof name === 'string' && name.trim() !== '' ? name : productId
  return text.length <= NAME_CHARS_MAX ? text : `${text.slice(0, NAME_CHARS_MAX - 1)}…`
}
