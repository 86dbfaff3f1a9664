import type { Bench, Figure } from './bench.ts'
import { formatMarkdown, tabulate } from './table.ts'

/** What a run of all benches leaves behind. */
export interface Results {
  /** Day of the run. */
  date: string
  machine: string
  /** Names of the programs, the judged one last. */
  contestants: readonly string[]
  figures: readonly Figure[]
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

export const describeRun = ({ date, machine, contestants }: Results): string =>
  `Measured on ${date} on ${machine}: \`${contestants.at(-1)}\`.`

const HEAD = `# Results

<!-- \`bun scripts/bench/all.ts --write\` writes this file; its last sections come from long-runs.md. -->

Read ratios, which come from one run, and CPU milliseconds: machines differ and are busy with other things. "CPU ms each" counts one
operation, apart for the service (\`main\`), the process for words and the one for pictures. A process that does nothing else asks
\`/health\` every 5 ms and measures the waits; beside them stand its waits for a bare server in the same moments, which are the
machine's. The longest wait is exact to these 5 ms.`

/**
 * The whole file of results: the table of the rows with figures, the names of the others, then what runs for hours measured.
 *
 * @param longRuns Markdown.
 */
export function composeResults(
  results: Results,
  benches: readonly Pick<Bench, 'rows'>[],
  longRuns: string,
): string {
  const known = new Set(results.figures.map(({ row }) => row))
  const rows = benches.flatMap((bench) => bench.rows)
  const measured = rows.filter(({ id }) => known.has(id))
  const missing = rows.filter(({ id }) => !known.has(id)).map(({ what }) => what)
  return [
    HEAD,
    describeRun(results),
    formatMarkdown(tabulate([{ rows: measured }], results.figures, results.contestants)),
    ...(missing.length > 0 ? [`Not measured in this run: ${missing.join('; ')}.`] : []),
    longRuns,
  ].join('\n\n')
}
