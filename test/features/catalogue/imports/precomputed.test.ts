import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { ExportedProduct } from '../../../../src/features/catalogue/exports/schema.ts'
import type { EmbeddedPicture } from '../../../../src/platform/embedder/embedder.ts'
import { form, pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { DIMENSION, fakeEmbedder } from '../../../support/embedder.ts'
import { openStore } from '../../../support/storage.ts'
import { startBulk, waitForJob } from '../jobs/jobs.ts'

let app: TestApp
let one: { token: string; storeId: string }
let two: { token: string; storeId: string }
let embedded: Uint8Array[]

beforeEach(async () => {
  embedded = []
  const fake = fakeEmbedder()
  app = testApp({
    embedder: {
      ...fake,
      embedPicture(bytes, options): Promise<EmbeddedPicture> {
        embedded.push(bytes)
        return fake.embedPicture(bytes, options)
      },
    },
  })
  one = await openStore(app, 'enterprise')
  two = await openStore(app, 'enterprise', 'two')
})
afterEach(() => app.close())

const post = (body: unknown, { token } = one) => app.call('POST', '/v1/products', { token, body })

async function exportAll({ token } = one): Promise<ExportedProduct[]> {
  const response = await app.http.handle(
    new Request('http://lookalike.test/v1/products/export?vectors=true', {
      headers: { authorization: `Bearer ${token}` },
    }),
  )
  return (await response.text())
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

async function importAll(products: readonly object[], into = two) {
  const file = new TextEncoder().encode(products.map((product) => JSON.stringify(product)).join('\n'))
  const body = form({ file, format: 'ndjson' })
  const { body: answer } = await app.call('POST', '/v1/products/import', { token: into.token, body })
  return await waitForJob(app, into.storeId, into.token, String(answer['job_id']))
}

/** A line of an export, as nobody has exported it. */
function makeLine(vector: readonly number[], more: object = {}, facts: object = {}) {
  const image_url = 'https://img.test/never-read.jpg'
  return {
    product_id: 'made',
    image_url,
    model: { id: 'fake', hash: 'f'.repeat(64) },
    pictures: [
      {
        ...{ image_url, content_hash: 'ab'.repeat(32), content_type: 'image/png', bytes: 99 },
        ...{ width: 50, height: 40, phash: 'f'.repeat(16), palette: [{ hex: '#112233', share: 1 }] },
        vector: Buffer.from(Float32Array.from(vector).buffer).toString('base64'),
        ...facts,
      },
    ],
    ...more,
  }
}

const axis = (n: number, length = 1) => Array.from({ length: DIMENSION }, (_, i) => (i === n ? length : 0))

const search = async (query: string, { token } = two) => {
  const { body } = await app.call('POST', '/v1/search/text', { token, body: { query, limit: 5 } })
  return (body['results'] as { product_id: string; score: number }[]).map(({ product_id, score }) => [
    product_id,
    score,
  ])
}

describe('vectors that come with an import (contract 2.12)', () => {
  test('what an export wrote goes into another store without reading or embedding a picture', async () => {
    const [image_url, other] = [app.picture('a', 1), app.picture('b', 2, 3)]
    await post({ product_id: 'a', image_url, additional_image_urls: [other], metadata: { name: 'A' } })
    await post({ product_id: 'b', image_url: other })
    const exported = await exportAll()
    app.downloads.length = 0
    embedded.length = 0
    expect(await importAll(exported)).toMatchObject({ succeeded: 2, failed: 0, warnings: [] })
    expect([app.downloads, embedded]).toEqual([[], []])
    expect(await exportAll(two)).toEqual(exported)
    expect(await search('2')).toEqual(await search('2', one))
    const shown = await app.call('GET', '/v1/products/a', { token: two.token })
    expect(shown.body['image']).toMatchObject({ width: 640, phash: '0123456789abcdef' })
    expect(await importAll(exported)).toMatchObject({ unchanged: 2 })
  })

  test('a vector gets the length 1, and its facts are taken', async () => {
    expect(await importAll([makeLine(axis(3, 4))])).toMatchObject({ succeeded: 1 })
    const [line] = await exportAll(two)
    expect(line?.pictures?.[0]).toMatchObject({ width: 50, content_type: 'image/png', bytes: 99 })
    expect(Buffer.from(line?.pictures?.[0]?.vector ?? '', 'base64')).toEqual(
      Buffer.from(Float32Array.from(axis(3)).buffer),
    )
    expect((await search('3'))[0]?.[0]).toBe('made')
  })

  test.each([
    ['too short', makeLine([1, 0]), '/pictures/0/vector'],
    ['not finite', makeLine(axis(1, Number.NaN)), '/pictures/0/vector'],
    ['infinite', makeLine(axis(1, Number.POSITIVE_INFINITY)), '/pictures/0/vector'],
    ['nothing but zeros', makeLine(axis(1, 0)), '/pictures/0/vector'],
    ['no base64', makeLine([], {}, { vector: 'x y' }), '/pictures/0/vector'],
    ['facts of another kind', makeLine(axis(1), {}, { phash: 'zz' }), '/pictures/0/phash'],
    ['a type that no picture has', makeLine(axis(1), {}, { content_type: 'text/html' }), '/content_type'],
    [
      'too many pictures',
      makeLine(axis(1), { pictures: Array.from({ length: 12 }, () => makeLine(axis(1)).pictures[0]) }),
      '/pictures',
    ],
  ])('a line fails alone whose vectors cannot be used: %s', async (_what, line, pointer) => {
    const job = await importAll([line, makeLine(axis(2), { product_id: 'good' })])
    expect(job).toMatchObject({ succeeded: 1, failed: 1 })
    expect(JSON.stringify(job['errors'])).toContain('validation_error')
    expect(JSON.stringify(job['errors'])).toContain(pointer)
  })

  test('vectors of another model are not used: the pictures are read, and the job says so', async () => {
    const image_url = app.picture('a', 1)
    const line = { ...makeLine(axis(5)), image_url, model: { id: 'x', hash: '0'.repeat(64) } }
    const warning =
      'Vectors of another model came with 1 products: they are not used, and the pictures are read'
    expect(await importAll([line])).toMatchObject({ succeeded: 1, warnings: [warning] })
    expect([app.downloads, embedded.length]).toEqual([[image_url], 1])
  })

  test('a picture without a vector, with another address or with refresh is read as usual', async () => {
    const image_url = app.picture('a', 1)
    const none = makeLine(axis(5), { product_id: 'none', image_url })
    const [picture] = none.pictures
    await importAll([
      { ...none, pictures: [{ ...picture, image_url, vector: null }] },
      { ...none, product_id: 'moved' },
      { ...none, product_id: 'fresh', pictures: [{ ...picture, image_url }], refresh: true },
    ])
    expect(app.downloads).toEqual([image_url, image_url, image_url])
    expect((await search('1')).length).toBe(3)
  })

  test('precomputed facts never reach another product, in whatever order they come', async () => {
    const image_url = app.picture('a', 1)
    await post({ product_id: 'read', image_url })
    const [line] = await exportAll()
    // A line that says of the same bytes that they lie elsewhere.
    const lie = makeLine(axis(6), {}, { content_hash: line?.pictures?.[0]?.content_hash })
    expect(await importAll([lie])).toMatchObject({ succeeded: 1 })
    embedded.length = 0
    await post({ product_id: 'own', image_url }, two)
    expect(embedded.length).toBe(1)
    expect((await search('1'))[0]?.[0]).toBe('own')
    expect((await search('6'))[0]?.[0]).toBe('made')
    const rows = app.db
      .prepare('SELECT image_url, is_given FROM pictures WHERE store_id = ?')
      .all(two.storeId)
    expect(rows).toEqual([
      { image_url: lie.image_url, is_given: 1 },
      { image_url, is_given: 0 },
    ])
  })

  test('a refresh reads a precomputed picture, and its true vector takes the place of the precomputed one', async () => {
    const image_url = app.picture('a', 1)
    const line = makeLine(axis(6), { image_url })
    await importAll([{ ...line, pictures: [{ ...line.pictures[0], image_url }] }])
    const body = { image_url, refresh: true }
    const { token } = two
    const written = await app.call('PUT', '/v1/products/made', { token, body })
    expect([written.body['message'], embedded.length]).toEqual(['updated', 1])
    expect((await search('1'))[0]?.[0]).toBe('made')
    const rows = app.db.prepare('SELECT is_given FROM pictures').all()
    expect(rows).toEqual([{ is_given: 0 }])
  })

  test('nobody gives vectors by another way', async () => {
    const image_url = app.picture('a', 1)
    const line = makeLine(axis(6), { image_url })
    const given = { model: 'f'.repeat(64), pictures: [{ ...line.pictures[0], image_url }] }
    await post({ ...line, given, pictures: given.pictures }, two)
    const job = await startBulk(app, two.token, [{ ...line, given, product_id: 'of-bulk' }])
    await waitForJob(app, two.storeId, two.token, job)
    await importAll([{ ...line, given, pictures: undefined, product_id: 'line' }])
    expect(app.db.prepare('SELECT sum(is_given) AS given FROM pictures').get()).toEqual({ given: 0 })
    expect((await search('1')).length).toBe(3)
  })
})

describe('kept pictures with vectors', () => {
  const upload = (product_id: string, axes: number[], as = one) =>
    post(form({ product_id, image: pictureBytes(...axes) }), as)

  test('of the same store: the kept content and its own vector count', async () => {
    await upload('a', [1])
    const [line] = await exportAll()
    const lie = makeLine(axis(6)).pictures[0]
    const picture = { ...line?.pictures?.[0], vector: lie?.vector }
    embedded.length = 0
    expect(await importAll([{ ...line, product_id: 'b', pictures: [picture] }], one)).toMatchObject({
      succeeded: 1,
    })
    expect(embedded).toEqual([])
    expect((await search('1', one)).map(([id]) => id)).toEqual(['a', 'b'])
    // Of another content than the kept one, nothing of the line is believed.
    const other = { ...picture, content_hash: 'ab'.repeat(32) }
    await importAll([{ ...line, product_id: 'c', pictures: [other] }], one)
    expect((await search('1', one)).map(([id]) => id).sort()).toEqual(['a', 'b', 'c'])
    expect(app.db.prepare('SELECT sum(is_given) AS given FROM pictures').get()).toEqual({ given: 0 })
  })

  test('of another store of the install: the picture becomes the own one of this store', async () => {
    await upload('a', [1])
    const exported = await exportAll()
    embedded.length = 0
    expect(await importAll(exported)).toMatchObject({ succeeded: 1 })
    expect([embedded, app.downloads]).toEqual([[], []])
    const { body } = await app.call('GET', '/v1/products/a', { token: two.token })
    expect(body['image_url']).not.toBe(exported[0]?.image_url)
    // The address of an install that had another base URL is known by its random part.
    const text = JSON.stringify(exported).replaceAll('http://lookalike.test', 'https://old.test:8443')
    const moved = (JSON.parse(text) as object[]).map((line) => ({ ...line, product_id: 'moved' }))
    expect(await importAll(moved)).toMatchObject({ succeeded: 1 })
    const again = (await app.call('GET', '/v1/products/moved', { token: two.token })).body
    expect(again['image_url']).toBe(body['image_url'])
    await app.call('DELETE', '/v1/products/a', { token: one.token })
    await app.sweepPictures()
    app.clock.advance(61_000)
    await app.sweepPictures()
    const picture = await app.http.handle(new Request(String(body['image_url'])))
    expect(await picture.bytes()).toEqual(pictureBytes(1))
  })

  test('one that is not there fails with words, and one of another content in another store, too', async () => {
    await upload('a', [1])
    const [line] = await exportAll()
    const image_url = 'http://lookalike.test/pictures/AAAAAAAAAAAAAAAAAAAAAA'
    const gone = { ...line, image_url, pictures: [{ ...line?.pictures?.[0], image_url }] }
    const lie = {
      ...line,
      product_id: 'lie',
      pictures: [{ ...line?.pictures?.[0], content_hash: 'ab'.repeat(32) }],
    }
    const job = await importAll([gone, lie])
    expect(job).toMatchObject({ succeeded: 0, failed: 2 })
    expect(JSON.stringify(job['errors'])).toContain('an uploaded picture lies with the install')
  })

  test('the plan bounds them like uploads', async () => {
    await upload('a', [1])
    const exported = await exportAll()
    app.db.prepare('UPDATE stores SET kept_bytes = 1e15 WHERE id = ?').run(two.storeId)
    app.setPlan('two', 'free')
    const job = await importAll(exported)
    expect(JSON.stringify(job['errors'])).toContain('storage_limit_exceeded')
  })

  test('an address that no download could begin with is refused', async () => {
    const image_url = 'javascript://img.test/%0aalert(1)'
    const line = makeLine(axis(1), { image_url })
    const job = await importAll([{ ...line, pictures: [{ ...line.pictures[0], image_url }] }])
    expect(JSON.stringify(job['errors'])).toContain('url_not_allowed')
  })
})
