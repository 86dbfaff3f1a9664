import { expect, test } from 'bun:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { toCsv } from '../../src/http/csv.ts'

test('what is written is read again, but for texts that would run as formulas', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), fc.integer())), (rows) => {
      const read = parse(toCsv(['text', 'number'], rows), { record_delimiter: '\r\n' }) as string[][]
      const safe = (text: string) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)
      expect(read).toEqual([
        ['text', 'number'],
        ...rows.map(([text, number]) => [safe(text), String(number)]),
      ])
    }),
  )
})

test('null is an empty cell, and a number stays one', () => {
  expect(toCsv(['a', 'b'], [[null, -1.5]])).toBe('a,b\r\n,-1.5\r\n')
})
