import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createDictionary } from '../../../../../src/features/catalogue/product-index/words/dictionary.ts'
import { createScratch } from '../../../../../src/features/catalogue/product-index/words/scratch.ts'
import {
  createVocabulary,
  unitsOf,
} from '../../../../../src/features/catalogue/product-index/words/vocabulary.ts'
import { createWordIndex } from '../../../../../src/features/catalogue/product-index/words/words.ts'

function indexOf(...names: string[]) {
  const index = createWordIndex(createScratch())
  for (const [n, name] of names.entries()) index.put(n + 1, { productId: `p${n}`, name })
  return index
}

const index = indexOf(
  'Teekanne Porzellan',
  'Porzellan Schale',
  'Keyboard stand',
  'Lamp AB1234',
  'Lamps and boats',
  'Кружка керамика',
  '도자기 머그잔',
  'ガラスの茶碗',
  'Kühlschrank',
)

describe('a query without its typos', () => {
  test.each<[query: string, words: string[], meant: string | undefined]>([
    ['teekane', ['teekane'], 'teekanne'],
    ['Rote Teekane, bitte', ['teekane'], 'Rote teekanne, bitte'],
    // Two edits in a long word: missing letters, changed places, other letters at the end and at the beginning.
    ['poezllan', ['poezllan'], 'porzellan'],
    ['keybaord', ['keybaord'], 'keyboard'],
    ['keyybaordd', ['keyybaordd'], undefined],
    ['rozzellan', ['rozzellan'], 'porzellan'],
    ['Kuhlshrnk', ['kuhlshrnk'], 'kuhlschrank'],
    // One edit in a short word, not two.
    ['lmap', ['lmap'], 'lamp'],
    ['lmqp', ['lmqp'], undefined],
    // Other scripts.
    ['крушка керамка', ['крушка', 'керамка'], 'кружка керамика'],
    ['머그쟌', ['머그쟌'], '머그잔'],
    ['ガラマの茶碗', ['ガラマの茶碗'], undefined],
    // Numbers and article numbers are not words, and what the store has in some form is no typo.
    ['ab1235', ['ab1235'], undefined],
    ['lamp boat', ['lamp', 'boat'], undefined],
    ['schalen', ['schalen'], undefined],
    ['kanne', ['kanne'], undefined],
    ['teekanne', ['teekanne'], undefined],
    // The model knows it.
    ['teekane', [], undefined],
    ['', [''], undefined],
  ])('%s', (query, words, meant) => {
    expect(index.correct(query, words)).toBe(meant)
  })

  test('takes the word that is fewest edits away, then the one that most products have', () => {
    const store = indexOf('saddle', 'sandal', 'sandal', 'sander', 'sander', 'sander')
    expect(store.correct('sandel', ['sandel'])).toBe('sander')
    store.put(7, { productId: 'p7', name: 'sandal' })
    store.put(8, { productId: 'p8', name: 'sandal' })
    expect(store.correct('sandel', ['sandel'])).toBe('sandal')
    for (let product = 1; product <= 8; product++) store.remove(product)
    expect(store.correct('sandel', ['sandel'])).toBeUndefined()
  })

  test('has at most four other words', () => {
    const words = ['teekane', 'porzelan', 'keybord', 'schle', 'lmps']
    expect(index.correct(words.join(' '), words)).toBe('teekanne porzellan keyboard schale lmps')
  })
})

/** The distance of optimal string alignment, by its definition. */
function countEdits(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, n) =>
    Array.from({ length: b.length + 1 }, (_, k) => (n === 0 ? k : k === 0 ? n : 0)),
  )
  const at = (n: number, k: number) => table[n]?.[k] as number
  for (let n = 1; n <= a.length; n++) {
    for (let k = 1; k <= b.length; k++) {
      const own = a[n - 1] === b[k - 1] ? 0 : 1
      const isSwap = n > 1 && k > 1 && a[n - 1] === b[k - 2] && a[n - 2] === b[k - 1]
      const ways = [at(n - 1, k) + 1, at(n, k - 1) + 1, at(n - 1, k - 1) + own]
      if (isSwap) ways.push(at(n - 2, k - 2) + 1)
      ;(table[n] as number[])[k] = Math.min(...ways)
    }
  }
  return at(a.length, b.length)
}

test('edits are counted exactly up to a limit', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'ж'), minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(word, word, fc.integer({ min: 0, max: 3 }), (one, other, max) => {
      const dictionary = createDictionary()
      const number = dictionary.intern(unitsOf(one), 0, one.length)
      expect(dictionary.countEdits(number, unitsOf(other), max)).toBe(
        Math.min(max + 1, countEdits(one, other)),
      )
    }),
    { numRuns: 2_000 },
  )
})

test('a word is compared with a limited number of those that begin or end like it', () => {
  const vocabulary = createVocabulary()
  for (let n = 0; n < 3_000; n++) {
    const units = unitsOf(
      `kuhl${String.fromCharCode(97 + (n % 26), 97 + (Math.floor(n / 26) % 26))}${'x'.repeat(n % 7)}kuhl`,
    )
    vocabulary.intern(units, 0, units.length)
  }
  const key = unitsOf('kuhlzzkuhl')
  for (const visitAll of [vocabulary.visitNeighbours, vocabulary.visitBeginning, vocabulary.visitEnding]) {
    let visits = 0
    visitAll(key, 50, () => void visits++)
    expect(visits).toBeLessThanOrEqual(50)
  }
  let visits = 0
  vocabulary.visitNeighbours(key, 50, () => void visits++)
  expect(visits).toBe(50)
})
