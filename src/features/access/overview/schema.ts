import { Type } from '@sinclair/typebox'
import { t } from 'elysia'

const Count = (description: string) => Type.Integer({ minimum: 0, description })

export const Recommendation = t.Object({
  code: t.String({
    description:
      'One of `enable_2fa`, `members_without_2fa`, `keys_of_former_members`, `api_keys_expiring`, `api_keys_unused`, `no_ip_whitelist`; more may come.',
  }),
  message: t.String({ description: 'For people; may change.' }),
})
export type Recommendation = typeof Recommendation.static

/** D9: how well a store is locked. */
export const SecurityOverview = t.Object({
  two_factor: t.Object({
    enabled: t.Union([t.Boolean(), t.Null()], { description: 'Your own; null for a machine grant.' }),
    members_total: Count('Members of the store.'),
    members_enabled: Count('Those of them who have it enabled.'),
  }),
  api_keys: t.Object({
    active: Count('Keys that have not expired.'),
    expiring_30d: Count('Those of them that expire within 30 days.'),
    unused_90d: Count('Those of them that nobody used for 90 days.'),
  }),
  public_keys: Count('Widget keys.'),
  ip_whitelist: t.Object({ enabled: t.Boolean(), entries: Count('Entries of the list.') }),
  webhooks: t.Object({
    active: Count('Webhooks; this version has none.'),
    failing: Count('Those of them that do not answer.'),
  }),
  sessions: Count('Live logins of the members.'),
  last_login_at: t.Union([t.String({ format: 'date-time' }), t.Null()], {
    description: 'When a member last signed in.',
  }),
  recommendations: t.Array(Recommendation, { description: 'What to do next, the most important first.' }),
})
export type SecurityOverview = typeof SecurityOverview.static
