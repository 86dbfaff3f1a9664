import type { Bench, Figure, Goal, Row, Unit } from './bench.ts'
import type { CpuTime } from './cpu.ts'

export type Verdict = 'met' | 'missed' | 'not measured' | 'no goal'

const START = '<!-- benchmarks: written by scripts/bench/all.ts -->'
const END = '<!-- end of benchmarks -->'

/** Judges a row by a figure of it. */
export function judge(
  { goal, goalAt }: Row,
  figure: Pick<Figure, 'value' | 'products'> | undefined,
): Verdict {
  if (!figure || !Number.isFinite(figure.value)) return 'not measured'
  const { value, products } = figure
  if (!goal || (goalAt && (products === undefined || !goalAt.includes(products)))) return 'no goal'
  if ('atMost' in goal) return value <= goal.atMost ? 'met' : 'missed'
  if ('atLeast' in goal) return value >= goal.atLeast ? 'met' : 'missed'
  return value >= goal.from && value <= goal.to ? 'met' : 'missed'
}

/**
 * The table: a line for each row and size, in the order of the benches; rows without a figure stay in it. The last of the
 * contestants is judged; each of the others adds a column that divides the figure of the last by its own.
 */
export function tabulate(
  benches: readonly Pick<Bench, 'rows'>[],
  figures: readonly Figure[],
  contestants: readonly string[],
): string[][] {
  const judged = contestants.at(-1) ?? ''
  const others = contestants.slice(0, -1)
  const find = (contestant: string, row: string, products: number | undefined) =>
    figures.findLast(
      (figure) => figure.row === row && figure.contestant === contestant && figure.products === products,
    )
  const lines = benches.flatMap(({ rows }) =>
    rows.flatMap((row) => {
      const sizes = [
        ...new Set(figures.filter((figure) => figure.row === row.id).map(({ products }) => products)),
      ]
      return (sizes.length > 0 ? sizes : [undefined])
        .toSorted((a, b) => (a ?? 0) - (b ?? 0))
        .map((products) => {
          const figure = find(judged, row.id, products)
          const verdict = judge(row, figure)
          return [
            products === undefined ? row.what : `${row.what}, ${products.toLocaleString('en-US')} products`,
            row.against,
            formatMeasured(row, figure),
            formatCpu(figure?.cpu),
            verdict === 'no goal' ? '' : formatGoal(row.goal, row.unit),
            verdict === 'no goal' ? '' : verdict,
            ...others.map((other) => formatChange(figure, find(other, row.id, products))),
          ]
        })
    }),
  )
  return [
    ['What', 'Against', 'Measured', 'CPU ms each', 'Goal', 'Verdict', ...others.map((name) => `/ ${name}`)],
    ...lines,
  ]
}

function formatMeasured({ unit }: Row, figure: Figure | undefined): string {
  if (!figure || !Number.isFinite(figure.value)) return ''
  return `${formatValue(figure.value, unit)}${figure.note ? ` (${figure.note})` : ''}`
}

/** A number with three digits that count, and its unit. */
export function formatValue(value: number, unit: Unit): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 0.1 ? 2 : 3
  return `${value.toFixed(digits)}${unit === 'ratio' ? '' : ` ${unit}`}`
}

/** Processes that did nothing worth counting are left out. */
function formatCpu(cpu: CpuTime | undefined): string {
  if (!cpu) return ''
  const parts = Object.entries(cpu).filter(([name, ms]) => name === 'main' || ms >= 0.01)
  return parts.map(([name, ms]) => `${name} ${formatValue(ms, 'ratio')}`).join(', ')
}

function formatGoal(goal: Goal | undefined, unit: Unit): string {
  if (!goal) return ''
  const write = (value: number) => `${value}${unit === 'ratio' ? '' : ` ${unit}`}`
  if ('atMost' in goal) return `≤ ${write(goal.atMost)}`
  if ('atLeast' in goal) return `≥ ${write(goal.atLeast)}`
  return `${goal.from}–${write(goal.to)}`
}

function formatChange(figure: Figure | undefined, other: Figure | undefined): string {
  const change = (figure?.value ?? Number.NaN) / (other?.value ?? Number.NaN)
  return Number.isFinite(change) ? change.toFixed(2) : ''
}

export function formatMarkdown(table: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  const [head = [], ...rows] = table
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Renews what stands between the marks of a page. @throws Error if the marks are missing. */
export function renewBenchmarks(page: string, content: string): string {
  const start = page.indexOf(START)
  const end = page.indexOf(END)
  if (start === -1 || end < start) throw new Error('The page lacks the marks of the benchmarks')
  return `${page.slice(0, start)}${START}\n${content}\n${page.slice(end)}`
}
