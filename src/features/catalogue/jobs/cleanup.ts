import { DAY_MS } from '../../../core/clock.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { WorkFiles } from '../../../platform/work-files.ts'
import type { Base } from '../../module.ts'
import type { JobQueries, JobRow } from './queries.ts'
import type { JobRetention } from './retention.ts'

export interface JobCleanupDeps extends Pick<Base, 'clock' | 'log'> {
  queries: Pick<JobQueries, 'listOld' | 'listSome' | 'filterUnused'>
  retention: JobRetention
  files: Pick<WorkFiles, 'list' | 'remove'>
  /** Deletes a job with all that is left of it. */
  discard(job: { id: number; jobId: string }): Promise<void>
}

export type JobCleanup = ReturnType<typeof createJobCleanup>

/** Deletes what jobs leave behind, in small steps. */
export function createJobCleanup({ queries, retention, files, discard, clock, log }: JobCleanupDeps) {
  async function discardAll(list: () => { id: number; jobId: string }[]): Promise<void> {
    for (let some = list(); some.length > 0; some = list()) {
      for (const job of some) await discard(job)
    }
  }

  return {
    /** Never throws: the next start of the program deletes a file that stays now. */
    removeFile: ({ jobId }: JobRow): Promise<void> =>
      files.remove(jobId).catch((err) => log.error({ err }, 'the file of a job cannot be deleted')),

    /** Deletes the errors beyond the bounds of a store. Never throws: `prune` tries again. */
    tidy: (storeId: string): Promise<void> =>
      retention.tidy(storeId).catch((err) => log.error({ err }, 'the errors of jobs cannot be tidied')),

    /** Deletes jobs that were over 30 days ago, and what others have left beyond the bounds of their stores. */
    async prune(): Promise<void> {
      const before = clock.now() - LIMITS.jobDays * DAY_MS
      await discardAll(() => queries.listOld(before))
      for (const storeId of retention.listUntidy()) await retention.tidy(storeId)
    },

    /** Deletes the jobs of a deleted store, with their files. */
    dropAll: (storeId: string): Promise<void> => discardAll(() => queries.listSome(storeId)),

    /** Deletes the files that belong to no unfinished job. */
    async removeUnusedFiles(): Promise<void> {
      for (const name of queries.filterUnused(await files.list())) await files.remove(name)
    },
  }
}
