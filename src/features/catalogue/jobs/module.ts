import { Elysia } from 'elysia'
import { HOUR_MS } from '../../../core/clock.ts'
import type { Problem } from '../../../core/problem.ts'
import type { Guards } from '../../../http/guards.ts'
import type { Spool } from '../../../http/spool.ts'
import { validationError } from '../../../http/validation.ts'
import type { ModelSet } from '../../../platform/models/model-set.ts'
import type { WorkFiles } from '../../../platform/work-files.ts'
import type { Base, Module } from '../../module.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { WaitingWrites } from '../products/commits.ts'
import type { ProductsModule } from '../products/module.ts'
import { createAccounting, type FinishedJob } from './accounting.ts'
import { createArrivals } from './arrivals.ts'
import { createJobCleanup } from './cleanup.ts'
import { createDeaths } from './deaths.ts'
import { failureQueries } from './failure-queries.ts'
import { createForeignJobs } from './foreign-jobs.ts'
import { createJobIntake } from './intake.ts'
import { itemQueries } from './item-queries.ts'
import { createOvertaking } from './overtaking.ts'
import { type CallbackState, createJobPresenter } from './presenter.ts'
import { type JobCounts, jobQueries } from './queries.ts'
import { createJobReader } from './reader.ts'
import { createJobRetention } from './retention.ts'
import { retentionQueries } from './retention-queries.ts'
import { bulkRoutes, jobRoutes } from './routes.ts'
import { createJobScheduler } from './scheduler.ts'
import type { JobNotice } from './schema.ts'
import { jobService } from './service.ts'
import { createJobStreams } from './streams.ts'
import { createWorker } from './worker.ts'

/** Sends the callbacks of jobs. */
export interface JobCallbacks {
  /** @throws ApiError `url_not_allowed` for an address that gets no callback. */
  check(url: string): void
  /** Called in the last transaction of a job. */
  send(
    storeId: string,
    callback: { jobId: string; url: string; event: `job.${FinishedJob['status']}`; data: JobNotice },
  ): void
  /** How the delivery stands; undefined before it is queued. */
  find(storeId: string, jobId: string): CallbackState | undefined
}

export interface JobNeeds {
  storeRows: Pick<StoreQueries, 'findStore' | 'countProducts'>
  products: Pick<ProductsModule['service'], 'writer' | 'check' | 'toInput' | 'has' | 'thumbnails'>
  models: Pick<ModelSet, 'of'>
  /** Takes in the bodies of bulk requests. */
  spool: Spool
  /** Keeps the pictures that came within items, until their jobs are over. */
  files: WorkFiles
  callbacks: JobCallbacks
  /** Learns of items that are over. */
  countItems(counts: JobCounts): void
  /** Called in the last transaction of a job. */
  onFinished(storeId: string, job: JobNotice): void
  /** Called in the transaction in which an item of a feed makes a product that was not there. */
  onBroughtByFeed(jobId: string, productId: string): void
}

const WAKE_MS = 1_000

/**
 * Wires the jobs of all stores.
 *
 * The intake reads a list item by item and writes the items as rows, in small transactions; the last one makes the job
 * visible, so a crash before leaves nothing. Items with pictures inside stay in a file of the job. `start` is the one
 * way to work on many products: bulk requests, imports and feeds use it.
 *
 * The scheduler leases items in small windows and has the worker do several at a time. `choice.ts` takes stores in turn
 * and bounds the pictures in progress, apart for items that download, which mostly wait, and for items whose pictures
 * are here (`prepare.ts`, `capacity.ts`). Items of a host that times out go behind the others of their job. After a
 * failure the worker tries the item again, pauses the job, or ends the item.
 *
 * The worker writes each product by `products.writer`; the accounting ends and counts the item inside that same
 * transaction, so an item takes effect exactly once, whatever happens to the program. An item whose lease is gone
 * throws `LeaseLost` there, which undoes the write. `deaths.ts` notes what is begun: an item during which the program
 * died three times is not begun again.
 *
 * `overtaking.ts` drops the waiting items of jobs that are older than another write of the same product. It is passed
 * down to products as `waiting`, because jobs lie above them.
 */
