/** Kinds of counters. The numbers stand in the database. */
export const QUERIES = 1
export const PRODUCTS = 2
/** Hashes of sessions. */
export const SESSIONS = 3
/** Registers of a sketch of sessions, where a day has too many of them. */
export const REGISTERS = 4
/** Bins of a histogram. */
export const DURATIONS = 5
export const KINDS = [QUERIES, PRODUCTS, SESSIONS, REGISTERS, DURATIONS] as const
export type Kind = (typeof KINDS)[number]

/** The measures of one item, in the order of the columns a, b, c and d of the database. */
export const MEASURES = {
  /** `results` is a sum over the searches, `empty` the searches without any result. */
  [QUERIES]: ['searches', 'clicks', 'results', 'empty'],
  [PRODUCTS]: ['impressions', 'clicks', 'carts', 'purchases'],
  [SESSIONS]: ['seen'],
  [REGISTERS]: ['rank'],
  [DURATIONS]: ['searches'],
} as const satisfies Record<Kind, readonly string[]>

export type Measure<K extends Kind> = (typeof MEASURES)[K][number]

/** The counts of one item; those that are left out are 0. */
export type ItemCounts<K extends Kind> = Partial<Record<Measure<K>, number>>

/** The columns of the database, which take at most four measures. */
export interface Cells {
  a: number
  b: number
  c: number
  d: number
}

export function toCells<K extends Kind>(kind: K, counts: ItemCounts<K>): Cells {
  const [a, b, c, d]: readonly string[] = MEASURES[kind]
  const read = (measure: string | undefined): number =>
    measure === undefined ? 0 : ((counts as Readonly<Record<string, number | undefined>>)[measure] ?? 0)
  return { a: read(a), b: read(b), c: read(c), d: read(d) }
}
