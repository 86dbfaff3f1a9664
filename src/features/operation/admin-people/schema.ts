import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { ROLES } from '../../../core/actor.ts'
import { named } from '../../../http/openapi/named.ts'
import { Moment, MomentOrNull, PAGE_END, pageQuery } from '../../../http/paging.ts'
import { oneOf } from '../../../http/schema.ts'
import { text } from '../../../http/text-schema.ts'

export const PEOPLE_PAGE_DEFAULT = 50
const PAGE_MAX = 100

/** A person as super-admins see them. */
export const AdminUser = named(
  'AdminUser',
  t.Object({
    id: t.String(),
    email: t.String(),
    full_name: t.String(),
    is_super_admin: t.Boolean(),
    is_proven: t.Boolean({ description: 'Whether mailbox and password are known to belong to one person.' }),
    is_locked: t.Boolean({ description: 'Whether failed sign-ins lock the address at the moment.' }),
    two_factor_enabled: t.Boolean(),
    sign_ins: Type.Integer({ description: 'Sign-ins that have not ended.' }),
    last_login_at: MomentOrNull,
    created_at: Moment,
    stores: t.Array(
      named('AdminUserStore', t.Object({ id: t.String(), slug: t.String(), role: oneOf(ROLES) })),
    ),
  }),
)
export type AdminUser = typeof AdminUser.static

export const AdminUserQuery = t.Object({
  ...pageQuery({ default: PEOPLE_PAGE_DEFAULT, maximum: PAGE_MAX }),
  q: t.Optional(
    text({ minLength: 1, maxLength: 200, description: 'A part of e-mail address or name, or the id.' }),
  ),
})
export type AdminUserQuery = typeof AdminUserQuery.static

export const AdminUserList = named(
  'AdminUserList',
  t.Object({
    users: t.Array(AdminUser, { description: 'Newest first.' }),
    count: Type.Integer({ description: 'People on this page.' }),
    ...PAGE_END,
  }),
)
export type AdminUserList = typeof AdminUserList.static

/** A registration whose link nobody has opened yet: there is no account. */
const Registration = named(
  'OpenRegistration',
  t.Object({
    id: t.String(),
    email: t.String(),
    store_name: t.String(),
    created_at: Moment,
    expires_at: Moment,
  }),
)

export const RegistrationQuery = t.Object(pageQuery({ default: PEOPLE_PAGE_DEFAULT, maximum: PAGE_MAX }))
export type RegistrationQuery = typeof RegistrationQuery.static

export const RegistrationList = named(
  'OpenRegistrationList',
  t.Object({
    registrations: t.Array(Registration, { description: 'Newest first.' }),
    count: Type.Integer({ description: 'Registrations on this page.' }),
    ...PAGE_END,
  }),
)
export type RegistrationList = typeof RegistrationList.static

export const UserParams = t.Object({ id: t.String() })

export const UserVerified = named(
  'UserVerified',
  t.Object({
    status: oneOf(['verified', 'already_verified']),
    email: t.String(),
    slug: t.Union([t.String(), t.Null()], {
      description: 'The store that a registration has made; null for an account.',
    }),
  }),
)
export type UserVerified = typeof UserVerified.static

export const UserReset = named(
  'UserReset',
  t.Object({
    status: t.Literal('reset_requested'),
    email_sent: t.Boolean({ description: 'Whether the mail server has taken the mail with the link.' }),
    reset_url: t.Union([t.String(), t.Null()], {
      description:
        'The link for a new password, to hand to the person; null if it was mailed. It works once.',
    }),
    expires_at: Moment,
  }),
)
export type UserReset = typeof UserReset.static

export const UserUnlocked = named('UserUnlocked', t.Object({ status: t.Literal('unlocked') }))

export const SignInsEnded = named(
  'UserSignInsEnded',
  t.Object({
    status: t.Literal('ended'),
    ended: Type.Integer({ description: 'Sign-ins that ended.' }),
  }),
)

export const TwoFactorReset = named(
  'UserTwoFactorReset',
  t.Object({
    status: oneOf(
      ['reset', 'not_enabled'],
      '`reset`: the person signs in with the password alone, and all sign-ins have ended.',
    ),
  }),
)
