import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { warnOfUnknownWords } from '../../../../src/features/discovery/search/warnings.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { fakeEmbedder } from '../../../support/embedder.ts'
import { makeKey, widgetHeaders } from '../widget/widget-shop.ts'

/** Words that the model of these tests has seen. */
const SEEN = ['red', 'mug', 'blue', 'lamp']

let app: TestApp
let token: string

beforeAll(async () => {
  const fake = fakeEmbedder()
  app = testApp(
    {
      embedder: {
        ...fake,
        async embedText(text, priority) {
          const words = [...new Set(text.toLowerCase().match(/\p{L}{2,}/gu))]
          const unknownWords = words.filter((word) => !SEEN.includes(word))
          const unknownShare = words.length === 0 ? 1 : unknownWords.length / words.length
          const doubtfulWords = unknownWords
          const known = {
            unknownWords,
            doubtfulWords,
            words: words.length,
            unknownShare,
            isUnknown: unknownShare === 1,
          }
          return { ...(await fake.embedText(text, priority)), ...known }
        },
      },
    },
    { TRUSTED_PROXIES: '127.0.0.1/32' },
  )
  token = await app.signIn('one')
  for (const [product_id, metadata] of [
    ['a', { name: 'Teekanne Größe 2', brand: 'Hütte' }],
    ['b', { name: 'Ledertasche', category: 'Taschen' }],
  ] as const)
    await app.call('POST', '/v1/products', {
      token,
      body: { product_id, image_url: app.picture(product_id, 1), metadata },
    })
})
afterAll(() => app.close())

const warnings = async (verb: string, body: object) => {
  const answer = await app.call('POST', `/v1/search/${verb}`, { token, body })
  expect(answer.status).toBe(200)
  return answer.body['warnings']
}

