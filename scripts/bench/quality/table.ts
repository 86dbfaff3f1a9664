import { mean } from '../parts/statistics.ts'
import { bootstrap } from './metrics.ts'

const percent = (value: number): string => (100 * value).toFixed(1)
const whole = (value: number): string => String(Math.round(100 * value))
const signed = (value: number): string => `${value < 0 ? '−' : '+'}${percent(Math.abs(value))}`

/** A mean of shares in percent with its 95 % interval: "56.7 [52–61]". */
export function showMean(values: readonly number[]): string {
  if (values.length === 0) return ''
  const { low, high } = bootstrap(values)
  return `${percent(mean(values))} [${whole(low)}–${whole(high)}]`
}

/** By how much the second values of the same questions are larger, with the 95 % interval: "+13.4 [+10.2 +16.1]". */
export function showDifference(before: readonly number[], after: readonly number[]): string {
  const differences = after.map((value, n) => value - (before[n] as number))
  if (differences.every((difference) => difference === 0)) return '0'
  const { low, high } = bootstrap(differences)
  return `${signed(mean(differences))} [${signed(low)} ${signed(high)}]`
}
