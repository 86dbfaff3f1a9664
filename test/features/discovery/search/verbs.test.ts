import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { pictureBytes } from '../../../support/app.ts'
import { idsOf, openShop } from './shop.ts'

let shop: Awaited<ReturnType<typeof openShop>>
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.app.close())

const vector = (...axes: number[]) => Array.from({ length: 8 }, (_, n) => Number(axes.includes(n)))
const plain = { category_boost: 0 }

/** The code of a refusal and the pointer of its first problem. */
async function refusal(path: string, body: unknown) {
  const { status, body: answer } = await shop.call(path, body)
  const { errors = [] } = answer['details'] as { errors?: { pointer: string }[] }
  return [status, answer['error'], errors[0]?.pointer]
}

describe('POST /v1/search/hybrid (contract 3.1, 3.8)', () => {
  test('adds the scores of picture and words by visual_weight', async () => {
    const body = { vector: vector(1), query: '2', explain: true, ...plain }
    const scored = async (visual_weight: number) =>
      new Map(
        (await shop.search('hybrid', { ...body, visual_weight })).results.map((one) => [one.product_id, one]),
      )
    const [words, even, picture] = [await scored(0), await scored(0.5), await scored(1)]
    expect([...picture.keys()][0]).toBe('mug')
    expect([...words.keys()][0]).toBe('lamp')
    expect([...even.keys()][0]).toBe('both')
    const odds = (score = 0) => Math.log(score / (1 - score))
    for (const [id, { similarity_score, explain }] of even) {
      const [one, other] = [picture.get(id)?.similarity_score, words.get(id)?.similarity_score]
      expect(odds(similarity_score)).toBeCloseTo((odds(one) + odds(other)) / 2, 2)
      const sum = (explain?.legs['image'] ?? 0) + (explain?.legs['text'] ?? 0)
      expect(similarity_score).toBeCloseTo(1 / (1 + Math.exp(-10 * (sum - 0.7))), 4)
    }
  })

  test('a side that is missing drops out, whatever the weight', async () => {
    const [alone, weighted] = [
      await shop.search('text', { query: '2', ...plain }),
      await shop.search('hybrid', { query: '2', visual_weight: 0.9, ...plain }),
    ]
    expect(weighted.results).toEqual(alone.results)
    const [picture, hybrid] = [
      await shop.search('url', { vector: vector(1), ...plain }),
      await shop.search('hybrid', { vector: vector(1), visual_weight: 0.1, ...plain }),
    ]
    expect(hybrid.results).toEqual(picture.results)
    // Words that nobody knows say nothing.
    const unknown = await shop.search('hybrid', { vector: vector(1), query: 'blorf', ...plain })
    expect(unknown.results).toEqual(picture.results)
    expect(unknown.warnings).toEqual(['unknown_words: blorf'])
  })

  test.each([
    [{}, 'image_source_invalid', undefined],
    [{ colors: [] }, 'image_source_invalid', undefined],
    [{ vector: vector(1), visual_weight: 1.1 }, 'validation_error', '/visual_weight'],
    [{ query: '1', visual_weight: -0.1 }, 'validation_error', '/visual_weight'],
    [{ query: '1', colors: ['#12'] }, 'validation_error', '/colors/0'],
    [{ query: '1', colors: ['#cc2200', 'reddish'] }, 'validation_error', '/colors/1'],
    [{ query: '1', colors: Array(6).fill('#000000') }, 'validation_error', '/colors'],
    [{ query: '1', product_id: 'mug', vector: vector(1) }, 'image_source_invalid', undefined],
    [{ query: ' ' }, 'validation_error', '/query'],
  ])('422: %j', async (body, code, pointer) => {
    expect(await refusal('hybrid', body)).toEqual([422, code, pointer])
  })

  test('without any part, the answer says what may be sent', async () => {
    const { body } = await shop.call('hybrid', { limit: 5 })
    const allowed = ['image_url', 'image', 'product_id', 'image_id', 'vector', 'query', 'colors']
    expect(body['details']).toMatchObject({ given: [], allowed })
  })
})

