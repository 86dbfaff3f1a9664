import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { ExportedProduct } from '../../../../src/features/catalogue/exports/schema.ts'
import { form, pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { openStore } from '../../../support/storage.ts'
import { startBulk, waitForJob } from '../jobs/jobs.ts'

const PATH = '/v1/products/export'
let app: TestApp
let stop: AbortController
let token: string
let storeId: string

beforeEach(async () => {
  stop = new AbortController()
  app = testApp({ stop: stop.signal })
  ;({ token, storeId } = await openStore(app, 'enterprise'))
})
afterEach(() => app.close())

/** Opens an export, of which nothing is read yet. */
const open = (path = PATH, as = token, method = 'GET') =>
  app.http.handle(
    new Request(`http://lookalike.test${path}`, { method, headers: { authorization: `Bearer ${as}` } }),
  )

const toProducts = (text: string): ExportedProduct[] =>
  text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => JSON.parse(line))

const exportAll = async (path = PATH, as = token) => toProducts(await (await open(path, as)).text())

/** Indexes products with ids in order and long metadata, so that an export takes several pieces. */
async function fill(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, n) => `sku-${String(n).padStart(4, '0')}`)
  const image_url = app.picture('one', 1)
  const metadata = { text: 'x'.repeat(2_000) }
  const job = await startBulk(
    app,
    token,
    ids.map((product_id) => ({ product_id, image_url, metadata })),
  )
  expect(await waitForJob(app, storeId, token, job)).toMatchObject({ succeeded: count })
  return ids
}

async function importFile(text: string, as: { token: string; storeId: string }) {
  const body = form({ file: new TextEncoder().encode(text), format: 'ndjson' })
  const { status, body: answer } = await app.call('POST', '/v1/products/import', { token: as.token, body })
  expect(status).toBe(202)
  return await waitForJob(app, as.storeId, as.token, String(answer['job_id']))
}

/** What reading the rest gives: `whole`, or `cut` for a stream that breaks off. */
const readRest = (response: Response): Promise<string> =>
  response.text().then(
    () => 'whole',
    () => 'cut',
  )

/** Makes a product unreadable. */
function damage(productId = '') {
  app.db.pragma('ignore_check_constraints = 1')
  app.db
    .prepare(
      `UPDATE pictures SET palette = '{' WHERE product = (SELECT id FROM products WHERE product_id = ?)`,
    )
    .run(productId)
}

