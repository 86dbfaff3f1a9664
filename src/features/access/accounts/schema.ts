import { t } from 'elysia'
import { EMAIL_SHAPE } from '../../../core/email.ts'
import { LIMITS } from '../../../core/limits.ts'
import { named } from '../../../http/openapi/named.ts'
import { NAME, text } from '../../../http/text-schema.ts'

/** An e-mail address of an account that is made or invited. */
export const email = text({
  minLength: 1,
  maxLength: 320,
  pattern: EMAIL_SHAPE,
  description: 'E-mail address, like anna@shop.example.',
})

/** A password that somebody chooses. */
export const newPassword = text({
  minLength: LIMITS.passwordCharsMin,
  maxLength: LIMITS.passwordCharsMax,
  description:
    '10 to 1,024 characters; not a common password, and not the e-mail address or the name of the store.',
})

/** The token of a mailed link. */
export const linkToken = text({ minLength: 1, maxLength: 200, description: 'From the link in the mail.' })

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

export const TokenQuery = t.Object({ token: linkToken })

/** The query of a path that is also a page for browsers. Their page sends the token later. */
export const LinkQuery = t.Object({
  token: t.Optional(t.String({ description: 'From the link in the mail. A program must send it.' })),
})

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

export const PasswordForgotten = named('PasswordForgotten', t.Object({ email }), {
  email: 'anna@shop.example',
})
export type PasswordForgotten = typeof PasswordForgotten.static

export const ResetRequested = t.Object({
  status: t.Literal('reset_requested'),
  message: t.String(),
  email_sent: t.Boolean({ description: 'Whether this install can send mail.' }),
})
export type ResetRequested = typeof ResetRequested.static

export const ResetLink = t.Object({
  status: t.Literal('valid'),
  email: t.String({ description: 'The account whose password the link resets.' }),
})
export type ResetLink = typeof ResetLink.static

export const PasswordReset = named(
  'PasswordReset',
  t.Object({
    token: linkToken,
    password: text({ minLength: 1, maxLength: LIMITS.passwordCharsMax }),
  }),
  { token: 'from the link in the mail', password: 'seven green bottles' },
)
export type PasswordReset = typeof PasswordReset.static

export const PasswordWasReset = t.Object({ status: t.Literal('password_reset') })
export type PasswordWasReset = typeof PasswordWasReset.static
