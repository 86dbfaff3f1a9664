/** A spreadsheet would run a text that begins like this as a formula, also after what it takes for the end of a cell. */
const FORMULA = /(?<=^|[;\t\r\n])(?=[=+\-@\t\r])/g

export type Cell = string | number | null

function writeCell(value: Cell): string {
  if (typeof value !== 'string') return value === null ? '' : String(value)
  const safe = value.replace(FORMULA, "'")
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Writes a table for spreadsheets, as the exports of the API do. */
export const writeCsv = (headings: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [headings, ...rows].map((row) => `${row.map(writeCell).join(',')}\r\n`).join('')
