import type { Clock } from '../../../core/clock.ts'

/** Products are counted in steps of this length, for at most {@link STEPS} steps. */
const STEP_MS = 15_000
const STEPS = 40
/** No pace is told before. */
const KNOWN_AFTER_MS = 30_000
const KNOWN_AFTER_PRODUCTS = 20

export type Pace = ReturnType<typeof createPace>

/** Measures how fast products are embedded: over the last ten minutes in which any were. */
export function createPace(clock: Pick<Clock, 'monotonic'>) {
  let steps: { at: number; products: number }[] = []

  return {
    /** Counts a product. */
    count(): void {
      const at = clock.monotonic()
      const last = steps.at(-1)
      if (last && at - last.at < STEP_MS) last.products++
      else steps.push({ at, products: 1 })
      if (steps.length > STEPS) steps.shift()
    },

    /** Seconds for some products; null before the pace is known. */
    estimate(products: number): number | null {
      const first = steps[0]
      if (!first) return null
      const ms = clock.monotonic() - first.at
      const counted = steps.reduce((sum, step) => sum + step.products, 0)
      if (ms < KNOWN_AFTER_MS || counted < KNOWN_AFTER_PRODUCTS) return null
      return Math.ceil((products * ms) / counted / 1000)
    },

    forget(): void {
      steps = []
    },
  }
}
