import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { named } from '../../../http/openapi/named.ts'
import { Moment } from '../../../http/paging.ts'
import { text } from '../../../http/text-schema.ts'

export const RequestsQuery = t.Object({
  key_id: text({
    minLength: 1,
    maxLength: 64,
    description: 'Id of an API key or of a widget key; the `client_id` for the machine grant.',
  }),
})
export type RequestsQuery = typeof RequestsQuery.static

export const RecentRequests = named(
  'RecentRequests',
  t.Object({
    requests: t.Array(
      named(
        'RecentRequest',
        t.Object({
          created_at: Moment,
          method: t.String(),
          path: t.String({ description: 'Without its query; at most 120 characters.' }),
          status: Type.Integer(),
          duration_ms: t.Number(),
          request_id: t.String(),
        }),
      ),
      { description: 'Newest first, at most 200.' },
    ),
    count: Type.Integer(),
  }),
)
export type RecentRequests = typeof RecentRequests.static
