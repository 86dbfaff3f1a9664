import { t } from 'elysia'
import { text } from '../../../http/text-schema.ts'
import { CREDENTIAL_CHARS_MAX } from '../sign-in/schema.ts'

export const ClientSecretRotation = t.Object({
  client_secret: t.Optional(
    text({
      maxLength: CREDENTIAL_CHARS_MAX,
      description: 'The present client secret. A machine grant must show it, a person need not.',
    }),
  ),
})
export type ClientSecretRotation = typeof ClientSecretRotation.static

export const NewClientSecret = t.Object({
  client_id: t.String(),
  client_secret: t.String({ description: 'The secret itself. It is shown this once and not kept.' }),
  rotated_at: t.String({ format: 'date-time' }),
})
export type NewClientSecret = typeof NewClientSecret.static
