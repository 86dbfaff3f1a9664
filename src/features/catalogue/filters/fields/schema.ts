import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { named } from '../../../../http/openapi/named.ts'
import { Moment } from '../../../../http/paging.ts'
import { oneOf } from '../../../../http/schema.ts'

const numberOrNull = (description: string) => t.Union([t.Number(), t.Null()], { description })

const StoreField = named(
  'StoreField',
  t.Object({
    field: t.String({ description: 'As filters take it; nested ones with dots.' }),
    type: oneOf(
      ['text', 'number', 'boolean', 'list', 'object', 'mixed'],
      'Of all its values; `mixed` where they differ.',
    ),
    products: Type.Integer({ description: 'Products that have it; null is not having it.' }),
    min: numberOrNull('Of its numbers; null without any.'),
    max: numberOrNull('Likewise.'),
    values: t.Array(
      t.Object({
        value: t.Union([t.String(), t.Number(), t.Boolean()]),
        count: Type.Integer({ description: 'Products; of a list each element counts.' }),
      }),
      { description: 'The 20 most frequent, as facets count them.' },
    ),
    has_all_values: t.Boolean({
      description:
        'false where values were left out: long ones, or some of very many. A frequent value may then be missing. Values that hardly repeat, such as names, are not listed at all.',
    }),
  }),
)
export type StoreField = typeof StoreField.static

/** GET /v1/store/fields. */
export const StoreFields = named(
  'StoreFields',
  t.Object({
    fields: t.Array(StoreField, { description: 'Most products first; at most 200.' }),
    has_all_fields: t.Boolean({ description: 'false where the products have more different fields.' }),
    products: Type.Integer({ description: 'Products that were counted.' }),
    counted_at: Moment,
  }),
)
export type StoreFields = typeof StoreFields.static
