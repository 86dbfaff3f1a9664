import type { Figure } from './bench.ts'

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
