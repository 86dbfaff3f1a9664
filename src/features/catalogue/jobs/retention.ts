import type { CallerStore } from '../../../core/actor.ts'
import { createKeyedLock } from '../../../core/keyed-lock.ts'
import { LIMITS } from '../../../core/limits.ts'
import { turn } from '../../../core/turns.ts'
import type { Base } from '../../module.ts'
import type { RetentionQueries } from './retention-queries.ts'

export interface RetentionDeps extends Pick<Base, 'atomically' | 'withoutFsync' | 'plans'> {
  queries: RetentionQueries
  findStore(id: string): CallerStore | undefined
  /** Deletes a job with all that is left of it. */
  discard(job: { id: number; jobId: string }): Promise<void>
}

/** Rows of one step, which holds the event loop for a few milliseconds. */
const STEP = 250

/** Bounds what the jobs of a store that are over leave on the disk. */
export function createJobRetention({
  queries,
  findStore,
  discard,
  plans,
  atomically,
  withoutFsync,
}: RetentionDeps) {
  const locked = createKeyedLock()

  async function measure(storeId: string): Promise<void> {
    for (const id of queries.listUnmeasured(storeId)) {
      let bytes = 0
      for (let from = 0, isMore = true; isMore; await turn()) {
        const failures = queries.weighFailures(id, from, STEP)
        for (const failure of failures) bytes += failure.bytes
        from = (failures.at(-1)?.position ?? 0) + 1
        isMore = failures.length === STEP
      }
      withoutFsync(() => queries.setKeptBytes(id, bytes))
    }
  }

  /** Deletes failed items, those of the oldest job first, and of one job the last ones first. @returns whether any were left. */
  function dropSome(storeId: string, bytesMax: number): boolean {
    return atomically(() => {
      const excess = queries.sumKeptBytes(storeId) - bytesMax
      const oldest = excess > 0 ? queries.findOldestKept(storeId) : undefined
      if (!oldest) return false
      const dropped: number[] = []
      let freed = 0
      for (const { id, bytes } of queries.weighLastFailures(oldest.id, STEP)) {
        if (freed >= excess) break
        dropped.push(id)
        freed += bytes
      }
      queries.dropFailures(dropped)
      // Items that were overtaken since have become smaller.
      const left = dropped.length === 0 ? 0 : Math.max(0, oldest.keptBytes - freed)
      queries.noteDropped(oldest.id, dropped.length, left)
      return true
    })
  }

  return {
    /** Deletes what jobs of a store have left beyond the bounds of its plan. */
    tidy: (storeId: string): Promise<void> =>
      locked(storeId, async () => {
        await measure(storeId)
        const store = findStore(storeId)
        if (!store) return
        const { jobErrorBytesMax } = plans[store.plan]
        while (withoutFsync(() => dropSome(storeId, jobErrorBytesMax))) await turn()
        const listBeyond = () => queries.listBeyond(storeId, LIMITS.jobsKeptMax)
        for (let old = listBeyond(); old.length > 0; old = listBeyond()) {
          for (const job of old) await discard(job)
        }
      }),

    /** The stores of jobs that ended right before the program did. */
    listUntidy: queries.listUntidy,
  }
}

export type JobRetention = ReturnType<typeof createJobRetention>
