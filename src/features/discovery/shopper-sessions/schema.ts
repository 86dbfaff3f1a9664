import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { named } from '../../../http/openapi/named.ts'
import { text } from '../../../http/text-schema.ts'

export const ShopperSessionParams = t.Object({
  session_id: text({
    minLength: 1,
    maxLength: 64,
    description: 'The session of the shopper, as searches and feedback named it.',
  }),
})

export const SessionErased = named(
  'SessionErased',
  t.Object({
    status: t.Literal('erased'),
    searches: Type.Integer({ description: 'Searches that were deleted.' }),
    feedback: Type.Integer({ description: 'Events of feedback that were deleted.' }),
    orders: Type.Integer({
      description:
        'Events with an order number: they stay without session and search, so that no order counts twice.',
    }),
    days: Type.Integer({
      description: 'Days that counted the session. They go on counting one, under a random number.',
    }),
  }),
)
export type SessionErased = typeof SessionErased.static