describe('POST /v1/search/fusion (contract 3.1, 3.8)', () => {
  test('mixes picture and words into one vector', async () => {
    const first = async (image_weight?: number) =>
      idsOf(await shop.search('fusion', { vector: vector(1), query: '2', image_weight, ...plain }))[0]
    expect([await first(1), await first(), await first(0)]).toEqual(['mug', 'both', 'lamp'])
  })

  test('words that the model does not know leave the picture', async () => {
    const found = await shop.search('fusion', { vector: vector(1), query: 'blorf', ...plain })
    expect(idsOf(found)[0]).toBe('mug')
    expect(found.warnings).toEqual(['unknown_words: blorf'])
  })

  test.each([
    [{ query: '1' }, 'image_source_invalid', undefined],
    [{ vector: vector(1) }, 'validation_error', '/query'],
    [{ vector: vector(1), query: '1', image_weight: 2 }, 'validation_error', '/image_weight'],
    [{ vector: [1], query: '1' }, 'validation_error', '/vector'],
  ])('422: %j', async (body, code, pointer) => {
    expect(await refusal('fusion', body)).toEqual([422, code, pointer])
  })
})

describe('POST /v1/search/multi-image (contract 3.1, 3.8)', () => {
  const images = [{ vector: vector(1) }, { vector: vector(2) }]

  test('average searches with the mean picture', async () => {
    const found = await shop.search('multi-image', { images, ...plain })
    expect(idsOf(found)[0]).toBe('both')
    const matched = new Map(found.results.map((one) => [one.product_id, one.matched_reference]))
    expect([matched.get('mug'), matched.get('lamp')]).toEqual([0, 1])
  })

  test('best counts the reference that a product is nearest to, by its weight', async () => {
    const found = await shop.search('multi-image', { images, aggregation: 'best', ...plain })
    const scores = new Map(found.results.map((one) => [one.product_id, one.similarity_score]))
    expect(scores.get('mug')).toBe(scores.get('lamp') as number)
    expect(scores.get('mug')).toBeGreaterThan(scores.get('both') as number)
    const weighted = await shop.search('multi-image', {
      images: [images[0], { ...images[1], weight: 0.5 }],
      aggregation: 'best',
      ...plain,
    })
    expect(idsOf(weighted).indexOf('mug')).toBeLessThan(idsOf(weighted).indexOf('lamp'))
  })

  test('union takes turns, and every reference is represented', async () => {
    const found = await shop.search('multi-image', { images, aggregation: 'union', limit: 4, ...plain })
    expect(found.results.slice(0, 2).map((one) => [one.product_id, one.matched_reference])).toEqual([
      ['mug', 0],
      ['lamp', 1],
    ])
    expect(new Set(idsOf(found)).size).toBe(4)
    const page = await shop.search('multi-image', {
      images,
      aggregation: 'union',
      limit: 2,
      offset: 2,
      ...plain,
    })
    expect(idsOf(page)).toEqual(idsOf(found).slice(2))
  })

  test.each(['average', 'best', 'union'])('%s turns away from negatives', async (aggregation) => {
    const rank = (ids: string[]) => ids.indexOf('cup')
    const body = { images: [{ vector: vector(1) }, { vector: vector(1, 3) }], aggregation, ...plain }
    const score = async (more: object) =>
      (await shop.search('multi-image', { ...body, ...more })).results.find(
        ({ product_id }) => product_id === 'cup',
      )?.similarity_score ?? 0
    expect(await score({ negative: [{ product_id: 'cup', weight: 0.4 }], threshold: 0 })).toBe(0)
    expect(await score({ negative: [{ vector: vector(1, 4), weight: 0.4 }] })).toBeLessThan(await score({}))
    expect(rank(idsOf(await shop.search('multi-image', body)))).toBeGreaterThanOrEqual(0)
  })

  test('products that the query names are left out', async () => {
    const body = { images: [{ product_id: 'mug' }, { product_id: 'lamp' }], ...plain }
    const found = await shop.search('multi-image', body)
    expect(idsOf(found).includes('mug') || idsOf(found).includes('lamp')).toBe(false)
    expect(found.total_candidates).toBe(4)
  })

  test('image_urls is the short form, and a form repeats the file images', async () => {
    const image_urls = [shop.url(1), shop.url(2)]
    expect(idsOf(await shop.search('multi-image', { image_urls, ...plain }))[0]).toBe('both')
    const body = new FormData()
    for (const axis of [1, 2]) body.append('images', new Blob([pictureBytes(axis)]), 'p.jpg')
    body.append('category_boost', '0')
    expect(idsOf(await shop.search('multi-image', body))[0]).toBe('both')
  })

  test.each([
    [{ images: [{ vector: vector(1) }] }, 'validation_error', '/images'],
    [{}, 'validation_error', '/images'],
    [{ images: Array(11).fill({ vector: vector(1) }) }, 'validation_error', '/images'],
    [{ images: [...images, { vector: vector(1), weight: 1.5 }] }, 'validation_error', '/images/2/weight'],
    [{ images: [{ vector: vector(1) }, {}] }, 'image_source_invalid', undefined],
    [{ images: [{ vector: vector(1) }, { vector: [1] }] }, 'validation_error', '/images/1/vector'],
    [{ images, aggregation: 'sum' }, 'validation_error', '/aggregation'],
    [{ images: [images[0], images[0]], negative: [images[0], images[0]] }, 'validation_error', '/negative'],
  ])('422: %j', async (body, code, pointer) => {
    expect(await refusal('multi-image', body)).toEqual([422, code, pointer])
  })

  test('404 for a product or a picture that is not there', async () => {
    for (const missing of [{ product_id: 'none' }, { image_id: 'none' }]) {
      expect(await refusal('multi-image', { images: [images[0], missing] })).toEqual([
        404,
        'not_found',
        undefined,
      ])
    }
  })
})

