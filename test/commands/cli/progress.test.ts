import { expect, test } from 'bun:test'
import { createProgress, formatPart, formatProgress } from '../../../src/commands/cli/progress.ts'
import { decimalSize } from '../../../src/core/text.ts'
import type { JobSummary } from '../../../src/features/catalogue/jobs/schema.ts'

const job = (state: Partial<JobSummary>) =>
  ({ processed: 0, total: 3_000, failed: 0, progress: 0, eta_seconds: null, ...state }) as JobSummary

test.each([
  [job({}), '0 of 3,000 products (0 %)'],
  [
    job({ processed: 1_500, failed: 3, eta_seconds: 130 }),
    '1,500 of 3,000 products (50 %), 11.5 a second, 3 min left, 3 failed',
  ],
  [job({ processed: 2_999, eta_seconds: 0.4 }), '2,999 of 3,000 products (99 %), 2.5 a second, 1 s left'],
  [job({ processed: 1, eta_seconds: 7_300 }), '1 of 3,000 products (0 %), 0.4 a second, 2 h 2 min left'],
  [job({ processed: 3_000, progress: 1 }), '3,000 of 3,000 products (100 %)'],
  [job({ total: 0 }), '0 of 0 products (100 %)'],
])('says how far a job is', (state, text) => {
  expect(formatProgress(state)).toBe(text)
})

test('counts other things than products in their own unit', () => {
  const part = { what: 'downloading', done: 5_000_000, total: 20_000_000, secondsLeft: 40 }
  expect(formatPart({ ...part, format: decimalSize })).toBe('downloading: 5 MB of 20 MB (25 %), 40 s left')
  expect(formatPart({ what: 'fitting', done: 0, total: 0, secondsLeft: null })).toBe(
    'fitting: 0 of 0 (100 %)',
  )
})

test('draws over its bar on a terminal, and stays silent elsewhere at first', () => {
  const draw = (isTTY: boolean) => {
    let written = ''
    const progress = createProgress({
      isTTY,
      write: (text: string | Uint8Array) => {
        written += text
        return true
      },
    })
    progress.show(job({ processed: 1_500, progress: 0.5 }))
    progress.end()
    return written
  }
  expect(draw(true)).toBe(
    `\r\x1b[K[${'#'.repeat(12)}${'-'.repeat(12)}] 1,500 of 3,000 products (50 %)\r\x1b[K`,
  )
  expect(draw(false)).toBe('')
})
