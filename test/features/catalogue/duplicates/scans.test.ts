import { afterEach, expect, test } from 'bun:test'
import pino from 'pino'
import { duplicatesService } from '../../../../src/features/catalogue/duplicates/service.ts'
import { createProductIndex } from '../../../../src/features/catalogue/product-index/product-index.ts'
import { createVectorArena, type VectorArena } from '../../../../src/platform/vectors/arena.ts'

const MAP = { midpoint: 0.5, slope: 8 }

const STORE = 'store'
const QUERY = { storeId: STORE, productId: 'new', variantGroup: null }

let arena: VectorArena
let now = 0
const clock = { monotonic: () => now }
afterEach(() => arena.close())

const axis = (n: number) => Float32Array.from({ length: 8 }, (_, at) => (at === n ? 1 : 0))

/** Scans an index of some pictures with ids from 1, whose stored rows are asked for in `asked`. */
function scanning(pictures: Float32Array[], largeSlots?: number) {
  arena = createVectorArena(8, { threads: 0, ...(largeSlots !== undefined && { largeSlots }) })
  const index = createProductIndex(arena)
  const add = (pictureId: number, vector: Float32Array) =>
    index.put(
      {
        storeId: STORE,
        productId: `p${pictureId}`,
        pictureId,
        product: pictureId,
        isFirst: true,
        metadata: {},
      },
      vector,
    )
  for (const [n, vector] of pictures.entries()) add(n + 1, vector)
  const asked: (readonly number[])[] = []
  const service = duplicatesService({
    queries: {
      findFirst(_, ids) {
        asked.push(ids)
        return { productId: `p${ids[0]}`, pictureId: ids[0] as number, imageUrl: `${ids[0]}.jpg` }
      },
    },
    index,
    mapOf: () => MAP,
    readThreshold: () => 0.95,
    isAskedFor: () => true,
    clock,
    log: pino({ level: 'silent' }),
  })
  return { service, asked, add }
}

test.each([
  ['at once', undefined],
  ['beside the event loop', 8],
])(
  'a scan %s finds the pictures that reach the threshold, the older of equal ones first',
  async (_, largeSlots) => {
    const pictures = Array.from({ length: 30 }, (_, n) => axis(n % 5))
    const { service, asked } = scanning(pictures, largeSlots)
    const scan = await service.scan(STORE, axis(3))
    expect(scan?.find(QUERY)).toMatchObject({ productId: 'p4', imageUrl: '4.jpg' })
    expect(asked).toEqual([[4, 9, 14, 19, 24, 29]])
    scan?.close()
  },
)

test('pictures that are put during a scan count', async () => {
  const { service, add } = scanning(
    Array.from({ length: 30 }, () => axis(0)),
    8,
  )
  const pending = service.scan(STORE, axis(3))
  add(31, axis(3))
  const scan = await pending
  expect(scan?.find(QUERY)).toMatchObject({ productId: 'p31' })
})

test('an open scan learns of later writes, and forgets pictures whose rows others have taken', async () => {
  const { service, asked } = scanning([axis(1)])
  const scan = await service.scan(STORE, axis(1))
  const other = await service.scan('other store', axis(1))
  service.addPictures(STORE, [
    { id: 1, vector: axis(2) },
    { id: 2, vector: axis(1) },
    { id: 3, vector: axis(2) },
  ])
  expect(scan?.find(QUERY)).toMatchObject({ productId: 'p2' })
  expect(other?.find(QUERY)).toBeUndefined()
  scan?.close()
  service.addPictures(STORE, [{ id: 4, vector: axis(1) }])
  scan?.find(QUERY)
  expect(asked.at(-1)).toEqual([2])
})

test('a scan that waits for too many others is given up', async () => {
  const { service } = scanning(
    Array.from({ length: 30 }, () => axis(1)),
    8,
  )
  const first = service.scan(STORE, axis(1))
  const second = service.scan(STORE, axis(1))
  now += 10_001
  expect(await first).toBeUndefined()
  expect(await second).toBeUndefined()
  expect((await service.scan(STORE, axis(1)))?.find(QUERY)).toBeDefined()
})

test('of very many copies some are compared', async () => {
  const { service, asked } = scanning(Array.from({ length: 1_000 }, () => axis(1)))
  const scan = await service.scan(STORE, axis(1))
  expect(scan?.find(QUERY)).toBeDefined()
  expect(asked[0]).toHaveLength(256)
})
