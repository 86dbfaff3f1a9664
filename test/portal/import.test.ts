import { describe, expect, test } from 'bun:test'
import { LANGUAGES } from '../../src/browser/portal/languages.ts'
import { describeFinding } from '../../src/browser/portal/pages/import/describe-finding.ts'
import {
  choose,
  keep,
  keyOf,
  listFilled,
  listOpen,
  type Mapping,
  toBody,
} from '../../src/browser/portal/pages/import/mapping.ts'

import { FINDING_CODES, type Finding } from '../../src/features/catalogue/imports/schema.ts'

const keptAs = (column: string, own: Mapping = {}, taken: Mapping = {}): string[] =>
  Object.keys(keep(own, taken, column)).filter((field) => !(field in own))

describe('a column that is kept', () => {
  test.each([
    ['Material', 'metadata.material'],
    ['  Größe (cm) ', 'metadata.größe_cm'],
    ['a.b/c', 'metadata.a_b_c'],
    ['<b>&"', 'metadata.b'],
    ['***', 'metadata.field'],
    ['', 'metadata.field'],
    ['Price', 'metadata.price_2'],
    ['Color Name', 'metadata.color_name_2'],
  ])('%j gets the key %s', (column, field) => {
    expect(keptAs(column)).toEqual([field])
    expect(keep({}, {}, column)[field]).toEqual([column])
  })

  test('takes no key that another column has', () => {
    const own = keep({}, {}, 'Size')
    expect(keptAs('size', own)).toEqual(['metadata.size_2'])
    expect(keptAs('size', own, { 'metadata.size_2': ['x'] })).toEqual(['metadata.size_3'])
  })

  test('has a key that the API takes, however long its name is', () => {
    const long = 'x'.repeat(10_000)
    const own = keep({}, {}, long)
    const [second = ''] = keptAs(long, own)
    for (const field of [...Object.keys(own), second])
      expect((keyOf(field) ?? '').length).toBeLessThanOrEqual(64)
  })
})

test('a mapping lists what it fills in the order of the fields, and metadata last', () => {
  const mapping = { 'metadata.x': ['x'], name: ['Name'], price: [], image_url: ['Image'] }
  expect(listFilled(mapping)).toEqual(['image_url', 'name', 'metadata.x'])
  const open = listOpen(mapping)
  expect([open.includes('price'), open.includes('name')]).toEqual([true, false])
  // They are asked for in any case.
  expect(open.includes('image_url')).toBe(false)
})

test('leaving a field out is another thing than saying nothing of it', () => {
  const own = choose(choose({}, 'name', 'Title'), 'price', '')
  expect(toBody(own)).toEqual({ name: ['Title'], price: [] })
})

describe.each([...LANGUAGES])('what the service found in a file, in %s', (language) => {
  const words = async () => {
    const { texts } = await import(`../../src/browser/portal/pages/import/texts/${language}.ts`)
    return { findings: texts.findings, fields: texts.fields, format: String }
  }

  test('each code of the API has a sentence with its numbers and names', async () => {
    const told = await words()
    expect(Object.keys(told.findings).sort()).toEqual([...FINDING_CODES].sort())
    for (const products of [1, 3, 5]) {
      const data = {
        products,
        line: 7,
        column: 'Preis HT',
        encoding: 'windows-1252',
        fields: ['name', 'price'],
      }
      for (const code of FINDING_CODES) {
        const { text, isEnglish } = describeFinding({ code, text: 'In English', data }, told)
        expect(isEnglish).toBe(false)
        expect(text).toMatch(/^\P{Ll}.*\.$/u)
        expect(text).not.toMatch(/undefined|–| {2}/)
      }
    }
    const { text } = describeFinding(
      { code: 'fields_without_column', text: '', data: { products: 3, fields: ['name', 'price'] } },
      told,
    )
    expect(text).toContain(`${told.fields.name}, ${told.fields.price}`)
  })

  test('a code of a newer service keeps the sentence of the API', async () => {
    for (const code of ['toString', 'moon_eclipse'])
      expect(
        describeFinding({ code: code as Finding['code'], text: 'In English', data: {} }, await words()),
      ).toEqual({ text: 'In English', isEnglish: true })
  })
})
