import { expect, test } from 'bun:test'
import { countTime } from '../../../src/platform/embedder/process-state.ts'

const [RUNNABLE, WAITING] = [{ isRunnable: true }, { isRunnable: false }]

test('of a process that computes counts what it had of a processor', () => {
  expect(countTime(250, RUNNABLE, 25)).toBe(250)
  expect(countTime(250, RUNNABLE, 8)).toBe(80)
  // Its first thread waits for others that compute.
  expect(countTime(250, WAITING, 8)).toBe(80)
  // Two threads have no limit of their own.
  expect(countTime(250, RUNNABLE, 50)).toBe(250)
})

test('a process that never gets a processor reaches its limit after eight times as long', () => {
  expect(countTime(250, RUNNABLE, 0)).toBe(250 / 8)
})

test('of a process that waits for anything else all time counts', () => {
  expect(countTime(250, WAITING, 0)).toBe(250)
})
