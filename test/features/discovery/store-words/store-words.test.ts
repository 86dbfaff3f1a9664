import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../support/app.ts'
import { fakeEmbedder } from '../../../support/embedder.ts'
import { makeKey, widgetHeaders } from '../widget/widget-shop.ts'

interface Found {
  results: { product_id: string; similarity_score: number; explain?: { matched_words: object[] } }[]
  redirect_url?: string
  did_you_mean?: string
  warnings?: string[]
}

let app: TestApp
let token: string
let other: string
let embedded: string[]

beforeEach(async () => {
  embedded = []
  const fake = fakeEmbedder()
  app = testApp(
    {
      embedder: {
        ...fake,
        embedText(text, priority) {
          embedded.push(text)
          return fake.embedText(text, priority)
        },
      },
    },
    { TRUSTED_PROXIES: '127.0.0.1/32' },
  )
  token = await app.signIn('one')
  other = await app.signIn('two')
  for (const [product_id, metadata] of [
    ['mug', { name: 'Red mug', category: 'Mugs' }],
    ['lamp', { name: 'Lamp', category: 'Lamps' }],
    ['sofa', { name: 'Grey corner sofa', category: 'Sofas' }],
  ] as const)
    await app.call('POST', '/v1/products', {
      token,
      body: { product_id, image_url: app.picture(product_id, 1), metadata },
    })
})
afterEach(() => app.close())

const call = (method: string, body?: object, { path = '', as = token, headers = {} } = {}) =>
  app.call(method, `/v1/store/words${path}`, { token: as, headers, ...(body && { body }) })
const put = (body: object, options = {}) => call('PUT', body, options)
const add = (body: object, options = {}) => call('POST', body, { path: '/synonyms', ...options })

async function search(query: string, more: object = {}, verb = 'text', as = token): Promise<Found> {
  const answer = await app.call('POST', `/v1/search/${verb}`, { token: as, body: { query, ...more } })
  expect(answer.status).toBe(200)
  return answer.body as unknown as Found
}
const first = async (query: string, as?: string) =>
  (await search(query, {}, 'text', as)).results[0]?.product_id

test('of long lists that come at once, one store puts as many as its share of memory holds', async () => {
  const synonyms = Array.from({ length: 2_000 }, (_, n) => ({ words: [`one${n}`, `other${n}`] }))
  const statuses = await Promise.all(Array.from({ length: 4 }, async () => (await put({ synonyms })).status))
  expect(new Set(statuses)).toEqual(new Set([200, 503]))
  expect((await put({ synonyms })).status).toBe(200)
})

