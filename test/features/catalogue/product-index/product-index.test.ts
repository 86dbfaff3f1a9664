import { expect, test } from 'bun:test'
import { createProductIndex } from '../../../../src/features/catalogue/product-index/product-index.ts'
import { createVectorArena } from '../../../../src/platform/vectors/arena.ts'
import { unitVectors } from '../../../platform/vectors/units.ts'

const DIMENSION = 16
const FIELDS = {
  ...{ category: null, levels: null, color: null, brand: null, palette: '[]' },
  isSoldOut: false,
  prices: { price: null, sale: null, from: null, until: null },
}
const SPELLING = { category: () => '', levels: () => new Map<string, string>() }

test('a product leaves the words that were read after one of its pictures had gone', () => {
  const index = createProductIndex(createVectorArena(DIMENSION))
  const next = unitVectors(DIMENSION, 3)
  const load = (pictureId: number, product: number, isFirst: boolean) =>
    index.load('s', { pictureId, product, productId: `p${product}`, isFirst, ...FIELDS }, next(), SPELLING)
  load(1, 7, false)
  load(2, 7, true)
  load(3, 8, true)
  index.remove('s', 1)
  const unread = index.listUnread('s', 0, 64)
  index.loadWords('s', unread?.slots ?? [], [
    { product: 7, words: { productId: 'a', name: 'teapot' } },
    { product: 8, words: { productId: 'b', name: 'mug' } },
  ])
  index.remove('s', 2)
  const words = index.findStore('s')?.words
  expect([words?.hasAny('teapot'), words?.hasAny('mug'), words?.countDocuments()]).toEqual([false, true, 1])
})
