export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let n = 0; n < a.length; n++) sum += (a[n] as number) * (b[n] as number)
  return sum
}

export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? 0

export const median = (values: readonly number[]): number => quantile(values, 0.5)

export const toLogOdds = (score: number): number => Math.log(score / (1 - score))

/** How often one of the first exceeds one of the others; ties count half. It is 0.5 for two lists that do not differ. */
export function shareAbove(values: readonly number[], others: readonly number[]): number {
  if (values.length === 0 || others.length === 0) return 0.5
  const sorted = others.toSorted((a, b) => a - b)
  /** How many of the others count; those that do stand first. */
  const countFirst = (counts: (other: number) => boolean): number => {
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (counts(sorted[middle] as number)) low = middle + 1
      else high = middle
    }
    return low
  }
  const wins = values.map(
    (value) => (countFirst((other) => other < value) + countFirst((other) => other <= value)) / 2,
  )
  return wins.reduce((sum, won) => sum + won, 0) / (values.length * others.length)
}
