import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { named } from '../../../http/openapi/named.ts'
import { Moment } from '../../../http/paging.ts'

/** The query of GET /v1/changes (contract 9.1). */
export const ChangesQuery = t.Object({
  after: t.Optional(
    t.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      description: 'The number of the last change that you have; 0 to begin with the first.',
    }),
  ),
  limit: t.Optional(
    t.Integer({ minimum: 1, maximum: LIMITS.changesPageMax, default: LIMITS.changesPageDefault }),
  ),
})
export type ChangesQuery = typeof ChangesQuery.static

const Change = named(
  'Change',
  t.Object({
    number: Type.Integer({ description: 'Its place in the sequence of the store, which has no gaps.' }),
    event: t.String({
      description:
        'One of `product.indexed`, `product.updated`, `product.deleted`, `product.duplicate_detected`; later versions may add more.',
    }),
    origin: t.String({
      description: 'Where it comes from: `client`, or `demo`, `reembedding`, `restore`.',
    }),
    timestamp: Moment,
    data: t.Record(t.String(), t.Unknown(), { description: 'As webhooks get it.' }),
  }),
)
export type Change = typeof Change.static

/** One page of the change log (contract 9.1). */
export const ChangeList = named(
  'ChangeList',
  t.Object({
    changes: t.Array(Change),
    count: Type.Integer({ description: 'Changes on this page.' }),
    oldest_number: Type.Integer({ description: 'The oldest change that is kept.' }),
    last_number: Type.Integer({ description: 'The newest change of the store; 0 before the first.' }),
    has_more: t.Boolean({ description: 'Whether changes follow the last one of this page.' }),
  }),
)
export type ChangeList = typeof ChangeList.static
