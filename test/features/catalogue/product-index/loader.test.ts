import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { toLab } from '../../../../src/core/colours/lab.ts'
import { fold } from '../../../../src/core/text.ts'
import {
  buildProductIndex,
  type ProductIndexService,
} from '../../../../src/features/catalogue/product-index/module.ts'
import { productIndexQueries } from '../../../../src/features/catalogue/product-index/queries.ts'
import { type PictureToSave, productQueries } from '../../../../src/features/catalogue/products/queries.ts'
import { type KnownModel, registerModel } from '../../../../src/platform/db/models.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { DIMENSION } from '../../../support/embedder.ts'
import { oneModel } from '../../../support/models.ts'
import { deleteRows } from '../../../support/seed.ts'
import { NO_THUMBNAILS } from '../../../support/thumbnails.ts'

let app: TestApp
/** Ids of two stores. */
let stores: string[]
let model: KnownModel
let other: KnownModel

beforeEach(async () => {
  app = testApp()
  await app.store('one')
  await app.store('two')
  stores = ['one', 'two'].map((slug) => app.stores.requireBySlug(slug).id)
  model = registerModel(app.db, { id: 'a', hash: 'a'.repeat(64), dimension: DIMENSION }, 0)
  other = registerModel(app.db, { id: 'b', hash: 'b'.repeat(64), dimension: DIMENSION }, 0)
})
afterEach(() => app.close())

const faults: unknown[] = []
const watchedBase = () => ({ ...app.base, reportFault: (error: unknown) => void faults.push(error) })
const makeIndex = (memoryBytesMax?: number): ProductIndexService =>
  buildProductIndex(watchedBase(), { models: oneModel(model), memoryBytesMax }).service

const COLORS = ['Red', 'rouge', ' Blau ', 'ÉTÉ', '\u0000', 'a\u0000b', '\ud800', 'x\udc00y', '']
/** Colours that tell apart what the pictures of {@link createShop} show. */
const WANTED = [0xff0000, 0x00ff00, 0x0000ff, 0x808080]
const CATEGORIES = [
  'Mugs',
  'MÚGS ',
  'chairs',
  ' Chairs',
  '',
  ' ',
  '\u0301',
  '\ud83d',
  '"\\',
  'a\u0000b',
  '杯',
]
const NAMES = ['Red mug', 'red  MÚG', 'Chair of oak', 'mugs', '']
/** They find names, categories, tags, SKUs and ids. */
const QUERIES = ['red mug', 'oak chairs', 'sale', 'ab-7', 'p7', '7', '杯', 'mgus']
const BOUNDS = [-1e9, -1, 0, 0.1, 5, 1e300, Infinity]

/** Everything that a search can learn of a store, by picture. */
function describeStore(index: ProductIndexService, storeId: string) {
  const store = index.findStore(storeId)
  if (!store) return { pictures: [], passing: [], products: 0, scores: [] }
  const { segment, columns, palettes, words } = store
  const slots = Array.from({ length: segment.slots }, (_, slot) => slot).filter(
    (slot) => segment.keyAt(slot) > 0,
  )
  const key = (slot: number) => segment.keyAt(slot)
  const shows = WANTED.map((rgb) => palettes.score([toLab(rgb)], segment.slots, 60))
  const pictures = slots.map((slot) => ({
    key: key(slot),
    product: columns.productAt(slot),
    category: fold(columns.categories.getLabel(columns.categoryAt(slot))),
    vector: [...(segment.vectorAt(slot) ?? [])],
    shows: shows.map((show) => show[slot]),
  }))
  const filters = [
    ...CATEGORIES.map((category) => ({ category })),
    ...COLORS.map((color) => ({ color })),
    ...BOUNDS.flatMap((priceMin) => [{ priceMin }, { priceMax: priceMin }]),
  ]
  const passing = filters.map((filter) => {
    const mask = columns.createMask(filter, segment.slots)
    const keys = slots.filter((slot) => mask?.bytes[slot]).map(key)
    return { keys: keys.sort((a, b) => a - b), products: mask?.products }
  })
  const found = QUERIES.map((query) => {
    const { scores, documents, exact, max } = words.score(query)
    const shown = slots.map((slot) => {
      const document = columns.documentAt(slot)
      return `${key(slot)} ${Math.round((scores[document] ?? -1) * 1_000)} ${exact.includes(document)}`
    })
    return `${query} ${documents.length} ${max.toFixed(3)}: ${shown.sort().join()}`
  })
  const categories = columns.listCategories().map((number) => fold(columns.categories.getLabel(number)))
  return {
    pictures: pictures.sort((a, b) => a.key - b.key),
    passing,
    scores: found,
    categories: categories.sort(),
    products: columns.countProducts(),
  }
}

