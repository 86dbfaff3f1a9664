import { storageFailure } from '../../../core/storage.ts'
import type { JobQueries } from './queries.ts'

export type Arrivals = ReturnType<typeof createArrivals>

/** Numbers jobs in the order of their acknowledgement. This process alone acknowledges jobs, so the last number is read once. */
export function createArrivals(queries: Pick<JobQueries, 'findLatestArrival'>) {
  let known = readEarly()

  /** The service starts even if the disk is damaged. */
  function readEarly(): number | undefined {
    try {
      return queries.findLatestArrival()
    } catch (error) {
      if (!storageFailure(error)) throw error
      return undefined
    }
  }

  function latest(): number {
    known ??= queries.findLatestArrival()
    return known
  }

  return {
    /** The number of the job that was acknowledged last. */
    latest,
    /** The number of the next acknowledged job. A caller that uses it calls `acknowledged` after the commit. */
    next: (): number => (known ?? queries.findLatestArrival()) + 1,
    acknowledged(arrival: number): void {
      known = arrival
    },
  }
}
