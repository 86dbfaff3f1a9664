import type { Bench, Minutes } from './bench.ts'

/** No run of all benches takes longer, for each executable. */
export const MOST: Readonly<Minutes> = { quick: 15, full: 40 }

/** A bench that takes so many times as long as it should is stopped. */
const PATIENCE = 2

/** Whether a run is one with all sizes. */
export type Scope = keyof Minutes

/** How many minutes the benches take, by what they say of themselves. */
export const estimate = (
  benches: readonly Pick<Bench, 'minutes'>[],
  scope: Scope,
  executables: number,
): number => executables * benches.reduce((sum, { minutes }) => sum + minutes[scope], 0)

/**
 * How many minutes a bench may take before it is stopped.
 *
 * @param used minutes since the beginning of the run.
 */
export function allow(
  { minutes }: Pick<Bench, 'minutes'>,
  scope: Scope,
  executables: number,
  used: number,
): number {
  return Math.max(0, Math.min(PATIENCE * executables * minutes[scope], executables * MOST[scope] - used))
}