describe('which reference of a search by several pictures fails', () => {
  const good = { vector: vector(1) }
  const details = async (body: object) => (await shop.call('multi-image', body)).body

  test.each([
    ['a product that is not there', { images: [good, { product_id: 'none' }] }, 'not_found', '/images/1'],
    [
      'an address that leads nowhere',
      { images: [good, good], negative: [{ image_url: 'https://img.test/none' }] },
      'image_download_failed',
      '/negative/0',
    ],
    ['a picture that is none', { images: [{ image: 'aGVsbG8=' }, good] }, 'image_unreadable', '/images/0'],
    [
      'a short form',
      { image_urls: ['https://img.test/none', 'https://img.test/none'] },
      'image_download_failed',
      '/image_urls/0',
    ],
    ['no source', { images: [good, {}] }, 'image_source_invalid', '/images/1'],
  ])('%s', async (_, body, error, pointer) => {
    expect(await details(body)).toMatchObject({ error, details: { pointer } })
  })

  test('in a batch the pointer begins with the entry', async () => {
    const queries = [{ type: 'multi-image', images: [good, { product_id: 'none' }] }]
    const { results } = (await shop.call('batch', { queries })).body as { results: object[] }
    expect(results).toMatchObject([
      { status: 404, error: 'not_found', details: { pointer: '/queries/0/images/1', resource: 'product' } },
    ])
  })
})

describe('bad filters cost nothing', () => {
  const image_url = 'https://img.test/asked-for'
  const filters = [{ field: 'brand', operator: 'almost', value: 'Acme' }]

  test.each([
    ['url', { image_url, filters }],
    ['hybrid', { image_url, metadata_filters: filters }],
    ['hybrid', { image_url, query: '1', filters }],
    ['filtered', { image_url, filters }],
    ['fusion', { image_url, query: '1', filters }],
    ['crop', { image_url, box: [0, 0, 1, 1], filters }],
    ['multi-image', { image_urls: [image_url, image_url], filters }],
  ])('%s: no picture is asked for', async (path, body) => {
    const before = shop.app.downloads.length
    expect((await shop.call(path, body)).body).toMatchObject({ error: 'filter_operator_unknown' })
    expect(shop.app.downloads.length).toBe(before)
  })
})

