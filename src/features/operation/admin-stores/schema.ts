import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { PLAN_NAMES } from '../../../core/plans.ts'
import { named } from '../../../http/openapi/named.ts'
import { Moment, MomentOrNull, PAGE_END, pageQuery } from '../../../http/paging.ts'
import { oneOf } from '../../../http/schema.ts'
import { NAME, text } from '../../../http/text-schema.ts'

export const STORES_PAGE_DEFAULT = 50
const PAGE_MAX = 100

/** How far the operator has gone with a store. */
export const STORE_STATUSES = ['active', 'suspended', 'deletion_planned'] as const

const Status = oneOf(
  STORE_STATUSES,
  '`suspended` answers nothing and loses nothing; `deletion_planned` is suspended, too, and deleted for good at `delete_at`.',
)

/** A store as super-admins see it. */
export const AdminStore = named(
  'AdminStore',
  t.Object({
    id: t.String({ description: 'Also the `client_id` of the machine grant.' }),
    slug: t.String(),
    name: t.String(),
    plan: oneOf(PLAN_NAMES),
    status: Status,
    products: Type.Integer(),
    max_products: t.Union([Type.Integer(), t.Null()], { description: 'Of the plan; null for no limit.' }),
    searches: Type.Integer({ description: 'Counted searches of the last 30 days, today included.' }),
    storage_bytes: Type.Integer({ description: 'Pictures that came as files.' }),
    members: Type.Integer(),
    owners: t.Array(t.String(), {
      description: 'E-mail addresses of at most ten, the oldest members first.',
    }),
    created_at: Moment,
    suspended_at: MomentOrNull,
    suspended_reason: t.Union([t.String(), t.Null()]),
    delete_at: MomentOrNull,
  }),
)
export type AdminStore = typeof AdminStore.static

export const AdminStoreQuery = t.Object({
  ...pageQuery({ default: STORES_PAGE_DEFAULT, maximum: PAGE_MAX }),
  q: t.Optional(
    text({
      minLength: 1,
      maxLength: 200,
      description: 'A part of slug, name or an owner’s e-mail address, or the id.',
    }),
  ),
  status: t.Optional(Status),
})
export type AdminStoreQuery = typeof AdminStoreQuery.static

export const AdminStoreList = named(
  'AdminStoreList',
  t.Object({
    stores: t.Array(AdminStore, { description: 'Newest first.' }),
    count: Type.Integer({ description: 'Stores on this page.' }),
    ...PAGE_END,
  }),
)
export type AdminStoreList = typeof AdminStoreList.static

export const StoreParams = t.Object({ id: t.String() })

const REASON_CHARS_MAX = 500

export const SuspendBody = named(
  'StoreSuspension',
  t.Object({
    reason: text({
      minLength: 1,
      maxLength: REASON_CHARS_MAX,
      pattern: NAME,
      description: 'The store’s owners read it in a mail, and its people and programs in every refusal.',
    }),
  }),
  { reason: 'The invoice of October is open.' },
)
export type SuspendBody = typeof SuspendBody.static

export const StorePatch = named('AdminStorePatch', t.Object({ plan: oneOf(PLAN_NAMES) }), { plan: 'premium' })
export type StorePatch = typeof StorePatch.static

export const DeleteStoreBody = named(
  'StoreDeletion',
  t.Object({
    confirm: text({ minLength: 1, maxLength: 200, description: 'The slug of the store, typed.' }),
  }),
  { confirm: 'my-shop' },
)
export type DeleteStoreBody = typeof DeleteStoreBody.static