const vectorOf = (seed: number) => {
  const vector = Float32Array.from({ length: DIMENSION }, (_, n) => Math.sin(seed * 7 + n * (1 + (seed % 5))))
  const length = Math.hypot(...vector)
  return vector.map((x) => x / length)
}

/** Up to five colours, other ones for each picture. */
const paletteOf = (seed: number) =>
  Array.from({ length: seed % 6 }, (_, n) => ({
    hex: `#${((seed * 40503 + n * 3571217) % 0x1000000).toString(16).padStart(6, '0')}`,
    share: Math.round(500 / (n + 1 + (seed % 3))) / 1000,
  }))

/** Does to an index what the changes of products do: the same writes, in the same order. */
function createShop(index: ProductIndexService) {
  const queries = productQueries(app.db, oneModel(model), NO_THUMBNAILS)
  const serving = oneModel(model).inUse
  const older = productQueries(app.db, oneModel(other), NO_THUMBNAILS)
  const facts = { width: 1, height: 1, contentType: 'image/jpeg', phash: '', bytes: 1 }
  let seed = 0
  const added = (): PictureToSave => {
    seed++
    return {
      added: {
        ...{ ...facts, palette: paletteOf(seed) },
        ...{ imageUrl: `https://img.test/${seed}`, contentHash: Buffer.from(`${seed}`) },
      },
      vector: vectorOf(seed),
    }
  }
  return {
    put(storeId: string, productId: string, { metadata, pictures, keeps, isDemo, isOlder }: Write): void {
      const before = queries.find(storeId, productId)
      const kept = (before?.pictures ?? []).filter(({ hasVector }) => hasVector && keeps && !isOlder)
      const given = [
        ...kept.map((picture) => ({ kept: picture })),
        ...Array.from({ length: pictures }, added),
      ]
      const product = {
        storeId,
        productId,
        metadata,
        isDemo,
        keepsTime: false,
        vectorId: app.ids.uuid(),
        imageUrl: 'x',
        now: 0,
      }
      const used = isOlder ? older : queries
      const saved = app.db.transaction(() => used.save(product, given))()
      for (const id of saved.removedPictureIds) index.remove(storeId, id)
      for (const [n, picture] of given.entries()) {
        const pictureId = saved.pictureIds[n] as number
        const { palette } = 'kept' in picture ? picture.kept : picture.added
        const entry = {
          storeId,
          productId,
          pictureId,
          product: saved.id,
          isFirst: n === 0,
          metadata,
          palette,
        }
        // Of another model: words alone find it.
        if (isOlder) index.open(serving).index.putBlank(entry)
        else index.put(entry, 'vector' in picture ? picture.vector : undefined)
      }
    },
    remove(storeId: string, productId: string): void {
      const product = queries.find(storeId, productId)
      if (!product) return
      app.db.transaction(() => queries.remove(product))()
      for (const { id } of product.pictures) index.remove(storeId, id)
    },
  }
}

interface Write {
  metadata: Record<string, unknown>
  /** New pictures. */
  pictures: number
  /** Whether the pictures with a vector stay, in front of the new ones. */
  keeps: boolean
  isDemo: boolean
  /** Whether another model writes. */
  isOlder: boolean
}

const odd = fc.constantFrom<unknown>(null, 7, true, ['Mugs'], { a: 1 })
const metadata = fc.record(
  {
    category: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...CATEGORIES) }, odd),
    color_name: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...COLORS) }, odd),
    name: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...NAMES) }, odd),
    brand: fc.oneof(fc.constantFrom('Oak', 'oak & sons'), odd),
    tags: fc.oneof(fc.constantFrom(['sale'], ['sale', 'mug', 7], 'sale'), odd),
    sku: fc.oneof(fc.constantFrom('AB-7', 'ab-8'), odd),
    gtin: fc.oneof(fc.constantFrom('0007', '70'), odd),
    price: fc.oneof(fc.double({ noNaN: true }), fc.constantFrom(0, -0, 5, 0.1, '5', null, Number.MAX_VALUE)),
    note: fc.string({ unit: 'binary' }),
  },
  { requiredKeys: [] },
)
const step = fc.record({
  store: fc.nat(1),
  product: fc.nat(60),
  write: fc.option(
    fc.record({
      metadata,
      pictures: fc.integer({ min: 1, max: 11 }),
      keeps: fc.boolean(),
      isDemo: fc.boolean(),
      isOlder: fc.nat(9).map((n) => n === 0),
    }),
    { freq: 3 },
  ),
})

