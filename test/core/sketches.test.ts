import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isCurrency } from '../../src/core/currencies.ts'
import { dateOf, dayOf } from '../../src/core/days.ts'
import { estimateDistinct, hashName, placeHash, REGISTERS } from '../../src/core/distinct.ts'
import { BINS, binOf, percentile } from '../../src/core/durations.ts'

describe('distinct names', () => {
  test.each([0, 1, 10, 1_000, 20_000, 50_000, 100_000, 300_000])('%d are estimated within 2 %%', (count) => {
    const registers = new Uint8Array(REGISTERS)
    for (let n = 0; n < count; n++) {
      const { register, rank } = placeHash(hashName('store', `session ${n}`))
      registers[register] = Math.max(rank, registers[register] as number)
    }
    expect(Math.abs(estimateDistinct(registers) - count)).toBeLessThanOrEqual(0.02 * count)
  })

  test('a hash is the same for the same name of a scope, and fits a number', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (scope, name) => {
        const hash = hashName(scope, name)
        expect(hash).toBe(hashName(scope, name))
        expect(Number.isSafeInteger(hash) && hash < 2 ** 52).toBe(true)
        expect(hash).not.toBe(hashName(`${scope} other`, name))
        const { register, rank } = placeHash(hash)
        expect(register).toBeWithin(0, REGISTERS)
        expect(rank).toBeWithin(1, 39)
      }),
    )
  })
})

describe('durations', () => {
  test('percentiles are within 2 % of those of the sorted list', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 2, max: 5_000_000 }), { minLength: 1, maxLength: 200 }),
        fc.constantFrom(0.5, 0.95),
        (hundredths, share) => {
          const times = hundredths.map((n) => n / 100).sort((a, b) => a - b)
          const counts = new Float64Array(BINS)
          for (const ms of times) counts[binOf(ms)] = (counts[binOf(ms)] as number) + 1
          const exact = times[Math.ceil(share * times.length) - 1] as number
          expect(Math.abs((percentile(counts, share) ?? 0) - exact)).toBeLessThanOrEqual(0.02 * exact + 0.005)
        },
      ),
    )
  })

  test('of none there is no percentile, and every duration has a bin', () => {
    expect(percentile(new Float64Array(BINS), 0.5)).toBeNull()
    for (const ms of [0, 1e-9, 1e12, Infinity]) expect(binOf(ms)).toBeWithin(0, BINS)
  })
})

test('days are those of UTC', () => {
  expect(dateOf(dayOf(Date.UTC(2030, 1, 28, 23, 59, 59, 999)))).toBe('2030-02-28')
  expect(dateOf(dayOf(Date.UTC(2030, 2, 1)))).toBe('2030-03-01')
})

test('currencies are the active codes of ISO 4217', () => {
  for (const code of ['EUR', 'USD', 'JPY', 'CHF', 'XAF', 'UYW']) expect(isCurrency(code)).toBe(true)
  for (const code of ['', 'eur', 'DEM', 'XXX', 'XAU', 'EURO', 'EUR USD', 'constructor'])
    expect(isCurrency(code)).toBe(false)
})
