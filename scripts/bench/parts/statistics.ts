/** The value below which the share `q` of the values lies. */
export function p(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN
}

export const median = (values: readonly number[]): number => p(values, 0.5)

/** Prints rows in columns. */
export function table(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]?.map((_, n) => Math.max(...rows.map((row) => (row[n] ?? '').length))) ?? []
  for (const row of rows)
    console.log(`  ${row.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join('  ')}`.trimEnd())
}
