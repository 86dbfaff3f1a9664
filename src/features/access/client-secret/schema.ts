import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { named } from '../../../http/openapi/named.ts'
import { Moment, MomentOrNull } from '../../../http/paging.ts'
import { text } from '../../../http/text-schema.ts'
import { CREDENTIAL_CHARS_MAX } from '../sign-in/schema.ts'

export const ClientSecretRotation = named(
  'ClientSecretRotation',
  t.Object({
    client_secret: t.Optional(
      t.Nullable(
        text({
          maxLength: CREDENTIAL_CHARS_MAX,
          description: 'The current client secret. Required for a machine grant, not for a person.',
        }),
      ),
    ),
  }),
  { client_secret: 'the present client_secret' },
)
export type ClientSecretRotation = typeof ClientSecretRotation.static

export const NewClientSecret = named(
  'NewClientSecret',
  t.Object({
    client_id: t.String(),
    client_secret: t.String({ description: 'The secret itself. It is shown only once and is not stored.' }),
    rotated_at: Moment,
  }),
)
export type NewClientSecret = typeof NewClientSecret.static

export const ClientSecret = named(
  'ClientSecret',
  t.Object({
    client_id: t.String(),
    rotated_at: t.Union([...MomentOrNull.anyOf], {
      description: 'When the present secret was made; null if an earlier version of the service made it.',
    }),
    last_used_at: t.Union([...MomentOrNull.anyOf], {
      description:
        'When it was last exchanged for a token, within a minute; null for never, or not since the upgrade.',
    }),
    addresses_last_hour: Type.Integer({
      description:
        'Network addresses that exchanged it for a token within the last hour, at most 100. A start of the service begins to count anew.',
    }),
  }),
)
export type ClientSecret = typeof ClientSecret.static
