import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Embedder } from '../../../../src/platform/embedder/embedder.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { fakeEmbedder } from '../../../support/embedder.ts'
import type { Result } from './shop.ts'

/** The axis of a picture that says its colour. */
const HEX_OF: Record<string, string> = {
  3: '#26262a',
  4: '#f0c02c',
  5: '#c62630',
  6: '#2a5fb4',
  0: '#f1f0ec',
}

/** A model whose pictures show the colour of their last axis on two thirds of them. */
function colouredEmbedder(): Embedder {
  const fake = fakeEmbedder()
  const map = { midpoint: 0.4, slope: 6 }
  return {
    ...fake,
    // So gentle that a mug of another colour is still plausible.
    calibration: { image_image: map, text_image: map },
    async embedPicture(bytes, options) {
      const embedded = await fake.embedPicture(bytes, options)
      const hex = HEX_OF[new TextDecoder().decode(bytes).at(-1) ?? ''] ?? '#808080'
      return { ...embedded, facts: { ...embedded.facts, palette: [{ hex, share: 0.66 }] } }
    },
  }
}

type Product = [id: string, axes: number[], metadata: Record<string, unknown>]

/** The black mug is nearest to axis 1, which stands for mugs; axis 2 stands for all else. */
const SHOP: readonly Product[] = [
  ['black', [1, 1, 3], { name: 'Breakfast mug' }],
  ['yellow', [1, 4], { name: 'Breakfast cup' }],
  ['red', [1, 5], { name: 'Breakfast cup' }],
  ['blue', [1, 6], { name: 'Breakfast cup' }],
  ['white', [1, 0], { name: 'Breakfast cup' }],
  ['yellow lamp', [2, 4], { name: 'Lamp' }],
  ['lamp', [2, 3], { name: 'Lamp' }],
  ['orange juice', [2, 3], { name: 'Orange juice', category: 'Drinks' }],
  ['apple juice', [2, 4], { name: 'Apple juice', category: 'Drinks' }],
  ['orange shirt', [2, 5], { name: 'Shirt', color_name: 'orange' }],
  ['gelb', [2, 6], { name: 'Hemd', color_name: 'gelb' }],
  ['blau', [2, 4], { name: 'Hemd', color_name: 'blau' }],
  ['navy-1', [2, 3], { name: 'Cap' }],
]

let app: TestApp
let token: string
beforeAll(async () => {
  app = testApp({ embedder: colouredEmbedder() })
  token = await app.signIn('shop', 'enterprise')
  for (const [product_id, axes, metadata] of SHOP) {
    const image_url = app.picture(product_id.replace(' ', '-'), ...axes)
    const { status } = await app.call('POST', '/v1/products', {
      token,
      body: { product_id, image_url, metadata },
    })
    expect(status).toBe(201)
  }
})
afterAll(() => app.close())

async function search(path: string, body: object): Promise<Result[]> {
  const answer = await app.call('POST', `/v1/search/${path}`, { token, body })
  expect(answer.status).toBe(200)
  return answer.body['results'] as unknown as Result[]
}
const ids = (results: readonly Result[]): string[] => results.map(({ product_id }) => product_id)
const scoreOf = (results: readonly Result[], id: string): number =>
  results.find(({ product_id }) => product_id === id)?.similarity_score ?? Number.NaN
const MUGS = ['black', 'yellow', 'red', 'blue', 'white']

describe('a picked colour (contract 3.8)', () => {
  test('outweighs small differences of kind, and never turns a lamp into a mug', async () => {
    expect(ids(await search('hybrid', { query: 'mug 1' }))[0]).toBe('black')
    const found = await search('hybrid', { query: 'mug 1', colors: ['#f2c614'] })
    expect(found[0]?.product_id).toBe('yellow')
    expect(ids(found).slice(0, 5).sort()).toEqual([...MUGS].sort())
    expect(scoreOf(found, 'yellow') - scoreOf(found, 'red')).toBeGreaterThan(0.3)
  })

  test('counts beside a picture, too', async () => {
    const image_url = app.picture('query', 1, 1, 3)
    const found = await search('hybrid', { image_url, colors: ['#f2c614'] })
    expect(found[0]?.product_id).toBe('yellow')
    expect(ids(found).indexOf('yellow lamp')).toBeGreaterThan(ids(found).indexOf('red'))
  })

  test('alone finds what has it', async () => {
    const found = await search('hybrid', { colors: ['#f2c614'] })
    expect(found[0]?.similarity_score).toBeGreaterThan(0.8)
    expect(ids(found).slice(0, 4)).toContain('yellow lamp')
    expect(scoreOf(found, 'red')).toBeLessThan(0.2)
  })

  test('lifts nothing over a threshold', async () => {
    const plain = await search('hybrid', { query: 'mug 1' })
    const found = await search('hybrid', { query: 'mug 1', colors: ['#f2c614'] })
    for (const { product_id, similarity_score } of found)
      expect(similarity_score).toBeLessThanOrEqual(scoreOf(plain, product_id))
  })

  test('is explained: the legs add up to the value behind the score', async () => {
    const found = await search('hybrid', { query: 'mug 1', colors: ['#f2c614'], explain: true })
    const sumOf = (id: string) => {
      const legs = found.find(({ product_id }) => product_id === id)?.explain?.legs ?? {}
      return Object.values(legs).reduce((sum, leg) => sum + leg, 0)
    }
    const values = found.map(({ product_id }) => sumOf(product_id))
    expect(values).toEqual(values.toSorted((a, b) => b - a))
    expect(found.find(({ product_id }) => product_id === 'red')?.explain?.legs['color']).toBeLessThan(0)
  })
})

describe('a colour among the words (contract 3.8)', () => {
  test('is looked for in the pictures of products whose words do not say it', async () => {
    const found = await search('text', { query: 'yellow mug 1' })
    expect(found[0]?.product_id).toBe('yellow')
    expect(ids(found).slice(0, 5).sort()).toEqual([...MUGS].sort())
  })

  test('is a name where a product has it as one', async () => {
    expect(ids(await search('text', { query: 'orange juice' }))[0]).toBe('orange juice')
    expect(ids(await search('text', { query: 'orange shirt' }))[0]).toBe('orange shirt')
  })

  test('is no colour in an id, which comes first', async () => {
    expect(ids(await search('text', { query: 'navy-1' }))[0]).toBe('navy-1')
  })

  test('is understood in the language of the colours of the store', async () => {
    const found = await search('text', { query: 'gelbes Hemd' })
    expect(found[0]?.product_id).toBe('gelb')
    expect(scoreOf(found, 'gelb')).toBeGreaterThan(scoreOf(found, 'blau'))
  })

  test.each(['hybrid', 'fusion'])(
    'beside a picture of another colour, by %s, comes first and is surer',
    async (path) => {
      const image_url = app.picture('query', 1, 1, 3)
      const found = await search(path, { image_url, query: 'yellow' })
      expect(found[0]?.product_id).toBe('yellow')
      expect(scoreOf(found, 'yellow') - scoreOf(found, 'red')).toBeGreaterThan(0.1)
    },
  )

  test('counts the less, the more the picture does', async () => {
    const image_url = app.picture('query', 1, 1, 3)
    const whole = await search('hybrid', { image_url })
    const found = await search('hybrid', { image_url, query: 'yellow', visual_weight: 1 })
    expect(found.map(({ similarity_score }) => similarity_score)).toEqual(
      whole.map(({ similarity_score }) => similarity_score),
    )
  })
})
