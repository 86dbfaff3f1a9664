import type { TwoFactorQueries } from './queries.ts'

/** A code is taken a step early or late, so steps further away than that decide nothing. */
const NEAR_STEPS = 1

/** Whether a step was used; one of a clock that ran ahead and was set back counts no more. */
const isUsed = (step: number, last: number | null | undefined, nowStep: number): boolean =>
  last != null && step <= last && last <= nowStep + NEAR_STEPS

/** Which time steps have been used up (RFC 6238 §5.2). Where that cannot be written, it is remembered for its minute. */
export function createAcceptedSteps(queries: Pick<TwoFactorQueries, 'acceptStep' | 'find'>) {
  const held = new Map<string, number>()

  function forgetFar(nowStep: number): void {
    for (const [userId, step] of held) if (Math.abs(step - nowStep) > NEAR_STEPS) held.delete(userId)
  }

  return {
    /** Uses up a step and all before it, in the database. @returns false when it was used before. */
    accept: (userId: string, step: number, nowStep: number): boolean =>
      !isUsed(step, held.get(userId), nowStep) && queries.acceptStep(userId, step, nowStep),

    /** The same in memory, for a database that cannot be written. */
    hold(userId: string, step: number, nowStep: number): boolean {
      forgetFar(nowStep)
      const isOld = [held.get(userId), queries.find(userId)?.lastStep].some((last) =>
        isUsed(step, last, nowStep),
      )
      if (!isOld) held.set(userId, step)
      return !isOld
    },
  }
}