describe('the loaded index', () => {
  test('equals the one that followed every write, and so does a store that is loaded by itself', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 30, maxLength: 150, size: 'max' }), (steps) => {
        deleteRows(app, 'products')
        for (const { vectors } of [model, other]) {
          const rowids: number[] = []
          vectors.each((rowid) => rowids.push(rowid))
          for (const rowid of rowids) vectors.remove(rowid)
        }
        const live = makeIndex()
        const shop = createShop(live)
        for (const { store, product, write } of steps) {
          const [storeId, productId] = [stores[store] as string, `p${product}`]
          if (write) shop.put(storeId, productId, write)
          else shop.remove(storeId, productId)
        }
        const [one, two] = stores as [string, string]
        const expected = [one, two].map((storeId) => describeStore(live, storeId))
        const loaded = makeIndex()
        const pictures = loaded.load()
        expect([one, two].map((storeId) => describeStore(loaded, storeId))).toEqual(expected)
        expect(pictures).toBe(expected.flatMap((store): unknown[] => store.pictures).length)
        loaded.load()
        loaded.forgetStore(two)
        expect([one, two].map((storeId) => describeStore(loaded, storeId))).toEqual(expected)
        const alone = makeIndex()
        alone.forgetStore(two)
        expect(describeStore(alone, two)).toEqual(expected[1] as (typeof expected)[0])
        expect(alone.findStore(one)).toBeUndefined()
      }),
      { numRuns: 15, endOnFailure: true },
    )
  })

  test('a store that leaves is found until it is dropped, and stays when it has come back', async () => {
    const live = makeIndex()
    const shop = createShop(live)
    const [one = '', two = ''] = stores
    const write = { pictures: 1, keeps: false, isDemo: false, isOlder: false }
    for (const storeId of [one, two]) shop.put(storeId, 'p', { ...write, metadata: {} })
    const index = makeIndex()
    index.load()
    const drop = index.beginLeaving(one)
    expect(index.findStore(one)).toBeDefined()
    drop()
    expect(index.findStore(one)).toBeUndefined()
    expect(index.findStore(two)).toBeDefined()

    await index.readStoreInTurns(one)
    drop()
    expect(index.findStore(one)).toBeDefined()
    const dropLate = index.beginLeaving(one)
    await index.readStoreInTurns(one)
    dropLate()
    expect(index.findStore(one)).toBeDefined()
    index.dropStore(one)
    expect(index.findStore(one)).toBeUndefined()
  })

  test('spells a category as a product of it does', () => {
    const live = makeIndex()
    const shop = createShop(live)
    const write = { pictures: 1, keeps: false, isDemo: false, isOlder: false }
    for (const [n, category] of [
      ' T-Shirts ',
      'half \ud800 pair',
      'a\u0000b',
      '"Quoted" \\ \u2028!',
      'ÉTÉ',
    ].entries()) {
      shop.put(stores[0] as string, `p${n}`, { ...write, metadata: { category } })
    }
    const labels = (index: ProductIndexService) => {
      const columns = index.findStore(stores[0] as string)?.columns
      return columns?.listCategories().map((number) => columns.categories.getLabel(number))
    }
    const loaded = makeIndex()
    loaded.load()
    expect(labels(loaded)).toEqual(['T-Shirts', 'half \ud800 pair', 'a\u0000b', '"Quoted" \\ \u2028!', 'ÉTÉ'])
    expect(labels(loaded)).toEqual(labels(live))
  })
})

