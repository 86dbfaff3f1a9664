import { t } from 'elysia'
import { EMAIL_SHAPE } from '../../../core/email.ts'
import { LIMITS } from '../../../core/limits.ts'
import { NAME, text } from '../../../http/text-schema.ts'

const email = text({
  minLength: 1,
  maxLength: 320,
  pattern: EMAIL_SHAPE,
  description: 'Mail address, like anna@shop.example.',
})

const password = text({
  minLength: LIMITS.passwordCharsMin,
  maxLength: LIMITS.passwordCharsMax,
  description: '10 to 1,024 characters; none of the most used passwords, and not the address or the store.',
})

const token = text({ minLength: 1, maxLength: 200, description: 'Out of the link in the mail.' })

/** Spec §2.12. */
export const Registration = t.Object({
  client_name: text({
    minLength: 1,
    maxLength: 100,
    pattern: NAME,
    description: 'Name of the store: one line, not only spaces, without control characters.',
  }),
  email,
  password,
  invite: t.Optional(
    text({ maxLength: 200, description: 'Needed where the operator lets only invited people register.' }),
  ),
})
export type Registration = typeof Registration.static

export const RegistrationTaken = t.Object({
  status: t.Literal('verification_required'),
  message: t.String(),
  email_sent: t.Boolean({ description: 'Whether the mail server took the mail; otherwise it waits.' }),
})
export type RegistrationTaken = typeof RegistrationTaken.static

export const TokenQuery = t.Object({ token })

/** The same for a path that is a page for browsers, which send the token later. */
export const LinkQuery = t.Object({
  token: t.Optional(t.String({ description: 'Out of the link in the mail. A program must send it.' })),
})

export const Confirmation = t.Object({
  token,
  password: text({
    minLength: 1,
    maxLength: LIMITS.passwordCharsMax,
    description: 'The one that was chosen at registration.',
  }),
})
export type Confirmation = typeof Confirmation.static

export const Cancellation = t.Object({ token })

export const Cancelled = t.Object({ status: t.Literal('cancelled') })
export type Cancelled = typeof Cancelled.static

export const Verified = t.Object({
  status: t.Union([t.Literal('verified'), t.Literal('already_verified')]),
  slug: t.String({ description: 'Of the store.' }),
  redirect: t.String({ description: '`/<slug>/portal`' }),
})
export type Verified = typeof Verified.static

export const PasswordForgotten = t.Object({ email })
export type PasswordForgotten = typeof PasswordForgotten.static

export const ResetRequested = t.Object({
  status: t.Literal('reset_requested'),
  message: t.String(),
  email_sent: t.Boolean({ description: 'Whether this install can send mails.' }),
})
export type ResetRequested = typeof ResetRequested.static

export const ResetLink = t.Object({
  status: t.Literal('valid'),
  email: t.String({ description: 'Whose password the link sets.' }),
})
export type ResetLink = typeof ResetLink.static

export const PasswordReset = t.Object({
  token,
  password: text({ minLength: 1, maxLength: LIMITS.passwordCharsMax }),
})
export type PasswordReset = typeof PasswordReset.static

export const PasswordWasReset = t.Object({ status: t.Literal('password_reset') })
export type PasswordWasReset = typeof PasswordWasReset.static
