import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { named } from '../../../http/openapi/named.ts'
import { text } from '../../../http/text-schema.ts'

const METADATA_KEYS_MAX = 50
const METADATA_KEY_CHARS_MAX = 64
const MAPPED_FIELDS_MAX = 100
const MAPPED_COLUMNS_MAX = 20

const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description })

/** Columns of a file by the field that they fill. */
const FeedMapping = t.Record(
  t.String(),
  t.Union([text({ maxLength: 200 }), t.Array(text({ maxLength: 200 }), { maxItems: MAPPED_COLUMNS_MAX })]),
  {
    maxProperties: MAPPED_FIELDS_MAX,
    description:
      'Columns for imports and feeds, by the field that they fill: a name, or several of which the first with a value counts.',
    examples: [{ product_id: 'Article', image_url: 'Photo', 'metadata.material': ['Material', 'Fabric'] }],
  },
)

const SWITCHES = {
  reembedding: t.Boolean({ description: 'Products that a new model embeds again.' }),
  restore: t.Boolean({ description: 'Products that a backup brings back.' }),
  demo: t.Boolean({ description: 'Products of the demo catalogue.' }),
}

const DEFAULTS = {
  threshold: t.Union([share('Least `similarity_score`.'), t.Null()]),
  cutoff: t.Union([t.Literal('none'), t.Literal('auto'), t.Null()]),
  category_boost: t.Union([
    Type.Number({ minimum: 0, maximum: 0.5, description: 'Weight of the query’s category.' }),
    t.Null(),
  ]),
}

const FIELDS = {
  duplicate_threshold: t.Union([
    share(
      'From this similarity on, two pictures show the same product. null: duplicates are not looked for.',
    ),
    t.Null(),
  ]),
  private_metadata: t.Array(text({ minLength: 1, maxLength: METADATA_KEY_CHARS_MAX }), {
    maxItems: METADATA_KEYS_MAX,
    description: 'Keys of the metadata that the widget never returns.',
  }),
  feed_mapping: t.Union([FeedMapping, t.Null()]),
  unmatched_thumbnails: t.Boolean({
    description: 'Keep thumbnails of shoppers’ pictures for which nothing similar was found.',
  }),
}

/** The settings of a store, as they are read. */
export const StoreSettings = named(
  'StoreSettings',
  t.Object({
    ...FIELDS,
    event_switches: t.Object(SWITCHES, {
      description: 'Changes that send events although no client made them.',
    }),
    search_defaults: t.Object(DEFAULTS, {
      description:
        'What a search takes for parameters that it does not name; null: the default of the service.',
    }),
    callback_secret_hint: t.Union([t.String(), t.Null()], {
      description: 'The end of the secret that signs callbacks of jobs; null until there is one.',
      examples: ['…a1b2'],
    }),
  }),
)
export type StoreSettings = typeof StoreSettings.static

/** What a store can set itself. */
export type OwnSettings = Omit<StoreSettings, 'callback_secret_hint'>

/** Absent fields stay as they are; within `event_switches` and `search_defaults`, too. */
export const SettingsPatch = named(
  'StoreSettingsPatch',
  t.Partial(
    t.Object({
      ...FIELDS,
      event_switches: t.Partial(t.Object(SWITCHES)),
      search_defaults: t.Partial(t.Object(DEFAULTS)),
    }),
  ),
  { private_metadata: ['cost'], search_defaults: { cutoff: 'auto' } },
)
export type SettingsPatch = typeof SettingsPatch.static
