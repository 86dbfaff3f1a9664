import { Kind, Type, TypeRegistry } from '@sinclair/typebox'
import { t } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { named } from '../../../http/openapi/named.ts'

/** Every operator, in the order of the guide. */
export const FILTER_OPERATORS = [
  'eq',
  'ne',
  'neq',
  'gt',
  'gte',
  'lt',
  'lte',
  'between',
  'in',
  'nin',
  'contains',
  'contains_any',
  'contains_all',
  'contains_none',
  'starts_with',
  'exists',
  'not_exists',
  'is_null',
  'is_empty',
  'color_near',
] as const
export type FilterOperator = (typeof FILTER_OPERATORS)[number]

/** TypeBox's kind of {@link Filters}. */
const FILTERS = 'Filters'

// `parseFilters` checks the whole, with an error of its own for each fault.
TypeRegistry.Set(FILTERS, () => true)

/** One condition, for the API's document. */
const FilterCondition = {
  type: 'object',
  required: ['operator'],
  additionalProperties: false,
  properties: {
    field: {
      type: 'string',
      description:
        'A key of the metadata, with or without `metadata.` before it and with dots into objects; or `product_id`, `is_demo`, `created_at`, `indexed_at`, `updated_at` of the product itself. `color_near` needs none.',
    },
    operator: { type: 'string', enum: FILTER_OPERATORS },
    value: {
      description: `A text of at most ${LIMITS.filterTextCharsMax} characters, a number or a boolean; a list for \`in\`, \`nin\`, \`between\` and \`contains_…\`; \`{hex, delta_e}\` for \`color_near\`.`,
    },
  },
} as const

const REF = { $ref: '#/components/schemas/FilterNode' } as const
const LIST = { type: 'array', items: REF } as const

/** A condition or a group, for the API's document: the one schema that contains itself. */
export const FilterNode = {
  description: 'A condition, or a group of conditions and groups.',
  anyOf: [
    FilterCondition,
    {
      type: 'object',
      additionalProperties: false,
      properties: {
        must: { ...LIST, description: 'All of them hold.' },
        should: { ...LIST, description: 'At least `min_should` of them hold.' },
        must_not: { ...LIST, description: 'None of them holds.' },
        min_should: { type: 'integer', minimum: 1, default: 1 },
      },
    },
  ],
} as const

/** Which products: a list of conditions that all hold, or a group. See the contract, 3.10. */
export const Filters = Type.Unsafe<unknown>({
  [Kind]: FILTERS,
  description: `A list of conditions that all hold, or a group of \`must\`, \`should\` and \`must_not\`. At most ${LIMITS.filterConditionsMax} conditions, ${LIMITS.filterDepthMax} levels.`,
  // Elysia would compile an `anyOf`, with the reference in it.
  oneOf: [LIST, REF],
  examples: [[{ field: 'category', operator: 'eq', value: 'Shoes' }]],
})

/** The same, or null for none. */
export const FiltersOrNull = Type.Unsafe<unknown>({
  ...Filters,
  oneOf: [LIST, REF, { type: 'null' }],
})

/** The body of DELETE /v1/products. */
export const ProductDeletion = named(
  'ProductDeletion',
  t.Object(
    {
      filters: Filters,
      dry_run: t.Optional(
        t.Boolean({ default: false, description: 'Delete nothing, and answer what would be deleted.' }),
      ),
    },
    { additionalProperties: true },
  ),
  { filters: [{ field: 'category', operator: 'eq', value: 'mugs' }], dry_run: true },
)
export type ProductDeletion = typeof ProductDeletion.static

export const DeletedProducts = named(
  'DeletedProducts',
  t.Object({
    status: t.Union([t.Literal('deleted'), t.Literal('dry_run')]),
    matched: Type.Integer({ description: 'Products that pass the filters.' }),
    deleted: Type.Integer({ description: '0 in a dry run.' }),
    remaining: Type.Integer({
      description: `Products that pass and are still there: one request deletes at most ${LIMITS.deletedByFilterMax}. Repeat it until this is 0.`,
    }),
    product_ids: t.Array(t.String(), {
      description: `The first ${LIMITS.deletedIdsShown} of the products, oldest first.`,
    }),
    warnings: t.Optional(t.Array(t.String())),
  }),
)
export type DeletedProducts = typeof DeletedProducts.static
