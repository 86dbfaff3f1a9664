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

/** The most columns of a file, or different elements of its products; a shop's export has about a hundred. */
export const COLUMNS_MAX = 2_000

/** The largest row, element or line in bytes. */
export const RECORD_BYTES_MAX = 1024 * 1024
