import type { Bench, Figure, Goal, Row, Unit } from './bench.ts'

export type Verdict = 'met' | 'missed' | 'not measured' | 'no goal'

/** The goal of a row for a figure of it. */
function findGoal({ goal, goals }: Row, products: number | undefined): Goal | undefined {
  return goals ? goals[products ?? 0] : goal
}

/** Judges a row by a figure of it. */
export function judge(row: Row, figure: Pick<Figure, 'value' | 'products'> | undefined): Verdict {
  if (!figure || !Number.isFinite(figure.value)) return 'not measured'
  const goal = findGoal(row, figure.products)
  if (!goal) return 'no goal'
  const { value } = figure
  if ('atMost' in goal) return value <= goal.atMost ? 'met' : 'missed'
  if ('atLeast' in goal) return value >= goal.atLeast ? 'met' : 'missed'
  return value >= goal.from && value <= goal.to ? 'met' : 'missed'
}

/** A line of the table: the judged figures of a row, of one size or of all. */
interface Line {
  row: Row
  figures: readonly Figure[]
}

/**
 * The table: a line for each row and size, in the order of the benches. The last of the contestants is judged; each of the
 * others adds a column that divides the figure of the last by its own.
 *
 * @param benches with rows that have figures; a row without one is "not measured".
 */
export function tabulate(
  benches: readonly Pick<Bench, 'rows'>[],
  figures: readonly Figure[],
  contestants: readonly string[],
): string[][] {
  const others = contestants.slice(0, -1)
  const lines = benches.flatMap(({ rows }) =>
    rows.flatMap((row) => listLines(row, figures, contestants.at(-1) ?? '')),
  )
  const formatLine = ({ row, figures: own }: Line) => [
    formatWhat(row, own),
    row.against,
    formatMeasured(row, own),
    formatCpu(own),
    formatGoals(row, own),
    formatVerdict(row, own),
    ...others.map((other) => formatChanges(own, figures, other)),
  ]
  return [
    ['What', 'Against', 'Measured', 'CPU ms each', 'Goal', 'Verdict', ...others.map((name) => `/ ${name}`)],
    ...lines.map(formatLine),
  ]
}

function listLines(row: Row, figures: readonly Figure[], contestant: string): Line[] {
  const bySize = new Map(
    figures
      .filter((figure) => figure.row === row.id && figure.contestant === contestant)
      .map((figure) => [figure.products ?? 0, figure]),
  )
  const own = [...bySize].toSorted(([a], [b]) => a - b).map(([, figure]) => figure)
  if (row.isFolded || own.length === 0) return [{ row, figures: own }]
  return own.map((figure) => ({ row, figures: [figure] }))
}

const SLASH = ' / '

function formatWhat({ what }: Row, figures: readonly Figure[]): string {
  const sizes = figures.flatMap(({ products }) =>
    products === undefined ? [] : [products.toLocaleString('en-US')],
  )
  return sizes.length === 0 ? what : `${what}, ${sizes.join(SLASH)} products`
}

function formatMeasured({ unit }: Row, figures: readonly Figure[]): string {
  const notes = figures.flatMap(({ note }) => (note === undefined ? [] : [note]))
  const values = figures.map(({ value }) => (Number.isFinite(value) ? formatValue(value, unit) : '?'))
  return notes.length === 0 ? values.join(SLASH) : `${values.join(SLASH)} (${notes.join('; ')})`
}

/** A number with three digits that count, and its unit. */
export function formatValue(value: number, unit: Unit): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 0.1 ? 2 : 3
  return `${value.toFixed(digits)}${unit === 'ratio' ? '' : ` ${unit}`}`
}

/** Processes that did nothing worth counting are left out. */
const CPU_SHOWN_MS = 0.01

function formatCpu(figures: readonly Figure[]): string {
  const cpus = figures.flatMap(({ cpu }) => cpu ?? [])
  const names = (['main', 'words', 'pictures'] as const).filter((name) =>
    cpus.some((cpu) => name === 'main' || cpu[name] >= CPU_SHOWN_MS),
  )
  return cpus.length === 0
    ? ''
    : names
        .map((name) => `${name} ${cpus.map((cpu) => formatValue(cpu[name], 'ratio')).join(SLASH)}`)
        .join(', ')
}

function formatGoals(row: Row, figures: readonly Figure[]): string {
  const goals =
    figures.length === 0
      ? [row.goal, ...Object.values(row.goals ?? {})]
      : figures.map(({ products }) => findGoal(row, products))
  return [...new Set(goals.map((goal) => formatGoal(goal, row.unit)))].filter(Boolean).join(SLASH)
}

/** One missed goal misses the line. */
function formatVerdict(row: Row, figures: readonly Figure[]): string {
  const verdicts = figures.length === 0 ? ['not measured'] : figures.map((figure) => judge(row, figure))
  return ['missed', 'not measured', 'met'].find((verdict) => verdicts.includes(verdict)) ?? ''
}

function formatGoal(goal: Goal | undefined, unit: Unit): string {
  if (!goal) return ''
  const write = (value: number) => `${value}${unit === 'ratio' ? '' : ` ${unit}`}`
  if ('atMost' in goal) return `≤ ${write(goal.atMost)}`
  if ('atLeast' in goal) return `≥ ${write(goal.atLeast)}`
  return `${goal.from}–${write(goal.to)}`
}

/** The figures of a line, divided by those of another contestant. */
function formatChanges(own: readonly Figure[], all: readonly Figure[], other: string): string {
  const changes = own.map(({ row, products, value }) => {
    const figure = all.findLast(
      (each) => each.row === row && each.products === products && each.contestant === other,
    )
    const change = value / (figure?.value ?? Number.NaN)
    return Number.isFinite(change) ? change.toFixed(2) : '?'
  })
  return changes.every((change) => change === '?') ? '' : changes.join(SLASH)
}

/** A line of text for a figure as it arrives. */
export function describeFigure({ rows }: Pick<Bench, 'rows'>, figure: Figure): string {
  const row = rows.find(({ id }) => id === figure.row)
  if (!row) return `${figure.row} is no row`
  return [
    formatWhat(row, [figure]),
    formatMeasured(row, [figure]),
    formatVerdict(row, [figure]),
    figure.contestant,
  ]
    .filter(Boolean)
    .join(' · ')
}

export function formatMarkdown(table: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  const [head = [], ...rows] = table
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
