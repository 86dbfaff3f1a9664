import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createRowSet } from '../../../../src/features/catalogue/filters/rows.ts'

const rows = fc.array(
  fc.oneof(fc.integer({ min: 5_000, max: 5_300 }), fc.integer({ min: 1, max: 1_000_000 })),
)

test('a replacement makes a set with other members among some rows, and leaves the old one alone', () => {
  fc.assert(
    fc.property(rows, rows, rows, (before, among, chosen) => {
      const set = createRowSet(before)
      const members = new Set(chosen)
      const present = set.replace(among, members)
      const expected = new Set(before.filter((row) => !among.includes(row)))
      for (const row of among) if (members.has(row)) expected.add(row)
      expect([...present]).toEqual([...expected].sort((a, b) => a - b))
      expect(present.size).toBe(expected.size)
      for (const row of [...before, ...among]) expect(present.has(row)).toBe(expected.has(row))
      expect([...set]).toEqual([...new Set(before)].sort((a, b) => a - b))
    }),
    { numRuns: 300 },
  )
})
