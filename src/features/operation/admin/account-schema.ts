import { t } from 'elysia'
import { email } from '../../../http/account-schema.ts'
import { named } from '../../../http/openapi/named.ts'
import { Moment } from '../../../http/paging.ts'
import { text } from '../../../http/text-schema.ts'
import { reauthenticationFields } from '../../access/reauthentication/schema.ts'

export const InviteBody = named('RegistrationInvitation', t.Object({ email }), { email: 'anna@shop.example' })
export type InviteBody = typeof InviteBody.static

export const Invited = named(
  'RegistrationInvited',
  t.Object({
    email: t.String(),
    email_sent: t.Boolean({ description: 'Whether the mail server has taken the mail with the code.' }),
    invite: t.Union([t.String(), t.Null()], {
      description:
        'The code (`invite` of `POST /register`), to hand to the person; null if it was mailed. It works once.',
    }),
    expires_at: Moment,
  }),
)
export type Invited = typeof Invited.static

export const UserPatch = named(
  'AdminUserPatch',
  t.Object({
    is_super_admin: t.Boolean(),
    ...reauthenticationFields,
  }),
  { is_super_admin: true, password: 'kettle drum violin' },
)
export type UserPatch = typeof UserPatch.static

export const DeleteUserBody = named(
  'AdminUserDeletion',
  t.Object({
    confirm: text({ minLength: 1, maxLength: 320, description: 'The e-mail address of the account, typed.' }),
  }),
  { confirm: 'anna@shop.example' },
)
export type DeleteUserBody = typeof DeleteUserBody.static
