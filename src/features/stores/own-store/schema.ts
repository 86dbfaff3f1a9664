import { t } from 'elysia'
import { PLAN_NAMES } from '../../../core/plans.ts'
import { closed } from '../../../http/closed-schema.ts'
import { named } from '../../../http/openapi/named.ts'
import { Moment, MomentOrNull } from '../../../http/paging.ts'
import { oneOf } from '../../../http/schema.ts'
import { text } from '../../../http/text-schema.ts'
import { reauthenticationFields } from '../../access/reauthentication/schema.ts'
import { storeName } from '../opening/schema.ts'

const own = {
  id: t.String({ description: 'Also the `client_id` of the machine grant.' }),
  slug: t.String({ description: 'Stays as it is.' }),
  name: t.String(),
  plan: oneOf(PLAN_NAMES),
}

export const OwnStore = named('OwnStore', t.Object(own))
export type OwnStore = typeof OwnStore.static

export const OwnStorePatch = named(
  'OwnStorePatch',
  closed(t.Object({ name: t.Optional(storeName) }), {
    slug: 'the slug of a store stays, because addresses hold it',
    plan: 'POST /v1/billing/checkout asks for another plan',
  }),
  { name: 'Anna’s new shop' },
)
export type OwnStorePatch = typeof OwnStorePatch.static

export const OwnStoreDeletion = named(
  'OwnStoreDeletion',
  t.Object({
    ...reauthenticationFields,
    confirm: text({ minLength: 1, maxLength: 200, description: 'The slug of the store, typed.' }),
  }),
  { confirm: 'my-shop', password: 'kettle drum violin' },
)
export type OwnStoreDeletion = typeof OwnStoreDeletion.static

export const DeletedStore = named(
  'DeletedStore',
  t.Object({
    ...own,
    status: t.Literal('deletion_planned'),
    suspended_at: MomentOrNull,
    delete_at: Moment,
  }),
)
export type DeletedStore = typeof DeletedStore.static