describe('the words of a store (contract 3.19)', () => {
  test('are read as they were put, without what was said twice', async () => {
    const empty = { synonyms: [], redirects: [], ignore: [] }
    expect((await call('GET')).body).toEqual(empty)
    const words = {
      synonyms: [
        { words: ['Sofa', 'couch', 'SOFA'] },
        { words: ['tee'], to: ['t-shirt', 'T-Shirt'] },
        { words: ['sofa', 'Couch'] },
      ],
      redirects: [
        { words: 'Returns', url: '/returns' },
        { words: 'returns', url: '/returns' },
      ],
      ignore: ['cheap', 'Cheap', '<b>'],
    }
    const kept = {
      synonyms: [{ words: ['Sofa', 'couch'] }, { words: ['tee'], to: ['t-shirt'] }],
      redirects: [{ words: 'Returns', url: '/returns' }],
      ignore: ['cheap', '<b>'],
    }
    const answer = await put(words)
    expect([answer.status, answer.body]).toEqual([200, kept])
    expect((await call('GET')).body).toEqual(kept)
    expect((await call('GET', undefined, { as: other })).body).toEqual(empty)
    expect((await put({})).body).toEqual(empty)
    expect((await call('GET')).body).toEqual(empty)
  })

  test('are not overwritten by who has not seen the last change', async () => {
    const { headers } = await call('GET')
    const seen = { headers: { 'if-match': headers.get('etag') as string } }
    const changed = await put({ ignore: ['cheap'] }, seen)
    expect(changed.status).toBe(200)
    expect(await put({ ignore: ['dear'] }, seen)).toMatchObject({
      status: 409,
      body: { error: 'conflict', details: { etag: changed.headers.get('etag') } },
    })
    expect((await call('GET')).headers.get('etag')).toBe(changed.headers.get('etag') as string)
  })

  test('grow by a group at a time, each once, up to a limit', async () => {
    await put({ synonyms: [{ words: ['b', 'c'] }] })
    const group = { words: ['couch', 'settee'], to: ['sofa'] }
    expect(await add(group)).toMatchObject({ status: 201, body: group })
    expect((await add({ words: ['Couch', 'settee'], to: ['Sofa'] })).status).toBe(201)
    expect((await call('GET')).body['synonyms']).toEqual([{ words: ['b', 'c'] }, group])
    const words = (n: number) => Array.from({ length: 48 }, (_, at) => `w${n}n${at}`)
    const synonyms = Array.from({ length: 2_000 }, (_, n) => ({ words: [`a${n}`, `b${n}`, ...words(n)] }))
    expect((await put({ synonyms })).status).toBe(200)
    expect(await add(group)).toMatchObject({ status: 409, body: { details: { limit: 2_000 } } })
    expect(await add({ words: ['a7', 'b7', ...words(7)] })).toMatchObject({ status: 201 })
  })

  const many = (count: number) => Array.from({ length: count }, (_, n) => `w${n}`)
  test.each<[body: object, pointer: string, code: string]>([
    [{ synonyms: [{ words: many(500) }] }, '/synonyms/0/words', 'max_items'],
    [{ synonyms: [{ words: ['a', 'b'] }, { words: many(2), to: many(51) }] }, '/synonyms/1/to', 'max_items'],
    [{ synonyms: [{ words: ['sofa'] }] }, '/synonyms/0/words', 'min_items'],
    [{ synonyms: [{ words: ['sofa', 'SOFA'] }] }, '/synonyms/0/words', 'min_items'],
    [{ synonyms: [{ words: [] }] }, '/synonyms/0/words', 'min_items'],
    [{ synonyms: [{ words: ['sofa'], to: [] }] }, '/synonyms/0/to', 'min_items'],
    [{ synonyms: [{ words: ['sofa', '!?'] }] }, '/synonyms/0/words/1', 'pattern'],
    [{ synonyms: [{ words: ['sofa', 'a b c d e f'] }] }, '/synonyms/0/words/1', 'max'],
    [{ synonyms: [{ words: ['sofa', 'x'.repeat(101)] }] }, '/synonyms/0/words/1', 'max_length'],
    [{ synonyms: [{ words: ['sofa', 'a\nb'] }] }, '/synonyms/0/words/1', 'pattern'],
    [{ synonyms: [{ words: ['sofa', 7] }] }, '/synonyms/0/words/1', 'type'],
    [{ synonyms: Array.from({ length: 2_001 }, () => ({ words: ['a', 'b'] })) }, '/synonyms', 'max_items'],
    [{ synonyms: {} }, '/synonyms', 'type'],
    [{ redirects: [{ words: 'a', url: 'javascript:alert(1)' }] }, '/redirects/0/url', 'url'],
    [{ redirects: [{ words: 'a', url: '//evil.example' }] }, '/redirects/0/url', 'url'],
    [{ redirects: [{ words: 'a', url: 'https://me:pw@shop.example' }] }, '/redirects/0/url', 'url'],
    [{ redirects: [{ words: 'a', url: `/${'x'.repeat(2_000)}` }] }, '/redirects/0/url', 'max_length'],
    [{ redirects: [{ words: '…', url: '/' }] }, '/redirects/0/words', 'pattern'],
    [
      {
        redirects: [
          { words: 'sale', url: '/a' },
          { words: 'Sale', url: '/b' },
        ],
      },
      '/redirects/1/words',
      'duplicate',
    ],
    [{ ignore: many(2_001) }, '/ignore', 'max_items'],
    [{ ignore: ['—'] }, '/ignore/0', 'pattern'],
    [{ synonym: [] }, '/synonym', 'unknown'],
  ])('refuses %j', async (body, pointer, code) => {
    await put({ ignore: ['kept'] })
    expect(await put(body)).toMatchObject({
      status: 422,
      body: { error: 'validation_error', details: { errors: [{ in: 'body', pointer, code }] } },
    })
    expect((await call('GET')).body['ignore']).toEqual(['kept'])
  })

  test('are told to the audit', async () => {
    await put({ ignore: ['cheap'] })
    await add({ words: ['sofa', 'couch'] })
    const { body } = await app.call('GET', '/v1/security/audit?action=store.words_changed', { token })
    expect((body['events'] as { details: object }[]).map(({ details }) => details)).toEqual([
      { added: ['sofa', 'couch'] },
      { synonyms: 0, redirects: 0, ignore: 1 },
    ])
  })

  test('go with the store', async () => {
    await put({ ignore: ['cheap'] })
    app.db.prepare('DELETE FROM stores WHERE slug = ?').run('one')
    expect(app.db.prepare('SELECT count(*) FROM store_words').pluck().get()).toBe(0)
  })
})

