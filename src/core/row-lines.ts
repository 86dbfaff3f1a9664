import { UnreadableFile } from './unreadable-file.ts'

/** A value of SQLite. */
export type Value = string | number | Uint8Array | null
export type Row = Record<string, Value>

/** A product has 64 KB of metadata at most; the longest line holds the picture of a search check. */
const LINE_BYTES_MAX = 32 * 1024 * 1024
const NEWLINE = 0x0a

export const formatLine = (values: readonly Value[]): string => `${JSON.stringify(values.map(toJson))}\n`

/** JSON has no bytes. */
const toJson = (value: Value): unknown =>
  value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value

/** @throws UnreadableFile for a line that {@link formatLine} never writes. */
export function parseLine(line: string): Value[] {
  const values = parseJson(line)
  if (!Array.isArray(values)) throw malformed()
  return values.map(fromJson)
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw malformed()
  }
}

function fromJson(value: unknown): Value {
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  const { base64 } = (value ?? {}) as { base64?: unknown }
  if (typeof value === 'object' && typeof base64 === 'string') return Buffer.from(base64, 'base64')
  throw malformed()
}

export const malformed = (why = 'a row is malformed'): UnreadableFile =>
  new UnreadableFile(`The file does not hold what it should: ${why}`)

/** Reads text line by line. @throws UnreadableFile for a line that no version writes. */
export async function* readLines(content: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let begun: Uint8Array[] = []
  let bytes = 0
  for await (const piece of content) {
    let from = 0
    for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...begun, piece.subarray(from, at)]).toString('utf8')
      begun = []
      bytes = 0
      from = at + 1
    }
    if (from === piece.length) continue
    begun.push(piece.slice(from))
    bytes += piece.length - from
    if (bytes > LINE_BYTES_MAX) throw malformed('a line is too long')
  }
  if (begun.length > 0) throw malformed('the last line has no end')
}
