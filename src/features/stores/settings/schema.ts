import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { closed } from '../../../http/closed-schema.ts'
import { named } from '../../../http/openapi/named.ts'
import { oneOf } from '../../../http/schema.ts'
import { text } from '../../../http/text-schema.ts'
import { HIDEABLE } from '../notices/schema.ts'

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
  restore: t.Boolean({ description: 'Without effect: this version restores no products.' }),
  demo: t.Boolean({ description: 'Products of the demo catalogue.' }),
}

const DEFAULTS = {
  threshold: t.Union([share('Least `similarity_score`.'), t.Null()]),
  cutoff: t.Union([t.Literal('none'), t.Literal('auto'), t.Null()]),
  category_boost: t.Union([
    Type.Number({ minimum: 0, maximum: 0.5, description: 'Weight of the query’s category.' }),
    t.Null(),
  ]),
  second_look: t.Union([t.Boolean({ description: 'Whether the first results vote for words.' }), t.Null()]),
  learn: t.Union([
    t.Boolean({
      description:
        'Whether products gain that shoppers click more often than others in their places. null: false. `GET /v1/search/learning` says whether it may be true.',
    }),
    t.Null(),
  ]),
}

const SOLD_OUT = ['last', 'hide', 'keep'] as const

/** The systems that a shop may run on. */
const SHOP_SYSTEMS = [
  ...['woocommerce', 'shopify', 'shopware', 'prestashop', 'magento', 'opencart'],
  'other',
] as const

const FACT_CHARS_MAX = 2_000

const fact = (description: string, example: string, maxLength = FACT_CHARS_MAX) =>
  t.Union([text({ maxLength }), t.Null()], { description, examples: [example] })

const FACTS = {
  shop_url: fact('The address of the shop.', 'https://shop.example'),
  shop_system: t.Union([oneOf(SHOP_SYSTEMS), t.Null()], { description: 'What the shop runs on.' }),
  product_url_template: fact(
    'The address of a product’s page: http(s), or a path below `shop_url`. `{product_id}`, `{sku}` or another key of the metadata stands for the product’s own value. Results of products without a `url` get theirs from it.',
    '/products/{product_id}',
  ),
  currency: fact(
    'Code of ISO 4217 for prices whose product names no `currency`; results then carry it.',
    'EUR',
    3,
  ),
  locale: fact('The language of the shop, with its country if that matters.', 'de-AT', 35),
  time_zone: t.Union([text({ maxLength: 64 }), t.Null()], {
    description: 'Name of a time zone of IANA.',
    examples: ['Europe/Vienna'],
  }),
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
  thumbnails: t.Boolean({
    description: 'Keep a thumbnail of each picture of a product. false deletes those that are there.',
  }),
  hidden: t.Array(oneOf(HIDEABLE), {
    maxItems: 50,
    description: 'What the overview of the store leaves out: kinds of lines, or `checklist`.',
  }),
  unmatched_thumbnails: t.Boolean({
    description: 'Keep thumbnails of shoppers’ pictures for which nothing similar was found.',
  }),
  weekly_mail: t.Union([t.Boolean(), t.Null()], {
    description:
      'Mail the owners on Mondays what was searched for and what to do about it. null: only where a mail server is configured.',
  }),
  sold_out: t.Union([oneOf(SOLD_OUT), t.Null()], {
    description:
      'Where searches show products that are sold out: behind all others (`last`), nowhere (`hide`), or like all others (`keep`). null: `last` in widgets and `keep` in the API. A request may say otherwise.',
  }),
  ...FACTS,
}

const callback_secret_hint = t.Union([t.String(), t.Null()], {
  description: 'The end of the secret that signs callbacks of jobs; null until there is one. Read only.',
  examples: ['…a1b2'],
})

/** The settings of a store, as they are read. */
export const StoreSettings = named(
  'StoreSettings',
  t.Object({
    ...FIELDS,
    time_zone: t.String({ description: 'Name of a time zone of IANA.', examples: ['Europe/Vienna'] }),
    event_switches: t.Object(SWITCHES, {
      description: 'Changes that send events although no client made them.',
    }),
    search_defaults: t.Object(DEFAULTS, {
      description:
        'What a search takes for parameters that it does not name; null: the default of the service.',
    }),
    callback_secret_hint,
  }),
)
export type StoreSettings = typeof StoreSettings.static

/** The settings that a store can change. */
export type OwnSettings = Omit<StoreSettings, 'callback_secret_hint'>

/** Some of a store's `search_defaults`. */
export const SearchDefaultsPatch = named('SearchDefaultsPatch', closed(t.Partial(t.Object(DEFAULTS))))
export type SearchDefaultsPatch = typeof SearchDefaultsPatch.static

/** Absent fields stay as they are; within `event_switches` and `search_defaults`, too. Unknown ones are refused. */
export const SettingsPatch = named(
  'StoreSettingsPatch',
  closed(
    t.Partial(
      t.Object({
        ...FIELDS,
        event_switches: closed(t.Partial(t.Object(SWITCHES))),
        search_defaults: SearchDefaultsPatch,
        callback_secret_hint,
      }),
    ),
    { name: 'PATCH /v1/store {"name": …} gives the store another name' },
  ),
  { shop_url: 'https://shop.example', product_url_template: '/products/{product_id}', currency: 'EUR' },
)
export type SettingsPatch = typeof SettingsPatch.static
