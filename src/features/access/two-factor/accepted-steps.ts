import type { TwoFactorQueries } from './queries.ts'

/** A code is accepted one step early or late, so used steps further away do not matter. */
const NEAR_STEPS = 1

/** Whether a step was used. A step from a clock that ran ahead and was set back no longer counts. */
const isUsed = (step: number, last: number | null | undefined, nowStep: number): boolean =>
  last != null && step <= last && last <= nowStep + NEAR_STEPS

/** Keeps the used time steps (RFC 6238 §5.2), in memory for a minute if the database cannot be written. */
export function createAcceptedSteps(queries: Pick<TwoFactorQueries, 'acceptStep' | 'find'>) {
  const inMemory = new Map<string, number>()

  function forgetFar(nowStep: number): void {
    for (const [userId, step] of inMemory) if (Math.abs(step - nowStep) > NEAR_STEPS) inMemory.delete(userId)
  }

  return {
    /** Uses up a step and all earlier ones, in the database. @returns false if the step was already used. */
    accept: (userId: string, step: number, nowStep: number): boolean =>
      !isUsed(step, inMemory.get(userId), nowStep) && queries.acceptStep(userId, step, nowStep),

    /** The same in memory, while the database cannot be written. */
    acceptInMemory(userId: string, step: number, nowStep: number): boolean {
      forgetFar(nowStep)
      const isOld = [inMemory.get(userId), queries.find(userId)?.lastStep].some((last) =>
        isUsed(step, last, nowStep),
      )
      if (!isOld) inMemory.set(userId, step)
      return !isOld
    },
  }
}
