import { expect, test } from 'bun:test'
import { vectorBytesMax } from '../../../src/platform/vectors/machine-memory.ts'

const MiB = 1_048_576

test.each([
  [256, 64],
  [512, 128],
  [1_024, 512],
  [4_096, 3_584],
  [24_576, 21_504],
])('on a machine of %d MiB the vectors may take %d MiB', (machine, vectors) => {
  expect(vectorBytesMax(machine * MiB) / MiB).toBe(vectors)
})

test('this machine gives some memory, and less than it has', () => {
  const bytes = vectorBytesMax()
  expect(bytes).toBeGreaterThan(0)
  expect(Number.isSafeInteger(bytes)).toBe(true)
})
