import { describe, expect, test } from 'bun:test'
import {
  choose,
  keep,
  keyOf,
  listFilled,
  listOpen,
  type Mapping,
  toBody,
} from '../../src/browser/portal/pages/import/mapping.ts'

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
