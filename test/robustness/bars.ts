import { appendFileSync } from 'node:fs'

/** One measurement that belongs to a bar; `bun scripts/bars.ts` joins them with the list of the bars. */
export interface BarRecord {
  /** Number of the bar in `scripts/bars/list.ts`. */
  bar: number
  /** Which of the bar's parts, as `scripts/bars/list.ts` names it. */
  part: string
  /** `program`: a service that the test started (the executable, where one is named); `process`: the test's own process. */
  on: 'program' | 'process'
  /** Rounds, requests or cases that really happened; at least 1. */
  n: number
  /** Figures in words, with their units: `p99 12 ms, 0 lost`. */
  measured: string
  /** Whether the figures meet the demand. */
  isMet: boolean
}

/** A record as a line of the file; `on` says what ran. */
export interface BarLine extends Omit<BarRecord, 'on'> {
  on: 'executable' | 'sources' | 'process'
}

/**
 * Adds a line to the file that `BARS_FILE` names; does nothing where it names none.
 *
 * Call it before the assertions, so that a bar that fails is told of with its figures.
 *
 * @throws Error when nothing happened: such a test has measured nothing.
 */
export function recordBar({ on, ...record }: BarRecord): void {
  if (!(record.n >= 1)) throw new Error(`Bar ${record.bar}, ${record.part}: nothing was run`)
  const file = process.env['BARS_FILE']
  if (!file) return
  const program = process.env['LOOKALIKE_EXECUTABLE'] ? 'executable' : 'sources'
  const line: BarLine = { ...record, on: on === 'program' ? program : 'process' }
  appendFileSync(file, `${JSON.stringify(line)}\n`)
}
