import type { AdminModel } from '#generated/api.ts'

/** What a move to a model takes of this install. */
export interface MoveCost {
  /** Of an idle machine; null for a model that nobody has measured. */
  seconds: number | null
  diskBytes: number | null
  memoryBytes: number | null
}

/** A vector as SQLite keeps it. */
const BYTES_OF_NUMBER = 4

/** Estimates what a move takes. @param pictures of all stores. */
export function estimateMove(
  { picture_ms, dimension, memory_bytes }: Pick<AdminModel, 'picture_ms' | 'dimension' | 'memory_bytes'>,
  pictures: number,
): MoveCost {
  const vectors = dimension === null ? null : pictures * dimension * BYTES_OF_NUMBER
  return {
    seconds: picture_ms === null ? null : (pictures * picture_ms) / 1000,
    diskBytes: vectors,
    memoryBytes: memory_bytes === null || vectors === null ? null : memory_bytes + vectors,
  }
}

const MINUTE_S = 60
const HOUR_S = 3_600
const DAY_S = 86_400

/** A time as people say it, in its largest unit: at least a minute, and hours up to two days. */
export function inLargestUnit(seconds: number): [value: number, unit: 'minute' | 'hour' | 'day'] {
  if (seconds >= 2 * DAY_S) return [Math.round(seconds / DAY_S), 'day']
  if (seconds >= 2 * HOUR_S) return [Math.round(seconds / HOUR_S), 'hour']
  return [Math.max(1, Math.round(seconds / MINUTE_S)), 'minute']
}
