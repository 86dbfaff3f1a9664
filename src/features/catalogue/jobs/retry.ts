import { turn } from '../../../core/turns.ts'
import type { Base } from '../../module.ts'
import type { ItemQueries } from './item-queries.ts'
import type { JobQueries, JobRow } from './queries.ts'

export interface RetryDeps extends Pick<Base, 'atomically'> {
  queries: Pick<JobQueries, 'reopen'>
  items: Pick<ItemQueries, 'retrySome' | 'retryThese' | 'findLastPosition'>
}

/** Rows in one transaction, which holds the event loop for a few milliseconds. */
const STEP = 250

/**
 * Lets the failed items of a finished job wait again, in small steps.
 *
 * @returns takes the job and the indexes of some items, or undefined for all of them; gives the job as it is then, or undefined
 *   if nothing can be tried again.
 */
export function createRetry({ queries, items, atomically }: RetryDeps) {
  const reopen = (job: JobRow, retry: () => number): JobRow | undefined =>
    atomically(() => {
      const retried = retry()
      return retried > 0 ? queries.reopen(job.id, retried) : undefined
    })

  /** @returns the job as it is now; undefined if nothing can be tried again. */
  async function retryAll(job: JobRow): Promise<JobRow | undefined> {
    let reopened: JobRow | undefined
    const last = items.findLastPosition(job.id)
    for (let from = 0; from <= last; from += STEP) {
      reopened = reopen(job, () => items.retrySome(job.id, from, from + STEP - 1)) ?? reopened
      await turn()
    }
    return reopened
  }

  /** The same for some items. */
  async function retryThese(job: JobRow, indexes: readonly number[]): Promise<JobRow | undefined> {
    let reopened: JobRow | undefined
    for (let at = 0; at < indexes.length; at += STEP) {
      reopened = reopen(job, () => items.retryThese(job.id, indexes.slice(at, at + STEP))) ?? reopened
      await turn()
    }
    return reopened
  }

  return (job: JobRow, indexes: readonly number[] | undefined): Promise<JobRow | undefined> =>
    indexes ? retryThese(job, indexes) : retryAll(job)
}
