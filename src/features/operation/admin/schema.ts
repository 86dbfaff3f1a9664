import { type TSchema, Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { ROLES } from '../../../core/actor.ts'
import { AUDIT_ACTIONS, type AuditAction } from '../../../core/audit.ts'
import { PLAN_NAMES } from '../../../core/plans.ts'
import { closed } from '../../../http/closed-schema.ts'
import { named } from '../../../http/openapi/named.ts'
import { Moment, MomentOrNull, PAGE_END, pageQuery } from '../../../http/paging.ts'
import { oneOf } from '../../../http/schema.ts'
import { NAME, text } from '../../../http/text-schema.ts'
import { AuditEventView } from '../../access/audit/schema.ts'
import { storeName } from '../../stores/opening/schema.ts'
import { Checks } from '../health/schema.ts'

export const PAGE_DEFAULT = 50
const PAGE_MAX = 100
export const paged = pageQuery({ default: PAGE_DEFAULT, maximum: PAGE_MAX })

export const newestFirst = <Item extends TSchema>(item: Item) =>
  t.Array(item, { description: 'Newest first.' })

/** The end of every list but that of mails. @param what the things listed, as in `Stores`. */
export const pageOf = (what: string) => ({
  count: Type.Integer({ description: `${what} on this page.` }),
  ...PAGE_END,
})

/** A path with the id of a store, of a person or of a mail. */
export const IdParams = t.Object({ id: t.String() })

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
    searches_today: Type.Integer({ description: 'Of the present day in UTC.' }),
    last_feed: t.Union(
      [
        t.Object({
          feed_id: t.String(),
          status: t.String({ description: 'As the runs of a feed say it.', examples: ['completed'] }),
          finished_at: Moment,
        }),
        t.Null(),
      ],
      { description: 'The last run of a feed that is over; null without any.' },
    ),
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
  ...paged,
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
    stores: newestFirst(AdminStore),
    ...pageOf('Stores'),
  }),
)
export type AdminStoreList = typeof AdminStoreList.static

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

const patch = t.Object(
  { plan: t.Optional(oneOf(PLAN_NAMES)), name: t.Optional(storeName) },
  { minProperties: 1 },
)
export const StorePatch = named('AdminStorePatch', closed(patch), { plan: 'premium' })
export type StorePatch = typeof StorePatch.static

export const DeleteStoreBody = named(
  'StoreDeletion',
  t.Object({
    confirm: text({ minLength: 1, maxLength: 200, description: 'The slug of the store, typed.' }),
  }),
  { confirm: 'my-shop' },
)
export type DeleteStoreBody = typeof DeleteStoreBody.static

export const StoreOpened = named(
  'AdminStoreOpened',
  t.Object({
    slug: t.String({ description: 'What `X-Service-Active-Tenant` names from now on.' }),
    until: t.String({
      format: 'date-time',
      description: 'When to stop acting for the store: in 30 minutes.',
    }),
  }),
)
export type StoreOpened = typeof StoreOpened.static

/** A person as super-admins see them. */
export const AdminUser = named(
  'AdminUser',
  t.Object({
    id: t.String(),
    email: t.String(),
    full_name: t.String(),
    is_super_admin: t.Boolean(),
    is_proven: t.Boolean({ description: 'Whether mailbox and password are known to belong to one person.' }),
    is_locked: t.Boolean({ description: 'Whether failed sign-ins lock the address at the moment.' }),
    two_factor_enabled: t.Boolean(),
    sign_ins: Type.Integer({ description: 'Sign-ins that have not ended.' }),
    last_login_at: MomentOrNull,
    created_at: Moment,
    stores: t.Array(
      named('AdminUserStore', t.Object({ id: t.String(), slug: t.String(), role: oneOf(ROLES) })),
    ),
  }),
)
export type AdminUser = typeof AdminUser.static

export const AdminUserQuery = t.Object({
  ...paged,
  q: t.Optional(
    text({ minLength: 1, maxLength: 200, description: 'A part of e-mail address or name, or the id.' }),
  ),
})
export type AdminUserQuery = typeof AdminUserQuery.static

export const AdminUserList = named(
  'AdminUserList',
  t.Object({
    users: newestFirst(AdminUser),
    ...pageOf('People'),
  }),
)
export type AdminUserList = typeof AdminUserList.static

/** A registration whose link nobody has opened yet: there is no account. */
const Registration = named(
  'OpenRegistration',
  t.Object({
    id: t.String(),
    email: t.String(),
    store_name: t.String(),
    created_at: Moment,
    expires_at: Moment,
  }),
)

export const RegistrationQuery = t.Object(paged)
export type RegistrationQuery = typeof RegistrationQuery.static

export const RegistrationList = named(
  'OpenRegistrationList',
  t.Object({
    registrations: newestFirst(Registration),
    ...pageOf('Registrations'),
  }),
)
export type RegistrationList = typeof RegistrationList.static

export const UserVerified = named(
  'UserVerified',
  t.Object({
    status: oneOf(['verified', 'already_verified']),
    email: t.String(),
    slug: t.Union([t.String(), t.Null()], {
      description: 'The store that a registration has made; null for an account.',
    }),
  }),
)
export type UserVerified = typeof UserVerified.static

