import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import sharp from 'sharp'
import { startEmbedder } from '../platform/embedder/bundled.ts'
import { type TestApp, testApp } from '../support/app.ts'

const COLOURS = { black: '#26262a', yellow: '#f2c614', red: '#c62630', blue: '#2a5fb4', green: '#2f8a4b' }
const MUG =
  '<path d="M45 50h90v95q0 15-15 15H60q-15 0-15-15z" fill="F"/><path d="M135 70q40 0 38 32t-38 30" fill="none" stroke="F" stroke-width="13"/>'
const LAMP =
  '<path d="M66 22h68l32 74H34z" fill="F"/><rect x="96" y="96" width="8" height="74" fill="#666"/><ellipse cx="100" cy="176" rx="42" ry="10" fill="#666"/>'

const draw = async (shapes: string, hex: string, ground = '#ffffff'): Promise<string> => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="320" viewBox="-10 -10 220 220"><rect x="-10" y="-10" width="220" height="220" fill="${ground}"/>${shapes.replaceAll('"F"', `"${hex}"`)}</svg>`
  const bytes = await sharp(Buffer.from(svg)).flatten().jpeg({ quality: 90 }).toBuffer()
  return `data:image/jpeg;base64,${bytes.toString('base64')}`
}

interface Hit {
  product_id: string
  similarity_score: number
}

const { embedder } = startEmbedder()
let app: TestApp
let token: string

beforeAll(async () => {
  await embedder.settled()
  app = testApp({ embedder })
  token = await app.signIn('shop', 'enterprise')
  for (const [color, hex] of Object.entries(COLOURS)) {
    await put(`${color}-mug`, 'Breakfast mug', await draw(MUG, hex))
    await put(`${color}-lamp`, 'Desk lamp', await draw(LAMP, hex))
  }
}, 120_000)
afterAll(async () => {
  await app.close()
  await embedder.close()
})

async function put(product_id: string, name: string, image_url: string): Promise<void> {
  const body = { product_id, image_url, metadata: { name } }
  expect((await app.call('POST', '/v1/products', { token, body })).status).toBe(201)
}

async function search(path: string, body: object): Promise<Hit[]> {
  const answer = await app.call('POST', `/v1/search/${path}`, { token, body })
  expect(answer.status).toBe(200)
  return answer.body['results'] as unknown as Hit[]
}

const idsOf = (hits: readonly Hit[]) => hits.map(({ product_id }) => product_id)

describe('mugs and lamps in five plain colours, whose words say no colour', () => {
  test.each(Object.entries(COLOURS))(
    'a %s mug is first by a picked colour, and mugs follow',
    async (color, hex) => {
      const found = await search('hybrid', { query: 'mug', colors: [hex] })
      expect(found[0]?.product_id).toBe(`${color}-mug`)
      expect(
        idsOf(found)
          .slice(0, 5)
          .every((id) => id.endsWith('-mug')),
      ).toBe(true)
      const [first = 0, second = 1] = found.map((hit) => hit.similarity_score)
      expect(first - second).toBeGreaterThan(0.2)
    },
  )

  test.each(Object.keys(COLOURS))('"%s mug" finds it first', async (color) => {
    const found = await search('text', { query: `${color} mug` })
    expect(found[0]?.product_id).toBe(`${color}-mug`)
    expect(
      idsOf(found)
        .slice(0, 5)
        .every((id) => id.endsWith('-mug')),
    ).toBe(true)
  })

  test.each(['hybrid', 'fusion'])('a black mug and "blue" find the blue mug first, by %s', async (path) => {
    const image = await draw(MUG, COLOURS.black, '#d8cfc4')
    const found = await search(path, { image, query: 'blue' })
    expect(found[0]?.product_id).toBe('blue-mug')
    const scores = new Map(found.map((hit) => [hit.product_id, hit.similarity_score]))
    expect(scores.get('blue-mug') ?? 0).toBeGreaterThan(0.5)
    expect((scores.get('blue-mug') ?? 0) - (scores.get('black-mug') ?? 1)).toBeGreaterThan(0.1)
  })
})
