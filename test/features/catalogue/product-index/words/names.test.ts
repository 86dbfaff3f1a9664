import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createNames, type Names } from '../../../../../src/features/catalogue/product-index/words/names.ts'

const ALIKE_MAX = 100
const KINDS = ['productId', 'sku', 'gtin', 'name'] as const

/** What must be found: each kind in turn, the lower documents first. */
function search(all: ReadonlyMap<number, Names>, text: string): number[] {
  const documents = [...all.keys()].sort((a, b) => a - b)
  const found = KINDS.flatMap((kind) => documents.filter((document) => all.get(document)?.[kind] === text))
  return [...new Set(found)].slice(0, ALIKE_MAX)
}

const text = fc.constantFrom('7', '8', 'red', 'blue', 'green')
const step = fc.record({
  document: fc.integer({ min: 1, max: 12 }),
  names: fc.option(
    fc.record(
      { productId: text, sku: text, gtin: fc.constantFrom('7', '8'), name: text },
      { requiredKeys: ['productId'] },
    ),
    { nil: undefined },
  ),
})

test('finds what a look at every product finds, after any changes', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const names = createNames()
      const all = new Map<number, Names>()
      for (const { document, names: given } of steps) {
        if (given) {
          names.set(document, given)
          all.set(document, given)
        } else {
          names.clear(document)
          all.delete(document)
        }
      }
      for (const asked of ['7', '8', 'red', 'blue', 'green', 'none'])
        expect(names.find([asked])).toEqual(search(all, asked))
    }),
    { numRuns: 300 },
  )
})

test('finds the first hundred products of one name, however many have it and whichever have left', () => {
  const names = createNames()
  const all = new Map<number, Names>()
  for (let document = 1; document <= 3_000; document++) {
    const given = { productId: `p${document}`, name: document % 2 === 0 ? 'shirt' : 'mug' }
    names.set(document, given)
    all.set(document, given)
  }
  for (const count of [500, 1_200, 2_900]) {
    for (let document = 1; document <= count; document++) {
      names.clear(document)
      all.delete(document)
    }
    for (const asked of ['shirt', 'mug', 'p2999', 'p1'])
      expect(names.find([asked])).toEqual(search(all, asked))
  }
})

test('a kind of name that no product has takes no memory', () => {
  const [some, more] = [createNames(), createNames()]
  for (let document = 1; document <= 5_000; document++) {
    some.set(document, { productId: `p${document}` })
    more.set(document, { productId: `p${document}`, sku: `s${document}` })
  }
  expect(more.bytes()).toBeGreaterThan(1.8 * some.bytes())
})
