import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { SAMPLE_PICTURE } from '../../../core/sample-picture.ts'
import { named } from '../../../http/openapi/named.ts'
import { Moment, MomentOrNull, PAGE_END, pageQuery } from '../../../http/paging.ts'
import { oneOf } from '../../../http/schema.ts'
import { text } from '../../../http/text-schema.ts'
import { NamedStore } from '../../stores/stores/schema.ts'
import { Product, ThumbnailUrl } from '../products/schema.ts'

/** The body of POST /v1/products/bulk, for the API's document: it is read piece by piece. */
export const BulkBody = named(
  'BulkInput',
  t.Object(
    {
      products: t.Array(Product, {
        minItems: 1,
        maxItems: LIMITS.bulkProductsMax,
        description: 'A product that is wrong fails alone, and is listed among the errors of the job.',
      }),
      callback_url: t.Optional(
        text({
          description: 'Gets one request when the job is over.',
          examples: ['https://shop.example/hooks/jobs'],
        }),
      ),
    },
    { additionalProperties: true },
  ),
  {
    products: [
      {
        product_id: 'red-mug',
        metadata: { name: 'Red mug', category: 'mugs', price: 14.5 },
        image_url: SAMPLE_PICTURE,
      },
    ],
  },
)

const JobId = t.String({ examples: ['01920000-0000-7000-8000-000000000000'] })

export const JobStarted = named(
  'JobStarted',
  t.Object({
    job_id: JobId,
    status: t.Literal('processing'),
    total: Type.Integer({ description: 'Items of the job.' }),
  }),
)
export type JobStarted = typeof JobStarted.static

const JOB_STATES = ['processing', 'completed', 'failed', 'cancelled'] as const
const JobState = oneOf(
  JOB_STATES,
  '`completed`: at least one item succeeded or needed no change. `failed`: every item failed.',
)

const ItemFailure = named(
  'JobItemError',
  t.Object({
    index: Type.Integer({ description: 'Place of the item in the request, from 0.' }),
    product_id: t.Union([t.String(), t.Null()]),
    image_url: t.Union([t.String(), t.Null()], {
      description:
        'Address of the picture of an item that can be tried again; null for a picture that came within the request, and for an address that is too long.',
    }),
    thumbnail_url: ThumbnailUrl,
    error: t.String({ description: 'A code, as in the answers to single requests.' }),
    message: t.String(),
    details: t.Optional(t.Record(t.String(), t.Unknown())),
    retryable: t.Boolean({ description: 'Whether `POST /v1/jobs/{job_id}/retry` tries the item again.' }),
  }),
)
export type ItemFailure = typeof ItemFailure.static

const count = (description: string) => Type.Integer({ description })

const SourceView = named(
  'JobSource',
  t.Object({
    kind: oneOf(
      ['file', 'feed', 'api', 'cli'] as const,
      '`file`: an import; `cli`: one by `lookalike import`; `api`: a bulk request.',
    ),
    name: t.Union([t.String(), t.Null()], {
      description: 'The name of the file, or the address of the feed.',
    }),
    bytes: t.Union([Type.Integer(), t.Null()]),
  }),
)

const JobAuthorView = named(
  'JobAuthor',
  t.Object({
    kind: oneOf(
      ['person', 'key', 'machine', 'operator'] as const,
      'A member of the store, an API key, the machine grant, or an operator of the service.',
    ),
    id: t.Union([t.String(), t.Null()]),
    name: t.Union([t.String(), t.Null()], { description: 'null for somebody who has left the store.' }),
  }),
)

const JOB_TYPES = ['bulk_index', 'import', 'feed', 'search_checks', 'search_replay'] as const

/** A job without its errors. */
export const JobSummary = named(
  'JobSummary',
  t.Object({
    job_id: JobId,
    type: oneOf(
      JOB_TYPES,
      '`search_checks` runs saved checks: `succeeded` counts those that were run, passed or not. `search_replay` makes searches of the log again: `GET /v1/search/replay/{job_id}` has what it found.',
    ),
    status: JobState,
    source: t.Union([SourceView, t.Null()], { description: 'null for jobs of earlier versions.' }),
    started_by: t.Union([JobAuthorView, t.Null()], { description: 'null for jobs that the service starts.' }),
    total: count('Items of the job.'),
    processed: count('The sum of the next three.'),
    succeeded: count('Products that were indexed, updated or deleted.'),
    unchanged: count('Items that changed nothing, or whose product has been written since.'),
    failed: count('Items that failed.'),
    cancelled: count('Items that were not begun when the job was cancelled.'),
    progress: t.Number({ minimum: 0, maximum: 1, description: '`processed` divided by `total`.' }),
    eta_seconds: t.Union([t.Number(), t.Null()], {
      description: 'Time left at the present pace; null before the first item is done and after the end.',
    }),
    created_at: Moment,
    started_at: MomentOrNull,
    finished_at: MomentOrNull,
    duration_ms: t.Union([t.Number(), t.Null()], { description: 'From `started_at` to `finished_at`.' }),
    warnings: t.Array(t.String()),
    errors_url: t.String({ description: 'Path of the list of all errors.' }),
    callback: t.Union(
      [
        t.Object({
          url: t.String(),
          state: t.String({ description: '`pending` until the callback has been delivered or given up.' }),
          attempts: Type.Integer(),
          last_status: t.Union([Type.Integer(), t.Null()]),
        }),
        t.Null(),
      ],
      { description: 'null for a job without `callback_url`.' },
    ),
  }),
)
export type JobSummary = typeof JobSummary.static

