/** Finds the value below which the share `q` of the values lies. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

const variance = (values: readonly number[]): number => {
  const middle = mean(values)
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1)
}

/** Welch's t of two samples: the distance of their means in standard errors. */
export const welch = (a: readonly number[], b: readonly number[]): number =>
  (mean(a) - mean(b)) / Math.sqrt(variance(a) / a.length + variance(b) / b.length)

/** The numbers below `count`, upwards in even rounds and downwards in odd ones: nobody always goes first. */
export function inTurns(count: number, round: number): number[] {
  const order = Array.from({ length: count }, (_, n) => n)
  return round % 2 === 0 ? order : order.reverse()
}

/** Prints rows in columns. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]?.map((_, n) => Math.max(...rows.map((row) => (row[n] ?? '').length))) ?? []
  for (const row of rows)
    console.log(`  ${row.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join('  ')}`.trimEnd())
}
