import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { CallerStore } from '../../../../src/core/actor.ts'
import type { EmitEvent, StoreEvent } from '../../../../src/core/events.ts'
import type { ProductInput } from '../../../../src/features/catalogue/products/write.ts'
import { registerModel } from '../../../../src/platform/db/models.ts'
import { pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { fakeEmbedder } from '../../../support/embedder.ts'
import { listeningProducts } from '../../../support/listening-products.ts'

let app: TestApp
let store: CallerStore
let storeId: string

beforeEach(async () => {
  app = testApp()
  store = app.stores.requireBySlug((await app.store()).slug)
  storeId = store.id
  app.db.exec('CREATE TABLE heard (event TEXT NOT NULL)')
})
afterEach(() => app.close())

const write: EmitEvent = (event) =>
  void app.db.prepare('INSERT INTO heard VALUES (?)').run(JSON.stringify(event))

/** The events that a listener has written, in order. */
const heard = (): StoreEvent[] =>
  app.db
    .prepare<[], { event: string }>('SELECT event FROM heard ORDER BY rowid')
    .all()
    .map(({ event }) => JSON.parse(event))

const listenTo = (emit: EmitEvent) => listeningProducts(app, emit)

const input = (productId: string, url: string, more: Partial<ProductInput> = {}): ProductInput => ({
  productId,
  sources: [{ url }],
  metadata: {},
  ...more,
})

const NOW = '2030-01-01T00:00:00.000Z'

describe('the event of a change', () => {
  test('product.indexed for a new product, with all of its data', async () => {
    const { writer } = listenTo(write)
    const url = app.picture('a', 1)
    const { vectorId } = await writer.put(store, input('p', url, { metadata: { price: 1 } }))
    expect(heard()).toEqual([
      {
        name: 'product.indexed',
        storeId,
        origin: 'client',
        data: {
          product_id: 'p',
          vector_id: vectorId,
          image_url: url,
          metadata: { price: 1 },
          indexed_at: NOW,
        },
      },
    ])
  })

  test('a kept picture has its public address', async () => {
    const { writer, find } = listenTo(write)
    const upload = { bytes: async () => pictureBytes(1) }
    await writer.put(store, { productId: 'p', sources: [{ upload }], metadata: {} })
    const { image_url } = find(storeId, 'p')
    expect(image_url).toStartWith('http://lookalike.test/pictures/')
    expect(heard()).toMatchObject([{ name: 'product.indexed', data: { image_url } }])
  })

  test.each<[string, string[], Partial<ProductInput>, object?]>([
    ['metadata', ['metadata.price', 'metadata.name'], { metadata: { name: 'x', tags: ['t'] } }],
    [
      'another picture',
      ['image_url', 'image'],
      { sources: [{ url: 'https://img.test/b.jpg' }] },
      { previous_image_url: 'https://img.test/a.jpg', new_image_url: 'https://img.test/b.jpg' },
    ],
    [
      'another address of the same picture',
      ['image_url'],
      { sources: [{ url: 'https://img.test/twin.jpg' }] },
      { previous_image_url: 'https://img.test/a.jpg', new_image_url: 'https://img.test/twin.jpg' },
    ],
    [
      'a further picture',
      ['additional_image_urls'],
      { sources: [{ url: 'https://img.test/a.jpg' }, { url: 'https://img.test/b.jpg' }] },
    ],
  ])('product.updated for %s names the changed fields', async (_, fields, change, urls = {}) => {
    const { writer } = listenTo(write)
    const url = app.picture('a', 1)
    app.picture('b', 2)
    app.picture('twin', 1)
    const metadata = { price: 1, tags: ['t'] }
    await writer.put(store, input('p', url, { metadata }))
    app.clock.advance(1_000)
    expect((await writer.put(store, input('p', url, { metadata, ...change }))).effect).toBe('updated')
    const data = {
      product_id: 'p',
      changes: fields,
      previous_image_url: null,
      new_image_url: null,
      ...urls,
      updated_at: '2030-01-01T00:00:01.000Z',
    }
    expect(heard().slice(1)).toEqual([{ name: 'product.updated', storeId, origin: 'client', data }])
  })

  test('product.updated names `image` when a known address has a new picture', async () => {
    const { writer } = listenTo(write)
    const url = app.picture('a', 1)
    await writer.put(store, input('p', url))
    app.picture('a', 2)
    await writer.edit(store, 'p', ({ metadata }) => ({ sources: [{ url }], metadata, refresh: true }))
    expect(heard().slice(1)).toMatchObject([
      { name: 'product.updated', data: { changes: ['image'], previous_image_url: null } },
    ])
  })

  test('product.deleted for a product that was there', async () => {
    const { writer } = listenTo(write)
    await writer.put(store, input('p', app.picture('a', 1)))
    expect(await writer.remove(storeId, 'p')).toBe(true)
    expect(await writer.remove(storeId, 'p')).toBe(false)
    expect(heard().slice(1)).toEqual([
      { name: 'product.deleted', storeId, origin: 'client', data: { product_id: 'p', deleted_at: NOW } },
    ])
  })

  test('product.indexed for a product that takes the place of a demo product, then the events of its changes', async () => {
    const { writer } = listenTo(write)
    const url = app.picture('one', 1)
    await writer.put(store, input('chair', url), { kind: 'demo' })
    await writer.put(store, input('chair', url, { metadata: { price: 1 } }))
    await writer.put(store, input('chair', url, { metadata: { price: 2 } }))
    await writer.remove(storeId, 'chair')
    expect(heard().map(({ name, origin }) => [name, origin])).toEqual([
      ['product.indexed', 'demo'],
      ['product.indexed', 'client'],
      ['product.updated', 'client'],
      ['product.deleted', 'client'],
    ])
  })

  test('of a demo product says where it comes from', async () => {
    const { writer } = listenTo(write)
    const url = app.picture('a', 1)
    await writer.put(store, input('demo', url), { kind: 'demo' })
    await writer.put(store, input('demo', url, { metadata: { price: 1 } }), { kind: 'demo' })
    await writer.remove(storeId, 'demo', ({ isDemo }) => isDemo)
    expect(heard().map(({ name, origin }) => [name, origin])).toEqual([
      ['product.indexed', 'demo'],
      ['product.updated', 'demo'],
      ['product.deleted', 'demo'],
    ])
  })

  test('none for an identical product, nor for other vectors of the same picture', async () => {
    const { writer } = listenTo(write)
    const url = app.picture('a', 1)
    await writer.put(store, input('p', url))
    expect((await writer.put(store, input('p', url))).effect).toBe('unchanged')
    const other = registerModel(app.db, { ...fakeEmbedder().model, hash: 'another' }, 0)
    app.db.prepare('UPDATE pictures SET model = ?').run(other.row)
    expect((await writer.put(store, input('p', url))).effect).toBe('updated')
    expect(heard().map(({ name }) => name)).toEqual(['product.indexed'])
  })
})

describe('a change is one transaction with its event', () => {
  test('the listener is called inside it, and reads the new state', async () => {
    const seen: unknown[] = []
    const products = listenTo(({ name }) => {
      seen.push([name, app.db.inTransaction, products.has(storeId, 'p')])
    })
    await products.writer.put(store, input('p', app.picture('a', 1)))
    await products.writer.remove(storeId, 'p')
    expect(seen).toEqual([
      ['product.indexed', true, true],
      ['product.deleted', true, false],
    ])
  })

  test('a listener that fails after its write undoes the change, the event and nothing else', async () => {
    let isBroken = false
    const products = listenTo((event) => {
      write(event)
      if (isBroken) throw new Error('broken')
    })
    const { writer, index, find } = products
    await writer.put(store, input('p', app.picture('a', 1)))
    const before = find(storeId, 'p')
    isBroken = true
    await expect(writer.put(store, input('q', app.picture('b', 2)))).rejects.toThrow('broken')
    await expect(writer.put(store, input('p', app.picture('b', 2)))).rejects.toThrow('broken')
    await expect(writer.remove(storeId, 'p')).rejects.toThrow('broken')
    expect([products.has(storeId, 'q'), products.count(storeId)]).toEqual([false, 1])
    expect(find(storeId, 'p')).toEqual(before)
    expect(heard().map(({ name }) => name)).toEqual(['product.indexed'])
    const indexed = index.findStore(storeId)
    expect(indexed?.columns.countProducts()).toBe(1)
  })

  test('of two products for the plan’s last place one is heard of', async () => {
    const { writer } = listenTo(write)
    const url = app.picture('a', 1)
    const free: CallerStore = { ...store, plan: 'free' }
    for (let n = 0; n < 49; n++) await writer.put(free, input(`p${n}`, url))
    const racing = ['left', 'right'].map((id) => writer.put(free, input(id, url)))
    const ends = await Promise.allSettled(racing)
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(heard()).toHaveLength(50)
  })

  test('any sequence of changes: the events tell exactly the story of the committed ones', async () => {
    const step = fc.record({
      id: fc.nat(3),
      price: fc.option(fc.nat(2), { nil: undefined }),
      isBroken: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        app.db.exec('DELETE FROM heard; DELETE FROM products')
        let isBroken = false
        const { writer, index, list } = listenTo((event) => {
          write(event)
          if (isBroken) throw new Error('broken')
        })
        for (const { id, price, ...rest } of steps) {
          isBroken = rest.isBroken
          const change =
            price === undefined
              ? writer.remove(storeId, `p${id}`)
              : writer.put(store, input(`p${id}`, app.picture('a', 1), { metadata: { price } }))
          await change.catch(({ message }) => expect(message).toBe('broken'))
        }
        const told = new Set<string>()
        for (const { name, data } of heard()) {
          const id = 'product_id' in data ? data.product_id : ''
          expect(told.has(id)).toBe(name !== 'product.indexed')
          if (name === 'product.deleted') told.delete(id)
          else told.add(id)
        }
        const stored = (await list(storeId, { limit: 100 })).products.map(({ product_id }) => product_id)
        expect(new Set(stored)).toEqual(told)
        const indexed = index.findStore(storeId)
        expect(indexed?.columns.countProducts() ?? 0).toBe(told.size)
      }),
      { numRuns: 40 },
    )
  })
})
