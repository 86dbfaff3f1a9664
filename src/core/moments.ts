/** Whether a text begins with a date that the calendar has; others would be taken for a day of the next month. */
export function hasRealDate(text: string): boolean {
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