export const UserReset = named(
  'UserReset',
  t.Object({
    status: t.Literal('reset_requested'),
    email_sent: t.Boolean({ description: 'Whether the mail server has taken the mail with the link.' }),
    reset_url: t.Union([t.String(), t.Null()], {
      description:
        'The link for a new password, to hand to the person; null if it was mailed. It works once.',
    }),
    expires_at: Moment,
  }),
)
export type UserReset = typeof UserReset.static

export const UserUnlocked = named('UserUnlocked', t.Object({ status: t.Literal('unlocked') }))

export const SignInsEnded = named(
  'UserSignInsEnded',
  t.Object({
    status: t.Literal('ended'),
    ended: Type.Integer({ description: 'Sign-ins that ended.' }),
  }),
)

export const TwoFactorReset = named(
  'UserTwoFactorReset',
  t.Object({
    status: oneOf(
      ['reset', 'not_enabled'],
      '`reset`: the person signs in with the password alone, and all sign-ins have ended.',
    ),
  }),
)

const IntegerOrNull = t.Union([Type.Integer(), t.Null()], { description: 'null for no limit.' })

/** The table of plans, and what uses it. */
export const AdminPlans = named(
  'AdminPlans',
  t.Object({
    plans: t.Array(
      t.Object({
        plan_name: oneOf(PLAN_NAMES),
        title: t.String({ description: 'What people read.' }),
        price_per_month: t.Number(),
        currency: t.String({ examples: ['USD'] }),
        max_products: IntegerOrNull,
        rate_per_minute: IntegerOrNull,
        widget_rate_per_minute: IntegerOrNull,
        storage_bytes: IntegerOrNull,
        stores: Type.Integer({ description: 'Stores on this plan.' }),
      }),
    ),
  }),
)
export type AdminPlans = typeof AdminPlans.static

export const OutboxQuery = t.Object(paged)
export type OutboxQuery = typeof OutboxQuery.static

const WaitingMail = t.Object({
  id: t.String(),
  recipient: t.String(),
  subject: t.String(),
  created_at: Moment,
  attempts: Type.Integer(),
  next_attempt_at: Moment,
  last_error: t.Union([t.String(), t.Null()], { description: 'The last answer of the mail server.' }),
})

export const OutboxList = named(
  'WaitingMailList',
  t.Object({
    mails: t.Array(WaitingMail, {
      description: 'Newest first, without their texts, whose links open accounts.',
    }),
    count: Type.Integer({ description: 'Mails on this page.' }),
    waiting: Type.Integer({ description: 'All waiting mails.' }),
    is_configured: t.Boolean({ description: 'Whether the service has a mail server.' }),
    ...PAGE_END,
  }),
)
export type OutboxList = typeof OutboxList.static

export const MailResent = named(
  'MailResent',
  t.Object({
    status: oneOf(['delivered', 'waiting']),
    last_error: t.Union([t.String(), t.Null()]),
  }),
)
export type MailResent = typeof MailResent.static

/** A waiting mail with what it says. */
export const WaitingMailText = named(
  'WaitingMailText',
  t.Object({
    ...WaitingMail.properties,
    text: t.Union([t.String(), t.Null()], {
      description: 'null if it was sealed with a secret that this install no longer has.',
    }),
    link: t.Union([t.String(), t.Null()], { description: 'The first link of the text.' }),
  }),
)
export type WaitingMailText = typeof WaitingMailText.static

export const AdminHealth = named(
  'AdminHealth',
  t.Object({
    status: oneOf(['ready', 'not_ready']),
    checks: Checks,
    version: t.String(),
    schema: Type.Integer(),
    uptime_seconds: Type.Integer(),
    memory_bytes: Type.Integer({ description: 'Of this process, without those that run the model.' }),
    disk: t.Object({
      free_share: t.Union([t.Number(), t.Null()], {
        description: 'Of the data folder’s disk, 0 to 1; null if it cannot be read.',
      }),
      database_bytes: Type.Integer(),
    }),
    stores: t.Object({ active: Type.Integer(), suspended: Type.Integer(), deletion_planned: Type.Integer() }),
    jobs: t.Object({ running: Type.Integer(), items_waiting: Type.Integer() }),
    webhooks: t.Object({ backlog: Type.Integer({ description: 'Deliveries that wait.' }) }),
    mails: t.Object({ waiting: Type.Integer(), is_configured: t.Boolean() }),
  }),
)
export type AdminHealth = typeof AdminHealth.static

export const AdminSettings = named(
  'AdminSettings',
  t.Object({
    settings: t.Array(
      t.Object({
        name: t.String(),
        value: t.Union([t.String(), t.Number(), t.Boolean(), t.Null()], {
          description:
            'null: a secret that is set. A user and password within a URL are replaced by `***`. Empty: not set.',
        }),
        source: oneOf(['default', 'environment', 'file', 'flag']),
      }),
    ),
  }),
)
export type AdminSettings = typeof AdminSettings.static

export const NodeAuditQuery = t.Object({
  ...paged,
  action: t.Optional(oneOf(Object.keys(AUDIT_ACTIONS) as AuditAction[], 'Only events with this action.')),
  user_id: t.Optional(text({ minLength: 1, maxLength: 64, description: 'Only events of this person.' })),
  store_id: t.Optional(
    text({
      minLength: 1,
      maxLength: 64,
      description: 'The log of this store instead, also of a suspended one.',
    }),
  ),
})
export type NodeAuditQuery = typeof NodeAuditQuery.static

export const NodeAuditLog = named(
  'NodeAuditLog',
  t.Object({
    events: newestFirst(AuditEventView),
    ...pageOf('Events'),
  }),
)
