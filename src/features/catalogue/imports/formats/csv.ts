import { CsvError, type Info, parse } from 'csv-parse'
import type { OpenBytes } from '../../../../core/open-bytes.ts'
import { turn } from '../../../../core/turns.ts'
import { UnreadableFile } from '../../../../core/unreadable-file.ts'
import { decodeText, type Encoding } from './encoding.ts'
import { type Cells, COLUMNS_MAX, type ImportRecord, type OnRecord, RECORD_BYTES_MAX } from './record.ts'
import { splitLines } from './text-lines.ts'

export const DELIMITERS = [',', ';', '\t', '|'] as const
export type Delimiter = (typeof DELIMITERS)[number]

/** How often reading goes on behind a quote that is never closed, because each time the file is read again up to there. */
const RESUMES_MAX = 20

interface CsvOptions {
  encoding: Encoding
  /** Found by the header where it is missing. */
  delimiter?: Delimiter | undefined
  onRecord?: OnRecord | undefined
}

/** The header of a table. */
export interface Header {
  columns: string[]
  delimiter: Delimiter
  /** The line on which it begins, from 1. */
  line: number
}

/**
 * Reads the names of the columns.
 *
 * @throws UnreadableFile for a file without a header, and with too many columns.
 */
export async function readHeader(open: OpenBytes, { encoding, delimiter }: CsvOptions): Promise<Header> {
  let line = 0
  for await (const content of splitLines(decodeText(open(), encoding))) {
    line++
    if (content.trim() === '') continue
    const chosen = delimiter ?? guessDelimiter(content)
    const cells = await readFirstRow({ open, encoding, delimiter: chosen, isLoose: true, from: line })
    if (cells) {
      const columns = cells.map((cell) => cell.trim())
      if (columns.length <= COLUMNS_MAX) return { columns, delimiter: chosen, line }
      throw new UnreadableFile(
        `The table has ${columns.length} columns; at most ${COLUMNS_MAX} are read`,
        line,
      )
    }
    break
  }
  throw new UnreadableFile('The file has no header')
}

/** @throws UnreadableFile for a row that breaks the rules of quotes. */
async function readFirstRow(table: Table): Promise<string[] | undefined> {
  try {
    for await (const { cells } of readRows(table)) return cells
    return undefined
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const message = `The header in line ${table.from} has a quote that is never closed, or is longer than 1 MiB`
    throw new UnreadableFile(message, table.from, error)
  }
}

/**
 * Reads the rows of a table by the names of its header. A row that is empty is left out. A row with more cells than the
 * header is a problem of its own, and so is one whose quote is never closed.
 *
 * Quotes are read by the rules (RFC 4180) up to the first row that breaks them. From there on a quote inside a cell, as in
 * `5" pipe`, is a character.
 *
 * @throws UnreadableFile as `readHeader`, and where too many quotes stay open.
 */
export async function* readCsv(open: OpenBytes, options: CsvOptions): AsyncGenerator<ImportRecord> {
  const { columns, delimiter, line: headerLine } = await readHeader(open, options)
  const table = { open, encoding: options.encoding, delimiter }
  let from = headerLine
  let isLoose = false
  for (let resumes = 0; ; resumes++) {
    try {
      for await (const row of readRows({ ...table, isLoose, from })) {
        if (isLoose && row.cells.some(isTornOpen)) throw new OpenQuote()
        from = row.next
        const rest = options.onRecord?.()
        if (rest) await rest
        if (row.line !== headerLine) yield* nameRow(columns, row)
      }
      return
    } catch (error) {
      if (!isBrokenRow(error)) throw error instanceof CsvError ? unreadable(from, error) : error
      if (resumes === RESUMES_MAX) throw new UnreadableFile('Too many quotes are never closed', from, error)
      if (isLoose) {
        yield { line: from, problem: 'A quote in the row is never closed, or the row is longer than 1 MiB' }
        from++
      }
      isLoose = true
    }
  }
}

