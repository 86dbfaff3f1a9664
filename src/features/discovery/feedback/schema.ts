import { Kind, Type, TypeRegistry } from '@sinclair/typebox'
import { t } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { named } from '../../../http/openapi/named.ts'
import { oneOf } from '../../../http/schema.ts'
import { LINE, text } from '../../../http/text-schema.ts'

export const FEEDBACK_ACTIONS = ['click', 'add_to_cart', 'purchase'] as const
export type FeedbackAction = (typeof FEEDBACK_ACTIONS)[number]

/** An action of a shopper on a product (contract 3.11). Optional fields that are null or empty count as absent. */
export const FeedbackEvent = named(
  'FeedbackEvent',
  t.Object({
    search_id: t.Optional(
      text({
        pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
        description: 'a UUID, the `search_id` of the search that the shopper came from',
        examples: ['01900000-0000-7000-8000-000000000001'],
      }),
    ),
    result_product_id: text({ minLength: 1, maxLength: LIMITS.productIdCharsMax, examples: ['sku-1'] }),
    action: oneOf(FEEDBACK_ACTIONS),
    order_value: t.Optional(
      t.Number({
        minimum: 0,
        maximum: 1e12,
        description: 'Total of the line. Only with `purchase`, where it is required.',
      }),
    ),
    currency: t.Optional(
      text({
        description:
          'ISO 4217, such as `EUR`, in letters of any case. Only with `purchase`, where it is required.',
      }),
    ),
    quantity: t.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 })),
    order_id: t.Optional(
      text({
        minLength: 1,
        maxLength: 128,
        pattern: LINE,
        description:
          'Your number of the order: a product of an order counts once, however often it is sent. What a backend says of an order replaces what pages said of it.',
      }),
    ),
    session_id: t.Optional(
      text({ maxLength: 64, description: 'The session of the shopper, as with searches.' }),
    ),
    occurred_at: t.Optional(
      text({
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?(Z|[+-]\\d\\d:\\d\\d)$',
        description: 'ISO 8601 with an offset from UTC; now by default, at most 30 days ago.',
        examples: ['2030-01-01T00:00:00Z'],
      }),
    ),
  }),
)
export type FeedbackEvent = typeof FeedbackEvent.static

/** TypeBox's kind of a schema that only documents: the service itself finds the problems, for each event apart. */
const DOCUMENTED = 'Documented'
TypeRegistry.Set(DOCUMENTED, () => true)

const EventList = named(
  'FeedbackEvents',
  t.Object({
    events: t.Array(FeedbackEvent, { minItems: 1, maxItems: LIMITS.feedbackEventsMax }),
  }),
)

/** One event, or a list of them in `events`. */
export const FeedbackBody = named(
  'Feedback',
  Type.Unsafe<Record<string, unknown>>({
    ...Type.Union([FeedbackEvent, EventList]),
    [Kind]: DOCUMENTED,
  }),
  { result_product_id: 'demo-mug-red', action: 'click', session_id: 'visitor-1' },
)

const Warnings = t.Optional(t.Array(t.String()))

export const RecordedEvent = named(
  'RecordedFeedback',
  t.Object({
    status: t.Literal('recorded'),
    feedback_id: t.String({ format: 'uuid' }),
    attributed: t.Boolean({ description: 'Whether the store has the search.' }),
    position: t.Union([Type.Integer(), t.Null()], {
      description: 'In the ranking of the search, from 1; null where the search did not show the product.',
    }),
    warnings: Warnings,
  }),
)
export type RecordedEvent = typeof RecordedEvent.static

const EventOutcome = named(
  'FeedbackOutcome',
  t.Object({
    index: Type.Integer({ description: 'In `events`, from 0.' }),
    status: t.String({ description: '`recorded` or `failed`.' }),
    feedback_id: t.Optional(t.String({ format: 'uuid' })),
    attributed: t.Optional(t.Boolean()),
    position: t.Optional(t.Union([Type.Integer(), t.Null()])),
    warnings: Warnings,
    error: t.Optional(t.String()),
    message: t.Optional(t.String()),
    details: t.Optional(t.Record(t.String(), t.Unknown())),
  }),
)
export type EventOutcome = typeof EventOutcome.static

const RecordedEvents = named(
  'RecordedFeedbackEvents',
  t.Object({
    status: t.Literal('recorded'),
    count: Type.Integer({ description: 'Events that were recorded.' }),
    results: t.Array(EventOutcome, { description: 'One for each event, in their order.' }),
  }),
)
export type RecordedEvents = typeof RecordedEvents.static

/** The answer to one event, or to a list. */
export const FeedbackAnswer = named('FeedbackAnswer', t.Union([RecordedEvents, RecordedEvent]))
export type FeedbackAnswer = typeof FeedbackAnswer.static

/** Events that a body holds. One that is refused as a whole counts as one. */
export function countEvents(body: unknown): number {
  const { events } = Object(body) as { events?: unknown }
  return Array.isArray(events) && events.length <= LIMITS.feedbackEventsMax ? events.length : 1
}
