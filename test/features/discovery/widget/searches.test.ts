import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { form } from '../../../support/app.ts'
import { idsOf, makeKey, openWidgetShop, refusalOf, type WidgetShop, widgetHeaders } from './widget-shop.ts'

let shop: WidgetShop

beforeEach(async () => {
  shop = await openWidgetShop()
})
afterEach(() => shop.app.close())

const pointersOf = ({ body }: { body: Record<string, unknown> }) =>
  ((body['details'] as { errors?: { pointer: string }[] }).errors ?? []).map(({ pointer }) => pointer)

/** A widget's list ends where the scores drop, unless it asks for all. */
const UNCUT = { cutoff: 'none' }

describe('POST /v1/widget/search/text (contract 10.1)', () => {
  test('200: the products, best first, and nothing that only a backend needs', async () => {
    const { status, headers, body } = await shop.call('text', { query: 'mugs', limit: 2 })
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(Object.keys(body).sort()).toEqual(
      ['count', 'exact', 'interpreted', 'query_time_ms', 'results', 'search_id', 'total_candidates'].sort(),
    )
    expect(idsOf(body['results'] as never)).toEqual(['mug', 'cup'])
    expect(Object.keys((body['results'] as object[])[0] ?? {}).sort()).toEqual(
      ['product_id', 'similarity_score', 'metadata', 'image_url', 'matched_image'].sort(),
    )
  })

  test('the pre-filters apply', async () => {
    expect(
      idsOf((await shop.find('text', { query: 'mugs', category: 'Lamps', ...UNCUT })).results).sort(),
    ).toEqual(['lamp', 'torch'])
    const cheap = { query: 'mugs', price_min: 9, price_max: 40, ...UNCUT }
    expect(idsOf((await shop.find('text', cheap)).results).sort()).toEqual(['lamp', 'mug'])
  })

  test('all other parameters of a search are ignored', async () => {
    const plain = await shop.find('text', { query: 'mugs' })
    const more = {
      filters: [{ field: 'brand', operator: 'nope', value: 'Acme' }],
      ...{ group_by: 'brand', explain: true, fields: ['price'] },
      ...{ vector: [1, 2], product_id: 'mug', analytics: false, diversity: 9, tags: 7, colour: 'red' },
    }
    const found = await shop.find('text', { query: 'mugs', ...more })
    expect(found.results).toEqual(plain.results)
    expect(Object.keys(found).sort()).toEqual(Object.keys(plain).sort())
  })

  test.each<[body: object, pointers: string[]]>([
    [{}, ['/query']],
    [{ query: '' }, ['/query']],
    [{ query: 'x'.repeat(501) }, ['/query']],
    [{ query: 'mugs', limit: 51 }, ['/limit']],
    [{ query: 'mugs', limit: 0 }, ['/limit']],
    [{ query: 'mugs', session_id: 'x'.repeat(65) }, ['/session_id']],
    [{ query: 'mugs', price_min: 'cheap' }, ['/price_min']],
    [{ query: 'mugs', price_min: 2, price_max: 1 }, ['/price_max']],
    [{ query: 'mugs', color: '#12345g' }, ['/color']],
  ])('422 for %j', async (body, pointers) => {
    const answer = await shop.call('text', body)
    expect([...refusalOf(answer), ...pointersOf(answer)]).toEqual([422, 'validation_error', ...pointers])
  })

  test('50 results are the most, 20 the default', async () => {
    for (let n = 0; n < 60; n++) {
      const body = { product_id: `more-${n}`, image_url: shop.app.picture('more', 1) }
      await shop.app.call('POST', '/v1/products', { token: shop.token, body })
    }
    expect((await shop.find('text', { query: 'mugs', ...UNCUT })).count).toBe(20)
    expect((await shop.find('text', { query: 'mugs', limit: 50, ...UNCUT })).count).toBe(50)
  })

  test('400, 415 and 413 for a body that cannot be read or has more than 256 KiB', async () => {
    const headers = { ...widgetHeaders(shop.key), 'content-type': 'application/json' }
    expect(refusalOf(await shop.call('text', '{', headers))).toEqual([400, 'invalid_json'])
    expect(refusalOf(await shop.call('text', 'query=mugs', widgetHeaders(shop.key)))).toEqual([
      415,
      'unsupported_media_type',
    ])
    const large = JSON.stringify({ query: 'mugs', more: 'x'.repeat(256 * 1024) })
    const refused = await shop.call('text', large, headers)
    expect([...refusalOf(refused), refused.body['details']]).toEqual([
      413,
      'payload_too_large',
      { max_bytes: 256 * 1024 },
    ])
  })

  test('is in the history with its session and without what limits it', async () => {
    const forced_filters = [{ field: 'brand', operator: 'eq', value: 'Acme' }]
    const { key } = await makeKey(shop.app, shop.token, { forced_filters })
    await shop.find('text', { query: 'mugs', session_id: 'shopper-7' }, key)
    shop.app.history.flush()
    const row = shop.app.db
      .prepare<[], Record<string, unknown>>('SELECT type, query, session_id, parameters FROM searches')
      .get()
    expect(row).toMatchObject({ type: 'text', query: 'mugs', session_id: 'shopper-7' })
    expect(String(row?.['parameters'])).not.toContain('Acme')
  })
})

