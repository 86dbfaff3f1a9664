import { expect, test } from 'bun:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { toCsv } from '../../src/http/csv.ts'

/** Texts with many of the characters that mean something to a spreadsheet. */
const texts = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'=+-@;,"\t\r\na1 \'') }))

test('what is written is read again, with an apostrophe where a formula would begin', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(texts, fc.integer())), (rows) => {
      const read = parse(toCsv(['text', 'number'], rows), { record_delimiter: '\r\n' }) as string[][]
      expect(read.slice(1).map(([, number]) => number)).toEqual(rows.map(([, number]) => String(number)))
      for (const [n, [text = '']] of read.slice(1).entries()) {
        expect(text.replaceAll("'", '')).toBe((rows[n]?.[0] ?? '').replaceAll("'", ''))
      }
    }),
  )
})

test('no text begins a formula, whatever separates the cells of the reader', () => {
  fc.assert(
    fc.property(texts, texts, (one, other) => {
      const [, ...lines] = toCsv(['a', 'b'], [[one, other]]).split(/[\r\n]/)
      const cells = lines.flatMap((line) => line.split(/[;\t]/)).map((cell) => cell.replace(/^"/, ''))
      for (const cell of cells) expect(cell).not.toMatch(/^[=+\-@]/)
    }),
  )
})

test.each([
  ["x;=cmd|'/c calc'!A1", `x;'=cmd|'/c calc'!A1`],
  ['=1+1', "'=1+1"],
  ['plain', 'plain'],
  ['a\n=1', `"a\n'=1"`],
])('%j is written as %j', (text, written) => {
  expect(toCsv(['text'], [[text]])).toBe(`text\r\n${written}\r\n`)
})

test('null is an empty cell, and a number stays one', () => {
  expect(toCsv(['a', 'b'], [[null, -1.5]])).toBe('a,b\r\n,-1.5\r\n')
})
