import type { CallerStore } from '../../../core/actor.ts'
import { HOUR_MS } from '../../../core/clock.ts'
import { ApiError } from '../../../core/errors.ts'
import type { Guards } from '../../../http/guards.ts'
import type { FileDownloads } from '../../../platform/outbound/downloads.ts'
import type { SecretBox } from '../../../platform/secret-box.ts'
import type { Base, Module } from '../../module.ts'
import type { StoreQueries } from '../../stores/stores/queries.ts'
import type { ImportsModule } from '../imports/module.ts'
import type { JobsModule } from '../jobs/module.ts'
import type { JobSummary } from '../jobs/schema.ts'
import type { ProductsModule } from '../products/module.ts'
import { createFinish } from './finish.ts'
import { createFeedPresenter } from './presenter.ts'
import { feedProductQueries } from './product-queries.ts'
import { createPull } from './pull.ts'
import { feedQueries } from './queries.ts'
import { feedRoutes } from './routes.ts'
import { feedRunQueries } from './run-queries.ts'
import { createFeedRuns } from './runs.ts'
import { createFeedScheduler } from './scheduler.ts'
import { credentialsContext } from './schema.ts'
import { feedService } from './service.ts'
import { createFeedUpkeep } from './upkeep.ts'

export interface FeedNeeds {
  storeRows: Pick<StoreQueries, 'findStore'>
  products: Pick<ProductsModule['service'], 'writer'>
  imports: Pick<ImportsModule['service'], 'read' | 'checkMapping'>
  jobs: Pick<JobsModule['service'], 'start' | 'summarise'>
  downloads: FileDownloads
  secretBox: SecretBox
  /** Takes a request from the budget of the store's plan. @returns false while none is left. */
  spend(store: CallerStore): boolean
  /** Aborts when the program ends. */
  stop?: AbortSignal | undefined
}

const WAKE_MS = 5_000

/**
 * Wires feeds: what a shop publishes at an address becomes a job, again and again.
 *
 * A run pulls the file to the disk, reads it like an import into a job, waits for the job, and then deletes the
 * products that the feed brought and its file no longer names. Each step is written down, so a run survives the end of
 * the program.
 *
 * While the items pass, `pull.ts` notes the products that the file names (`feed_products.seen_run`). Job and run are
 * linked in the transaction that makes the job visible, so a crash in between starts no second job. The accounting of
 * jobs calls `noteBrought` in the transaction that makes a product; a trigger removes the mark when the product is
 * deleted. Deletions at the end count as writes of the job's arrival, so a product that somebody wrote since then
 * stays.
 *
 * Readings are counted before a file is read: a file at which the program died three times is refused until it changes.
 * A fault of one feed ends its run alone.
 */
export function buildFeeds(base: Base, needs: FeedNeeds) {
  const { db, log } = base
  const { storeRows, imports, jobs, downloads, secretBox, spend, stop } = needs
  const queries = feedQueries(db)
  const runQueries = feedRunQueries(db)
  const products = feedProductQueries(db)
  const isStopping = () => stop?.aborted ?? false
  const common = { ...base, queries, runQueries, products, isStopping }
  const findJob = (storeId: string, jobId: string): JobSummary | undefined => {
    try {
      return jobs.summarise(storeId, jobId)
    } catch (error) {
      if (error instanceof ApiError && error.code === 'not_found') return undefined
      throw error
    }
  }
  const runs = createFeedRuns({ ...common, findJob })
  const sealCredentials = (id: string, userInfo: string): Buffer =>
    secretBox.seal(userInfo, credentialsContext(id))
  const openCredentials = (id: string, sealed: Uint8Array): string | undefined =>
    secretBox.open(sealed, credentialsContext(id))
  const pull = createPull({
    ...common,
    downloads,
    imports,
    jobs,
    stop,
    openCredentials,
  })
  const finish = createFinish({
    ...common,
    isSuspended: (storeId) => storeRows.findStore(storeId)?.suspendedAt !== null,
    writer: needs.products.writer,
  })
  const scheduler = createFeedScheduler({
    ...common,
    runs,
    pull,
    finish,
    spend,
    findStore: storeRows.findStore,
  })
  const upkeep = createFeedUpkeep(common)
  const inBackground = (work: () => Promise<void>) =>
    void work().catch((err) => log.error({ err }, 'a deleted feed cannot be cleared away'))
  const feeds = feedService({
    ...common,
    presenter: createFeedPresenter({ ...base, findJob }),
    checkUrl: downloads.check,
    checkMapping: imports.checkMapping,
    sealCredentials,
    wake: scheduler.wake,
    clear: () => inBackground(upkeep.clear),
  })

  return {
    service: {
      ...feeds,
      /** Notes, in its transaction, that the job of a feed has made a product that was not there. */
      noteBrought: products.bring,
      /** Opens the login of a feed, for the move of its store to another node. */
      sealCredentials,
      openCredentials,
      /** Serves the feeds that are due now. */
      wake: scheduler.wake,
      /** Waits for the runs in progress. Call it when the service stops. */
      drain: scheduler.drain,
    },
    routes: (guards: Guards) => feedRoutes(guards, feeds),
    chores: [
      { name: 'pulling feeds', everyMs: WAKE_MS, reach: 'steps', run: scheduler.wake },
      { name: 'rescheduling feeds that wait too long', everyMs: HOUR_MS, run: upkeep.correctTimes },
      { name: 'erasing deleted feeds', everyMs: HOUR_MS, run: upkeep.clear },
    ],
    forgetStore: scheduler.forgetStore,
  } satisfies Module<object>
}

export type FeedsModule = ReturnType<typeof buildFeeds>
