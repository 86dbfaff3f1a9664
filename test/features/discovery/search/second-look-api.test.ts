import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { pictureBytes, testApp } from '../../../support/app.ts'

interface Result {
  product_id: string
  similarity_score: number
  explain?: { legs: Record<string, number>; similarity: number }
}

let app: ReturnType<typeof testApp>
let token: string
beforeAll(async () => {
  app = testApp()
  token = await app.signIn()
  // Four mugs and a bowl look like axis 1, the bowl as much as mug d, and before it, because it is older; other bowls look like others.
  const near = ['mug a', 'mug b', 'bowl c', 'mug d', 'mug e']
  const far = Array.from({ length: 20 }, (_, n) => `${n < 4 ? 'mug' : 'bowl'} f${n}`)
  for (const [n, name] of [...near, ...far].entries()) {
    const axes = n < near.length ? [1, ...([[], [7], [6], [6], [5, 6, 7]][n] ?? [])] : [2 + (n % 3), 5]
    await app.call('POST', '/v1/products', {
      token,
      body: {
        product_id: name.replace(' ', '-'),
        image_url: app.picture(name, ...axes),
        metadata: { name },
      },
    })
  }
})
afterAll(() => app.close())

async function search(path: string, body: object) {
  const answer = await app.call('POST', `/v1/search/${path}`, { token, body: { limit: 25, ...body } })
  expect(answer.status).toBe(200)
  return answer.body as unknown as { results: Result[]; query_words?: { word: string; weight: number }[] }
}
const seen = { vector: [0, 1, 0, 0, 0, 0, 0, 0] }
const placeOf = ({ results }: { results: Result[] }, id: string) =>
  results.findIndex(({ product_id }) => product_id === id)

