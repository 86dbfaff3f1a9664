import { expect, test } from 'bun:test'
import { addMonth, createMonths } from '../../src/core/months.ts'

test.each([
  ['2030-01-15T10:30:00.000Z', '2030-02-15T10:30:00.000Z'],
  ['2030-01-31T23:59:59.999Z', '2030-02-28T23:59:59.999Z'],
  ['2032-01-30T00:00:00.000Z', '2032-02-29T00:00:00.000Z'],
  ['2030-12-31T00:00:00.000Z', '2031-01-31T00:00:00.000Z'],
])('a month after %s is %s', (from, to) => {
  expect(new Date(addMonth(Date.parse(from))).toISOString()).toBe(to)
})

test('the present month follows the clock, also when it is set back', () => {
  let now = Date.parse('2030-12-31T23:59:59.999Z')
  const thisMonth = createMonths(() => now)
  expect(thisMonth().name).toBe('2030-12')
  now++
  expect(thisMonth()).toEqual({
    name: '2031-01',
    start: Date.parse('2031-01-01T00:00:00Z'),
    end: Date.parse('2031-02-01T00:00:00Z'),
  })
  now -= 1
  expect(thisMonth().name).toBe('2030-12')
})
