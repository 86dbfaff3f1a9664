import { t } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { email, linkToken, newPassword } from '../../../http/account-schema.ts'
import { named } from '../../../http/openapi/named.ts'
import { NAME, text } from '../../../http/text-schema.ts'

/** Contract 5.3. */
export const Registration = named(
  'Registration',
  t.Object({
    client_name: text({
      minLength: 1,
      maxLength: 100,
      pattern: NAME,
      description: 'Name of the store: one line without control characters, not only spaces.',
    }),
    email,
    password: newPassword,
    invite: t.Optional(
      text({
        maxLength: 200,
        description: 'Required if the operator allows registration by invitation only.',
      }),
    ),
  }),
  { client_name: 'Anna’s shop', email: 'anna@shop.example', password: 'kettle drum violin' },
)
export type Registration = typeof Registration.static

export const RegistrationTaken = t.Object({
  status: t.Literal('verification_required'),
  message: t.String(),
  email_sent: t.Boolean({
    description: 'Whether the mail server has accepted the mail; if not, the mail waits.',
  }),
})
export type RegistrationTaken = typeof RegistrationTaken.static

export const Confirmation = named(
  'AccountConfirmation',
  t.Object({
    token: linkToken,
    password: text({
      minLength: 1,
      maxLength: LIMITS.passwordCharsMax,
      description: 'The password chosen at registration.',
    }),
  }),
  { token: 'from the link in the mail', password: 'kettle drum violin' },
)
export type Confirmation = typeof Confirmation.static

export const Cancellation = named('RegistrationCancellation', t.Object({ token: linkToken }), {
  token: 'from the link in the mail',
})

export const Cancelled = t.Object({ status: t.Literal('cancelled') })
export type Cancelled = typeof Cancelled.static

export const Verified = named(
  'Verified',
  t.Object({
    status: t.Union([t.Literal('verified'), t.Literal('already_verified')]),
    slug: t.String({ description: 'Slug of the store.' }),
    redirect: t.String({ description: '`/<slug>/portal`' }),
  }),
)
export type Verified = typeof Verified.static
