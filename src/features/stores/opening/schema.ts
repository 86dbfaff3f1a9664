import { t } from 'elysia'
import { PLAN_NAMES } from '../../../core/plans.ts'
import { email } from '../../../http/account-schema.ts'
import { named } from '../../../http/openapi/named.ts'
import { oneOf } from '../../../http/schema.ts'
import { NAME, text } from '../../../http/text-schema.ts'
import { NewInvite } from '../team/schema.ts'

/** The name of a store, as its people read it. */
export const storeName = text({
  minLength: 1,
  maxLength: 100,
  pattern: NAME,
  description: 'One line without control characters, not only spaces.',
})

const slug = text({
  maxLength: 40,
  description:
    '2 to 40 letters a-z, digits and dashes; names the store in addresses and in `X-Service-Active-Tenant`. Default: made of the name.',
})

export const StoreBody = named('StoreRequest', t.Object({ name: storeName, slug: t.Optional(slug) }), {
  name: 'Anna’s second shop',
})
export type StoreBody = typeof StoreBody.static

export const AdminStoreBody = named(
  'AdminStoreRequest',
  t.Object({
    name: storeName,
    slug: t.Optional(slug),
    owner_email: email,
    plan: t.Optional(oneOf(PLAN_NAMES, 'Default: the setting `DEFAULT_PLAN`.')),
  }),
  { name: 'Ben’s shop', owner_email: 'ben@shop.example', plan: 'basic' },
)
export type AdminStoreBody = typeof AdminStoreBody.static

const store = {
  id: t.String({ description: 'Also the `client_id` of the machine grant.' }),
  slug: t.String(),
  name: t.String(),
  plan: oneOf(PLAN_NAMES),
}

export const OpenedStore = named('Store', t.Object(store))
export type OpenedStore = typeof OpenedStore.static

export const StoreWithInvite = named('StoreWithInvitation', t.Object({ ...store, invite: NewInvite }))
export type StoreWithInvite = typeof StoreWithInvite.static
