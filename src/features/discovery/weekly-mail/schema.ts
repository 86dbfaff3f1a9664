import { t } from 'elysia'
import { linkToken } from '../../../http/account-schema.ts'
import { named } from '../../../http/openapi/named.ts'

/** The token may stand in the query, where programs that read mail send it. */
export const UnsubscribeQuery = t.Object({ token: t.Optional(linkToken) })

export const Unsubscription = named(
  'Unsubscription',
  t.Object({
    token: t.Optional(linkToken),
    wants_mail: t.Optional(
      t.Boolean({ default: false, description: '`true` takes it back: the mails come again.' }),
    ),
  }),
  { token: 'from the link in the mail' },
)
export type Unsubscription = typeof Unsubscription.static

export const Unsubscribed = t.Object({
  status: t.Union([t.Literal('unsubscribed'), t.Literal('subscribed')]),
})
export type Unsubscribed = typeof Unsubscribed.static
