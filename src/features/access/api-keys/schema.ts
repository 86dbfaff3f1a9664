import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { PERMISSIONS } from '../../../core/actor.ts'
import { named } from '../../../http/openapi/named.ts'
import { Moment, MomentOrNull } from '../../../http/paging.ts'
import { oneOf } from '../../../http/schema.ts'
import { NAME, text } from '../../../http/text-schema.ts'

/** The most keys of one kind in a store (contract 6.4). */
export const KEYS_PER_STORE_MAX = 100

/** Number of characters of a key that lists show, to tell keys apart. */
export const PREFIX_CHARS = 12

const NAME_CHARS_MAX = 100

/** The name that people give a key. */
export const KeyName = text({
  minLength: 1,
  maxLength: NAME_CHARS_MAX,
  pattern: NAME,
  description: 'printable characters, not only spaces',
  examples: ['Nightly sync'],
})

/** The longest lifetime: ten years. */
const LIFETIME_DAYS_MAX = 3_650

const LifetimeDays = Type.Union([Type.Integer({ minimum: 1, maximum: LIFETIME_DAYS_MAX }), Type.Null()], {
  description: 'Days from now until the key expires; null for never.',
  examples: [90],
})

/** The actions that a key may perform, by resource (contract 4.10). */
export const Scopes = t.Record(
  t.String(),
  t.Union([t.String(), t.Array(t.String(), { maxItems: PERMISSIONS.length })]),
  {
    description: `Resource → action or list of actions. Each pair is a permission: ${PERMISSIONS.map((name) => `\`${name}\``).join(', ')}. You can grant only permissions that you hold yourself.`,
    examples: [{ products: ['read', 'write'], search: 'execute' }],
  },
)
export type Scopes = typeof Scopes.static

export const ApiKeyBody = named(
  'ApiKeyInput',
  t.Object({
    name: KeyName,
    scopes: Scopes,
    expires_in_days: t.Optional(LifetimeDays),
  }),
  { name: 'Nightly sync', scopes: { products: ['read', 'write'] }, expires_in_days: 90 },
)
export type ApiKeyBody = typeof ApiKeyBody.static

/** Absent fields keep their values. */
export const ApiKeyPatch = named(
  'ApiKeyPatch',
  t.Object({
    name: t.Optional(KeyName),
    scopes: t.Optional(Scopes),
    expires_in_days: t.Optional(LifetimeDays),
  }),
  { name: 'Hourly sync' },
)
export type ApiKeyPatch = typeof ApiKeyPatch.static

/** A week. */
const GRACE_SECONDS_MAX = 604_800

export const Rotation = named(
  'ApiKeyRotation',
  t.Object(
    {
      grace_seconds: t.Optional(
        Type.Integer({
          minimum: 0,
          maximum: GRACE_SECONDS_MAX,
          default: 0,
          description: 'How long the replaced value keeps working; never beyond its own expiry.',
        }),
      ),
    },
    {
      description:
        'Optional. The lifetime of the key starts again, even if the key has expired. A second rotation at once ends the value that the first one replaced.',
    },
  ),
  { grace_seconds: 3_600 },
)
export type Rotation = typeof Rotation.static

const TextOrNull = t.Union([t.String(), t.Null()])

/** The visible part of a key. */
export const KeyPrefix = t.String({
  description: `First ${PREFIX_CHARS} characters of the key, to tell keys apart.`,
})

const MAKER_STATES = ['machine', 'person', 'former_member'] as const
export type MakerState = (typeof MAKER_STATES)[number]

/** A key without its value. */
export const ApiKey = named(
  'ApiKey',
  t.Object({
    id: t.String(),
    name: t.String(),
    prefix: KeyPrefix,
    scopes: t.Record(t.String(), t.Array(t.String())),
    effective_scopes: t.Record(t.String(), t.Array(t.String()), {
      description:
        'The part of `scopes` that works now: the permissions that the maker of the key holds in the store at this moment. All of `scopes` if a machine grant created the key, none if the maker has left the store.',
    }),
    maker: oneOf(
      MAKER_STATES,
      'Who created the key. `machine`: the machine grant; `person`: someone who may act for the store; `former_member`: someone who may no longer act for it.',
    ),
    created_at: Moment,
    created_by: t.Union([t.String(), t.Null()], {
      description: 'Id of the user; null for a machine grant, or if the user was deleted.',
    }),
    expires_at: MomentOrNull,
    last_used_at: t.Union([Moment, t.Null()], { description: 'Accurate to the minute.' }),
    last_used_ip: TextOrNull,
    rotated_at: MomentOrNull,
    previous_expires_at: t.Union([Moment, t.Null()], {
      description: 'Until when the value before the last rotation works; null if it no longer works.',
    }),
  }),
)
export type ApiKey = typeof ApiKey.static

/** The complete key. */
export const KeyText = t.String({ description: 'The key itself. It is shown only once and is not stored.' })

export const NewApiKey = named('NewApiKey', t.Object({ ...ApiKey.properties, key: KeyText }))
export type NewApiKey = typeof NewApiKey.static

export const RotatedApiKey = named(
  'RotatedApiKey',
  t.Object({
    ...NewApiKey.properties,
    previous_expires_at: t.String({
      format: 'date-time',
      description: 'When the replaced value stops working.',
    }),
  }),
)
export type RotatedApiKey = typeof RotatedApiKey.static

export const ApiKeyList = named('ApiKeyList', t.Object({ api_keys: t.Array(ApiKey), count: Type.Integer() }))
export type ApiKeyList = typeof ApiKeyList.static

export const RevokedApiKey = named(
  'RevokedApiKey',
  t.Object({ status: t.Literal('revoked'), id: t.String() }),
)
export type RevokedApiKey = typeof RevokedApiKey.static

export const KeyParams = t.Object({ id: t.String() })
