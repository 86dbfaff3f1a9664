import { describe, expect, test } from 'bun:test'
import { toCsvLine, unguardFormulas } from '../../src/http/csv.ts'
import { type CellType, readValue, writeValue } from '../../src/http/csv-values.ts'

/** The cell as it stands in a file of one cell, read back as far as a reader of CSV does. */
function passThroughFile(text: string): string {
  const line = toCsvLine([text]).slice(0, -2)
  return line.startsWith('"') ? line.slice(1, -1).replaceAll('""', '"') : line
}

function roundTrip(value: unknown, type: CellType): unknown {
  const text = writeValue(value, type)
  if (text === undefined) throw new Error('cannot be written')
  return readValue(passThroughFile(text), type)
}

const TEXTS = [
  ...['Stövel "röd"', 'Größe 42', '=1+1', '-5', '+49 30', '@home', "'=x", "a;'=b", 'a;=b', '\t=x', "\n'-1"],
  ...[
    '5',
    '5.0',
    'true',
    'null',
    '[1]',
    '{"a":1}',
    '{broken',
    '"quoted"',
    '"half',
    '',
    '   ',
    ' x ',
    '00123',
  ],
  ...['a\r\nb', 'a\nb', 'a,b', "it's", "'", "''=x", 'false start', '\ud800', '日本語', '-', '1e5'],
]

describe('values in cells', () => {
  test.each(TEXTS)('%j comes back as the same text', (text) => {
    expect(roundTrip(text, 'any')).toBe(text)
    expect(roundTrip(text, 'text')).toBe(text)
  })

  test.each([
    [5, -5, 9.5, 0.1, 1e21, true, false, null],
    [[], {}, ['=a', "x;'=b", 'y'], { deep: [1, null, { "'=": "'=" }] }],
  ])('values of JSON come back with their types', (...values) => {
    for (const value of values) expect(roundTrip(value, 'any')).toEqual(value)
  })

  test('a text stands as it is where it can', () => {
    expect(['Größe 42', 'a,b', "it's", '00123'].map((text) => writeValue(text, 'any'))).toEqual([
      ...['Größe 42', 'a,b', "it's", '00123'],
    ])
    expect([writeValue('4006381333931', 'text'), writeValue('4006381333931', 'any')]).toEqual([
      ...['4006381333931', '"4006381333931"'],
    ])
  })

  test('what no cell of a text can hold is not written', () => {
    expect([null, 5, ['a']].map((value) => writeValue(value, 'text'))).toEqual([
      ...[undefined, undefined, undefined],
    ])
  })

  test('no cell begins with a formula, also behind what a spreadsheet may split at', () => {
    for (const text of TEXTS) {
      const cell = passThroughFile(writeValue(text, 'any') ?? '')
      expect(cell).not.toMatch(/^[=+@\t\r]|^-(?!\d)|[;\t\r\n][=+\-@\t\r]/)
    }
  })

  test('an apostrophe that stands before no formula is left alone', () => {
    expect(unguardFormulas("'90s; it's")).toBe("'90s; it's")
  })

  test('a cell of megabytes is read as a text, in no time', () => {
    const cell = '['.repeat(200_000)
    expect(readValue(cell, 'any')).toBe(cell)
  })

  test('any mix of the critical characters comes back', () => {
    const letters = [...'\'=;-"\n\t@+{[1a ']
    let seed = 1
    const next = () => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed
    }
    for (let n = 0; n < 3_000; n++) {
      const text = Array.from({ length: next() % 7 }, () => letters[next() % letters.length]).join('')
      expect([text, roundTrip(text, 'any')]).toEqual([text, text])
      expect([text, roundTrip([text], 'any')]).toEqual([text, [text]])
    }
  })
})
