import { BoundedMap } from './bounded-map.ts'
import { DAY_MS } from './clock.ts'
import { dayOf } from './days.ts'

/** Midnight of every zone falls on a quarter of an hour of UTC, and so does every change of its clocks. */
const SLOT_MS = 15 * 60_000

/** Zones whose formatter is kept, and slots whose day is. A formatter takes 50 µs to be made, a day 5 µs. */
const ZONES_MAX = 100
const SLOTS_MAX = 10_000

const formatters = new BoundedMap<string, Intl.DateTimeFormat | undefined>(ZONES_MAX)
const known = new BoundedMap<string, number>(SLOTS_MAX)

/**
 * The date that a moment has in a time zone, as a number of days since 1970. A day on which the clocks change has 23 or 25
 * hours. A zone that this runtime does not know counts as UTC.
 *
 * @param ms Unix ms.
 */
export function localDayOf(ms: number, timeZone: string): number {
  if (timeZone === 'UTC') return dayOf(ms)
  const slot = Math.floor(ms / SLOT_MS)
  const key = `${timeZone} ${slot}`
  const found = known.get(key)
  if (found !== undefined) return found
  const day = computeDay(slot * SLOT_MS, timeZone)
  known.set(key, day)
  return day
}

function computeDay(ms: number, timeZone: string): number {
  const formatter = findFormatter(timeZone)
  if (!formatter) return dayOf(ms)
  const parts = new Map(formatter.formatToParts(ms).map(({ type, value }) => [type, Number(value)]))
  const [year = 0, month = 1, day = 1] = [parts.get('year'), parts.get('month'), parts.get('day')]
  return Date.UTC(year, month - 1, day) / DAY_MS
}

function findFormatter(timeZone: string): Intl.DateTimeFormat | undefined {
  if (!formatters.has(timeZone)) formatters.set(timeZone, createFormatter(timeZone))
  return formatters.get(timeZone)
}

function createFormatter(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', {
      ...{ timeZone, year: 'numeric', month: 'numeric', day: 'numeric' },
    })
  } catch {
    return undefined
  }
}
