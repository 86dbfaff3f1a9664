import { UnreadableFile } from '../../../../core/unreadable-file.ts'
import { type Delimiter, readCsv, readHeader } from './csv.ts'
import { decodeText, detectEncoding, type Encoding } from './encoding.ts'
import { readNdjson } from './ndjson.ts'
import { type ImportRecord, type OpenBytes, readHead } from './record.ts'
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
 * @throws UnreadableFile for a file that is empty or has no header.
 */
export async function openTable(open: OpenBytes, told?: TableFormat): Promise<Table> {
  const encoding = await detectEncoding(open)
  const format = told ?? (await guessFormat(open, encoding))
  if (format === 'ndjson') {
    return { format, encoding, columns: [], records: () => readNdjson(decodeText(open(), encoding)) }
  }
  if (format === 'xml') {
    const records = () => readXml(decodeText(open(), encoding))
    return { format, encoding, columns: await listElements(records()), records }
  }
  const options = { encoding, ...(format === 'tsv' && { delimiter: '\t' as const }) }
  const { columns, delimiter } = await readHeader(open, options)
  return { format, encoding, delimiter, columns, records: () => readCsv(open, { encoding, delimiter }) }
}

/** Tells formats apart by their first character; a table of text may begin with any other. */
async function guessFormat(open: OpenBytes, encoding: Encoding): Promise<TableFormat> {
  const head = new TextDecoder(encoding).decode(await readHead(open, 1024)).trimStart()
  if (head === '') throw new UnreadableFile('The file is empty')
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
