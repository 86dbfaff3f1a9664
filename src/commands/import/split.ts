import { LIMITS } from '../../core/limits.ts'
import type { OpenBytes } from '../../core/open-bytes.ts'
import { turn } from '../../core/turns.ts'
import type { ImportRecord } from '../../features/catalogue/imports/formats/record.ts'
import { planImport } from '../../features/catalogue/imports/mapping/plan.ts'
import { splitAddresses } from '../../features/catalogue/imports/mapping/values.ts'
import type { ImportSource } from '../../features/catalogue/imports/source.ts'
import type { ZipEntry } from '../../platform/archives/zip.ts'

/** A piece of a table that is imported as a job of its own. */
export interface Part {
  /** From 0. */
  number: number
  /** Its first record, from 0. */
  start: number
  /** Its lines in the table, from 1; the last one is behind the part. In XML several records may share a line. */
  from: number
  to: number
  /** Rows, lines or elements. */
  records: number
  /** About as many products, for the progress. */
  products: number
  /** The pictures that its records name. */
  pictures: ZipEntry[]
}

export interface PartLimits {
  records: number
  /** Of the table and of the pictures together; a part ends before the record that goes beyond. */
  bytes: number
}

/** A job of this size is soon done, and a part fits easily into one request even where its last product is a large one. */
export const PART_LIMITS: PartLimits = { records: 5_000, bytes: 32 * 1024 * 1024 }

/** A variation takes from its product what it lacks, so both should lie in one part: as much as a request may have. */
const FAMILY_LIMITS: PartLimits = { records: 100_000, bytes: 90 * 1024 * 1024 }

/** Records that are read in one turn of the event loop: some milliseconds. */
const TURN_RECORDS = 50

/**
 * Reads a table to its end and says where to cut it. Rows of one product stay together. Memory grows with the number of
 * parts and of pictures, and not with the rows.
 *
 * @param meter what the table of the source is read through.
 * @param onRecord is called for every record; what it throws ends the reading.
 * @throws UnreadableFile for a table that cannot be read to its end.
 */
export async function planParts(
  source: ImportSource,
  meter: Pick<Meter, 'position'>,
  limits: PartLimits,
  onRecord: () => void,
): Promise<Part[]> {
  const { groupBy, hasFamilies } = planImport(source.table.columns)
  const { records: recordsMax, bytes: bytesMax } = hasFamilies ? FAMILY_LIMITS : limits
  const parts: Part[] = []
  let part: Part = { ...EMPTY, number: 0, start: 0, from: 1 }
  let pictures = new Set<ZipEntry>()
  let pictureBytes = 0
  let startedAt = 0
  let group: string | undefined
  let count = 0
  for await (const record of source.table.records()) {
    // The command's own service and its signals run beside this.
    if (++count % TURN_RECORDS === 0) await turn()
    onRecord()
    const id = groupBy === undefined ? undefined : readGroup(record, groupBy)
    const isNew = id === undefined || id === '' || id !== group
    const named = source.packing === 'zip' ? findPictures(record, source) : []
    const fresh = named.filter((entry) => !pictures.has(entry))
    const bytes = meter.position() - startedAt + pictureBytes + sumSent(fresh)
    if (isNew && part.records > 0 && (part.records >= recordsMax || bytes > bytesMax)) {
      parts.push({ ...part, to: record.line, pictures: [...pictures] })
      part = { ...EMPTY, number: parts.length, start: part.start + part.records, from: record.line }
      pictures = new Set()
      pictureBytes = 0
      startedAt = meter.position()
    }
    for (const entry of named) {
      if (!pictures.has(entry)) pictureBytes += sumSent([entry])
      pictures.add(entry)
    }
    if (part.records === 0 && parts.length === 0) part.from = record.line
    part.records++
    if (isNew) part.products++
    group = id
  }
  if (part.records > 0) parts.push({ ...part, pictures: [...pictures] })
  return parts
}

const EMPTY = { to: Number.POSITIVE_INFINITY, records: 0, products: 0, pictures: [] }

/** The bytes that pictures take in a part; one that is too large is not sent. */
const sumSent = (entries: readonly ZipEntry[]): number =>
  entries.reduce((sum, { bytes }) => sum + (bytes > LIMITS.pictureBytesMax ? 0 : bytes), 0)

const readGroup = (record: ImportRecord, groupBy: string): string =>
  'cells' in record ? (record.cells.get(groupBy)?.[0]?.trim() ?? '') : ''

/** Finds every picture that a record may mean: what a column holds is known to the service alone. */
function findPictures(record: ImportRecord, source: ImportSource): ZipEntry[] {
  return listWords(record).flatMap((word) => source.findPicture(word) ?? [])
}

function listWords(record: ImportRecord): string[] {
  if ('cells' in record) {
    return [...record.cells.values()].flatMap((cells) =>
      cells.flatMap((cell) => [cell.trim(), ...splitAddresses(cell)]),
    )
  }
  if (!('product' in record)) return []
  const { image_url, additional_image_urls } = record.product as Record<string, unknown>
  const urls = [image_url, ...(Array.isArray(additional_image_urls) ? additional_image_urls : [])]
  return urls.filter((url) => typeof url === 'string')
}

/** Tells how far the bytes of a table have been read. */
export interface Meter {
  open: OpenBytes
  /** Bytes that were taken since the table was opened last. */
  position(): number
}

export function createMeter(open: OpenBytes): Meter {
  let position = 0
  return {
    async *open() {
      position = 0
      for await (const piece of open()) {
        yield piece
        position += piece.length
      }
    },
    position: () => position,
  }
}
