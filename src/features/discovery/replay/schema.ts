import { type TSchema, Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { closed } from '../../../http/closed-schema.ts'
import { named } from '../../../http/openapi/named.ts'
import { Moment, MomentOrNull } from '../../../http/paging.ts'
import { oneOf } from '../../../http/schema.ts'
import { SearchDefaultsPatch } from '../../stores/settings/schema.ts'
import { common } from '../search/schema.ts'

/** The parameters of a search that a store settles elsewhere than in its `search_defaults`. */
const OTHERS = Object.fromEntries(
  Object.entries(common as Readonly<Record<string, TSchema>>).filter(([name]) =>
    ['sold_out', 'rules', 'interpret'].includes(name),
  ),
)

const Settings = closed(
  t.Object(
    {
      ...SearchDefaultsPatch.properties,
      ...OTHERS,
      search_defaults: t.Optional(SearchDefaultsPatch),
    },
    {
      description:
        'What holds in place of the settings of the store: its `search_defaults`, each by its name or within `search_defaults`, and parameters of a search. null: the default of the service.',
    },
  ),
)

/** Settings to try; those that are absent stay as they are. */
export type TriedSettings = SearchDefaultsPatch & {
  search_defaults?: SearchDefaultsPatch
} & Readonly<Record<string, unknown>>

export const ReplayBody = named(
  'ReplayInput',
  closed(
    t.Object({
      settings: Settings,
      last: t.Optional(
        Type.Integer({
          minimum: 1,
          maximum: LIMITS.replayedSearchesMax,
          default: LIMITS.replayedSearchesDefault,
          description: 'How many searches of the log, the newest ones.',
        }),
      ),
    }),
  ),
  { settings: { threshold: 0.4 }, last: 200 },
)
export type ReplayBody = Omit<typeof ReplayBody.static, 'settings'> & { settings: TriedSettings }

const count = (description: string) => Type.Integer({ minimum: 0, description })

const FIRST_IDS = 5

const Example = named(
  'ReplayExample',
  t.Object({
    query: t.Union([t.String(), t.Null()], { description: 'null where a product was searched with.' }),
    product_id: t.Union([t.String(), t.Null()], { description: 'null where words were searched with.' }),
    before: t.Array(t.String(), { description: `The first ${FIRST_IDS} with the settings as they are.` }),
    after: t.Array(t.String(), { description: 'The same with the settings that are tried.' }),
  }),
)
export type Example = typeof Example.static

export const ReplayResult = named(
  'ReplayResult',
  t.Object({
    searches: count('Searches that were made twice; those that failed are not among them.'),
    changed: count('Searches whose first result is another one.'),
    changed_top: count('Searches of whose first ten results at least one place shows another product.'),
    clicks: t.Object(
      {
        rise: count('Products that would stand higher.'),
        fall: count('Products that would stand lower, or not be found.'),
        same: count('Products at the same place, or found with neither.'),
        gain: t.Union([t.Number(), t.Null()], {
          description:
            'How much higher they would stand: the mean of 1 divided by their place, after less before; above 0 is better. null without any.',
        }),
      },
      { description: 'Products that shoppers clicked in the results of these searches, each once a search.' },
    ),
    examples: t.Array(Example, {
      maxItems: 20,
      description: 'Searches whose first ten changed; those with another first result before others.',
    }),
  }),
)
export type ReplayResult = typeof ReplayResult.static

export const Replay = named(
  'Replay',
  t.Object({
    job_id: t.String(),
    status: oneOf(['processing', 'completed', 'cancelled'] as const),
    settings: t.Record(t.String(), t.Unknown(), { description: 'Those that were tried.' }),
    total: count('Searches of the log that it makes again.'),
    created_at: Moment,
    finished_at: MomentOrNull,
    result: ReplayResult,
  }),
)
export type Replay = typeof Replay.static

export const ReplayList = named(
  'ReplayList',
  t.Object({
    replays: t.Array(Replay, { description: `Newest first; the last ${LIMITS.replaysKept} are kept.` }),
    count: Type.Integer(),
  }),
)
export type ReplayList = typeof ReplayList.static

export const ReplayParams = t.Object({ job_id: t.String() })
