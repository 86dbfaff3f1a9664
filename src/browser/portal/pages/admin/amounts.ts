import { formatNumber } from '../../language.ts'

const STEPS = ['B', 'KB', 'MB', 'GB', 'TB'] as const

/** An amount of bytes with at most three figures. */
export function formatBytes(bytes: number): string {
  const step = Math.min(STEPS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const value = bytes / 1000 ** step
  return `${formatNumber(value < 10 ? Math.round(value * 10) / 10 : Math.round(value))} ${STEPS[step]}`
}
