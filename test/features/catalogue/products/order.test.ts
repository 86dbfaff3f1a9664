import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Metadata } from '../../../../src/features/catalogue/products/schema.ts'
import { form, pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { gatedEmbedder } from '../../../support/gate.ts'
import { failWrites } from '../../../support/seed.ts'
import { readState } from '../../../support/state.ts'

let app: TestApp
let token: string
let storeId: string
let gate: ReturnType<typeof gatedEmbedder>

beforeEach(async () => {
  gate = gatedEmbedder()
  app = testApp({ embedder: gate.embedder })
  token = await app.signIn()
  storeId = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sub
})

/** Arrives at once: what lies before it, such as the check of the token, may let requests overtake each other. */
const arrive = (body: { product_id: string; image_url: string; metadata?: Metadata }) =>
  app.products.create(app.stores.requireBySlug('one'), body)

afterEach(() => app.close())

const post = (body: unknown) => app.call('POST', '/v1/products', { token, body })
const read = (id: string) => app.call('GET', `/v1/products/${id}`, { token })
const fill = async (n: number) => {
  for (let i = 0; i < n; i++) await post({ product_id: `p${i}`, image_url: app.picture('same', 1) })
}

describe('POST /v1/products: the plan’s number of products (contract 6.3)', () => {
  test('402 product_limit_exceeded: the 51st of a free store, before anything is downloaded', async () => {
    await fill(50)
    app.setPlan('one', 'free')
    const before = await readState(app, token)
    app.downloads.length = 0
    const { status, body } = await post({ product_id: 'one too many', image_url: app.picture('new', 2) })
    expect([status, body['error']]).toEqual([402, 'product_limit_exceeded'])
    expect(body['details']).toEqual({
      plan_name: 'free',
      max_products: 50,
      products_count: 50,
      upgrade_url: 'http://lookalike.test/billing/plans',
    })
    expect(app.downloads).toEqual([])
    expect(await readState(app, token)).toEqual(before)
  })

  test('updates and deletes are always allowed, also above the limit after a downgrade', async () => {
    await fill(52)
    app.setPlan('one', 'free')
    expect((await post({ product_id: 'p3', image_url: app.picture('new', 2) })).status).toBe(200)
    const patched = await app.call('PATCH', '/v1/products/p4', { token, body: { metadata: { a: 1 } } })
    expect(patched.status).toBe(200)
    expect((await app.call('DELETE', '/v1/products/p5', { token })).status).toBe(200)
    expect((await post({ product_id: 'p5', image_url: app.picture('new', 2) })).status).toBe(402)
    for (const id of ['p6', 'p7']) await app.call('DELETE', `/v1/products/${id}`, { token })
    expect((await post({ product_id: 'p5', image_url: app.picture('new', 2) })).status).toBe(201)
  })

  test('of two requests for the last place exactly one wins, and the other leaves nothing', async () => {
    await fill(49)
    app.setPlan('one', 'free')
    gate.close()
    const racing = ['left', 'right'].map((id, n) =>
      post({ product_id: id, image_url: app.picture(id, 3 + n) }),
    )
    await gate.waited(2)
    gate.open()
    const answers = await Promise.all(racing)
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 402])
    const { products, pictures, vectors, searchable } = await readState(app, token)
    expect([products.length, pictures.length, vectors.length]).toEqual([50, 50, 50])
    expect(searchable).toHaveLength(50)
  })

  test('402 for an upload as well, and its file is swept', async () => {
    await fill(50)
    app.setPlan('one', 'free')
    const { status } = await post(form({ product_id: 'more', image: pictureBytes(4) }))
    expect(status).toBe(402)
    expect((await readState(app, token)).files).toEqual([])
  })
})