describe('the words after a start', () => {
  const write = { pictures: 2, keeps: true, isDemo: false, isOlder: false }
  const nameOf = (n: number) => ({ name: `Mug ${n}`, category: 'Mugs' })

  /** A store of 100 products, and an index that has loaded its vectors alone. */
  function loadVectors() {
    const [storeId = ''] = stores
    const live = makeIndex()
    const shop = createShop(live)
    for (let n = 0; n < 100; n++) shop.put(storeId, `p${n}`, { ...write, metadata: nameOf(n) })
    const index = makeIndex()
    for (const _ of index.loadInSteps());
    return { storeId, live, index }
  }
  const countFound = (index: ProductIndexService, storeId: string, query: string) =>
    index.findStore(storeId)?.words.score(query).documents.length

  test('come in turns, and in the end equal those of an index that followed every write', async () => {
    const { storeId, live, index } = loadVectors()
    expect(index.findStore(storeId)?.hasAllWords).toBe(false)
    expect(countFound(index, storeId, 'mug')).toBe(0)
    let turns = 0
    const reading = index.readWordsInTurns().then(() => true)
    const counts = new Set<number | undefined>()
    while (!index.findStore(storeId)?.hasAllWords && turns++ < 100) {
      counts.add(countFound(index, storeId, 'mug'))
      await new Promise(setImmediate)
    }
    expect(await reading).toBe(true)
    // 200 pictures are read in 4 turns.
    expect(counts.size).toBeGreaterThan(2)
    expect(describeStore(index, storeId)).toEqual(describeStore(live, storeId))
  })

  test('follow writes and removals that come between two turns', async () => {
    const { storeId, index } = loadVectors()
    const shop = createShop(index)
    const reading = index.readWordsInTurns()
    await new Promise(setImmediate)
    for (const n of [0, 50, 99]) shop.remove(storeId, `p${n}`)
    for (const n of [1, 51, 98])
      shop.put(storeId, `p${n}`, { ...write, keeps: n !== 51, metadata: { name: `Teapot ${n}` } })
    shop.put(storeId, 'new', { ...write, metadata: { name: 'Teapot new' } })
    expect(countFound(index, storeId, 'teapot')).toBe(4)
    await reading
    const fresh = makeIndex()
    fresh.load()
    expect(index.findStore(storeId)?.hasAllWords).toBe(true)
    expect(describeStore(index, storeId)).toEqual(describeStore(fresh, storeId))
  })

  test('end with the service, and go on after a fault', async () => {
    const { storeId, live, index } = loadVectors()
    await index.readWordsInTurns(AbortSignal.abort())
    expect(index.findStore(storeId)?.hasAllWords).toBe(false)
    app.db.exec('ALTER TABLE products RENAME TO hidden')
    await expect(index.readWordsInTurns()).rejects.toThrow('products')
    app.db.exec('ALTER TABLE hidden RENAME TO products')
    await index.readWordsInTurns()
    expect(describeStore(index, storeId)).toEqual(describeStore(live, storeId))
  })

  test('of a store that is loaded by itself meanwhile are known at once', async () => {
    const { storeId, live, index } = loadVectors()
    const reading = index.readWordsInTurns()
    index.forgetStore(storeId)
    expect(index.findStore(storeId)?.hasAllWords).toBe(true)
    await reading
    expect(describeStore(index, storeId)).toEqual(describeStore(live, storeId))
  })
})

describe('what loading reads', () => {
  /** Asks with the real statements what SQLite would do. */
  function planOf(sql: string, count: number): string[] {
    const rows = app.db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...Array<number>(count).fill(1)) as {
      detail: string
    }[]
    return rows.map(({ detail }) => detail)
  }

  /** The statements that an index prepares and runs, as their text. */
  function statementsOf(work: (db: TestApp['db']) => void): string[] {
    const seen: string[] = []
    const spied = new Proxy(app.db, {
      get: (db, name) =>
        name === 'prepare'
          ? (sql: string) => {
              seen.push(sql)
              return db.prepare(sql)
            }
          : Reflect.get(db, name),
    })
    work(spied)
    return seen
  }

  test('rows of pictures and products are found by rowid, and no list is sorted', () => {
    const [pictures = ''] = statementsOf((db) => productIndexQueries(db, 1))
    expect(planOf(pictures, 3)).toEqual([
      'SCAN asked VIRTUAL TABLE INDEX 1:',
      'SEARCH pictures USING INTEGER PRIMARY KEY (rowid=?)',
      'SEARCH products USING INTEGER PRIMARY KEY (rowid=?)',
    ])
  })

  test('the rows of one store are found by an index, also in tables of older versions', () => {
    const plan = () =>
      planOf(`SELECT max(rowid) FROM vectors_${model.row}_chunks WHERE partition00 = ?`, 1).join()
    const index = `vectors_${model.row}_chunks_store`
    expect(plan()).toContain(`USING COVERING INDEX ${index}`)
    app.db.exec(`DROP INDEX ${index}`)
    expect(plan()).not.toContain(index)
    registerModel(app.db, { id: 'a', hash: 'a'.repeat(64), dimension: DIMENSION }, 0)
    expect(plan()).toContain(`USING COVERING INDEX ${index}`)
  })

  test('a store is loaded in blocks of 64 with a pause before each', () => {
    const shop = createShop(makeIndex())
    const write = { metadata: {}, pictures: 10, keeps: false, isDemo: false, isOlder: false }
    for (let n = 0; n < 13; n++) shop.put(stores[0] as string, `p${n}`, write)
    const steps = makeIndex().loadInSteps()
    let pauses = 0
    for (let step = steps.next(); !step.done; step = steps.next()) pauses++
    expect(pauses).toBe(3)
  })

  test('a loading that is given up leaves the database free for writes', () => {
    const shop = createShop(makeIndex())
    const write = { metadata: {}, pictures: 10, keeps: false, isDemo: false, isOlder: false }
    for (let n = 0; n < 13; n++) shop.put(stores[0] as string, `p${n}`, write)
    const index = makeIndex()
    const steps = index.loadInSteps()
    steps.next()
    steps.next()
    steps.return(0)
    shop.put(stores[0] as string, 'next', write)
    expect(index.load()).toBe(140)
  })
})