describe('a search', () => {
  test('finds by a synonym what products call otherwise, from the next one on', async () => {
    // The oldest product is the first where nothing is known.
    expect(await first('couch')).not.toBe('sofa')
    await put({ synonyms: [{ words: ['sofa', 'couch'] }] })
    const { results } = await search('couches', { explain: true })
    expect(results[0]).toMatchObject({
      product_id: 'sofa',
      explain: {
        matched_words: [
          { word: 'couches', field: 'name' },
          { word: 'couches', field: 'category' },
        ],
      },
    })
    const { results: asSofa } = await search('sofa')
    expect(asSofa[0]?.product_id).toBe('sofa')
    await put({})
    expect(await first('couch')).not.toBe('sofa')
  })

  test('obeys the words of its own store alone', async () => {
    await put({ synonyms: [{ words: ['sofa', 'couch'] }] }, { as: other })
    expect(await first('couch')).not.toBe('sofa')
  })

  test('gives the model at most four texts, each once for all searches', async () => {
    await put({ synonyms: [{ words: ['couch', 'sofa', 'settee', 'divan', 'lounge'] }] })
    await search('grey couch')
    expect(embedded).toEqual(['grey couch', 'grey sofa', 'grey settee', 'grey divan'])
    await search('grey couch')
    await search('grey sofa')
    expect(embedded).toHaveLength(4)
  })

  test('gives the model the mean of the variants', async () => {
    const score = async (query: string) =>
      (await search(query, { second_look: false })).results.find(({ product_id }) => product_id === 'lamp')
        ?.similarity_score ?? 0
    const [near, far] = [await score('1 zq'), await score('2 zq')]
    await put({ synonyms: [{ words: ['2'], to: ['1'] }] })
    const between = await score('2 zq')
    expect(between).toBeGreaterThan(far)
    expect(between).toBeLessThan(near)
  })

  test('of a word that has a synonym is neither a guess nor a typo', async () => {
    const before = await search('blorf')
    expect(before.warnings).toEqual(['unknown_words: blorf'])
    await put({ synonyms: [{ words: ['blorf'], to: ['sofa'] }] })
    const { results, warnings, did_you_mean } = await search('blorf')
    expect([results[0]?.product_id, warnings, did_you_mean]).toEqual(['sofa', undefined, undefined])
  })

  test('leaves ignored words out, and is logged as it was typed', async () => {
    await put({ ignore: ['cheap'] })
    await search('cheap red mug')
    expect(embedded).toEqual(['red mug'])
    const { body } = await app.call('GET', '/v1/search/history', { token })
    expect(body['searches']).toMatchObject([{ query: 'cheap red mug' }])
    await search('cheap')
    expect(embedded).toEqual(['red mug', 'cheap'])
  })

  test('says where the shop leads a query to, for words alone', async () => {
    await put({ redirects: [{ words: 'returns', url: 'https://shop.example/returns' }], ignore: ['the'] })
    const url = 'https://shop.example/returns'
    expect((await search('The Returns')).redirect_url).toBe(url)
    expect((await search('returns', {}, 'hybrid')).redirect_url).toBe(url)
    expect((await search('returns', {}, 'filtered')).redirect_url).toBe(url)
    expect((await search('returns', { product_id: 'mug' }, 'hybrid')).redirect_url).toBeUndefined()
    expect((await search('returns', { colors: ['#cc0000'] }, 'hybrid')).redirect_url).toBeUndefined()
    expect((await search('returns policy')).redirect_url).toBeUndefined()
    expect((await search('returns', {}, 'text', other)).redirect_url).toBeUndefined()
  })
})

describe('a widget', () => {
  const ask = async (key: string, query: string) => {
    const { body } = await app.call('POST', '/v1/widget/search/text', {
      body: { query },
      headers: widgetHeaders(key),
    })
    return body as unknown as Found
  }

  test('gets the redirect and the synonyms', async () => {
    const { key } = await makeKey(app, token)
    await put({
      redirects: [{ words: 'returns', url: '/returns' }],
      synonyms: [{ words: ['couch', 'sofa'] }],
    })
    expect((await ask(key, 'returns')).redirect_url).toBe('/returns')
    expect((await ask(key, 'couch')).results[0]?.product_id).toBe('sofa')
  })

  test('of a store that hides a field of words learns nothing of these by synonyms', async () => {
    const { key } = await makeKey(app, token)
    await app.call('PATCH', '/v1/store/settings', { token, body: { private_metadata: ['name', 'category'] } })
    const scores = async () =>
      (await ask(key, 'couch')).results.map(({ similarity_score }) => similarity_score)
    await put({ synonyms: [{ words: ['couch', 'sofa'] }] })
    const held = await scores()
    await put({ synonyms: [{ words: ['couch', 'unheld'] }] })
    // Both synonyms have the same vector for this model, so only the words of products could tell them apart.
    expect(await scores()).toEqual(held)
    expect(new Set(held).size).toBe(1)
  })
})
