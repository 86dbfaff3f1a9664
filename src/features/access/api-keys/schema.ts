import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { PERMISSIONS } from '../../../core/actor.ts'
import { oneOf } from '../../../http/schema.ts'
import { NAME, text } from '../../../http/text-schema.ts'

/** Keys of one kind that a store may have (D14). */
export const KEYS_PER_STORE_MAX = 100

/** First characters of a key that people may see, to tell it from others. */
export const PREFIX_CHARS = 12

const NAME_CHARS_MAX = 100

/** What people call a key. */
export const KeyName = text({
  minLength: 1,
  maxLength: NAME_CHARS_MAX,
  pattern: NAME,
  description: 'printable characters, not only spaces',
  examples: ['Nightly sync'],
})

/** Longest lifetime: ten years. */
const LIFETIME_DAYS_MAX = 3_650

const LifetimeDays = Type.Union([Type.Integer({ minimum: 1, maximum: LIFETIME_DAYS_MAX }), Type.Null()], {
  description: 'Days until the key expires, counted from now; null for never.',
  examples: [90],
})

/** Spec §2.10: what a key may do, by resource. */
export const Scopes = t.Record(
  t.String(),
  t.Union([t.String(), t.Array(t.String(), { maxItems: PERMISSIONS.length })]),
  {
    description: `Resource → action, or several actions. Together they are permissions: ${PERMISSIONS.map((name) => `\`${name}\``).join(', ')}. Only what you hold yourself can be granted.`,
    examples: [{ products: ['read', 'write'], search: 'execute' }],
  },
)
export type Scopes = typeof Scopes.static

export const ApiKeyBody = t.Object({
  name: KeyName,
  scopes: Scopes,
  expires_in_days: t.Optional(LifetimeDays),
})
export type ApiKeyBody = typeof ApiKeyBody.static

/** What is absent stays. */
export const ApiKeyPatch = t.Object({
  name: t.Optional(KeyName),
  scopes: t.Optional(Scopes),
  expires_in_days: t.Optional(LifetimeDays),
})
export type ApiKeyPatch = typeof ApiKeyPatch.static

/** A week. */
const GRACE_SECONDS_MAX = 604_800

export const Rotation = t.Object(
  {
    grace_seconds: t.Optional(
      Type.Integer({
        minimum: 0,
        maximum: GRACE_SECONDS_MAX,
        default: 0,
        description: 'How long the value that is replaced still works; it never outlives its own expiry.',
      }),
    ),
  },
  {
    description:
      'May be missing altogether. The lifetime of the key starts anew, also of one that has expired. Rotated again, the value before the last one ends at once.',
  },
)
export type Rotation = typeof Rotation.static

const Time = t.String({ format: 'date-time' })
const TimeOrNull = t.Union([Time, t.Null()])
const TextOrNull = t.Union([t.String(), t.Null()])

/** The part of a key that is kept. */
export const KeyPrefix = t.String({
  description: `First ${PREFIX_CHARS} characters of the key, to tell it from others.`,
})

/** Who made a key. */
const MAKER_STATES = ['machine', 'person', 'former_member'] as const
export type MakerState = (typeof MAKER_STATES)[number]

/** A key as it is read: never its value. */
export const ApiKey = t.Object({
  id: t.String(),
  name: t.String(),
  prefix: KeyPrefix,
  scopes: t.Record(t.String(), t.Array(t.String())),
  effective_scopes: t.Record(t.String(), t.Array(t.String()), {
    description:
      'What of `scopes` the key may do now: what its maker holds in the store at this moment. All of it for a key of a machine grant, nothing when the maker has left the store.',
  }),
  maker: oneOf(
    MAKER_STATES,
    'Who made the key: `machine` the machine grant, `person` somebody who may act for the store, `former_member` somebody who may not any more.',
  ),
  created_at: Time,
  created_by: t.Union([t.String(), t.Null()], {
    description: 'Id of the user; null for a machine grant, and once the user was deleted.',
  }),
  expires_at: TimeOrNull,
  last_used_at: t.Union([Time, t.Null()], { description: 'Right to the minute.' }),
  last_used_ip: TextOrNull,
  rotated_at: TimeOrNull,
  previous_expires_at: t.Union([Time, t.Null()], {
    description: 'Until when the value before the last rotation works; null when it does not any more.',
  }),
})
export type ApiKey = typeof ApiKey.static

/** The whole of a key. */
export const KeyText = t.String({ description: 'The key itself. It is shown this once and not kept.' })

export const NewApiKey = t.Object({ ...ApiKey.properties, key: KeyText })
export type NewApiKey = typeof NewApiKey.static

export const RotatedApiKey = t.Object({
  ...NewApiKey.properties,
  previous_expires_at: t.String({
    format: 'date-time',
    description: 'When the value that was replaced stops working.',
  }),
})
export type RotatedApiKey = typeof RotatedApiKey.static

export const ApiKeyList = t.Object({ api_keys: t.Array(ApiKey), count: Type.Integer() })
export type ApiKeyList = typeof ApiKeyList.static

export const RevokedApiKey = t.Object({ status: t.Literal('revoked'), id: t.String() })
export type RevokedApiKey = typeof RevokedApiKey.static

export const KeyParams = t.Object({ id: t.String() })
