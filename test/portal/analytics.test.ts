import { describe, expect, test } from 'bun:test'
import { readAsked, toQuery } from '../../src/browser/portal/pages/analytics/asked.ts'
import { writeCsv } from '../../src/browser/portal/parts/csv.ts'
import { toCsv } from '../../src/http/csv.ts'

const ask = (query: string) => toQuery(readAsked(new URLSearchParams(query)))

describe('the period that an address asks for', () => {
  test.each([
    ['', { days: 30, compare: 'previous' }],
    ['days=7&compare=no', { days: 7 }],
    // Any other number, and what is no date, counts as nothing.
    ['days=8', { days: 30, compare: 'previous' }],
    ['days=1e9&from=yesterday', { days: 30, compare: 'previous' }],
    ['from=2026-01-01', { from: '2026-01-01', compare: 'previous' }],
    ['from=2026-01-01&to=2026-02-01&days=7', { from: '2026-01-01', to: '2026-02-01', compare: 'previous' }],
    ['from=2026-01-01&to=now', { from: '2026-01-01', compare: 'previous' }],
    // An end without a beginning is no period.
    ['to=2026-02-01', { days: 30, compare: 'previous' }],
    [
      'key=k1&origin=https://a.test',
      { days: 30, compare: 'previous', key_id: 'k1', origin: 'https://a.test' },
    ],
  ])('%s', (query, asked) => {
    expect(ask(query)).toEqual(asked as never)
  })
})

describe('a table that the browser writes', () => {
  const ROWS = [
    ['=1+1', '+1', '-1', '@x', '\t=1', '\r=1'],
    ['a;=1', 'a\n=1', 'a\t@x', 'a,=1', '"=1"', 'a "b", c'],
    ['', null, 0, -5, 'ä€😀', '<script>'],
  ]

  test('is the one that the API would write', () => {
    expect(writeCsv(['a', 'b'], ROWS)).toBe(toCsv(['a', 'b'], ROWS))
  })

  test('has no formula in it, and keeps numbers', () => {
    expect(writeCsv(['=h'], [['=1+1', -5]])).toBe("'=h\r\n'=1+1,-5\r\n")
  })
})