describe('POST /v1/widget/search/upload', () => {
  test('200: similar products, the image_id of the picture, its parts and its categories', async () => {
    const found = await shop.find('upload', shop.upload({ limit: '1' }))
    expect(idsOf(found.results)).toEqual(['mug'])
    expect(found.image_id).toBeString()
    expect(found.regions).toHaveLength(1)
    expect(found.query_categories?.[0]?.name).toBe('Mugs')
  })

  test('200: fields of a form are text; a crop is JSON', async () => {
    const crop = JSON.stringify({ x: 0.5, y: 0, width: 0.5, height: 1 })
    const found = await shop.find('upload', shop.upload({ crop, limit: '1', price_max: '200' }, 1, 3))
    expect(idsOf(found.results)).toEqual(['table'])
  })

  test('200: words beside the picture count as in a hybrid search', async () => {
    const { token, app } = shop
    const image = Buffer.from('picture:1').toString('base64')
    const body = { image, query: 'lamps' }
    const hybrid = await app.call('POST', '/v1/search/hybrid', { token, body })
    const ids = idsOf(hybrid.body['results'] as never)
    expect(idsOf((await shop.find('upload', shop.upload({ query: 'lamps', ...UNCUT }))).results)).toEqual(ids)
    expect(idsOf((await shop.find('upload', shop.upload(UNCUT))).results)).not.toEqual(ids)
    const image_url = shop.url(1)
    expect(idsOf((await shop.find('url', { image_url, query: 'lamps', ...UNCUT })).results)).toEqual(ids)
  })

  test('422 image_source_invalid without a picture, whatever else names one', async () => {
    const answer = await shop.call(
      'upload',
      form({ product_id: 'mug', image_url: 'https://img.test/mug.jpg' }),
    )
    expect([...refusalOf(answer), (answer.body['details'] as { allowed: unknown }).allowed]).toEqual([
      422,
      'image_source_invalid',
      ['image'],
    ])
  })

  test('422 for an unreadable picture and for a crop of nothing; 415 for JSON', async () => {
    const unreadable = form({ image: new TextEncoder().encode('no picture') })
    expect(refusalOf(await shop.call('upload', unreadable))).toEqual([422, 'image_unreadable'])
    expect(refusalOf(await shop.call('upload', shop.upload({ crop: '{' })))).toEqual([
      422,
      'validation_error',
    ])
    expect(refusalOf(await shop.call('upload', { image: 'x' }))).toEqual([415, 'unsupported_media_type'])
  })

  test('413 beyond 4 MiB, before the body is parsed', async () => {
    const image = new Uint8Array(4 * 1024 * 1024)
    const answer = await shop.call('upload', form({ image }))
    expect([...refusalOf(answer), answer.body['details']]).toEqual([
      413,
      'image_too_large',
      { max_bytes: 4 * 1024 * 1024 },
    ])
  })
})

