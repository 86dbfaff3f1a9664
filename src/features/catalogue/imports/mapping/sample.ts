import { turn } from '../../../../core/turns.ts'
import type { Cells, ImportRecord } from '../formats/record.ts'
import { headerKey } from './headers.ts'
import { splitAddresses } from './values.ts'

/** The first rows of a table, by which columns are known that their names do not tell. */
export interface Sample {
  rows: readonly Cells[]
  /** Whether a picture of this name came along. */
  isPicture(name: string): boolean
}

export const NO_SAMPLE: Sample = { rows: [], isPicture: () => false }

const ROWS = 50

/** Characters of all cells and their columns' names that are read for a sample: a few rows may be as large as thousands. */
const CHARS_MAX = 4 * 1024 * 1024

/** The longest beginning of a cell that is looked at. */
const CELL_CHARS = 2_048

/** Reads the first rows of a table. @throws UnreadableFile as the table does. */
export async function readSample(source: {
  table: { records(): AsyncIterable<ImportRecord> }
  findPicture(name: string): unknown
}): Promise<Sample> {
  const rows: Cells[] = []
  let chars = 0
  for await (const record of source.table.records()) {
    if (!('cells' in record)) {
      if ('product' in record) break
      continue
    }
    rows.push(record.cells)
    for (const [column, cells] of record.cells) {
      chars += column.length
      for (const cell of cells) chars += cell.length
    }
    if (rows.length >= ROWS || chars > CHARS_MAX) break
  }
  return { rows, isPicture: (name) => source.findPicture(name) !== undefined }
}

/** The filled cells of a column, cut to what a look needs. */
export const listValues = ({ rows }: Sample, column: string): string[] =>
  rows.flatMap((cells) =>
    (cells.get(column) ?? []).map((cell) => cell.slice(0, CELL_CHARS).trim()).filter((cell) => cell !== ''),
  )

/** Values that are shown of a column, and characters of one and of all columns together. */
const SHOWN = 5
const SHOWN_CHARS = 100
const ALL_SHOWN_CHARS = 256 * 1024
/** Columns that are looked at in one step. */
const COLUMNS_AT_ONCE = 50

/** Lists the first distinct values of each column. Columns behind a bound have none, because an answer must stay small. */
export async function listSamples(
  sample: Sample,
  columns: readonly string[],
): Promise<Record<string, string[]>> {
  const found = new Map<string, string[]>()
  let chars = 0
  for (const [n, column] of columns.entries()) {
    if (n % COLUMNS_AT_ONCE === COLUMNS_AT_ONCE - 1) await turn()
    if (chars > ALL_SHOWN_CHARS) break
    const values = new Set(listValues(sample, column).map(shorten))
    const shown = [...values].slice(0, SHOWN)
    chars += column.length + shown.reduce((sum, { length }) => sum + length, 0)
    found.set(column, shown)
  }
  return Object.fromEntries(found)
}

/** Cuts a text to what an answer shows of it, between two characters. */
export const shorten = (value: string): string =>
  value.length <= SHOWN_CHARS ? value : Array.from(value).slice(0, SHOWN_CHARS).join('')

