import { isoTime } from '../../../../core/clock.ts'

/** Whether a day without a time means its beginning or its end. */
export type DaySide = 'start' | 'end'

const ISO =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?: ?(Z|[+-]\d{2}:?\d{2}))?)?$/i
/** 24.12.2026, and 12/24/2026 or 24/12/2026, of which only one is a date. */
const POINTS = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?: (\d{1,2}):(\d{2})(?::(\d{2}))?)?$/
const SLASHES = /^(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})(?:,? (\d{1,2}):(\d{2})(?::\d{2})? ?([ap]m)?)?$/i
const NO_DATE = /^0{4}-0{1,2}-0{1,2}/

/** A cell for a date that holds none: empty, or the zeros that some shops write. */
export const isNoDate = (cell: string): boolean => cell.trim() === '' || NO_DATE.test(cell.trim())

/**
 * Reads a date, with or without a time of day; without a time zone it is UTC.
 *
 * @param monthFirst how a date with slashes reads that is two: 3/4/2026.
 * @returns ISO 8601, or undefined if it is not a date.
 */
export function readDate(cell: string, side: DaySide, monthFirst: boolean): string | undefined {
  if (cell.length > 64) return undefined
  const text = cell.trim()
  const unix = /^\d{10}$/.test(text) ? Number(text) * 1000 : undefined
  if (unix !== undefined) return isoTime(unix)
  const iso = ISO.exec(text)
  if (iso) return toIso(iso.slice(1, 4), iso.slice(4, 7), side, readOffset(iso[7]))
  const points = POINTS.exec(text)
  if (points) return toIso([points[3], points[2], points[1]], points.slice(4, 7), side)
  const slashes = SLASHES.exec(text)
  if (!slashes) return undefined
  const [, one = '', two = '', shortYear = '', hour, minute, half] = slashes
  const year = shortYear.length === 2 ? `20${shortYear}` : shortYear
  const isMonthFirst = Number(one) > 12 ? false : Number(two) > 12 ? true : monthFirst
  return toIso([year, ...(isMonthFirst ? [one, two] : [two, one])], [toHour24(hour, half), minute], side)
}

function toHour24(hour: string | undefined, half: string | undefined): string | undefined {
  if (hour === undefined || half === undefined) return hour
  return String((Number(hour) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0))
}

/** Minutes ahead of UTC. */
function readOffset(zone: string | undefined): number {
  if (zone === undefined || /^z$/i.test(zone)) return 0
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))]
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

function toIso(
  day: readonly (string | undefined)[],
  time: readonly (string | undefined)[],
  side: DaySide,
  offset = 0,
): string | undefined {
  const [year = 0, month = 0, date = 0] = day.map(Number)
  const isWhole = time[0] === undefined
  const [hour, minute, second] = isWhole
    ? side === 'start'
      ? [0, 0, 0]
      : [23, 59, 59]
    : [0, 1, 2].map((n) => Number(time[n] ?? 0))
  const at = new Date(Date.UTC(year, month - 1, date, hour, minute, second))
  const isThere = at.getUTCFullYear() === year && at.getUTCMonth() === month - 1 && at.getUTCDate() === date
  return isThere ? isoTime(at.getTime() - offset * 60_000) : undefined
}
