import { describe, expect, test } from 'bun:test'
import { systemIds } from '../../../../src/core/ids.ts'
import {
  createRecoveryCode,
  normaliseRecoveryCode,
} from '../../../../src/features/access/two-factor/recovery-codes.ts'

describe('recovery codes (contract 5.2)', () => {
  const codes = Array.from({ length: 5_000 }, () => createRecoveryCode(systemIds))

  test('look like xxxxx-xxxxx, without characters that are mistaken for one another', () => {
    for (const code of codes) expect(code).toMatch(/^[2-9a-km-np-z]{5}-[2-9a-km-np-z]{5}$/)
  })

  test('have 50 bits: each of 32 characters comes as often as the others at each place', () => {
    expect(new Set(codes).size).toBe(5_000)
    for (const place of [0, 1, 2, 3, 4, 6, 7, 8, 9, 10]) {
      const counts = new Map<string, number>()
      for (const code of codes)
        counts.set(code[place] as string, (counts.get(code[place] as string) ?? 0) + 1)
      expect(counts.size).toBe(32)
      // Expected 156 with a deviation of 12: eight deviations never happen.
      for (const count of counts.values()) expect(count).toBeWithin(60, 253)
    }
  })

  test.each(['ab2cd-efghi', 'AB2CD-EFGHI', 'ab2cdefghi', ' ab2cd efghi\n', 'ab2cd–efghi', 'Ab2Cd - EfGhI'])(
    'are the same however they are typed: %j',
    (typed) => {
      expect(normaliseRecoveryCode(typed)).toBe('ab2cdefghi')
    },
  )

  test('stay other codes when they are other codes', () => {
    expect(normaliseRecoveryCode('ab2cd-efghj')).not.toBe(normaliseRecoveryCode('ab2cd-efghi'))
    expect(normaliseRecoveryCode('')).toBe('')
  })
})