const HTTP = /^https?:\/\/[^\s/]/i
const PICTURE_FILE = /\.(?:jpe?g|png|webp|avif|gif)(?=$|[?#&])/i
const MERE_FILE = /\.(?:jpe?g|png|webp|avif|gif)$/i
const NO_PAGE = /image|img|photo|picture|thumb|media|cdn/i
const PAGE_FILE = /\.(?:html?|php|aspx?|jsp)$/i
const PAGE_FOLDER =
  /\/(?:products?|produkte?|produit|produits|productos?|prodotto|prodotti|produtos?|product-page|artikel|item|p|shop|tovar)\/[^/]/i

/** Classifies a cell: the address or the name of a picture, the address of a page, another address, or none of them. */
function tellKind(
  cell: string,
  isPicture: Sample['isPicture'],
): 'picture' | 'file' | 'page' | 'address' | 'none' {
  if (/^data:image\//i.test(cell)) return 'picture'
  const [first = ''] = splitAddresses(cell)
  if (HTTP.test(first)) {
    if (PICTURE_FILE.test(first)) return 'picture'
    return isPage(first) ? 'page' : 'address'
  }
  const [name = ''] = first.split(',')
  if (isPicture(first) || isPicture(name.trim())) return 'picture'
  return first.length <= 300 && !first.includes('<') && MERE_FILE.test(first) ? 'file' : 'none'
}

/** Whether an address looks like that of a page: many picture servers use addresses without an ending, too. */
function isPage(address: string): boolean {
  const path = address.split(/[?#]/, 1)[0] as string
  const folders = path.slice(path.indexOf('://') + 3)
  const start = folders.indexOf('/')
  if (start < 0 || folders.endsWith('/')) return true
  if (NO_PAGE.test(folders)) return false
  return PAGE_FILE.test(folders) || PAGE_FOLDER.test(folders.slice(start))
}

/** The kind of the values in a column, judged by a sample. */
export interface ColumnKind {
  filled: number
  pictures: number
  /** Names that end like pictures, of which none came along. */
  files: number
  pages: number
  addresses: number
  /** The first page. */
  example: string
}

export function tellColumn(sample: Sample, column: string): ColumnKind {
  const kind: ColumnKind = { filled: 0, pictures: 0, files: 0, pages: 0, addresses: 0, example: '' }
  for (const cell of listValues(sample, column)) {
    kind.filled++
    const found = tellKind(cell, sample.isPicture)
    if (found === 'picture') kind.pictures++
    if (found === 'file') kind.files++
    if (found === 'address') kind.addresses++
    if (found === 'page' && kind.pages++ === 0) kind.example = cell.slice(0, 200)
  }
  return kind
}

/** Most of its values are pictures. */
const holdsPictures = ({ filled, pictures, files }: ColumnKind): boolean => 2 * (pictures + files) > filled

/** Nearly all of its values are pages and none is a picture. */
export const holdsPages = ({ filled, pictures, files, pages }: ColumnKind): boolean =>
  filled > 0 && pictures + files === 0 && 10 * pages >= 8 * filled

/** Pictures of something else, or the same one once more. */
const SIDE_PICTURE = /thumb|small|swatch|logo|icon|brand|manufacturer|category|avatar|alt\b/

/**
 * The columns of pictures among those given, the best first: a picture that can be fetched goes before the name of a file,
 * and a product's picture before its thumbnail.
 */
export function findPictureColumns(sample: Sample, columns: readonly string[]): string[] {
  const rank = (column: string, { files, pictures }: ColumnKind) =>
    (SIDE_PICTURE.test(headerKey(column)) ? 2 : 0) + (files > pictures ? 1 : 0)
  return columns
    .map((column) => ({ column, kind: tellColumn(sample, column) }))
    .filter(({ kind }) => holdsPictures(kind))
    .map(({ column, kind }) => ({ column, rank: rank(column, kind) }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ column }) => column)
}

/** Whether a column is that of a thumbnail or of another thing's picture. */
export const isSidePicture = (column: string): boolean => SIDE_PICTURE.test(headerKey(column))

/** The column that a mapping might name for the picture or the id, where none was found. */
export function suggestColumn(field: string, columns: readonly string[], sample: Sample): string | undefined {
  const named = columns.filter((column) => column !== '')
  if (field === 'image_url') {
    const addresses = named.map((column) => {
      const { addresses, pictures, files } = tellColumn(sample, column)
      return { column, count: addresses + pictures + files }
    })
    const [best] = addresses.toSorted((a, b) => b.count - a.count)
    return best && best.count > 0 ? best.column : undefined
  }
  const isUnique = (column: string) => {
    const values = listValues(sample, column)
    const isId = values.every((value) => value.length <= 64 && !HTTP.test(value))
    return values.length === sample.rows.length && isId && new Set(values).size === values.length
  }
  return named.find(isUnique) ?? named[0]
}
