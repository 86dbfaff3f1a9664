import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { form, pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { DIMENSION } from '../../../support/embedder.ts'

let app: TestApp
let token: string
let other: string

beforeAll(async () => {
  app = testApp()
  token = await app.signIn()
  other = await app.signIn('two')
  for (const [product_id, axes, category] of [
    ['a', [1], 'Mugs'],
    ['b', [1, 2], 'Mugs'],
    ['c', [2], 'Lamps'],
    ['d', [1, 3], 'Lamps'],
  ] as const) {
    const image_url = app.picture(product_id, ...axes)
    await app.call('POST', '/v1/products', { token, body: { product_id, image_url, metadata: { category } } })
  }
})
afterAll(() => app.close())

interface Found {
  results: { product_id: string; similarity_score: number; explain?: { cosine: number } }[]
  total_candidates: number
  image_id?: string
  warnings?: string[]
  boosted_category?: string
}
const call = (body: unknown, as = token) => app.call('POST', '/v1/search/url', { token: as, body })
const search = async (body: object): Promise<Found> => {
  const { status, body: found } = await call({ category_boost: 0, ...body })
  expect([status, found['error']]).toEqual([200, undefined])
  return found as unknown as Found
}
const ids = ({ results }: Found) => results.map(({ product_id }) => product_id)
const base64 = (...axes: number[]) => Buffer.from(pictureBytes(...axes)).toString('base64')
const axis = (...axes: number[]) => Array.from({ length: DIMENSION }, (_, n) => (axes.includes(n) ? 1 : 0))

describe('POST /v1/search/url: the image source (contract 3.1, 3.3)', () => {
  const expected = ['b', 'a', 'c', 'd']

  test('image_url: an address is downloaded', async () => {
    const url = app.picture('query', 1, 2)
    expect(ids(await search({ image_url: url }))).toEqual(expected)
    expect(app.downloads.at(-1)).toBe(url)
  })

  test.each([
    ['image_url as a data: URI', { image_url: `data:image/jpeg;base64,${base64(1, 2)}` }],
    ['image as base64', { image: base64(1, 2) }],
    ['image as a data: URI', { image: `data:;base64,${base64(1, 2)}` }],
    ['vector', { vector: axis(1, 2) }],
    ['vector of any length', { vector: axis(1, 2).map((n) => n * 1e-30) }],
    ['vector of the largest numbers', { vector: axis(1, 2).map((n) => n * 1.5e308) }],
    ['vector of the smallest numbers', { vector: axis(1, 2).map((n) => n * 5e-324) }],
  ])('%s: nothing is downloaded', async (_, source) => {
    const before = app.downloads.length
    expect(ids(await search(source))).toEqual(expected)
    expect(app.downloads).toHaveLength(before)
  })

  test('product_id: others like this one; the product itself is left out and does not count', async () => {
    const before = app.downloads.length
    const found = await search({ product_id: 'b' })
    expect(ids(found)).toEqual(['a', 'c', 'd'])
    expect(found.total_candidates).toBe(3)
    expect(ids(await search({ product_id: 'b', category: 'Mugs' }))).toEqual(['a'])
    expect(ids(await search({ product_id: 'b', limit: 2, offset: 1 }))).toEqual(['c', 'd'])
    expect(app.downloads).toHaveLength(before)
  })

  test('product_id: its own category is lifted, whatever its neighbours say', async () => {
    expect((await search({ product_id: 'c', category_boost: 0.1, explain: true })).boosted_category).toBe(
      'Lamps',
    )
  })

  test('explain.cosine never leaves -1 to 1, also for the same picture', async () => {
    for (const axes of [[1], [1, 2], [1, 3], [1, 2, 3]]) {
      const { results } = await search({ image: base64(...axes), explain: true })
      for (const { explain } of results) expect(explain?.cosine).toBeWithin(-1, 1.0000001)
    }
  })

  test.each([
    ['too short', axis(1).slice(1), `must hold ${DIMENSION} numbers`],
    ['all zero', axis(), 'must hold a number that is not 0'],
  ])('422: a vector %s is told what it must be', async (_, vector, message) => {
    expect((await call({ vector })).body['message']).toBe(`vector ${message}`)
  })

  test('image_id: the next page needs no second download, and gives the same list', async () => {
    const first = await search({ image_url: app.picture('query', 1, 2), limit: 2 })
    const before = app.downloads.length
    const second = await search({ image_id: first.image_id, limit: 2, offset: 2 })
    expect([...ids(first), ...ids(second)]).toEqual(expected)
    expect(second.image_id).toBe(first.image_id as string)
    expect(app.downloads).toHaveLength(before)
  })

  test('image_id of an upload works as well', async () => {
    const { body } = await app.call('POST', '/v1/search', {
      token,
      body: form({ image: pictureBytes(1, 2), category_boost: '0' }),
    })
    expect(ids(await search({ image_id: body['image_id'] }))).toEqual(expected)
  })

  test('404 not_found: another store’s image_id, exactly as one that never was', async () => {
    const { image_id } = await search({ image_url: app.picture('query', 1) })
    const [theirs, none] = [await call({ image_id }, other), await call({ image_id: 'none' }, other)]
    for (const answer of [theirs, none]) {
      expect(answer.status).toBe(404)
      expect(answer.body).toEqual(none.body)
    }
    expect(none.body).toMatchObject({ error: 'not_found', details: { resource: 'image' } })
  })

  test('404 not_found: a product_id that the store does not have', async () => {
    for (const answer of [await call({ product_id: 'none' }), await call({ product_id: 'a' }, other)]) {
      expect(answer.status).toBe(404)
      expect(answer.body).toMatchObject({ error: 'not_found', details: { resource: 'product' } })
    }
  })

  test('404 not_found: an image_id after 15 minutes', async () => {
    const { image_id } = await search({ image: base64(1) })
    app.clock.advance(15 * 60_000 - 1)
    expect((await call({ image_id })).status).toBe(200)
    app.clock.advance(1)
    expect((await call({ image_id })).status).toBe(404)
    await app.tidy()
    expect((await call({ image_id })).status).toBe(404)
  })

  const sources = {
    image_url: 'https://img.test/a.jpg',
    image: base64(1),
    product_id: 'a',
    image_id: 'x',
    vector: axis(1),
  }
  const pairs = Object.keys(sources).flatMap((a, n, all) => all.slice(n + 1).map((b) => [a, b] as const))
  test.each(pairs)('422 image_source_invalid: %s and %s together', async (a, b) => {
    const { status, body } = await call({ [a]: sources[a as 'image'], [b]: sources[b as 'image'] })
    expect(status).toBe(422)
    expect(body).toMatchObject({
      error: 'image_source_invalid',
      details: { given: expect.arrayContaining([a, b]), allowed: Object.keys(sources) },
    })
  })

  test.each([{}, { query: 'red' }, { limit: 3 }])('422 image_source_invalid: none in %j', async (body) => {
    const answer = await call(body)
    expect([answer.status, answer.body['error']]).toEqual([422, 'image_source_invalid'])
  })

  test.each([
    ['too short', axis(1).slice(1)],
    ['too long', [...axis(1), 0]],
    ['empty', []],
    ['all zero', axis()],
    ['of text', axis(1).map(String)],
    ['with null', [null, ...axis(1).slice(1)]],
    ['of 5,000 numbers', Array<number>(5_000).fill(1)],
    ['no list', 1],
  ])('422 validation_error: a vector %s', async (_, vector) => {
    const { status, body } = await call({ vector })
    expect([status, body['error']]).toEqual([422, 'validation_error'])
    expect(JSON.stringify(body)).toContain('/vector')
  })

  test('422 and never 500: NaN and Infinity written as JSON numbers', async () => {
    for (const number of ['1e999', '-1e999', 'NaN']) {
      const answer = await app.call('POST', '/v1/search/url', {
        token,
        headers: { 'content-type': 'application/json' },
        body: `{"vector":[${[number, ...axis(1).slice(1)].join()}]}`,
      })
      expect([400, 422]).toContain(answer.status)
    }
  })

  test.each([
    [{ image_url: 'https://img.test/missing.jpg' }, 'image_download_failed', 422],
    [{ image_url: '' }, 'image_download_failed', 422],
    [{ image: '###' }, 'image_unreadable', 422],
    [{ image: '' }, 'image_unreadable', 422],
    [{ image: Buffer.from('<svg/>').toString('base64') }, 'image_unreadable', 422],
    [{ image: 'A'.repeat(14 * 1024 * 1024) }, 'image_too_large', 413],
    [{ image_url: 'data:image/png;base64' }, 'image_unreadable', 422],
  ])('a bad picture (%#) is refused with its code', async (body, code, status) => {
    const answer = await call(body)
    expect([answer.status, answer.body['error']]).toEqual([status, code])
  })
})

describe('POST /v1/search: upload (contract 3.1)', () => {
  test('422 image_source_invalid: the file twice', async () => {
    const body = form({ image: pictureBytes(1) })
    body.append('image', new Blob([pictureBytes(2)]), 'second.jpg')
    const answer = await app.call('POST', '/v1/search', { token, body })
    expect([answer.status, answer.body['error']]).toEqual([422, 'image_source_invalid'])
    expect(answer.body['message']).toBe('Send one picture; image was sent 2 times')
    expect(answer.body['details']).toMatchObject({ given: ['image', 'image'], allowed: ['image'] })
  })

  test.each(['image_url', 'product_id', 'image_id'])(
    '422 image_source_invalid: %s beside the file',
    async (name) => {
      const both = await upload({ image: pictureBytes(1), [name]: 'a' })
      expect([both.status, both.body['error']]).toEqual([422, 'image_source_invalid'])
      expect(both.body['message']).toContain(name)
      expect(both.body['details']).toMatchObject({ given: expect.arrayContaining(['image', name]) })
      expect((await upload({ image: pictureBytes(1), [name]: '' })).status).toBe(200)
    },
  )

  test('a form may name any other source instead of a file', async () => {
    const { body } = await upload({ image: pictureBytes(1) })
    expect((await upload({ product_id: 'a' })).status).toBe(200)
    expect((await upload({ image_id: String(body['image_id']) })).status).toBe(200)
    expect((await upload({ image_url: app.picture('form', 1) })).status).toBe(200)
    expect((await upload({ vector: JSON.stringify([1, 0, 0, 0, 0, 0, 0, 0]) })).status).toBe(200)
    expect((await upload({ product_id: 'none' })).status).toBe(404)
  })

  const upload = (fields: Parameters<typeof form>[0], as = token) =>
    app.call('POST', '/v1/search', { token: as, body: form(fields) })

  test('200: numbers, lists and flags travel as text', async () => {
    const { status, body } = await upload({
      image: pictureBytes(1),
      limit: '2',
      offset: '1',
      threshold: '0.1',
      category_boost: '0',
      fields: 'category,name',
      explain: 'true',
      category: '',
      color: ' ',
    })
    expect(status).toBe(200)
    const { results } = body as unknown as Found
    expect(results.map(({ product_id }) => product_id)).toEqual(['b', 'd'])
    expect(results[0]).toMatchObject({ metadata: { category: 'Mugs' }, explain: { legs: { category: 0 } } })
    expect(body).toHaveProperty('image_id')
    expect(body).not.toHaveProperty('warnings')
  })

  test.each([
    [{ limit: 'ten' }, '/limit'],
    [{ limit: '101' }, '/limit'],
    [{ limit: '1.5' }, '/limit'],
    [{ threshold: 'NaN' }, '/threshold'],
    [{ threshold: '2' }, '/threshold'],
    [{ explain: 'perhaps' }, '/explain'],
    [{ cutoff: 'x' }, '/cutoff'],
  ])('422 validation_error: %j', async (fields, pointer) => {
    const { status, body } = await upload({ image: pictureBytes(1), ...fields })
    expect([status, body['error']]).toEqual([422, 'validation_error'])
    expect(JSON.stringify(body)).toContain(pointer)
  })

  test('422: without a picture, with text instead of a picture, with a file that is not a picture', async () => {
    expect((await upload({ limit: '1' })).body['error']).toBe('image_source_invalid')
    expect((await upload({ image: 'https://img.test/a.jpg' })).body['error']).toBe('validation_error')
    expect((await upload({ image: new Uint8Array(100) })).body['error']).toBe('image_unreadable')
    expect((await upload({ image: new Uint8Array(0) })).body['error']).toBe('image_unreadable')
  })

  test('413 image_too_large: more than 10 MiB', async () => {
    const { status, body } = await upload({ image: new Uint8Array(10 * 1024 * 1024 + 1) })
    expect([status, body['error']]).toEqual([413, 'image_too_large'])
  })

  test('a field that is not understood is told', async () => {
    const { body } = await upload({ image: pictureBytes(1), treshold: '1' })
    expect(body['warnings']).toEqual(["the unknown field 'treshold' was ignored; did you mean 'threshold'?"])
  })
})
