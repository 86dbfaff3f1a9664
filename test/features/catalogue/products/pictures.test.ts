import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { ApiError } from '../../../../src/core/errors.ts'
import { pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { fakeEmbedder } from '../../../support/embedder.ts'
import { readState } from '../../../support/state.ts'

let app: TestApp
let token: string
let embedded: string[]
let sideBySide: { now: number; most: number }

beforeEach(async () => {
  embedded = []
  sideBySide = { now: 0, most: 0 }
  const fake = fakeEmbedder()
  app = testApp({
    embedder: {
      ...fake,
      async embedPicture(bytes, priority) {
        embedded.push(new TextDecoder().decode(bytes))
        sideBySide.most = Math.max(sideBySide.most, ++sideBySide.now)
        await new Promise(setImmediate)
        sideBySide.now--
        return fake.embedPicture(bytes, priority)
      },
    },
  })
  token = await app.signIn()
})
afterEach(() => app.close())

interface Found {
  product_id: string
  similarity_score: number
  image_url: string
  matched_image: string
}

const post = (body: unknown) => app.call('POST', '/v1/products', { token, body })
const read = async (id: string) => (await app.call('GET', `/v1/products/${id}`, { token })).body
const find = async (query: string) => {
  const { body } = await app.call('POST', '/v1/search/text', { token, body: { query, category_boost: 0 } })
  return body['results'] as Found[]
}

describe('POST /v1/products: a picture that did not change (contract 2.2)', () => {
  test('the same address is neither downloaded nor embedded again', async () => {
    const image_url = app.picture('a', 1)
    await post({ product_id: 'p', image_url })
    app.web.clear()
    expect((await post({ product_id: 'p', image_url, metadata: { price: 1 } })).body['message']).toBe(
      'updated',
    )
    expect([app.downloads.length, embedded.length]).toEqual([1, 1])
  })

  test('the same content at another address is downloaded but not embedded, and the address is the new one', async () => {
    await post({ product_id: 'p', image_url: app.picture('a', 1) })
    const indexedAt = (await read('p'))['indexed_at']
    app.clock.advance(1_000)
    const moved = app.picture('b', 1)
    expect((await post({ product_id: 'p', image_url: moved })).body['message']).toBe('updated')
    expect([app.downloads.length, embedded.length]).toEqual([2, 1])
    expect(await read('p')).toMatchObject({ image_url: moved, indexed_at: indexedAt })
    expect((await find('1'))[0]).toMatchObject({ product_id: 'p', matched_image: moved })
  })

  test('the same content in another product of the store is not embedded again and is found as well', async () => {
    await post({ product_id: 'p', image_url: app.picture('a', 1) })
    await post({ product_id: 'q', image_url: app.picture('b', 1) })
    expect(embedded).toHaveLength(1)
    const [first, second] = await find('1')
    expect([first?.product_id, second?.product_id]).toEqual(['p', 'q'])
    expect(second?.similarity_score).toBeCloseTo(first?.similarity_score as number, 3)
  })

  test('another store embeds its own: nothing is shared between stores', async () => {
    await post({ product_id: 'p', image_url: app.picture('a', 1) })
    const other = await app.signIn('two')
    await app.call('POST', '/v1/products', {
      token: other,
      body: { product_id: 'p', image_url: app.picture('a', 1) },
    })
    expect(embedded).toHaveLength(2)
  })

  test('refresh downloads again, and embeds only when the content is another', async () => {
    const image_url = app.picture('a', 1)
    await post({ product_id: 'p', image_url })
    expect((await post({ product_id: 'p', image_url, refresh: true })).body['message']).toBe('unchanged')
    expect([app.downloads.length, embedded.length]).toEqual([2, 1])
    app.picture('a', 2)
    expect((await post({ product_id: 'p', image_url })).body['message']).toBe('unchanged')
    expect((await post({ product_id: 'p', image_url, refresh: true })).body['message']).toBe('updated')
    expect(embedded).toHaveLength(2)
    expect((await find('2'))[0]?.similarity_score).toBeGreaterThan(0.9)
    expect((await find('1'))[0]?.similarity_score).toBeLessThan(0.1)
  })

  test('PATCH with refresh downloads again', async () => {
    await post({ product_id: 'p', image_url: app.picture('a', 1) })
    app.picture('a', 3)
    const { body } = await app.call('PATCH', '/v1/products/p', { token, body: { refresh: true } })
    expect(body['message']).toBe('updated')
    expect((await find('3'))[0]?.similarity_score).toBeGreaterThan(0.9)
  })
})

describe('POST /v1/products: several pictures (contract 2.1)', () => {
  test('a product is found by its best picture, once, and matched_image says which', async () => {
    const [front, side] = [app.picture('front', 1), app.picture('side', 2)]
    await post({ product_id: 'p', image_url: front, additional_image_urls: [side] })
    await post({ product_id: 'q', image_url: app.picture('q', 3) })
    const results = await find('2')
    expect(results.map(({ product_id }) => product_id)).toEqual(['p', 'q'])
    expect(results[0]).toMatchObject({ image_url: front, matched_image: side })
    expect((await find('1'))[0]).toMatchObject({ product_id: 'p', matched_image: front })
  })

  test('10 further pictures are allowed, 11 are 422 and nothing is downloaded', async () => {
    const urls = Array.from({ length: 11 }, (_, n) => app.picture(`v${n}`, n % 7))
    const image_url = app.picture('first', 0)
    const refused = await post({ product_id: 'p', image_url, additional_image_urls: urls })
    expect([refused.status, refused.body['error']]).toEqual([422, 'validation_error'])
    expect(app.downloads).toEqual([])
    expect(
      (await post({ product_id: 'p', image_url, additional_image_urls: urls.slice(0, 10) })).status,
    ).toBe(201)
    expect(await read('p')).toMatchObject({ additional_image_urls: urls.slice(0, 10) })
  })

  test('they are loaded side by side, but never more than 4 at once', async () => {
    const urls = Array.from({ length: 10 }, (_, n) => app.picture(`v${n}`, n % 7, 7))
    app.picture('v9', 6, 5)
    await post({ product_id: 'p', image_url: app.picture('first', 0), additional_image_urls: urls })
    expect(sideBySide.most).toBe(4)
  })

  test('another order only moves them: nothing is embedded, and the first one leads', async () => {
    const [a, b, c] = [app.picture('a', 1), app.picture('b', 2), app.picture('c', 3)]
    await post({ product_id: 'p', image_url: a, additional_image_urls: [b, c] })
    const { body } = await post({ product_id: 'p', image_url: c, additional_image_urls: [a, b] })
    expect(body['message']).toBe('updated')
    expect(embedded).toHaveLength(3)
    expect(await read('p')).toMatchObject({ image_url: c, additional_image_urls: [a, b] })
    await post({ product_id: 'like a', image_url: a })
    await post({ product_id: 'like c', image_url: c })
    const byProduct = await app.call('POST', '/v1/search/url', { token, body: { product_id: 'p' } })
    expect((byProduct.body['results'] as Found[])[0]).toMatchObject({ product_id: 'like c' })
  })

  test('a picture that is left out is gone from search, database and vectors', async () => {
    const [a, b] = [app.picture('a', 1), app.picture('b', 2)]
    await post({ product_id: 'p', image_url: a, additional_image_urls: [b] })
    await post({ product_id: 'p', image_url: a })
    expect((await find('2'))[0]?.similarity_score).toBeLessThan(0.1)
    const { pictures, vectors } = await readState(app, token)
    expect([pictures.length, vectors.length]).toEqual([1, 1])
  })

  test('a replaced first picture takes the old vector away and leaves the others', async () => {
    const [a, b, c] = [app.picture('a', 1), app.picture('b', 2), app.picture('c', 3)]
    await post({ product_id: 'p', image_url: a, additional_image_urls: [b] })
    await post({ product_id: 'p', image_url: c, additional_image_urls: [b] })
    expect((await find('1'))[0]?.similarity_score).toBeLessThan(0.1)
    expect((await find('2'))[0]).toMatchObject({ image_url: c, matched_image: b })
    expect((await find('3'))[0]).toMatchObject({ matched_image: c })
    expect(embedded).toHaveLength(3)
  })

  test('the same picture twice in one product is two pictures of one product', async () => {
    const a = app.picture('a', 1)
    await post({ product_id: 'p', image_url: a, additional_image_urls: [a] })
    expect(await read('p')).toMatchObject({ image_url: a, additional_image_urls: [a] })
    expect(await find('1')).toHaveLength(1)
    expect((await post({ product_id: 'p', image_url: a, additional_image_urls: [a] })).body['message']).toBe(
      'unchanged',
    )
    await post({ product_id: 'p', image_url: a })
    expect((await find('1'))[0]).toMatchObject({ product_id: 'p', matched_image: a })
  })

  test('PATCH leaves the further pictures when it names only the first, and the other way round', async () => {
    const [a, b, c] = [app.picture('a', 1), app.picture('b', 2), app.picture('c', 3)]
    await post({ product_id: 'p', image_url: a, additional_image_urls: [b] })
    await app.call('PATCH', '/v1/products/p', { token, body: { image_url: c } })
    expect(await read('p')).toMatchObject({ image_url: c, additional_image_urls: [b] })
    await app.call('PATCH', '/v1/products/p', { token, body: { additional_image_urls: [] } })
    expect(await read('p')).toMatchObject({ image_url: c, additional_image_urls: [] })
  })

  test('422: one picture of several fails, and nothing at all is written', async () => {
    const [a, b] = [app.picture('a', 1), app.picture('b', 2)]
    await post({ product_id: 'p', image_url: a, metadata: { name: 'old' } })
    const before = await readState(app, token)
    const data = `data:image/jpeg;base64,${Buffer.from(pictureBytes(4)).toString('base64')}`
    const { status, body } = await post({
      product_id: 'p',
      image_url: b,
      additional_image_urls: [data, 'https://img.test/missing.jpg'],
      metadata: { name: 'new' },
    })
    expect([status, body['error']]).toEqual([422, 'image_download_failed'])
    expect(await readState(app, token)).toEqual(before)
  })
})

describe('a product whose pictures were embedded by another model (contract 2.9)', () => {
  /** The same database under a model with another hash. */
  function withAnotherModel(before: TestApp) {
    const fake = fakeEmbedder()
    const model = { ...fake.model, hash: 'e'.repeat(64) }
    const after = testApp({ db: before.db, embedder: { ...fake, model } })
    for (const [url, bytes] of before.web) after.web.set(url, bytes)
    after.loadIndex()
    return after
  }
  const getToken = async (later: TestApp) => {
    const { id } = before(later)
    return later.signToken({ sub: id, jti: 'again', user_type: 'client' }, 3600)
  }
  const before = (later: TestApp) => later.db.prepare('SELECT id FROM stores').get() as { id: string }
  const vectorsOf = (table: string) => app.db.prepare(`SELECT rowid FROM ${table}`).all().length

  test('GET shows it whole; PATCH of its metadata keeps every picture and embeds it anew', async () => {
    const [a, b] = [app.picture('a', 1), app.picture('b', 2)]
    await post({ product_id: 'p', image_url: a, additional_image_urls: [b] })
    const later = withAnotherModel(app)
    const key = await getToken(later)
    const shown = await later.call('GET', '/v1/products/p', { token: key })
    expect(shown.body).toMatchObject({ image_url: a, additional_image_urls: [b], image: { width: 640 } })

    const search = () => later.call('POST', '/v1/search/text', { token: key, body: { query: '2' } })
    const early = await search()
    expect([early.status, early.body['error']]).toEqual([503, 'model_not_ready'])
    expect(String((early.body as { details: { hint: string } }).details.hint)).toContain('MODEL_DIR')
    const source = await later.call('POST', '/v1/search/url', { token: key, body: { product_id: 'p' } })
    expect([source.status, source.body['error']]).toEqual([503, 'model_not_ready'])

    const patched = await later.call('PATCH', '/v1/products/p', {
      token: key,
      body: { metadata: { price: 1 } },
    })
    expect(patched.body['message']).toBe('updated')
    expect((await later.call('GET', '/v1/products/p', { token: key })).body).toMatchObject({
      image_url: a,
      additional_image_urls: [b],
      metadata: { price: 1 },
    })
    expect((await search()).body['results']).toMatchObject([{ product_id: 'p', matched_image: b }])
    expect([vectorsOf('vectors_1'), vectorsOf('vectors_2')]).toEqual([0, 2])
  })

  test('the same body again is not "unchanged": it is embedded by the model in use', async () => {
    const body = { product_id: 'p', image_url: app.picture('a', 1) }
    await post(body)
    const later = withAnotherModel(app)
    const answer = await later.call('POST', '/v1/products', { token: await getToken(later), body })
    expect(answer.body['message']).toBe('updated')
  })

  test('DELETE takes the vectors of the other model as well', async () => {
    await post({ product_id: 'p', image_url: app.picture('a', 1) })
    const later = withAnotherModel(app)
    expect((await later.call('DELETE', '/v1/products/p', { token: await getToken(later) })).status).toBe(200)
    expect([vectorsOf('vectors_1'), vectorsOf('vectors_2')]).toEqual([0, 0])
  })
})

describe('POST /v1/products: what the picture’s guards refuse', () => {
  test.each([
    ['image_unsupported_format', 422],
    ['image_unreadable', 422],
    ['image_too_small', 422],
    ['image_too_large', 413],
    ['overloaded', 503],
    ['model_not_ready', 503],
  ] as const)(
    '%s is passed through as %d, with Retry-After if it has one; nothing is written',
    async (code, status) => {
      const failing = testApp({
        embedder: {
          ...fakeEmbedder(),
          embedPicture: async () => {
            throw new ApiError(code, 'no', status === 503 ? { retryAfterSeconds: 2 } : {})
          },
        },
      })
      const key = await failing.signIn()
      const before = await readState(failing, key)
      const image = `data:image/jpeg;base64,${Buffer.from(pictureBytes(1)).toString('base64')}`
      const answer = await failing.call('POST', '/v1/products', {
        token: key,
        body: { product_id: 'p', image_url: image },
      })
      expect([answer.status, answer.body['error']]).toEqual([status, code])
      expect(answer.headers.get('retry-after')).toBe(status === 503 ? '2' : null)
      expect(await readState(failing, key)).toEqual(before)
      await failing.close()
    },
  )
})
