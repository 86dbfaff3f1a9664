import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { LIMITS } from '../../core/limits.ts'
import { decodeText } from '../../features/catalogue/imports/formats/encoding.ts'
import { splitLines } from '../../features/catalogue/imports/formats/text-lines.ts'
import type { ImportSource } from '../../features/catalogue/imports/source.ts'
import { createZip } from '../../platform/archives/zip-writer.ts'
import type { Part } from './split.ts'

/** Writes parts of a table as files that an import takes, in the order of the table. A part may be left out. */
export interface PartWriter {
  /**
   * Writes a part with its pictures.
   *
   * @throws UnreadableFile for a picture that cannot be read.
   */
  write(part: Part, path: string): Promise<void>
  /** The line of the whole table that a line of a part comes from; undefined if it is no longer known. */
  toLine(part: Part, line: number): number | undefined
  /** Forgets what only {@link toLine} needs. */
  forget(part: Part): void
  close(): Promise<void>
}

/** The longest line: a row may hold anything, and the service judges it. */
const LINE_CHARS_MAX = 32 * 1024 * 1024

interface PartReader extends Omit<PartWriter, 'write'> {
  /** The table of a part, as text in UTF-8. */
  read(part: Part): AsyncIterable<Uint8Array>
}

/** @param first the first part of the table. */
export function createPartWriter(source: ImportSource, first: Part): PartWriter {
  const { read, ...reader } =
    source.table.format === 'xml' ? readXmlParts(source) : readTextParts(source, first.from - 1)
  return {
    ...reader,
    async write(part, path) {
      const pieces = read(part)
      await rm(path, { force: true })
      if (source.packing === 'zip') await writeZip(path, source.tablePath ?? 'products', pieces, part)
      else await pipeline(Readable.from(pieces), createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    },
  }
}

async function writeZip(
  path: string,
  tablePath: string,
  pieces: AsyncIterable<Uint8Array>,
  { pictures }: Part,
): Promise<void> {
  const zip = await createZip(path)
  try {
    await zip.add(tablePath, pieces)
    for (const { path: name, bytes, open } of pictures) {
      // The service refuses it by its size, so its content may stay here.
      if (bytes > LIMITS.pictureBytesMax) await zip.addZeros(name, LIMITS.pictureBytesMax + 1)
      else await zip.add(name, open())
    }
    await zip.end()
  } catch (error) {
    await zip.abort()
    throw error
  }
}

/** Copies the lines of parts as they stand, each part behind the header of the table. NDJSON has none. */
function readTextParts({ table, open }: ImportSource, headerLines: number): PartReader {
  const lines = splitLines(decodeText(open(), table.encoding), LINE_CHARS_MAX)
  let line = 1
  const header: string[] = []

  async function* read(part: Part): AsyncGenerator<Uint8Array> {
    for (; line < part.from; line++) {
      const { value = '' } = await lines.next()
      if (line <= headerLines) header.push(value)
    }
    yield Buffer.from(header.map((text) => `${text}\n`).join(''))
    for (; line < part.to; line++) {
      const { done, value } = await lines.next()
      if (done) return
      yield Buffer.from(`${value}\n`)
    }
  }

  return {
    read,
    toLine: ({ from }, n) => (n <= headerLines ? n : n - headerLines + from - 1),
    forget: () => {},
    close: async () => void (await lines.return(undefined)),
  }
}

/** Writes the products of parts as feeds of their own, a product on each line. */
function readXmlParts({ table }: ImportSource): PartReader {
  const records = table.records()
  let position = 0
  const linesOf = new Map<number, number[]>()

  async function* read(part: Part): AsyncGenerator<Uint8Array> {
    const lines: number[] = []
    linesOf.set(part.number, lines)
    for (; position < part.start; position++) await records.next()
    yield Buffer.from('<rss><channel>\n')
    for (; position < part.start + part.records; position++) {
      const { done, value } = await records.next()
      if (done || !('cells' in value)) break
      lines.push(value.line)
      yield Buffer.from(`<item>${writeElements(value.cells)}</item>\n`)
    }
    yield Buffer.from('</channel></rss>\n')
  }

  return {
    read,
    toLine: ({ number }, n) => linesOf.get(number)?.[n - 2],
    forget: ({ number }) => void linesOf.delete(number),
    close: async () => void (await records.return(undefined)),
  }
}

/** The name of a column is the path of its element, without prefixes. */
function writeElements(cells: ReadonlyMap<string, readonly string[]>): string {
  const elements: string[] = []
  for (const [column, values] of cells) {
    const names = column.split('.').map((name) => `x:${name}`)
    const start = names.map((name) => `<${name}>`).join('')
    const end = names
      .reverse()
      .map((name) => `</${name}>`)
      .join('')
    for (const value of values) elements.push(start + escapeXml(value) + end)
  }
  return elements.join('')
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '\n': '&#10;',
  '\r': '&#13;',
}

const escapeXml = (text: string): string => text.replace(/[&<>\n\r]/g, (char) => ENTITIES[char] ?? char)
