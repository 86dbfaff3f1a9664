import { isGzip, unpackGzip } from '../../../core/gzip.ts'
import { type OpenBytes, readHead } from '../../../core/open-bytes.ts'
import { MAGIC_BYTES } from '../../../core/picture-type.ts'
import { UnreadableFile } from '../../../core/unreadable-file.ts'
import type { ZipArchive, ZipEntry, ZipLimits } from '../../../platform/archives/zip.ts'
import { ForeignFile, findForeignKind } from './formats/foreign-file.ts'
import { formatOf, openTable, type Table, type TableFormat } from './formats/table.ts'
import type { Pace } from './pace.ts'

/** A file on the disk that a merchant wants to import. */
export interface ImportFile {
  path: string
  open: OpenBytes
  /** The name of the file or its media type, as the sender states it. */
  name?: string | undefined
  /** The format that the sender states. */
  format?: TableFormat | undefined
}

export type OpenZip = (path: string, limits: ZipLimits) => Promise<ZipArchive>

export interface ImportSource {
  table: Table
  /** The bytes of the table, unpacked. */
  open: OpenBytes
  /** Where the table lies in its archive. */
  tablePath?: string | undefined
  packing: 'none' | 'gzip' | 'zip'
  /** The pictures that came along. @returns undefined for a name that none has. */
  findPicture(name: string): ZipEntry | undefined
  close(): void
}

export interface SourceLimits {
  tableBytesMax: number
  zipBytesMax: number
  zipEntriesMax: number
}

const SOURCE_LIMITS: SourceLimits = {
  /** Unpacked bytes of the table. */
  tableBytesMax: 250_000_000,
  /** Unpacked bytes of a zip file, and the files in it. */
  zipBytesMax: 4_000_000_000,
  zipEntriesMax: 100_000,
}

/**
 * Opens a file of products: a table, a table packed with gzip, or a zip file with one table and its pictures.
 *
 * @param pace for reading beside other work.
 * @throws UnreadableFile with words for whoever gave the file.
 */
export async function openSource(
  file: ImportFile,
  openZip: OpenZip,
  limits = SOURCE_LIMITS,
  pace?: Pace,
): Promise<ImportSource> {
  const head = await readHead(file.open, MAGIC_BYTES)
  const foreign = findForeignKind(head)
  if (foreign !== undefined) throw new ForeignFile(foreign)
  if (isZip(head)) {
    const zip = await openZip(file.path, { entriesMax: limits.zipEntriesMax, bytesMax: limits.zipBytesMax })
    return openArchive(zip, file.format, limits, pace)
  }
  const told = file.format ?? formatOf((file.name ?? '').replace(/\.gz$/i, ''))
  const plain = { findPicture: () => undefined, close: () => {} }
  if (isGzip(head)) {
    const open = paced(unpackGzip(file.open, limits.tableBytesMax), pace)
    return { ...plain, open, packing: 'gzip', table: await openTable(open, told, pace?.next) }
  }
  const open = paced(file.open, pace)
  return { ...plain, open, packing: 'none', table: await openTable(open, told, pace?.next) }
}

const paced = (open: OpenBytes, pace: Pace | undefined): OpenBytes => pace?.read(open) ?? open

/**
 * Opens an archive with one table and its pictures, and closes it if that fails.
 *
 * @throws UnreadableFile with words for whoever gave the file.
 */
export async function openArchive(
  zip: ZipArchive,
  format: TableFormat | undefined,
  { tableBytesMax }: Pick<SourceLimits, 'tableBytesMax'>,
  pace?: Pace,
): Promise<ImportSource> {
  try {
    const entry = findTable(zip)
    if (entry.bytes > tableBytesMax) throw new UnreadableFile(`${entry.path} is too large`)
    const open = paced(entry.open, pace)
    const table = await openTable(open, format ?? formatOf(entry.path), pace?.next)
    return {
      packing: 'zip',
      table,
      open,
      tablePath: entry.path,
      findPicture: createPictureFinder(zip, entry.path),
      close: zip.close,
    }
  } catch (error) {
    zip.close()
    throw error
  }
}

const isZip = (head: Uint8Array): boolean =>
  head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4

/** Files that archiving programs add. */
const isAside = (path: string): boolean => /(^|\/)(__MACOSX|\.[^/]*)(\/|$)/.test(path)

function findTable(zip: ZipArchive): ZipEntry {
  const tables = [...zip.entries.values()].filter(
    ({ path }) => !isAside(path) && formatOf(path) !== undefined,
  )
  const [table, ...others] = tables
  if (!table) throw new UnreadableFile('The zip file holds no table: a .csv, .tsv, .ndjson or .xml file')
  if (others.length > 0) {
    throw new UnreadableFile(
      `The zip file holds ${tables.length} tables, and one is read: ${tables
        .slice(0, 5)
        .map(({ path }) => path)
        .join(', ')}`,
    )
  }
  return table
}

/**
 * Finds pictures by what a table calls them: the path from the archive's root or from the table's folder, or the mere
 * name where only one file has it. Case does not count.
 */
function createPictureFinder(zip: ZipArchive, tablePath: string): ImportSource['findPicture'] {
  const byPath = new Map<string, ZipEntry>()
  const byName = new Map<string, ZipEntry | undefined>()
  for (const entry of zip.entries.values()) {
    if (isAside(entry.path)) continue
    const path = entry.path.toLowerCase()
    byPath.set(path, entry)
    const name = path.slice(path.lastIndexOf('/') + 1)
    byName.set(name, byName.has(name) ? undefined : entry)
  }
  const folder = tablePath.slice(0, tablePath.lastIndexOf('/') + 1).toLowerCase()
  return (name) => {
    const path = name
      .replaceAll('\\', '/')
      .replace(/^\.?\/+/, '')
      .toLowerCase()
    return byPath.get(folder + path) ?? byPath.get(path) ?? byName.get(path.slice(path.lastIndexOf('/') + 1))
  }
}
