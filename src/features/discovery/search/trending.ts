import { t } from 'elysia'
import { SimilarQuery } from './similar.ts'

/** Days that a trend may span. */
const DAYS = { minimum: 1, maximum: 30, default: 7 }

const { limit, offset, threshold, category, price_min, price_max, color } = SimilarQuery.properties
const { filters, facets, group_by, fields, session_id, analytics, tags, sold_out, rules } =
  SimilarQuery.properties

/** GET /v1/search/trending. */
export const TrendingQuery = t.Object(
  {
    days: t.Optional(
      t.Integer({ ...DAYS, description: 'The days that count. They are held against as many days before.' }),
    ),
    ...{ limit, offset, threshold, category, price_min, price_max, color },
    ...{ filters, facets, group_by, fields, session_id, analytics, tags, sold_out, rules },
  },
  // Unknown fields are reported in `warnings`, not refused.
  { additionalProperties: true },
)
export type TrendingQuery = typeof TrendingQuery.static
