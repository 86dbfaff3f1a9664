/** How the waits of retries grow. The unit is the caller's, mostly ms. */
export type BackoffSteps =
  /** One wait after another; the last one repeats. */
  | { waits: readonly [number, ...number[]] }
  /** A first wait that is multiplied after each failure. */
  | { first: number; factor: number; longest?: number }
  /** A first wait that becomes longer by itself after each failure. */
  | { perFailure: number; longest: number }

export type Backoff = (failures: number, share?: number) => number

/**
 * Creates a schedule of retries: how long to wait after a failure.
 *
 * @param jitter share by which a wait may be shorter or longer, so that work that failed together does not come back together.
 * @returns takes the number of failures before this one, and a number from 0 to 1 that differs from work to work. Waits with
 *   jitter are whole numbers.
 */
export function createBackoff(steps: BackoffSteps, jitter = 0): Backoff {
  function waitOf(failures: number): number {
    if ('waits' in steps) return steps.waits[Math.min(failures, steps.waits.length - 1)] as number
    if ('perFailure' in steps) return Math.min(steps.perFailure * (failures + 1), steps.longest)
    return Math.min(steps.first * steps.factor ** failures, steps.longest ?? Infinity)
  }
  return (failures, share = 0.5) => {
    const wait = waitOf(failures)
    return jitter === 0 ? wait : Math.round(wait * (1 - jitter + 2 * jitter * share))
  }
}
