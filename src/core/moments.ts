/** Whether a text begins with a date that the calendar has; others would be taken for a day of the next month. */
function hasRealDate(text: string): boolean {
  const date = text.slice(0, 10)
  const day = Date.parse(date)
  return !Number.isNaN(day) && new Date(day).toISOString().slice(0, 10) === date
}

/**
 * Reads a date, or a date and time with an offset from UTC, of ISO 8601. The caller has checked the form.
 *
 * @returns Unix ms; undefined for a day or an hour that does not exist.
 */
export function readIsoMoment(text: string): number | undefined {
  const ms = Date.parse(text)
  return Number.isNaN(ms) || !hasRealDate(text) ? undefined : ms
}

const MOMENT = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?$/
const HAS_OFFSET = /(?:Z|[+-]\d\d:\d\d)$/

/**
 * Reads a date, or a date and time, of ISO 8601. A time without an offset is taken as UTC, as shops export it.
 *
 * @returns Unix ms; undefined for any other text.
 */
export function readTime(text: string): number | undefined {
  if (text.length > 40 || !MOMENT.test(text)) return undefined
  const isDate = text.length === 10
  if (!hasRealDate(text)) return undefined
  const ms = Date.parse(
    isDate || HAS_OFFSET.test(text) ? text.replace(' ', 'T') : `${text.replace(' ', 'T')}Z`,
  )
  return Number.isNaN(ms) ? undefined : ms
}