describe('POST /v1/search/filtered (contract 3.1, 3.8)', () => {
  const list = async (body: object) => idsOf(await shop.search('filtered', body))

  test('lists without a query, in the order that is asked for', async () => {
    expect(await list({})).toEqual(['both', 'table', 'torch', 'lamp', 'cup', 'mug'])
    expect(await list({ sort: 'popularity' })).toEqual(await list({ sort: 'newest' }))
    expect(await list({ sort: 'price_asc' })).toEqual(['cup', 'mug', 'lamp', 'both', 'table', 'torch'])
    expect(await list({ sort: 'price_desc' })).toEqual(['table', 'both', 'lamp', 'mug', 'cup', 'torch'])
    expect(await list({ category: 'lamps', sort: 'price_asc', limit: 1, offset: 1 })).toEqual(['torch'])
    const found = await shop.search('filtered', { price_max: 30 })
    expect([found.total_candidates, found.results[0]?.similarity_score]).toEqual([3, 1])
  })

  test('popular products come first, then the newest, with a query as well', async () => {
    const tell = (result_product_id: string, action: string) =>
      shop.app.call('POST', '/v1/search/feedback', { token: shop.token, body: { result_product_id, action } })
    await tell('mug', 'add_to_cart')
    await tell('lamp', 'click')
    await tell('gone', 'add_to_cart')
    // They are read once a minute.
    shop.app.clock.advance(60_000)
    expect(await list({ sort: 'popularity' })).toEqual(['mug', 'lamp', 'both', 'table', 'torch', 'cup'])
    expect(await list({ sort: 'popularity', category: 'lamps' })).toEqual(['lamp', 'torch'])
    expect((await list({ query: '2', sort: 'popularity', ...plain }))[0]).toBe('mug')
    for (let n = 0; n < 4; n++) await tell('torch', 'add_to_cart')
    expect((await list({ sort: 'popularity' }))[0]).toBe('mug')
    shop.app.clock.advance(60_000)
    expect((await list({ sort: 'popularity' }))[0]).toBe('torch')
  })

  test('searches with a picture, with words, or with both', async () => {
    expect((await list({ vector: vector(1), ...plain }))[0]).toBe('mug')
    expect((await list({ query: '2', ...plain }))[0]).toBe('lamp')
    expect((await list({ vector: vector(1), query: '2', ...plain }))[0]).toBe('both')
    expect(await list({ query: '2', threshold: 0.4, sort: 'price_desc', ...plain })).toEqual([
      'both',
      'lamp',
      'torch',
    ])
  })

  test('422 for an order that there is not', async () => {
    expect(await refusal('filtered', { sort: 'best' })).toEqual([422, 'validation_error', '/sort'])
  })
})

describe('GET /v1/products/{product_id}/similar (contract 3.1)', () => {
  const similar = (id: string, query = '') =>
    shop.app.call('GET', `/v1/products/${id}/similar${query}`, { token: shop.token })

  test('finds what looks like a product, without the product', async () => {
    const { status, body } = await similar('mug', '?limit=2&category_boost=0&explain=true&fields=price,none')
    expect(status).toBe(200)
    expect(body['results']).toMatchObject([
      { product_id: 'cup', metadata: { price: 8 }, explain: { cosine: expect.any(Number) } },
      { product_id: 'both' },
    ])
    const { body: filtered } = await similar('mug', '?price_min=40&analytics=false&tags=a,b')
    expect(filtered['total_candidates']).toBe(2)
  })

  test('404 for another product, 422 for a bad parameter', async () => {
    expect((await similar('none')).body).toMatchObject({
      error: 'not_found',
      details: { resource: 'product' },
    })
    for (const query of ['?limit=0', '?limit=101', '?offset=999', '?threshold=2', '?explain=1']) {
      expect([query, (await similar('mug', query)).status]).toEqual([query, 422])
    }
  })
})

