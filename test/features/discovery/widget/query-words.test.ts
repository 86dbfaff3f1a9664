import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Answer, form, pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { fakeEmbedder } from '../../../support/embedder.ts'
import { makeKey, widgetHeaders } from './widget-shop.ts'

let app: TestApp
let token: string
let key: string

/** A store of mugs and bowls whose names hold a word, and whose metadata hold another one in a field that no search reads. */
beforeAll(async () => {
  const fake = fakeEmbedder()
  app = testApp(
    {
      embedder: {
        ...fake,
        async embedText(text, priority) {
          const doubtfulWords = text.toLowerCase().match(/\p{L}{2,}/gu) ?? []
          return { ...(await fake.embedText(text, priority)), doubtfulWords, words: doubtfulWords.length }
        },
      },
    },
    { TRUSTED_PROXIES: '127.0.0.1/32' },
  )
  token = await app.signIn()
  for (let n = 0; n < 24; n++) {
    const isMug = n < 6
    await app.call('POST', '/v1/products', {
      token,
      body: {
        product_id: `p${n}`,
        image_url: app.picture(`p${n}`, ...(isMug ? [1] : [2 + (n % 3), 5])),
        metadata: {
          name: isMug ? `Steingut TASSE 3 l ${'abcdef'[n]}` : `Schüssel ${'abcdefghijklmnopqrstuvwx'[n]}`,
          brand: isMug ? 'Hütte' : 'Andere',
          tags: isMug ? ['lieferant', 'lieferant'] : [],
          supplier: isMug ? 'geheimrat' : 'niemand',
        },
      },
    })
  }
  key = (await makeKey(app, token)).key
})
afterAll(() => app.close())

const ask = (use: string, body: unknown, by = key): Promise<Answer> =>
  app.call('POST', `/v1/widget/search/${use}`, { headers: widgetHeaders(by), body })

const picture = (fields: Record<string, string> = {}) => form({ image: pictureBytes(1), ...fields })

/** Everything that a page can ask for. */
const askAll = async (by: string) => {
  const first = await ask('upload', picture({ explain: 'true' }), by)
  return [
    first,
    await ask('upload', picture({ query: 'tasse', second_look: 'true' }), by),
    await ask('url', { image_id: first.body['image_id'], explain: true, second_look: true }, by),
    await ask('url', { product_id: 'p0', fields: ['name', 'brand', 'tags', 'supplier'] }, by),
    await ask(
      'text',
      { query: 'tase huette hüte lieferent geheimrot', explain: true, facets: ['brand'] },
      by,
    ),
    await ask('text', { query: 'steingt', limit: 1 }, by),
  ]
}

const keep = (private_metadata: string[]) =>
  app.call('PATCH', '/v1/store/settings', { token, body: { private_metadata } })

describe('the words of the first hits, told to a page (contract 10.1)', () => {
  test('are spelt as the results spell them', async () => {
    const { status, body } = await ask('upload', picture())
    expect(status).toBe(200)
    const words = (body['query_words'] as { word: string; weight: number }[]).map(({ word }) => word)
    expect(words.toSorted()).toEqual(['Hütte', 'Steingut', 'TASSE', 'lieferant'])
    expect((await ask('text', { query: 'steingt' })).body['did_you_mean']).toBe('steingut')
  })

  test('and what a query meant never come from a field that no search reads', async () => {
    for (const { status, body } of await askAll(key)) {
      expect(status).toBe(200)
      const { results, ...rest } = body as { results: { metadata: object }[] }
      expect(JSON.stringify(rest)).not.toMatch(/geheimrat/i)
      expect(results.every((result) => !('explain' in result))).toBe(true)
    }
  })

  test.each([
    ['name', /steingut|tasse/i],
    ['metadata.brand', /h[uü]e?tte[^n]/i],
    ['tags', /lieferant/i],
  ])('are not told at all where the %s of products is private', async (field, secret) => {
    await keep([field, 'supplier'])
    try {
      for (const { status, body } of await askAll(key)) {
        expect(status).toBe(200)
        expect(body['query_words']).toBeUndefined()
        expect(body['did_you_mean']).toBeUndefined()
        const answer = JSON.stringify({ ...body, warnings: [] })
        expect(answer).not.toMatch(secret)
        expect(answer).not.toMatch(/geheimrat/i)
      }
    } finally {
      await keep([])
    }
  })

  test('are not told to a key that sees only some products', async () => {
    const { key: narrow } = await makeKey(app, token, {
      forced_filters: [{ field: 'brand', operator: 'eq', value: 'Andere' }],
    })
    for (const { body } of await askAll(narrow)) {
      expect(body['query_words']).toBeUndefined()
      expect(body['did_you_mean']).toBeUndefined()
      expect(JSON.stringify(body)).not.toMatch(/steingut|lieferant|geheimrat/i)
    }
  })
})