/** A job as receivers of callbacks and events learn it: they need not know who works for the store. */
export type JobNotice = Omit<JobSummary, 'started_by'>

export const Job = named(
  'Job',
  t.Object({
    ...JobSummary.properties,
    errors: t.Array(ItemFailure, {
      description: `The first ${LIMITS.jobErrorsInline}, in the order of the items.`,
    }),
    errors_truncated: t.Boolean({
      description: 'Whether there are more, or were more before the oldest were deleted.',
    }),
  }),
)
export type Job = typeof Job.static

export const JobParams = t.Object({ job_id: t.String() })

export const JobListQuery = t.Object({
  ...pageQuery({ default: LIMITS.jobsPageDefault, maximum: LIMITS.jobsPageMax }),
  status: t.Optional(t.Union(JOB_STATES.map((state) => t.Literal(state)))),
})
export type JobListQuery = typeof JobListQuery.static

export const JobList = named(
  'JobList',
  t.Object({
    jobs: t.Array(JobSummary, { description: 'Newest first.' }),
    count: Type.Integer({ description: 'Jobs on this page.' }),
    ...PAGE_END,
  }),
)
export type JobList = typeof JobList.static

export const JobErrorsQuery = t.Object({
  ...pageQuery({ default: LIMITS.jobErrorsPageDefault, maximum: LIMITS.jobErrorsPageMax }),
  format: t.Optional(
    oneOf(['json', 'csv'] as const, '`csv`: all errors as a table; `limit` and `cursor` then mean nothing.'),
  ),
})
/** A job as super-admins see it: of a store, or of the node itself. */
const AdminJob = t.Object({
  store: t.Union([NamedStore, t.Null()], { description: 'null for a job of the node as a whole.' }),
  ...JobSummary.properties,
  type: oneOf(
    [...JOB_TYPES, 'model_fetch', 'model_move', 'store_move'] as const,
    'As the jobs of a store have it. `model_fetch` downloads a model, and `model_move` moves all stores to another one; `source.name` names it, and `GET /v1/admin/models` says more. `store_move` moves a store to the node that `source.name` names; `errors_url` says more.',
  ),
})

/** A job of the node itself. */
export type NodeJob = typeof AdminJob.static

/** The jobs of all stores and those of the node, for super-admins. */
export const AdminJobList = named(
  'AdminJobList',
  t.Object({
    jobs: t.Array(AdminJob, { description: 'Newest first.' }),
    count: Type.Integer({ description: 'Jobs on this page.' }),
    ...PAGE_END,
  }),
)
export type AdminJobList = typeof AdminJobList.static

export type JobErrorsQuery = typeof JobErrorsQuery.static

export const JobErrors = named(
  'JobErrors',
  t.Object({
    errors: t.Array(ItemFailure, { description: 'In the order of the items.' }),
    count: Type.Integer({ description: 'Errors on this page.' }),
    ...PAGE_END,
  }),
)
export type JobErrors = typeof JobErrors.static

export const FailuresQuery = t.Object(
  pageQuery({ default: LIMITS.openFailuresPageDefault, maximum: LIMITS.openFailuresPageMax }),
)
export type FailuresQuery = typeof FailuresQuery.static

const OpenFailureView = named(
  'ProductFailure',
  t.Object({
    ...ItemFailure.properties,
    product_id: t.String(),
    job_id: JobId,
    job_created_at: Moment,
  }),
)

export const OpenFailures = named(
  'ProductFailures',
  t.Object({
    failures: t.Array(OpenFailureView, { description: 'In the order of the product ids.' }),
    count: Type.Integer({ description: 'Failures on this page, which may be fewer than `limit`.' }),
    ...PAGE_END,
  }),
)
export type OpenFailures = typeof OpenFailures.static

export const RetryBody = named(
  'RetryInput',
  t.Object({
    indexes: t.Optional(
      t.Array(Type.Integer({ minimum: 0 }), {
        minItems: 1,
        maxItems: LIMITS.retriedIndexesMax,
        description: 'The `index` of each error whose item is tried again; without it all are.',
      }),
    ),
  }),
  { indexes: [12, 40] },
)
export type RetryBody = typeof RetryBody.static
