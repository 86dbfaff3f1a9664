import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { PLAN_NAMES } from '../../../core/plans.ts'
import { email, newPassword } from '../../../http/account-schema.ts'
import { named } from '../../../http/openapi/named.ts'
import { oneOf } from '../../../http/schema.ts'
import { NAME, text } from '../../../http/text-schema.ts'
import { UserToken } from '../../access/sign-in/schema.ts'
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

export const SetupState = named(
  'SetupState',
  t.Object({
    has_owner: t.Boolean({ description: 'Whether there is a super-admin.' }),
    version: t.String(),
  }),
)
export type SetupState = typeof SetupState.static

export const SetupBody = named(
  'SetupRequest',
  t.Object({
    code: text({
      minLength: 1,
      maxLength: 100,
      description: 'The part of the set-up link behind the #. Spaces, dashes and capitals do not matter.',
    }),
    email,
    password: newPassword,
    full_name: t.Optional(
      text({
        minLength: 1,
        maxLength: 100,
        pattern: NAME,
        description: 'Default: the part of the address before the @.',
      }),
    ),
    store: storeName,
    slug: t.Optional(slug),
  }),
  {
    code: '3f7k-q2mx-9tbw-x4hd',
    email: 'anna@shop.example',
    password: 'kettle drum violin',
    store: 'Anna’s shop',
  },
)
export type SetupBody = typeof SetupBody.static

export const SetupAnswer = named(
  'SetupAnswer',
  t.Object({
    store_id: t.String(),
    slug: t.String(),
    client_id: t.String(),
    client_secret: t.String({ description: 'Shown only this once.' }),
    email: t.String(),
    ...UserToken.properties,
  }),
)
export type SetupAnswer = typeof SetupAnswer.static

export const SlugParams = t.Object({ slug: text({ minLength: 1, maxLength: 200 }) })

export const SlugState = named(
  'SlugState',
  t.Object({
    slug: t.String(),
    is_free: t.Boolean(),
    reason: Type.Unsafe<'format' | 'reserved' | 'taken' | null>(
      Type.Union([...['format', 'reserved', 'taken'].map((word) => Type.Literal(word)), Type.Null()], {
        description:
          'Why it is not free: no slug has this form, the service keeps it for a page, or another store has it.',
      }),
    ),
  }),
)
export type SlugState = typeof SlugState.static
