import type { CpuTime } from './cpu.ts'
import type { Options } from './options.ts'

/** What a figure must reach. */
export type Goal = { atMost: number } | { atLeast: number } | { from: number; to: number }

/**
 * `ratio` has no unit: it is so many times what it is held against. Times are those of the processor: what the clock says depends
 * on what else the machine does, and belongs into notes.
 */
/** A plain second is one of the clock: of a wait that takes hardly any processor time. */
export type Unit = 'ratio' | 'CPU µs' | 'CPU ms' | 'CPU s' | 's' | 'KiB' | 'MB' | 'a second'

/** What a bench measures, defined once: the table of the guide has a line for each of its figures. */
export interface Row {
  /** Unique among all benches. */
  id: string
  what: string
  /** What the figure is a ratio to; empty for a plain figure. */
  against: string
  unit: Unit
  goal?: Goal
  /** Goals by the number of products, where they differ or only some sizes have one. */
  goals?: Readonly<Record<number, Goal>>
  /** Whether all sizes share a line of the table. */
  isFolded?: boolean
}

/** One measurement of a row. */
export interface Figure {
  /** The id of its row. */
  row: string
  /** The name of the contestant. */
  contestant: string
  value: number
  /** Products in the store, where the row is measured at several sizes. */
  products?: number
  /** Processor time for one operation, in ms. */
  cpu?: CpuTime
  /** What else is to be known, such as the times behind a ratio. */
  note?: string
}

export interface Minutes {
  quick: number
  full: number
}

export interface Bench {
  /** Also the name of its script. */
  name: string
  rows: readonly Row[]
  /** How long it takes for one executable: with the sizes of a plain run, and with all of `--full`. */
  minutes: Minutes
  /** Names of flags that only this bench has; each takes a value. */
  flags?: readonly string[]
  /** @param report takes each figure as soon as it is known. */
  run(options: Options, report: (figure: Figure) => void): Promise<void>
}
