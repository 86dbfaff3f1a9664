import { t } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { oneOf } from '../../../http/schema.ts'
import { text } from '../../../http/text-schema.ts'
import { findProblems, validationError } from '../../../http/validation.ts'
import { type CommonSearch, common } from './schema.ts'

/** GET /v1/products/{product_id}/similar. */
export const SimilarParams = t.Object({
  product_id: text({
    maxLength: LIMITS.productIdCharsMax,
    description: 'The id that you gave the product.',
    examples: ['demo-mug-red'],
  }),
})

const flag = (description: string) => t.Optional(oneOf(['true', 'false'] as const, description))
const list = (description: string) => t.Optional(text({ maxLength: 4_000, description }))

export const SimilarQuery = t.Object(
  {
    limit: t.Optional(
      t.Integer({ minimum: 1, maximum: LIMITS.searchLimitMax, default: LIMITS.searchLimitDefault }),
    ),
    offset: t.Optional(t.Integer({ minimum: 0, maximum: LIMITS.searchDepthMax, default: 0 })),
    threshold: t.Optional(t.Numeric({ minimum: 0, maximum: 1 })),
    category: common.category,
    price_min: t.Optional(t.Numeric()),
    price_max: t.Optional(t.Numeric()),
    color: common.color,
    filters: t.Optional(text({ maxLength: 10_000, description: 'A filter as JSON text.' })),
    facets: list('Fields, separated by commas, or a list as JSON text.'),
    group_by: common.group_by,
    diversity: t.Optional(t.Numeric({ minimum: 0, maximum: 1, default: 0 })),
    cutoff: common.cutoff,
    category_boost: t.Optional(t.Numeric({ minimum: 0, maximum: 0.5 })),
    fields: list('Metadata keys to return, separated by commas.'),
    second_look: flag('Let the first results vote for words.'),
    explain: flag('Explain each score.'),
    exact: flag('Compare with every product.'),
    session_id: common.session_id,
    analytics: flag('Count this search in analytics.'),
    tags: list('Stored with the search, separated by commas.'),
    sold_out: common.sold_out,
    rules: flag('Let the store’s rules pin, hide and move products.'),
  },
  // Unknown fields are reported in `warnings`, not refused.
  { additionalProperties: true },
)
export type SimilarQuery = typeof SimilarQuery.static

/** The parameters of a query string as those of a body. @throws ApiError `validation_error` for an invalid list. */
export function readSimilar(query: SimilarQuery): CommonSearch {
  const { facets, fields, tags, second_look, explain, exact, analytics, rules, ...same } = query
  return {
    ...same,
    ...readLists({ facets, fields, tags }),
    ...read({ second_look, explain, exact, analytics, rules }),
  }
}

const { facets, fields, tags } = common
const Lists = t.Object({ facets, fields, tags })

function readLists(texts: Record<keyof typeof Lists.static, string | undefined>): typeof Lists.static {
  const lists = Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[name, readList(text)]])),
  )
  const problems = findProblems(Lists, lists, 'query')
  if (problems.length > 0) throw validationError(problems)
  return lists
}

/** A list as JSON text, or separated by commas, as in a form. */
function readList(text: string): unknown {
  if (text.trimStart().startsWith('[')) {
    try {
      return JSON.parse(text)
    } catch {
      return text
    }
  }
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

const read = (
  flags: Record<'second_look' | 'explain' | 'exact' | 'analytics' | 'rules', 'true' | 'false' | undefined>,
) =>
  Object.fromEntries(
    Object.entries(flags).flatMap(([name, flag]) => (flag === undefined ? [] : [[name, flag === 'true']])),
  ) as Pick<CommonSearch, 'second_look' | 'explain' | 'exact' | 'analytics' | 'rules'>
