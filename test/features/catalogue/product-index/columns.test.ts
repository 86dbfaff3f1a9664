import { expect, test } from 'bun:test'
import { makeSlotTest } from '../../../../src/features/catalogue/filters/slot-tests.ts'
import { createColumns } from '../../../../src/features/catalogue/product-index/columns.ts'

const product = (metadata: Record<string, unknown>, isFirst = true) => ({
  product: 1,
  productId: 'a',
  isFirst,
  document: 0,
  metadata,
})

test('a word leaves with its last slot, and its number goes to a later one', () => {
  const columns = createColumns()
  columns.set(0, product({ category: 'Mugs', color_name: 'Red' }))
  columns.set(1, product({ category: 'mugs', color_name: 'red' }, false))
  const mugs = columns.categoryAt(0)
  columns.set(0, product({ category: 'Lamps', color_name: 'Blue' }))
  expect(columns.categories.find('mugs')).toBe(mugs)
  expect(columns.categories.getLabel(mugs)).toBe('Mugs')

  columns.clear(1)
  expect(columns.categories.find('Mugs')).toBeUndefined()
  expect(columns.listColors()).toEqual(['blue'])

  columns.set(1, product({ category: 'Tables' }))
  expect(columns.categoryAt(1)).toBe(mugs)
  expect(columns.categories.getLabel(mugs)).toBe('Tables')
  expect(columns.listCategories().map(columns.categories.getLabel).toSorted()).toEqual(['Lamps', 'Tables'])
})

test('products that get new words for ever leave nothing behind', () => {
  const columns = createColumns()
  for (let n = 0; n < 1_000; n++) columns.set(n % 3, product({ category: `c${n}`, color_name: `red ${n}` }))
  expect(Math.max(...[0, 1, 2].map(columns.categoryAt))).toBeLessThanOrEqual(4)
  expect(columns.listColors().toSorted()).toEqual(['red 997', 'red 998', 'red 999'])
  expect(columns.createMask({ category: 'c999', color: 'red' }, 3)?.passing).toBe(1)
  expect(columns.createMask({ category: 'c5' }, 3)?.passing).toBe(0)
})

test('a colour name that takes the number of another one means what it says', () => {
  const columns = createColumns()
  columns.set(0, product({ color_name: 'rouge' }))
  expect(columns.createMask({ color: 'red' }, 1)?.passing).toBe(1)
  columns.set(0, product({ color_name: 'bleu' }))
  expect(columns.createMask({ color: 'red' }, 1)?.passing).toBe(0)
  expect(columns.createMask({ color: 'blue' }, 1)?.passing).toBe(1)
})

test('a filter by a thousand levels asks each slot once', () => {
  const columns = createColumns()
  const slots = 2_000
  for (let slot = 0; slot < slots; slot++)
    columns.set(slot, product({ category: `c${slot % 1_000}`, category_path: [`Top ${slot % 1_000}`] }))
  const fields = columns.readFields()
  let asked = 0
  const levels = {
    testAny(wanted: readonly string[]) {
      const isBelow = fields.levels.testAny(wanted)
      return (slot: number) => {
        asked++
        return isBelow?.(slot) === true
      }
    },
  }
  const texts = Array.from({ length: 999 }, (_, n) => `top ${n}`)
  const test = { op: 'equals' as const, given: texts, texts, numbers: [], booleans: [] }
  const root = { condition: { field: { kind: 'metadata' as const, name: 'category' }, test } }
  const passes = new Uint8Array(slots)
  makeSlotTest(root, { ...fields, levels }, () => undefined)?.(passes, 0)
  expect(passes.reduce((sum, one) => sum + one, 0)).toBe(2 * 999)
  expect(asked).toBe(slots)
})
