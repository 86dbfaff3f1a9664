import { expect, test } from 'bun:test'
import { isPlanName, PLAN_NAMES, PLANS } from '../../src/core/plans.ts'

test('the plans are those of contract 6.1', () => {
  expect(PLAN_NAMES).toEqual(['free', 'basic', 'premium', 'enterprise'])
  expect(
    PLAN_NAMES.map((name) => PLANS[name]).map(
      ({ pricePerMonth, productsMax, requestsPerMinute, storageBytesMax }) => [
        pricePerMonth,
        productsMax,
        requestsPerMinute,
        storageBytesMax,
      ],
    ),
  ).toEqual([
    [0, 50, 10, 500_000_000],
    [29.99, 5_000, 60, 10_000_000_000],
    [99.99, 50_000, 200, 50_000_000_000],
    [299.99, Infinity, Infinity, Infinity],
  ])
})

test.each(['', 'Free', 'toString', '__proto__', 'constructor'])('%p is no plan', (name) => {
  expect(isPlanName(name)).toBe(false)
})
