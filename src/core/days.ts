import { DAY_MS } from './clock.ts'

/** The number of whole days in UTC since 1970. @param ms Unix ms. */
export const dayOf = (ms: number): number => Math.floor(ms / DAY_MS)

/** A day as `2030-01-31`. */
export const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)
