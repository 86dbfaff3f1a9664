import { type OpenBytes, readHead } from '../../../../core/open-bytes.ts'
import { UnreadableFile } from '../../../../core/unreadable-file.ts'
import { type Delimiter, readCsv, readHeader } from './csv.ts'
import { decodeText, detectEncoding, type Encoding } from './encoding.ts'
import { ForeignFile } from './foreign-file.ts'
import { readNdjson } from './ndjson.ts'
import type { ImportRecord, OnRecord } from './record.ts'
import { readXml } from './xml.ts'

export const TABLE_FORMATS = ['csv', 'tsv', 'ndjson', 'xml'] as const
export type TableFormat = (typeof TABLE_FORMATS)[number]

/** A file of products, ready to be read from its start as often as needed. */
export interface Table {
  format: TableFormat
  encoding: Encoding
  delimiter?: Delimiter
  /** Names of the columns. Those of XML are the elements of its first products; NDJSON has none. */
  columns: string[]
  records(): AsyncGenerator<ImportRecord>
}

/** Products of a feed in XML that are read to learn which elements it has. */
const XML_SAMPLE = 100

/** How a file ends, or what its sender calls it, by format. */
const NAMES: readonly (readonly [RegExp, TableFormat])[] = [
  [/\.csv$|^text\/csv$/i, 'csv'],
  [/\.(tsv|tab)$|^text\/tab-separated-values$/i, 'tsv'],
  [/\.(ndjson|jsonl)$|^application\/(x-)?(ndjson|jsonl(ines)?)$/i, 'ndjson'],
  [/\.(xml|rss|atom)$|^(application|text)\/(\w+\+)?xml$/i, 'xml'],
]

/** The format that a name of a file or a media type tells; undefined for one that tells none. */
export const formatOf = (name: string): TableFormat | undefined =>
  NAMES.find(([pattern]) => pattern.test(name))?.[1]

/**
 * Looks at a file of products.
 *
 * @param told the format if its sender names one; otherwise the content decides.
 * @param onRecord receives the records as they are read.
 * @throws UnreadableFile for a file that is empty or has no header.
 */
export async function openTable(open: OpenBytes, told?: TableFormat, onRecord?: OnRecord): Promise<Table> {
  const encoding = await detectEncoding(open)
  const format = told ?? (await guessFormat(open, encoding))
  if (format === 'ndjson') {
    const records = () => readNdjson(decodeText(open(), encoding), onRecord)
    return { format, encoding, columns: [], records }
  }
  if (format === 'xml') {
    const text = () => decodeText(open(), encoding)
    return {
      ...{ format, encoding },
      columns: await listElements(readXml(text())),
      records: () => readXml(text(), onRecord),
    }
  }
  const options = { encoding, ...(format === 'tsv' && { delimiter: '\t' as const }) }
  const { columns, delimiter } = await readHeader(open, options)
  // A table needs two columns. What its sender calls a table keeps its name, and its own words.
  if (columns.length === 1 && told === undefined) throw noTable(columns[0] ?? '')
  const records = () => readCsv(open, { encoding, delimiter, onRecord })
  return { format, encoding, delimiter, columns, records }
}

const noTable = (first: string): UnreadableFile => {
  const shown = first.length > 60 ? `${first.slice(0, 60)}…` : first
  return new UnreadableFile(
    `The file is text, but no table: its first line, ${JSON.stringify(shown)}, has one column. Products come as CSV, TSV, NDJSON or XML`,
    1,
  )
}

/** Tells formats apart by their first character; a table of text may begin with any other. */
async function guessFormat(open: OpenBytes, encoding: Encoding): Promise<TableFormat> {
  const head = new TextDecoder(encoding).decode(await readHead(open, 1024)).trimStart()
  if (head === '') throw new UnreadableFile('The file is empty')
  if (/^<(!doctype +html|html|head|body)[ >]/i.test(head)) throw new ForeignFile('a page (text/html)')
  if (head.startsWith('<')) return 'xml'
  return head.startsWith('{') ? 'ndjson' : 'csv'
}

async function listElements(records: AsyncIterable<ImportRecord>): Promise<string[]> {
  const names = new Set<string>()
  let count = 0
  for await (const record of records) {
    if ('cells' in record) for (const name of record.cells.keys()) names.add(name)
    if (++count === XML_SAMPLE) break
  }
  return [...names]
}