describe('GET /v1/products/export (contract 2.13)', () => {
  test('gives each product as an import takes it back', async () => {
    const metadata = { name: 'Stövel "röd"\n', price: 9.5, nested: { deep: [1, null] } }
    const urls = [app.picture('a', 1), app.picture('b', 2), app.picture('c', 3)]
    const [image_url, ...additional_image_urls] = urls
    await app.call('POST', '/v1/products', {
      token,
      body: { product_id: 'b', image_url, additional_image_urls, metadata },
    })
    const image = pictureBytes(4)
    await app.call('POST', '/v1/products', { token, body: form({ product_id: 'a', image }) })
    const response = await open()
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/x-ndjson; charset=utf-8',
    ])
    expect(response.headers.get('content-disposition')).toBe(
      'attachment; filename="products-2030-01-01.ndjson"',
    )
    const text = await response.text()
    expect(toProducts(text)).toEqual([
      {
        product_id: 'a',
        image_url: expect.stringMatching(/^http:\/\/lookalike\.test\/pictures\//),
        additional_image_urls: [],
        metadata: {},
      },
      { product_id: 'b', image_url: urls[0] ?? '', additional_image_urls, metadata },
    ])
    expect(await importFile(text, { token, storeId })).toMatchObject({ unchanged: 2, failed: 0 })
    await app.call('DELETE', '/v1/products/b', { token })
    expect(await importFile(text, { token, storeId })).toMatchObject({ succeeded: 1, unchanged: 1 })
    expect(await (await open()).text()).toBe(text)
  })

  test('gives the stored vectors bit by bit, with the facts of each picture', async () => {
    const [image_url, other] = [app.picture('a', 1), app.picture('b', 2, 3)]
    const body = { product_id: 'a', image_url, additional_image_urls: [other] }
    await app.call('POST', '/v1/products', { token, body })
    const [product] = await exportAll(`${PATH}?vectors=true`)
    const models = app.db.prepare('SELECT name AS id, hash FROM models').all()
    expect([product?.model] as unknown[]).toEqual(models)
    const rows = app.db
      .prepare<[], { hash: string; embedding: Buffer }>(
        `SELECT lower(hex(content_hash)) AS hash, embedding FROM pictures
         JOIN vectors_1 ON vectors_1.rowid = pictures.id ORDER BY position`,
      )
      .all()
    expect(product?.pictures?.map(({ content_hash, vector }) => [content_hash, vector])).toEqual(
      rows.map(({ hash, embedding }) => [hash, embedding.toString('base64')]),
    )
    const { image } = (await app.call('GET', '/v1/products/a', { token })).body
    expect(product?.pictures?.map(({ image_url }) => image_url)).toEqual([image_url, other])
    expect(product?.pictures?.[0]).toMatchObject(image as object)
    expect(await importFile(JSON.stringify(product), { token, storeId })).toMatchObject({ unchanged: 1 })
  })

  test('a picture without a vector of the present model has none in the export', async () => {
    const body = { product_id: 'a', image_url: app.picture('a', 1) }
    await app.call('POST', '/v1/products', { token, body })
    app.db.exec(`INSERT INTO models (name, hash, dimension, created_at) VALUES ('older', 'older', 8, 0)`)
    app.db.exec(`UPDATE pictures SET model = (SELECT id FROM models WHERE name = 'older')`)
    const [product] = await exportAll(`${PATH}?vectors=true`)
    expect(product?.pictures?.map(({ vector }) => vector)).toEqual([null])
  })

  test('has as many lines as the store has products, demo products included, and none of another store', async () => {
    const ids = await fill(230)
    const demo = await app.call('POST', '/v1/products/demo', { token })
    expect(demo.body['installed']).toBe(40)
    const exported = (await exportAll()).map(({ product_id }) => product_id)
    expect(exported.length).toBe(270)
    expect(exported).toEqual([...new Set(exported)].sort())
    expect(exported).toEqual(expect.arrayContaining(ids))
    const { token: strange } = await openStore(app, 'enterprise', 'two')
    expect(await exportAll(PATH, strange)).toEqual([])
  })

  test('walks along the index of the ids', () => {
    const plan = app.db
      .prepare(
        'EXPLAIN QUERY PLAN SELECT product_id FROM products WHERE store_id = ? AND product_id > ? ORDER BY product_id LIMIT ?',
      )
      .all('x', 'y', 1) as { detail: string }[]
    expect(plan.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/COVERING INDEX sqlite_autoindex_products_\d \(store_id=\? AND product_id>\?\)$/),
    ])
  })

  test('a product that is written or deleted meanwhile comes at most once', async () => {
    const ids = await fill(120)
    const reader = (await open()).body?.getReader()
    const decoder = new TextDecoder()
    let text = decoder.decode((await reader?.read())?.value)
    const image_url = app.picture('two', 2)
    const put = (product_id: string) =>
      app.call('POST', '/v1/products', { token, body: { product_id, image_url } })
    await app.call('DELETE', '/v1/products/sku-0001', { token })
    for (const id of ['sku-0001', 'sku-0099', 'aaa', 'zzz']) await put(id)
    await app.call('DELETE', '/v1/products/sku-0098', { token })
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
      text += decoder.decode(read.value)
    }
    const products = toProducts(text)
    expect(products.map(({ product_id }) => product_id)).toEqual([
      ...ids.filter((id) => id !== 'sku-0098'),
      'zzz',
    ])
    expect(products.find(({ product_id }) => product_id === 'sku-0099')?.image_url).toBe(image_url)
  })

  test('reads no further than its reader', async () => {
    await fill(120)
    const response = await open()
    const reader = response.body?.getReader()
    await reader?.read()
    app.db.exec('DELETE FROM pictures; DELETE FROM products')
    const rest: number[] = []
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
      rest.push(read.value.length)
    }
    expect(rest).toEqual([])
  })

  test('a store has four at a time; one that ends or is left makes room', async () => {
    await fill(1)
    const [first, second] = await Promise.all(Array.from({ length: 4 }, () => open()))
    const refused = await app.call('GET', PATH, { token })
    expect([refused.status, refused.body['error']]).toEqual([503, 'overloaded'])
    expect(refused.headers.get('retry-after')).toBe('30')
    const { token: other } = await openStore(app, 'enterprise', 'two')
    expect((await open(PATH, other)).status).toBe(200)
    await first?.text()
    await second?.body?.cancel()
    expect((await open()).status).toBe(200)
    expect((await open()).status).toBe(200)
    expect((await open()).status).toBe(503)
  })

  test('HEAD takes no place', async () => {
    for (let n = 0; n < 6; n++) expect((await open(PATH, token, 'HEAD')).status).toBe(200)
    expect((await open()).status).toBe(200)
  })

  test('a reader who takes nothing for a minute is given up', async () => {
    await fill(1)
    const left = await Promise.all(Array.from({ length: 4 }, () => open()))
    app.clock.advance(60_000)
    await app.tidy()
    expect((await open()).status).toBe(503)
    app.clock.advance(1)
    await app.tidy()
    expect((await open()).status).toBe(200)
    expect(await Promise.all(left.map(readRest))).toEqual(['cut', 'cut', 'cut', 'cut'])
  })

  test('breaks off when the service stops, and starts none any more', async () => {
    await fill(120)
    const response = await open()
    stop.abort()
    expect(await readRest(response)).toBe('cut')
    expect((await open()).status).toBe(503)
  })

  test('a fault in the middle does not look like a whole file, and keeps no place', async () => {
    const ids = await fill(120)
    damage(ids.at(-1))
    for (let n = 0; n < 5; n++) expect(await readRest(await open())).toBe('cut')
    damage(ids[0])
    expect((await open()).status).toBe(500)
  })

  test('a client sees a broken connection', async () => {
    damage((await fill(120)).at(-1))
    app.http.listen({ port: 0, hostname: '127.0.0.1' })
    try {
      const address = `http://127.0.0.1:${app.http.server?.port}${PATH}`
      const response = await fetch(address, { headers: { authorization: `Bearer ${token}` } })
      expect([response.status, await readRest(response)]).toEqual([200, 'cut'])
    } finally {
      await app.http.server?.stop(true)
    }
  })

  test('takes true and false alone', async () => {
    const answer = await app.call('GET', `${PATH}?vectors=yes`, { token })
    expect([answer.status, answer.body['error']]).toEqual([422, 'validation_error'])
    expect((await open(`${PATH}?vectors=false`)).status).toBe(200)
  })
})
