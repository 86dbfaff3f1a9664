import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { ROLES } from '../../../core/actor.ts'
import { LIMITS } from '../../../core/limits.ts'
import { email, newPassword } from '../../../http/account-schema.ts'
import { named } from '../../../http/openapi/named.ts'
import { Moment, MomentOrNull } from '../../../http/paging.ts'
import { oneOf } from '../../../http/schema.ts'
import { NAME, text } from '../../../http/text-schema.ts'
import { GroupName } from '../groups/schema.ts'

const full_name = text({
  minLength: 1,
  maxLength: 100,
  pattern: NAME,
  description: 'One line without control characters, not only spaces.',
})

const token = text({ minLength: 1, maxLength: 200, description: 'From the link of the invitation.' })

const group_ids = t.Array(text({ minLength: 1, maxLength: 100 }), {
  maxItems: LIMITS.groupsPerStoreMax,
  description: 'Groups of the store.',
})

/** The states of an invitation (contract 5.9). */
export const INVITE_STATES = ['pending', 'accepted', 'cancelled', 'expired'] as const
export type InviteState = (typeof INVITE_STATES)[number]

export const InviteBody = named(
  'InvitationRequest',
  t.Object({
    email,
    role: oneOf(ROLES, 'The role in this store; a person may have another one in each store.'),
  }),
  { email: 'ben@shop.example', role: 'developer' },
)
export type InviteBody = typeof InviteBody.static

const invited_by = t.Nullable(t.String({ description: 'E-mail address; null if the account is gone.' }))

const invite = {
  invite_id: t.String(),
  email: t.String(),
  role: oneOf(ROLES),
  is_existing_user: t.Boolean({ description: 'Whether the e-mail address has an account.' }),
  expires_at: Moment,
  email_sent: t.Boolean({
    description: 'Whether the mail server accepted the mail when the invitation was made.',
  }),
}

export const NewInvite = named(
  'NewInvitation',
  t.Object({
    ...invite,
    accept_url: t.Optional(
      t.String({ description: 'The link, if its mail could not be sent: give it to the invited person.' }),
    ),
  }),
)
export type NewInvite = typeof NewInvite.static

export const InviteView = named(
  'Invitation',
  t.Object({
    ...invite,
    status: oneOf(INVITE_STATES),
    created_at: Moment,
    accepted_at: MomentOrNull,
    invited_by,
  }),
)
export type InviteView = typeof InviteView.static

export const InviteList = named(
  'InvitationList',
  t.Object({ invites: t.Array(InviteView), count: Type.Integer() }),
)
export type InviteList = typeof InviteList.static

export const InviteParams = t.Object({ id: t.String() })

export const InviteCancelled = named(
  'InvitationCancelled',
  t.Object({ status: t.Literal('cancelled'), invite_id: t.String() }),
)
export type InviteCancelled = typeof InviteCancelled.static

export const InviteToken = named('InvitationToken', t.Object({ token }), {
  token: 'the part of the link behind #token=',
})

/** The store and the role that a link offers. */
export const InviteOffer = named(
  'InvitationOffer',
  t.Object({
    status: t.Literal('pending'),
    invite_id: t.String(),
    email: t.String(),
    role: oneOf(ROLES),
    slug: t.String({ description: 'Slug of the store.' }),
    store_name: t.String(),
    invited_by,
    is_existing_user: t.Boolean({ description: 'Whether accepting needs no name and no password.' }),
    expires_at: Moment,
  }),
)
export type InviteOffer = typeof InviteOffer.static

export const Acceptance = named(
  'InvitationAcceptance',
  t.Object({
    token,
    full_name: t.Optional(full_name),
    password: t.Optional(newPassword),
  }),
  {
    token: 'the part of the link behind #token=',
    full_name: 'Ben Miller',
    password: 'seven green bottles',
  },
)
export type Acceptance = typeof Acceptance.static

export const Accepted = named(
  'InvitationAccepted',
  t.Object({
    status: t.Literal('accepted'),
    invite_id: t.String(),
    user_id: t.String(),
    email: t.String(),
    role: oneOf(ROLES),
    slug: t.String({ description: 'Slug of the store.' }),
    store_name: t.String(),
    is_existing_user: t.Boolean({ description: 'Whether the account existed; its password is as before.' }),
    redirect: t.String({ description: '`/<slug>/portal`' }),
  }),
)
export type Accepted = typeof Accepted.static

const NEW_USER_ROLES = ROLES.filter((role) => role !== 'owner')

export const UserBody = named(
  'UserRequest',
  t.Object({
    email,
    password: newPassword,
    full_name,
    group_ids: t.Optional(group_ids),
    role: t.Optional(oneOf(NEW_USER_ROLES, 'Default: `viewer`. Owners are invited.')),
  }),
  {
    email: 'ben@shop.example',
    password: 'seven green bottles',
    full_name: 'Ben Miller',
    role: 'viewer',
  },
)
export type UserBody = typeof UserBody.static

const user = {
  id: t.String(),
  email: t.String(),
  full_name: t.String(),
  role: oneOf(ROLES),
  groups: t.Array(GroupName),
  two_factor_enabled: t.Boolean(),
  last_login_at: MomentOrNull,
  created_at: Moment,
}

export const User = named('User', t.Object(user))
export type User = typeof User.static

export const UserList = t.Array(User)

export const Member = named('Member', t.Object({ ...user, joined_at: Moment }))
export type Member = typeof Member.static

export const MemberList = named('MemberList', t.Object({ members: t.Array(Member), count: Type.Integer() }))
export type MemberList = typeof MemberList.static

export const MemberParams = t.Object({ id: t.String({ description: '`id` of the member.' }) })

export const MemberPatch = named(
  'MemberPatch',
  t.Object({ role: t.Optional(oneOf(ROLES)), group_ids: t.Optional(group_ids) }),
  { role: 'developer' },
)
export type MemberPatch = typeof MemberPatch.static

export const MemberRemoved = named(
  'MemberRemoved',
  t.Object({ status: t.Literal('removed'), id: t.String() }),
)
export type MemberRemoved = typeof MemberRemoved.static
