import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ApiError } from '../../../../src/core/errors.ts'
import { addSuggestions } from '../../../../src/features/discovery/analytics/suggestions.ts'
import { createSuggestWords } from '../../../../src/features/discovery/search/suggested-words.ts'
import { type TestApp, testApp } from '../../../support/app.ts'

describe('suggested words', () => {
  const suggest = (found: object, query = 'Cóuch rug') =>
    createSuggestWords({ byText: async () => found })('one', query)

  test('are those spelt nearly so, then those of near products, without what was said', async () => {
    const query_words = ['sofa', 'rug', 'grey', 'couch', 'seat', 'oak', 'coach'].map((word) => ({
      word,
      weight: 1,
    }))
    expect(await suggest({ did_you_mean: 'coach rug', query_words })).toEqual([
      'coach',
      'sofa',
      'grey',
      'seat',
      'oak',
    ])
    expect(await suggest({})).toEqual([])
  })

  test('are looked for in a search that counts nowhere', async () => {
    const asked: unknown[] = []
    await createSuggestWords({
      byText: async (...args) => {
        asked.push(args)
        return {}
      },
    })('one', 'couch')
    expect(asked).toMatchObject([
      [
        { storeId: 'one', isUnlogged: true },
        { query: 'couch', threshold: 0 },
      ],
    ])
  })

  const zeros = Array.from({ length: 12 }, (_, n) => ({ query: `q${n}`, searches: 1 }))

  test('are given to the first ten queries', async () => {
    const clock = { now: () => 0, monotonic: () => 0 }
    const suggestWords = async (_: string, query: string) => [`for ${query}`]
    const found = await addSuggestions({ clock, suggestWords }, 'one', zeros)
    expect(found[9]).toEqual({ query: 'q9', searches: 1, suggested_words: ['for q9'] })
    expect(found[10]).toEqual({ query: 'q10', searches: 1 })
  })

  test('end after a second, and are none where the model is busy', async () => {
    let now = 0
    const clock = { now: () => 0, monotonic: () => now }
    const found = await addSuggestions(
      {
        clock,
        async suggestWords(_, query) {
          now += 400
          if (query === 'q1') throw new ApiError('overloaded', 'The model is busy')
          return ['near']
        },
      },
      'one',
      zeros,
    )
    expect(found.map(({ suggested_words }) => suggested_words?.length ?? 0).slice(0, 5)).toEqual([
      1, 0, 1, 0, 0,
    ])
  })
})

describe('a query without results', () => {
  let app: TestApp
  let token: string
  beforeAll(async () => {
    app = testApp()
    token = await app.signIn('one')
    for (let n = 0; n < 24; n++) {
      const [name, axis] = n % 2 === 0 ? ['Soft sofa', 1] : ['Oak lamp', 2]
      const body = { product_id: `p${n}`, image_url: app.picture(`p${n}`, axis), metadata: { name } }
      await app.call('POST', '/v1/products', { token, body })
    }
  })
  afterAll(() => app.close())

  test('carries the words of the products that come nearest, and one call makes one a synonym', async () => {
    const search = async (query: string) => {
      const body = { query, category: 'none', session_id: 's' }
      expect((await app.call('POST', '/v1/search/text', { token, body })).body['count']).toBe(0)
    }
    await search('couch 1')
    const read = async () => (await app.call('GET', '/v1/search/analytics', { token })).body
    const { zero_result_queries, searches } = await read()
    expect(zero_result_queries).toEqual([
      { query: 'couch 1', searches: 1, suggested_words: ['soft', 'sofa'] },
    ])
    expect(searches).toMatchObject({ total: 1 })
    expect(((await read())['searches'] as { total: number }).total).toBe(1)
    const group = { words: ['couch', 'sofa'] }
    const made = await app.call('POST', '/v1/store/words/synonyms', { token, body: group })
    expect(made.status).toBe(201)
    const found = await app.call('POST', '/v1/search/text', {
      token,
      body: { query: 'couch', explain: true },
    })
    expect((found.body['results'] as { metadata: { name: string } }[])[0]?.metadata.name).toBe('Soft sofa')
  })
})
