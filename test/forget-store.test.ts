import { afterEach, beforeEach, expect, test } from 'bun:test'
import { form, pictureBytes, type TestApp, testApp } from './support/app.ts'

let app: TestApp
let token: string
let storeId: string
let otherToken: string

beforeEach(async () => {
  app = testApp()
  token = await app.signIn('one')
  otherToken = await app.signIn('two')
  storeId = app.stores.requireBySlug('one').id
  for (const [name, as] of [
    ['a', token],
    ['b', otherToken],
  ] as const) {
    const body = { product_id: name, image_url: app.picture(name, 1), metadata: { category: 'Mugs' } }
    await app.call('POST', '/v1/products', { token: as, body })
  }
})
afterEach(() => app.close())

const search = async (as: string, body: Record<string, unknown>) => {
  const { body: answer } = await app.call('POST', '/v1/search/text', { token: as, body })
  return { count: answer['count'], candidates: answer['total_candidates'] }
}
const upload = async (as: string) => {
  const body = form({ image: pictureBytes(1) })
  return String((await app.call('POST', '/v1/search', { token: as, body })).body['image_id'])
}
const statusOfImage = async (as: string, image_id: string) =>
  (await app.call('POST', '/v1/search/url', { token: as, body: { image_id } })).status

test('the IP list is read again', async () => {
  const list = () => app.call('GET', '/v1/products', { token })
  expect((await list()).status).toBe(200)
  app.db
    .prepare("INSERT INTO ip_entries (id, store_id, cidr, created_at) VALUES ('e', ?, '203.0.113.0/24', 0)")
    .run(storeId)
  expect((await list()).status).toBe(200)
  app.forgetStore(storeId)
  expect((await list()).body['error']).toBe('ip_not_allowed')
})

test('the requests of the last minute are forgotten, of products and of security', async () => {
  app.setPlan('one', 'free')
  for (const path of ['/v1/products', '/v1/security/api-keys']) {
    const call = () => app.call('GET', path, { token })
    while ((await call()).status === 200);
    expect((await call()).status).toBe(429)
    app.forgetStore(storeId)
    expect((await call()).status).toBe(200)
  }
})

test('the pictures of the last searches are forgotten, and those of other stores are not', async () => {
  const [own, others] = [await upload(token), await upload(otherToken)]
  expect([await statusOfImage(token, own), await statusOfImage(otherToken, others)]).toEqual([200, 200])
  app.forgetStore(storeId)
  expect([await statusOfImage(token, own), await statusOfImage(otherToken, others)]).toEqual([404, 200])
})

test('the search index is read again: vectors, filter columns and what is gone', async () => {
  const near = { query: '2', threshold: 0.9 }
  const chairs = { query: '1', category: 'Chairs' }
  expect([await search(token, near), await search(token, chairs)]).toEqual([
    { count: 0, candidates: 1 },
    { count: 0, candidates: 0 },
  ])
  const vector = new Float32Array(8)
  vector[2] = 1
  const picture = app.db
    .prepare<[string], number>('SELECT id FROM pictures WHERE store_id = ?')
    .pluck()
    .get(storeId)
  app.db.prepare('UPDATE vectors_1 SET embedding = ? WHERE rowid = ?').run(vector, BigInt(picture ?? 0))
  app.db
    .prepare(`UPDATE products SET metadata = '{"category":"Chairs"}', category = 'chairs' WHERE store_id = ?`)
    .run(storeId)
  expect([await search(token, near), await search(token, chairs)]).toEqual([
    { count: 0, candidates: 1 },
    { count: 0, candidates: 0 },
  ])
  app.forgetStore(storeId)
  expect([await search(token, near), await search(token, chairs)]).toEqual([
    { count: 1, candidates: 1 },
    { count: 1, candidates: 1 },
  ])
  expect(await search(otherToken, { query: '1', threshold: 0.9 })).toEqual({ count: 1, candidates: 1 })

  app.db.prepare('DELETE FROM vectors_1 WHERE rowid = ?').run(BigInt(picture ?? 0))
  app.db.prepare('DELETE FROM products WHERE store_id = ?').run(storeId)
  app.forgetStore(storeId)
  expect(await search(token, near)).toEqual({ count: 0, candidates: 0 })
  expect(await search(otherToken, { query: '1' })).toEqual({ count: 1, candidates: 1 })
})
