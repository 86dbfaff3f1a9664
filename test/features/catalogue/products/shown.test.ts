import { afterEach, beforeEach, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type PictureRow, productQueries } from '../../../../src/features/catalogue/products/queries.ts'
import { shownQueries } from '../../../../src/features/catalogue/products/shown-queries.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { DIMENSION } from '../../../support/embedder.ts'
import { NO_THUMBNAILS } from '../../../support/thumbnails.ts'

let app: TestApp
let storeId: string

beforeEach(async () => {
  app = testApp()
  storeId = (await app.store()).store_id
})
afterEach(() => app.close())

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('', '\u0000a', '"\\', '\u2028', '{}', '🧢'),
)
const picture = fc.record({
  imageUrl: text,
  contentHash: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes)),
  contentType: fc.constantFrom('image/jpeg', 'image/png'),
  bytes: fc.integer({ min: 1, max: 2 ** 40 }),
  width: fc.integer({ min: 32, max: 60_000 }),
  height: fc.integer({ min: 32, max: 60_000 }),
  phash: fc.constantFrom('0123456789abcdef', 'ffffffffffffffff'),
  palette: fc.array(
    fc.record({ hex: fc.constant('#cc0000'), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
    {
      maxLength: 5,
    },
  ),
})
const metadata = fc.dictionary(text, fc.jsonValue({ maxDepth: 2 }))

test('what the API shows is what was saved, pictures in their order', () => {
  const queries = productQueries(app.db, app.models, NO_THUMBNAILS)
  const shown = shownQueries(app.db)
  const vector = new Float32Array(DIMENSION).fill(Math.sqrt(1 / DIMENSION))
  fc.assert(
    fc.property(
      fc.array(picture, { minLength: 1, maxLength: 5 }),
      metadata,
      text,
      (pictures, words, imageUrl) => {
        const product = {
          storeId,
          productId: 'p',
          vectorId: 'v',
          imageUrl,
          metadata: words,
          isDemo: false,
          keepsTime: false,
          now: 7,
        }
        const added = pictures.map((one) => ({ added: one, vector }))
        app.db.transaction(() => queries.save(product, added))()
        const stored = queries.find(storeId, 'p')
        if (!stored) throw new Error('it was saved')
        const {
          id,
          storeId: _,
          isDemo,
          pictures: [first, ...others],
          ...fields
        } = stored
        const { contentType, bytes, width, height, phash, palette } = first as PictureRow
        const expected = {
          ...fields,
          picture: { contentType, bytes, width, height, phash, palette },
          thumbnail: null,
          otherUrls: others.map((one) => one.imageUrl),
        }
        expect(shown.findShown(storeId, 'p')).toEqual(expected)
        expect(shown.listShown([id + 1, id])).toEqual([expected])
        expect([first, ...others].map((one) => one?.imageUrl)).toEqual(pictures.map((one) => one.imageUrl))
      },
    ),
    { numRuns: 200 },
  )
  expect(shown.findShown(storeId, 'q')).toBeUndefined()
  expect(shown.findShown('another store', 'p')).toBeUndefined()
})
