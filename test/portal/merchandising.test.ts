import { describe, expect, test } from 'bun:test'
import type { SearchRule, StoreField } from '#generated/api.ts'
import { toBody, toDraft } from '../../src/browser/portal/pages/merchandising/draft.ts'
import { NOTHING_TRIED, toSettings } from '../../src/browser/portal/pages/merchandising/replay-settings.ts'
import { newRow, toRows, toWords } from '../../src/browser/portal/pages/merchandising/words-draft.ts'
import {
  type Arrangement,
  entryOf,
  hide,
  isRuleFor,
  mergeActions,
  moveTo,
  release,
} from '../../src/browser/portal/pages/playground/arrangement.ts'

const field = (name: string, type: StoreField['type'], values: StoreField['values'] = []): StoreField => ({
  ...{ field: name, type, values, products: 1, min: null, max: null, has_all_values: true },
})
const FIELDS = [
  field('price', 'number'),
  field('in_stock', 'boolean'),
  field('size', 'mixed', [{ value: 42, count: 1 }]),
]

const rule = (parts: Pick<SearchRule, 'when' | 'then'>): SearchRule => ({
  ...{ id: 'r', name: 'Rule', active: true, state: 'active', missing: [], faults: [], uses: 0, clicks: 0 },
  ...{ created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' },
  ...parts,
})

describe('the form of a rule', () => {
  test('gives back what it was given, also what it cannot show', () => {
    const given = rule({
      when: { words: ['"mug"', 'red cup'], key_id: 'k', source: 'text', until: '2026-03-01T10:20:30.5Z' },
      then: [
        { action: 'pin', product_id: 'a', position: 7 },
        { action: 'hide', filters: [{ field: 'sku', operator: 'in', value: ['1', 2] }] },
        { action: 'boost', filters: [{ field: 'price', operator: 'eq', value: '10' }], strength: 3 },
        { action: 'bury', filters: { should: [{ field: 'x', operator: 'eq', value: 1 }] }, strength: 1 },
        { action: 'hide', filters: [{ field: 'price', operator: 'between', value: [1, 2] }] },
        { action: 'hide', filters: [{ field: 'sku', operator: 'in', value: ['a, b', 'c'] }] },
        { action: 'hide', filters: [{ field: 'brand', operator: 'not_exists' }] },
      ],
    })
    const { when, then } = toBody(toDraft(given), FIELDS, given)
    expect({ when, then }).toEqual({ when: given.when, then: given.then })
  })

  test('sends a value with the type of its field', () => {
    const conditions = [
      { field: 'price', operator: 'lt', value: '9.5' },
      { field: 'in_stock', operator: 'eq', value: 'false' },
      { field: 'size', operator: 'in', value: '42, 43,' },
      { field: 'brand', operator: 'eq', value: '12' },
    ] as const
    const draft = { ...toDraft(rule({ when: {}, then: [] })), actions: [] }
    const [action] = toBody({ ...draft, actions: [{ kind: 'hide', conditions, strength: '2' }] }, FIELDS).then
    expect(action).toEqual({
      action: 'hide',
      filters: [
        { field: 'price', operator: 'lt', value: 9.5 },
        { field: 'in_stock', operator: 'eq', value: false },
        { field: 'size', operator: 'in', value: [42, '43'] },
        { field: 'brand', operator: 'eq', value: '12' },
      ],
    })
  })
})

describe('results that are put in order by hand', () => {
  const start: Arrangement = { order: ['a', 'b', 'c', 'd'], pinned: new Set(), hidden: new Set() }
  const shown = start.order

  test('become pins and a list of what is hidden; who moves others pins only what was moved', () => {
    const moved = hide(moveTo(moveTo(start, 'c', 0), 'd', 99), 'b')
    expect(moved.order).toEqual(['c', 'a', 'd'])
    expect(mergeActions([], moved, shown)).toEqual([
      { action: 'pin', product_id: 'c', position: 1 },
      { action: 'pin', product_id: 'd', position: 3 },
      { action: 'hide', filters: [{ field: 'product_id', operator: 'in', value: ['b'] }] },
    ])
  })

  test('keep what their rule says of other products, and take the places that they need', () => {
    const boost = {
      action: 'boost',
      filters: [{ field: 'tags', operator: 'contains' as const, value: 'x' }],
    }
    const before = [
      boost,
      { action: 'pin', product_id: 'a', position: 4 },
      { action: 'pin', product_id: 'far', position: 50 },
      { action: 'pin', product_id: 'gone', position: 1 },
      { action: 'hide', filters: [{ field: 'product_id', operator: 'in' as const, value: ['z', 'c'] }] },
    ]
    expect(mergeActions(before, moveTo(start, 'c', 0), shown)).toEqual([
      boost,
      { action: 'pin', product_id: 'far', position: 50 },
      { action: 'pin', product_id: 'c', position: 1 },
      { action: 'hide', filters: [{ field: 'product_id', operator: 'in', value: ['z'] }] },
    ])
  })

  test('leave no action when everything is released', () => {
    const pins = [{ action: 'pin', product_id: 'a', position: 1 }]
    expect(mergeActions(pins, release(moveTo(start, 'a', 0), 'a'), shown)).toEqual([])
  })

  test('belong to the rule of these words alone', () => {
    expect(entryOf(' 6" pan ')).toBe('"6  pan"')
    expect(isRuleFor({ when: { words: ['"mug"'] } }, entryOf('mug'))).toBe(true)
    expect(isRuleFor({ when: { words: ['mug'] } }, entryOf('mug'))).toBe(false)
    expect(isRuleFor({ when: { words: ['"mug"'], source: 'text' } }, entryOf('mug'))).toBe(false)
  })
})

test('the lists of words come back as they were read, and take what was typed', () => {
  const read = {
    synonyms: [{ words: ['a, b', 'c'], to: ['d'] }, { words: ['sofa', 'couch'] }],
    redirects: [{ words: 'returns', url: '/pages/returns' }],
    ignore: ['cheap'],
  }
  const rows = toRows(read)
  expect(toWords(rows)).toEqual(read)
  const synonyms = [newRow(' ottoman ,, footstool', ''), newRow(' ', ''), ...rows.synonyms.slice(1)]
  expect(toWords({ ...rows, synonyms, ignore: [] })).toEqual({
    ...{ synonyms: [{ words: ['ottoman', 'footstool'] }, { words: ['sofa', 'couch'] }], ignore: [] },
    redirects: read.redirects,
  })
})

test('a replay tries only what was chosen', () => {
  expect(toSettings(NOTHING_TRIED)).toEqual({})
  const tried = { ...NOTHING_TRIED, threshold: '0', rules: 'false', learn: 'true', cutoff: 'auto' }
  expect(toSettings(tried)).toEqual({ threshold: 0, rules: false, learn: true, cutoff: 'auto' })
})
