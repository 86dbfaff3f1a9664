import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { readQuery, type Stretch } from '../../../../../src/features/catalogue/product-index/words/asked.ts'
import { createScratch } from '../../../../../src/features/catalogue/product-index/words/scratch.ts'
import {
  createWordIndex,
  type WordIndex,
} from '../../../../../src/features/catalogue/product-index/words/words.ts'

function build(names: readonly string[]): WordIndex {
  const index = createWordIndex(createScratch())
  for (const [n, name] of names.entries()) index.put(n + 1, { productId: `p${n + 1}`, name })
  return index
}

const ask = (text: string, ...standIns: Stretch[]) => ({ ...readQuery(text), standIns })

/** The scores by product. */
function scoreAll(index: WordIndex, query: Parameters<WordIndex['score']>[0]): Map<number, number> {
  const { scores, documents } = index.score(query)
  return new Map(
    Array.from(documents, (document) => [index.productOf(document), scores[document] as number] as const),
  )
}

describe('what stands for a word', () => {
  const OTHERS = ['lamp', 'red', 'mug', 'oak']

  test('scores as if each product had said the word itself', () => {
    const nameOf = fc
      .tuple(
        fc.constantFrom('couch', 'sofa', 'settee', 'lounger', ''),
        fc.array(fc.constantFrom(...OTHERS), { maxLength: 5 }),
      )
      .map(([first, more]) => [first, ...more].join(' '))
    const query = fc
      .tuple(fc.constantFrom('couch', 'sofa'), fc.subarray(OTHERS), fc.boolean())
      .map(([word, more, isLast]) => ({ word, text: (isLast ? [...more, word] : [word, ...more]).join(' ') }))
    fc.assert(
      fc.property(fc.array(nameOf, { maxLength: 30 }), query, (names, { word, text }) => {
        const group = ['sofa', 'couch', 'settee']
        const instead = group.filter((other) => other !== word)
        const found = scoreAll(build(names), ask(text, { words: word, instead }))
        const naive = names.map((name) => name.replace(/sofa|couch|settee/, word))
        const wanted = scoreAll(build(naive), text)
        expect([...found.keys()].sort()).toEqual([...wanted.keys()].sort())
        for (const [product, score] of wanted) expect(found.get(product)).toBeCloseTo(score, 5)
      }),
      { numRuns: 300 },
    )
  })

  test('counts once, however many of it a product says', () => {
    const index = build(['couch', 'sofa settee lounger', 'chair'])
    const instead = ['sofa', 'settee', 'lounger']
    const scores = scoreAll(index, ask('couch', { words: 'couch', instead }))
    expect(scores.get(2)).toBeLessThan(scores.get(1) as number)
  })

  test('counts with other forms of its stem and in compounds', () => {
    const index = build(['Two sofas', 'Ledersofa', 'Chair'])
    expect([...scoreAll(index, ask('couch', { words: 'couch', instead: ['sofa'] })).keys()]).toEqual([1, 2])
  })

  test('of several words counts where a product has them all', () => {
    const index = build(['Corner sofa', 'Corner shelf', 'Sofa cushion', 'Sectional', 'Sofas for a corner'])
    const query = ask('sectional', { words: 'sectional', instead: ['corner sofa'] })
    const scores = scoreAll(index, query)
    expect([...scores.keys()].sort()).toEqual([1, 4, 5])
    expect(scores.get(1)).toBeGreaterThan(0.5 * (scores.get(4) as number))
  })

  test('stands for several words together', () => {
    const index = build(['Dressing gown', 'Bathrobe', 'Gown', 'Shirt'])
    const scores = scoreAll(index, ask('dressing gown', { words: 'dressing gown', instead: ['bathrobe'] }))
    expect([...scores.keys()].sort()).toEqual([1, 2, 3])
    expect(scores.get(2)).toBeGreaterThan(scores.get(3) as number)
  })

  test('is found with its hyphen, without it and in two words', () => {
    const index = build(['T-Shirt', 'Tshirt', 'T Shirt', 'Shirt'])
    expect([...scoreAll(index, ask('tee', { words: 'tee', instead: ['t-shirt'] })).keys()].sort()).toEqual([
      1, 2, 3,
    ])
  })

  test('keeps its word from being unknown, a typo and corrected', () => {
    const index = build(['sofa', 'coach'])
    const query = ask('couch', { words: 'couch', instead: ['sofa'] })
    expect(index.hasAny(query)).toBeTrue()
    expect(index.listUnheld(query, ['couch'])).toEqual([])
    expect([...scoreAll(index, query).keys()]).toEqual([1])
    expect(index.correct(query, ['couch'])).toBeUndefined()
    expect(index.listUnheld('couch', ['couch'])).toEqual([])
    expect(index.correct('couch', ['couch'])).toBe('coach')
  })

  test('names a product that is called by it, behind one that is called by the query', () => {
    const index = build(['Sofa', 'Couch', 'Old sofa'])
    const query = ask('couch', { words: 'couch', instead: ['sofa'] })
    expect([...index.score(query).exact]).toEqual([2, 1])
    expect([...index.score(ask('old couch', { words: 'couch', instead: ['sofa'] })).exact]).toEqual([])
  })

  test('is explained by the word of the query', () => {
    const index = build(['Corner sofa', 'Sofa', 'Red'])
    const match = index.matcher(
      ask(
        'red sectional couch',
        { words: 'couch', instead: ['sofa'] },
        {
          words: 'sectional',
          instead: ['corner sofa'],
        },
      ),
    )
    expect(match('p1', { name: 'Corner sofa', color_name: 'red' })).toEqual([
      { word: 'couch', field: 'name' },
      { word: 'sectional', field: 'name' },
      { word: 'red', field: 'color_name' },
    ])
    expect(match('p2', { name: 'Sofa' })).toEqual([{ word: 'couch', field: 'name' }])
  })

  test('holds a word where all words of a query are asked for', () => {
    const index = build(['Dog sofa', 'Cat sofa', 'Dog settee'])
    const query = ask('dog couch', { words: 'couch', instead: ['sofa'] })
    expect([...index.listHoldersOfAll(query, 10)]).toEqual([1])
  })

  test('is bounded: twenty thousand words stand for no more than two thousand', () => {
    const index = build(['sofa'])
    const instead = Array.from({ length: 20_000 }, (_, n) => `w${n}`)
    expect(index.hasAny(ask('couch', { words: 'couch', instead: [...instead, 'sofa'] }))).toBeFalse()
  })
})
