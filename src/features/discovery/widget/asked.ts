import type { CommonSearch } from '../search/schema.ts'
import type { Searcher } from '../search/searcher.ts'
import type { Privacy } from './privacy.ts'
import type { WidgetAnswer, WidgetText, WidgetUrl } from './schema.ts'

type Asked = Omit<WidgetText, 'query'> | WidgetUrl

/**
 * Reads the fields that all searches of widgets share. A filter by a private key would reveal its values, product by product, and
 * so would an order or a count.
 */
export function readCommon(body: Asked, privacy: Privacy): CommonSearch {
  const { hides, shows } = privacy
  const {
    limit,
    offset,
    threshold,
    cutoff,
    category,
    price_min,
    price_max,
    color,
    session_id,
    facet_values,
    interpret,
  } = body
  const isPriced = shows('price')
  const facets = body.facets?.filter(shows)
  return {
    ...(limit !== undefined && { limit }),
    ...(offset !== undefined && { offset }),
    ...(threshold !== undefined && { threshold }),
    ...(cutoff !== undefined && { cutoff }),
    ...(session_id !== undefined && { session_id }),
    ...(interpret !== undefined && { interpret }),
    ...(category !== undefined && shows('category') && { category }),
    ...(color !== undefined && shows('color_name') && { color }),
    ...(price_min !== undefined && isPriced && { price_min }),
    ...(price_max !== undefined && isPriced && { price_max }),
    ...(hides('category') && { category_boost: 0 }),
    ...(facets && facets.length > 0 && { facets }),
    ...(facet_values !== undefined && { filters: toFilters(facet_values, privacy) }),
  }
}

/** The order that is asked for, unless it would tell of private prices. */
export const readSort = ({ sort }: Asked, privacy: Privacy): Searcher['sort'] =>
  sort?.startsWith('price') && !privacy.shows('price') ? undefined : sort

/** The counts of an answer. A private field has no values, like one that no product has. */
export const fillFacets = (
  asked: readonly string[],
  counted: WidgetAnswer['facets'] = {},
): NonNullable<WidgetAnswer['facets']> =>
  Object.fromEntries(
    asked.map((field) => [field, Object.hasOwn(counted, field) ? counted[field] : []]),
  ) as never

/** What filters take for the name of a field. */
const NAME = /^[^\0]{1,200}$/

/** A product needs one of the values of each field. Nothing has a value of a private field, as of one that no product has. */
const toFilters = (chosen: NonNullable<Asked['facet_values']>, { shows }: Privacy) =>
  Object.entries(chosen).map(([field, value]) =>
    shows(field) && NAME.test(field)
      ? { field, operator: 'in', value }
      : { field: 'product_id', operator: 'eq', value: '' },
  )
