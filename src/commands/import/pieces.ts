import { OperatorError } from '../../core/operator-error.ts'
import { UnreadableFile } from '../../core/unreadable-file.ts'
import { openTable } from '../../features/catalogue/imports/formats/table.ts'
import type { Progress } from '../cli/progress.ts'
import { createPartWriter } from './part-file.ts'
import { createMeter, PART_LIMITS, planParts } from './split.ts'
import type { ImportUpload } from './upload.ts'

/** A part of a file, sent with one request. */
export interface Piece {
  /** From 0. */
  number: number
  /** An estimate, until the service has counted; 0 for a file that is sent as it is. */
  products: number
  /** Writes the piece, unless it has been written before. Call it in the order of the pieces. */
  load(): Promise<Blob>
  /** The line of the file that a line of the piece comes from. */
  toLine(line: number): number | undefined
  forget(): void
}

export interface Pieces {
  list: readonly Piece[]
  /** The parameters of every request. */
  query: URLSearchParams
  close(): Promise<void>
}

/** How often the reading of a file is told, in records. */
const TOLD_RECORDS = 1_000

/**
 * Cuts what is imported into pieces; a small file is one piece as it is.
 *
 * @param partPath where a part lies while it is sent.
 * @param stop ends the reading.
 * @throws OperatorError for a file that cannot be read to its end, or the reason of the signal.
 */
export async function openPieces(
  upload: ImportUpload,
  partPath: string,
  progress: Progress,
  stop: AbortSignal,
): Promise<Pieces> {
  const { whole, query } = upload
  if (whole) {
    const load = async () => whole
    const piece = { number: 0, products: 0, load, toLine: (line: number) => line, forget: () => {} }
    return { list: [piece], query, close: async () => {} }
  }
  return explain(upload, () => cut(upload, partPath, progress, stop))
}

async function cut(
  upload: ImportUpload,
  partPath: string,
  progress: Progress,
  stop: AbortSignal,
): Promise<Pieces> {
  const opened = await upload.open()
  const meter = createMeter(opened.open)
  const source = { ...opened, table: await openTable(meter.open, opened.table.format) }
  let count = 0
  const parts = await planParts(source, meter, PART_LIMITS, () => {
    stop.throwIfAborted()
    if (++count % TOLD_RECORDS === 0)
      progress.say(`Reading ${upload.name}: ${count.toLocaleString('en')} rows`)
  })
  progress.end()
  const [first] = parts
  if (!first) throw new UnreadableFile('there are no products in it')
  const writer = createPartWriter(source, first)
  const query = new URLSearchParams(upload.query)
  query.set('format', source.table.format)
  return {
    list: parts.map((part) => ({
      number: part.number,
      products: part.products,
      load: () =>
        explain(upload, async () => {
          await writer.write(part, partPath)
          return Bun.file(partPath)
        }),
      toLine: (line) => (upload.hasLines ? writer.toLine(part, line) : undefined),
      forget: () => writer.forget(part),
    })),
    query,
    async close() {
      await writer.close()
      source.close()
    },
  }
}

async function explain<Result>({ name }: ImportUpload, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    throw new OperatorError(`Cannot read ${name}: ${error.message}`)
  }
}