describe('writes of one product keep the order of their arrival', () => {
  test('twenty at once: the last one stands, in the database and in the search', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        arrive({ product_id: 'p', image_url: app.picture(`v${n}`, n % 7), metadata: { n } }),
      ),
    )
    expect(answers.filter(({ isNew }) => isNew)).toHaveLength(1)
    const last = (await read('p')).body
    expect(last).toMatchObject({ metadata: { n: 19 }, image_url: 'https://img.test/v19.jpg' })
    const { body } = await app.call('POST', '/v1/search/text', { token, body: { query: `${19 % 7}` } })
    expect(body['results']).toMatchObject([{ product_id: 'p', image_url: 'https://img.test/v19.jpg' }])
    const { pictures, vectors } = await readState(app, token)
    expect([pictures.length, vectors.length]).toEqual([1, 1])
  })

  test('a slow first write does not overtake a quick second one', async () => {
    gate.close()
    const slow = arrive({ product_id: 'p', image_url: app.picture('a', 1), metadata: { n: 1 } })
    await gate.waited()
    const quick = arrive({ product_id: 'p', image_url: app.picture('b', 2), metadata: { n: 2 } })
    gate.open()
    expect([(await slow).isNew, (await quick).isNew]).toEqual([true, false])
    expect((await read('p')).body['metadata']).toEqual({ n: 2 })
  })

  test('a delete during a slow indexing comes after it: the product is gone', async () => {
    gate.close()
    const made = arrive({ product_id: 'p', image_url: app.picture('a', 1) })
    await gate.waited()
    const deleted = app.products.remove(storeId, 'p')
    gate.open()
    expect([(await made).isNew, (await deleted).status]).toEqual([true, 'deleted'])
    expect((await read('p')).status).toBe(404)
    expect(await readState(app, token)).toMatchObject({
      products: [],
      pictures: [],
      vectors: [],
      searchable: [],
    })
  })

  test('PATCH works on what the write before it left', async () => {
    gate.close()
    const made = arrive({ product_id: 'p', image_url: app.picture('a', 1), metadata: { a: 1 } })
    await gate.waited()
    const patched = app.products.patch(app.stores.requireBySlug('one'), 'p', { metadata: { b: 2 } })
    gate.open()
    expect([(await made).isNew, (await patched).isNew]).toEqual([true, false])
    expect((await read('p')).body['metadata']).toEqual({ a: 1, b: 2 })
  })

  test('other products do not wait', async () => {
    gate.close()
    const slow = post({ product_id: 'slow', image_url: app.picture('a', 1) })
    await gate.waited()
    const quick = await app.call('GET', '/v1/products', { token })
    expect(quick.status).toBe(200)
    gate.open()
    await slow
  })

  test('a write that failed lets the next one through', async () => {
    const failed = arrive({ product_id: 'p', image_url: 'https://img.test/missing.jpg' })
    const made = arrive({ product_id: 'p', image_url: app.picture('a', 1) })
    await expect(failed).rejects.toMatchObject({ code: 'image_download_failed' })
    expect((await made).isNew).toBe(true)
  })
})

describe('a commit that fails', () => {
  test('500 and 503 storage_full: database, index and files are as they were, and the next write works', async () => {
    await post({ product_id: 'p', image_url: app.picture('a', 1), metadata: { n: 1 } })
    const before = await readState(app, token)
    const broken = `CREATE TRIGGER broken BEFORE INSERT ON pictures BEGIN SELECT RAISE(ABORT, 'broken'); END`
    app.db.exec(broken)
    const change = { product_id: 'p', image_url: app.picture('b', 2), metadata: { n: 2 } }
    expect((await post(change)).status).toBe(500)
    expect((await post({ ...change, product_id: 'new' })).status).toBe(500)
    expect(await readState(app, token)).toEqual(before)

    app.db.exec('DROP TRIGGER broken')
    const pages = app.db.pragma('page_count', { simple: true }) as number
    app.db.pragma(`max_page_count = ${pages}`)
    const filling = { note: 'x'.repeat(16_000) }
    const statuses = new Set<number>()
    for (let n = 0; n < 20; n++) {
      const { status, body } = await post({
        product_id: `f${n}`,
        image_url: app.picture('b', 2),
        metadata: filling,
      })
      statuses.add(status)
      if (status === 503) {
        expect(body['error']).toBe('storage_full')
        expect((await read(`f${n}`)).status).toBe(404)
      }
    }
    expect(statuses.has(503)).toBe(true)
    expect(statuses.has(500)).toBe(false)
    app.db.pragma('max_page_count = 1000000')
    expect((await post(change)).status).toBe(200)
    const { body } = await app.call('POST', '/v1/search/text', { token, body: { query: '2' } })
    expect((body['results'] as { product_id: string }[]).map(({ product_id }) => product_id)).toContain('p')
  })

  test('a failing delete leaves the product whole and searchable', async () => {
    await post({
      product_id: 'p',
      image_url: app.picture('a', 1),
      additional_image_urls: [app.picture('b', 2)],
    })
    const before = await readState(app, token)
    failWrites(app, 'DELETE ON products')
    expect((await app.call('DELETE', '/v1/products/p', { token })).status).toBe(500)
    expect(await readState(app, token)).toEqual(before)
  })
})
