import { expect, test } from 'bun:test'
import type { StoreSettings } from '#generated/api.ts'
import { toDraft, toPatch } from '../../src/browser/portal/pages/settings/draft.ts'

const SETTINGS = {
  shop_url: 'https://shop.test',
  shop_system: null,
  product_url_template: null,
  currency: 'EUR',
  locale: null,
  time_zone: 'Europe/Berlin',
  search_defaults: { threshold: 0.5, cutoff: null, category_boost: null, second_look: null },
  duplicate_threshold: 0.9,
  private_metadata: ['cost', 'supplier'],
  thumbnails: true,
  unmatched_thumbnails: false,
} as unknown as StoreSettings

const change = (changes: Partial<ReturnType<typeof toDraft>>) =>
  toPatch(SETTINGS, { ...toDraft(SETTINGS), ...changes })

test('a form that nobody has changed changes nothing', () => {
  expect(change({})).toEqual({})
})

test('only what was changed is said, so that the changes of others stay', () => {
  expect(change({ threshold: '0.6', category_boost: '0.1' })).toEqual({
    search_defaults: { threshold: 0.6, category_boost: 0.1 },
  })
  expect(change({ thumbnails: false })).toEqual({ thumbnails: false })
})

test('an empty field sets the default, and no other value that looks empty', () => {
  expect(change({ shop_url: ' ', currency: '', threshold: '', duplicate_threshold: ' ' })).toEqual({
    ...{ shop_url: null, currency: null, duplicate_threshold: null },
    search_defaults: { threshold: null },
  })
  expect(change({ threshold: '0' })).toEqual({ search_defaults: { threshold: 0 } })
  expect(change({ second_look: 'false' })).toEqual({ search_defaults: { second_look: false } })
  expect(change({ private_metadata: ' , ,' })).toEqual({ private_metadata: [] })
})

test('names in a list are trimmed, and told once', () => {
  expect(change({ private_metadata: 'margin,  cost ,margin,' })).toEqual({
    private_metadata: ['margin', 'cost'],
  })
})
