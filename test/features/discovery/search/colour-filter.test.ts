import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../support/app.ts'
import { fakeEmbedder } from '../../../support/embedder.ts'

let app: TestApp
let token: string

/** The main colours of the pictures, by the axis of their vector. */
const PALETTES = [
  [{ hex: '#c81e1e', share: 0.8 }],
  [
    { hex: '#2a5bd0', share: 0.5 },
    { hex: '#ffffff', share: 0.4 },
  ],
  [
    { hex: '#808080', share: 0.9 },
    { hex: '#c81e1e', share: 0.1 },
  ],
  [{ hex: '#1a2a4a', share: 0.9 }],
]

const PRODUCTS: [id: string, color_name: string | undefined, ...pictures: number[]][] = [
  ['named-red', 'Red', 1],
  ['named-rouge', 'Rouge', 2],
  ['named-hex', '#c00000', 2],
  ['named-sunset', 'Sunset', 0],
  ['named-navy-white', 'Navy/White', 2],
  ['plain-red', undefined, 0],
  ['plain-red-then-blue', '', 0, 1],
  ['plain-blue', undefined, 1],
  ['plain-blue-then-red', ' ', 1, 0],
  ['plain-grey', undefined, 2],
  ['plain-navy', undefined, 3],
]

beforeAll(async () => {
  const fake = fakeEmbedder()
  app = testApp({
    embedder: {
      ...fake,
      async embedPicture(bytes, options) {
        const embedded = await fake.embedPicture(bytes, options)
        const palette = PALETTES[embedded.vector.indexOf(1)] ?? []
        return { ...embedded, facts: { ...embedded.facts, palette } }
      },
    },
  })
  token = await app.signIn()
  for (const [product_id, color_name, ...axes] of PRODUCTS) {
    const [image_url, ...images] = axes.map((axis, n) => app.picture(`${product_id}-${n}`, axis))
    const metadata = color_name === undefined ? {} : { color_name }
    const body = {
      product_id,
      image_url,
      metadata,
      ...(images.length > 0 && { additional_image_urls: images }),
    }
    const { status } = await app.call('POST', '/v1/products', { token, body })
    expect(status).toBe(201)
  }
})
afterAll(() => app.close())

/** The products that a search with a colour finds, in the order of {@link PRODUCTS}. */
async function find(color: string): Promise<string[]> {
  const { status, body } = await app.call('POST', '/v1/search/text', {
    token,
    body: { query: '0 1 2 3', color, limit: 100 },
  })
  expect(status).toBe(200)
  const found = (body['results'] as { product_id: string }[]).map(({ product_id }) => product_id)
  expect(body['total_candidates']).toBe(found.length)
  return PRODUCTS.map(([id]) => id).filter((id) => found.includes(id))
}

const RED = ['named-red', 'named-rouge', 'named-hex', 'plain-red', 'plain-red-then-blue']
const BLUE = ['named-navy-white', 'plain-blue', 'plain-blue-then-red', 'plain-navy']

describe('color as a pre-filter (contract 3.2)', () => {
  test.each([
    ['red', RED],
    ['ROT', RED],
    ['rouges', RED],
    ['blau', BLUE],
    ['navy', ['named-navy-white', 'plain-navy']],
    ['dunkelblau', ['named-navy-white', 'plain-navy']],
    ['weiß', ['named-navy-white', 'plain-blue', 'plain-blue-then-red']],
    ['blue and white', ['named-navy-white', 'plain-blue', 'plain-blue-then-red']],
    ['gris', ['plain-grey']],
    ['sunset', ['named-sunset']],
    ['Navy/White', ['named-navy-white']],
    ['moonlight', []],
  ])('%s', async (color, expected) => {
    expect(await find(color)).toEqual(expected)
  })

  test.each([
    ['#c81e1e', ['named-hex', 'named-sunset', 'plain-red', 'plain-red-then-blue']],
    ['C81E1E', ['named-hex', 'named-sunset', 'plain-red', 'plain-red-then-blue']],
    ['#2a5bd0', ['named-red', 'plain-blue', 'plain-blue-then-red']],
    ['#0f0', []],
  ])('%s, as the first pictures show', async (color, expected) => {
    expect(await find(color)).toEqual(expected)
  })

  test('after a start it is the same', async () => {
    app.loadIndex()
    expect(await find('red')).toEqual(RED)
    expect(await find('blau')).toEqual(BLUE)
  })

  test('what begins with # and is no hex answers 422 with the field', async () => {
    for (const color of ['#12', '#red', '#12345g']) {
      const body = { query: 'x', color }
      const answer = await app.call('POST', '/v1/search/text', { token, body })
      expect(answer.status).toBe(422)
      expect(answer.body).toMatchObject({
        error: 'validation_error',
        details: { errors: [{ pointer: '/color' }] },
      })
    }
  })
})
