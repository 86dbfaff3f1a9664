import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { AUDIT_ACTIONS, type AuditAction, type AuditActor } from '../../../core/audit.ts'
import { named } from '../../../http/openapi/named.ts'
import { Moment, moment, PAGE_END, pageQuery } from '../../../http/paging.ts'
import { oneOf } from '../../../http/schema.ts'

export const AUDIT_PAGE_DEFAULT = 50
const AUDIT_PAGE_MAX = 100

const ACTIONS = Object.keys(AUDIT_ACTIONS) as AuditAction[]
const ACTORS = ['person', 'machine', 'key', 'operator', 'anyone'] as const satisfies AuditActor[]

export const AuditQuery = t.Object({
  ...pageQuery({ default: AUDIT_PAGE_DEFAULT, maximum: AUDIT_PAGE_MAX }),
  action: t.Optional(oneOf(ACTIONS, 'Only events with this action.')),
  format: t.Optional(
    oneOf(
      ['json', 'csv'] as const,
      '`csv` answers all events that fit as one file for spreadsheets, without pages: `limit` and `cursor` do not count.',
    ),
  ),
  since: t.Optional(moment('ISO 8601 with an offset from UTC, or a date; events at that moment or later')),
  until: t.Optional(moment('ISO 8601 with an offset from UTC, or a date; events before that moment')),
})
export type AuditQuery = typeof AuditQuery.static

const TextOrNull = t.Union([t.String(), t.Null()])

export const AuditActorView = named(
  'AuditActor',
  t.Object(
    {
      kind: oneOf(ACTORS),
      id: TextOrNull,
      name: TextOrNull,
    },
    {
      description:
        'Who acted: a person, the store’s machine grant, an API key, the operator, or someone who had not signed in. The operator is whoever used the command line, or a super-admin whom `details.by_user_id` names. For the last two, `id` and `name` are those of the person concerned.',
    },
  ),
)
export type AuditActorView = typeof AuditActorView.static

/** One event; the values of `action` are a public contract that may grow. */
export const AuditEventView = named(
  'AuditEvent',
  t.Object({
    id: t.String(),
    action: t.String(),
    meaning: t.Optional(t.String({ description: 'The action in words.' })),
    created_at: Moment,
    actor: AuditActorView,
    ip_address: t.Union([t.String(), t.Null()], { description: 'null at the command line.' }),
    request_id: TextOrNull,
    details: t.Record(t.String(), t.Unknown()),
  }),
)
export type AuditEventView = typeof AuditEventView.static

export const AuditLog = named(
  'AuditLog',
  t.Object({
    events: t.Array(AuditEventView, { description: 'Newest first.' }),
    ...PAGE_END,
    count: Type.Integer({ description: 'Events on this page.' }),
  }),
)
export type AuditLog = typeof AuditLog.static