export function buildJobs(base: Base, needs: JobNeeds) {
  const { db, clock, atomically, defer } = base
  const { storeRows, products, models, spool, files, callbacks } = needs
  const queries = jobQueries(db)
  const items = itemQueries(db)
  const presenter = createJobPresenter(clock, callbacks.find, queries)
  const common = { ...base, queries, items }
  const arrivals = createArrivals(queries)
  const accounting = createAccounting({
    ...common,
    onFinished(job) {
      const { storeId, jobId, callbackUrl: url, status } = job
      const data = presenter.notice(job)
      if (url !== null) callbacks.send(storeId, { jobId, url, event: `job.${status}`, data })
      needs.onFinished(storeId, data)
    },
    onIndexed(job, productId) {
      if (job.type === 'feed') needs.onBroughtByFeed(job.jobId, productId)
    },
    onChange: (id) => streams.note(id),
    onCounted: needs.countItems,
  })
  const streams = createJobStreams({
    find: queries.find,
    summary: presenter.summary,
    onEnd: (job) => void jobs.release(job),
    defer,
    clock,
  })
  const { work, giveUp } = createWorker({
    ...base,
    accounting,
    writer: products.writer,
    toInput: products.toInput,
    isModelReady: (storeId) => models.of(storeId).embedder.status().state === 'ready',
    async readPart({ job, part }) {
      const { jobId } = queries.find(job) ?? {}
      if (!jobId || !part) throw new Error('the item of a job has no content')
      return new TextDecoder().decode(await files.read(jobId, part.offset, part.bytes))
    },
  })
  const scheduler = createJobScheduler({
    ...common,
    deaths: createDeaths({ ...common, accounting }),
    accounting,
    work,
    giveUp,
    findStore: storeRows.findStore,
    products: { has: products.has, count: storeRows.countProducts },
    onProgress: (id) => jobs.noteProgress(id),
  })
  const intake = createJobIntake({ ...common, accounting, arrivals, files })
  const { discard } = intake
  const retention = createJobRetention({
    ...base,
    queries: retentionQueries(db),
    findStore: storeRows.findStore,
    discard,
  })
  const reader = createJobReader({
    queries,
    failures: failureQueries(db),
    presenter,
    addThumbnailUrls: products.thumbnails.addUrls,
  })
  const cleanup = createJobCleanup({ ...common, retention, files, discard })
  const jobs = jobService({
    ...common,
    accounting,
    intake,
    scheduler,
    streams,
    presenter,
    reader,
    cleanup,
  })
  const foreign = createForeignJobs({
    ...common,
    accounting,
    arrivals,
    onBegin(row) {
      presenter.startPace(row)
      jobs.noteProgress(row.id)
    },
    onProgress: jobs.noteProgress,
  })
  const drop = createOvertaking({ items, accounting, atomically })

  const checkCallbackUrl = (url: unknown): string | null => {
    if (url === null) return null
    if (typeof url !== 'string') throw validationError([NO_URL])
    callbacks.check(url)
    return url
  }

  return {
    service: {
      ...jobs,
      foreign,
      listForOperator: reader.listForOperator,
      checkCallbackUrl,
      waiting: { latest: arrivals.latest, drop } satisfies WaitingWrites,
    },
    routes: (guards: Guards) =>
      new Elysia({ name: 'jobs' })
        .use(bulkRoutes(guards, jobs, { spool, checkProduct: products.check, checkCallbackUrl }))
        .use(jobRoutes(guards, jobs)),
    chores: [
      { name: 'working on jobs', everyMs: WAKE_MS, reach: 'steps', run: jobs.wake },
      { name: 'streaming the progress of jobs', everyMs: WAKE_MS, reach: 'none', run: streams.tell },
      { name: 'deleting old jobs', everyMs: HOUR_MS, run: jobs.prune },
    ],
    forgetStore: jobs.forgetStore,
  } satisfies Module<object>
}

const NO_URL: Problem = {
  in: 'body',
  pointer: '/callback_url',
  code: 'type',
  message: 'must be a string',
  expected: 'string',
}

export type JobsModule = ReturnType<typeof buildJobs>
