import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { AUDIT_ACTIONS, type AuditAction } from '../../../core/audit.ts'
import { PLAN_NAMES } from '../../../core/plans.ts'
import { named } from '../../../http/openapi/named.ts'
import { Moment, PAGE_END, pageQuery } from '../../../http/paging.ts'
import { oneOf } from '../../../http/schema.ts'
import { text } from '../../../http/text-schema.ts'
import { AuditEventView } from '../../access/audit/schema.ts'

export const NODE_PAGE_DEFAULT = 50
const PAGE_MAX = 100
const paged = pageQuery({ default: NODE_PAGE_DEFAULT, maximum: PAGE_MAX })

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

export const OutboxList = named(
  'WaitingMailList',
  t.Object({
    mails: t.Array(
      t.Object({
        id: t.String(),
        recipient: t.String(),
        subject: t.String(),
        created_at: Moment,
        attempts: Type.Integer(),
        next_attempt_at: Moment,
        last_error: t.Union([t.String(), t.Null()], { description: 'The last answer of the mail server.' }),
      }),
      { description: 'Newest first, without their texts, whose links open accounts.' },
    ),
    count: Type.Integer({ description: 'Mails on this page.' }),
    waiting: Type.Integer({ description: 'All waiting mails.' }),
    is_configured: t.Boolean({ description: 'Whether the service has a mail server.' }),
    ...PAGE_END,
  }),
)
export type OutboxList = typeof OutboxList.static

export const MailParams = t.Object({ id: t.String() })

export const MailResent = named(
  'MailResent',
  t.Object({
    status: oneOf(['delivered', 'waiting']),
    last_error: t.Union([t.String(), t.Null()]),
  }),
)
export type MailResent = typeof MailResent.static

const Check = t.Object({ ok: t.Boolean(), reason: t.Optional(t.String()) })

export const AdminHealth = named(
  'AdminHealth',
  t.Object({
    status: oneOf(['ready', 'not_ready']),
    checks: t.Object({ database: Check, vectors: Check, model: Check, disk: Check }),
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
    events: t.Array(AuditEventView, { description: 'Newest first.' }),
    count: Type.Integer({ description: 'Events on this page.' }),
    ...PAGE_END,
  }),
)
