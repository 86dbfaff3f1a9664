import { describe, expect, test } from 'bun:test'
import { createDictionary } from '../../../../../src/features/discovery/search/meaning/dictionary.ts'
import { createDictionaryShelf } from '../../../../../src/features/discovery/search/meaning/shelf.ts'
import { translate } from '../../../../../src/features/discovery/search/meaning/translation.ts'

const faults: string[] = []
const dictionary = await createDictionaryShelf((file, reason) => faults.push(`${file}: ${reason}`))()

const english = (text: string, locale: string | null = null) => translate(dictionary, text, { locale })?.text

test('all files of the dictionary are whole', () => {
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

  test('the language of the shop, or what it sells, decides what an English word means', () => {
    expect(english('Rock', 'de-AT')).toBe('skirt')
    expect(english('robe', 'fr')).toBe('dress')
    const sells = (...words: string[]) => ({ locale: null, isHeld: (word: string) => words.includes(word) })
    expect(translate(dictionary, 'Hut', sells('hat'))?.text).toBe('hat')
    expect(translate(dictionary, 'Hut', sells('hat', 'hut'))).toBeUndefined()
  })
})

describe('a file that is not whole is left out, and the others serve', () => {
  const whole = 'cup\ttasse\ttasse\ttaza\ttazza\tkop\tkubek\txícara\n# end 1\n'
  const load = (broken: string) => {
    const told: string[] = []
    const dictionary = createDictionary((file) => told.push(file))
    dictionary.addFile('broken', broken)
    dictionary.addFile('whole', whole)
    return { told, found: dictionary.find('de', 'tassen') }
  }

  test.each([
    ['cut in a line', whole.slice(0, 20)],
    ['cut before its end', whole.slice(0, whole.indexOf('#'))],
    ['with a line less', whole.replace('# end 1', '# end 2')],
    ['with a cell less', whole.replace('\txícara', '')],
    ['empty', ''],
  ])('%s', (_, broken) => {
    expect(load(broken)).toEqual({ told: ['broken'], found: 'cup' })
  })
})
