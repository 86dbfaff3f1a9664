import type { Bench, Figure } from './bench.ts'
import { formatMarkdown, tabulate } from './table.ts'

/** How one bench ran. */
export interface BenchRun {
  bench: string
  seconds: number
  /** The system's load average over a minute, when it began and when it ended. */
  load: readonly [number, number]
  /** Why it did not end well. */
  failure?: string
}

/** What a run of all benches leaves behind. */
export interface Results {
  /** Day of the run. */
  date: string
  machine: string
  /** Names of the programs, the judged one last. */
  contestants: readonly string[]
  figures: readonly Figure[]
  runs: readonly BenchRun[]
}

/** Adds a figure in place of an older one of the same row, contestant and size. */
export const mergeFigure = (results: Results, figure: Figure): Results => ({
  ...results,
  figures: [
    ...results.figures.filter(
      ({ row, contestant, products }) =>
        row !== figure.row || contestant !== figure.contestant || products !== figure.products,
    ),
    figure,
  ],
})

/** Adds how a bench ran, in place of an earlier time. */
export const mergeRun = (results: Results, run: BenchRun): Results => ({
  ...results,
  runs: [...results.runs.filter(({ bench }) => bench !== run.bench), run],
})

/** What was measured, on what, and how busy the machine was. */
export function describeRun({ date, machine, contestants, runs }: Results): string {
  const what = `Measured on ${date} on ${machine}: \`${contestants.at(-1)}\`.`
  if (runs.length === 0) return what
  const minutes = runs.reduce((sum, { seconds }) => sum + seconds, 0) / 60
  const loads = runs.map(({ bench, load }) => `${bench} ${load.map((value) => value.toFixed(1)).join('–')}`)
  return `${what} It took ${minutes.toFixed(0)} minutes. Load average at the beginning and the end of each bench: ${loads.join(', ')}.`
}

/** Names the benches that failed, with the reasons; empty if none did. */
export function describeFailures({ runs }: Results): string {
  const failed = runs.flatMap(({ bench, failure }) =>
    failure === undefined ? [] : [`${bench} (${failure})`],
  )
  return failed.length === 0 ? '' : `Failed, and the figures may be missing: ${failed.join('; ')}.`
}

const HEAD = `# Results

<!-- \`bun scripts/bench/all.ts --write\` writes this file; its last sections come from long-runs.md. -->

The machine need not be quiet: verdicts go by CPU time and by ratios from one run, not by the clock. "CPU ms each" counts one operation,
apart for the service (\`main\`), the process for words and the one for pictures. A process that does nothing else asks \`/health\` every
5 ms while the service works. A wait is judged by the time for which the service's event loop had a core during it; beside it stand the
longest wait by the clock, and that for a bare server in the same moments, which is the machine's. The longest wait is exact to these
5 ms.`

/**
 * The whole file of results: the table of the rows with figures, what failed, the names of the other rows, then what runs for
 * hours measured.
 *
 * @param longRuns Markdown.
 */
export function composeResults(
  results: Results,
  benches: readonly Pick<Bench, 'rows'>[],
  longRuns: string,
): string {
  const missing = listMissing(results, benches)
  const rows = benches.flatMap((bench) => bench.rows).filter((row) => !missing.includes(row))
  return [
    HEAD,
    describeRun(results),
    formatMarkdown(tabulate([{ rows }], results.figures, results.contestants)),
    describeFailures(results),
    missing.length === 0 ? '' : `Not measured in this run: ${missing.map(({ what }) => what).join('; ')}.`,
    longRuns,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** The rows of which the judged program has no figure. */
export function listMissing({ figures, contestants }: Results, benches: readonly Pick<Bench, 'rows'>[]) {
  const known = new Set(
    figures.flatMap(({ row, contestant, value }) =>
      contestant === contestants.at(-1) && Number.isFinite(value) ? [row] : [],
    ),
  )
  return benches.flatMap(({ rows }) => rows).filter(({ id }) => !known.has(id))
}
