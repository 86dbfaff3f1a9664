import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { ApiError } from '../../../../src/core/errors.ts'
import { pictureType } from '../../../../src/core/picture-type.ts'
import { readDemoPicture } from '../../../../src/features/catalogue/demo/assets.ts'
import { DEMO_PRODUCTS } from '../../../../src/features/catalogue/demo/catalogue.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { fakeEmbedder } from '../../../support/embedder.ts'
import { gatedEmbedder } from '../../../support/gate.ts'
import { readState } from '../../../support/state.ts'

const IDS = DEMO_PRODUCTS.map(({ product_id }) => product_id)
const FIRST = IDS[0] as string

let app: TestApp
let token: string
let gate: ReturnType<typeof gatedEmbedder>
beforeEach(async () => {
  gate = gatedEmbedder()
  app = testApp({ embedder: gate.embedder })
  token = await app.signIn()
})
afterEach(() => app.close())

const install = () => app.call('POST', '/v1/products/demo', { token })
const remove = () => app.call('DELETE', '/v1/products/demo', { token })
const put = (id: string, metadata: object = { name: 'mine' }) =>
  app.call('PUT', `/v1/products/${id}`, { token, body: { image_url: app.picture('mine', 1), metadata } })
const listed = async () => {
  const { body } = await app.call('GET', '/v1/products?limit=100', { token })
  return (body['products'] as { product_id: string }[]).map(({ product_id }) => product_id).sort()
}

describe('POST /v1/products/demo (contract 2.8)', () => {
  test('200: the whole catalogue is installed and searchable; no body is needed and nothing is downloaded', async () => {
    const { status, body } = await install()
    expect(status).toBe(200)
    expect(body).toEqual({ status: 'installed', installed: IDS.length, skipped: 0, products: IDS })
    expect(await listed()).toEqual([...IDS].sort())
    const found = await app.call('POST', '/v1/search/text', { token, body: { query: '7', limit: 100 } })
    expect(found.body['count']).toBe(IDS.length)
    expect(app.downloads).toEqual([])
    const shown = await app.call('GET', `/v1/products/${FIRST}`, { token })
    expect(shown.body).toMatchObject({ metadata: { ...DEMO_PRODUCTS[0]?.metadata } })
    expect((await app.http.handle(new Request(String(shown.body['image_url'])))).status).toBe(200)
  })

  test('200: a repeated call changes nothing and counts all as skipped', async () => {
    await install()
    const before = await readState(app, token)
    app.clock.advance(1_000)
    const { status, body } = await install()
    expect([status, body['installed'], body['skipped']]).toEqual([200, 0, IDS.length])
    expect(await readState(app, token)).toEqual(before)
  })

  test('two calls at once install every product once, and count it once', async () => {
    const [a, b] = await Promise.all([install(), install()])
    expect(Number(a.body['installed']) + Number(b.body['installed'])).toBe(IDS.length)
    expect(await listed()).toEqual([...IDS].sort())
  })

  test('a deleted one is installed again', async () => {
    await install()
    await app.call('DELETE', `/v1/products/${FIRST}`, { token })
    expect((await install()).body).toMatchObject({ installed: 1, skipped: IDS.length - 1 })
  })

  test('a product of the store’s own with the same id is left alone', async () => {
    await put(FIRST)
    expect((await install()).body).toMatchObject({ installed: IDS.length - 1, skipped: 1 })
    expect((await app.call('GET', `/v1/products/${FIRST}`, { token })).body['metadata']).toEqual({
      name: 'mine',
    })
    await remove()
    expect(await listed()).toEqual([FIRST])
  })

  test('a product of the store’s own that comes in while the demo is installed is left alone', async () => {
    gate.close()
    const own = app.products.replace(app.stores.requireBySlug('one'), FIRST, {
      image_url: app.picture('mine', 1),
      metadata: { name: 'mine' },
    })
    await gate.waited()
    const installing = install()
    // That one, and those that the installation has begun beside it.
    await gate.waited(8)
    gate.open()
    await own
    expect((await installing).body).toMatchObject({ installed: IDS.length - 1, skipped: 1 })
    expect((await app.call('GET', `/v1/products/${FIRST}`, { token })).body['metadata']).toEqual({
      name: 'mine',
    })
  })

  test('402 product_limit_exceeded: no room for all of them, so none is installed', async () => {
    for (let n = 0; n < 50 - IDS.length + 1; n++) await put(`own-${n}`)
    app.setPlan('one', 'free')
    const before = await readState(app, token)
    const { status, body } = await install()
    expect([status, body['error']]).toEqual([402, 'product_limit_exceeded'])
    expect(body['details']).toMatchObject({
      plan_name: 'free',
      max_products: 50,
      products_count: 51 - IDS.length,
    })
    expect(await readState(app, token)).toEqual(before)
    await app.call('DELETE', '/v1/products/own-0', { token })
    expect((await install()).body).toMatchObject({ installed: IDS.length })
  })

  test('503 overloaded is passed through with Retry-After, and the call can be repeated', async () => {
    let left = 5
    const fake = fakeEmbedder()
    const busy = testApp({
      embedder: {
        ...fake,
        embedPicture: async (bytes, priority) => {
          if (left-- > 0) return fake.embedPicture(bytes, priority)
          throw new ApiError('overloaded', 'no', { retryAfterSeconds: 2 })
        },
      },
    })
    const key = await busy.signIn()
    const refused = await busy.call('POST', '/v1/products/demo', { token: key })
    expect([refused.status, refused.body['error'], refused.headers.get('retry-after')]).toEqual([
      503,
      'overloaded',
      '2',
    ])
    left = 1_000
    const again = await busy.call('POST', '/v1/products/demo', { token: key })
    expect(Number(again.body['installed']) + Number(again.body['skipped'])).toBe(IDS.length)
    await busy.close()
  })
})

