import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { named } from '../../../http/openapi/named.ts'
import { Moment } from '../../../http/paging.ts'

const Count = (description: string) => Type.Integer({ minimum: 0, description })

export const Recommendation = named(
  'Recommendation',
  t.Object({
    code: t.String({
      description:
        'One of `enable_2fa`, `members_without_2fa`, `keys_of_former_members`, `api_keys_expiring`, `api_keys_unused`, `no_ip_whitelist`, `webhooks_failing`; later versions may add more.',
    }),
    message: t.String({ description: 'For people; may change.' }),
  }),
)
export type Recommendation = typeof Recommendation.static

/** The state of a store's security (contract 5.8). */
export const SecurityOverview = named(
  'SecurityOverview',
  t.Object({
    two_factor: t.Object({
      enabled: t.Union([t.Boolean(), t.Null()], { description: 'Your own; null for a machine grant.' }),
      members_total: Count('Members of the store.'),
      members_enabled: Count('Members with two-factor authentication.'),
    }),
    api_keys: t.Object({
      active: Count('Keys that have not expired.'),
      expiring_30d: Count('Active keys that expire within 30 days.'),
      unused_90d: Count('Active keys that have not been used for 90 days.'),
    }),
    public_keys: Count('Widget keys.'),
    ip_whitelist: t.Object({ enabled: t.Boolean(), entries: Count('Entries of the list.') }),
    webhooks: t.Object({
      active: Count('Webhooks that are on.'),
      failing: Count('Webhooks whose last delivery failed, or that were disabled for it.'),
    }),
    sessions: Count('Active sessions of the members.'),
    last_login_at: t.Union([Moment, t.Null()], {
      description: 'When a member last signed in.',
    }),
    recommendations: t.Array(Recommendation, { description: 'What to do next, most important first.' }),
  }),
)
export type SecurityOverview = typeof SecurityOverview.static