describe('the second look (contract 3.6)', () => {
  test.each([
    ['url', seen],
    ['hybrid', seen],
    ['filtered', seen],
    ['text', { query: '1' }],
    ['fusion', { ...seen, query: '1' }],
    ['multi-image', { images: [seen, seen], aggregation: 'best' }],
    ['multi-image', { images: [seen, seen], aggregation: 'average' }],
    ['multi-image', { images: [seen, seen], aggregation: 'union' }],
  ] as const)(
    '%s: what lacks the words of the first hits comes later, and the answer names the words',
    async (path, body) => {
      const [once, twice] = [await search(path, { ...body, second_look: false }), await search(path, body)]
      expect(once.query_words).toBeUndefined()
      expect(placeOf(once, 'bowl-c')).toBeLessThan(placeOf(once, 'mug-d'))
      expect(twice.query_words?.[0]).toEqual({ word: 'mug', weight: 1 })
      expect(placeOf(twice, 'bowl-c')).toBeGreaterThan(placeOf(twice, 'mug-d'))
      expect(twice.results[0]?.product_id).toBe(once.results[0]?.product_id as string)
    },
  )

  test('numbers, single characters and prepositions vote without being named', async () => {
    const other = await app.signIn('pieces')
    for (let n = 0; n < 24; n++) {
      const name = n < 6 ? `women's shoes, for 42 ${n}` : `bowl ${n}`
      const body = { product_id: `p${n}`, image_url: app.picture(name, n < 6 ? 1 : 2), metadata: { name } }
      expect((await app.call('POST', '/v1/products', { token: other, body })).status).toBe(201)
    }
    const { body } = await app.call('POST', '/v1/search/url', { token: other, body: seen })
    const words = body['query_words'] as { word: string }[]
    expect(words.map(({ word }) => word).toSorted()).toEqual(['shoes', 'women', 'womens'])
  })

  test('a store may switch it off, and a request may switch it on again', async () => {
    const patch = (second_look: boolean | null) =>
      app.call('PATCH', '/v1/store/settings', { token, body: { search_defaults: { second_look } } })
    expect((await patch(false)).status).toBe(200)
    expect((await search('url', seen)).query_words).toBeUndefined()
    expect((await search('url', { ...seen, second_look: true })).query_words).toBeDefined()
    await patch(null)
    expect((await search('url', seen)).query_words).toBeDefined()
  })

  test('similar products have it, too', async () => {
    const similar = async (more = '') =>
      (await app.call('GET', `/v1/products/mug-a/similar?limit=25${more}`, { token })).body
    expect((await similar())['query_words']).toEqual([expect.objectContaining({ word: 'mug' })])
    expect((await similar('&second_look=false'))['query_words']).toBeUndefined()
  })

  test.each([
    ['url', { type: 'url', ...seen }],
    ['text', { type: 'text', query: '1' }],
    ['hybrid', { type: 'hybrid', ...seen, query: '1' }],
    ['filtered', { type: 'filtered', ...seen }],
  ])('so has an entry of a batch: %s', async (_, entry) => {
    const { results } = (await search('batch', {
      queries: [entry, { ...entry, second_look: false }],
    })) as unknown as { results: (Awaited<ReturnType<typeof search>> & { status: number })[] }
    const [twice, once] = results
    if (!twice || !once) throw new Error('An entry has no answer')
    expect([twice.status, once.status]).toEqual([200, 200])
    expect(twice.query_words?.[0]?.word).toBe('mug')
    expect(once.query_words).toBeUndefined()
    expect(placeOf(twice, 'bowl-c')).toBeGreaterThan(placeOf(once, 'bowl-c'))
  })

  test.each([
    ['an upload', '', {}],
    ['a part of an upload', '/crop', { crop: '{"x":0,"y":0,"width":1,"height":1}' }],
  ])('so has %s', async (_, path, more) => {
    const ask = async (second_look: boolean) => {
      const body = new FormData()
      body.append('image', new Blob([pictureBytes(1)]), 'p.jpg')
      for (const [name, value] of Object.entries({ ...more, limit: '25', second_look: String(second_look) }))
        body.append(name, value)
      const answer = await app.call('POST', `/v1/search${path}`, { token, body })
      expect(answer.status).toBe(200)
      return answer.body as unknown as Awaited<ReturnType<typeof search>>
    }
    const [once, twice] = [await ask(false), await ask(true)]
    expect(once.query_words).toBeUndefined()
    expect(twice.query_words?.[0]?.word).toBe('mug')
    expect(placeOf(twice, 'bowl-c')).toBeGreaterThan(placeOf(once, 'bowl-c'))
  })

  test.each([
    ['the address of a picture', () => ({ image_url: app.picture('mug query', 1) })],
    ['a product', () => ({ product_id: 'mug-b' })],
  ])('so has a search by %s', async (_, source) => {
    expect((await search('url', source())).query_words?.[0]?.word).toBe('mug')
    expect((await search('url', { ...source(), second_look: false })).query_words).toBeUndefined()
  })

  test('a filter passes only its products to the vote', async () => {
    const filters = [{ field: 'name', operator: 'contains', value: 'f' }]
    const { results } = await search('filtered', { ...seen, filters, explain: true })
    expect(results).toHaveLength(20)
    expect(results[0]?.explain?.legs['second_look']).toBe(0)
  })

  test('words alone: a product that looks otherwise loses, without any names', async () => {
    const other = testApp()
    const admin = await other.signIn()
    for (let n = 0; n < 24; n++) {
      const axes = n < 6 ? [1, 2] : n === 6 ? [1] : [3 + (n % 3)]
      const body = { product_id: `p${n}`, image_url: other.picture(`p${n}`, ...axes) }
      expect((await other.call('POST', '/v1/products', { token: admin, body })).status).toBe(201)
    }
    const ask = async (path: string, body: object) =>
      (await other.call('POST', `/v1/search/${path}`, { token: admin, body: { limit: 24, ...body } }))
        .body as unknown as Awaited<ReturnType<typeof search>>
    const legs = ({ results }: Awaited<ReturnType<typeof search>>) =>
      results.map(({ explain }) => explain?.legs['second_look'] as number)
    const byWords = await ask('text', { query: '2', explain: true })
    expect(byWords.query_words).toBeUndefined()
    expect(legs(byWords)[0]).toBe(0)
    expect(Math.min(...legs(byWords))).toBeLessThan(-0.01)
    expect(legs(await ask('text', { query: '2', explain: true, second_look: false }))).toEqual(
      Array.from({ length: 24 }, () => 0),
    )
    expect(legs(await ask('url', { vector: [0, 0, 1, 0, 0, 0, 0, 0], explain: true }))).toEqual(
      Array.from({ length: 24 }, () => 0),
    )
    await other.close()
  })

  test('a store of no products, and of one', async () => {
    const other = testApp()
    const admin = await other.signIn()
    for (const size of [0, 1]) {
      for (const [path, body] of [
        ...[['url', seen] as const, ['text', { query: '1' }] as const],
        ['hybrid', { ...seen, query: '1' }] as const,
      ]) {
        const answer = await other.call('POST', `/v1/search/${path}`, { token: admin, body })
        expect(answer.status).toBe(200)
        expect(answer.body['results']).toHaveLength(size)
        expect(answer.body['query_words']).toBeUndefined()
      }
      const body = { product_id: 'one', image_url: other.picture('one', 1), metadata: { name: 'mug' } }
      await other.call('POST', '/v1/products', { token: admin, body })
    }
    await other.close()
  })

  test('explain says what a product lost by it', async () => {
    const { results } = await search('url', { ...seen, explain: true })
    const legsOf = (id: string) => results.find(({ product_id }) => product_id === id)?.explain?.legs
    expect(legsOf('mug-a')?.['second_look']).toBe(0)
    expect(legsOf('bowl-c')?.['second_look']).toBeLessThan(0)
    for (const { explain, similarity_score } of results) {
      const sum = Object.values(explain?.legs ?? {}).reduce((all, leg) => all + leg, 0)
      expect(similarity_score).toBeCloseTo(1 / (1 + Math.exp(-10 * (sum - 0.7))), 4)
    }
  })

  test('pages are parts of the whole list', async () => {
    const whole = (await search('url', seen)).results.map(({ product_id }) => product_id)
    const pages = await Promise.all(
      [0, 3, 6].map(async (offset) => (await search('url', { ...seen, limit: 3, offset })).results),
    )
    expect(pages.flat().map(({ product_id }) => product_id)).toEqual(whole.slice(0, 9))
  })

  test('words of no weight leave the vote as it is for the picture alone', async () => {
    const ids = async (path: string, body: object) =>
      (await search(path, body)).results.map(({ product_id, similarity_score }) => [
        product_id,
        similarity_score,
      ])
    expect(await ids('hybrid', { ...seen, query: '1', visual_weight: 1, category_boost: 0 })).toEqual(
      await ids('url', { ...seen, category_boost: 0 }),
    )
  })

  test('422 for anything but true and false', async () => {
    const answer = await app.call('POST', '/v1/search/url', {
      token,
      body: { ...seen, second_look: 'maybe' },
    })
    expect([answer.status, answer.body['error']]).toEqual([422, 'validation_error'])
  })
})
