import { expect } from 'bun:test'
import { recordBar } from './bars.ts'

/** Four times as much may take six times as long: linear, with room for what a machine does besides. */
const RATIO_MAX = 6
/** Less cannot be told from noise. Whatever stays below it with the larger amount is no danger to anybody. */
const NOISE_MS = 4
const REPETITIONS = 7
/** Enough to compile a work; what compiles later is not the least of its tries. */
const WARM_UPS = 2

/** Least CPU time of some tries, in milliseconds; what a work throws is part of it. */
async function readCpu(work: () => unknown, repetitions = REPETITIONS): Promise<number> {
  let least = Infinity
  for (let n = 0; n < repetitions; n++) {
    const before = process.cpuUsage()
    try {
      await work()
    } catch {
      // Much of what is measured is refused.
    }
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

/** Compares works with the same works on four times as much, and keeps the figures for a bar. */
export function createComparison(repetitions = REPETITIONS) {
  let compared = 0
  let nonlinear = 0
  /** Largest ratio of those that take long enough to be told from noise. */
  let worst = 0

  return {
    /** Compares a work with the same work on four times as much. */
    async expectLinear(work: (amount: number) => () => unknown, amount: number): Promise<void> {
      const [small, large] = [work(amount), work(4 * amount)]
      // Compiled before anything is measured.
      await readCpu(small, WARM_UPS)
      await readCpu(large, WARM_UPS)
      // A burst of other work on the machine is given some more chances to pass.
      for (let n = 0; ; n++) {
        const [little, much] = [await readCpu(small, repetitions), await readCpu(large, repetitions)]
        const isLinear = much <= Math.max(NOISE_MS, RATIO_MAX * little)
        if (!isLinear && n < 4) continue
        compared++
        if (much > NOISE_MS) worst = Math.max(worst, much / little)
        if (isLinear) return
        nonlinear++
        expect(much / little).toBeLessThanOrEqual(RATIO_MAX)
      }
    },

    /** Writes the figures down, if anything was compared. */
    record({ bar, part }: { bar: number; part: string }): void {
      const measured = `four times as much takes ${worst.toFixed(1)} times the CPU at most (bound ${RATIO_MAX})`
      if (compared > 0) recordBar({ bar, part, on: 'process', n: compared, measured, isMet: nonlinear === 0 })
    },
  }
}