describe('DELETE /v1/products/demo (contract 2.8)', () => {
  test('200: removes the demo products and nothing else', async () => {
    await put('mine')
    const before = await readState(app, token)
    await install()
    const { status, body } = await remove()
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'deleted', deleted: IDS.length })
    expect((body['products'] as string[]).sort()).toEqual([...IDS].sort())
    expect(await readState(app, token)).toMatchObject({
      products: before.products,
      pictures: before.pictures,
      vectors: before.vectors,
      searchable: before.searchable,
    })
    expect((await remove()).body).toEqual({ status: 'deleted', deleted: 0, products: [] })
  })

  test.each(['PUT', 'PATCH', 'POST'])(
    'a product that its owner changed by %s is not demo any more',
    async (method) => {
      await install()
      const body = { product_id: FIRST, image_url: app.picture('mine', 1), metadata: { name: 'mine' } }
      await app.call(method, method === 'POST' ? '/v1/products' : `/v1/products/${FIRST}`, { token, body })
      expect((await remove()).body['deleted']).toBe(IDS.length - 1)
      expect(await listed()).toEqual([FIRST])
    },
  )

  test('a product that its owner changes while the demo is removed stays', async () => {
    await install()
    const store = app.stores.requireBySlug('one')
    const last = IDS.at(-1) as string
    gate.close()
    const image_url = app.picture('mine', 1)
    const own = app.products.replace(store, last, { image_url, metadata: { name: 'mine' } })
    await gate.waited()
    const removing = app.demo.remove(store.id)
    gate.open()
    await own
    expect((await removing).deleted).toBe(IDS.length - 1)
    expect(await listed()).toEqual([last])
  })

  test('another store keeps its own', async () => {
    const other = await app.signIn('two')
    await install()
    await app.call('POST', '/v1/products/demo', { token: other })
    await remove()
    const { body } = await app.call('GET', '/v1/products', { token: other })
    expect(body['total']).toBe(IDS.length)
  })
})

describe('the pictures of the demo', () => {
  test('every product has one of a format that we read', async () => {
    for (const { picture } of DEMO_PRODUCTS) expect(pictureType(await readDemoPicture(picture))).toBeDefined()
  })

  test.each(['none', '', '../catalogue.ts', '__proto__', 'constructor'])(
    'there is none named %j',
    async (name) => {
      await expect(readDemoPicture(name)).rejects.toThrow('no demo picture')
    },
  )
})
