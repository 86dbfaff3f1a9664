import { describe, expect, test } from 'bun:test'
import { createDictionaryShelf } from '../../../../../src/features/discovery/search/meaning/shelf.ts'
import { translate } from '../../../../../src/features/discovery/search/meaning/translation.ts'

const faults: string[] = []
const dictionary = await createDictionaryShelf((reason) => faults.push(reason))()

const english = (text: string, locale: string | null = null) => translate(dictionary, text, { locale })?.text

test('the dictionary is whole', () => {
  expect(faults).toEqual([])
})

const QUERIES: readonly (readonly [string, string])[] = [
  ['schwarze Lederhandtasche', 'black leather bag'],
  ['dunkelblaue Jacken', 'dark blue jacket'],
  ['roter Rock', 'red skirt'],
  ["robe d'été rouge", 'red summer dress'],
  ['sac à dos noir', 'black backpack'],
  ['vestidos rojos', 'red dress'],
  ['gonne nere', 'black skirt'],
  ['damesschoenen', "women's shoes"],
  ['rode jurkjes', 'red dress'],
  ['czerwonej sukienki', 'red dress'],
  ['torebek', 'handbag'],
  ['jasnoniebieska koszula', 'light blue shirt'],
  ['sapatos pretos', 'black shoes'],
]

describe('a query in another language', () => {
  test.each(QUERIES)('%s', (text, meaning) => {
    expect(english(text)).toBe(meaning)
  })

  test.each([
    'red dress',
    'gift box',
    'rock',
    'robe',
    'red hose',
    'Handy',
    'pain',
    'iphone 15',
    'KX-4410',
    '42',
    '',
  ])('%s is left as it is', (text) => {
    expect(english(text)).toBeUndefined()
  })

  test.each([
    ...[
      'yoga mat',
      'lip balm',
      'face mask',
      'bobby pin',
      'toe ring',
      'hanger',
      'plane',
      'baby bonnet',
      'bride',
    ],
    ...[
      'board game',
      'hair clip',
      'bin',
      'made in italy',
      'pool float',
      'coat rack',
      'die cast',
      'park bench',
    ],
    ...['trench coat', 'power bank', 'skippers'],
  ])('an English shop reads %s as it is', (text) => {
    expect(english(text, 'en-GB')).toBeUndefined()
  })

  test.each([
    ['schwarze Lederhandtasche', 'black leather bag'],
    ['rote Tassen', 'red mug'],
    ['chaussures', 'shoes'],
  ])('an English shop still reads %s', (text, meaning) => {
    expect(english(text, 'en-GB')).toBe(meaning)
  })

  test('of two languages with all words of a query, that counts in which one is a colour', () => {
    expect(english('tasse rouge')).toBe('red mug')
    expect(translate(dictionary, 'tasse rouge', { locale: null })?.language).toBe('fr')
  })

  test('the language of the shop, or what it sells, decides what an English word means', () => {
    expect(english('Rock', 'de-AT')).toBe('skirt')
    expect(english('robe', 'fr')).toBe('dress')
    const sells = (...words: string[]) => ({ locale: null, isHeld: (word: string) => words.includes(word) })
    expect(translate(dictionary, 'Hut', sells('hat'))?.text).toBe('hat')
    expect(translate(dictionary, 'Hut', sells('hat', 'hut'))).toBeUndefined()
  })
})