const unreadable = (line: number, error: CsvError): UnreadableFile =>
  new UnreadableFile(`The table cannot be read at line ${line}: ${error.message}`, line, error)

class OpenQuote extends Error {
  override name = 'OpenQuote'
}

const BROKEN_ROW = /^(CSV_)?(INVALID_(OPENING|CLOSING)_QUOTE|QUOTE_NOT_CLOSED|MAX_RECORD_SIZE)$/

const isBrokenRow = (error: unknown): boolean =>
  error instanceof OpenQuote ||
  (error instanceof Error && 'code' in error && BROKEN_ROW.test(String(error.code)))

/** The reader of loose quotes ends a cell without a closing quote at the next quote, which may be rows away. */
const isTornOpen = (cell: string): boolean => cell.startsWith('"') && cell.includes('\n')

function* nameRow(columns: readonly string[], { line, cells }: Row): Generator<ImportRecord> {
  if (cells.length > columns.length) {
    yield { line, problem: `The row has ${cells.length} cells and the header ${columns.length}` }
  } else if (cells.some((cell) => cell.trim() !== '')) {
    yield { line, cells: nameCells(columns, cells) }
  }
}

interface Row {
  /** Where it begins. */
  line: number
  cells: string[]
  /** The line behind it. */
  next: number
}

interface Table {
  open: OpenBytes
  encoding: Encoding
  delimiter: Delimiter
  /** Whether a quote inside a cell is a character. */
  isLoose: boolean
  /** The first line to read. */
  from: number
}

/** @throws CsvError */
async function* readRows({ open, encoding, delimiter, isLoose, from }: Table): AsyncGenerator<Row> {
  const parser = parse({
    delimiter,
    record_delimiter: '\n',
    info: true,
    relax_column_count: true,
    relax_quotes: isLoose,
    max_record_size: RECORD_BYTES_MAX,
  })
  let failure: Error | undefined
  parser.on('error', (error) => {
    failure = error
  })
  let line = from
  // Rows are taken before the next piece is written: a failure would throw away those that wait.
  function* takeRows(): Generator<Row> {
    for (let found = parser.read(); found !== null; found = parser.read()) {
      const { record, info } = found as { record: string[]; info: Info }
      const next = from + info.lines
      yield { line, cells: record, next }
      line = next
    }
  }
  for await (const text of skipLines(decodeText(open(), encoding), from - 1)) {
    parser.write(text)
    yield* takeRows()
    if (failure) throw failure
  }
  parser.end()
  yield* takeRows()
  await turn()
  yield* takeRows()
  if (failure) throw failure
}

async function* skipLines(text: AsyncIterable<string>, count: number): AsyncGenerator<string> {
  let left = count
  for await (const chunk of text) {
    let start = 0
    for (; left > 0 && start >= 0; left--) {
      const end = chunk.indexOf('\n', start)
      if (end < 0) {
        start = -1
        break
      }
      start = end + 1
    }
    if (start >= 0 && start < chunk.length) yield chunk.slice(start)
  }
}

/** The delimiter that the header has most of, outside quotes. */
export function guessDelimiter(header: string): Delimiter {
  const pieces = header.split('"')
  // Every other piece stands in quotes; the last one stands behind a quote that is not closed.
  const bare = pieces.filter((_, n) => n % 2 === 0 || n === pieces.length - 1).join('')
  const count = (delimiter: string) => bare.split(delimiter).length
  return DELIMITERS.reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best))
}

/** A cell this short is cheap to trim. */
const SHORT_CHARS = 64

function nameCells(columns: readonly string[], cells: readonly string[]): Cells {
  const named = new Map<string, string[]>()
  for (const [n, given] of cells.entries()) {
    const column = columns[n]
    if (column === undefined || column === '') continue
    // Each field that reads a long blank cell would scan all of it.
    const cell = given.length > SHORT_CHARS && given.trim() === '' ? '' : given
    const known = named.get(column)
    if (known) known.push(cell)
    else named.set(column, [cell])
  }
  return named
}
