import { Elysia } from 'elysia'
import { LIMITS } from '../../../core/limits.ts'
import { jsonOrNothing, noBody, requireJson } from '../../../http/body.ts'
import { csvResponse, streamCsv } from '../../../http/csv.ts'
import {
  documentedFailures,
  FOR_STORE,
  failures,
  JSON_BODY,
  READING,
  WRITING,
} from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { IDEMPOTENCY_KEY, REPEATABLE } from '../../../http/idempotency.ts'
import type { Spool } from '../../../http/spool.ts'
import { type BulkDeps, readBulk } from './bulk.ts'
import { ERROR_HEADINGS } from './reader.ts'
import {
  BulkBody,
  FailuresQuery,
  Job,
  JobErrors,
  JobErrorsQuery,
  JobList,
  JobListQuery,
  JobParams,
  JobStarted,
  OpenFailures,
  RetryBody,
} from './schema.ts'
import type { JobService } from './service.ts'

export interface BulkNeeds extends BulkDeps {
  spool: Spool
}

/** Failures of a route about one job. */
const ONE_JOB = [...FOR_STORE, 'validation_error', 'not_found'] as const

const CHANGING = [
  ...ONE_JOB,
  ...WRITING,
  ['conflict', 'The job is in a state in which this cannot be done.'],
] as const

/** Contract 2.10: many products at a time. */
export function bulkRoutes(
  { forStore, idempotency }: Pick<Guards, 'forStore' | 'idempotency'>,
  jobs: Pick<JobService, 'start'>,
  { spool, ...deps }: BulkNeeds,
) {
  return new Elysia({ name: 'jobs.bulk', prefix: '/v1/products', tags: ['Products'] }).use(forStore).post(
    '/bulk',
    async ({ request, path, actor, set }) => {
      requireJson(request)
      await using body = await spool.receive(request, actor.storeId, LIMITS.bulkBytesMax)
      actor.demandStill()
      // The bytes of the body stand for it.
      const context = { request, path, actor, set, body: { sha256: body.hash.toString('hex') } }
      return await idempotency.answer(context, async () => ({
        status: 202 as const,
        body: await jobs.start(actor.store, {
          ...readBulk(body, deps),
          ...{ author: actor, source: { kind: 'api', name: null, bytes: body.sizeBytes } },
        }),
      }))
    },
    {
      can: 'products:bulk',
      parse: noBody,
      response: {
        202: JobStarted,
        ...failures(...FOR_STORE, ...WRITING, ...JSON_BODY, 'url_not_allowed', ...REPEATABLE),
      },
      detail: {
        operationId: 'indexProducts',
        summary: 'Index many products in the background',
        description:
          'Takes up to 10,000 products and answers with a job at once. A product that is wrong fails alone. Follow the job at `GET /v1/jobs/{job_id}`, or send a `callback_url`.',
        parameters: [IDEMPOTENCY_KEY],
        requestBody: { required: true, content: { 'application/json': { schema: BulkBody as object } } },
      },
    },
  )
}

const EVENTS = {
  'text/event-stream': { schema: { type: 'string' } },
} as const

/** Contract 2.11: work in the background. */
export function jobRoutes({ forStore }: Pick<Guards, 'forStore'>, jobs: JobService) {
  return new Elysia({ name: 'jobs.routes', prefix: '/v1/jobs', tags: ['Jobs'] })
    .use(forStore)
    .get('', ({ actor, query }) => jobs.list(actor.storeId, query), {
      can: 'products:read',
      query: JobListQuery,
      response: {
        200: JobList,
        ...failures(...FOR_STORE, ...READING, 'validation_error', 'invalid_cursor'),
      },
      detail: {
        operationId: 'listJobs',
        summary: 'List jobs',
        description: 'Newest first, without their errors. Jobs are kept for 30 days after their end.',
      },
    })
    .get('/failures', ({ actor, query }) => jobs.listOpenFailures(actor.storeId, query), {
      can: 'products:read',
      query: FailuresQuery,
      response: {
        200: OpenFailures,
        ...failures(...FOR_STORE, ...READING, 'validation_error', 'invalid_cursor'),
      },
      detail: {
        operationId: 'listProductFailures',
        summary: 'List the products that failed',
        description:
          'Of each product the last item that failed, unless the product has been written or deleted since. Retry it by its `job_id` and `index`.',
      },
    })
    .get('/:job_id', ({ actor, params }) => jobs.find(actor.storeId, params.job_id), {
      can: 'products:read',
      params: JobParams,
      response: { 200: Job, ...failures(...ONE_JOB, ...READING) },
      detail: {
        operationId: 'getJob',
        summary: 'Read a job',
        description:
          'Counts, progress, and the first errors. Ask again until `status` is no longer `processing`, or follow the events.',
      },
    })
    .get(
      '/:job_id/errors',
      ({ actor, params, query }) =>
        query.format === 'csv'
          ? csvResponse<JobErrors>(
              'errors',
              streamCsv(ERROR_HEADINGS, jobs.listErrorRows(actor.storeId, params.job_id)),
            )
          : jobs.listErrors(actor.storeId, params.job_id, query),
      {
        can: 'products:read',
        params: JobParams,
        query: JobErrorsQuery,
        response: { 200: JobErrors, ...failures(...ONE_JOB, ...READING, 'invalid_cursor') },
        detail: {
          operationId: 'listJobErrors',
          summary: 'List the items of a job that failed',
          description:
            'Every item that failed, with the code that a single request would have got. `?format=csv` answers a table for a spreadsheet, with the picture of each item that can be tried again.',
        },
      },
    )
    .post('/:job_id/cancel', ({ actor, params }) => jobs.cancel(actor.storeId, params.job_id), {
      can: 'products:bulk',
      parse: noBody,
      params: JobParams,
      response: { 200: Job, ...failures(...CHANGING) },
      detail: {
        operationId: 'cancelJob',
        summary: 'Cancel what a job has not begun',
        description: 'What is done already stays done. Items that were not begun are counted as `cancelled`.',
      },
    })
    .post(
      '/:job_id/retry',
      ({ actor, params, body }) => jobs.retry(actor.storeId, params.job_id, body.indexes),
      {
        can: 'products:bulk',
        parse: jsonOrNothing(),
        params: JobParams,
        body: RetryBody,
        response: { 200: Job, ...failures(...CHANGING, ...JSON_BODY) },
        detail: {
          operationId: 'retryJob',
          summary: 'Try the failed items of a job again',
          description:
            'Only errors with `retryable: true` are tried again, such as downloads that failed; with `indexes` only those named.',
        },
      },
    )
    .get(
      '/:job_id/events',
      ({ actor, params, set }) => {
        const stream = jobs.watch(actor.storeId, params.job_id, actor)
        Object.assign(set.headers, {
          'content-type': 'text/event-stream; charset=utf-8',
          // Some proxies would collect the events otherwise.
          'x-accel-buffering': 'no',
        })
        return new Response(stream)
      },
      {
        can: 'products:read',
        params: JobParams,
        detail: {
          operationId: 'watchJob',
          summary: 'Follow a job by server-sent events',
          description: 'For pages that show progress. The stream ends with the job.',
          responses: {
            200: {
              description:
                'Events `progress` while the job runs, then one named after its final status; the data of each is the job without its errors.',
              content: EVENTS,
            },
            ...documentedFailures(failures(...ONE_JOB, ...READING)),
          },
        },
      },
    )
}
