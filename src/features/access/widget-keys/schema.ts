import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { named } from '../../../http/openapi/named.ts'
import { Moment, MomentOrNull } from '../../../http/paging.ts'
import { text } from '../../../http/text-schema.ts'
import { FiltersOrNull } from '../../catalogue/filters/schema.ts'
import { KeyName, KeyPrefix, KeyText } from '../api-keys/schema.ts'
import { ORIGIN_FORM } from './origins.ts'

/** An action that a key may allow a widget (contract 4.11). */
export const WidgetUse = t.Union([
  t.Literal('text'),
  t.Literal('upload'),
  t.Literal('url'),
  t.Literal('feedback'),
])
export type WidgetUse = typeof WidgetUse.static

export const WIDGET_USES: readonly WidgetUse[] = WidgetUse.anyOf.map((use) => use.const)

const ORIGINS_MAX = 20

/** A host has at most 253 characters. */
const ORIGIN_CHARS_MAX = 300

const Origins = t.Array(text({ minLength: 1, maxLength: ORIGIN_CHARS_MAX }), {
  minItems: 1,
  maxItems: ORIGINS_MAX,
  description: `Exact origins of the pages that may use the key: ${ORIGIN_FORM}.`,
  examples: [['https://shop.example']],
})

const RATE_PER_MINUTE_MAX = 100_000

const RatePerMinute = Type.Union([Type.Integer({ minimum: 1, maximum: RATE_PER_MINUTE_MAX }), Type.Null()], {
  description: 'Requests a minute with this key; null for the limit of the plan.',
})

const Allowed = t.Array(WidgetUse, {
  minItems: 1,
  maxItems: WIDGET_USES.length,
  description:
    'What a widget may do with the key; everything by default. To grant text, upload or url you need `search:execute`; to grant feedback you need `search:write`.',
})

/** Characters of the filters of a key, as JSON. */
export const FORCED_FILTERS_CHARS_MAX = 4_000

const ForcedFilters = Type.Unsafe<unknown>({
  ...FiltersOrNull,
  description: `Every search with the key finds only products that fit, and the widget never learns of it: filters as searches take them, at most ${FORCED_FILTERS_CHARS_MAX} characters of JSON; null for none.`,
})

export const WidgetKeyBody = named(
  'WidgetKeyInput',
  t.Object({
    name: KeyName,
    origins: Origins,
    rate_per_minute: t.Optional(RatePerMinute),
    allowed: t.Optional(Allowed),
    forced_filters: t.Optional(ForcedFilters),
  }),
  { name: 'Shop', origins: ['https://shop.example'] },
)
export type WidgetKeyBody = typeof WidgetKeyBody.static

/** Absent fields keep their values. */
export const WidgetKeyPatch = named('WidgetKeyPatch', t.Partial(WidgetKeyBody), { rate_per_minute: 600 })
export type WidgetKeyPatch = typeof WidgetKeyPatch.static

const SeenPage = named(
  'SeenPage',
  t.Object({
    origin: t.String(),
    last_search_at: MomentOrNull,
    last_click_at: MomentOrNull,
    last_cart_at: MomentOrNull,
    last_purchase_at: MomentOrNull,
  }),
)
export type SeenPage = typeof SeenPage.static

/** A widget key. It is public: every answer about it shows its value. */
export const WidgetKey = named(
  'WidgetKey',
  t.Object({
    id: t.String(),
    name: t.String(),
    key: t.Union([KeyText, t.Null()], {
      description: 'null for a key of an earlier version, of which only a hash is kept.',
    }),
    prefix: KeyPrefix,
    origins: t.Array(t.String()),
    rate_per_minute: t.Union([Type.Integer(), t.Null()]),
    allowed: t.Array(WidgetUse),
    forced_filters: ForcedFilters,
    created_at: Moment,
    seen: t.Array(SeenPage, {
      description:
        'When a widget with the key last searched, and last told of a click, a product in a cart and a purchase, by the origins that the key lists; an origin that was never seen is left out.',
    }),
    refused_today: Type.Integer({
      description:
        'Requests with the key that were refused since midnight UTC: from an origin that the key does not list, for something that it does not allow, or beyond a budget.',
    }),
  }),
)
export type WidgetKey = typeof WidgetKey.static

export const WidgetKeyList = named(
  'WidgetKeyList',
  t.Object({ public_keys: t.Array(WidgetKey), count: Type.Integer() }),
)
export type WidgetKeyList = typeof WidgetKeyList.static

export const DeletedWidgetKey = named('Deleted', t.Object({ status: t.Literal('deleted'), id: t.String() }))
export type DeletedWidgetKey = typeof DeletedWidgetKey.static
