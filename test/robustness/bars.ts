import { appendFileSync } from 'node:fs'

/** One measurement of a bar; `bun scripts/bars.ts` joins the measurements with the list of the bars. */
export interface BarRecord {
  /** Number of the bar in `scripts/bars/list.ts`. */
  bar: number
  /** The part of the bar, as `scripts/bars/list.ts` names it. */
  part: string
  /** `program`: a service that the test started, from the executable if one is named; `process`: the test's own process. */
  on: 'program' | 'process'
  /** Rounds, requests or cases that actually ran; at least 1. */
  n: number
  /** Figures in words, with their units: `p99 12 ms, 0 lost`. */
  measured: string
  /** Whether the figures meet the demand. */
  isMet: boolean
}

/** A record as a line of the file; `on` names the program that ran. */
export interface BarLine extends Omit<BarRecord, 'on'> {
  on: 'executable' | 'sources' | 'process'
}

/**
 * Adds a line to the file that `BARS_FILE` names, if any.
 *
 * Call it before the assertions, so that the table shows the figures of a failed bar too.
 *
 * @throws Error if `n` is 0, because such a test has measured nothing.
 */
export function recordBar({ on, ...record }: BarRecord): void {
  if (!(record.n >= 1)) throw new Error(`Bar ${record.bar}, ${record.part}: nothing was run`)
  const file = process.env['BARS_FILE']
  if (!file) return
  const program = process.env['LOOKALIKE_EXECUTABLE'] ? 'executable' : 'sources'
  const line: BarLine = { ...record, on: on === 'program' ? program : 'process' }
  appendFileSync(file, `${JSON.stringify(line)}\n`)
}