describe('POST /v1/widget/search/url', () => {
  test('200 by the address of a picture, and again by its image_id with a crop', async () => {
    const first = await shop.find('url', { image_url: shop.url(1, 3), limit: 1 })
    const { image_id } = first
    expect(image_id).toBeString()
    const crop = { x: 0.5, y: 0, width: 0.5, height: 1 }
    const again = await shop.find('url', { image_id, crop, limit: 1 })
    expect([idsOf(again.results), again.image_id, again.query_image?.crop]).toEqual([
      ['table'],
      image_id,
      crop,
    ])
  })

  test('422 image_source_invalid for none, for both, and for what only a backend may name', async () => {
    const both = { image_url: shop.url(1), image_id: 'x' }
    for (const body of [
      {},
      both,
      { ...both, product_id: 'mug' },
      { vector: [1, 0, 0, 0, 0, 0, 0, 0] },
      { image: 'eA==' },
    ]) {
      const answer = await shop.call('url', body)
      expect([...refusalOf(answer), (answer.body['details'] as { allowed: unknown }).allowed]).toEqual([
        422,
        'image_source_invalid',
        ['image_url', 'image_id'],
      ])
    }
  })

  test('200 by a product of the store, without itself, with a crop and words as a picture; counted as similar', async () => {
    const { results, image_id } = await shop.find('url', { product_id: 'mug', ...UNCUT })
    expect(idsOf(results)).not.toContain('mug')
    expect([idsOf(results)[0], image_id]).toEqual(['cup', undefined])
    const backend = await shop.app.call('GET', '/v1/products/mug/similar', { token: shop.token })
    expect(idsOf(results)).toEqual(idsOf(backend.body['results'] as never))
    const crop = { x: 0.5, y: 0, width: 0.5, height: 1 }
    const part = await shop.find('url', { product_id: 'both', crop, limit: 1 })
    expect([idsOf(part.results), part.query_image?.crop]).toEqual([['lamp'], crop])
    const refined = await shop.find('url', { product_id: 'mug', query: 'tables' })
    expect(idsOf(refined.results)).toContain('table')
    const { body } = await shop.app.call('GET', '/v1/search/analytics', { token: shop.token })
    expect((body['searches'] as { by_type: object }).by_type).toEqual({ similar: 2, url: 1, hybrid: 1 })
  })

  test('a picture takes precedence over a product', async () => {
    const body = { image_url: shop.url(2), limit: 2 }
    const plain = await shop.find('url', body)
    expect((await shop.find('url', { ...body, product_id: 'mug' })).results).toEqual(plain.results)
    expect((await shop.find('url', { ...body, product_id: 'none' })).results).toEqual(plain.results)
  })

  test('404 for a product that the store does not have', async () => {
    const token = await shop.app.signIn('other')
    const body = { product_id: 'theirs', image_url: shop.app.picture('theirs', 1) }
    expect((await shop.app.call('POST', '/v1/products', { token, body })).status).toBe(201)
    for (const product_id of ['theirs', 'none', '']) {
      const answer = await shop.call('url', { product_id })
      expect([...refusalOf(answer), answer.body['details']]).toEqual([
        404,
        'not_found',
        { resource: 'product' },
      ])
    }
  })

  test('422 for an address that gives no picture', async () => {
    expect(refusalOf(await shop.call('url', { image_url: 'https://img.test/none.jpg' }))).toEqual([
      422,
      'image_download_failed',
    ])
  })

  test('404 for a picture that came with another key, from the backend, in another store, or long ago', async () => {
    const { app, token } = shop
    const another = await makeKey(app, token)
    const otherToken = await app.signIn('other')
    const foreign = await makeKey(app, otherToken)
    const backend = await app.call('POST', '/v1/search', { token, body: shop.upload() })
    const strangers = await app.call('POST', '/v1/search', { token: otherToken, body: shop.upload() })
    const own = (await shop.find('upload', shop.upload())).image_id
    const ids = [
      (await shop.find('upload', shop.upload(), another.key)).image_id,
      (await shop.find('upload', shop.upload(), foreign.key)).image_id,
      ...[backend, strangers].map(({ body }) => body['image_id']),
      'no-such-picture',
    ]
    for (const image_id of ids) {
      const answer = await shop.call('url', { image_id })
      expect([...refusalOf(answer), answer.body['details']]).toEqual([
        404,
        'not_found',
        { resource: 'image' },
      ])
    }
    expect((await shop.call('url', { image_id: own })).status).toBe(200)
    app.clock.advance(15 * 60_000)
    expect(refusalOf(await shop.call('url', { image_id: own }))).toEqual([404, 'not_found'])
  })
})

describe('an answer without results', () => {
  test('carries the newest products that are in stock, at most eight', async () => {
    const { app, token } = shop
    for (let n = 0; n < 9; n++) {
      const body = {
        product_id: `new-${n}`,
        image_url: app.picture(`new-${n}`, 6),
        metadata: { in_stock: n !== 7 },
      }
      await app.call('POST', '/v1/products', { token, body })
    }
    const { count, popular } = await shop.find('text', { query: 'mugs', category: 'Nothing' })
    expect([count, idsOf(popular)]).toEqual([0, [8, 6, 5, 4, 3, 2, 1, 0].map((n) => `new-${n}`)])
    expect((await shop.find('text', { query: 'mugs' })).popular).toBeUndefined()
  })

  test('begins with what shoppers clicked, as far as it is in stock; counted again after a minute', async () => {
    const { app, token } = shop
    await app.call('PATCH', '/v1/products/mug', { token, body: { metadata: { in_stock: false } } })
    const click = async (result_product_id: string) => {
      const answer = await shop.call('feedback', { action: 'click', result_product_id })
      expect([answer.status, answer.body['status']]).toEqual([201, 'recorded'])
    }
    const popular = async () => idsOf((await shop.find('text', { query: 'mugs', category: 'None' })).popular)
    for (const id of ['lamp', 'mug', 'gone']) await click(id)
    expect(await popular()).toEqual(['lamp', 'both', 'table', 'torch', 'cup'])
    for (let n = 0; n < 3; n++) await click('cup')
    app.clock.advance(60_000)
    expect((await popular()).slice(0, 2)).toEqual(['cup', 'lamp'])
  })

  test('has none in an empty store, and is one search in the history', async () => {
    const { app } = shop
    const { key } = await makeKey(app, await app.signIn('empty'))
    expect(await shop.find('text', { query: 'mugs' }, key)).toMatchObject({
      count: 0,
      results: [],
      popular: [],
    })
    app.history.flush()
    expect(app.db.prepare('SELECT count(*) AS n FROM searches').get()).toEqual({ n: 1 })
  })
})
