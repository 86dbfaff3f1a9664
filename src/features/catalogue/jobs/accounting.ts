import type { Base } from '../../module.ts'
import type { ItemEnd, ItemQueries, LeasedItem } from './item-queries.ts'
import type { JobCounts, JobQueries, JobRow, JobStatus } from './queries.ts'

/** A job in its last transaction: its status is final, unless somebody retries it. */
export type FinishedJob = JobRow & { status: Exclude<JobStatus, 'preparing' | 'processing'> }

export interface AccountingDeps extends Pick<Base, 'clock' | 'atomically' | 'withoutFsync'> {
  queries: Pick<JobQueries, 'find' | 'count' | 'finish'>
  items: Pick<ItemQueries, 'end' | 'putBack'>
  /** Called in the transaction that ends a job. */
  onFinished(job: FinishedJob): void
  /** Learns, in the transaction of the write, that an item made a product that was not there. */
  onIndexed(job: JobRow, productId: string): void
  /** Learns which jobs change, perhaps in a transaction that is then undone. */
  onChange(jobId: number): void
  /** Learns how items ended, perhaps in a transaction that is then undone. */
  onCounted(counts: JobCounts): void
}

/** Somebody else has the item by now, or it was overtaken by a newer write: what was done for it must not take effect. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

export const NO_COUNTS: JobCounts = { succeeded: 0, unchanged: 0, failed: 0, cancelled: 0 }

/** Which number of its job an item counts for. */
const countOf = (end: ItemEnd): JobCounts => {
  if (end.state !== 'done') return { ...NO_COUNTS, [end.state]: 1 }
  const isSame = end.effect === 'unchanged' || end.effect === 'overtaken'
  return isSame ? { ...NO_COUNTS, unchanged: 1 } : { ...NO_COUNTS, succeeded: 1 }
}

export type Accounting = ReturnType<typeof createAccounting>

/** Keeps the items and the numbers of their jobs in step, and ends a job with its last item. */
export function createAccounting(deps: AccountingDeps) {
  const { queries, items, atomically, withoutFsync, onFinished, onIndexed, onChange, onCounted, clock } = deps

  /** Adds to the numbers of a job; to be called in a transaction. */
  function count(id: number, counts: JobCounts): JobRow {
    const job = queries.count(id, counts)
    onCounted(counts)
    finishIfDone(job)
    onChange(id)
    return job
  }

  /** Ends a job all of whose items are over; to be called in a transaction. */
  function finishIfDone(job: JobRow): void {
    if (job.finishedAt !== null || countLeft(job) > 0) return
    const { succeeded, unchanged, total, status } = job
    const isGood = succeeded + unchanged > 0 || total === 0
    const last = status === 'cancelled' ? status : isGood ? 'completed' : 'failed'
    onFinished(queries.finish(job.id, last, clock.now()) as FinishedJob)
    onChange(job.id)
  }

  return {
    count,
    finishIfDone,

    /**
     * Records the outcome of an item; joins a transaction.
     *
     * @throws LeaseLost
     */
    end(item: LeasedItem, how: ItemEnd): void {
      const write = () =>
        atomically(() => {
          if (!items.end(item, how)) throw new LeaseLost()
          const job = count(item.job, countOf(how))
          if (how.state === 'done' && how.effect === 'indexed') onIndexed(job, item.productId)
        })
      // Repeating an item that had no effect does no harm. Ending a job twice would, because that sends callbacks.
      const job = queries.find(item.job)
      const isHarmless = how.state === 'failed' || (how.state === 'done' && how.effect === 'unchanged')
      if (isHarmless && job && countLeft(job) > 1) withoutFsync(write)
      else write()
    },

    /** Puts an item back, or cancels it with its job. Without its lease this does nothing. */
    putBack(item: LeasedItem, values: { attempts: number; delays: number; dueAt: number }): void {
      if (queries.find(item.job)?.status !== 'cancelled') {
        withoutFsync(() => items.putBack(item, values))
        return
      }
      atomically(() => {
        if (items.end(item, { state: 'cancelled' })) count(item.job, { ...NO_COUNTS, cancelled: 1 })
      })
    },
  }
}

/** The number of items that are not over. */
export const countLeft = ({ total, succeeded, unchanged, failed, cancelled }: JobRow): number =>
  total - succeeded - unchanged - failed - cancelled
