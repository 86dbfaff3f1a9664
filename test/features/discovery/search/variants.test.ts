import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { fold, placeWords, splitWords } from '../../../../src/core/text.ts'
import type { Alternative } from '../../../../src/features/discovery/search/alternatives.ts'
import {
  embedVariants,
  listUnexplained,
  listVariants,
} from '../../../../src/features/discovery/search/variants.ts'

const both = (from: number, to: number, ...instead: string[]): Alternative => ({
  from,
  to,
  instead,
  for: 'both',
})
const model = (from: number, to: number, ...instead: string[]): Alternative => ({
  ...{ from, to, instead },
  for: 'model',
})

describe('words with their places', () => {
  test.each([
    ['Rote Schuhe für Damen', ['Rote', 'Schuhe', 'für', 'Damen']],
    ['cafe\u0301-Tisch', ['cafe\u0301', 'Tisch']],
    ['½ Liter ﬁne', ['½', '½', 'Liter', 'ﬁne']],
    ['حقيبة يد', ['حقيبة', 'يد']],
    ['  ΣΟΦΑΣ  ', ['ΣΟΦΑΣ']],
  ])('%s', (text, parts) => {
    expect(placeWords(text).map(({ from, to }) => text.slice(from, to))).toEqual(parts)
  })

  test('are those of the folded text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' })), (text) => {
        const placed = placeWords(text)
        expect(placed.map(({ word }) => word)).toEqual(splitWords(text))
        for (const { word, from, to } of placed)
          expect(fold(text.slice(from, to))).toContain(Array.from(word)[0] as string)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('the texts that a query may mean', () => {
  test.each<[string, Alternative[], string[]]>([
    ['grey couch', [], ['grey couch']],
    ['Grey Couch!', [both(1, 2, 'sofa')], ['Grey Couch!', 'Grey sofa!']],
    ['couch', [both(0, 1, 'sofa', 'settee', 'divan', 'lounge')], ['couch', 'sofa', 'settee', 'divan']],
    ['rote Tasche', [model(0, 1, 'red'), model(1, 2, 'bag')], ['red bag']],
    ['rote Tasche', [model(1, 2, 'bag', 'purse')], ['rote bag', 'rote purse']],
    ['Tasche', [both(0, 1, 'beutel'), model(0, 1, 'bag')], ['bag', 'beutel']],
    [
      'couch rug',
      [both(0, 1, 'sofa'), both(1, 2, 'carpet', 'mat')],
      ['couch rug', 'sofa carpet', 'sofa mat'],
    ],
    ['dressing gown', [both(1, 2, 'dress'), both(0, 2, 'bathrobe')], ['dressing gown', 'bathrobe']],
    ['a b c', [both(0, 2, 'x'), both(1, 3, 'y')], ['a b c', 'x c']],
    ['couch', [both(3, 4, 'sofa'), both(0, 0, 'sofa')], ['couch']],
  ])('%s %j', (text, alternatives, variants) => {
    expect(listVariants(text, alternatives)).toEqual(variants)
  })

  test('are four at most and of bounded length', () => {
    const words = Array.from({ length: 200 }, () => 'a')
    const instead = Array.from({ length: 49 }, (_, n) => `${n}`.padEnd(100, 'x'))
    const variants = listVariants(
      words.join(' '),
      words.map((_, n) => both(n, n + 1, ...instead)),
    )
    expect(variants).toEqual([words.join(' ')])
    expect(listVariants('a', [both(0, 1, ...instead)])).toHaveLength(4)
  })
})

describe('the vector of several texts', () => {
  const vectors: Record<string, { vector: Float32Array; unknownWords?: string[]; isUnknown?: boolean }> = {
    couch: { vector: Float32Array.of(1, 0, 0) },
    sofa: { vector: Float32Array.of(0, 1, 0) },
    anti: { vector: Float32Array.of(-1, 0, 0) },
    zxqv: { vector: Float32Array.of(0, 0, 1), unknownWords: ['zxqv'], isUnknown: true },
    'red zxqv': { vector: Float32Array.of(0, 0, 1), unknownWords: ['zxqv'] },
  }
  const embed = async (text: string) => ({
    ...{ isTruncated: false, isUnknown: false, unknownWords: [] },
    ...(vectors[text] as { vector: Float32Array }),
  })
  const embedAll = (...texts: string[]) => embedVariants(embed, texts)

  test('is their mean, of length 1', async () => {
    const half = Math.fround(Math.SQRT1_2)
    expect([...(await embedAll('couch', 'sofa')).vector]).toEqual([half, half, 0])
  })
  test('is the own one of a text alone', async () => {
    expect((await embedAll('couch')).vector).toBe(vectors['couch']?.vector as Float32Array)
  })
  test('is the own one where they cancel out', async () => {
    expect([...(await embedAll('couch', 'anti')).vector]).toEqual([1, 0, 0])
  })
  test('leaves out what the model knows less of', async () => {
    expect(await embedAll('zxqv', 'sofa')).toMatchObject({
      vector: Float32Array.of(0, 1, 0),
      isUnknown: false,
      unknownWords: [],
    })
    expect(await embedAll('red zxqv', 'sofa')).toMatchObject({
      vector: Float32Array.of(0, 1, 0),
      unknownWords: [],
    })
    expect(await embedAll('sofa', 'zxqv')).toMatchObject({ vector: Float32Array.of(0, 1, 0) })
  })
  test('stays unknown where the model knows none', async () => {
    expect(await embedAll('zxqv', 'zxqv')).toMatchObject({ isUnknown: true, unknownWords: ['zxqv'] })
  })
})

test('words that somebody has explained are no typos', () => {
  expect(listUnexplained(['cóuch', 'gren'], 'gren Cóuch', [both(1, 2, 'sofa')])).toEqual(['gren'])
})
