import { Elysia } from 'elysia'
import { HOUR_MS } from '../../../core/clock.ts'
import { ApiError } from '../../../core/errors.ts'
import type { Problem } from '../../../core/problem.ts'
import type { Doors } from '../../../http/doors.ts'
import type { Spool } from '../../../http/spool.ts'
import { validationError } from '../../../http/validation.ts'
import type { Embedder } from '../../../platform/embedder/embedder.ts'
import type { WorkFiles } from '../../../platform/work-files.ts'
import type { Base, Module } from '../../module.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { ProductsModule } from '../products/module.ts'
import { createDeaths } from './deaths.ts'
import { createLedger, type FinishedJob, type Ledger } from './ledger.ts'
import { createJobLoop } from './loop.ts'
import { jobQueries } from './queries.ts'
import { createJobRoom } from './room.ts'
import { roomQueries } from './room-queries.ts'
import { bulkRoutes, jobRoutes } from './routes.ts'
import type { JobSummary } from './schema.ts'
import { jobService } from './service.ts'
import { createStart } from './start.ts'
import { createJobStreams } from './streams.ts'
import { type CallbackState, createJobViews } from './view.ts'
import { createWork } from './work.ts'

/** Sends the callbacks of jobs. */
export interface JobCallbacks {
  /** @throws ApiError `url_not_allowed` for an address that gets no callback. */
  check(url: string): void
  /** Called in the last transaction of a job. */
  send(
    storeId: string,
    callback: { jobId: string; url: string; event: `job.${FinishedJob['status']}`; data: JobSummary },
  ): void
  /** How the delivery stands; undefined before it is queued. */
  find(storeId: string, jobId: string): CallbackState | undefined
}

export interface JobNeeds {
  stores: Pick<StoreQueries, 'findStore' | 'countProducts'>
  products: Pick<ProductsModule['service'], 'changes' | 'check' | 'toInput' | 'has'>
  embedder: Pick<Embedder, 'status'>
  /** Takes in the bodies of bulk requests. */
  spool: Spool
  /** Holds the pictures that came within items, until their jobs are over. */
  files: WorkFiles
  /** Without it no job can have a callback. */
  callbacks?: JobCallbacks | undefined
  /** Called in the last transaction of a job. */
  onFinished?: ((storeId: string, job: JobSummary) => void) | undefined
  /** Called in the transaction in which an item of a feed makes a product that was not there. */
  onBroughtByFeed?: ((jobId: string, productId: string) => void) | undefined
}

const TICK_MS = 1_000
/** How often streams tell what has changed. */
const TELL_MS = 500

/** What changes of products must know of jobs; made first, because the jobs themselves change products. */
export type WaitingItems = Pick<Ledger, 'latest' | 'drop'>

/**
 * Wires the jobs of all stores.
 *
 * A job comes in by `start`, which writes its items as rows. The loop leases them in small windows, works on several at a
 * time, and writes each product by `products.changes`; the ledger ends the item inside that same transaction, so an item
 * takes effect exactly once, whatever happens to the program.
 */
export function buildJobs(base: Base, needs: JobNeeds) {
  const { db, atomically, clock, ids, log, plans, noteFault, withoutFsync } = base
  const { stores, products, embedder, spool, files, callbacks, onFinished } = needs
  const queries = jobQueries(db)
  const views = createJobViews(clock, callbacks?.find)
  const ledger = createLedger({
    queries,
    atomically,
    withoutFsync,
    onFinished(job) {
      const data = views.summary(job)
      const url = job.callbackUrl
      if (url !== null)
        callbacks?.send(job.storeId, { jobId: job.jobId, url, event: `job.${job.status}`, data })
      onFinished?.(job.storeId, data)
    },
    onIndexed(job, productId) {
      if (job.type === 'feed') needs.onBroughtByFeed?.(job.jobId, productId)
    },
    onChange: (id) => streams.note(id),
    clock,
  })
  const streams = createJobStreams({
    find: queries.find,
    summary: views.summary,
    onEnd: (job) => void jobs.release(job),
    clock,
  })
  const { work, giveUp } = createWork({
    ledger,
    changes: products.changes,
    toInput: products.toInput,
    isModelReady: () => embedder.status().state === 'ready',
    noteFault,
    async readPart({ job, part }) {
      const { jobId } = queries.find(job) ?? {}
      if (!jobId || !part) throw new Error('the item of a job has no content')
      return new TextDecoder().decode(await files.read(jobId, part.offset, part.bytes))
    },
    ...{ log, clock },
  })
  const loop = createJobLoop({
    queries,
    deaths: createDeaths({ queries, ledger, withoutFsync, log }),
    ledger,
    work,
    giveUp,
    findStore: stores.findStore,
    products: { has: products.has, count: stores.countProducts },
    plans,
    onProgress: (id) => jobs.noteProgress(id),
    withoutFsync,
    ...{ log, clock, ids },
  })
  const starter = createStart({ queries, ledger, files, atomically, withoutFsync, clock, ids })
  const room = createJobRoom({
    queries: roomQueries(db),
    findStore: stores.findStore,
    plans,
    discard: starter.discard,
    atomically,
    withoutFsync,
  })
  const jobs = jobService({
    ...{ queries, ledger, starter, loop, streams, views, room, files, atomically },
    ...{ log, clock },
  })

  const checkCallbackUrl = (url: unknown): string | null => {
    if (url === null) return null
    if (typeof url !== 'string') throw validationError([NO_URL])
    if (!callbacks) throw new ApiError('url_not_allowed', 'This service sends no callbacks')
    callbacks.check(url)
    return url
  }

  return {
    service: {
      ...jobs,
      checkCallbackUrl,
      waiting: { latest: ledger.latest, drop: ledger.drop } satisfies WaitingItems,
    },
    routes: (doors: Doors) =>
      new Elysia({ name: 'jobs' })
        .use(bulkRoutes(doors, jobs, { spool, checkProduct: products.check, checkCallbackUrl }))
        .use(jobRoutes(doors, jobs)),
    chores: [
      { name: 'working on jobs', everyMs: TICK_MS, run: jobs.tick },
      { name: 'streaming the progress of jobs', everyMs: TELL_MS, run: streams.tell },
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
