import { DAY_MS } from '../../../core/clock.ts'

/** The lifetime of a key that is created or renewed now. */
export const computeLifetime = (lifetimeDays: number | null, now: number) => ({
  lifetimeDays,
  expiresAt: lifetimeDays === null ? null : now + lifetimeDays * DAY_MS,
})

export const isAhead = (at: number | null, now: number): boolean => at !== null && at > now
