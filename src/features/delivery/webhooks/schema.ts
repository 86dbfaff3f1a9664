import { type TSchema, Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { named } from '../../../http/openapi/named.ts'
import { Moment, MomentOrNull, moment, PAGE_END, pageQuery } from '../../../http/paging.ts'
import { oneOf } from '../../../http/schema.ts'
import { LINE, text } from '../../../http/text-schema.ts'
import { NamedStore } from '../../stores/stores/schema.ts'

/** Everything that a webhook may ask for (contract 9.2). */
export const WEBHOOK_EVENTS = [
  'product.indexed',
  'product.updated',
  'product.deleted',
  'product.duplicate_detected',
  'job.completed',
  'job.failed',
  'plan.limit_near',
  'backup.failed',
] as const
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

const orNull = <Schema extends TSchema>(schema: Schema, description: string) =>
  t.Union([schema, t.Null()], { description })

const WebhookUrl = text({
  minLength: 1,
  maxLength: LIMITS.fetchUrlCharsMax,
  description: 'An https URL on the standard port of a public server.',
  examples: ['https://shop.example/hooks/lookalike'],
})

const Events = t.Array(oneOf(WEBHOOK_EVENTS), {
  minItems: 1,
  maxItems: WEBHOOK_EVENTS.length,
  description: `The events to send. ${WEBHOOK_EVENTS.map((name) => `\`${name}\``).join(', ')}.`,
  examples: [['product.indexed', 'product.updated', 'product.deleted']],
})

const Description = text({ maxLength: 200, pattern: LINE, description: 'For people: one line of text.' })

const Secret = text({
  minLength: LIMITS.webhookSecretCharsMin,
  maxLength: LIMITS.webhookSecretCharsMax,
  pattern: LINE,
  description:
    'Signs the deliveries. Made here if it is absent. One that begins with `whsec_` goes on in base64 (Standard Webhooks).',
})

/** The body of POST /v1/search/webhooks (contract 9.2). */
export const WebhookBody = named(
  'WebhookInput',
  t.Object({
    url: WebhookUrl,
    events: Events,
    secret: t.Optional(Secret),
    description: t.Optional(Description),
    enabled: t.Optional(t.Boolean({ default: true })),
  }),
  { url: 'https://shop.example/hooks/lookalike', events: ['product.indexed', 'product.deleted'] },
)
export type WebhookBody = typeof WebhookBody.static

/** The body of PATCH: absent fields stay. A new secret comes by rotation alone. */
export const WebhookPatch = named(
  'WebhookPatch',
  t.Object({
    url: t.Optional(WebhookUrl),
    events: t.Optional(Events),
    description: t.Optional(orNull(Description, 'null removes it.')),
    enabled: t.Optional(
      t.Boolean({ description: 'While it is false, deliveries wait and new events are not queued.' }),
    ),
  }),
  { enabled: false },
)
export type WebhookPatch = typeof WebhookPatch.static

export const Webhook = named(
  'Webhook',
  t.Object({
    id: t.String(),
    url: t.String(),
    events: t.Array(oneOf(WEBHOOK_EVENTS)),
    description: t.Union([t.String(), t.Null()]),
    enabled: t.Boolean(),
    created_at: Moment,
    updated_at: Moment,
    secret_hint: t.String({ description: 'The end of the signing secret.', examples: ['…a1b2'] }),
    api_version: t.Literal('v1'),
    consecutive_failures: Type.Integer({ description: 'Failed attempts since the last success.' }),
    last_delivery_at: MomentOrNull,
    last_status: orNull(Type.Integer(), 'The status of the last answer; null if there was none.'),
    // One union: of a choice within a choice the document of the API would lose the null.
    disabled_reason: t.Union(
      [t.Literal('requested'), t.Literal('receiver_gone'), t.Literal('always_failing'), t.Null()],
      {
        description:
          '`requested`, `receiver_gone` (it answered 410) or `always_failing` (for five days); null while enabled.',
      },
    ),
    warnings: t.Optional(
      t.Array(t.String(), {
        description: 'Where a new address was given: that its host was not found. Absent without any.',
      }),
    ),
  }),
)
export type Webhook = typeof Webhook.static

/** Why a webhook is off. */
export type DisabledReason = NonNullable<Webhook['disabled_reason']>

export const WebhookList = named('WebhookList', t.Array(Webhook))

export const NewWebhook = named(
  'NewWebhook',
  t.Object({
    ...Webhook.properties,
    secret: orNull(
      t.String(),
      'The signing secret, shown only once; null if a repeated request finds the webhook deleted.',
    ),
    standard_secret: orNull(
      t.String(),
      'The secret in the form that libraries for Standard Webhooks take. It equals `secret` unless you gave one in another form.',
    ),
  }),
)
export type NewWebhook = typeof NewWebhook.static

export const WebhookParams = t.Object({ id: t.String() })
export const DeletedWebhook = named('Deleted', t.Object({ status: t.Literal('deleted'), id: t.String() }))
export type DeletedWebhook = typeof DeletedWebhook.static

/** The body of a rotation; may be absent. */
export const SecretRotation = named(
  'SecretRotation',
  t.Object({
    grace_seconds: t.Optional(
      Type.Integer({
        minimum: 0,
        maximum: LIMITS.secretGraceSecondsMax,
        default: LIMITS.secretGraceSecondsDefault,
        description:
          'How long the old secret goes on signing `X-Webhook-Signature`, with the new one in `X-Webhook-Signature-Next`.',
      }),
    ),
  }),
  { grace_seconds: 86_400 },
)
export type SecretRotation = typeof SecretRotation.static

export const NewSecret = named(
  'SigningSecret',
  t.Object({
    secret: t.String({ description: 'The new secret, shown only once.' }),
    standard_secret: t.String({
      description: 'The form that libraries for Standard Webhooks take, whoever made the secret.',
    }),
    secret_hint: t.String(),
    previous_valid_until: orNull(
      Moment,
      'Until then the old secret signs `X-Webhook-Signature`; null if there was none.',
    ),
  }),
)
export type NewSecret = typeof NewSecret.static

export const TestBody = named(
  'WebhookTest',
  t.Object({
    event: t.Optional(oneOf(WEBHOOK_EVENTS, 'Default: `product.indexed`.')),
  }),
  { event: 'product.indexed' },
)
export type TestBody = typeof TestBody.static

export const RecoverBody = named(
  'DeliveryRecovery',
  t.Object({
    since: moment('Changes from this moment on'),
    until: t.Optional(moment('Changes before this moment; default: now')),
  }),
  { since: '2026-01-01T00:00:00Z' },
)
export type RecoverBody = typeof RecoverBody.static

export const Recovered = named(
  'RecoveredDeliveries',
  t.Object({
    status: t.Literal('queued'),
    queued: Type.Integer({ description: 'Deliveries that will be sent.' }),
    next_since: orNull(
      Moment,
      'If the call reached its limit, the moment to go on from; what is delivered already is not sent again.',
    ),
  }),
)
export type Recovered = typeof Recovered.static

/** A delivery in a list. */
export const Delivery = named(
  'Delivery',
  t.Object({
    id: t.String({ description: 'The `webhook-id` of every attempt.' }),
    webhook_id: t.String({ description: 'The webhook; for the callback of a job its id.' }),
    event: t.String(),
    change_number: orNull(Type.Integer(), 'The change of the feed that it tells of.'),
    is_test: t.Boolean(),
    state: oneOf(DELIVERY_STATES),
    attempts: Type.Integer(),
    created_at: Moment,
    next_attempt_at: orNull(Moment, 'null unless it is pending.'),
    last_attempt_at: MomentOrNull,
    last_status: orNull(Type.Integer(), 'null if there was no answer.'),
    last_error: orNull(
      t.String(),
      'Why there was no answer: `dns`, `connect`, `tls`, `timeout`, `blocked_address`, `url_not_allowed`, `data_expired`, `secret_unreadable`.',
    ),
    duration_ms: orNull(Type.Integer(), 'How long the last attempt took.'),
  }),
)
export type Delivery = typeof Delivery.static

const Sent = named(
  'DeliveryRequest',
  t.Object(
    {
      url: t.String(),
      headers: t.Record(t.String(), t.String()),
      body: orNull(t.String(), 'null if the change is kept no longer.'),
    },
    {
      description:
        'The request of the last attempt, or of the first one to come; signed with the present secrets.',
    },
  ),
)

/** A delivery with what was sent and what came back. */
export const DeliveryDetail = named(
  'DeliveryDetail',
  t.Object({
    ...Delivery.properties,
    request: Sent,
    answer: orNull(
      t.Object({ status: Type.Integer(), body: t.String({ description: 'The first 2 KiB.' }) }),
      'The answer of the last attempt; null if there was none.',
    ),
  }),
)
export type DeliveryDetail = typeof DeliveryDetail.static

export const DeliveryQuery = t.Object({
  ...pageQuery({ default: LIMITS.deliveriesPageDefault, maximum: LIMITS.deliveriesPageMax }),
  state: t.Optional(oneOf(DELIVERY_STATES)),
})
export type DeliveryQuery = typeof DeliveryQuery.static

export const DeliveryList = named(
  'DeliveryList',
  t.Object({
    deliveries: t.Array(Delivery),
    count: Type.Integer({ description: 'Deliveries on this page.' }),
    ...PAGE_END,
  }),
)
export type DeliveryList = typeof DeliveryList.static

/** Deliveries that arrived have no filter, because no index of all stores holds them. */
export const AdminDeliveryQuery = t.Object({
  ...pageQuery({ default: LIMITS.deliveriesPageDefault, maximum: LIMITS.deliveriesPageMax }),
  state: t.Optional(oneOf(['pending', 'failed'] as const, 'Only those that wait, or that have failed.')),
})
export type AdminDeliveryQuery = typeof AdminDeliveryQuery.static

/** The deliveries of all stores, for super-admins. */
export const AdminDeliveryList = named(
  'AdminDeliveryList',
  t.Object({
    deliveries: t.Array(t.Object({ store: NamedStore, ...Delivery.properties }), {
      description: 'Newest first.',
    }),
    count: Type.Integer({ description: 'Deliveries on this page.' }),
    ...PAGE_END,
  }),
)
export type AdminDeliveryList = typeof AdminDeliveryList.static

export const DeliveryParams = t.Object({ delivery_id: t.String() })

/** One entry of the inbox (contract 9.6). */
export const InboxEntry = named(
  'InboxEntry',
  t.Object({
    delivery_id: orNull(t.String(), 'null if no webhook asks for this event.'),
    webhook_id: orNull(t.String(), 'The webhook, or the job of a callback.'),
    event: t.String(),
    state: oneOf([...DELIVERY_STATES, 'not_sent'] as const),
    timestamp: Moment,
    url: t.Union([t.String(), t.Null()]),
    headers: t.Record(t.String(), t.String()),
    body: orNull(t.String(), 'The exact text; null if the change is kept no longer.'),
  }),
)
export type InboxEntry = typeof InboxEntry.static

export const Inbox = named(
  'Inbox',
  t.Object({
    deliveries: t.Array(InboxEntry, { description: 'Newest first.' }),
    count: Type.Integer(),
  }),
)
export type Inbox = typeof Inbox.static
