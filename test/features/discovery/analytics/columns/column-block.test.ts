import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type Counts,
  join,
  readBlock,
  writeBlock,
} from '../../../../../src/features/discovery/analytics/columns/column-block.ts'

const number = fc.oneof(fc.nat(3), fc.nat(70_000), fc.nat(2 ** 31), fc.maxSafeInteger().map(Math.abs))
const item = fc.oneof(
  fc.nat(20),
  fc.nat(100_000),
  fc.nat({ max: 2 ** 31 - 1 }),
  fc.bigInt(0n, 2n ** 52n).map(Number),
)
const day = fc.uniqueArray(fc.tuple(item, number, number, number, number), {
  selector: ([id]) => id,
  maxLength: 50,
})
type Day = [number, number, number, number, number][]

const toCounts = (rows: Day): Counts => {
  const sorted = rows.toSorted(([a], [b]) => a - b)
  const column = (n: number) => Float64Array.from(sorted, (row) => row[n] as number)
  return { items: column(0), measures: [column(1), column(2), column(3), column(4)] }
}

test('a block reads as it was written, even from an odd address', () => {
  fc.assert(
    fc.property(day, fc.nat(9), (rows, offset) => {
      const block = writeBlock(toCounts(rows))
      const moved = Buffer.alloc(block.length + offset)
      block.copy(moved, offset)
      expect(readBlock(moved.subarray(offset))).toEqual(toCounts(rows))
    }),
  )
})

test('join adds counts and keeps the greater rank', () => {
  fc.assert(
    fc.property(day, day, fc.constantFrom('sum' as const, 'max' as const), (one, other, joining) => {
      const expected = new Map<number, number[]>(one.map(([id, ...counts]) => [id, counts]))
      for (const [id, ...counts] of other) {
        const before = expected.get(id) ?? [0, 0, 0, 0]
        expected.set(
          id,
          counts.map((count, n) =>
            joining === 'sum' ? count + (before[n] as number) : Math.max(count, before[n] as number),
          ),
        )
      }
      const rows = [...expected].map(([id, counts]) => [id, ...counts]) as Day
      expect(join(toCounts(one), toCounts(other), joining)).toEqual(toCounts(rows))
    }),
  )
})

test('a day of small numbers takes few bytes', () => {
  const rows = Array.from({ length: 1_000 }, (_, n): Day[number] => [n * 3, 200, 3, 0, 0])
  expect(writeBlock(toCounts(rows)).length).toBe(4 + 5 + 3 * 1_000)
})
