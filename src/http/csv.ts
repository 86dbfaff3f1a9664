/** The value of a cell; null makes an empty one. */
export type Cell = string | number | null

/** Writes a table as CSV (RFC 4180) with a line of headings. */
export const toCsv = (headings: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [headings, ...rows].map(toCsvLine).join('')

/** Writes one row, with its line end. */
export const toCsvLine = (row: readonly Cell[]): string => `${row.map(toCell).join(',')}\r\n`

/**
 * A spreadsheet would run a text that begins like this as a formula. It may also split a text where its own language
 * separates cells: at semicolons, tabs or lines.
 */
const FORMULA = /(?<=^|[;\t\r\n])(?=[=+\-@\t\r])/g

/** What {@link guardFormulas} puts in. */
const GUARD = /(?<=^|[;\t\r\n])'(?=[=+\-@\t\r])/g

/** Puts `'` in front of whatever a spreadsheet would run. */
export const guardFormulas = (text: string): string => text.replace(FORMULA, "'")

/** Takes the `'` of {@link guardFormulas} out again; also one that a text had of its own in such a place. */
export const unguardFormulas = (text: string): string => text.replace(GUARD, '')

function toCell(value: Cell): string {
  if (typeof value !== 'string') return value === null ? '' : String(value)
  const safe = guardFormulas(value)
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/**
 * An answer that a browser saves as a file. Elysia sends a Response as it is, so a route may answer it in place of the JSON
 * that it declares.
 */
export const csvResponse = <Body>(name: string, csv: string | ReadableStream<Uint8Array>): Body =>
  new Response(csv, { headers: { ...csvFileHeaders(name), 'cache-control': 'no-store' } }) as Body

/** @param name of the file, without its ending. */
export const csvFileHeaders = (name: string) => ({
  'content-type': 'text/csv; charset=utf-8',
  'content-disposition': `attachment; filename="${name}.csv"`,
  'x-accel-buffering': 'no',
})

/** The content of such a file in the API's document. */
export const CSV = { 'text/csv': { schema: { type: 'string' } } } as const

/**
 * Writes a table of any length, some rows at a time as the client takes them.
 *
 * @param parts the next rows each time, read when they are asked for. If that throws, the connection is reset, which tells
 * the client that the table is not whole.
 */
export function streamCsv(
  headings: readonly string[],
  parts: Iterator<readonly (readonly Cell[])[]>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(toCsvLine(headings))),
    pull(controller) {
      try {
        const { done, value } = parts.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value.map(toCsvLine).join('')))
      } catch {
        controller.error()
      }
    },
  })
}
