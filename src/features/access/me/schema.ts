import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { PERMISSIONS, ROLES, type Role, STORE_POWERS } from '../../../core/actor.ts'
import { LIMITS } from '../../../core/limits.ts'
import { PLAN_NAMES } from '../../../core/plans.ts'
import { closed } from '../../../http/closed-schema.ts'
import { named } from '../../../http/openapi/named.ts'
import { Moment } from '../../../http/paging.ts'
import { oneOf } from '../../../http/schema.ts'
import { NAME, text } from '../../../http/text-schema.ts'
import { MembershipView, MovedStoreView } from '../sign-in/schema.ts'

/** The caller and its rights. */
export const Me = named(
  'Me',
  t.Object({
    user_type: oneOf(['user', 'client', 'api_key']),
    user: t.Nullable(
      t.Object({
        id: t.String(),
        email: t.String(),
        name: t.String(),
        is_super_admin: t.Boolean(),
        two_factor_enabled: t.Boolean(),
      }),
    ),
    memberships: t.Array(MembershipView),
    moved_stores: t.Optional(
      t.Array(MovedStoreView, { description: 'Only where a store of the person has moved to another node.' }),
    ),
    active_store: t.Nullable(
      t.Object({
        client_id: t.String(),
        slug: t.String(),
        name: t.String(),
        plan: oneOf(PLAN_NAMES),
        suspended_at: t.Union([Moment, t.Null()], {
          description: 'Since when the operator has suspended the store.',
        }),
        role: Type.Unsafe<Role | null>(
          Type.Union([...ROLES.map((role) => Type.Literal(role)), Type.Null()], {
            description: 'null unless the caller is a member.',
          }),
        ),
      }),
    ),
    permissions: t.Array(oneOf(PERMISSIONS), { description: 'What the caller may do in the active store.' }),
    powers: t.Array(oneOf(STORE_POWERS), {
      description: 'What the caller may do to the active store itself.',
    }),
    expires_at: t.Nullable(t.String({ description: 'When the access token expires; null for an API key.' })),
  }),
)
export type Me = typeof Me.static

export const MePatch = named(
  'MePatch',
  closed(
    t.Object({
      full_name: t.Optional(
        text({
          minLength: 1,
          maxLength: 100,
          pattern: NAME,
          description: 'Your name: one line without control characters, not only spaces.',
        }),
      ),
    }),
    {
      name: "did you mean 'full_name'?",
      email: 'POST /v1/me/email asks for another address',
      password: 'POST /v1/me/password changes the password',
    },
  ),
  { full_name: 'Anna Miller' },
)
export type MePatch = typeof MePatch.static

export const SessionView = named(
  'Session',
  t.Object({
    id: t.String(),
    kind: oneOf(
      ['token', 'portal'],
      '`token`: from `POST /oauth/login`, with one valid token. `portal`: in a browser, with a cookie.',
    ),
    created_at: Moment,
    last_used_at: Moment,
    expires_at: t.String({ description: 'Until when the sign-in can be refreshed.' }),
    ip_address: t.String(),
    user_agent: t.Nullable(t.String()),
    two_factor: t.Boolean({ description: 'Whether the sign-in used a second factor.' }),
    is_current: t.Boolean(),
  }),
)
export type SessionView = typeof SessionView.static

export const SessionList = named(
  'SessionList',
  t.Object({ sessions: t.Array(SessionView), count: Type.Integer() }),
)
export type SessionList = typeof SessionList.static

export const SessionParams = t.Object({ session_id: t.String() })

export const SessionEnded = t.Object({ status: t.Literal('ended'), id: t.String() })

export const SessionsEnded = t.Object({
  status: t.Literal('ended'),
  ended: Type.Integer({ description: 'Number of sign-ins that ended; the current one continues.' }),
})

export const PasswordChange = named(
  'PasswordChange',
  t.Object({
    current_password: text({ minLength: 1, maxLength: LIMITS.passwordCharsMax }),
    new_password: text({
      minLength: LIMITS.passwordCharsMin,
      maxLength: LIMITS.passwordCharsMax,
      description: 'At least 10 characters, and not a common password.',
    }),
  }),
  { current_password: 'kettle drum violin', new_password: 'seven green bottles' },
)
export type PasswordChange = typeof PasswordChange.static

export const PasswordChanged = t.Object({
  status: t.Literal('password_changed'),
  sessions_ended: Type.Integer({ description: 'Other sign-ins that ended.' }),
})
