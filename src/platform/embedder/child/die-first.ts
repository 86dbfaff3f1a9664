import { readFileSync, writeFileSync } from 'node:fs'

const SCORE_FILE = '/proc/self/oom_score_adj'
/** Half of the scale. */
const MORE = 500
const SCORE_MAX = 1_000

/**
 * Makes the kernel kill this process before the service when memory runs out, because the service restarts this process
 * but nothing restarts the service. Raising the score needs no privilege. Where the file cannot be written, for example
 * outside Linux, nothing changes.
 */
export function dieFirst(): void {
  try {
    const score = Number(readFileSync(SCORE_FILE, 'utf8'))
    writeFileSync(SCORE_FILE, String(Math.min(SCORE_MAX, score + MORE)))
  } catch {
    // The service works without it.
  }
}