describe('words that nobody knows (contract 3.5)', () => {
  test.each<[query: string, warning: string | undefined]>([
    ['red mug', undefined],
    ['zxqv plomb', 'unknown_words: zxqv, plomb'],
    ['Czajnik elektryczny', 'unknown_words: czajnik, elektryczny'],
    // Half of the words are enough, fewer are not.
    ['mug plomb', 'unknown_words: plomb'],
    ['red mug plomb', undefined],
    // The store's own words, with their cases, accents, beginnings, ends and typos.
    ['teekanne', undefined],
    ['GRÖSSE', undefined],
    ['tasche', undefined],
    ['Teekane', undefined],
    ['teekanne plomb', 'unknown_words: plomb'],
    ['teekanne tasche plomb', undefined],
    ['8080', 'unknown_words: 8080'],
    ['x', 'unknown_words: x'],
    ['2', undefined],
  ])('%s: %p', async (query, warning) => {
    expect(await warnings('text', { query })).toEqual(warning === undefined ? undefined : [warning])
  })

  test('are named by every search that takes words', async () => {
    const query = 'zxqv plomb'
    const warning = ['unknown_words: zxqv, plomb']
    const vector = [1, 0, 0, 0, 0, 0, 0, 0]
    expect(await warnings('hybrid', { query })).toEqual(warning)
    expect(await warnings('hybrid', { query, vector })).toEqual(warning)
    expect(await warnings('filtered', { query })).toEqual(warning)
    expect(await warnings('fusion', { query, vector })).toEqual(warning)
    expect(await warnings('url', { vector })).toBeUndefined()
    const { body } = await app.call('POST', '/v1/search/batch', {
      token,
      body: {
        queries: [
          { type: 'text', query },
          { type: 'text', query: 'red mug' },
        ],
      },
    })
    expect((body['results'] as { warnings?: string[] }[]).map((result) => result.warnings)).toEqual([
      warning,
      undefined,
    ])
    const empty = await app.signIn('two')
    const none = await app.call('POST', '/v1/search/text', { token: empty, body: { query: 'teekanne mug' } })
    expect(none.body['warnings']).toEqual(['unknown_words: teekanne'])
  })

  test('are told to a page, unless they would tell it of what it must not see', async () => {
    const ask = async (key: string, query: string) =>
      (
        await app.call('POST', '/v1/widget/search/text', {
          headers: widgetHeaders(key),
          body: { query },
        })
      ).body['warnings']
    const { key } = await makeKey(app, token)
    expect(await ask(key, 'zxqv plomb')).toEqual(['unknown_words: zxqv, plomb'])
    expect(await ask(key, 'teekanne')).toBeUndefined()
    const forced_filters = [{ field: 'brand', operator: 'eq', value: 'Acme' }]
    const { key: narrow } = await makeKey(app, token, { forced_filters })
    expect([await ask(narrow, 'zxqv'), await ask(narrow, 'teekanne')]).toEqual([undefined, undefined])
    await app.call('PATCH', '/v1/store/settings', { token, body: { private_metadata: ['brand'] } })
    expect([await ask(key, 'zxqv'), await ask(key, 'hütte')]).toEqual([undefined, undefined])
    await app.call('PATCH', '/v1/store/settings', { token, body: { private_metadata: [] } })
  })

  test('give guesses by every way to ask: scores of at most 0.3, and a warning', async () => {
    const query = 'zxqv plomb'
    interface Guess {
      results: { product_id: string; similarity_score: number }[]
      warnings?: string[]
    }
    const ask = async (verb: string, body: object) =>
      (await app.call('POST', `/v1/search/${verb}`, { token, body })).body as unknown as Guess
    const { key } = await makeKey(app, token)
    const headers = widgetHeaders(key)
    const widget = await app.call('POST', '/v1/widget/search/text', { headers, body: { query } })
    const batch = (await ask('batch', { queries: [{ type: 'text', query }] })) as unknown as {
      results: Guess[]
    }
    const guesses = [
      await ask('text', { query }),
      await ask('text', { query, category: 'Taschen' }),
      await ask('text', { query, second_look: false, exact: true }),
      await ask('hybrid', { query }),
      await ask('hybrid', { query, colors: ['#cc2200'] }),
      await ask('filtered', { query }),
      batch.results[0] as Guess,
      widget.body as unknown as Guess,
    ]
    for (const { results, warnings: said } of guesses) {
      expect(results.length).toBeGreaterThan(0)
      for (const { similarity_score } of results) expect(similarity_score).toBeLessThanOrEqual(0.3)
      expect(said).toEqual(['unknown_words: zxqv, plomb'])
    }
    expect((await ask('text', { query, threshold: 0.31 })).results).toEqual([])
  })

  test('say nothing beside a picture, which alone decides then', async () => {
    const vector = [1, 0, 0, 0, 0, 0, 0, 0]
    const ask = async (verb: string, body: object) =>
      (await app.call('POST', `/v1/search/${verb}`, { token, body })).body as {
        results?: unknown
        warnings?: string[]
      }
    const alone = await ask('url', { vector })
    for (const body of [
      { query: 'zxqv plomb', vector },
      { query: 'zxqv', vector, visual_weight: 0.2 },
    ]) {
      const hybrid = await ask('hybrid', body)
      expect(hybrid.results).toEqual(alone.results)
      expect(hybrid.warnings?.[0]).toStartWith('unknown_words: zxqv')
    }
    const { results, warnings: said } = await ask('fusion', { query: 'zxqv plomb', vector })
    const ids = (found: unknown) => (found as { product_id: string }[]).map(({ product_id }) => product_id)
    expect(ids(results)).toEqual(ids(alone.results))
    expect(said).toEqual(['unknown_words: zxqv, plomb'])
  })

  test('are written as the store writes them, where it has a word that is near', async () => {
    const meantBy = async (verb: string, body: object) =>
      (await app.call('POST', `/v1/search/${verb}`, { token, body })).body['did_you_mean']
    const query = 'Red teekane'
    const vector = [1, 0, 0, 0, 0, 0, 0, 0]
    const meant = 'Red teekanne'
    expect(await meantBy('text', { query })).toBe(meant)
    expect(await meantBy('hybrid', { query, vector })).toBe(meant)
    expect(await meantBy('filtered', { query })).toBe(meant)
    expect(await meantBy('fusion', { query, vector })).toBe(meant)
    expect(await meantBy('url', { vector })).toBeUndefined()
    expect(await meantBy('text', { query: 'red mug' })).toBeUndefined()
    expect(await meantBy('text', { query: 'zxqv' })).toBeUndefined()
    const { body } = await app.call('POST', '/v1/search/batch', {
      token,
      body: { queries: [{ type: 'text', query }] },
    })
    expect((body['results'] as { did_you_mean?: string }[])[0]?.did_you_mean).toBe(meant)
    const empty = await app.signIn('three')
    const none = await app.call('POST', '/v1/search/text', { token: empty, body: { query } })
    expect([none.status, none.body['did_you_mean']]).toEqual([200, undefined])
  })

  test('are written with the accents of the results', async () => {
    const answer = await app.call('POST', '/v1/search/text', {
      token,
      body: { query: 'RED huttte', fields: [] },
    })
    expect(answer.body['did_you_mean']).toBe('RED hütte')
  })

  test('lead to no word that a page must not see', async () => {
    const ask = async (key: string, query = 'teekane') => {
      const headers = widgetHeaders(key)
      return (await app.call('POST', '/v1/widget/search/text', { headers, body: { query } })).body
    }
    const { key } = await makeKey(app, token)
    expect((await ask(key))['did_you_mean']).toBe('teekanne')
    const forced_filters = [{ field: 'brand', operator: 'eq', value: 'Acme' }]
    const { key: narrow } = await makeKey(app, token, { forced_filters })
    expect(JSON.stringify(await ask(narrow))).not.toContain('teekanne')
    await app.call('PATCH', '/v1/store/settings', { token, body: { private_metadata: ['name'] } })
    expect(JSON.stringify(await ask(key))).not.toMatch(/teekanne/i)
    await app.call('PATCH', '/v1/store/settings', { token, body: { private_metadata: [] } })
  })

  test('are not named while the words of the products are still being read', () => {
    const words = { listUnheld: (_query: string, asked: readonly string[]) => [...asked] }
    const query = { text: 'plomb', unknownWords: ['plomb'], words: 1 }
    const store = (hasAllWords: boolean) => ({ words: words as never, hasAllWords })
    expect(warnOfUnknownWords(store(false), query)).toEqual([])
    expect(warnOfUnknownWords(store(true), query)).toEqual(['unknown_words: plomb'])
  })

  test('are cut short: at most ten, of forty characters each', () => {
    const unknownWords = Array.from({ length: 30 }, (_, n) => `${n}${'ä'.repeat(60)}`)
    const [warning = ''] = warnOfUnknownWords(undefined, { text: '', unknownWords, words: 30 })
    expect(warning).toEndWith(' and 20 more')
    expect(warning.length).toBeLessThan(460)
  })
})
