import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { text } from '../../http/text-schema.ts'

/** The form of RFC 6749 §4.4.2; the client's id and secret may come by HTTP Basic instead. */
export const TokenForm = t.Object({
  grant_type: t.Optional(t.String({ description: '`client_credentials`' })),
  client_id: t.Optional(text({ maxLength: 200 })),
  client_secret: t.Optional(text({ maxLength: 200 })),
})
export type TokenForm = typeof TokenForm.static

/** Spec §2.1. */
export const AccessToken = t.Object({
  access_token: t.String({ description: 'Signed JWT.' }),
  token_type: t.Literal('Bearer'),
  expires_in: Type.Integer({ description: 'Seconds.' }),
})
export type AccessToken = typeof AccessToken.static
