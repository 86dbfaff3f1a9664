import { readFileSync, writeFileSync } from 'node:fs'

const SCORE_FILE = '/proc/self/oom_score_adj'
/** Half of the scale. */
const MORE = 500
const SCORE_MAX = 1_000

/**
 * Makes the kernel choose this process before the service when memory runs out: it is started again, the service is
 * not. Raising the score needs no right; where the file cannot be written, such as elsewhere than on Linux, nothing
 * changes.
 */
export function dieFirst(): void {
  try {
    const score = Number(readFileSync(SCORE_FILE, 'utf8'))
    writeFileSync(SCORE_FILE, String(Math.min(SCORE_MAX, score + MORE)))
  } catch {
    // The service works without it.
  }
}
