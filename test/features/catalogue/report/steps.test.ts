import { expect, test } from 'bun:test'
import { createProductIndex } from '../../../../src/features/catalogue/product-index/product-index.ts'
import { findWrongCategories } from '../../../../src/features/catalogue/report/categories.ts'
import { findWrongColours } from '../../../../src/features/catalogue/report/colours.ts'
import { createVectorArena } from '../../../../src/platform/vectors/arena.ts'
import { normalised } from '../../../platform/vectors/units.ts'

const DIMENSION = 16
const OF_EACH = 2_000
const ASTRAY = 300

const axis = (one: number, more = 0): Float32Array =>
  normalised(new Float32Array(DIMENSION).map((_, n) => (n === one ? 1 : n === DIMENSION - 1 ? more : 0)))

/** A store of two categories and one colour, some of whose pictures show the other one. */
function openStore() {
  const index = createProductIndex(createVectorArena(DIMENSION))
  for (let n = 0; n < 2 * OF_EACH; n++) {
    const own = n % 2
    const isAstray = own === 0 && n < 2 * ASTRAY
    const picture = { pictureId: n + 1, product: n + 1, productId: `p-${n}`, isFirst: true }
    const metadata = { category: ['Lamps', 'Mugs'][own], color_name: 'Red' }
    // The first of them are the least sure.
    const vector = isAstray ? axis(1, 0.2 - n / 10_000) : axis(own, 0.4)
    const palette = [{ hex: isAstray ? '#1040c0' : '#c01010', share: 1 }]
    index.put({ storeId: 's', ...picture, metadata, palette }, vector)
  }
  const store = index.findStore('s')
  if (!store) throw new Error('no store')
  return store
}

/** Tells the products of rows, and notes how many were asked for at a time. */
function watchFaces() {
  const asked: number[] = []
  return {
    asked,
    listFaces(rows: readonly number[]) {
      asked.push(rows.length)
      return rows.map((row) => ({
        ...{ row, productId: `p-${row - 1}`, category: 'Lamps', color: 'Red' },
        palette: '[{"hex":"#1040c0","share":1}]',
      }))
    },
  }
}

const breathe = async () => {}
const names: Record<string, Float32Array> = { Lamps: axis(0), Mugs: axis(1) }
const embedder = {
  embedText: async (text: string) => ({ vector: names[text] as Float32Array, isUnknown: false }),
} as unknown as Parameters<typeof findWrongCategories>[2]

test('hundreds of products of a wrong category are looked up in small steps, and the surest are named', async () => {
  const faces = watchFaces()
  const { found, compared } = await findWrongCategories(faces, openStore(), embedder, new Set(), breathe)
  expect([found.count, compared]).toEqual([ASTRAY, 2 * OF_EACH])
  expect(Math.max(...faces.asked)).toBeLessThanOrEqual(100)
  const surest = Array.from({ length: 50 }, (_, n) => `p-${2 * (ASTRAY - 1 - n)}`)
  expect(found.products.map(({ productId }) => productId)).toEqual(surest)
  expect(found.products[0]?.data).toEqual({ category: 'Lamps', seems: 'Mugs' })
})

test('a product whose picture many share is not counted', async () => {
  const { found } = await findWrongCategories(watchFaces(), openStore(), embedder, new Set(['p-0']), breathe)
  expect(found.count).toBe(ASTRAY - 1)
})

test('hundreds of products of a wrong colour are looked up in small steps', async () => {
  const faces = watchFaces()
  const found = await findWrongColours(faces, openStore(), new Set(), breathe)
  expect(found.count).toBe(ASTRAY)
  expect(Math.max(...faces.asked)).toBeLessThanOrEqual(100)
})

test('a store that is deleted in the middle of its report ends it without a fault', async () => {
  const index = createProductIndex(createVectorArena(DIMENSION))
  for (let n = 0; n < 4_000; n++) {
    const picture = { pictureId: n + 1, product: n + 1, productId: `p-${n}`, isFirst: true }
    const metadata = { category: ['Lamps', 'Mugs'][n % 2], color_name: 'Red' }
    index.put({ storeId: 's', ...picture, metadata, palette: [] }, axis(n % 2))
  }
  const store = index.findStore('s')
  if (!store) throw new Error('no store')
  let steps = 0
  const vanish = async () => {
    if (++steps === 4) index.removeStore('s')
  }
  const { found, compared } = await findWrongCategories(watchFaces(), store, embedder, new Set(), vanish)
  expect([found.count, compared < 4_000]).toEqual([0, true])
  expect((await findWrongColours(watchFaces(), store, new Set(), vanish)).count).toBe(0)
})
