import { printTable } from '../../bench/parts/statistics.ts'

/** A line of a drill's table. */
export interface Row {
  what: string
  /** In words; empty for a figure that nothing is asked of. */
  wanted: string
  measured: string
  /** Undefined where nothing is asked, or where it could not be measured. */
  isMet: boolean | undefined
}

export const atMost = (what: string, value: number, most: number, unit = ''): Row => ({
  ...{ what, wanted: `≤ ${most}${unit && ` ${unit}`}`, measured: `${format(value)}${unit && ` ${unit}`}` },
  isMet: value <= most,
})

export const none = (what: string, count: number, note = ''): Row => ({
  ...{ what, wanted: '0', measured: `${count}${note && ` (${note})`}`, isMet: count === 0 },
})

export const figure = (what: string, measured: string | number): Row => ({
  ...{
    what,
    wanted: '',
    measured: typeof measured === 'number' ? format(measured) : measured,
    isMet: undefined,
  },
})

/** What this machine or this build cannot show. */
export const unmeasured = (what: string, wanted: string, why: string): Row => ({
  ...{ what, wanted, measured: `not measured: ${why}`, isMet: undefined },
})

const format = (value: number): string =>
  Number.isInteger(value) ? value.toLocaleString('en-US') : value.toFixed(value < 10 ? 2 : 1)

export const tabulate = (rows: readonly Row[]): string[][] => [
  ['what', 'wanted', 'measured', ''],
  ...rows.map(({ what, wanted, measured, isMet }) => [
    ...[what, wanted, measured],
    isMet === undefined ? '' : isMet ? 'met' : 'missed',
  ]),
]

/** Prints the table of a drill. @returns the exit code: 1 if anything was missed. */
export function conclude(title: string, rows: readonly Row[]): 0 | 1 {
  console.log(`\n${title}`)
  printTable(tabulate(rows))
  return rows.some(({ isMet }) => isMet === false) ? 1 : 0
}