describe('common parameters (contract 3.2)', () => {
  test('group_by keeps the best result of each value and counts the others', async () => {
    const { results } = await shop.search('url', { vector: vector(1), group_by: 'brand', ...plain })
    expect(results.map(({ product_id, group }) => [product_id, group])).toEqual([
      ['mug', { value: 'Acme', count: 2 }],
      ['both', { value: 'Zed', count: 3 }],
      ['table', undefined],
    ])
  })

  test('diversity moves look-alikes down', async () => {
    const ids = idsOf(await shop.search('url', { vector: vector(1), ...plain }))
    expect(ids.slice(0, 2)).toEqual(['mug', 'cup'])
    const diverse = idsOf(await shop.search('url', { vector: vector(1), diversity: 0.6, ...plain }))
    expect(diverse[0]).toBe('mug')
    expect(diverse[1]).not.toBe('cup')
    expect([...diverse].sort()).toEqual([...ids].sort())
  })

  test('a category that no product has is told', async () => {
    const found = await shop.search('text', { query: '1', category: 'lamp' })
    expect(found.warnings).toEqual(["no product has the category 'lamp'; did you mean 'Lamps'?"])
  })

  test('a product between two long categories is no neighbour of a misspelt one', async () => {
    const found = await shop.search('text', { query: '1', category: 'x'.repeat(200) })
    expect(found.warnings).toEqual([`no product has the category '${'x'.repeat(60)}'`])
  })

  test.each(['no\\', '\\', 'a"b', 'a\0b', '\ud800', 'a..b', '$', "a'b"])(
    'group_by takes %j, which no product has',
    async (group_by) => {
      const { results } = await shop.search('url', { vector: vector(1), group_by, ...plain })
      expect(results).toHaveLength(6)
      for (const { group } of results) expect(group).toBeUndefined()
    },
  )

  test('query_categories say what a picture shows, and steer it', async () => {
    const found = await shop.search('url', { image_url: shop.url(2, 6), explain: true })
    expect(found.query_categories?.[0]?.name).toBe('Lamps')
    expect(found.regions).toEqual([
      { box: { x: 0.25, y: 0.25, width: 0.5, height: 0.5 }, score: 1, category: 'Lamps' },
    ])
    const legs = new Map(found.results.map((one) => [one.product_id, one.explain?.legs['category']]))
    expect(legs.get('lamp')).toBe(0)
    expect(legs.get('mug')).toBeLessThan(0)
  })
})

describe('GET /v1/products/{product_id}/similar (contract 3.1, 3.2)', () => {
  const similar = (parameters: Record<string, string>) =>
    shop.app.call('GET', `/v1/products/mug/similar?${new URLSearchParams(parameters)}`, { token: shop.token })

  test.each(['brand,category', '["brand","category"]', ' ["brand", "category"]'])(
    'takes the list %s',
    async (facets) => {
      const { body } = await similar({ facets, fields: 'brand' })
      expect(Object.keys(body['facets'] as object)).toEqual(['brand', 'category'])
      for (const { metadata } of body['results'] as { metadata: object }[])
        expect(Object.keys(metadata).filter((key) => key !== 'brand')).toEqual([])
    },
  )

  test('warns of fields that it does not know, and of none that it does', async () => {
    expect((await similar({ treshold: '0.1' })).body['warnings']).toEqual([
      "the unknown field 'treshold' was ignored; did you mean 'threshold'?",
    ])
    expect((await similar({ threshold: '0.1' })).body['warnings']).toBeUndefined()
  })

  test.each([
    ['tags', 'a,b,c,d,e,f,g,h,i,j,k', '/tags'],
    ['facets', '["a"', '/facets'],
    ['facets', '[1]', '/facets/0'],
  ])('422 for %s=%s', async (name, value, pointer) => {
    const { status, body } = await similar({ [name]: value })
    expect([status, body['error']]).toEqual([422, 'validation_error'])
    expect(body['details']).toMatchObject({ errors: [{ in: 'query', pointer }] })
  })
})
