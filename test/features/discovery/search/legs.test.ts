import { expect, test } from 'bun:test'
import { createProductIndex } from '../../../../src/features/catalogue/product-index/product-index.ts'
import { fuseSides, presentFusion } from '../../../../src/features/discovery/search/fusion.ts'
import {
  hasWords,
  keywordLeg,
  measureDeviation,
} from '../../../../src/features/discovery/search/legs/keyword.ts'
import { itself } from '../../../../src/features/discovery/search/nearest.ts'
import { pictureSide, wordsSide } from '../../../../src/features/discovery/search/sides.ts'
import { createVectorArena } from '../../../../src/platform/vectors/arena.ts'
import { unitVectors } from '../../../platform/vectors/units.ts'

const DIMENSION = 64
const MAP = { midpoint: 0.2, slope: 6 }
const STEERING = { boost: 0.1, isInOne: false }
const CATEGORIES = ['Mugs', 'Lamps', 'Rugs', undefined]

/** A store of more pictures than the sample of the deviation has, some of which have left. */
function filledStore(products = 5_000) {
  const index = createProductIndex(createVectorArena(DIMENSION))
  const next = unitVectors(DIMENSION, 3)
  for (let n = 1; n <= products; n++) {
    const category = CATEGORIES[n % CATEGORIES.length]
    const metadata = { name: `thing ${n % 50}`, ...(category && { category }) }
    const entry = { storeId: 's', productId: `p${n}`, pictureId: n, product: n, isFirst: true, metadata }
    index.put(entry, next())
  }
  for (let n = 1; n <= products; n += 7) index.remove('s', n)
  const store = index.findStore('s')
  if (!store) throw new Error('The store is missing')
  return { store, next }
}

test('the unit of words is the same from a scan that is there as from one of its own', () => {
  const { store, next } = filledStore()
  for (let n = 0; n < 5; n++) {
    const vector = next()
    expect(measureDeviation(store, vector, store.segment.scanAll(vector))).toBe(
      measureDeviation(store, vector),
    )
  }
})

test('the unit of words is the same in whatever order the pictures came', () => {
  const next = unitVectors(DIMENSION, 5)
  const pictures = Array.from({ length: 5_000 }, (_, n) => ({ n: n + 1, vector: next() }))
  const units = [pictures, pictures.toReversed()].map((list) => {
    const index = createProductIndex(createVectorArena(DIMENSION))
    for (const [at, { n, vector }] of list.entries()) {
      const picture = { storeId: 's', productId: `p${n}`, pictureId: at + 1, product: at + 1, isFirst: true }
      index.put({ ...picture, metadata: {} }, vector)
    }
    const store = index.findStore('s')
    if (!store) throw new Error('The store is missing')
    return measureDeviation(store, pictures[17]?.vector as Float32Array)
  })
  expect(units[0]).toBeCloseTo(units[1] as number, 12)
})

test('legs add the same to all slots at once as to each slot alone', () => {
  const { store, next } = filledStore()
  const fits = store.columns.listCategories().map((category, n) => ({ category, cosine: 0.3 - n / 10 }))
  const picture = pictureSide(next(), MAP, STEERING, { categories: { reliability: 0.5, fits } })
  for (const text of ['thing 7', 'lamps', 'thing 7 rugs', 'p50', 'nowhere']) {
    const words = wordsSide(store, { text, vector: next() }, MAP, STEERING, false)
    const fusion = fuseSides([
      { ...picture, share: 0.5 },
      { ...words, share: 0.5 },
    ])
    const cosines = fusion.legs.map(({ vector }) => store.segment.scanAll(vector))
    // Likeness beyond which steering fades out.
    cosines[0]?.fill(0.9, 10, 400)
    const { valuesOf } = presentFusion(fusion, store)
    const [together, alone] = [0, 1].map(() => new Float32Array(store.segment.slots))
    valuesOf(cosines, itself, together as Float32Array)
    valuesOf(cosines, (place) => place, alone as Float32Array)
    for (const [slot, value] of (together as Float32Array).entries())
      if (value !== alone?.[slot]) expect(value).toBeCloseTo(alone?.[slot] as number, 6)
  }
})

test('whether a store has a word of a query is what its scores say', () => {
  const { store } = filledStore(400)
  const queries = ['thing', 'lamp', 'lmaps', 'p50', 'p1', 'nowhere', '', '   ', 'nowhere thing', 'zzz 7']
  for (const query of queries) {
    const { max, exact } = store.words.score(query)
    expect([query, hasWords(store, query)]).toEqual([query, max > 0 || exact.length > 0])
    expect([query, keywordLeg(store, query, 1) !== undefined]).toEqual([query, hasWords(store, query)])
  }
})
