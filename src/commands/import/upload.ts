import { basename } from 'node:path'
import { OperatorError, wrongUsage } from '../../core/operator-error.ts'
import { UnreadableFile } from '../../core/unreadable-file.ts'
import { formatOf, TABLE_FORMATS, type TableFormat } from '../../features/catalogue/imports/formats/table.ts'
import { type ImportSource, openArchive, openSource } from '../../features/catalogue/imports/source.ts'
import { type FolderArchive, type FolderEntry, openFolder } from '../../platform/archives/folder.ts'
import { openZip, type ZipArchive, type ZipEntry } from '../../platform/archives/zip.ts'
import type { Call } from '../cli/command.ts'
import { isPicture, makePictureTable, PICTURE_TABLE } from './picture-table.ts'

/** The file or folder that a command line imports. */
export interface ImportUpload {
  /** As the operator names it. */
  name: string
  /** The file, if it is sent as it is: a small one. */
  whole: Blob | undefined
  /** Opens what is cut into parts. @throws UnreadableFile */
  open(): Promise<ImportSource>
  /** The parameters of the request. */
  query: URLSearchParams
  /** SHA-256 of the content, hex. Of a folder: of the names, sizes and times of its files. */
  hash: string
  /** Whether its table is a file, whose lines somebody can look up. */
  hasLines: boolean
  /** Remarks for the operator before the import. */
  notes: string[]
}

/** A larger file is cut into parts. One that is packed may be thirty times as large as it looks. */
const WHOLE_BYTES_MAX = 8 * 1024 * 1024
const WHOLE_PACKED_BYTES_MAX = 1024 * 1024

/** It is the operator's own file, so these keep only a mistake from filling the memory. */
const FILE_LIMITS = { tableBytesMax: 1e12, zipBytesMax: 1e13, zipEntriesMax: 2_000_000 }
const FOLDER_LIMITS = { entriesMax: 2_000_000, depthMax: 32 }

/** @throws OperatorError for a wrong option, or for what cannot be read. */
export async function readUpload({ options, positionals }: Call): Promise<ImportUpload> {
  const [path = ''] = positionals
  const { format } = options
  const chosen = TABLE_FORMATS.find((name) => name === format)
  if (format !== undefined && !chosen) throw wrongUsage(`--format must be one of ${TABLE_FORMATS.join(', ')}`)
  const mapping = readMapping(options['mapping'], options['map'])
  const query = new URLSearchParams({ ...(chosen && { format: chosen }), ...(mapping && { mapping }) })
  try {
    const file = Bun.file(path)
    const status = await file.stat()
    return status.isDirectory()
      ? await readFolder(path, query, chosen)
      : await readFile(path, file, query, chosen)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`Cannot read ${path}: ${(error as Error).message}`)
  }
}

async function readFile(
  path: string,
  file: Blob,
  query: URLSearchParams,
  chosen: TableFormat | undefined,
): Promise<ImportUpload> {
  const hasher = new Bun.CryptoHasher('sha256')
  let size = 0
  let head = new Uint8Array()
  for await (const piece of file.stream()) {
    if (size === 0) head = piece.slice(0, 4)
    size += piece.length
    hasher.update(piece)
  }
  if (size === 0) throw new OperatorError(`${path} is empty`)
  const isPacked = (head[0] === 0x1f && head[1] === 0x8b) || (head[0] === 0x50 && head[1] === 0x4b)
  const format = chosen ?? formatOf(basename(path).replace(/\.gz$/i, ''))
  if (format) query.set('format', format)
  const source = { path, open: () => file.stream(), name: basename(path), format: chosen }
  return {
    name: path,
    whole: size <= (isPacked ? WHOLE_PACKED_BYTES_MAX : WHOLE_BYTES_MAX) ? file : undefined,
    open: () => openSource(source, openZip, FILE_LIMITS),
    query,
    hash: hasher.digest('hex'),
    hasLines: true,
    notes: [],
  }
}

async function readFolder(
  path: string,
  query: URLSearchParams,
  chosen: TableFormat | undefined,
): Promise<ImportUpload> {
  const folder = await openFolder(path, FOLDER_LIMITS)
  const { archive, notes } = arrange(folder)
  return {
    name: path,
    whole: undefined,
    open: () => openArchive(archive, chosen, FILE_LIMITS),
    query,
    hash: hashFolder(folder),
    hasLines: !archive.entries.has(PICTURE_TABLE) || folder.entries.has(PICTURE_TABLE),
    notes,
  }
}

/**
 * Makes of a folder what a zip file would hold: one table and its pictures.
 *
 * @throws UnreadableFile for a folder without pictures and tables, and for one with several tables.
 */
function arrange({ entries, skipped }: FolderArchive): { archive: ZipArchive; notes: string[] } {
  const files: ReadonlyMap<string, FolderEntry> = entries
  const tables = [...files.keys()].filter((path) => !path.includes('/') && formatOf(path) !== undefined)
  const others = [...files.keys()].filter((path) => formatOf(path) === undefined)
  const table = tables.length > 1 ? tables.find((path) => /^products\.[^.]+$/i.test(path)) : tables[0]
  const notes = skipped > 0 ? [`${skipped} symbolic links and special files were left out`] : []
  const kept = new Map<string, ZipEntry>(others.flatMap((path) => pick(files, path)))
  if (table === undefined && tables.length > 1) {
    throw new UnreadableFile(`the folder holds several tables, and none is products.*: ${tables.join(', ')}`)
  }
  if (table !== undefined) for (const [path, entry] of pick(files, table)) kept.set(path, entry)
  else {
    const strange = others.filter((path) => !isPicture(path)).length
    if (strange === others.length) throw new UnreadableFile('the folder holds neither a table nor pictures')
    if (strange > 0) notes.push(`${strange} files that are no pictures were left out`)
    kept.set(PICTURE_TABLE, makePictureTable(others))
  }
  return { archive: { entries: kept, close: () => {} }, notes }
}

const pick = (files: ReadonlyMap<string, ZipEntry>, path: string): [string, ZipEntry][] => {
  const entry = files.get(path)
  return entry ? [[path, entry]] : []
}

function hashFolder({ entries }: FolderArchive): string {
  const hasher = new Bun.CryptoHasher('sha256')
  for (const { path, bytes, changedAt } of entries.values()) {
    hasher.update(`${JSON.stringify([path, bytes, changedAt])}\n`)
  }
  return hasher.digest('hex')
}

/**
 * Joins what `--mapping` and `--map` say; of both, `--map` wins.
 *
 * @param pairs `field=Column`, one a line. A field that is named twice takes the first of its columns that has a value.
 * @returns JSON, or undefined without either.
 * @throws OperatorError
 */
function readMapping(json: string | undefined, pairs: string | undefined): string | undefined {
  const whole = json === undefined ? {} : parseObject(json)
  if (whole === undefined) throw wrongUsage('--mapping must be a JSON object')
  const single = new Map<string, string[]>()
  for (const pair of pairs?.split('\n') ?? []) {
    const at = pair.indexOf('=')
    const [field, column] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
    if (at < 1 || field === '')
      throw wrongUsage(`--map takes FIELD=COLUMN, as in image_url=Photo, but got "${pair}"`)
    const columns = single.get(field) ?? []
    // A field without a column is left out.
    single.set(field, column === '' ? columns : [...columns, column])
  }
  if (json === undefined && single.size === 0) return undefined
  return JSON.stringify({ ...whole, ...Object.fromEntries(single) })
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
