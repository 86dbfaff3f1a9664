import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { named } from '../../../http/openapi/named.ts'
import { Moment, MomentOrNull } from '../../../http/paging.ts'
import { oneOf } from '../../../http/schema.ts'
import { text } from '../../../http/text-schema.ts'
import { FormatOrNull, MappingBody } from '../imports/schema.ts'

const FeedUrl = text({
  minLength: 1,
  maxLength: LIMITS.fetchUrlCharsMax,
  description:
    'Where the file is: http or https on the standard port of a public server. `{page}` in it is replaced by 1, 2, 3 and so on until a page is empty; each page must be NDJSON. A user name and a password in it are kept sealed and never shown.',
  examples: ['https://shop.example/export/products.csv'],
})

/** A default would fill the fields that a PATCH leaves out, so only the body of POST has some. */
const INTERVAL = {
  minimum: LIMITS.feedIntervalMinutesMin,
  maximum: LIMITS.feedIntervalMinutesMax,
  description: 'Minutes from the beginning of one run to the next.',
}

const DELETE_MISSING = {
  description:
    'Whether products that this feed brought are deleted when its file names them no more. At most 20 % of them at a time.',
}

const PAUSED = {
  description: 'Whether the feed runs only when somebody asks for it. A run in progress goes on.',
}

const MappingOrNull = t.Union([MappingBody, t.Null()])

/** The body of POST /v1/feeds (contract 2.14). */
export const FeedBody = named(
  'FeedInput',
  t.Object({
    url: FeedUrl,
    format: t.Optional(FormatOrNull),
    interval_minutes: t.Optional(Type.Integer({ ...INTERVAL, default: LIMITS.feedIntervalMinutesDefault })),
    mapping: t.Optional(MappingOrNull),
    delete_missing: t.Optional(t.Boolean({ ...DELETE_MISSING, default: false })),
  }),
  { url: 'https://shop.example/export/products.csv', interval_minutes: 1_440 },
)
export type FeedBody = typeof FeedBody.static

/** The body of PATCH: absent fields stay. */
export const FeedPatch = named(
  'FeedPatch',
  t.Object({
    url: t.Optional(FeedUrl),
    format: t.Optional(FormatOrNull),
    interval_minutes: t.Optional(Type.Integer(INTERVAL)),
    mapping: t.Optional(MappingOrNull),
    delete_missing: t.Optional(t.Boolean(DELETE_MISSING)),
    paused: t.Optional(t.Boolean(PAUSED)),
  }),
  { interval_minutes: 60 },
)
export type FeedPatch = typeof FeedPatch.static

/** The body of a run that a client asks for; may be absent. */
export const RunBody = named(
  'FeedRunInput',
  t.Object({
    full: t.Optional(t.Boolean({ description: 'Read the file also when it is the same as last time.' })),
    force_delete: t.Optional(
      t.Boolean({
        description:
          'Delete what is missing although it is more than 20 %, or although rows of the file name no product. Reads the file in any case.',
      }),
    ),
  }),
  { full: true },
)
export type RunBody = typeof RunBody.static

export const RUN_STATES = [
  'pulling',
  'importing',
  'finishing',
  'completed',
  'unchanged',
  'stopped',
  'failed',
  'cancelled',
] as const
export type RunState = (typeof RUN_STATES)[number]

const count = (description: string) => Type.Integer({ description })

const FeedError = named(
  'FeedError',
  t.Object({
    error: t.String({
      description:
        '`download_failed` (`details.reason`), `file_unreadable`, `column_missing`, `file_empty`, `too_many_missing`, `unnamed_rows`, `job_failed`, `credentials_unreadable`, or a code as in the answers to requests.',
    }),
    message: t.String(),
    details: t.Optional(t.Record(t.String(), t.Unknown())),
  }),
)
export type FeedError = typeof FeedError.static

const Counts = named(
  'FeedCounts',
  t.Object({
    total: count('Products in the file.'),
    succeeded: count('Products that were indexed or updated: the sum of `added` and `updated`.'),
    added: t.Union([Type.Integer(), t.Null()], { description: 'null for runs of earlier versions.' }),
    updated: t.Union([Type.Integer(), t.Null()]),
    unchanged: count('Products that were like that already.'),
    failed: count('Products that failed; the errors of the job tell why.'),
    cancelled: count('Products that were not begun when the job was cancelled.'),
    missing: count('Products of this feed that the file names no more, where they were looked for.'),
    deleted: count('Those of them that were deleted.'),
  }),
)
export type FeedCounts = typeof Counts.static

const FeedRun = named(
  'FeedRun',
  t.Object({
    status: oneOf(
      RUN_STATES,
      '`pulling`, `importing` (the job) and `finishing` (deletions) follow each other. `stopped`: the products are imported, and nothing was deleted; `error` says why.',
    ),
    job_id: t.Union([t.String(), t.Null()]),
    job_url: t.Union([t.String(), t.Null()], { description: 'Path of the job.' }),
    started_at: Moment,
    finished_at: MomentOrNull,
    bytes: t.Union([Type.Integer(), t.Null()], { description: 'Size of the file as it was sent.' }),
    etag: t.Union([t.String(), t.Null()]),
    last_modified: t.Union([t.String(), t.Null()]),
    counts: Counts,
    error: t.Union([FeedError, t.Null()]),
  }),
)
export type FeedRun = typeof FeedRun.static

export const Feed = named(
  'Feed',
  t.Object({
    id: t.String(),
    url: t.String({ description: 'With `***:***` in the place of a user name and a password.' }),
    format: FormatOrNull,
    interval_minutes: Type.Integer(),
    mapping: MappingOrNull,
    delete_missing: t.Boolean(),
    paused: t.Boolean(PAUSED),
    status: oneOf(['waiting', 'queued', 'running'] as const, '`queued`: due, or asked for, and not begun.'),
    next_run_at: t.Union([Moment, t.Null()], {
      description: 'null while a run is in progress, and for a paused feed of which no run is asked.',
    }),
    consecutive_failures: count('Failed runs since the last one that did not fail.'),
    created_at: Moment,
    updated_at: Moment,
    last_run: t.Union([FeedRun, t.Null()], { description: 'The run in progress, or the last one.' }),
  }),
)
export type Feed = typeof Feed.static

export const FeedList = named(
  'FeedList',
  t.Object({
    feeds: t.Array(Feed, { description: 'Oldest first.' }),
    count: Type.Integer(),
  }),
)
export type FeedList = typeof FeedList.static

export const FeedRunList = named(
  'FeedRunList',
  t.Object({
    runs: t.Array(FeedRun, {
      description: 'Newest first: the one in progress, and the last ten that are over.',
    }),
    count: Type.Integer(),
  }),
)
export type FeedRunList = typeof FeedRunList.static

export const FeedParams = t.Object({ id: t.String() })
export const DeletedFeed = named('Deleted', t.Object({ status: t.Literal('deleted'), id: t.String() }))
export type DeletedFeed = typeof DeletedFeed.static

/** Binds the sealed login of a feed to the feed. */
export const credentialsContext = (feedId: string): string => `credentials of feed ${feedId}`
