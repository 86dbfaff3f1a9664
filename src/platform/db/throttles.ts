import type { Throttle } from '../../core/throttle.ts'
import type { Db } from './open.ts'
import { createThrottle, type KeptThrottle } from './throttle.ts'

/** Creates the throttles of the program, and prunes all of them. */
export function createThrottles(db: Db) {
  const throttles: KeptThrottle[] = []

  return {
    /**
     * @param bucket name of the counted events; throttles with the same name share them.
     * @param limit events per key in any window, at least 1.
     */
    create(bucket: string, limit: number, windowMs: number): Throttle {
      const throttle = createThrottle(db, { bucket, limit, windowMs })
      throttles.push(throttle)
      return throttle
    },

    /** Deletes the events outside the window, of every throttle. */
    prune(now: number): void {
      for (const throttle of throttles) throttle.prune(now)
    },
  }
}
