import { t } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { email, linkToken } from '../../../http/account-schema.ts'
import { named } from '../../../http/openapi/named.ts'
import { text } from '../../../http/text-schema.ts'

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
