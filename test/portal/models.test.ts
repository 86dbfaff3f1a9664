import { expect, test } from 'bun:test'
import { estimateMove, inLargestUnit } from '../../src/browser/portal/pages/admin/models/amounts.ts'

test('a move takes the time and the room of its pictures, beside the memory of the model', () => {
  const model = { picture_ms: 90, dimension: 512, memory_bytes: 400_000_000 }
  expect(estimateMove(model, 10_000)).toEqual({
    ...{ seconds: 900, diskBytes: 20_480_000, memoryBytes: 420_480_000 },
  })
})

test('what nobody has measured is not guessed', () => {
  const model = { picture_ms: null, dimension: null, memory_bytes: 400_000_000 }
  expect(estimateMove(model, 10_000)).toEqual({ seconds: null, diskBytes: null, memoryBytes: null })
})

test.each<[number, [number, string]]>([
  [0, [1, 'minute']],
  [89, [1, 'minute']],
  [90, [2, 'minute']],
  [7_199, [120, 'minute']],
  [7_200, [2, 'hour']],
  [172_799, [48, 'hour']],
  [172_800, [2, 'day']],
])('%d seconds are said as %p', (seconds, said) => {
  expect(inLargestUnit(seconds)).toEqual(said as ReturnType<typeof inLargestUnit>)
})
