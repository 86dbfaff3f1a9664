/** The cells of one row or element by the name of their column. A column that occurs several times has several cells. */
export type Cells = ReadonlyMap<string, readonly string[]>

/** One piece of a file, in the order of the file. `line` counts from 1. */
export type ImportRecord =
  | { line: number; cells: Cells }
  /** A product in the shape of the API. */
  | { line: number; product: unknown }
  /** A piece that could not be read; what follows it can. */
  | { line: number; problem: string }

/** Is told of each record, empty ones included, and says what to wait for before the next one. */
export type OnRecord = () => Promise<void> | undefined

/** Reads a file from its start, as often as it is called. */
export type OpenBytes = () => AsyncIterable<Uint8Array>

/** Reads the first bytes of a file, at most `count`. */
export async function readHead(open: OpenBytes, count: number): Promise<Uint8Array> {
  const head: number[] = []
  for await (const chunk of open()) {
    head.push(...chunk.subarray(0, count - head.length))
    if (head.length === count) break
  }
  return Uint8Array.from(head)
}

/** The largest row, element or line in bytes. */
export const RECORD_BYTES_MAX = 1024 * 1024
