import { LIMITS } from '../../../core/limits.ts'
import { turn } from '../../../core/turns.ts'
import type { Base } from '../../module.ts'
import type { ProductsModule } from '../products/module.ts'
import type { FeedProductQueries } from './product-queries.ts'
import type { FeedQueries, FeedRow, RunReport } from './queries.ts'
import type { RunQueries } from './run-queries.ts'
import type { FeedError } from './schema.ts'

export interface FinishDeps extends Pick<Base, 'atomically' | 'withoutFsync'> {
  queries: Pick<FeedQueries, 'find'>
  runQueries: Pick<RunQueries, 'step' | 'countDeleted'>
  products: FeedProductQueries
  writer: Pick<ProductsModule['service']['writer'], 'remove'>
  isStopping(): boolean
  /** A suspended store loses nothing. */
  isSuspended(storeId: string): boolean
}

export type Finished =
  | { kind: 'completed'; run: RunReport }
  | { kind: 'stopped'; run: RunReport; error: FeedError }
  /** The service stops, the store is suspended, or the feed is gone: the rest is done later, or never. */
  | { kind: 'dropped' }

/** Rows that are read in one turn of the event loop, and products that are deleted in one. */
const PAGE = 250
const DELETED_AT_ONCE = 25

/** Does the last step of a run: deletes the products that are gone from the file, and forgets those that no longer matter. */
export function createFinish(deps: FinishDeps) {
  const { queries, runQueries, products, writer, isStopping, isSuspended, atomically, withoutFsync } = deps
  /** Whether the run goes on, and the feed still means the same. */
  const goesOn = ({ id, storeId, runNumber }: FeedRow): FeedRow | undefined => {
    const row = isStopping() || isSuspended(storeId) ? undefined : queries.find(id)
    return row?.isRunning && row.runNumber === runNumber ? row : undefined
  }

  /** Lists, page by page, the products that the feed brought and its file no longer names. */
  async function* listMissing({ id, runNumber, settledRun }: FeedRow, onPage: (size: number) => void) {
    let after = ''
    for (;;) {
      await turn()
      const page = products.listBrought(id, after, PAGE)
      // Products brought by this run, and by stopped runs before it, would hide that the others are gone.
      onPage(page.filter(({ broughtIn }) => broughtIn <= settledRun).length)
      yield page.filter(({ seenRun }) => seenRun < runNumber).map(({ productId }) => productId)
      const last = page.at(-1)
      if (page.length < PAGE || !last) return
      after = last.productId
    }
  }

  async function count(feed: FeedRow): Promise<{ all: number; missing: number }> {
    let all = 0
    let missing = 0
    const add = (size: number) => {
      all += size
    }
    for await (const ids of listMissing(feed, add)) {
      missing += ids.filter((id) => products.findOther(feed.id, feed.storeId, id) === undefined).length
    }
    return { all, missing }
  }

  /**
   * Deletes a product, unless somebody has written it since the run began; the next run decides again. Hands it over if
   * another feed names it.
   */
  async function remove(feed: FeedRow, arrival: number, productId: string): Promise<void> {
    const { id, storeId, runNumber } = feed
    const { startedAt } = feed.run as RunReport
    const other = products.findOther(id, storeId, productId)
    if (other !== undefined) {
      atomically(() => products.handOver(id, productId, other))
      return
    }
    const isGone = () => {
      const row = products.find(id, productId)
      return row?.broughtIn != null && row.seenRun < runNumber
    }
    await writer.remove(
      storeId,
      productId,
      ({ isDemo, updatedAt }) =>
        !isDemo &&
        updatedAt <= startedAt &&
        isGone() &&
        products.findOther(id, storeId, productId) === undefined,
      {
        kind: 'job',
        // It has the place of the run's job in the order of writes: it undoes nothing that was sent later.
        arrival,
        commitWith: (effect) => {
          if (effect === 'deleted') runQueries.countDeleted(id)
        },
      },
    )
  }

  /** @returns false if the run does not go on. */
  async function removeMissing(feed: FeedRow, arrival: number): Promise<boolean> {
    for await (const ids of listMissing(feed, () => {})) {
      for (let at = 0; at < ids.length; at += DELETED_AT_ONCE) {
        const now = goesOn(feed)
        if (!now) return false
        if (!mayDelete(now, feed.run as RunReport)) return true
        await Promise.all(
          ids.slice(at, at + DELETED_AT_ONCE).map((productId) => remove(feed, arrival, productId)),
        )
        await turn()
      }
    }
    return true
  }

  async function forgetUnseen(feed: FeedRow): Promise<void> {
    while (withoutFsync(() => products.forgetUnseen(feed.id, feed.runNumber, PAGE)) > 0) await turn()
  }

  /** @throws ApiError for a storage fault; other errors are bugs. */
  return async function finish(feed: FeedRow): Promise<Finished> {
    const run = feed.run as RunReport
    const { arrival } = run
    if (arrival !== null && mayDelete(feed, run)) {
      if (run.missing === null) {
        const { all, missing } = await count(feed)
        if (!goesOn(feed)) return { kind: 'dropped' }
        run.missing = missing
        const error = judge(feed, run, all)
        if (error) {
          await forgetUnseen(feed)
          return { kind: 'stopped', run, error }
        }
        // From here on a start of the program goes on without counting: what is left is another share.
        if (!runQueries.step(feed, { status: 'finishing', jobId: feed.runJobId, run }))
          return { kind: 'dropped' }
      }
      if (!(await removeMissing(feed, arrival))) return { kind: 'dropped' }
    }
    await forgetUnseen(feed)
    return isStopping() ? { kind: 'dropped' } : { kind: 'completed', run }
  }
}

/** Whether a feed deletes, and the run is about the file that it means now. */
const mayDelete = ({ deleteMissing, revision }: FeedRow, run: RunReport): boolean =>
  deleteMissing && revision === run.revision

/** Finds the reason not to delete. */
function judge(
  feed: FeedRow,
  { missing, unnamed, forceDelete }: RunReport,
  all: number,
): FeedError | undefined {
  if (missing === null || missing === 0 || forceDelete) return undefined
  const details = { missing, feed_products: all, unnamed_rows: unnamed }
  const cure = `If they are to be deleted, send POST /v1/feeds/${feed.id}/run with {"force_delete": true}.`
  if (missing > LIMITS.feedMissingShareMax * all) {
    const message = `${missing} of the ${all} products of this feed are gone from the file, more than 20 %; nothing was deleted. ${cure}`
    return { error: 'too_many_missing', message, details }
  }
  if (unnamed === 0) return undefined
  const message = `${unnamed} rows of the file name no product, and ${missing} products of this feed are gone from it; nothing was deleted. Correct the rows. ${cure}`
  return { error: 'unnamed_rows', message, details }
}