describe('a fault while loading', () => {
  test('is told, and a later loading starts afresh', () => {
    const shop = createShop(makeIndex())
    const write = { metadata: {}, pictures: 10, keeps: false, isDemo: false, isOlder: false }
    for (let n = 0; n < 20; n++) shop.put(stores[0] as string, `p${n}`, write)
    const index = makeIndex()
    faults.length = 0
    const steps = index.loadInSteps()
    steps.next()
    steps.next()
    expect(index.findStore(stores[0] as string)?.segment.slots).toBe(64)
    const fault = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_READ' })
    expect(steps.throw(fault)).toEqual({ done: true, value: 0 })
    expect([index.isWhole(), faults]).toEqual([false, [fault]])
    expect(() => index.getWhole()).toThrow('The disk or the database failed')

    shop.remove(stores[0] as string, 'p0')
    expect([index.load(), index.isWhole()]).toEqual([190, true])
    expect(index.getWhole().findStore(stores[0] as string)?.segment.slots).toBe(190)
  })

  test('of one store closes that store and no other, until it can be read', () => {
    const shop = createShop(makeIndex())
    const write = { metadata: {}, pictures: 1, keeps: false, isDemo: false, isOlder: false }
    for (const storeId of stores) shop.put(storeId, 'p', write)
    const [broken, sound] = stores as [string, string]
    let fault: Error | undefined
    const blocks: KnownModel['vectors']['blocks'] = (storeId) => {
      if (storeId === broken && fault) throw fault
      return model.vectors.blocks(storeId)
    }
    const { service: index } = buildProductIndex(watchedBase(), {
      models: oneModel({ ...model, vectors: { ...model.vectors, blocks } }),
    })
    index.load()

    faults.length = 0
    fault = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_READ' })
    index.forgetStore(broken)
    expect([index.isWhole(), faults]).toEqual([true, [fault]])
    expect(() => index.getWhole().findStore(broken)).toThrow('The disk or the database failed')
    expect(index.getWhole().findStore(sound)?.segment.slots).toBe(1)

    fault = new Error('a mistake of ours')
    expect(() => index.forgetStore(broken)).toThrow('a mistake of ours')
    expect(() => index.getWhole().findStore(broken)).toThrow('The product index could not be loaded')
    expect(index.getWhole().findStore(sound)?.segment.slots).toBe(1)

    fault = undefined
    index.forgetStore(broken)
    expect(index.getWhole().findStore(broken)?.segment.slots).toBe(1)
  })

  test('a picture that lies with the vectors of another store is left out', () => {
    const shop = createShop(makeIndex())
    const write = { metadata: {}, pictures: 1, keeps: false, isDemo: false, isOlder: false }
    shop.put(stores[0] as string, 'p', write)
    shop.put(stores[1] as string, 'q', write)
    app.db.prepare('UPDATE pictures SET store_id = ? WHERE store_id = ?').run(stores[1], stores[0])
    const index = makeIndex()
    expect(index.load()).toBe(1)
    expect(index.findStore(stores[0] as string)).toBeUndefined()
  })
})
