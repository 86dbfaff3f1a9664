/** The value of a cell; null makes an empty one. */
export type Cell = string | number | null

/** Writes a table as CSV (RFC 4180) with a line of headings. */
export const toCsv = (headings: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [headings, ...rows].map((row) => `${row.map(toCell).join(',')}\r\n`).join('')

/**
 * A spreadsheet would run a text that begins like this as a formula. It may also split a text where its own language
 * separates cells: at semicolons, tabs or lines.
 */
const FORMULA = /(?<=^|[;\t\r\n])(?=[=+\-@\t\r])/g

function toCell(value: Cell): string {
  if (typeof value !== 'string') return value === null ? '' : String(value)
  const safe = value.replace(FORMULA, "'")
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/**
 * An answer that a browser saves as a file. Elysia sends a Response as it is, so a route may answer it in place of the JSON
 * that it declares.
 */
export const csvResponse = <Body>(name: string, csv: string): Body =>
  new Response(csv, {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${name}.csv"`,
      'cache-control': 'no-store',
    },
  }) as Body
