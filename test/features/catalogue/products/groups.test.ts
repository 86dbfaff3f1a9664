import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { CallerStore } from '../../../../src/core/actor.ts'
import type { EmitEvent } from '../../../../src/core/events.ts'
import { pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { listeningProducts } from '../../../support/listening-products.ts'
import { countRows } from '../../../support/seed.ts'
import { sized } from '../../../support/storage.ts'

/** Room for 14 blocks of 64 vectors beside the kernel's own memory. Stores share no block. */
const MEMORY = 5 * 65_536
const BLOCKS = 16

let app: TestApp
let store: CallerStore

beforeEach(async () => {
  app = testApp()
  store = await openStore('one')
})
afterEach(() => app.close())

async function openStore(name: string): Promise<CallerStore> {
  return app.stores.requireBySlug((await app.store(name)).slug)
}

const upload = (bytes: Uint8Array<ArrayBuffer>) => ({ upload: { bytes: async () => bytes } })
const input = (productId: string, n = 1) => ({
  productId,
  sources: [{ url: app.picture(`picture-${n}`, n) }],
  metadata: {},
})
const outcomes = async (writes: Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(writes)).map((result) =>
    result.status === 'fulfilled' ? 'kept' : (result.reason.code ?? result.reason.message),
  )
const stored = (): string[] =>
  app.db
    .prepare<[], { id: string }>('SELECT product_id AS id FROM products ORDER BY product_id')
    .all()
    .map(({ id }) => id)

/** Products of which some break the commit of their group, and others only themselves. */
function fragileProducts(memoryBytesMax?: number) {
  app.db.exec('CREATE TABLE bound (id TEXT REFERENCES stores (id) DEFERRABLE INITIALLY DEFERRED)')
  const emit: EmitEvent = ({ data }) => {
    const id = 'product_id' in data ? data.product_id : ''
    if (id === 'refused') throw new Error('refused')
    if (id === 'breaks') app.db.exec("INSERT INTO bound VALUES ('no store')")
  }
  return listeningProducts(app, emit, memoryBytesMax)
}

/** Pictures that the index finds, by the rows of those in the database. */
const isIndexed = ({ index }: ReturnType<typeof listeningProducts>): boolean[] =>
  app.db
    .prepare<[], { id: number; storeId: string }>('SELECT id, store_id AS storeId FROM pictures ORDER BY id')
    .all()
    .map(({ id, storeId }) => index.findVector(storeId, id) !== undefined)

describe('changes that are ready in the same turn', () => {
  test('are one transaction: where its commit fails, all of them fail and none is in the index', async () => {
    const products = fragileProducts()
    await products.writer.put(store, input('before'))
    const together = ['a', 'breaks', 'b'].map((id, n) => products.writer.put(store, input(id, n + 2)))
    const removed = products.writer.remove(store.id, 'before')
    expect(await outcomes([...together, removed])).toEqual(Array(4).fill('SQLITE_CONSTRAINT_FOREIGNKEY'))
    expect([stored(), isIndexed(products)]).toEqual([['before'], [true]])
    expect(await outcomes(['a', 'b'].map((id) => products.writer.put(store, input(id))))).toEqual([
      'kept',
      'kept',
    ])
    expect([stored(), isIndexed(products)]).toEqual([
      ['a', 'b', 'before'],
      [true, true, true],
    ])
  })

  test('one that fails, fails alone, and its event as well', async () => {
    const products = fragileProducts()
    const writes = ['a', 'refused', 'b'].map((id, n) => products.writer.put(store, input(id, n + 1)))
    expect(await outcomes(writes)).toEqual(['kept', 'refused', 'kept'])
    expect([stored(), isIndexed(products)]).toEqual([
      ['a', 'b'],
      [true, true],
    ])
  })

  test('each is followed by the index before its promise is kept', async () => {
    const products = fragileProducts()
    const found = ['a', 'b', 'c'].map(async (id, n) => {
      await products.writer.put(store, input(id, n + 1))
      return isIndexed(products)
    })
    expect(await Promise.all(found)).toEqual(Array(3).fill([true, true, true]))
  })

  test('of one product keep their order', async () => {
    const { writer } = fragileProducts()
    const prices = Array.from({ length: 20 }, (_, price) => ({ ...input('p'), metadata: { price } }))
    await Promise.all(prices.map((each) => writer.put(store, each)))
    expect(app.db.prepare('SELECT price FROM products').pluck().all()).toEqual([19])
  })
})

describe('limits add up over a group', () => {
  test('the plan’s number of products', async () => {
    const { writer } = fragileProducts()
    await Promise.all(Array.from({ length: 47 }, (_, n) => writer.put(store, input(`p${n}`))))
    const free = { ...store, plan: 'free' as const }
    const writes = ['a', 'refused', 'b', 'c', 'd', 'e'].map((id, n) => writer.put(free, input(id, n + 1)))
    // What one leaves free that fails alone is another's.
    expect(await outcomes(writes)).toEqual([
      ...['kept', 'refused', 'kept', 'kept'],
      ...['product_limit_exceeded', 'product_limit_exceeded'],
    ])
    expect(stored()).toHaveLength(50)
  })

  test('the plan’s bytes of pictures', async () => {
    const { writer } = fragileProducts()
    app.db.prepare('UPDATE stores SET kept_bytes = ?').run(500_000_000 - 2_500)
    const free = { ...store, plan: 'free' as const }
    const writes = [1, 2, 3, 4].map((n) =>
      writer.put(free, { productId: `p${n}`, sources: [upload(sized(1_000, n))], metadata: {} }),
    )
    const results = await outcomes(writes)
    expect(results.toSorted()).toEqual([
      ...['kept', 'kept'],
      ...['storage_limit_exceeded', 'storage_limit_exceeded'],
    ])
    expect(app.db.prepare('SELECT kept_bytes FROM stores').pluck().get()).toBe(500_000_000 - 500)
  })

  test('the memory for vectors: for stores, and for what leaves in the same group', async () => {
    const products = fragileProducts(MEMORY)
    const { writer } = products
    const stores = [store]
    for (let n = 1; n <= BLOCKS + 1; n++) stores.push(await openStore(`more-${n}`))
    const put = (each: CallerStore, id: string) => writer.put(each, input(id))
    const first = await outcomes(stores.map((each) => put(each, 'p')))
    expect(first.toSorted()).toEqual([...Array(BLOCKS).fill('kept'), 'storage_full', 'storage_full'])
    expect(isIndexed(products)).toEqual(Array(BLOCKS).fill(true))
    const late = stores[first.indexOf('storage_full')] as CallerStore

    // A block that leaves is only counted once it has left.
    const removed = writer.remove(store.id, 'p')
    expect(await outcomes([put(late, 'q'), removed])).toEqual(['storage_full', 'kept'])
    expect(await outcomes([put(late, 'q')])).toEqual(['kept'])
    expect(isIndexed(products)).toEqual(Array(BLOCKS).fill(true))
  })

  test('the memory for vectors: what a failed write would have freed or taken is as before', async () => {
    const products = fragileProducts(MEMORY)
    const { writer } = products
    const stores = [store]
    for (let n = 1; n < BLOCKS; n++) stores.push(await openStore(`more-${n}`))
    const many = (id: string, count: number) => ({
      productId: id,
      sources: Array.from({ length: count }, (_, n) => ({ url: app.picture(`${id}-${n}`, n) })),
      metadata: {},
    })
    await Promise.all(stores.slice(1).map((each) => writer.put(each, input('p'))))
    for (let n = 0; n < 6; n++) await writer.put(store, many(`p${n}`, 10))
    app.db.exec(
      'CREATE TRIGGER no_change BEFORE UPDATE OF name ON products BEGIN SELECT raise(ABORT, 0); END',
    )
    // 60 of 64 are taken. The first would free nine, but fails, and so does one that takes four.
    const shrinking = { ...many('p0', 1), metadata: { name: 'Another' } }
    const refused = many('refused', 4)
    const writes = [shrinking, refused, many('five', 5), many('four', 4), many('one', 1)]
    expect(await outcomes(writes.map((each) => writer.put(store, each)))).toEqual([
      ...['SQLITE_CONSTRAINT_TRIGGER', 'refused', 'storage_full', 'kept', 'storage_full'],
    ])
    expect(isIndexed(products).every(Boolean)).toBe(true)
    expect(countRows(app, 'pictures')).toBe(64 + BLOCKS - 1)
  })
})

test('any changes in groups: the index holds the pictures of the database, and nothing else', async () => {
  const products = fragileProducts(MEMORY)
  const two = await openStore('two')
  const names = ['a', 'b', 'c', 'refused', 'd', 'breaks']
  const change = fc.record({
    kind: fc.constantFrom('put', 'put', 'remove'),
    id: fc.oneof({ weight: 30, arbitrary: fc.constantFrom('a', 'b', 'c', 'd') }, fc.constantFrom(...names)),
    isSecond: fc.boolean(),
    pictures: fc.array(fc.nat(40), { minLength: 1, maxLength: 9 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 30 }), async (changes) => {
      const writes = changes.map(({ kind, id, isSecond, pictures }) => {
        const owner = isSecond ? two : store
        if (kind === 'remove') return products.writer.remove(owner.id, id)
        const sources = pictures.map((n) => upload(pictureBytes(n)))
        return products.writer.put(owner, { productId: id, sources, metadata: {} })
      })
      const results = await outcomes(writes)
      const known = ['kept', 'refused', 'SQLITE_CONSTRAINT_FOREIGNKEY', 'storage_full']
      expect(results.filter((each) => !known.includes(each))).toEqual([])
      expect(isIndexed(products).every(Boolean)).toBe(true)
      for (const owner of [store, two]) {
        const count = app.db
          .prepare<[string], number>('SELECT count(*) FROM pictures WHERE store_id = ?')
          .pluck()
          .get(owner.id)
        const segment = products.index.findStore(owner.id)?.segment
        const slots = Array.from({ length: segment?.slots ?? 0 }, (_, slot) => segment?.keyAt(slot))
        expect(slots.filter((key) => key !== -1)).toHaveLength(count as number)
      }
    }),
    { numRuns: 60 },
  )
}, 60_000)
