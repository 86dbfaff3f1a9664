import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { Moment } from '../../../http/paging.ts'
import { text } from '../../../http/text-schema.ts'
import { KeyName, KeyPrefix, KeyText } from '../api-keys/schema.ts'
import { ORIGIN_FORM } from './origins.ts'

/** What a widget may do with a key (D8), by its endpoints of spec §4.5. */
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
    'What a widget may do with the key; by default everything. Requires `search:execute` for text, upload and url, and `search:write` for feedback: a widget may do no more than the maker of its key.',
})

const ForcedFilters = t.Null({
  description: 'Filters for every search with the key. Not supported yet: this version accepts only null.',
})

export const PublicKeyBody = t.Object({
  name: KeyName,
  origins: Origins,
  rate_per_minute: t.Optional(RatePerMinute),
  allowed: t.Optional(Allowed),
  forced_filters: t.Optional(ForcedFilters),
})
export type PublicKeyBody = typeof PublicKeyBody.static

/** Absent fields stay as they are. */
export const PublicKeyPatch = t.Partial(PublicKeyBody)
export type PublicKeyPatch = typeof PublicKeyPatch.static

/** A widget key as it is read: never its value. */
export const PublicKey = t.Object({
  id: t.String(),
  name: t.String(),
  prefix: KeyPrefix,
  origins: t.Array(t.String()),
  rate_per_minute: t.Union([Type.Integer(), t.Null()]),
  allowed: t.Array(WidgetUse),
  forced_filters: ForcedFilters,
  created_at: Moment,
})
export type PublicKey = typeof PublicKey.static

export const NewPublicKey = t.Object({ ...PublicKey.properties, key: KeyText })
export type NewPublicKey = typeof NewPublicKey.static

export const PublicKeyList = t.Object({ public_keys: t.Array(PublicKey), count: Type.Integer() })
export type PublicKeyList = typeof PublicKeyList.static

export const DeletedPublicKey = t.Object({ status: t.Literal('deleted'), id: t.String() })
export type DeletedPublicKey = typeof DeletedPublicKey.static
