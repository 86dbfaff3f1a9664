import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { named } from '../../../http/openapi/named.ts'
import { Moment, PAGE_END, pageQuery } from '../../../http/paging.ts'
import { NAME, text } from '../../../http/text-schema.ts'
import { TitledStore } from '../../stores/stores/schema.ts'

/** The place that a search can show at most. */
const PLACE_MAX = LIMITS.searchLimitMax

const Within = Type.Integer({
  minimum: 1,
  maximum: PLACE_MAX,
  description: 'Every expected product must stand at this place or before it.',
})

export const CheckBody = named(
  'SearchCheckInput',
  t.Object({
    name: text({ minLength: 1, maxLength: 100, pattern: NAME, description: 'For people: one line.' }),
    query: t.Optional(
      text({
        minLength: 1,
        maxLength: LIMITS.queryCharsMax,
        pattern: '\\S',
        description: 'Words to search for.',
      }),
    ),
    image: t.Optional(
      t.String({
        description: 'A picture as base64 or as a `data:` URI, at most 1 MiB, instead of `query`.',
      }),
    ),
    expect: t.Array(text({ minLength: 1, maxLength: LIMITS.productIdCharsMax }), {
      minItems: 1,
      maxItems: LIMITS.checkExpectedMax,
      uniqueItems: true,
      description: 'Ids of products of this store that the search should find.',
    }),
    within: Within,
  }),
  { name: 'Red mugs', query: 'red mug', expect: ['red-mug'], within: 3 },
)
export type CheckBody = typeof CheckBody.static

const Found = t.Object({
  product_id: t.String(),
  rank: t.Union([Type.Integer(), t.Null()], {
    description: `Its place, from 1; null if it is not among the first ${PLACE_MAX}.`,
  }),
})

const Result = t.Object({
  passed: t.Boolean(),
  found: t.Array(Found, { description: 'In the order of `expect`; empty if the search failed.' }),
  error: t.Union([t.Object({ error: t.String(), message: t.String() }), t.Null()], {
    description: 'Why the search failed; null if it was answered.',
  }),
})
/** The result of a run as its row keeps it. */
export type CheckResult = typeof Result.static

const LastRun = t.Object({
  job_id: t.String(),
  run_at: Moment,
  model: t.Union([t.String(), t.Null()], {
    description: 'The model that answered; null where it was not noted.',
  }),
  ...Result.properties,
})

const RunBefore = t.Object({
  run_at: Moment,
  model: t.String({ description: 'The model that answered.' }),
  ...Result.properties,
})

export const SearchCheck = named(
  'SearchCheck',
  t.Object({
    id: t.String(),
    name: t.String(),
    query: t.Union([t.String(), t.Null()], { description: 'null where a picture is searched with.' }),
    expect: t.Array(t.String()),
    within: Within,
    created_at: Moment,
    is_waiting: t.Boolean({ description: 'Whether a job has yet to run it.' }),
    last_run: t.Union([LastRun, t.Null()], { description: 'null before the first run.' }),
    before: t.Union([RunBefore, t.Null()], {
      description:
        'The last run with the model that the store had before the one of `last_run`; null if it has had none.',
    }),
  }),
)
export type SearchCheck = typeof SearchCheck.static

const Before = t.Union(
  [
    t.Object({
      model: t.String({ description: 'The model that answered the newest of these runs.' }),
      passed: Type.Integer(),
      total: Type.Integer({ description: 'Checks that were run with that model.' }),
    }),
    t.Null(),
  ],
  { description: 'The same with the model before; null if no check was run with one.' },
)

export const SearchCheckList = named(
  'SearchCheckList',
  t.Object({
    checks: t.Array(SearchCheck, { description: 'Oldest first.' }),
    count: Type.Integer(),
    passed: Type.Integer({ description: 'Those that passed in their last run.' }),
    before: Before,
  }),
)
export type SearchCheckList = typeof SearchCheckList.static

/** How the checks of one store stand. */
export const CheckStanding = named(
  'SearchCheckStanding',
  t.Object({
    store: TitledStore,
    model: t.Union([t.String(), t.Null()], {
      description: 'The model that answered the newest of the last runs; null before the first one.',
    }),
    passed: Type.Integer({ description: 'Checks that passed in their last run.' }),
    total: Type.Integer(),
    is_waiting: t.Boolean({ description: 'Whether a job has yet to run some of them.' }),
    before: Before,
  }),
)
export type CheckStanding = typeof CheckStanding.static

export const StandingQuery = t.Object(pageQuery({ default: 50, maximum: 100 }))
export type StandingQuery = typeof StandingQuery.static

export const CheckStandings = named(
  'SearchCheckStandings',
  t.Object({
    stores: t.Array(CheckStanding, { description: 'Stores that have checks, the oldest store first.' }),
    count: Type.Integer({ description: 'Stores on this page.' }),
    ...PAGE_END,
  }),
)
export type CheckStandings = typeof CheckStandings.static

/** The body of a run; may be absent. */
export const RunBody = named('SearchCheckRun', t.Object({}), {})

export const CheckParams = t.Object({ id: t.String() })

export const DeletedCheck = t.Object({ status: t.Literal('deleted'), id: t.String() })
