import { t } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { email, linkToken } from '../../../http/account-schema.ts'
import { named } from '../../../http/openapi/named.ts'
import { Moment } from '../../../http/paging.ts'
import { oneOf } from '../../../http/schema.ts'
import { text } from '../../../http/text-schema.ts'
import { reauthenticationFields } from '../reauthentication/schema.ts'

export const EmailChange = named(
  'EmailChangeRequest',
  t.Object({
    email: { ...email, description: 'The new e-mail address, like anna@shop.example.' },
    ...reauthenticationFields,
  }),
  { email: 'anna@new.example', password: 'kettle drum violin' },
)
export type EmailChange = typeof EmailChange.static

export const EmailChangeTaken = named(
  'EmailChangeTaken',
  t.Object({
    status: t.Literal('confirmation_required'),
    message: t.String(),
    email_sent: t.Boolean({
      description: 'Whether the mail server has accepted both mails; if not, they wait.',
    }),
    expires_at: Moment,
  }),
)
export type EmailChangeTaken = typeof EmailChangeTaken.static

export const EmailState = named(
  'EmailState',
  t.Object({
    email: t.String(),
    pending: t.Nullable(
      t.Object({
        new_email: t.String(),
        approved: t.Boolean({ description: 'By a link to the present address.' }),
        confirmed: t.Boolean({ description: 'By a link to the new address, with the password.' }),
        requested_at: Moment,
        expires_at: Moment,
      }),
    ),
  }),
)
export type EmailState = typeof EmailState.static

export const EmailChangeCancelled = named(
  'EmailChangeCancelled',
  t.Object({
    status: t.Literal('cancelled'),
    cancelled: t.Boolean({ description: 'Whether a change was waiting.' }),
  }),
)
export type EmailChangeCancelled = typeof EmailChangeCancelled.static

export const EmailApproval = named('EmailApproval', t.Object({ token: linkToken }), {
  token: 'the part of the link behind #token=',
})

export const EmailConfirmation = named(
  'EmailConfirmation',
  t.Object({
    token: linkToken,
    password: text({
      minLength: 1,
      maxLength: LIMITS.passwordCharsMax,
      description: 'The password of the account.',
    }),
  }),
  { token: 'the part of the link behind #token=', password: 'kettle drum violin' },
)
export type EmailConfirmation = typeof EmailConfirmation.static

export const EmailStep = named(
  'EmailStep',
  t.Object({
    status: oneOf(
      ['waiting', 'email_changed'] as const,
      '`waiting`: this address agrees, and the other one has not yet. `email_changed`: both do.',
    ),
  }),
)
export type EmailStep = typeof EmailStep.static
